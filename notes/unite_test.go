package notes_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
)

const theirNotes = "refs/notes/theirs"

var by = git.Signature{Name: "A", Email: "a@example.com", When: time.Unix(1_800_000_000, 0)}

// notesCommit makes a commit of notes out of their texts by object, in the layout that
// split says, and points a ref to it.
func (w *world) notesCommit(ref string, split func(name string) string, texts map[git.ID]string, parents ...git.ID) git.ID {
	w.t.Helper()
	ctx := w.t.Context()
	edit := w.repo.Edit("")
	for object, text := range texts {
		blob, err := w.repo.WriteBlob(ctx, []byte(text))
		w.must(err)
		w.must(edit.Put(ctx, split(string(object)), blob))
	}
	tree, err := edit.Write(ctx)
	w.must(err)
	return w.commit(ref, &git.Commit{Tree: tree, Parents: parents, Author: by, Committer: by, Message: "notes\n"})
}

func (w *world) commit(ref string, c *git.Commit) git.ID {
	w.t.Helper()
	ctx := w.t.Context()
	id, err := w.repo.WriteCommit(ctx, c)
	w.must(err)
	tx, err := w.repo.Begin(ctx, git.TxOptions{Message: "test"})
	w.must(err)
	defer tx.Close()
	w.must(tx.Commit(ctx)) // what was written behind gets to the disk
	w.git("update-ref", ref, string(id))
	return id
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// unite unites ours with a commit of theirs and returns what the ref then is.
func (w *world) unite(theirs git.ID) (tip git.ID, moved bool) {
	w.t.Helper()
	ctx := w.t.Context()
	u, err := notes.Begin(ctx, w.repo)
	w.must(err)
	w.must(u.Unite(ctx, theirs))
	return w.queue(u)
}

func (w *world) queue(u *notes.Update) (tip git.ID, moved bool) {
	w.t.Helper()
	ctx := w.t.Context()
	tx, err := w.repo.Begin(ctx, git.TxOptions{Message: "test"})
	w.must(err)
	defer tx.Close()
	moved, err = u.Queue(ctx, tx, by, "unite", w.keep)
	w.must(err)
	w.must(tx.Commit(ctx))
	tip, err = w.repo.Ref(ctx, git.NotesRef)
	w.must(err)
	return tip, moved
}

// lines is every line of every note that git finds at a ref, by object.
func (w *world) lines(ref string) map[string][]string {
	w.t.Helper()
	all := map[string][]string{}
	for entry := range strings.Lines(w.git("notes", "--ref="+ref, "list")) {
		note, object, _ := strings.Cut(strings.TrimSpace(entry), " ")
		for line := range strings.Lines(w.git("cat-file", "blob", note)) {
			if line = strings.TrimSuffix(line, "\n"); line != "" {
				all[object] = append(all[object], line)
			}
		}
		slices.Sort(all[object])
	}
	return all
}

func (w *world) parents(id git.ID) []string {
	w.t.Helper()
	return strings.Fields(w.git("log", "-1", "--format=%P", string(id)))
}

// The layouts in which git leaves a tree of notes.
func flat(name string) string   { return name }
func two(name string) string    { return name[:2] + "/" + name[2:] }
func deeper(name string) string { return name[:2] + "/" + name[2:4] + "/" + name[4:] }

func object(i int) git.ID {
	digits := 38
	if gittest.SHA256() {
		digits = 62
	}
	return git.ID(fmt.Sprintf("%02x%0*x", i%256, digits, i))
}

// Each case that Unite tells apart.
func TestUniteCases(t *testing.T) {
	base := map[git.ID]string{object(1): "one\n", object(2): "two\n"}
	more := map[git.ID]string{object(1): "one\nmore\n", object(2): "two\n", object(3): "three\n"}
	for _, c := range []struct {
		name    string
		ours    map[git.ID]string // on top of base; nil for none at all
		theirs  map[git.ID]string
		apart   bool // theirs do not come from base
		moved   bool
		asIs    bool // the ref then is theirs
		parents int
	}{
		{name: "ours have theirs", ours: more, theirs: nil},
		{name: "none of ours", ours: nil, theirs: more, moved: true, asIs: true},
		{name: "theirs have ours", ours: base, theirs: more, moved: true, asIs: true},
		{name: "theirs hold every line", ours: base, theirs: more, apart: true, moved: true, asIs: true},
		{name: "ours hold every line", ours: more, theirs: map[git.ID]string{object(1): "one\n"}, apart: true, moved: true, parents: 2},
		{name: "both have news", ours: map[git.ID]string{object(1): "one\nours\n"}, theirs: more, apart: true, moved: true, parents: 2},
		{name: "removed on one side", ours: map[git.ID]string{object(1): "one\n", object(9): "nine\n"}, theirs: more, apart: true, moved: true, parents: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			root := w.notesCommit("refs/notes/root", two, base)
			theirs := root
			switch {
			case c.theirs != nil && c.apart:
				theirs = w.notesCommit(theirNotes, two, c.theirs)
			case c.theirs != nil:
				theirs = w.notesCommit(theirNotes, two, c.theirs, root)
			}
			if c.name == "theirs have ours" {
				w.git("update-ref", git.NotesRef, string(root))
			} else if c.ours != nil {
				w.notesCommit(git.NotesRef, two, c.ours, root)
			}
			want := w.united(c.ours != nil, theirs)
			tip, moved := w.unite(theirs)
			if moved != c.moved || (tip == theirs) != c.asIs || c.parents > 0 && len(w.parents(tip)) != c.parents {
				t.Errorf("moved %v, as theirs %v, parents %v", moved, tip == theirs, w.parents(tip))
			}
			if got := w.lines(git.NotesRef); !maps.EqualFunc(got, want, slices.Equal) {
				t.Errorf("got %v, want %v", got, want)
			}
			if again, moved := w.unite(theirs); moved || again != tip {
				t.Errorf("uniting again moved %s to %s", tip, again)
			}
			if out := w.git("fsck", "--strict"); out != "" {
				t.Errorf("git fsck: %s", out)
			}
		})
	}
}

