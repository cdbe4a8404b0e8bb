package remake

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// extends returns a tree that nothing leads to and no commit has, with all that the roadmap of former has and more; "" for none. It is no
// older state: former's history never had what is more. Of several it is the one that has all of the others, unless another one was written later.
func (f *roadmapCommits) extends(ctx context.Context, former git.ID) (git.ID, error) {
	before, base := doc.ParseRoadmap(nil), f.s.Repo().Edit("")
	var past []*doc.Roadmap
	if former != "" {
		c, err := f.s.Repo().Commit(ctx, former)
		if err != nil {
			return "", err
		}
		before, base = doc.ParseRoadmap(f.texts[c.Tree]), f.s.Repo().Edit(c.Tree)
		if past, err = f.history(ctx, former); err != nil {
			return "", err
		}
	}
	gone, err := expunge.TombstonesIn(ctx, f.s, base)
	if err != nil {
		return "", err
	}
	var list []planned
	for _, p := range f.loose {
		same, err := f.sameTombstones(ctx, base, p.tree)
		if err != nil {
			return "", err
		}
		text := string(f.texts[p.tree])
		if same && gone.RedactText(text) == text && adds(before, p.text, past) {
			list = append(list, p)
		}
	}
	if former == "" && len(list) > 1 { // items may have been removed
		return "", nil
	}
	for _, p := range list {
		less := func(o planned) bool { return len(p.text.Lost(o.text)) > 0 || o.at.After(p.at) }
		if !slices.ContainsFunc(list, less) {
			return p.tree, nil
		}
	}
	return "", nil
}

// history returns what the roadmap was in the history of a commit, as far as that is here.
func (f *roadmapCommits) history(ctx context.Context, former git.ID) (past []*doc.Roadmap, err error) {
	list, err := f.s.Repo().History(ctx, []git.ID{former})
	if git.ExitCode(err) > 0 { // it has a hole: what any commit has counts
		for _, p := range f.old {
			past = append(past, p.text)
		}
		return past, nil
	}
	for _, n := range list {
		c, err := f.s.Repo().Commit(ctx, n.ID)
		if err != nil {
			return nil, err
		}
		e, ok, err := f.s.Repo().Edit(c.Tree).Entry(ctx, doc.RoadmapFile)
		if ignoreLost(err) != nil {
			return nil, err
		}
		if !ok || err != nil {
			continue
		}
		data, err := f.s.Repo().Blob(ctx, e.ID)
		if ignoreLost(err) != nil {
			return nil, err
		}
		past = append(past, doc.ParseRoadmap(data))
	}
	return past, err
}

// adds reports whether a roadmap has all that the one before has, and says something else, and the past never had what is more.
func adds(before, now *doc.Roadmap, past []*doc.Roadmap) bool {
	if len(now.Lost(before)) > 0 || string(now.Bytes()) == string(before.Bytes()) {
		return false
	}
	more := before.Lost(now)
	for _, was := range past {
		lacks := was.Lost(now)
		if slices.ContainsFunc(more, func(p doc.Part) bool { return !slices.Contains(lacks, p) }) {
			return false
		}
	}
	return true
}

func (f *roadmapCommits) sameTombstones(ctx context.Context, base *git.Edit, tree git.ID) (bool, error) {
	a, _, err := base.Entry(ctx, doc.ExpungedFile)
	if err != nil {
		return false, err
	}
	b, _, err := f.s.Repo().Edit(tree).Entry(ctx, doc.ExpungedFile)
	return a.ID == b.ID, err
}

// PutRoadmap makes a commit with a tree that [Roadmap] found and moves the roadmap to it. lost is what it names, former the parent; "" for none.
func PutRoadmap(ctx context.Context, s *store.Store, by store.Writer, tree, former, lost git.ID) error {
	tx, err := s.Begin(ctx, by, "fsck: take the newest text of the roadmap")
	if err != nil {
		return err
	}
	defer tx.Close()
	return tx.Swap(ctx, func(ctx context.Context) error {
		now, err := s.RoadmapTip(ctx)
		if err == nil && now != lost {
			err = errMoved
		}
		if err != nil {
			return err
		}
		var parents []git.ID
		if former != "" {
			parents = []git.ID{former}
		}
		c, err := tx.RoadmapCommit(ctx, s.Repo().Edit(tree), parents, store.RoadmapRecord{Reason: "Take the newest text of the roadmap"})
		if err == nil {
			tx.Refs.Update(git.RoadmapRef, c.ID, lost)
		}
		return err
	})
}
