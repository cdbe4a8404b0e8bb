package fsck

import (
	"context"
	"errors"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/store"
)

// salvage adds a commit to a branch that was set back which has what is here of the lost tip: steps, commits, topics
// and keys of metadata.yaml that the branch lacks, and topics and keys as they were there. A file that nobody has any
// more must not take others with it. It returns the tip if there is nothing.
func (c *checker) salvage(ctx context.Context, tx *store.Transaction, branch string, lost, tip git.ID, gone doc.Expunged) (git.ID, error) {
	old, files, err := c.remains(ctx, lost)
	if old == nil || err != nil {
		return tip, err
	}
	edit := c.s.Repo().Edit("")
	for path, blob := range files {
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
	missing, err := loss.Missing(ctx, c.s, tip, rest.ID, gone)
	if err != nil {
		return "", err
	}
	draft, err := missing.Restore(ctx, tx, at)
	if err != nil {
		return "", err
	}
	draft.Subject, draft.Restores = "Restore what is here of "+string(lost.Short()), ""
	if err := c.asTheyWere(ctx, draft, files); err != nil {
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

// remains returns a commit and its files that are here; nil if it is none, or not here.
func (c *checker) remains(ctx context.Context, id git.ID) (*git.Commit, map[string]git.ID, error) {
	infos, err := c.s.Repo().Infos(ctx, []git.ID{id})
	if err != nil || infos[0].Type != "commit" {
		return nil, nil, err
	}
	old, err := c.s.Repo().Commit(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	files := map[string]git.ID{}
	return old, files, c.readable(ctx, old.Tree, "", files)
}

// readable lists the files below a tree that are here.
func (c *checker) readable(ctx context.Context, tree git.ID, dir string, files map[string]git.ID) error {
	list, err := c.s.Repo().Tree(ctx, tree)
	if errors.Is(err, git.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	ids := make([]git.ID, len(list))
	for i, e := range list {
		ids[i] = e.ID
	}
	infos, err := c.s.Repo().Infos(ctx, ids)
	if err != nil {
		return err
	}
	for i, e := range list {
		switch {
		case infos[i].Type == "blob":
			files[dir+e.Name] = e.ID
		case infos[i].Type == "tree":
			if err := c.readable(ctx, e.ID, dir+e.Name+"/", files); err != nil {
				return err
			}
		}
	}
	return nil
}

// asTheyWere gives topics and keys of metadata.yaml the values that they have in files.
func (c *checker) asTheyWere(ctx context.Context, draft *store.Draft, files map[string]git.ID) error {
	for path, blob := range files {
		if doc.KindOf(path) == doc.FileTopic {
			if err := draft.Tree.Put(ctx, path, blob); err != nil {
				return err
			}
		}
	}
	blob := files[doc.MetadataFile]
	if blob == "" {
		return nil
	}
	data, err := c.s.Repo().Blob(ctx, blob)
	if err != nil {
		return err
	}
	was, err := doc.ParseMetadata(data)
	if err != nil {
		return err
	}
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
	return draft.Meta.Restore(keys...)
}

// salvageNotes adds to the notes what is here of notes that were set back.
func (c *checker) salvageNotes(ctx context.Context, u *notes.Update, gone doc.Expunged) error {
	_, files, err := c.remains(ctx, c.notesWere)
	if err != nil {
		return err
	}
	lines := map[git.ID][]byte{}
	for path, blob := range files {
		object := git.ID(strings.ReplaceAll(path, "/", ""))
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
		withoutExpunged(expunge.NewRewriter(c.s, gone), lines)
	}
	for object, text := range lines {
		if err := u.Add(ctx, object, text); err != nil {
			return err
		}
	}
	return nil
}
