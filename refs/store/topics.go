package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// Remember writes a topic of a branch, as a memory commit of its own. A path
// that is none is fail.ErrInvalid; one that the code does not have makes a warning. A topic
// that was pinned stays so, unless o.Pin says otherwise.
func (s *Store) Remember(ctx context.Context, o TopicOptions) (Change, error) {
	replaced, err := s.CleanValue(ctx, o.Key, &o.Text)
	if err != nil {
		return Change{}, err
	}
	if err := o.check(); err != nil {
		return Change{}, err
	}
	edited, warnings := s.editedOf(ctx, o.Paths)
	t := doc.Topic{Paths: o.Paths, Supersedes: o.Supersedes, Text: o.Text, Edited: edited}
	build := func(ctx context.Context, tx *Transaction, tip *Tip) (*Draft, error) {
		if o.Supersedes != "" {
			if _, err := tip.TopicBlob(ctx, o.Supersedes); err != nil {
				return nil, err
			}
		}
		data, err := tip.OptionalDocument(ctx, doc.TopicPath(o.Key))
		if err != nil {
			return nil, err
		}
		return tx.putTopic(ctx, tip, o.Key, SubjectRemember+o.Key, o.follow(t, data))
	}
	ch, err := OnBranch(ctx, s, o.Branch, func(branch string) (Change, error) {
		return s.ChangeBranch(ctx, branch, o.Writer, o.Key, build)
	})
	if ch.Replaced = replaced; err == nil {
		ch.Warnings = append(append(ch.Warnings, warnings...), s.lackOf(ctx, o.Paths)...)
	}
	return ch, err
}

// check refuses what no topic can be.
func (o TopicOptions) check() error {
	if err := CheckTopic(o.Key); err != nil {
		return err
	}
	if err := checkTopicPaths(o.Paths); err != nil {
		return err
	}
	if o.Supersedes != "" {
		if err := CheckTopic(o.Supersedes); err != nil {
			return err
		}
		if o.Supersedes == o.Key {
			return fail.New(fail.ErrInvalid, fail.TopicKey, fmt.Sprintf("topic '%s' cannot supersede itself", o.Key),
				"git context remember NEWKEY --supersedes "+o.Key)
		}
	}
	if size := len(o.Text); size > MaxStep {
		return fail.New(fail.ErrInvalid, fail.TopicTooLarge, fmt.Sprintf("the topic has %d bytes; at most %d are allowed", size, MaxStep))
	}
	return nil
}

// follow gives a topic the marks that it has from its file so far, nil for none: the pin, and if nothing
// else changes also the others, so that the same again is no change. It needs nothing of a file that
// cannot be read, which it replaces.
func (o TopicOptions) follow(t doc.Topic, data []byte) doc.Topic {
	old, err := doc.ParseTopic(data)
	if data == nil || err != nil {
		old = doc.Topic{}
	}
	t.Pinned = old.Pinned
	if o.Pin != nil {
		t.Pinned = *o.Pin
	}
	if data != nil && t.Text == old.Text && t.Supersedes == old.Supersedes && slices.Equal(t.Paths, old.Paths) {
		t.Confirmed, t.Edited = old.Confirmed, old.Edited
	}
	return t
}

// putTopic makes the commit of a topic; nil if its file is as it was.
func (tx *Transaction) putTopic(ctx context.Context, tip *Tip, key, subject string, t doc.Topic) (*Draft, error) {
	c, err := tx.Follow(ctx, tip, subject)
	if err != nil {
		return nil, err
	}
	data := t.Bytes()
	if err := doc.CheckTopic(data); err != nil { // as others do
		return nil, &fail.Error{Code: fail.TopicTooLarge, Kind: fail.ErrInvalid, Err: err, Message: fmt.Sprintf("topic '%s' has no room", key),
			Hints: []string{"name fewer paths, or a folder"}}
	}
	if err := tx.Put(ctx, c.Tree, doc.TopicPath(key), data); err != nil {
		return nil, err
	}
	if !c.Tree.Changed() {
		return nil, nil
	}
	return c, nil
}

// Forget removes a topic of the current branch. Its history stays.
func (s *Store) Forget(ctx context.Context, w Writer, key string) (Change, error) {
	if err := CheckTopic(key); err != nil {
		return Change{}, err
	}
	return s.changeBranch(ctx, w, key, func(ctx context.Context, tx *Transaction, tip *Tip) (*Draft, error) {
		if _, err := tip.TopicBlob(ctx, key); err != nil {
			return nil, err
		}
		c, err := tx.Follow(ctx, tip, SubjectForget+key)
		if err != nil {
			return nil, err
		}
		return c, c.RemoveTopic(ctx, key)
	})
}

