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

// GitLog is a log in git log's format.
type GitLog struct {
	Log       history.CommitLog
	Arguments history.Arguments
	Graph     bool
	Raw       bool // with the trailers of memory commits
	Most      int  // number of commits of a graph, births included; negative: all
	Terminal  bool // decorate with refs if the user did not configure it
	Color     bool
}

// inBrackets reports whether the content of notes follows the hash of a commit in brackets,
// because its lines have no room for more: in a graph, and in the layout with one line
// each.
func (v GitLog) inBrackets() bool {
	return v.Arguments.Layout == history.LayoutLine || v.Graph && v.Arguments.Layout == history.LayoutBlock
}

// WriteGitLog writes a log as git log prints it, except that notes are put into words,
// memory refs have their short names, and control characters are made visible (see Safe).
// It writes to w as the output arrives. If w fails with git.ErrEnough, it stops without an
// error.
//
// Without a graph, it passes the commits to git one by one. With a graph, git itself walks
// the commits that changed commit.md, which are the memory commits and the births of
// branches, and connects them across the commits that it leaves out.
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
	filter := &trailerFilter{next: out.line}
	show := filter.line
	if v.Raw || v.Arguments.Layout != history.LayoutBlock {
		show = out.line
	}
	if v.inBrackets() {
		out.judged = byCommit(v.Log.Commits)
	}
	short := func(l gitLine) error { return show(l.short(shownQuote)) }
	err = writeGit(ctx, s.Repo(), []byte(list.String()), args, v.Color, short, b.Flush)
	if err == nil {
		err = filter.end()
	}
	if err == nil {
		err = out.end()
	}
	return flushed(b, err)
}

// command returns the git log command to run.
func (v GitLog) command(ctx context.Context, repo *git.Repo) ([]string, error) {
	args := []string{"log", "--no-ext-diff", "--no-textconv", "--text", "--pretty=medium"}
	if v.inBrackets() {
		args = append(args, "--no-notes")
	} else {
		args = append(args, "--notes=context")
	}
	// A remote's tag adds nothing where the tag itself is shown.
	for _, kind := range []string{git.BranchPrefix, git.TagPrefix, git.RemoteTracking("*").Branches()} {
		args = append(args, "--decorate-refs="+kind+"*")
	}
	if v.Terminal {
		config, err := repo.Config(ctx)
		if err != nil {
			return nil, err
		}
		if how, ok := config.String("log.decorate"); !ok || how == "auto" {
			args = append(args, "--decorate=short") // git writes to a pipe, not to a terminal
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
// control characters made visible. It stops like WriteGitLog.
func WriteGitDiff(ctx context.Context, s *refs.Store, w io.Writer, from, to *git.Commit, a history.Arguments,
	color bool) error {
	b := bufio.NewWriter(w)
	show := func(l gitLine) error { return l.write(b) }
	return flushed(b, writeGit(ctx, s.Repo(), nil, history.DiffCommand(from, to, a), color, show, b.Flush))
}

// WriteGitStat writes which files two memory commits differ in, as git diff --stat prints it. Of a giant it says how
// large it is, as of a binary file: git would read all of it to count its lines.
func WriteGitStat(ctx context.Context, s *refs.Store, w io.Writer, from, to *git.Commit, color bool) error {
	stat, err := history.DiffArguments([]string{"--stat"})
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	show := func(l gitLine) error { return l.write(b) }
	args := append([]string{"-c", statLimit}, history.DiffCommand(from, to, stat)...)
	return flushed(b, writeGit(ctx, s.Repo(), nil, args, color, show, b.Flush))
}

// statLimit is the size from which on git takes a file for binary, whatever its attributes are.
const statLimit = "core.bigFileThreshold=1m"

// flushed ends a view that was written as it arrived. A reader that has left is not an
// error.
func flushed(b *bufio.Writer, err error) error {
	if err == nil {
		err = b.Flush()
	}
	if errors.Is(err, git.ErrEnough) {
		return nil
	}
	return err
}
