package notes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/git"
)

// Read returns the note of an object; nil if it has none.
func Read(ctx context.Context, repo *git.Repo, object git.ID) ([]byte, error) {
	r, err := Open(ctx, repo)
	if err != nil {
		return nil, err
	}
	return r.Read(ctx, object)
}

// Reader reads notes as they were when it was opened. One goroutine may use it.
type Reader struct {
	repo *git.Repo
	tree *git.Edit
}

// Open reads the notes ref, once for several notes.
func Open(ctx context.Context, repo *git.Repo) (*Reader, error) {
	tree, _, err := open(ctx, repo)
	return &Reader{repo, tree}, err
}

// At opens a tree of notes.
func At(repo *git.Repo, tree git.ID) *Reader { return &Reader{repo, repo.Edit(tree)} }

// Read returns the note of an object; nil if it has none.
func (r *Reader) Read(ctx context.Context, object git.ID) ([]byte, error) {
	note, _, err := find(ctx, r.repo, r.tree, object)
	return note, err
}

// Blob returns the blob of an object's note; "" if it has none.
func (r *Reader) Blob(ctx context.Context, object git.ID) (git.ID, error) {
	blob, _, err := locate(ctx, r.tree, object)
	return blob, err
}

// Update is a notes commit in preparation: the content of the notes ref with lines added to
// some objects. One goroutine may use it.
type Update struct {
	// Kept counts the lines that Unite kept although the other notes, which have ours in their
	// history, lack them, and those of Keep.
	Kept int

	// Full are the objects whose notes had no room for lines of Unite, Restore or TryAdd, and stayed as they were.
	Full map[git.ID]bool

	// Behind says that Unite left the notes behind the others, which have ours in their history: these are different
	// only where there is no room, and a commit for each sync of each clone would bring nothing.
	Behind bool

	repo     *git.Repo
	tree     *git.Edit
	old      git.ID            // the notes ref's value that the update is based on; "" for none
	lost     map[git.ID][]byte // see Keep
	theirs   []git.ID          // the notes commits that were united with it
	existing git.ID            // if not "": an existing commit that contains the whole update and more history

	// texts are the changed notes by path. They are written at the end: writing one twice
	// would leave its first blob unreferenced.
	texts map[string][]byte
}

// Begin reads the notes ref. The caller must own the lock [LockName].
func Begin(ctx context.Context, repo *git.Repo) (*Update, error) {
	tree, old, err := open(ctx, repo)
	if err != nil {
		return nil, err
	}
	return &Update{repo: repo, tree: tree, old: old, texts: map[string][]byte{}, Full: map[git.ID]bool{}}, nil
}

// Note returns an object's note with the lines added so far; nil if it has none.
func (u *Update) Note(ctx context.Context, object git.ID) ([]byte, error) {
	note, _, err := u.find(ctx, object)
	return note, err
}

// HasKind reports whether an object's note contains a fact of a kind.
func (u *Update) HasKind(ctx context.Context, object git.ID, kind string) (bool, error) {
	note, _, err := u.find(ctx, object)
	for _, f := range Parse(note) {
		if f.Kind == kind {
			return true, err
		}
	}
	return false, err
}

// Add adds lines (each ending in a newline) to an object's note. Existing lines are not
// repeated. ErrTooLarge: the note has no room, and stays as it is.
func (u *Update) Add(ctx context.Context, object git.ID, lines []byte) error {
	return u.join(ctx, object, lines, Union)
}

// join replaces an object's note by what union makes of it and of lines.
func (u *Update) join(ctx context.Context, object git.ID, lines []byte, union func(have, lines []byte) []byte) error {
	have, path, err := u.find(ctx, object)
	if err != nil {
		return err
	}
	text := union(have, lines)
	if bytes.Equal(text, have) {
		return nil
	}
	if !Fits(text) {
		return fmt.Errorf("%w: '%s' has %d lines and %d bytes, at most %d and %d are allowed", ErrTooLarge,
			object, Lines(text), len(text), MostLines+RoomLines, MostBytes+RoomBytes)
	}
	u.texts[path] = text
	return nil
}

// TryAdd is Add that leaves the note as it is if it has no room, so that a full note keeps no other from its lines.
func (u *Update) TryAdd(ctx context.Context, object git.ID, lines []byte) error {
	return u.orFull(object, u.Add(ctx, object, lines))
}

// orFull takes a note without room for an object that stays as it is.
func (u *Update) orFull(object git.ID, err error) error {
	if errors.Is(err, ErrTooLarge) {
		u.Full[object] = true
		return nil
	}
	return err
}