// CheckTopic refuses a key that no topic can have: fail.ErrInvalid.
func CheckTopic(key string) error {
	if err := doc.CheckTopicKey(key); err != nil {
		hint := "git context topics"
		if near := nearKey(key); near != "" {
			hint = fmt.Sprintf("did you mean '%s'?", near)
		}
		return fail.New(fail.ErrInvalid, fail.TopicKey, err.Error(), hint)
	}
	return nil
}

// nearKey returns a key with '-' for each run of what no key can contain; "" where that gives none.
func nearKey(key string) string {
	words := strings.FieldsFunc(strings.ToLower(key), func(r rune) bool {
		return doc.CheckTopicKey("k"+string(r)) != nil
	})
	near := strings.TrimLeft(strings.Join(words, "-"), "-._")
	if doc.CheckTopicKey(near) != nil {
		return ""
	}
	return near
}

// TopicBlob reads the file of a topic; fail.ErrNotFound with the nearest key where there is
// none.
func (tip *Tip) TopicBlob(ctx context.Context, key string) ([]byte, error) {
	data, err := tip.Document(ctx, doc.TopicPath(key))
	if !errors.Is(err, fail.ErrNotFound) {
		return data, err
	}
	ids, err := TopicIDs(ctx, tip)
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(ids))
	for name := range ids {
		keys = append(keys, strings.TrimSuffix(name, ".md"))
	}
	slices.Sort(keys)
	hint, where := "git context topics", fmt.Sprintf("branch '%s'", tip.branch)
	if at := tip.At(); at != nil {
		hint, where = hint+" --at "+at.Commit.Short(), where+" at "+at.Commit.Short()
	}
	if near := doc.Nearest(key, keys); near != "" {
		hint = fmt.Sprintf("did you mean '%s'?", near)
	}
	return nil, fail.New(fail.ErrNotFound, fail.TopicNotFound, fmt.Sprintf("topic '%s' not found in %s", key, where), hint)
}

// TopicOptions are one `remember`.
type TopicOptions struct {
	Writer
	Branch     string // "" for the current one
	Key        string
	Text       string
	Paths      []string // files and folders, from the code's top: clean, with slashes; "." is all of it
	Supersedes string
	Pin        *bool // nil: as it was, which for a new topic is not pinned
}

// Topic is one keyed memory.
type Topic struct {
	Key       string    `json:"key"`
	Agent     string    `json:"agent"`
	UpdatedAt time.Time `json:"updated_at"`
	Commit    git.ID    `json:"commit"` // the memory commit that wrote its current text
	Paths     []string  `json:"paths"`
	Pinned    bool      `json:"pinned"`
	Staleness           // of its paths
	Authored

	Text       string `json:"-"`
	Supersedes string `json:"-"`
	// Edited are those of its paths that had edits without a commit when it was written or confirmed. The
	// first code commit of such an edit does not make the topic stale.
	Edited []string `json:"-"`
}

// Staleness says whether the code that a topic or a commit names is still what it
// was written against. It compares commits, that one and the code's HEAD in this worktree, by the
// ids of files and folders: an edit that is not committed is no change, neither then nor
// now, nor is what became of an edit that a topic was written beside.
type Staleness struct {
	// Stale is nil where it is not known: no path is named or none was ever there, HEAD is
	// unborn, or the code commit is not here (any more).
	Stale   *bool    `json:"stale"`
	Base    *git.ID  `json:"-"` // the code HEAD that it was written on; nil while that was unborn
	Changed []string `json:"-"` // the named paths that changed, in the order of the text; removed ones too
}

// checkTopicPaths refuses what cannot be the path of a file in a commit: the topic would
// never be seen to be stale.
func checkTopicPaths(paths []string) error {
	for _, p := range paths {
		if !fs.ValidPath(p) || strings.ContainsAny(p, "\n\x00") {
			return fail.New(fail.ErrInvalid, fail.TopicPath, fmt.Sprintf("'%s' is no path from the top of the code", prose.OneLine(p, 200)),
				"git ls-files --full-name")
		}
	}
	return nil
}

