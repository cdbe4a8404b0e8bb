package loss

import (
	"bytes"
	"context"
	"hash/maphash"
	"maps"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/store"
)

// Key identifies an entry with its content.
type Key struct {
	ID  [26]byte
	Sum uint64 // of its text and its origin, by SumOf
}

// seed is one for the process, so that sums of several searches can be compared.
var seed = maphash.MakeSeed()

// SumOf returns the sum of an entry's content.
func SumOf(h doc.EntryHead, text []byte) uint64 {
	return maphash.Bytes(seed, text) ^ maphash.String(seed, h.Origin)
}

// Entries are the entries of documents, as package incoming reads them: some 40 bytes for each
// entry of each version of a document. The zero value has none.
type Entries struct{ of map[docKey][]Key }

// Of returns the entries of a document that was read.
func (e *Entries) Of(file string, blob git.ID) ([]Key, bool) {
	keys, ok := e.of[docKey{file, blob}]
	return keys, ok
}

// Log records the entries of a log.md or of a segment of one.
func (e *Entries) Log(f incoming.File, data []byte, _ []doc.Step) { e.add(doc.LogFile, f.ID, data) }

// CommitFile records the entries of a commit.md or of a segment of one.
func (e *Entries) CommitFile(f incoming.File, data []byte, _ []doc.Commit) {
	e.add(doc.CommitFile, f.ID, data)
}

// Message does nothing.
func (e *Entries) Message(*incoming.Commit, *git.Commit) {}

// Note does nothing.
func (e *Entries) Note(incoming.File, []byte) {}

func (e *Entries) add(file string, blob git.ID, data []byte) {
	if e.of == nil {
		e.of = map[docKey][]Key{}
	}
	if keys, err := keysOf(file, data); err == nil { // it was parsed already
		e.of[docKey{file, blob}] = keys
	}
}

// keysOf lists the entries of a document.
func keysOf(file string, data []byte) ([]Key, error) {
	keys := []Key{}
	err := doc.EachEntry(file, data, func(h doc.EntryHead, text []byte) {
		keys = append(keys, Key{[26]byte([]byte(h.ID)), SumOf(h, text)})
	})
	return keys, err
}

// docKey is a document or a segment, read as one kind.
type docKey struct {
	file string
	blob git.ID
}

// keptKeys and keptNames are how many entries of documents, and how many names of trees, a search keeps: some 40
// and 150 bytes each, twice. A document and a tree take something themselves.
const (
	keptKeys  = 512 << 10
	keptNames = 128 << 10
	ofEach    = 4
)

// keys lists the entries of a document.
func (f *finder) keys(ctx context.Context, file string, blob git.ID) ([]Key, error) {
	if f.Keys != nil {
		if keys, ok := f.Keys(file, blob); ok {
			return keys, nil
		}
	}
	at := docKey{file, blob}
	if keys, ok := f.docs.get(at); ok {
		return keys, nil
	}
	data, err := f.s.Repo().Blob(ctx, blob)
	if err != nil {
		return nil, err
	}
	keys, err := keysOf(file, data)
	if err != nil {
		return nil, err
	}
	f.docs.put(at, keys)
	return keys, nil
}

// files are documents that a tree has at places where another one has others: by path.
type files map[string]git.ID

