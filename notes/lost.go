package notes

import (
	"bytes"
	"context"

	"github.com/git-context/git-context/refs/git"
)

// Lost returns, by object, the lines that the notes commit before contains and the commit
// after, which replaced it, lacks, without those that the update contains. A writer that
// does not check the old value of the ref loses such lines. A line that was removed
// deliberately is not among them if the removal was based on before.
func (u *Update) Lost(ctx context.Context, before, after git.ID) (map[git.ID][]byte, error) {
	was, err := u.repo.Commit(ctx, before)
	if err != nil {
		return nil, err
	}
	now, err := u.repo.Commit(ctx, after)
	if err != nil {
		return nil, err
	}
	l := &lostLines{u: u, now: u.repo.Edit(now.Tree), lost: map[git.ID][]byte{}}
	return l.lost, eachChanged(ctx, u.repo, l.now, "", was.Tree, func(object, blob git.ID) error {
		return l.note(ctx, object, blob)
	})
}

// lostLines is a search for lost lines.
type lostLines struct {
	u    *Update
	now  *git.Edit // the tree that replaced the old one
	lost map[git.ID][]byte
}

// note finds the lines that one note lost.
func (l *lostLines) note(ctx context.Context, object, blob git.ID) error {
	if !git.IsID(string(object)) { // not a note
		return nil
	}
	before, err := l.u.repo.Blob(ctx, blob)
	if err != nil {
		return err
	}
	now, _, err := find(ctx, l.u.repo, l.now, object)
	if err != nil {
		return err
	}
	newest, err := l.u.Note(ctx, object)
	if err != nil {
		return err
	}
	present := Union(now, newest)
	if lines := bytes.TrimPrefix(Union(present, before), present); len(lines) > 0 {
		l.lost[object] = bytes.TrimPrefix(lines, []byte("\n"))
	}
	return nil
}

// Restore adds lost lines, and makes the commit that contained them a parent of the new
// notes commit. So removing them later is not mistaken for lostLines them.
func (u *Update) Restore(ctx context.Context, lost map[git.ID][]byte, from git.ID) error {
	for object, lines := range lost {
		if err := u.Add(ctx, object, lines); err != nil {
			return err
		}
	}
	if from != "" {
		u.theirs = append(u.theirs, from)
	}
	return nil
}

// Join moves the text of an object's note from the given paths of the tree to its proper
// path. git reads all of them, this package only the first. Join must be called before Add.
func (u *Update) Join(ctx context.Context, object git.ID, paths []string) error {
	for _, path := range paths {
		entry, ok, err := u.tree.Entry(ctx, path)
		if err != nil {
			return err
		}
		if !ok || entry.IsTree() {
			continue
		}
		lines, err := u.repo.Blob(ctx, entry.ID)
		if err != nil {
			return err
		}
		if err := u.tree.Remove(ctx, path); err != nil {
			return err
		}
		if err := u.Add(ctx, object, lines); err != nil {
			return err
		}
	}
	return nil
}
