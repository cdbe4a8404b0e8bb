package loss

import (
	"context"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/store"
)

// Restore returns a draft on top of a tip that has again what is lost: entries with the content
// that they had first, topics, and keys of metadata.yaml.
func (b *Branch) Restore(ctx context.Context, tx *store.Transaction, tip *store.Tip) (*store.Draft, error) {
	if b.unclear != nil {
		return nil, b.unclear
	}
	var add [2]merge.Additions
	for i, k := range kinds() {
		var err error
		if add[i], err = additions(ctx, tx.Store, k, b.entries[i]); err != nil {
			return nil, err
		}
	}
	c, err := merge.Restate(ctx, tx, tip, "Restore "+b.What(), add[0], add[1])
	if err != nil {
		return nil, err
	}
	for name, blob := range b.topics {
		if err := c.Tree.Put(ctx, doc.TopicDir+"/"+name, blob); err != nil {
			return nil, err
		}
	}
	for path, blob := range b.files {
		if err := c.Tree.Put(ctx, path, blob); err != nil {
			return nil, err
		}
	}
	c.Restores = b.from
	return c, b.restoreKeys(ctx, c, tip.Name())
}

// Rejoin is Restore of what [Missing] found. Unless the tip has it already, the commit that had it becomes a
// parent, so that the history has its commits.
func (b *Branch) Rejoin(ctx context.Context, tx *store.Transaction, tip *store.Tip) (*store.Draft, error) {
	draft, err := b.Restore(ctx, tx, tip)
	if err != nil {
		return nil, err
	}
	is, err := tx.Store.Repo().IsAncestor(ctx, b.from, tip.Commit().ID)
	if err == nil && !is {
		draft.Parents = append(draft.Parents, b.from)
	}
	return draft, err
}

// From brings back to the current branch what another commit of memory has and the branch lacks:
// steps, commits, topics and keys of metadata.yaml. rev is any revision, also of another branch or of a remote; history
// that is not of this repository is checked first. What the branch has stays as it is, and what was
// expunged stays away. The path of the change says what was brought back; with dryRun it is only
// said.
func From(ctx context.Context, s *store.Store, w store.Writer, rev string, dryRun bool) (store.Change, error) {
	c, err := s.Revision(ctx, rev)
	if err != nil {
		return store.Change{}, err
	}
	if err := expunge.CheckForeign(ctx, s, git.Ref{Name: rev, ID: c.ID}, "git context sync"); err != nil {
		return store.Change{}, err
	}
	gone, err := expunge.Tombstones(ctx, s)
	if err != nil {
		return store.Change{}, err
	}
	what := ""
	change, err := store.OnBranch(ctx, s, "", func(branch string) (store.Change, error) {
		return s.ChangeBranch(ctx, branch, w, rev, func(ctx context.Context, tx *store.Transaction, tip *store.Tip) (*store.Draft, error) {
			lost, err := Missing(ctx, s, tip.Commit().ID, c.ID, gone)
			if err != nil {
				return nil, err
			}
			if what = lost.What(); what == "" || dryRun {
				return nil, nil
			}
			return lost.Rejoin(ctx, tx, tip)
		})
	})
	change.Path = what
	return change, err
}

// additions reads entries from where they are: those of segments come as segments, those of live
// files as a live file.
func additions(ctx context.Context, s *store.Store, k store.EntryKind, lost map[[26]byte]lostEntry) (merge.Additions, error) {
	add := merge.Additions{Replace: map[string]bool{}}
	type source struct {
		blob   git.ID
		sealed bool
	}
	from := map[source]map[string]bool{}
	for id, e := range lost {
		at := source{e.blob, e.sealed}
		if from[at] == nil {
			from[at] = map[string]bool{}
		}
		from[at][string(id[:])] = true
		add.Replace[string(id[:])] = true
	}
	var sealed []doc.File
	for at, want := range from {
		picked, err := pick(ctx, s, k, at.blob, want)
		if err != nil {
			return add, err
		}
		if at.sealed {
			sealed = append(sealed, picked)
			continue
		}
		u, err := k.Union(add.Entries, doc.Entries{Live: picked.Data})
		if err != nil {
			return add, err
		}
		add.Entries = doc.Entries{Live: u.Live, Segments: u.Segments}
	}
	add.Entries.Segments = append(add.Entries.Segments, sealed...)
	return add, nil
}

// pick returns a segment with some of the entries of a document.
func pick(ctx context.Context, s *store.Store, k store.EntryKind, blob git.ID, want map[string]bool) (doc.File, error) {
	data, err := s.Repo().Blob(ctx, blob)
	if err != nil {
		return doc.File{}, err
	}
	heads, err := doc.EntryHeads(k.File, data)
	if err != nil {
		return doc.File{}, err
	}
	drop := map[string]bool{}
	for _, h := range heads {
		drop[h.ID] = !want[h.ID]
	}
	left, err := doc.RemoveEntries(k.File, doc.Entries{Segments: []doc.File{{Data: data}}}, drop)
	if err != nil || len(left.Segments) != 1 {
		return doc.File{}, err
	}
	return left.Segments[0], nil
}
