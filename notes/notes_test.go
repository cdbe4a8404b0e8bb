package notes_test

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
)

type world struct {
	t    *testing.T
	repo *git.Repo
	dir  string
	env  []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, dir: dir, env: append(gittest.Env(t, dir, ""),
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")}
	w.git("init", "-q", filepath.Join(dir, "r"))
	w.dir = filepath.Join(dir, "r")
	for _, m := range []string{"one", "two"} {
		w.git("commit", "-q", "--allow-empty", "-m", m)
	}
	repo, err := git.Open(t.Context(), git.Options{Dir: w.dir, Env: w.env, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	w.repo = repo
	return w
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// keep stores a commit without a signature.
func (w *world) keep(ctx context.Context, c *git.Commit) (*git.Commit, error) {
	var err error
	c.ID, err = w.repo.WriteCommit(ctx, c)
	return c, err
}

// add writes lines to an object's note, as one writer would.
func (w *world) add(object git.ID, lines ...string) bool {
	w.t.Helper()
	ctx := w.t.Context()
	u, err := notes.Begin(ctx, w.repo)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := u.Add(ctx, object, []byte(strings.Join(lines, "\n")+"\n")); err != nil {
		w.t.Fatal(err)
	}
	by := git.Signature{Name: "A", Email: "a@example.com", When: time.Unix(1_800_000_000, 0)}
	tx, err := w.repo.Begin(ctx, git.TxOptions{Message: "test"})
	if err != nil {
		w.t.Fatal(err)
	}
	defer tx.Close()
	changed, err := u.Queue(ctx, tx, by, "test", w.keep)
	if err == nil {
		err = tx.Commit(ctx)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return changed
}

// What is written is what git reads, whichever fan-out git left the tree in, and
// lines of other people stay.
func TestBesideGitNotes(t *testing.T) {
	w := newWorld(t)
	one, two := git.ID(w.git("rev-parse", "HEAD~1")), git.ID(w.git("rev-parse", "HEAD"))
	if !w.add(one, `{"a":1}`) || w.add(one, `{"a":1}`) {
		t.Error("a line is new once")
	}
	w.git("notes", "--ref=context", "append", "-m", "somebody else's", string(one))
	w.git("notes", "--ref=context", "add", "-m", "git's own", string(two)) // git writes the tree flat
	w.add(one, `{"b":2}`)
	w.add(two, `{"c":3}`)
	if got := w.git("notes", "--ref=context", "show", string(one)); got != "{\"a\":1}\n\nsomebody else's\n{\"b\":2}" {
		t.Errorf("note of one: %q", got)
	}
	if got := w.git("notes", "--ref=context", "show", string(two)); got != "git's own\n{\"c\":3}" {
		t.Errorf("note of two: %q", got)
	}
	if got := strings.Count(w.git("notes", "--ref=context", "list"), "\n") + 1; got != 2 {
		t.Errorf("%d notes, want 2", got)
	}
	note, err := notes.Read(t.Context(), w.repo, one)
	if err != nil || !bytes.Contains(note, []byte("somebody else's")) {
		t.Errorf("Read: %q, %v", note, err)
	}
	if note, err := notes.Read(context.Background(), w.repo, git.ID(w.git("rev-parse", "HEAD^{tree}"))); note != nil || err != nil {
		t.Errorf("no note: %q, %v", note, err)
	}
	if out := w.git("fsck", "--strict"); out != "" {
		t.Errorf("git fsck: %s", out)
	}
}

// A note that is added to twice in one update is written once: nothing is left to nobody.
func TestNoLitter(t *testing.T) {
	w := newWorld(t)
	ctx, one := t.Context(), git.ID(w.git("rev-parse", "HEAD"))
	w.add(one, "before")
	u, err := notes.Begin(ctx, w.repo)
	w.must(err)
	for _, line := range []string{"fact\n", "judgement\n", "fact\n"} {
		w.must(u.Add(ctx, one, []byte(line)))
	}
	if note, err := u.Note(ctx, one); err != nil || string(note) != "before\nfact\njudgement\n" {
		t.Errorf("before it is written: %q, %v", note, err)
	}
	w.queue(u)
	if got := w.git("notes", "--ref=context", "show", string(one)); got != "before\nfact\njudgement" {
		t.Errorf("note: %q", got)
	}
	if out := w.git("fsck", "--strict"); out != "" {
		t.Errorf("git fsck: %s", out)
	}
}

// In the fixed fan-out a thousand notes are found by git as by us.
func TestFanOut(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	u, err := notes.Begin(ctx, w.repo)
	if err != nil {
		t.Fatal(err)
	}
	var ids []git.ID
	for i := range 300 {
		id, err := w.repo.WriteBlob(ctx, fmt.Append(nil, i))
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Add(ctx, id, fmt.Appendf(nil, "%d\n", i)); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	tx, err := w.repo.Begin(ctx, git.TxOptions{Message: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Close()
	if _, err := u.Queue(ctx, tx, git.Signature{Name: "A", Email: "a", When: time.Unix(1, 0)}, "many", w.keep); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if got := w.git("notes", "--ref=context", "show", string(ids[42])); got != "42" {
		t.Errorf("git reads %q", got)
	}
	if got := strings.Count(w.git("notes", "--ref=context", "list"), "\n") + 1; got != 300 {
		t.Errorf("git lists %d notes", got)
	}
}

func TestJudgeTakesTheLargestID(t *testing.T) {
	score := func(v float64) *float64 { return &v }
	var note []byte
	for _, f := range []notes.Fact{
		{ID: "01JD5K0Z3V7Q3M9K2A4B5C6D7B", Kind: notes.KindScore, Score: score(0.5)}, {ID: "01JD5K0Z3V7Q3M9K2A4B5C6D7A", Kind: notes.KindScore, Score: score(0.1)},
		{ID: "01JD5K0Z3V7Q3M9K2A4B5C6D7C", Kind: notes.KindTag, Key: "k", Value: "old"}, {ID: "01JD5K0Z3V7Q3M9K2A4B5C6D7D", Kind: notes.KindTag, Key: "k", Value: "new"},
		{ID: "01JD5K0Z3V7Q3M9K2A4B5C6D7E", Kind: notes.KindOutcome, Outcome: "failed"},
	} {
		line, err := f.Line()
		if err != nil {
			t.Fatal(err)
		}
		note = append(append(note, line...), '\n')
	}
	j := notes.Judge(notes.Parse(append(note, "not ours\n{\"v\":2}\n"...)))
	if *j.Score != 0.5 || j.Tags["k"] != "new" || *j.Outcome != "failed" {
		t.Errorf("%+v", j)
	}
}

// A fact keeps its line, with what this version does not know of it; what nobody
// may say is not in force, and every review is.
func TestParseAndJudgeOddLines(t *testing.T) {
	note := "{\"v\":1,\"id\":\"01JD5K0Z3V7Q3M9K2A4B5C6D7A\",\"kind\":\"score\",\"score\":0.5,\"later\":[1]}\n" +
		"{\"v\":1,\"id\":\"01JD5K0Z3V7Q3M9K2A4B5C6D7B\",\"kind\":\"score\",\"score\":1.5}\n" +
		"{\"v\":1,\"id\":\"01JD5K0Z3V7Q3M9K2A4B5C6D7C\",\"kind\":\"score\"}\n" +
		"{\"v\":1,\"id\":\"01JD5K0Z3V7Q3M9K2A4B5C6D7D\",\"kind\":\"outcome\",\"outcome\":\"maybe\"}\n" +
		"{\"v\":1,\"id\":\"zzzz\",\"kind\":\"score\",\"score\":0.1}\n" +
		"{\"v\":1,\"id\":\"7ZZZZZZZZZZZZZZZZZZZZZZZZZ\",\"kind\":\"score\",\"score\":0.1}\n" +
		"{\"v\":1,\"id\":\"01JD5K0Z3V7Q3M9K2A4B5C6D7E\",\"kind\":\"review\",\"text\":\"one\"}\n" +
		"{\"v\":1,\"id\":\"01JD5K0Z3V7Q3M9K2A4B5C6D7F\",\"kind\":\"review\",\"text\":\"t\xffwo\"}\n"
	facts := notes.Parse([]byte(note))
	if len(facts) != 6 || string(facts[0].Raw) != strings.SplitN(note, "\n", 2)[0] || !utf8.Valid(facts[5].Raw) {
		t.Errorf("%+v", facts)
	}
	j := notes.Judge(facts)
	if *j.Score != 0.5 || j.Outcome != nil || len(j.Reviews) != 2 || j.Reviews[0].Text != "one" {
		t.Errorf("%+v", j)
	}
}

// Notes merge as sets of lines.
func TestUnionLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		note := rapid.Custom(func(t *rapid.T) []byte {
			lines := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c", `{"v":1}`, ""})).Draw(t, "lines")
			if len(lines) == 0 {
				return nil
			}
			return []byte(strings.Join(lines, "\n") + "\n")
		})
		a, b, c := note.Draw(t, "a"), note.Draw(t, "b"), note.Draw(t, "c")
		set := func(n []byte) map[string]bool {
			m := map[string]bool{}
			for line := range bytes.Lines(n) {
				if text := strings.TrimSpace(string(line)); text != "" {
					m[text] = true
				}
			}
			return m
		}
		same := func(law string, x, y []byte) {
			if fmt.Sprint(set(x)) != fmt.Sprint(set(y)) {
				t.Errorf("%s: %q and %q", law, x, y)
			}
		}
		same("commutative", notes.Union(a, b), notes.Union(b, a))
		same("associative", notes.Union(notes.Union(a, b), c), notes.Union(a, notes.Union(b, c)))
		same("idempotent", notes.Union(a, a), a)
		if once := notes.Union(a, b); !bytes.Equal(notes.Union(once, b), once) {
			t.Errorf("a second union of %q changed %q", b, once)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("{\"v\":1,\"id\":\"A\",\"kind\":\"score\",\"score\":0.5}\n"))
	f.Fuzz(func(t *testing.T, note []byte) {
		for _, fact := range notes.Parse(note) {
			if fact.ID == "" || fact.Kind == "" {
				t.Errorf("%+v", fact)
			}
		}
		notes.Judge(notes.Parse(note))
	})
}

// linesOf are the lines of a note in one order, each once, without empty ones.
func linesOf(note []byte) []string {
	lines := slices.Sorted(strings.SplitSeq(string(note), "\n"))
	return slices.Compact(slices.DeleteFunc(lines, func(line string) bool { return line == "" }))
}

// Two notes united are the set of their lines, whoever unites them and how often, and
// say the same of a milestone; a line that is no fact of ours stays.
func FuzzUnion(f *testing.F) {
	one := `{"v":1,"id":"01JD5K6T3V7Q3M9K2A4B5C6D7E","kind":"score","time":"2026-11-21T01:40:12Z","agent":"a","score":0.5}` + "\n"
	two := `{"v":1,"id":"01JD5K6T3V7Q3M9K2A4B5C6D7F","kind":"outcome","time":"2026-11-21T01:40:13Z","outcome":"failed"}` + "\n"
	f.Add([]byte(one+two), []byte(two))
	f.Add([]byte(one), []byte(strings.Replace(one, "0.5", "0.9", 1))) // one id twice
	f.Add([]byte("Context: a line for people\n"+one), []byte("no newline"))
	f.Add([]byte("\n\n\r\n"), []byte("\xff\x00"))
	f.Add([]byte(`{"v":1,"id":"A","kind":"score","score":1e999}`), []byte(`{"v":1,"id":"A","kind":"tag","tag":"k","value":"\u001b[2J"}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		both := notes.Union(a, b)
		if other := notes.Union(b, a); !slices.Equal(linesOf(both), linesOf(other)) {
			t.Errorf("%q, from the other side %q", both, other)
		}
		if again := notes.Union(both, a); !bytes.Equal(both, again) {
			t.Errorf("%q, with one of them again %q", both, again)
		}
		for _, note := range [][]byte{a, b} {
			for _, line := range linesOf(note) {
				if !slices.Contains(linesOf(both), line) {
					t.Errorf("%q is lost in %q", line, both)
				}
			}
		}
		x, y := notes.Judge(notes.Parse(both)), notes.Judge(notes.Parse(notes.Union(b, a)))
		if !reflect.DeepEqual(x, y) {
			t.Errorf("%+v, from the other side %+v", x, y)
		}
	})
}
