//go:build unix

package gogit

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// The refs of memory.
const (
	rootPrefix    = "refs/context/"
	branchPrefix  = rootPrefix + "heads/"
	deletedPrefix = rootPrefix + "deleted/"
	tagPrefix     = rootPrefix + "tags/"
	roadmapRef    = rootPrefix + "roadmap"
	notesRef      = "refs/notes/context"
)

// reader is all memory of a repository, as go-git alone reads it.
type reader struct {
	t       testing.TB
	repo    *git.Repository
	current string // the branch that CONTEXT_HEAD names
	refs    map[string]plumbing.Hash
	objects map[plumbing.Hash]plumbing.ObjectType // reachable from memory refs
	commits map[plumbing.Hash]*object.Commit

	branches map[string]*branch
	deleted  map[string]*branch // by ref
	roadmap  []byte
	notes    map[string][]byte // by the object's hash
}

// branch is a memory branch at its tip.
type branch struct {
	tip            *object.Commit
	files          map[string][]byte
	steps, commits []entry                   // sorted by id; commits without births
	made           map[string]*object.Commit // the memory commit of each entry of commits, by id
}

// readMemory opens a repository anew and reads and checks all of its memory.
func readMemory(t testing.TB, dir string) *reader {
	t.Helper()
	repo, err := git.PlainOpenWithOptions(dir, &git.PlainOpenOptions{EnableDotGitCommonDir: true})
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{
		t: t, repo: repo, refs: map[string]plumbing.Hash{}, objects: map[plumbing.Hash]plumbing.ObjectType{},
		commits: map[plumbing.Hash]*object.Commit{}, branches: map[string]*branch{}, deleted: map[string]*branch{},
		notes: map[string][]byte{},
	}
	r.readRefs()
	r.readObjects()
	for ref, hash := range r.refs {
		if name, ok := strings.CutPrefix(ref, branchPrefix); ok {
			r.branches[name] = r.readBranch(name, r.commits[hash])
		} else if strings.HasPrefix(ref, deletedPrefix) {
			r.deleted[ref] = r.readBranch(ref, r.commits[hash])
		}
	}
	if c := r.commits[r.refs[roadmapRef]]; c != nil {
		r.roadmap = r.files(c)["main.md"]
	}
	if c := r.commits[r.refs[notesRef]]; c != nil {
		for path, note := range r.files(c) {
			r.notes[strings.ReplaceAll(path, "/", "")] = note
		}
	}
	return r
}

func (r *reader) readRefs() {
	r.t.Helper()
	list, err := r.repo.References()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := list.ForEach(func(ref *plumbing.Reference) error {
		if name := ref.Name().String(); strings.HasPrefix(name, rootPrefix) || name == notesRef {
			if ref.Type() != plumbing.HashReference {
				r.t.Errorf("%s is %s", name, ref.Type())
			}
			r.refs[name] = ref.Hash()
		}
		return nil
	}); err != nil {
		r.t.Fatal(err)
	}
	head, err := r.repo.Reference("CONTEXT_HEAD", false)
	if err != nil {
		r.t.Fatalf("CONTEXT_HEAD: %v", err)
	}
	r.current = strings.TrimPrefix(head.Target().String(), branchPrefix)
}

// readObjects reads every object that memory refs reach, and checks each.
func (r *reader) readObjects() {
	r.t.Helper()
	todo := slices.Collect(maps.Values(r.refs))
	for len(todo) > 0 {
		hash := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, seen := r.objects[hash]; !seen {
			next, err := r.readObject(hash)
			if err != nil {
				r.t.Fatalf("object %s: %v", hash, err)
			}
			todo = append(todo, next...)
		}
	}
}

// readObject checks one object and returns those that it names.
func (r *reader) readObject(hash plumbing.Hash) ([]plumbing.Hash, error) {
	stored, err := r.repo.Storer.EncodedObject(plumbing.AnyObject, hash)
	if err != nil {
		return nil, err
	}
	content, err := contentOf(stored)
	if err != nil {
		return nil, err
	}
	sum := sha1.Sum(append(fmt.Appendf(nil, "%s %d\x00", stored.Type(), len(content)), content...))
	if plumbing.Hash(sum) != hash || stored.Size() != int64(len(content)) {
		return nil, fmt.Errorf("a %s of %d bytes, announced as %d, hashes to %x",
			stored.Type(), len(content), stored.Size(), sum)
	}
	r.objects[hash] = stored.Type()
	switch stored.Type() {
	case plumbing.CommitObject:
		return r.readCommit(stored, content)
	case plumbing.TreeObject:
		return r.readTree(stored, content)
	case plumbing.BlobObject:
		if !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
			return nil, fmt.Errorf("a document is not UTF-8 without NUL")
		}
		return nil, nil
	}
	return nil, fmt.Errorf("a %s in memory", stored.Type())
}

func contentOf(o plumbing.EncodedObject) ([]byte, error) {
	from, err := o.Reader()
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(from)
	if err != nil {
		return nil, err
	}
	return content, from.Close()
}

// encodes checks that go-git understood everything: what it makes of what it read are the
// bytes that it read.
func encodes(o interface {
	Encode(plumbing.EncodedObject) error
}, content []byte) error {
	var again plumbing.MemoryObject
	if err := o.Encode(&again); err != nil {
		return err
	}
	got, err := contentOf(&again)
	if err == nil && !bytes.Equal(got, content) {
		err = fmt.Errorf("go-git writes\n%q\nand git-context wrote\n%q", got, content)
	}
	return err
}