// differ returns the files of a kind of document that one tree alone has, and those that the
// other alone has. What both have at the same path is not opened.
func (f *finder) differ(ctx context.Context, k store.EntryKind, now, before git.ID) (came, left files, err error) {
	came, left = files{}, files{}
	var walk func(path string, a, b git.ID) error
	walk = func(path string, a, b git.ID) error {
		x, err := f.list(ctx, a)
		if err != nil {
			return err
		}
		y, err := f.list(ctx, b)
		if err != nil {
			return err
		}
		names := maps.Clone(x)
		maps.Copy(names, y)
		for name := range names {
			e, g := x[name], y[name]
			if path == "" && name != k.File && name != k.Dir || e.ID == g.ID {
				continue
			}
			at := path + name
			var below [2]git.ID
			for i, entry := range []git.TreeEntry{e, g} {
				switch {
				case entry.ID == "":
				case entry.IsTree():
					below[i] = entry.ID
				case i == 0:
					came[at] = entry.ID
				default:
					left[at] = entry.ID
				}
			}
			if below[0] != "" || below[1] != "" {
				if err := walk(at+"/", below[0], below[1]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return came, left, walk("", now, before)
}

// list reads a tree by name; "" is an empty one. The map is not to be changed.
func (f *finder) list(ctx context.Context, tree git.ID) (map[string]git.TreeEntry, error) {
	if tree == "" {
		return map[string]git.TreeEntry{}, nil
	}
	if list, ok := f.lists.get(tree); ok {
		return list, nil
	}
	entries, err := f.s.Repo().Tree(ctx, tree)
	if err != nil {
		return nil, err
	}
	return f.keepList(tree, entries), nil
}

func (f *finder) keepList(tree git.ID, entries []git.TreeEntry) map[string]git.TreeEntry {
	byName := make(map[string]git.TreeEntry, len(entries))
	for _, e := range entries {
		byName[e.Name] = e
	}
	f.lists.put(tree, byName)
	return byName
}

// lostEntry is an entry that a tree had and another one lacks or has with other content.
type lostEntry struct {
	key     Key
	blob    git.ID // where it is
	sealed  bool   // that is a segment
	changed bool   // the other tree has it with other content
	now     uint64 // the sum of that content
	claimed bool   // it stays whatever else is known, see finder.claims
}

// missing returns the entries of one kind that the tree before has and the tree now lacks, or has
// with a second content beside the one that it had.
func (f *finder) missing(ctx context.Context, k store.EntryKind, now, before git.ID) ([]lostEntry, error) {
	came, left, err := f.differ(ctx, k, now, before)
	if err != nil {
		return nil, err
	}
	lost, err := f.doubled(ctx, k, came, left, before)
	if err != nil || len(left) == 0 {
		return lost, err
	}
	blobs := map[git.ID]bool{}
	for _, blob := range came {
		blobs[blob] = true
	}
	has, sums := map[Key]bool{}, map[[26]byte][]uint64{}
	read := false
	for path, blob := range left {
		if blobs[blob] { // a live file that was sealed whole
			continue
		}
		if !read {
			read = true
			for other := range blobs {
				keys, err := f.keys(ctx, k.File, other)
				if err != nil {
					return nil, err
				}
				for _, key := range keys {
					if !has[key] {
						has[key], sums[key.ID] = true, append(sums[key.ID], key.Sum)
					}
				}
			}
		}
		keys, err := f.keys(ctx, k.File, blob)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			e := lostEntry{key: key, blob: blob, sealed: path != k.File}
			if sums := sums[key.ID]; !has[key] {
				if e.changed = len(sums) > 0; e.changed {
					e.now = sums[0]
				}
				lost = append(lost, e)
			} else if len(sums) > 1 { // its content moved to another file, and a second one came
				second, err := f.second(ctx, k, before, key, sums)
				if err != nil {
					return nil, err
				}
				if e.now, e.changed = second, second != 0; e.changed {
					lost = append(lost, e)
				}
			}
		}
	}
	return lost, nil
}

// second returns which of the contents of an entry the tree before lacks, or 0.
func (f *finder) second(ctx context.Context, k store.EntryKind, before git.ID, key Key, sums []uint64) (uint64, error) {
	for _, sum := range sums {
		if sum == key.Sum {
			continue
		}
		had, err := f.contains(ctx, k, before, Key{key.ID, sum})
		if !had || err != nil {
			return sum, err
		}
	}
	return 0, nil
}

// doubled returns the entries of the tree before that a file which came has with another content, while the file
// that has it stays: a tree has each entry once.
func (f *finder) doubled(ctx context.Context, k store.EntryKind, came, left files, before git.ID) ([]lostEntry, error) {
	replaced := map[[26]byte]bool{} // entries of files that went
	for _, blob := range left {
		keys, err := f.keys(ctx, k.File, blob)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			replaced[key.ID] = true
		}
	}
	newest, err := f.newest(ctx, k, before)
	if err != nil {
		return nil, err
	}
	var lost []lostEntry
	var stay places
	for _, blob := range came {
		keys, err := f.keys(ctx, k.File, blob)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			if replaced[key.ID] || bytes.Compare(key.ID[:], newest[:]) > 0 { // as most are
				continue
			}
			if stay == nil {
				if stay, err = f.places(ctx, k, before); err != nil {
					return nil, err
				}
			}
			for _, p := range stay.of(key.ID) {
				if p.key != key {
					lost = append(lost, lostEntry{key: p.key, blob: p.blob, sealed: p.path != k.File, changed: true, now: key.Sum})
				}
			}
		}
	}
	return lost, nil
}

// newest returns the largest id of the entries in a tree.
func (f *finder) newest(ctx context.Context, k store.EntryKind, tree git.ID) (id [26]byte, err error) {
	root, err := f.list(ctx, tree)
	if err != nil {
		return id, err
	}
	for _, name := range []string{k.File, k.Dir} {
		if e := root[name]; e.ID != "" {
			last, err := f.newestIn(ctx, k, e)
			if err != nil {
				return id, err
			}
			if bytes.Compare(last[:], id[:]) > 0 {
				id = last
			}
		}
	}
	return id, nil
}

// newestIn returns the largest id in a file, or in the files of a folder: most folders are the same in many
// commits, and are read once.
func (f *finder) newestIn(ctx context.Context, k store.EntryKind, e git.TreeEntry) (id [26]byte, err error) {
	if !e.IsTree() {
		keys, err := f.keys(ctx, k.File, e.ID)
		if n := len(keys); n > 0 {
			id = keys[n-1].ID
		}
		return id, err
	}
	at := docKey{k.File, e.ID}
	if id, known := f.lasts[at]; known {
		return id, nil
	}
	list, err := f.list(ctx, e.ID)
	if err != nil {
		return id, err
	}
	for _, below := range list {
		last, err := f.newestIn(ctx, k, below)
		if err != nil {
			return id, err
		}
		if bytes.Compare(last[:], id[:]) > 0 {
			id = last
		}
	}
	f.lasts[at] = id
	return id, nil
}

// contents are the entries of one kind in a tree, and where they are.
type contents struct {
	file string
	tree git.ID
	at   map[Key]git.ID // blobs
}

// contents reads the entries of one kind in a tree. Those of the last few trees are kept: one that
// changed has many of them.
func (f *finder) contents(ctx context.Context, k store.EntryKind, tree git.ID) (map[Key]git.ID, error) {
	for _, c := range f.whole {
		if c.file == k.File && c.tree == tree {
			return c.at, nil
		}
	}
	all, _, err := f.differ(ctx, k, tree, "")
	if err != nil {
		return nil, err
	}
	c := contents{k.File, tree, map[Key]git.ID{}}
	for _, blob := range all {
		keys, err := f.keys(ctx, k.File, blob)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			c.at[key] = blob
		}
	}
	if len(f.whole) >= keptTrees {
		f.whole = f.whole[1:]
	}
	f.whole = append(f.whole, c)
	return c.at, nil
}