// changed reports whether anything was added or removed.
func (u *Update) changed() bool { return len(u.texts) > 0 || u.tree.Changed() }

// The bounds of a note. The facts about one commit are a dozen lines, and each view of it parses them all. A writer
// fills a note up to MostLines and MostBytes. The union of two may be larger by RoomLines and RoomBytes, so that lines that
// were written here can be added to a full note. Every other repository takes in what a union makes.
const (
	MostLines = 10_000
	MostBytes = 32 << 20
	RoomLines = 1_000
	RoomBytes = 1 << 20
)

// ErrTooLarge: a note would have more than its bounds with the room for a union.
var ErrTooLarge = errors.New("a note would be too large")

// Lines counts the lines of a note.
func Lines(note []byte) int { return bytes.Count(note, []byte{'\n'}) }

// Fits reports whether every other repository takes a note in.
func Fits(note []byte) bool {
	return Lines(note) <= MostLines+RoomLines && len(note) <= MostBytes+RoomBytes
}

// write stores the notes and returns their tree.
func (u *Update) write(ctx context.Context) (git.ID, error) {
	for _, path := range slices.Sorted(maps.Keys(u.texts)) {
		id, err := u.repo.WriteBlob(ctx, u.texts[path])
		if err != nil {
			return "", err
		}
		if err := u.tree.Put(ctx, path, id); err != nil {
			return "", err
		}
	}
	clear(u.texts)
	return u.tree.Write(ctx)
}

// Keep stores a commit and returns it as it was stored, signed if the caller signs.
type Keep func(context.Context, *git.Commit) (*git.Commit, error)

// Queue writes the notes commit, which keep stores, and queues the update of the ref. It reports
// false if nothing changed.
func (u *Update) Queue(ctx context.Context, tx *git.Tx, by git.Signature, subject string, keep Keep) (bool, error) {
	if u.existing != "" {
		tx.Update(git.NotesRef, u.existing, u.old)
		return true, nil
	}
	if !u.changed() && len(u.theirs) == 0 {
		return false, nil
	}
	tree, err := u.write(ctx)
	if err != nil {
		return false, err
	}
	c := &git.Commit{Tree: tree, Author: by, Committer: by, Message: subject + "\n"}
	if u.old != "" {
		c.Parents = []git.ID{u.old}
	}
	c.Parents = append(c.Parents, u.theirs...)
	kept, err := keep(ctx, c)
	if err != nil {
		return false, err
	}
	tx.Update(git.NotesRef, kept.ID, u.old)
	return true, nil
}

// open reads the notes ref: an empty tree and no commit if it does not exist.
func open(ctx context.Context, repo *git.Repo) (*git.Edit, git.ID, error) {
	tip, err := repo.Ref(ctx, git.NotesRef)
	if errors.Is(err, git.ErrNotFound) {
		return repo.Edit(""), "", nil
	}
	if err != nil {
		return nil, "", err
	}
	c, err := repo.Commit(ctx, tip)
	if err != nil {
		return nil, "", fmt.Errorf("read %s: %w", git.NotesRef, err)
	}
	return repo.Edit(c.Tree), tip, nil
}

// find is the function of the same name, including notes that are not written yet.
func (u *Update) find(ctx context.Context, object git.ID) (note []byte, path string, err error) {
	for _, path := range notePaths(object) {
		if text, ok := u.texts[path]; ok {
			return text, path, nil
		}
	}
	return find(ctx, u.repo, u.tree, object)
}

// find returns an object's note and its path, in whatever fan-out git left it; without a
// note, the path at which to write it.
func find(ctx context.Context, repo *git.Repo, tree *git.Edit, object git.ID) (note []byte, path string, err error) {
	blob, path, err := locate(ctx, tree, object)
	if err != nil || blob == "" {
		return nil, path, err
	}
	note, err = repo.Blob(ctx, blob)
	return note, path, err
}

// locate is find that returns the note's blob, "" for none.
func locate(ctx context.Context, tree *git.Edit, object git.ID) (blob git.ID, path string, err error) {
	for _, path := range notePaths(object) {
		entry, ok, err := tree.Entry(ctx, path)
		if err != nil {
			return "", "", err
		}
		if ok && entry.Mode != git.ModeTree {
			return entry.ID, path, nil
		}
	}
	return "", notePaths(object)[0], nil
}

// notePaths returns the paths at which a note may be. It is written at the first.
func notePaths(object git.ID) [3]string {
	name := string(object)
	return [...]string{name[:fanout] + "/" + name[fanout:], name, name[:2] + "/" + name[2:4] + "/" + name[4:]}
}

// fanout is the number of digits of an object's name that form the directory.
const fanout = 2