func (r *reader) readCommit(stored plumbing.EncodedObject, content []byte) ([]plumbing.Hash, error) {
	c, err := object.DecodeCommit(r.repo.Storer, stored)
	if err != nil {
		return nil, err
	}
	r.commits[c.Hash] = c
	for _, who := range []object.Signature{c.Author, c.Committer} {
		if who.Name == "" || who.Email == "" || who.When.Year() < 2026 {
			return nil, fmt.Errorf("signature of '%s' <%s> at %s", who.Name, who.Email, who.When)
		}
	}
	switch {
	case c.Encoding != "UTF-8", c.MergeTag != "", len(c.ExtraHeaders) > 0:
		return nil, fmt.Errorf("encoding %s, mergetag %q, headers %v", c.Encoding, c.MergeTag, c.ExtraHeaders)
	case !utf8.ValidString(c.Message), strings.Contains(c.Message, "\x00"), !strings.HasSuffix(c.Message, "\n"):
		return nil, fmt.Errorf("message %q", c.Message)
	}
	return append(slices.Clone(c.ParentHashes), c.TreeHash), encodes(c, content)
}

// readTree checks modes and order in the bytes themselves: go-git's reader makes good what it can.
func (r *reader) readTree(stored plumbing.EncodedObject, content []byte) ([]plumbing.Hash, error) {
	tree, err := object.DecodeTree(r.repo.Storer, stored)
	if err != nil {
		return nil, err
	}
	var named []plumbing.Hash
	folded, last := map[string]bool{}, ""
	for rest := content; len(rest) > 0; {
		mode, after, _ := bytes.Cut(rest, []byte(" "))
		name, after, ok := bytes.Cut(after, []byte{0})
		if !ok || len(after) < sha1.Size {
			return nil, fmt.Errorf("a tree ends in an entry: %q", rest)
		}
		hash := plumbing.Hash(after[:sha1.Size])
		rest = after[sha1.Size:]
		kind, err := r.typeOf(hash)
		if err != nil {
			return nil, err
		}
		key := string(name)
		switch {
		case string(mode) == "40000" && kind == plumbing.TreeObject:
			key += "/" // so git sorts folders
		case string(mode) != "100644" || kind != plumbing.BlobObject:
			return nil, fmt.Errorf("'%s' is a %s of mode %s", name, kind, mode)
		}
		if key <= last || folded[strings.ToLower(string(name))] {
			return nil, fmt.Errorf("'%s' follows '%s'", key, last)
		}
		last, folded[strings.ToLower(string(name))] = key, true
		named = append(named, hash)
	}
	return named, encodes(tree, content)
}

func (r *reader) typeOf(hash plumbing.Hash) (plumbing.ObjectType, error) {
	o, err := r.repo.Storer.EncodedObject(plumbing.AnyObject, hash)
	if err != nil {
		return plumbing.InvalidObject, fmt.Errorf("%s: %w", hash, err)
	}
	return o.Type(), nil
}

// files are those of a commit's tree, by path.
func (r *reader) files(c *object.Commit) map[string][]byte {
	r.t.Helper()
	files := map[string][]byte{}
	list, err := c.Files()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := list.ForEach(func(f *object.File) error {
		text, err := f.Contents()
		files[f.Name] = []byte(text)
		return err
	}); err != nil {
		r.t.Fatal(err)
	}
	return files
}

func (r *reader) readBranch(name string, tip *object.Commit) *branch {
	r.t.Helper()
	b := &branch{tip: tip, files: r.files(tip), made: map[string]*object.Commit{}}
	for _, c := range r.document(b, name, "commit") {
		if c.Attributes["kind"] != "birth" {
			b.commits = append(b.commits, c)
		}
	}
	b.steps = r.document(b, name, "log")
	history, err := r.repo.Log(&git.LogOptions{From: tip.Hash})
	if err != nil {
		r.t.Fatal(err)
	}
	if err := history.ForEach(func(c *object.Commit) error {
		if id := trailers(c.Message)["Context-Id"]; id != "" {
			b.made[id] = c
		}
		return nil
	}); err != nil {
		r.t.Fatal(err)
	}
	return b
}

// document reads the sealed segments of a document in order and then its live file.
func (r *reader) document(b *branch, name, document string) []entry {
	r.t.Helper()
	var paths []string
	for path := range b.files {
		if strings.HasPrefix(path, document+"/") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	var all []entry
	for _, path := range append(paths, document+".md") {
		entries, err := parseEntries(b.files[path])
		if err != nil {
			r.t.Fatalf("%s: %s: %v", name, path, err)
		}
		if len(entries) > 0 && path != document+".md" {
			if want := segmentPath(document, entries[0].ID); path != want {
				r.t.Errorf("%s: segment %s is not %s", name, path, want)
			}
		}
		all = append(all, entries...)
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.ID, b.ID) })
	for i := 1; i < len(all); i++ {
		if all[i].ID == all[i-1].ID {
			r.t.Errorf("%s: %s: entry %s is twice in it", name, document, all[i].ID)
		}
	}
	return all
}

// segmentPath is where a segment belongs whose first entry has that id.
func segmentPath(document, id string) string {
	return document + "/" + id[:4] + "/" + id[4:6] + "/" + id[6:8] + "/" + id + ".md"
}

// trailers are those of a commit's message: the lines of its last paragraph, which is not its first.
func trailers(message string) map[string]string {
	found := map[string]string{}
	text := strings.TrimSuffix(message, "\n")
	for line := range strings.SplitSeq(text[max(strings.LastIndex(text, "\n\n"), 0):], "\n") {
		if len(text) == len(line) {
			break // the subject alone
		}
		if key, value, ok := strings.Cut(line, ": "); ok {
			found[key] = value
		}
	}
	return found
}
