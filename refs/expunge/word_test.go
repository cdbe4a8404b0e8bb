package expunge

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"pgregory.net/rapid"
)

// A text of one form is found in the very lines that contain it as a word, in whichever form of the text around it.
func TestWordActsOnWhatIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name, pattern string) string { return rapid.StringMatching(pattern).Draw(t, name) }
		match := draw("match", `[ab#1.*\[\]-]{8,12}`)
		m := newMatcher(match)
		l := newWordLines(m)
		if l.word.Empty() {
			t.Fatalf("'%s' is no word", match)
		}
		for _, form := range forms(t, draw("before", `[ab>#1.\n -]{0,6}`)+match+draw("behind", `[ab"\\>\n -]{0,6}`)) {
			var e doc.Expunged
			for _, p := range m.pieces(form) {
				if e.AddText(p); !l.add(p) {
					t.Fatalf("%q is found in %q, and its word does not act on %q", match, form, p)
				}
			}
			if by, of := l.word.RedactText(form), e.RedactText(form); by != of {
				t.Fatalf("%q in %q: the word leaves %q, its lines %q", match, form, by, of)
			}
		}
	})
}

func TestWordLines(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{"s3cret-token": true, "s3cret ": false, "s3cret token": false, "s3cret\"token": false, `s3cret\token`: false, "s3cret<token": false,
		"s3crét-token": false, "s3cret\ttoken": false, "s3cret7": false, strings.Repeat("x", 128): true, strings.Repeat("x", 129): false} {
		if l := newWordLines(newMatcher(text)); l.word.Empty() == ok {
			t.Errorf("%q: a word is %t", text, !ok)
		}
	}
	f := &finder{match: newMatcher("s3cret-token")}
	f.lines = newWordLines(f.match)
	f.derive("Set a s3cret-token")
	f.derive("Set a s3cret…")
	for i := range wordAfter + 1 {
		found, derived := f.tombstones()
		if found.Words() > 0 || found.Texts() != i || derived.Texts() != 2 || f.lines.more() != 0 {
			t.Fatalf("%d lines: %d texts, %d words, %d derived ones", i, found.Texts(), found.Words(), derived.Texts())
		}
		f.text(fmt.Sprint("the s3cret-token ", i), fmt.Sprint("the s3cret-token ", i))
	}
	f.text("the s3cret…")
	found, derived := f.tombstones()
	if found.Words() != 1 || found.Texts() != 2 || derived.Texts() != 1 || found.Texts()+f.lines.more() != wordAfter+2 {
		t.Errorf("%d texts, %d words, %d derived ones, %d more", found.Texts(), found.Words(), derived.Texts(), f.lines.more())
	}
}

// A file that is almost full has room for a word where it has none for a few lines.
func TestWordWhereFull(t *testing.T) {
	t.Parallel()
	f := &finder{match: newMatcher("s3cret-token")}
	f.lines = newWordLines(f.match)
	f.text("the s3cret-token 1", "the s3cret-token 2")
	var known doc.Expunged
	for i := range MostTombstones/len("text "+strings.Repeat("0", 64)+"\n") - 1 { // which leaves room for one more
		known.AddText(fmt.Sprint(i))
	}
	if room := MostTombstones - len(known.Bytes()); room != 100 {
		t.Fatalf("%d bytes are left", room)
	}
	if err := f.fit(known); err != nil {
		t.Fatal(err)
	}
	if found, _ := f.tombstones(); found.Words() != 1 || found.Texts() != 1 {
		t.Errorf("%d words of %d texts", found.Words(), found.Texts())
	}
	var many doc.Expunged
	for i := range doc.MaxWords + 1 {
		if err := many.AddWord(fmt.Sprintf("%08d", i*i*i)); err != nil {
			t.Fatal(err)
		}
	}
	var failed *fail.Error
	if err := checkSize(many); !errors.As(err, &failed) || failed.Code != fail.ExpungedFull {
		t.Errorf("too many words: %v", err)
	}
}

// An id in a file of local state may contain a word by chance, and a line of JSON one in an id or a name; who has pushed the word
// must not make such a file go.
func TestWordInLocalState(t *testing.T) {
	t.Parallel()
	var e doc.Expunged
	if err := e.AddWord("01JD5K0Z"); err != nil {
		t.Fatal(err)
	}
	op := &Operation{Rewriter: &Rewriter{e: e}}
	for text, quotes := range map[string]bool{
		`{"id":"01JD5K0Z3V7Q3M9K2A4B5C6D7E"}`: false, `{"01JD5K0Z":1}`: false,
		`{"id":"as 01JD5K0Z3V7Q3M9K2A4B5C6D7E"}`: true, `{"id":"01JD5K0Z3V7Q"}`: true,
	} {
		if op.quotesIn([]byte(text)) != quotes {
			t.Errorf("%s: %t", text, !quotes)
		}
	}
	path := filepath.Join(t.TempDir(), "hooks.jsonl")
	line := []byte(`{"id":"01JD5K0Z3V7Q3M9K2A4B5C6D7E","step":1}` + "\n")
	if err := os.WriteFile(path, line, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := op.dropLines(path); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, line) {
		t.Errorf("%v: %s", err, now)
	}
}
