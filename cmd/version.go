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

// The linker sets them, -X github.com/git-context/git-context/cmd.version=v1.2.3; else
// Go's build information is used.
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
		about:    "Says which version of git-context this is. With --json also which git it runs.",
		exits:    []int{exitDone, exitUsage},
		examples: []string{"version", "version --json"},
		globals:  g,
		flags:    g.flags(),
		action: func(ctx context.Context, env *Env, _ []string) error {
			r := runVersion()
			if g.json {
				r.Git = installedGit(ctx, env) // a child process, which text does without
			}
			return g.show(env, r, func(p *render.Printer) { printVersion(p, r) })
		},
	}
}

func runVersion() versionResult {
	r := versionResult{Version: version, Go: runtime.Version()}
	revision := commit
	if info, ok := debug.ReadBuildInfo(); ok {
		r.Version = cmp.Or(r.Version, info.Main.Version)
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = cmp.Or(revision, s.Value)
			}
		}
	}
	r.Version = cmp.Or(strings.Trim(r.Version, "()"), "devel")
	if revision != "" {
		r.Commit = &revision
	}
	return r
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
