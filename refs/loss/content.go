package loss

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// allowed reports whether a commit may have an entry with another content than its parent, see
// [OfBranch]. It sets e.claimed.
func (f *finder) allowed(ctx context.Context, k store.EntryKind, id, parent git.ID, e *lostEntry) (bool, error) {
	if !e.changed {
		return false, nil
	}
	other := Key{e.key.ID, e.now}
	before, err := f.tree(ctx, parent)
	if err != nil {
		return false, err
	}
	if both, err := f.contains(ctx, k, before, other); both || err != nil {
		return both, err
	}
	if shown, err := f.shown(ctx, k, id, *e); shown || err != nil {
		return shown, err
	}
	c, err := f.s.Repo().Commit(ctx, id)
	if err != nil {
		return false, err
	}
	if len(c.Parents) > 1 && slices.Contains(c.Parents, parent) {
		old, now, err := f.claims(ctx, k, c, parent, *e)
		if err != nil || old != now {
			e.claimed = old
			return now, err
		}
		ours, err := f.ours(ctx, k, e.key.ID)
		if err != nil || ours != nil && ours.key == e.key {
			return false, err
		}
		return f.smaller(ctx, k, c, parent, *e)
	}
	if c.Trailer(store.TrailerRestores) == "" { // which commit it names proves nothing: others write trailers
		return false, nil
	}
	if first, err := f.cameAs(ctx, k, parent, other); first || err != nil {
		return first, err
	}
	if own, err := f.wroteNow(ctx, k, id, other); own || err != nil {
		return own, err
	}
	if first, err := f.cameAs(ctx, k, parent, e.key); first || err != nil { // the other content is newer: anybody can write the trailer
		return false, err
	}
	return f.yields(ctx, k, e.key)
}

// shown reports whether a commit has an entry as it was before texts of it were expunged, which was refused since. Where
// this repository has replaced texts of it itself, no others may come in their place.
func (f *finder) shown(ctx context.Context, k store.EntryKind, id git.ID, e lostEntry) (bool, error) {
	if !f.Gone.HasTexts() {
		return false, nil
	}
	tree, err := f.tree(ctx, id)
	if err != nil {
		return false, err
	}
	now := Key{e.key.ID, e.now}
	all, err := f.contents(ctx, k, tree)
	if err != nil || all[now] == "" {
		return false, err
	}
	hidden, err := f.text(ctx, k, e.blob, e.key)
	if err != nil {
		return false, err
	}
	entry, err := f.text(ctx, k, all[now], now)
	if err != nil {
		return false, err
	}
	if f.hides == nil {
		if f.hides, err = expunge.HiddenTexts(f.s); err != nil {
			return false, err
		}
	}
	if lines, known := f.hides[string(now.ID[:])]; known && !lines.CameBack(withoutOrigin(hidden), withoutOrigin(entry), f.Gone) || !known && !f.Gone.Hides(hidden, entry) {
		return false, nil
	}
	f.back[e.key.ID] = true
	return true, nil
}

// withoutOrigin returns the text of an entry as its file has it, see finder.text.
func withoutOrigin(text []byte) []byte { return text[bytes.IndexByte(text, '\n')+1:] }

// cameAs reports whether an entry came into the history of a commit with one content and never with
// another one: a commit that changes an entry, or brings it in another history, too, did not write it first.
func (f *finder) cameAs(ctx context.Context, k store.EntryKind, tip git.ID, first Key) (bool, error) {
	came, err := f.firsts(ctx, k, tip, first.ID)
	return len(came) == 1 && came[first.Sum], err
}

