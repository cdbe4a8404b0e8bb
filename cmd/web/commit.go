package web

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/git-context/git-context/render/page"
)

const (
	mostDiff    = 256 << 10 // bytes of one diff
	commitSteps = 200       // steps of a commit
	mostBetween = 1000      // steps that a merge brought, between those of a commit
)

func commit(ctx context.Context, q *request) (string, any, error) {
	c, err := q.s.Revision(ctx, q.PathValue("commit"))
	if err != nil {
		return "", nil, err
	}
	d, err := q.v.drawings.read(ctx, q.s, q.f.Current)
	if err != nil {
		return "", nil, err
	}
	if !d.nodes[c.ID] { // it changed a topic or metadata only: the commit before it is meant, as by git context show
		if c, err = q.s.NewestCommitAt(ctx, string(c.ID)); err != nil {
			return "", nil, err
		}
	}
	v, err := q.commit(ctx, c, d)
	return page.CommitPage, v, err
}

// commit reads all that the page of a commit shows.
func (q *request) commit(ctx context.Context, c *git.Commit, d *drawing) (v page.CommitView, err error) {
	if v, err = q.entry(ctx, c); err != nil {
		return v, err
	}
	if before, ok := d.before[c.ID]; ok {
		parent, err := q.s.Repo().Commit(ctx, before)
		if err != nil {
			return v, err
		}
		if err := q.changes(ctx, &v, parent, c); err != nil {
			return v, err
		}
	}
	return v, q.code(ctx, &v, c)
}

// entry reads the blocks of a commit and its steps. The first commit of a branch has none.
func (q *request) entry(ctx context.Context, c *git.Commit) (v page.CommitView, err error) {
	v = page.CommitView{Frame: q.f, Parents: c.Parents}
	v.Here = "/"
	q.s.Branch = store.BranchOf(c)
	if c.Trailer(store.TrailerID) == "" {
		v.Title = store.BranchOf(c) + " begins"
		v.Commit.Commit = store.Commit{Hash: &c.ID, Branch: store.BranchOf(c), Time: c.Committer.When,
			Agent: store.WriterOf(c), Purpose: c.Trailer(store.TrailerPurpose)}
		return v, nil
	}
	if v.Commit, err = render.NewCommit(ctx, q.s, render.Where{}, string(c.ID)); err != nil {
		return v, err
	}
	v.Title = v.Commit.Summary
	return v, q.steps(ctx, &v, c)
}

// steps reads the newest steps of a commit: those of its branch with its numbers. A merge brings others between.
func (q *request) steps(ctx context.Context, v *page.CommitView, c *git.Commit) error {
	r := v.Commit.Steps
	if r.Count == 0 {
		return nil
	}
	tip, err := history.At(ctx, q.s, "", string(c.ID))
	if err != nil {
		return err
	}
	list, _, err := history.Steps(ctx, q.s, tip, 0, min(r.Count, commitSteps)+mostBetween)
	if err != nil {
		return err
	}
	for _, step := range slices.Backward(list) {
		if step.Origin == v.Commit.Branch && step.Step >= r.First && step.Step <= r.Last && len(v.Steps) < commitSteps {
			v.Steps = append(v.Steps, step)
		}
	}
	slices.Reverse(v.Steps)
	v.Missing = max(r.Count-len(v.Steps), 0)
	return nil
}

// changes reads what a commit changed in topics and roadmap since the one before.
func (q *request) changes(ctx context.Context, v *page.CommitView, before, c *git.Commit) (err error) {
	if v.Topics, err = q.diff(ctx, v, "diff", "--text", string(before.ID), string(c.ID), "--", "topics"); err != nil {
		return err
	}
	from, _ := store.ParseRoadmap(before.Trailer(store.TrailerRoadmap))
	to, _ := store.ParseRoadmap(c.Trailer(store.TrailerRoadmap))
	if from == to || !q.s.Repo().IsID(string(from)) || !q.s.Repo().IsID(string(to)) {
		return nil
	}
	v.Roadmap, err = q.diff(ctx, v, "diff", "--text", string(from), string(to), "--")
	return err
}

// code reads the commit of the code that was made with a memory commit.
func (q *request) code(ctx context.Context, v *page.CommitView, c *git.Commit) (err error) {
	made := c.Trailer(store.TrailerLink)
	if !q.s.Repo().IsID(made) {
		return nil
	}
	info, err := q.s.Repo().Infos(ctx, []git.ID{git.ID(made)})
	if err != nil {
		return err
	}
	if info[0].Type != "commit" { // rewritten and pruned, or of another clone
		v.Cut = fmt.Sprintf("The code commit %s is not in this repository.", git.ID(made).Short())
		return nil
	}
	v.Code, err = q.diff(ctx, v, "show", "--format=%h %s", "--stat", "--patch", made, "--")
	return err
}

// diff runs git diff or show, and keeps the beginning of what it prints.
func (q *request) diff(ctx context.Context, v *page.CommitView, args ...string) ([]page.DiffLine, error) {
	out := &beginning{}
	full := append([]string{args[0], "--no-color", "--no-ext-diff", "--no-textconv"}, args[1:]...)
	if err := q.s.Repo().ViewTo(ctx, out, nil, full...); err != nil {
		return nil, err
	}
	if out.full {
		v.Cut = fmt.Sprintf("A diff is cut after %s.", render.Size(mostDiff))
	}
	return page.Diff(out.String()), nil
}

// beginning keeps the first mostDiff bytes and then ends the child.
type beginning struct {
	bytes.Buffer
	full bool
}

func (b *beginning) Write(p []byte) (int, error) {
	if room := mostDiff - b.Len(); len(p) > room {
		b.Buffer.Write(p[:room])
		b.full = true
		return 0, git.ErrEnough
	}
	return b.Buffer.Write(p)
}
