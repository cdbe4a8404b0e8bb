package notes

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// Lost returns, by object, the lines that the notes commit before contains and the commit
// after, which replaced it, lacks, without those that the update contains. A writer that
// does not check the old value of the ref loses such lines. A line that was removed
// deliberately is not among them if the removal was based on before.
func (u *Update) Lost(ctx context.Context, before, after git.ID) (map[git.ID][]byte, error) {
	return lost(ctx, u.repo, before, after, u.Note)
}

// lost returns, by object, the lines of the notes commit before that neither the commit after nor
// other contain; other may be nil.
func lost(ctx context.Context, repo *git.Repo, before, after git.ID,
	other func(context.Context, git.ID) ([]byte, error)) (map[git.ID][]byte, error) {
	was, err := repo.Commit(ctx, before)
	if err != nil {
		return nil, err
	}
	now, err := repo.Commit(ctx, after)
	if err != nil {
		return nil, err
	}
	l := &lostLines{repo: repo, now: repo.Edit(now.Tree), other: other, lost: map[git.ID][]byte{}}
	return l.lost, eachChanged(ctx, repo, l.now, "", was.Tree, func(path string, blob git.ID) error {
		return l.note(ctx, ObjectAt(path), blob)
	})
}

// lostLines is a search for lost lines.
type lostLines struct {
	repo  *git.Repo
	now   *git.Edit // the tree that replaced the old one
	other func(context.Context, git.ID) ([]byte, error)
	lost  map[git.ID][]byte
}

// note finds the lines that the versions of one note have lost. There may be as many versions as commits: the note of now is read once
// for all.
func (l *lostLines) note(ctx context.Context, object git.ID, versions ...git.ID) error {
	if !git.IsID(string(object)) { // not a note
		return nil
	}
	present, _, err := find(ctx, l.repo, l.now, object)
	if err != nil {
		return err
	}
	if l.other != nil {
		more, err := l.other(ctx, object)
		if err != nil {
			return err
		}
		present = Union(present, more)
	}
	all := newUnion(present)
	for _, blob := range versions {
		before, err := l.repo.Blob(ctx, blob)
		if err != nil {
			return err
		}
		all.add(before)
	}
	if lines := bytes.TrimPrefix(all.note, present); len(lines) > 0 {
		l.lost[object] = Union(l.lost[object], bytes.TrimPrefix(lines, []byte("\n")))
	}
	return nil
}

// Keep has Unite add lines, too, that the commits of the other notes have lost, where there is room beside what these have now.
func (u *Update) Keep(lost map[git.ID][]byte) { u.lost = lost }

// addLost adds the lines of Keep, and counts those that are new here in Kept.
func (u *Update) addLost(ctx context.Context) error {
	for object, lines := range u.lost {
		have, err := u.Note(ctx, object)
		if err != nil {
			return err
		}
		more := bytes.TrimPrefix(Union(have, lines), have)
		err = u.join(ctx, object, lines, inOrder)
		if errors.Is(err, ErrTooLarge) { // fsck says so
			continue
		}
		if err != nil {
			return err
		}
		u.Kept += Lines(bytes.TrimPrefix(more, []byte("\n")))
	}
	return nil
}

// Restore adds lost lines where there is room, and makes the commit that contained them a parent of the new
// notes commit. So removing them later is not mistaken for lostLines them.
func (u *Update) Restore(ctx context.Context, lost map[git.ID][]byte, from git.ID) error {
	for object, lines := range lost {
		if err := u.TryAdd(ctx, object, lines); err != nil {
			return err
		}
	}
	if from != "" {
		u.theirs = append(u.theirs, from)
	}
	return nil
}

// Join moves the text of an object's notes from the given paths of the tree to its proper path. git reads all of them, this
// package only one, which comes first and stays where the note has no room for the others: then the object is one of Full.
// Join must be called before Add.
func (u *Update) Join(ctx context.Context, object git.ID, paths []string) error {
	places := notePaths(object)
	rank := func(path string) int { // as find reads them
		if i := slices.Index(places[:], path); i >= 0 {
			return i
		}
		return len(places)
	}
	paths = slices.SortedFunc(slices.Values(paths), func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) })
	var texts [][]byte
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
		texts = append(texts, lines)
	}
	for _, lines := range texts {
		if err := u.TryAdd(ctx, object, lines); err != nil {
			return err
		}
	}
	return nil
}

// Removed returns, by object, the lines that a commit in the history of the notes commit tip
// contains and tip lacks; with since, of the commits that since does not lead to, and their parents. It costs one git log over
// that history, and reads the notes that ever changed.
func Removed(ctx context.Context, repo *git.Repo, tip, since git.ID) (map[git.ID][]byte, error) {
	args := []string{"log", "--format=", "--raw", "-m", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--diff-filter=DM", "--end-of-options", string(tip)}
	if since != "" {
		args = append(args, "^"+string(since))
	}
	out, err := repo.View(ctx, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	before := map[git.ID][]git.ID{} // the notes of an object that a commit changed or removed
	known := map[[2]git.ID]bool{}   // of before: of one object there may be as many as commits
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(fields[i])
		object := ObjectAt(fields[i+1])
		if len(f) != 5 || !git.IsID(string(object)) {
			continue
		}
		if at := [2]git.ID{object, git.ID(f[2])}; !known[at] {
			known[at] = true
			before[object] = append(before[object], at[1])
		}
	}
	if len(before) == 0 {
		return nil, nil
	}
	c, err := repo.Commit(ctx, tip)
	if err != nil {
		return nil, err
	}
	l := &lostLines{repo: repo, now: repo.Edit(c.Tree), lost: map[git.ID][]byte{}}
	for object, blobs := range before {
		if err := l.note(ctx, object, blobs...); err != nil {
			return nil, err
		}
	}
	return l.lost, nil
}