// lackOf says which paths of a topic are not there: misspelled, or still to be written. It
// stops nothing. What is in the worktree is not looked for in HEAD, which may take
// a child.
func (s *Store) lackOf(ctx context.Context, paths []string) (warnings []string) {
	if len(paths) == 0 {
		return nil
	}
	head, err := s.CodeHead(ctx)
	if err == nil && head == "" {
		return []string{"the code has no commit yet: the topic cannot become stale until it is remembered again"}
	}
	var wanted []git.CommitPath
	for _, p := range paths {
		if !s.inWorkTree(p) {
			wanted = append(wanted, git.CommitPath{Commit: head, Path: p})
		}
	}
	var found map[git.CommitPath]git.TreeEntry
	if err == nil {
		found, err = s.repo.Paths(ctx, wanted)
	}
	if err != nil {
		return []string{"cannot tell whether the code has the topic's paths: " + err.Error()}
	}
	for _, w := range wanted {
		if _, ok := found[w]; !ok {
			warnings = append(warnings, fmt.Sprintf("path '%s' is neither in the worktree nor in the code's HEAD: the topic becomes stale when a commit adds it", w.Path))
		}
	}
	return warnings
}

func (s *Store) inWorkTree(p string) bool {
	top := s.repo.WorkTree()
	if top == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(top, filepath.FromSlash(p)))
	return err == nil
}

// The subjects of memory commits that change no topic's text, in front of its key. History dates a
// topic by the commit before a pin.
const (
	SubjectRemember = "Remember " // but this one writes a text
	SubjectPin      = "Pin "
	SubjectUnpin    = "Unpin "
	SubjectConfirm  = "Confirm "
	SubjectForget   = "Forget " // but this one removes it
)

// Pin pins a topic of the current branch, or removes its pin. Its text, its author and the code
// commit that it is compared with stay. fail.ErrNotFound: there is no such topic.
func (s *Store) Pin(ctx context.Context, w Writer, key string, pinned bool) (Change, error) {
	subject := SubjectUnpin
	if pinned {
		subject = SubjectPin
	}
	return s.markTopic(ctx, w, key, subject+key, func(t *doc.Topic) bool {
		changed := t.Pinned != pinned
		t.Pinned = pinned
		return changed
	})
}

// Confirm says that a topic is true of the code as it is now: from here on it is compared with the
// present code commit. Its text and paths stay. fail.ErrNotFound: there is no such topic;
// fail.ErrRefused: the code has no commit yet.
func (s *Store) Confirm(ctx context.Context, w Writer, key string) (Change, error) {
	code, err := s.CodeHead(ctx)
	if err != nil {
		return Change{}, err
	}
	if code == "" {
		return Change{}, fail.New(fail.ErrRefused, fail.CodeUnborn,
			"the code has no commit on this branch yet: there is nothing to confirm the topic for", "git commit")
	}
	var warnings []string
	ch, err := s.markTopic(ctx, w, key, SubjectConfirm+key, func(t *doc.Topic) bool {
		var edited []string
		edited, warnings = s.editedOf(ctx, t.Paths)
		t.Confirmed, t.Edited = string(code), edited
		return true
	})
	ch.Warnings = append(ch.Warnings, warnings...)
	return ch, err
}

// markTopic changes the marks of a topic, in a memory commit of its own. mark reports whether it
// changed one; it is called again if another writer was faster.
func (s *Store) markTopic(ctx context.Context, w Writer, key, subject string, mark func(*doc.Topic) bool) (Change, error) {
	if err := CheckTopic(key); err != nil {
		return Change{}, err
	}
	return s.changeBranch(ctx, w, key, func(ctx context.Context, tx *Transaction, tip *Tip) (*Draft, error) {
		data, err := tip.TopicBlob(ctx, key)
		if err != nil {
			return nil, err
		}
		t, err := doc.ParseTopic(data)
		if err != nil {
			return nil, fmt.Errorf("topic '%s' of branch '%s': %w", key, tip.Name(), err)
		}
		if !mark(&t) {
			return nil, nil
		}
		return tx.putTopic(ctx, tip, key, subject, t)
	})
}

// editedOf returns those of a topic's paths that have edits without a commit. What cannot be found out
// stops nothing.
func (s *Store) editedOf(ctx context.Context, paths []string) (edited, warnings []string) {
	edited, err := s.repo.EditedOf(ctx, paths)
	if err != nil {
		return nil, []string{"cannot tell whether the topic's paths are being edited: " + err.Error()}
	}
	return edited, nil
}