// keptTrees is for how many trees all entries are kept, and for how many documents all texts: a
// commit, its parents, and what it restores.
const keptTrees = 6

// contains reports whether a tree has an entry with its content, wherever.
func (f *finder) contains(ctx context.Context, k store.EntryKind, tree git.ID, key Key) (bool, error) {
	all, err := f.contents(ctx, k, tree)
	return all[key] != "", err
}

// texts are the origins and the texts of the entries of one document.
type texts struct {
	doc docKey
	of  map[Key][]byte
}

// text returns the origin and the text of an entry in a document. Those of the last few documents
// are kept.
func (f *finder) text(ctx context.Context, k store.EntryKind, blob git.ID, key Key) ([]byte, error) {
	at := docKey{k.File, blob}
	for _, t := range f.last {
		if t.doc == at {
			return t.of[key], nil
		}
	}
	data, err := f.s.Repo().Blob(ctx, blob)
	if err != nil {
		return nil, err
	}
	t := texts{at, map[Key][]byte{}}
	err = doc.EachEntry(k.File, data, func(h doc.EntryHead, text []byte) {
		t.of[Key{[26]byte([]byte(h.ID)), SumOf(h, text)}] = append([]byte(h.Origin+"\n"), text...)
	})
	if err != nil {
		return nil, err
	}
	if len(f.last) >= keptTrees {
		f.last = f.last[1:]
	}
	f.last = append(f.last, t)
	return t.of[key], nil
}
