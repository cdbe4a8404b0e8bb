package expunge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Try calls f with an operation for some tombstones whose objects go to a quarantine. It moves
// no ref and removes the objects afterwards.
func Try(ctx context.Context, s *store.Store, e doc.Expunged, f func(*Operation) error) (err error) {
	repo, remove, err := s.Repo().Quarantine(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	q := s.Over(repo)
	known, err := Tombstones(ctx, q)
	if err != nil {
		return err
	}
	return f(&Operation{Store: q, Rewriter: NewRewriter(q, known.Union(e))})
}

// Preview fills in what a run would change. Like a run it calls check on the new history first.
func Preview(ctx context.Context, s *store.Store, e doc.Expunged,
	check func(context.Context, *Operation, []git.ID) error, res *Result) error {
	return Try(ctx, s, e, func(op *Operation) error {
		v, refused, err := listSound(ctx, op.Store)
		if err != nil {
			return err
		}
		now, err := op.Rewriter.Rewrite(ctx, v.Tips())
		if err != nil {
			return err
		}
		if err := check(ctx, op, newTips(now)); err != nil {
			return err
		}
		res.Commits = len(op.Rewriter.replaced())
		if v.Notes != "" {
			clean, err := op.Rewriter.notesTree(ctx, v.Notes)
			if err != nil {
				return err
			}
			res.Notes = clean.changed
		}
		warn := func(lost, _ string, data []byte) error {
			if op.quotesIn(data) {
				op.warn("%s", lost)
			}
			return nil
		}
		if err := op.eachQuotingFile(warn); err != nil {
			return err
		}
		res.Warnings = append(res.Warnings, op.Result.Warnings...)
		return op.previewRemotes(ctx, refused, res)
	})
}

// Describe fills in which entries and how many texts of this repository tombstones remove:
// Entries, IDs, Expunged, Texts, Redacted and All of the result. Texts that are expunged already do not
// count, nor does what only remotes have, except for some of their branches, given by their tracking refs, as far as
// these can be read. It reads all of memory's history and changes nothing.
func Describe(ctx context.Context, s *store.Store, e doc.Expunged, res *Result, tracking ...git.Ref) error {
	known, err := Tombstones(ctx, s)
	if err != nil {
		return err
	}
	bad, err := FindUnsound(ctx, s, tracking, nil, nil)
	if err != nil {
		return err
	}
	tracking = slices.DeleteFunc(slices.Clone(tracking), func(r git.Ref) bool { return bad[r.Name] != nil })
	f := newFinder(s)
	f.named, f.redacts = e, e.Texts() > 0
	v, err := ListRefs(ctx, s)
	if err != nil {
		return err
	}
	v.tracking, v.TrackingNotes, v.kept = tracking, nil, nil
	if err := errors.Join(f.history(ctx, v), f.local(ctx)); err != nil {
		return err
	}
	f.entries(res)
	res.Texts = known.Union(e).Texts() - known.Texts()
	return nil
}

// previewRemotes fills in which remotes have old history. The commands for them exist only once
// the refs have moved.
func (op *Operation) previewRemotes(ctx context.Context, refused map[string]error, res *Result) error {
	held, err := op.Rewriter.dirtyRemotes(ctx, refused)
	if err != nil {
		return err
	}
	for name, refs := range held {
		h := DirtyRemote{Remote: name, Refs: []string{}, Commands: []string{}}
		for _, r := range refs {
			h.Refs = append(h.Refs, r.Ref)
		}
		res.Remotes = append(res.Remotes, h)
	}
	slices.SortFunc(res.Remotes, func(a, b DirtyRemote) int { return strings.Compare(a.Remote, b.Remote) })
	return nil
}

// AskedText describes what a remote asks to forget: "3 entries and 1 text".
func AskedText(e doc.Expunged) string { return EntriesAndTexts(len(e.Entries()), e.Texts()) }

// EntriesAndTexts describes how much is expunged: "2 entries and 1 text".
func EntriesAndTexts(entries, texts int) string {
	switch {
	case texts == 0:
		return EntriesText(entries)
	case entries == 0:
		return prose.Count(texts, "text")
	}
	return EntriesText(entries) + " and " + prose.Count(texts, "text")
}

// EntriesText describes how much is expunged: "3 entries", or "texts" for no entry.
func EntriesText(entries int) string {
	switch entries {
	case 0:
		return "texts"
	case 1:
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", entries)
}
