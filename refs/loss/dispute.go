package loss

import (
	"context"
	"maps"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// dispute is what this repository did about entries with several contents. Two histories that both begin
// with an entry leave open which content came first, so that two repositories could restore theirs against
// each other with every sync, without an end. Whoever wrote the entry goes on; any other repository restores
// its content once, and takes the restoration of another one that is made on top of that.
type dispute struct {
	restored [2]map[Key]bool // contents that this repository brought back, by kind
	own      doc.Expunged    // those of their entries that it wrote
	given    map[[26]byte]bool
}

// yields reports whether this repository takes over a restoration that replaces a content of an entry.
func (f *finder) yields(ctx context.Context, k store.EntryKind, key Key) (bool, error) {
	if f.dispute == nil {
		d, err := f.readDispute(ctx)
		if err != nil {
			return false, err
		}
		f.dispute = d
	}
	id := string(key.ID[:])
	for i, kind := range kinds() {
		if kind.File == k.File && f.dispute.restored[i][key] && !f.dispute.own.HasEntry(id) {
			f.dispute.given[key.ID] = true
			return true, nil
		}
	}
	return false, nil
}

// gaveUp reports whether yields said so of an entry.
func (f *finder) gaveUp(id [26]byte) bool { return f.dispute != nil && f.dispute.given[id] }

func (f *finder) readDispute(ctx context.Context) (*dispute, error) {
	d := &dispute{given: map[[26]byte]bool{}}
	made, err := f.madeHere(ctx)
	if err != nil {
		return nil, err
	}
	var wrote []git.ID
	var restoring []*git.Commit
	for _, c := range made {
		if c.Trailer(store.TrailerRestores) == "" {
			wrote = append(wrote, c.ID)
		} else {
			restoring = append(restoring, c)
		}
	}
	var named doc.Expunged
	for i, k := range kinds() {
		d.restored[i] = map[Key]bool{}
		for _, c := range restoring {
			if is, err := f.s.Repo().IsAncestor(ctx, c.ID, f.Tip); err != nil {
				return nil, err
			} else if !is { // the other side has not seen it
				continue
			}
			if err := f.addCame(ctx, k, c, d.restored[i]); err != nil {
				return nil, err
			}
		}
		for key := range d.restored[i] {
			if err := named.AddEntry(string(key.ID[:])); err != nil {
				return nil, err
			}
		}
	}
	d.own, err = expunge.HitsOf(ctx, f.s, named, wrote)
	return d, err
}

// addCame adds the entries that a commit has and its parents lack, or have with another content.
func (f *finder) addCame(ctx context.Context, k store.EntryKind, c *git.Commit, set map[Key]bool) error {
	had := map[Key]bool{}
	came := files{}
	for _, p := range c.Parents {
		tree, err := f.tree(ctx, p)
		if err != nil {
			return err
		}
		now, before, err := f.differ(ctx, k, c.Tree, tree)
		if err != nil {
			return err
		}
		maps.Copy(came, now)
		for _, blob := range before {
			keys, err := f.keys(ctx, k.File, blob)
			if err != nil {
				return err
			}
			for _, key := range keys {
				had[key] = true
			}
		}
	}
	for _, blob := range came {
		keys, err := f.keys(ctx, k.File, blob)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if !had[key] {
				set[key] = true
			}
		}
	}
	return nil
}
