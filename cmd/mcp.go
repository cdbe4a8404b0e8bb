package cmd

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/git-context/git-context/refs/fail"
)

const mcpProgram = "git-context-mcp"

func newMCP(g *globals) *command {
	return &command{
		name:  "mcp",
		usage: []string{"mcp"},
		about: "Serves memory to coding agents by the Model Context Protocol, on standard input and output, until the input " +
			"ends: the tools context, record, commit, remember, recall, branch and merge, the brief and topics. A client of " +
			"agents starts it. It runs the program git-context-mcp, which is installed beside git-context.",
		exits:    []int{exitDone, exitFailed, exitUsage},
		examples: []string{"mcp"},
		globals:  g,
		flags:    g.common(),
		action:   func(ctx context.Context, env *Env, _ []string) error { return runMCP(ctx, env) },
	}
}

// runMCP runs the server with the streams of the command.
func runMCP(ctx context.Context, env *Env) error {
	path := env.findMCP()
	if path == "" {
		return fail.New(fail.ErrNotFound, fail.NotFound, "the program '"+mcpProgram+"' is neither beside git-context nor on the PATH",
			"install it beside git-context; releases contain both")
	}
	c := exec.CommandContext(ctx, path)
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = env.Dir, env.Environ, env.In, env.Out, env.Err
	err := c.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return fail.New(fail.ErrRefused, fail.Failed, "'"+mcpProgram+"' failed: "+ended.Error())
	}
	return err
}

// findMCP returns the path of the server: beside this program, else on the PATH; "" if there is none.
func (e *Env) findMCP() string {
	var dirs []string
	if e.Program != "" {
		dirs = append(dirs, filepath.Dir(e.Program))
		if real, err := filepath.EvalSymlinks(e.Program); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	for _, dir := range append(dirs, filepath.SplitList(e.getenv("PATH"))...) {
		if !filepath.IsAbs(dir) { // a program of the current directory may be anybody's
			continue
		}
		path := filepath.Join(dir, mcpProgram+filepath.Ext(e.Program))
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}
