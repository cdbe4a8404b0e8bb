package cmd

import (
	"cmp"
	"context"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/render"
)

// module is the path of the module, by which Go's build information names it.
const module = "github.com/git-context/git-context"

// The linker sets them: -X github.com/git-context/git-context/cmd.version=v1.2.3.
var version, commit string

type versionResult struct {
	Version string  `json:"version"`
	Commit  *string `json:"commit"` // null: unknown
	Go      string  `json:"go"`
	Git     *string `json:"git"` // null: git cannot be run
}

func newVersion(g *globals) *command {
	return &command{
		name:     "version",
		usage:    []string{"version"},
		about:    "Prints the version of git-context, as 'git context --version' does. With --json also the version of the git that it runs.",
		exits:    []int{exitDone, exitUsage},
		examples: []string{"version", "version --json"},
		globals:  g,
		flags:    g.common(),
		action:   func(ctx context.Context, env *Env, _ []string) error { return sayVersion(ctx, env, g) },
	}
}

// sayVersion is `git context version` and `git context --version`.
func sayVersion(ctx context.Context, env *Env, g *globals) error {
	info, _ := debug.ReadBuildInfo()
	r := runVersion(info, version, commit)
	if g.json {
		r.Git = installedGit(ctx, env) // a child process, which text does without
	}
	return g.show(env, r, func(p *render.Printer) { printVersion(p, r) })
}

// runVersion returns, as what is known first:
//
//  1. what the linker was told: make, the packages and archives of a release
//  2. the version of the main module: `go install MODULE@VERSION`, and `go build` in a
//     checkout, where Go derives it from git's tags
//  3. the version of the module as another program, which runs this package, requires it
//  4. "devel"
//
// info is nil if the program contains no build information.
func runVersion(info *debug.BuildInfo, version, commit string) versionResult {
	r := versionResult{Version: version, Go: runtime.Version()}
	if info == nil {
		info = new(debug.BuildInfo)
	}
	if info.Main.Path == module {
		r.Version = cmp.Or(r.Version, info.Main.Version)
		commit = cmp.Or(commit, setting(info, "vcs.revision"))
	}
	for _, m := range info.Deps {
		if m.Replace != nil && m.Path == module {
			m = &debug.Module{Path: module, Version: m.Replace.Version}
		}
		if m.Path == module {
			r.Version = cmp.Or(r.Version, m.Version)
		}
	}
	r.Version = cmp.Or(strings.Trim(r.Version, "()"), "devel") // Go writes (devel)
	if commit != "" {
		r.Commit = &commit
	}
	return r
}

// setting returns a setting of the build; "" if it is not known.
func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// Version returns the version of the program.
func Version() string {
	info, _ := debug.ReadBuildInfo()
	return runVersion(info, version, commit).Version
}

func printVersion(p *render.Printer, r versionResult) {
	if r.Commit == nil {
		line(p, "git-context version %s (%s)", r.Version, r.Go)
		return
	}
	line(p, "git-context version %s (%s, %s)", r.Version, git.ID(*r.Commit).Short(), r.Go)
}

// installedGit returns the version of git; nil where git cannot be run.
func installedGit(ctx context.Context, env *Env) *string {
	v, err := git.Version(ctx, env.Environ)
	if err != nil {
		return nil
	}
	return &v
}
