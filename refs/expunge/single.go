package expunge

import (
	"context"
	"errors"
	"maps"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Of returns those tombstones of a request that are about some of the entries that it hides: the entry's own, and those
// of its texts and attachments. With alone, what its other entries have too is left out.
func (r *Request) Of(ctx context.Context, s *store.Store, ids []string, alone bool) (doc.Expunged, error) {
	f := newFinder(s)
	f.hold = map[string]doc.Expunged{}
	if err := r.search(ctx, f); err != nil {
		return doc.Expunged{}, err
	}
	var some, others doc.Expunged
	for _, id := range ids {
		some = some.Union(f.hold[id])
		delete(f.hold, id)
	}
	if !alone {
		return some, nil
	}
	for e := range maps.Values(f.hold) {
		others = others.Union(e)
	}
	return some.Except(others), nil
}

// search examines what a request hides.
func (r *Request) search(ctx context.Context, f *finder) (err error) {
	f.named = r.Asked
	if f.limit, err = f.s.SummaryLimit(ctx); err != nil {
		return err
	}
	v := &Refs{}
	for _, ref := range r.Refs {
		if _, work := git.WorkBranch(ref.Name); !work && ref.Name != git.NotesRef {
			v.Branches = append(v.Branches, ref)
		}
	}
	return f.history(ctx, v)
}

// holds records which tombstones act on an entry, if that is asked.
func (f *finder) holds(id string, files []doc.Attachment, texts ...string) {
	if f.hold == nil || !f.named.HasEntry(id) {
		return
	}
	e := f.hold[id].Union(f.named.OnlyEntry(id))
	for _, text := range texts {
		e = e.Union(f.named.HitsText(text))
	}
	for _, a := range files {
		e = e.Union(f.named.OnlyFile(a.Hash))
	}
	f.hold[id] = e
}

// AcceptSome is Accept for some of the tombstones of requests. The rest stays hidden, and is asked as before.
func AcceptSome(ctx context.Context, s *store.Store, w store.Writer, some doc.Expunged) (Result, error) {
	op := &Operation{Store: s, Writer: w, Result: Result{IDs: some.Entries(), Texts: some.Texts(), Remotes: []DirtyRemote{}}}
	op.Result.Entries = len(op.Result.IDs)
	err := op.Run(ctx, some)
	return op.Result, errors.Join(err, DoneWaiting(ctx, s))
}

// Adopt lists the replacements of commits that this repository made as made by it.
func (w *Rewriter) Adopt(ctx context.Context, ses *store.Transaction) error {
	return ses.Adopt(ctx, w.commits)
}

// Rest queues the record of what of a request is still asked; none if nothing is.
func (r Request) Rest(ctx context.Context, ses *store.Transaction, asked doc.Expunged) error {
	ref, old := r.Ref, r.ID
	if asked.Empty() {
		ses.Refs.Delete(ref, old)
		return nil
	}
	if len(asked.Bytes()) == len(r.Asked.Bytes()) {
		return nil
	}
	r.Asked = asked
	if err := r.write(ctx, ses); err != nil {
		return err
	}
	ses.Refs.Update(ref, r.ID, old)
	return nil
}