// united is the union of the lines of both.
func (w *world) united(ours bool, theirs git.ID) map[string][]string {
	w.t.Helper()
	w.git("update-ref", theirNotes, string(theirs))
	want := w.lines(theirNotes)
	if ours {
		for object, lines := range w.lines(git.NotesRef) {
			want[object] = slices.Compact(slices.Sorted(slices.Values(append(want[object], lines...))))
		}
	}
	return want
}

// What was added in the same update stays, whatever theirs are.
func TestUniteAfterAdd(t *testing.T) {
	gittest.NeedSHA1(t)
	for name, parent := range map[string]bool{"theirs have ours": true, "apart": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			root := w.notesCommit(git.NotesRef, two, map[git.ID]string{object(1): "one\n"})
			parents := []git.ID{root}
			if !parent {
				parents = nil
			}
			theirs := w.notesCommit(theirNotes, two, map[git.ID]string{object(1): "one\ntheirs\n"}, parents...)
			ctx := t.Context()
			u, err := notes.Begin(ctx, w.repo)
			w.must(err)
			w.must(u.Add(ctx, object(1), []byte("added\n")))
			w.must(u.Add(ctx, object(5), []byte("five\n")))
			w.must(u.Unite(ctx, theirs))
			w.queue(u)
			want := map[string][]string{string(object(1)): {"added", "one", "theirs"}, string(object(5)): {"five"}}
			if got := w.lines(git.NotesRef); !maps.EqualFunc(got, want, slices.Equal) {
				t.Errorf("got %v", got)
			}
		})
	}
}

// Notes in whatever layout git left them, with lines of other people, are a set of
// lines that is the same whoever unites it.
func TestUniteLaws(t *testing.T) {
	const enough = 12 // each starts a few dozen processes
	played, failed := 0, false
	w := newWorld(t) // one repository for all: its refs are set anew each time
	rapid.Check(t, func(rt *rapid.T) {
		if played == enough && !failed {
			return
		}
		played++
		failed = true
		line := rapid.SampledFrom([]string{"a", "b", `{"v":1,"id":"X","kind":"score"}`, "somebody else's words", ""})
		side := func(ref, label string) git.ID {
			texts := map[git.ID]string{}
			for _, i := range rapid.SliceOfDistinct(rapid.IntRange(0, 300), rapid.ID[int]).Draw(rt, label) {
				lines := rapid.SliceOfN(line, 1, 4).Draw(rt, "lines")
				texts[object(i%8+i%3*256)] = strings.Join(lines, "\n") + "\n"
			}
			layout := rapid.SampledFrom([]func(string) string{flat, two, deeper}).Draw(rt, "layout")
			return w.notesCommit(ref, layout, texts)
		}
		a, b := side("refs/notes/a", "ours"), side("refs/notes/b", "theirs")
		var got [2]map[string][]string
		var notes [2]string // with the hashes of their texts
		for i, order := range [][2]git.ID{{a, b}, {b, a}} {
			w.git("update-ref", git.NotesRef, string(order[0]))
			want := w.united(true, order[1])
			w.unite(order[1])
			notes[i] = w.git("notes", "--ref="+git.NotesRef, "list")
			if got[i] = unique(w.lines(git.NotesRef)); !maps.EqualFunc(got[i], unique(want), slices.Equal) {
				rt.Fatalf("got %v, want %v", got[i], want)
			}
		}
		if !maps.EqualFunc(got[0], got[1], slices.Equal) {
			rt.Fatalf("one way %v, the other %v", got[0], got[1])
		}
		if notes[0] != notes[1] {
			rt.Fatalf("one way %s, the other %s", notes[0], notes[1])
		}
		failed = false
	})
}

