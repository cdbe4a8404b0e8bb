package git

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The modes of entries in a memory's trees.
const (
	ModeBlob uint32 = 0o100644
	ModeTree uint32 = 0o040000
)

// TreeEntry is one name in a tree.
type TreeEntry struct {
	Mode uint32
	Name string
	ID   ID
}

// IsTree reports whether the entry is a directory.
func (e TreeEntry) IsTree() bool { return e.Mode == ModeTree }

// ParseTree reads the content of a tree object whose ids are hashLen bytes long (20 or
// 32). Modes, names and order are not checked: a tree that came from elsewhere may contain
// anything.
func ParseTree(data []byte, hashLen int) ([]TreeEntry, error) {
	var entries []TreeEntry
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		if space < 0 {
			return nil, errors.New("tree is malformed: no mode")
		}
		mode, err := strconv.ParseUint(string(data[:space]), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("tree is malformed: bad mode '%s'", Shown(string(data[:space])))
		}
		data = data[space+1:]
		end := bytes.IndexByte(data, 0)
		if end < 0 || len(data) < end+1+hashLen {
			return nil, errors.New("tree is malformed: cut short")
		}
		entries = append(entries, TreeEntry{
			Mode: uint32(mode),
			Name: string(data[:end]),
			ID:   ID(hex.EncodeToString(data[end+1 : end+1+hashLen])),
		})
		data = data[end+1+hashLen:]
	}
	return entries, nil
}

