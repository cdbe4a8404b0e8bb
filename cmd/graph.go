package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-context/git-context/refs/git/disk"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/render/graph"
)

type graphOptions struct {
	*globals
	file    string
	most    int
	remotes bool
	noCode  bool
}

// drawnNodes is how many memory commits a picture shows unless told otherwise: 28,000 pixels.
const drawnNodes = 1000

func newGraph(g *globals) *command {
	o := &graphOptions{globals: g}
	g.offline = true
	own := []cli.Flag{
		named(&o.file, "--svg FILE", "write the picture to FILE (- is standard output)"),
		number(&o.most, "-n, --limit N", drawnNodes, "draw the newest N commits of memory (1000; 0: all)"),
		toggle(&o.remotes, "--remotes", "draw branches of remotes, too"),
		toggle(&o.noCode, "--no-code", "leave out the commits of the code"),
	}
	return &command{
		name:  "graph",
		usage: []string{"graph --svg FILE [-n N] [--remotes] [--no-code]", "graph --json"},
		about: "Draws the history of all memory branches as one SVG picture: a row for each commit, a lane for " +
			"each branch, beside the commits of the code. A ring is the beginning of a branch, a diamond a merge, a " +
			"square a commit of the code, a bar above a commit the end of an abandoned branch; a tick or a cross in a " +
			"commit is its outcome. A dotted line leads to the code commit that memory was made with or on. Changes " +
			"of topics and metadata are not drawn. In the terminal, 'git context log --graph --all' draws the same " +
			"history.",
		exits:    []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{"graph --svg memory.svg", "graph --json -n 20"},
		globals:  g,
		flags:    join(own, g.flags()),
		action: func(ctx context.Context, env *Env, _ []string) error {
			if o.file == "" && !o.json {
				return usagef("graph needs --svg FILE").hint("git context log --graph --all")
			}
			return runGraph(ctx, env, o)
		},
	}
}

func runGraph(ctx context.Context, env *Env, o *graphOptions) (err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	current, err := s.Current(ctx)
	if err != nil {
		return err
	}
	g, err := history.ReadGraph(ctx, s, history.GraphOptions{Remotes: o.remotes, Code: !o.noCode, Most: o.most})
	if err != nil {
		return err
	}
	if o.file != "" {
		l := graph.Arrange(g, current)
		p := graph.Picture{To: len(l.Rows), Text: true, Title: "Memory of " + current}
		if g.More {
			p.Left = fmt.Sprintf("Older commits are left out: git context graph --svg FILE -n %d", 2*o.most)
		}
		var b bytes.Buffer
		if err := graph.WriteSVG(&b, l, p); err != nil {
			return err
		}
		if o.file == "-" {
			return env.write(b.String())
		}
		if err := WriteFile(env.path(o.file), b.Bytes()); err != nil {
			return err
		}
	}
	if o.json {
		return showJSON(env, g)
	}
	return nil
}

// WriteFile replaces a file as a whole. What is no file of its own, such as a link or /dev/stdout, is written to.
func WriteFile(path string, data []byte) error {
	var err error
	if info, unknown := os.Lstat(path); unknown == nil && !info.Mode().IsRegular() {
		err = os.WriteFile(path, data, 0o666)
	} else {
		err = disk.Replace(path, data, 0o666, 0)
	}
	// The error may name the temporary file of disk.Replace, which the user does not know.
	var of *fs.PathError
	if errors.As(err, &of) {
		return fmt.Errorf("cannot write '%s': %w", path, of.Err)
	}
	return err
}