func unique(all map[string][]string) map[string][]string {
	out := map[string][]string{}
	for object, lines := range all {
		if lines = slices.Compact(slices.Clone(lines)); len(lines) > 0 {
			out[object] = lines
		}
	}
	return out
}

// A git that keeps what cat-file is asked.
const askKeeper = `#!/bin/sh
case " $* " in
*" cat-file "*) tee -a '%[2]s' | '%[1]s' "$@" ;;
*) exec '%[1]s' "$@" ;;
esac
`

// Of many notes only what differs is read.
func TestUniteReadsWhatDiffers(t *testing.T) {
	const many, news = 10_000, 3
	w := newWorld(t)
	texts := map[git.ID]string{}
	for i := range many {
		texts[object(i)] = fmt.Sprint("alike ", i%7, "\n")
	}
	w.notesCommit(git.NotesRef, two, texts)
	for i := range news {
		texts[object(77*i)] += fmt.Sprint("news ", i, "\n")
	}
	theirs := w.notesCommit(theirNotes, two, texts)
	w.git("repack", "-adq") // so that git is asked for every object
	real, err := exec.LookPath("git")
	w.must(err)
	bin, asked := t.TempDir(), filepath.Join(t.TempDir(), "asked")
	w.must(os.WriteFile(filepath.Join(bin, "git"), fmt.Appendf(nil, askKeeper, real, asked), 0o777))
	env := append(slices.Clone(w.env), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if w.repo, err = git.Open(t.Context(), git.Options{Dir: w.dir, Env: env, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	w.unite(theirs)
	w.must(w.repo.Close())
	log, err := os.ReadFile(asked)
	w.must(err)
	// Of each side a commit, its tree, and for what is new a folder and a note; and
	// whatever opening a repository asks.
	if n := bytes.Count(log, []byte("\n")); n < 2*news || n > 2*(2+2*news)+20 {
		t.Errorf("%d questions:\n%s", n, log)
	}
	if got := w.git("cat-file", "blob", git.NotesRef+":"+two(string(object(77)))); got != "alike 0\nnews 1" {
		t.Errorf("the note is %q", got)
	}
}

// Of two notes of one object in theirs, neither hides the other; without room for both, the one that was read stays.
func TestUniteTwoNotes(t *testing.T) {
	flood := strings.Builder{}
	for i := range notes.MostLines + notes.RoomLines {
		fmt.Fprintf(&flood, "{\"x\":%d}\n", i)
	}
	for _, second := range []func(string) string{flat, deeper, func(name string) string { return name[:2] + "/" + name[2:4] + "/" + name[4:6] + "/" + name[6:] }} {
		for _, here := range []bool{true, false} {
			w := newWorld(t)
			ctx := t.Context()
			one, two := git.ID(w.git("rev-parse", "HEAD")), git.ID(w.git("rev-parse", "HEAD^{tree}"))
			w.add(one, `{"a":1}`)
			w.add(two, `{"a":2}`)
			ours := git.ID(w.git("rev-parse", git.NotesRef))
			edit := w.repo.Edit(git.ID(w.git("rev-parse", git.NotesRef+"^{tree}")))
			for object, text := range map[git.ID]string{one: "{\"b\":1}\n", two: flood.String()} {
				blob, err := w.repo.WriteBlob(ctx, []byte(text))
				w.must(err)
				w.must(edit.Put(ctx, second(string(object)), blob))
			}
			tree, err := edit.Write(ctx)
			w.must(err)
			theirs := w.commit(theirNotes, &git.Commit{Tree: tree, Parents: []git.ID{ours}, Author: by, Committer: by, Message: "notes\n"})
			if !here {
				w.git("update-ref", "-d", git.NotesRef)
			}
			u, err := notes.Begin(ctx, w.repo)
			w.must(err)
			w.must(u.Unite(ctx, theirs))
			tip, _ := w.queue(u)
			if want := map[git.ID]bool{two: true}; !maps.Equal(u.Full, want) {
				t.Errorf("full: %v, not %v", u.Full, want)
			}
			w.git("merge-base", "--is-ancestor", string(theirs), string(tip))
			if got, want := w.lines("context"), map[string][]string{string(one): {`{"a":1}`, `{"b":1}`}, string(two): {`{"a":2}`}}; !maps.EqualFunc(got, want, slices.Equal) {
				t.Errorf("the notes are %v, not %v", got, want)
			}
			if n := len(strings.Fields(w.git("ls-tree", "-r", "--name-only", string(tip)))); n != 2 {
				t.Errorf("%d notes of two objects", n)
			}
			if again, moved := w.unite(theirs); moved {
				t.Errorf("united again: %s", again)
			}
		}
	}
}
