package fsck

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/remake"
	"github.com/git-context/git-context/refs/store"
)

// salvage adds a commit to a branch that was set back which has what is here of the lost tip: steps, commits, topics
// and keys of metadata.yaml that the branch lacks, and topics and keys as they were there. A file that nobody has any
// more must not take others with it. It returns the tip if there is nothing.
func (c *checker) salvage(ctx context.Context, tx *store.Transaction, branch string, lost, base, tip git.ID, expunged doc.Expunged) (git.ID, error) {
	old, left, err := c.remains(ctx, lost)
	if old == nil || err != nil {
		return tip, err
	}
	edit := c.s.Repo().Edit("")
	for path, blob := range left.Files {
		if err := edit.Put(ctx, path, blob); err != nil {
			return "", err
		}
	}
	rest := *old // a commit that no ref leads to
	if rest.Tree, err = edit.Write(ctx); err != nil {
		return "", err
	}
	rest.Parents, rest.Extra = nil, old.Unsigned()
	if rest.ID, err = c.s.Repo().WriteCommit(ctx, &rest); err != nil {
		return "", err
	}
	at, err := c.s.TipAt(ctx, branch, tip)
	if err != nil {
		return "", err
	}
	missing, err := loss.Missing(ctx, c.s, tip, rest.ID, expunged)
	if err != nil {
		return "", err
	}
	draft, err := missing.Restore(ctx, tx, at)
	if err != nil {
		return "", err
	}
	draft.Subject, draft.Restores = "Restore what is here of "+string(lost.Short()), ""
	gone, err := c.removedSince(ctx, lost, base)
	if err == nil {
		err = c.asTheyWere(ctx, draft, at, left, gone)
	}
	if err != nil {
		return "", err
	}
	made, err := tx.WriteObjects(ctx, draft)
	if err != nil {
		return "", err
	}
	if made.Tree == at.Commit().Tree {
		return tip, nil
	}
	return made.ID, nil
}

// remains returns a commit and what is here of its files; nil if it is none, or not here.
func (c *checker) remains(ctx context.Context, id git.ID) (*git.Commit, remake.Remains, error) {
	infos, err := c.s.Repo().Infos(ctx, []git.ID{id})
	if err != nil || infos[0].Type != "commit" {
		return nil, remake.Remains{}, err
	}
	old, err := c.s.Repo().Commit(ctx, id)
	if err != nil {
		return nil, remake.Remains{}, err
	}
	left, err := remake.Left(ctx, c.s.Repo(), old.Tree)
	return old, left, err
}

// removedSince returns the records of removals of the commits from a lost one back to what the branch was set back to; nil if
// that is not on the way.
func (c *checker) removedSince(ctx context.Context, lost, base git.ID) (map[string]bool, error) {
	records := map[string]bool{}
	for at := lost; at != base; {
		n, err := c.s.Repo().Commit(ctx, at)
		if errors.Is(err, git.ErrNotFound) || err == nil && len(n.Parents) == 0 {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		maps.Copy(records, loss.Removed(n))
		at = n.Parents[0]
	}
	return records, nil
}

// asTheyWere gives topics and keys of metadata.yaml the values that they have in the files of a lost commit, and removes
// what was removed before that with a record, see removedSince.
func (c *checker) asTheyWere(ctx context.Context, draft *store.Draft, at *store.Tip, left remake.Remains, gone map[string]bool) error {
	had, err := store.TopicIDs(ctx, at)
	if err != nil {
		return err
	}
	for name := range had {
		path := doc.TopicDir + "/" + name
		if gone[path] && left.Files[path] == "" && !slices.Contains(left.Lost, path) {
			if err := draft.RemoveTopic(ctx, strings.TrimSuffix(name, ".md")); err != nil {
				return err
			}
		}
	}
	for path, blob := range left.Files {
		if doc.KindOf(path) == doc.FileTopic {
			if err := draft.Tree.Put(ctx, path, blob); err != nil {
				return err
			}
		}
	}
	was := doc.NewMetadata()
	if blob := left.Files[doc.MetadataFile]; blob != "" {
		data, err := c.s.Repo().Blob(ctx, blob)
		if err != nil {
			return err
		}
		if was, err = doc.ParseMetadata(data); err != nil {
			return err
		}
	}
	before, err := at.Metadata(ctx)
	if err != nil {
		return err
	}
	return keysAsTheyWere(draft, was, before, gone)
}

func keysAsTheyWere(draft *store.Draft, was, before *doc.Metadata, gone map[string]bool) error {
	keys, err := doc.NewMetadata().Lost(was, false)
	if err != nil {
		return err
	}
	for _, k := range keys {
		now, has, err := draft.Meta.In(k)
		if err == nil && has && !now.Equal(k) {
			_, err = draft.Meta.Unset(k.Path)
		}
		if err != nil {
			return err
		}
	}
	if err := draft.Meta.Restore(keys...); err != nil {
		return err
	}
	removed, err := was.Lost(draft.Meta, false)
	if err != nil {
		return err
	}
	for _, k := range removed {
		if !gone[store.KeyRecord(k.Missing())] && !gone[store.KeyRecord(k.Path)] {
			continue
		}
		if _, err := draft.Meta.Unset(k.Path); err != nil {
			return err
		}
	}
	return draft.RecordRemovedKeys(before)
}

// salvageNotes adds to the notes what is here of notes that were set back.
func (c *checker) salvageNotes(ctx context.Context, u *notes.Update, gone doc.Expunged) error {
	_, left, err := c.remains(ctx, c.notesWere)
	if err != nil {
		return err
	}
	lines := map[git.ID][]byte{}
	for path, blob := range left.Files {
		object := notes.ObjectAt(path)
		if !c.s.Repo().IsID(string(object)) {
			continue
		}
		text, err := c.s.Repo().Blob(ctx, blob)
		if err != nil {
			return err
		}
		lines[object] = append(lines[object], text...)
	}
	if !gone.Empty() {
		lines = expunge.NewRewriter(c.s, gone).CleanLines(lines)
	}
	for object, text := range lines {
		if err := u.Add(ctx, object, text); err != nil {
			return err
		}
	}
	return nil
}