// firsts returns the contents with which an entry came into the history of a commit: those of commits that
// have it while no parent has. It is empty if the history is too long to tell.
func (f *finder) firsts(ctx context.Context, k store.EntryKind, tip git.ID, id [26]byte) (map[uint64]bool, error) {
	at := func(commit git.ID) ([]place, error) {
		tree, err := f.tree(ctx, commit)
		if err != nil || tree == "" {
			return nil, err
		}
		p, err := f.places(ctx, k, tree)
		if err != nil {
			return nil, err
		}
		return p.of(id), nil
	}
	came := map[uint64]bool{}
	seen := map[git.ID]bool{tip: true}
	for queue := []git.ID{tip}; len(queue) > 0; queue = queue[1:] {
		if f.looked++; f.looked > mostLooks {
			return nil, nil
		}
		parents, err := f.parents(ctx, queue[0])
		if err != nil {
			return nil, err
		}
		first := true
		for _, p := range parents {
			list, err := at(p)
			if err != nil {
				return nil, err
			}
			if len(list) == 0 {
				continue
			}
			if first = false; !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
		if !first {
			continue
		}
		list, err := at(queue[0])
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			came[p.key.Sum] = true
		}
	}
	return came, nil
}

// parents returns the parents of a commit.
func (f *finder) parents(ctx context.Context, id git.ID) ([]git.ID, error) {
	if n := f.News[id]; n != nil {
		return n.Parents, nil
	}
	c, err := f.s.Repo().Commit(ctx, id)
	if errors.Is(err, git.ErrNotFound) { // beyond the edge of a shallow clone
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return c.Parents, nil
}

// smaller reports whether a merge has the content of another parent, which is the bytewise
// smaller one, as the union of two contents of one entry is.
func (f *finder) smaller(ctx context.Context, k store.EntryKind, c *git.Commit, parent git.ID, e lostEntry) (bool, error) {
	old, err := f.text(ctx, k, e.blob, e.key)
	if err != nil {
		return false, err
	}
	other := Key{e.key.ID, e.now}
	for _, p := range c.Parents {
		tree, err := f.tree(ctx, p)
		if err != nil {
			return false, err
		}
		if p == parent || tree == "" {
			continue
		}
		all, err := f.contents(ctx, k, tree)
		if err != nil {
			return false, err
		}
		if blob := all[other]; blob != "" {
			now, err := f.text(ctx, k, blob, other)
			return bytes.Compare(now, old) < 0, err
		}
	}
	return false, nil
}

// settle decides between the contents of entries that are lost. They come back as this repository has them: what came
// may bring a history of its own, in which they are older. Where it has none, or has given up its own, what the tip has
// is kept if it did not come by a change.
func (b *Branch) settle(ctx context.Context, f *finder) error {
	tree, err := f.tree(ctx, f.Tip)
	if err != nil {
		return err
	}
	for i, k := range kinds() {
		if len(b.entries[i]) == 0 {
			continue
		}
		now, err := f.places(ctx, k, tree)
		if err != nil {
			return err
		}
		for id, e := range b.entries[i] {
			if e.claimed {
				continue
			}
			ours, err := f.ours(ctx, k, id)
			if err != nil {
				return err
			}
			if ours != nil && !f.gaveUp(id) {
				b.entries[i][id] = lostEntry{key: ours.key, blob: ours.blob, sealed: ours.path != k.File}
				continue
			}
			list := now.of(id)
			if len(list) != 1 || list[0].key == e.key {
				continue
			}
			came, err := f.firsts(ctx, k, f.Tip, id)
			if err != nil {
				return err
			}
			if came[list[0].key.Sum] {
				delete(b.entries[i], id)
			}
		}
	}
	return nil
}

// ours returns where this repository's branch has an entry; nil if it does not, or not once.
func (f *finder) ours(ctx context.Context, k store.EntryKind, id [26]byte) (*place, error) {
	if f.Have == "" {
		return nil, nil
	}
	if f.have[k.File] == nil {
		tree, err := f.tree(ctx, f.Have)
		if err != nil {
			return nil, err
		}
		if f.have[k.File], err = f.places(ctx, k, tree); err != nil {
			return nil, err
		}
	}
	if list := f.have[k.File].of(id); len(list) == 1 {
		return &list[0], nil
	}
	return nil, nil
}
