package fsck

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
)

// checkReflogs reports reflogs of memory that lead to lost objects: a repair was killed before it cleaned them, or what was
// undone is lost in part. Nobody misses that, but git gc keeps what reflogs lead to, and fails.
func checkReflogs(ctx context.Context, c *checker) error {
	v, err := c.memory(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(v.flaws, func(f incoming.Flaw) bool { return f.Kind == incoming.FlawMissing }) {
		return nil // the lost objects come first
	}
	whole, err := c.s.Repo().ReflogsWhole(ctx)
	if whole || err != nil {
		return err
	}
	list, err := expunge.ListRefs(ctx, c.s)
	if err != nil {
		return err
	}
	kept, err := c.s.Repo().Refs(ctx, git.KeptPrefix)
	if err != nil {
		return err
	}
	refs := slices.DeleteFunc(append(list.Every(), kept...), func(r git.Ref) bool { return isWork(r.Name) })
	reached, err := c.s.Repo().History(ctx, expunge.UniqueIDs(refs))
	if git.ExitCode(err) > 0 {
		return nil // as above, of notes or requests
	}
	if err != nil {
		return err
	}
	w := reflogWalk{c: c, known: map[git.ID]bool{}}
	for _, n := range reached {
		w.known[n.ID] = true
	}
	if w.edge, err = c.s.Repo().Shallow(); err != nil {
		return err
	}
	for _, r := range refs {
		hollow, err := w.hollow(ctx, r.Name)
		if err != nil {
			return err
		}
		if len(hollow) == 0 {
			continue
		}
		c.report(ctx, func(ctx context.Context) error { return c.dropLostMoves(ctx, r.Name, hollow...) },
			Problem{Kind: "reflog-lost", Object: r.Name, Repair: FixCommand,
				Message: fmt.Sprintf("the reflog of '%s' has %s of which the history is lost in part, so that git gc fails; no ref leads there, and the repair removes these lines",
					incoming.Printable(r.Name), prose.Count(len(hollow), "commit"))})
	}
	return nil
}

// reflogWalk looks for commits that are here and whose history is not.
type reflogWalk struct {
	c     *checker
	edge  map[git.ID]bool
	known map[git.ID]bool // whether the history of a commit is whole; that of refs is
}

// hollow lists the commits in the reflog of a ref that are here and whose history is not, each once.
func (w *reflogWalk) hollow(ctx context.Context, name string) (list []git.ID, err error) {
	past, err := w.c.s.Repo().RefPast(ctx, name)
	if err != nil {
		return nil, err
	}
	infos, err := w.c.s.Repo().Infos(ctx, past)
	if err != nil {
		return nil, err
	}
	for _, info := range infos {
		if info.Type != "commit" || slices.Contains(list, info.ID) { // git ignores a line whose object does not exist
			continue
		}
		if err := w.walk(ctx, info.ID); err != nil {
			return nil, err
		}
		if !w.known[info.ID] {
			list = append(list, info.ID)
		}
	}
	return list, nil
}

// walk finds out whether the history of a commit is whole.
func (w *reflogWalk) walk(ctx context.Context, tip git.ID) error {
	parents := map[git.ID][]git.ID{}
	for stack := []git.ID{tip}; len(stack) > 0; {
		id := stack[len(stack)-1]
		if _, done := w.known[id]; done {
			stack = stack[:len(stack)-1]
			continue
		}
		list, opened := parents[id]
		if opened {
			stack = stack[:len(stack)-1]
			w.known[id] = w.c.whole(ctx, id) && !slices.ContainsFunc(list, func(p git.ID) bool { return !w.known[p] })
			continue
		}
		c, err := w.c.s.Repo().Commit(ctx, id)
		if errors.Is(err, git.ErrNotFound) {
			w.known[id] = false
			continue
		}
		if err != nil {
			return err
		}
		if !w.edge[id] {
			list = c.Parents
		}
		parents[id] = list
		stack = append(stack, list...)
	}
	return nil
}