// encodeTree writes the content of a tree object, its entries in git's order: a
// directory sorts as if its name ended in a slash.
func encodeTree(entries []TreeEntry, hexLen int) ([]byte, error) {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b TreeEntry) int { return strings.Compare(a.sortName(), b.sortName()) })
	var out []byte
	names := make(map[string]bool, len(sorted))
	for _, e := range sorted {
		if err := e.check(hexLen); err != nil {
			return nil, err
		}
		if names[e.Name] {
			return nil, fmt.Errorf("tree has two entries '%s'", Shown(e.Name))
		}
		names[e.Name] = true
		out = strconv.AppendUint(out, uint64(e.Mode), 8)
		out = append(append(append(out, ' '), e.Name...), 0)
		var err error
		if out, err = hex.AppendDecode(out, []byte(e.ID)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (e TreeEntry) sortName() string {
	if e.IsTree() {
		return e.Name + "/"
	}
	return e.Name
}

// check refuses what git's fsck would complain of.
func (e TreeEntry) check(hexLen int) error {
	switch {
	case e.Name == "" || e.Name == "." || e.Name == ".." ||
		strings.EqualFold(e.Name, ".git") || strings.ContainsAny(e.Name, "/\x00"):
		return fmt.Errorf("bad name '%s' in a tree", Shown(e.Name))
	case !isHex(string(e.ID), hexLen) || e.ID.IsZero():
		return fmt.Errorf("bad object id '%s' for '%s' in a tree", Shown(string(e.ID)), Shown(e.Name))
	}
	return nil
}

// CompareEntries orders two entries as git does, in which a folder sorts as if its
// name ended in a slash. It is 0 for two of one name that both are folders, or both
// not.
func CompareEntries(a, b TreeEntry) int {
	n := min(len(a.Name), len(b.Name))
	if c := strings.Compare(a.Name[:n], b.Name[:n]); c != 0 {
		return c
	}
	if c := cmp.Compare(a.sortByte(n), b.sortByte(n)); c != 0 {
		return c
	}
	return cmp.Compare(len(a.Name), len(b.Name))
}

// sortByte is a byte of the name that an entry sorts by; 0 behind its end.
func (e TreeEntry) sortByte(i int) byte {
	switch {
	case i < len(e.Name):
		return e.Name[i]
	case e.IsTree():
		return '/'
	}
	return 0
}

// Edit is a tree in the making: an existing one with some paths replaced. It
// reads a directory when a path first leads into it and writes only those that
// changed, so that a change costs its own depth whatever the size of the tree.
// An Edit is for one goroutine.
type Edit struct {
	repo    *Repo
	id      ID // "" for a directory that does not exist yet
	loaded  bool
	dirty   bool
	had     int // the number of entries that were loaded
	entries []TreeEntry
	at      map[string]int // where a name is, once many were added; nil: not known
	added   int
	subs    map[string]*Edit
}

// Edit begins with the tree of that name, or with an empty one for "".
func (r *Repo) Edit(tree ID) *Edit { return &Edit{repo: r, id: tree} }

// Changed reports whether anything was put or removed.
func (e *Edit) Changed() bool { return e.dirty }

// Entry finds a path. ok is false where it does not exist.
func (e *Edit) Entry(ctx context.Context, path string) (entry TreeEntry, ok bool, err error) {
	if err := e.load(ctx); err != nil {
		return TreeEntry{}, false, err
	}
	dir, rest, deeper := strings.Cut(path, "/")
	if !deeper {
		if i := e.index(dir); i >= 0 {
			return e.entries[i], true, nil
		}
		return TreeEntry{}, false, nil
	}
	sub := e.sub(dir)
	if sub == nil {
		return TreeEntry{}, false, nil
	}
	return sub.Entry(ctx, rest)
}

// Put sets a path to a blob, making the directories that lead to it.
func (e *Edit) Put(ctx context.Context, path string, blob ID) error {
	if err := e.load(ctx); err != nil {
		return err
	}
	dir, rest, deeper := strings.Cut(path, "/")
	i := e.index(dir)
	switch {
	case !deeper && i >= 0:
		if e.entries[i].ID == blob && e.entries[i].Mode == ModeBlob {
			return nil
		}
		delete(e.subs, dir)
		e.entries[i] = TreeEntry{Mode: ModeBlob, Name: dir, ID: blob}
	case !deeper:
		e.add(TreeEntry{Mode: ModeBlob, Name: dir, ID: blob})
	default:
		sub := e.sub(dir)
		if sub == nil {
			if i >= 0 {
				return fmt.Errorf("'%s' is not a directory", dir)
			}
			e.add(TreeEntry{Mode: ModeTree, Name: dir})
			sub = e.keep(dir, &Edit{repo: e.repo})
		}
		if err := sub.Put(ctx, rest, blob); err != nil {
			return err
		}
		e.dirty = e.dirty || sub.dirty
		return nil
	}
	e.dirty = true
	return nil
}

// Remove takes a path away, and every directory that this leaves empty. It is no error
// where the path does not exist.
func (e *Edit) Remove(ctx context.Context, path string) error {
	if err := e.load(ctx); err != nil {
		return err
	}
	dir, rest, deeper := strings.Cut(path, "/")
	i := e.index(dir)
	if i < 0 {
		return nil
	}
	if deeper {
		sub := e.sub(dir)
		if sub == nil {
			return nil
		}
		if err := sub.Remove(ctx, rest); err != nil {
			return err
		}
		e.dirty = e.dirty || sub.dirty
		if len(sub.entries) > 0 {
			return nil
		}
	}
	delete(e.subs, dir)
	e.entries = append(e.entries[:i:i], e.entries[i+1:]...)
	e.at, e.added = nil, 0
	e.dirty = true
	return nil
}

// List is the entries of a directory ("" for the root), nil where there is none.
func (e *Edit) List(ctx context.Context, dir string) ([]TreeEntry, error) {
	if err := e.load(ctx); err != nil || dir == "" {
		return e.entries, err
	}
	first, rest, _ := strings.Cut(dir, "/")
	sub := e.sub(first)
	if sub == nil {
		return nil, nil
	}
	return sub.List(ctx, rest)
}

// MaxTree is the largest size in bytes of a tree of memory: some 60,000 topics or 100,000 notes in one folder.
const MaxTree = 8 << 20

// ErrTreeTooLarge: a directory would grow beyond [MaxTree].
var ErrTreeTooLarge = errors.New("has too many entries")

// checkSize refuses a directory that has grown beyond MaxTree.
func (e *Edit) checkSize() error {
	size := 0
	for i := range e.entries {
		size += len("100644 ") + len(e.entries[i].Name) + len("\x00") + e.repo.hexLen()/2
	}
	if size <= MaxTree || len(e.entries) <= e.had {
		return nil
	}
	return fmt.Errorf("a folder %w: it would have %d bytes, at most %d are allowed", ErrTreeTooLarge, size, MaxTree)
}

// Write stores the directories that changed, the deepest first, and returns the
// name of the whole tree. ErrTreeTooLarge: see [MaxTree].
func (e *Edit) Write(ctx context.Context) (ID, error) { return e.write(ctx, e.repo.WriteTree) }

// Hold is Write, but stores nothing: see [Repo.HoldBlob].
func (e *Edit) Hold(ctx context.Context) (ID, error) { return e.write(ctx, e.repo.holdTree) }

func (e *Edit) write(ctx context.Context, store func(context.Context, []TreeEntry) (ID, error)) (ID, error) {
	if !e.dirty && e.id != "" {
		return e.id, nil
	}
	for name, sub := range e.subs {
		if !sub.dirty {
			continue
		}
		id, err := sub.write(ctx, store)
		if err != nil {
			return "", err
		}
		e.entries[e.index(name)].ID = id
	}
	if err := e.checkSize(); err != nil {
		return "", err
	}
	id, err := store(ctx, e.entries)
	if err != nil {
		return "", err
	}
	e.id, e.dirty = id, false
	return id, nil
}

func (e *Edit) load(ctx context.Context) error {
	if e.loaded || e.id == "" {
		e.loaded = true
		return nil
	}
	entries, err := e.repo.Tree(ctx, e.id)
	if err != nil {
		return err
	}
	e.entries, e.loaded, e.had = entries, true, len(entries)
	return nil
}

// fewAdded is after how many added names a directory gets an index.
const fewAdded = 64

func (e *Edit) index(name string) int {
	if e.at == nil && e.added > fewAdded {
		e.at = make(map[string]int, len(e.entries))
		for i := range e.entries {
			e.at[e.entries[i].Name] = i
		}
	}
	if e.at != nil {
		if i, there := e.at[name]; there {
			return i
		}
		return -1
	}
	for i := range e.entries {
		if e.entries[i].Name == name {
			return i
		}
	}
	return -1
}

// add appends an entry whose name is not there.
func (e *Edit) add(entry TreeEntry) {
	if e.at != nil {
		e.at[entry.Name] = len(e.entries)
	}
	e.entries = append(e.entries, entry)
	e.added++
}

// sub returns the directory of a name, nil where there is none. It is not loaded yet.
func (e *Edit) sub(name string) *Edit {
	if s := e.subs[name]; s != nil {
		return s
	}
	i := e.index(name)
	if i < 0 || e.entries[i].Mode != ModeTree {
		return nil
	}
	return e.keep(name, &Edit{repo: e.repo, id: e.entries[i].ID})
}

func (e *Edit) keep(name string, s *Edit) *Edit {
	if e.subs == nil {
		e.subs = map[string]*Edit{}
	}
	e.subs[name] = s
	return s
}
