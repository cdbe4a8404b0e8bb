package render

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
)

// GitLog is a log as git log prints it.
type GitLog struct {
	Log       history.CommitLog
	Arguments history.Arguments
	Graph     bool
	Most      int  // commits of a graph, births included; negative: all
	Terminal  bool // name refs where the user did not say
	Color     bool
}

// inBrackets says whether what the notes say stands behind the hash of a commit,
// because its lines leave no room for more: in a graph, and with one line each.
func (v GitLog) inBrackets() bool {
	return v.Arguments.Layout == history.LayoutLine || v.Graph && v.Arguments.Layout == history.LayoutBlock
}

// WriteGitLog writes a log as git log prints it, with two changes: what a note says
// is put into words, and control characters are made visible (see Safe). Memory refs
// go by their short names. The output goes to w as it comes, until it fails with
// git.ErrEnough.
//
// Without a graph git is given the commits one by one. With one it walks by
// itself, over the commits that changed commit.md: those are the milestones and the
// births of branches, and git joins them across what it leaves out.
func WriteGitLog(ctx context.Context, s *refs.Store, w io.Writer, v GitLog) error {
	if len(v.Log.Commits) == 0 {
		return nil
	}
	args, err := v.command(ctx, s.Repo())
	if err != nil {
		return err
	}
	var list strings.Builder
	if !v.Graph {
		for _, m := range v.Log.Commits {
			list.WriteString(string(m.Commit) + "\n")
		}
	}
	b := bufio.NewWriter(w)
	out := &logLines{w: b, layout: v.Arguments.Layout, graph: v.Graph, color: v.Color}
	if v.inBrackets() {
		out.judged = byCommit(v.Log.Commits)
	}
	err = writeGit(ctx, s.Repo(), []byte(list.String()), args, v.Color, out.line, b.Flush)
	if err == nil {
		err = out.end()
	}
	return flushed(b, err)
}

// command is the git log that is run.
func (v GitLog) command(ctx context.Context, repo *git.Repo) ([]string, error) {
	args := []string{"log", "--no-ext-diff", "--no-textconv", "--text", "--pretty=medium"}
	if v.inBrackets() {
		args = append(args, "--no-notes")
	} else {
		args = append(args, "--notes=context")
	}
	// What a remote calls a tag is no news where the tag stands.
	for _, kind := range []string{git.BranchPrefix, git.TagPrefix, git.RemoteTracking("*").Branches()} {
		args = append(args, "--decorate-refs="+kind+"*")
	}
	if v.Terminal {
		config, err := repo.Config(ctx)
		if err != nil {
			return nil, err
		}
		if how, ok := config.String("log.decorate"); !ok || how == "auto" {
			args = append(args, "--decorate=short") // a pipe is no terminal to git
		}
	}
	args = append(args, v.Arguments.Show...)
	if !v.Graph {
		args = append(args, "--no-walk=unsorted", "--stdin", "--")
		return append(args, v.Arguments.Paths...), nil
	}
	args = append(append(args, "--graph"), v.Arguments.Select...)
	if v.Most >= 0 {
		args = append(args, "--max-count="+strconv.Itoa(v.Most))
	}
	paths := v.Arguments.Paths
	if len(paths) == 0 {
		args, paths = append(args, "--full-diff"), []string{doc.CommitFile}
	}
	args = append(append(args, v.Log.Revs...), "--")
	return append(args, paths...), nil
}

// WriteGitDiff writes a comparison of two memory commits as git diff prints it, with
// control characters made visible.
func WriteGitDiff(ctx context.Context, s *refs.Store, w io.Writer, from, to *git.Commit, a history.Arguments, color bool) error {
	b := bufio.NewWriter(w)
	show := func(l gitLine) error { return l.write(b) }
	return flushed(b, writeGit(ctx, s.Repo(), nil, history.DiffCommand(from, to, a), color, show, b.Flush))
}

// flushed ends a view that was written as it came. A reader who has left has seen
// enough, which is no failure.
func flushed(b *bufio.Writer, err error) error {
	if err == nil {
		err = b.Flush()
	}
	if errors.Is(err, git.ErrEnough) {
		return nil
	}
	return err
}
