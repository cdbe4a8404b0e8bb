package expunge

import (
	"context"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Uncommitted code that was handed over is not rewritten: code that contains an expunged text goes as a
// whole. Its tombstone is its hash as a text, which also redacts the trailers that name it, in every clone.

// ForgetsWork reports whether handed over code is expunged.
func (w *Rewriter) ForgetsWork(id git.ID) bool { return !w.e.OnlyText(string(id)).Empty() }

// handedOver searches the handed over code, except the commits beneath.
func (f *finder) handedOver(ctx context.Context, v *Refs) error {
	if f.match.none() {
		return nil
	}
	contains := map[git.ID]bool{}
	for _, r := range v.Works {
		has, known := contains[r.ID]
		if !known {
			var err error
			if has, err = f.inWork(ctx, r.ID); err != nil {
				return err
			}
			contains[r.ID] = has
		}
		if has {
			f.hits++
			f.expunged.AddText(string(r.ID)) // a word acts on no hash
			f.works = append(f.works, r.Name)
		}
	}
	return nil
}

// inWork reports whether the names or the contents of handed over files contain the text.
func (f *finder) inWork(ctx context.Context, id git.ID) (bool, error) {
	st, err := f.s.Repo().ReadStash(ctx, id)
	if err != nil {
		return false, err
	}
	c, err := f.s.Repo().StashContent(ctx, st)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(slices.Concat(c.Paths, slices.Collect(maps.Keys(c.Untracked)), []string{st.Subject}), f.match.in) {
		return true, nil
	}
	found := false
	err = ReadObjects(ctx, f.s, slices.Sorted(maps.Keys(c.Blobs)), func(o git.Object) error {
		found = found || f.match.raw(o.Data)
		return nil
	})
	return found, err
}

// dropWorks queues the deletion of the refs to expunged code, and returns how many there are.
func (op *Operation) dropWorks(ses *store.Transaction, v *Refs) int {
	n := 0
	for _, r := range v.Works {
		if op.Rewriter.ForgetsWork(r.ID) {
			ses.Refs.Delete(r.Name, r.ID)
			op.hide.add(r)
			op.intent.addOld(r.ID)
			n++
		}
	}
	return n
}
