package notes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/notes"
)

const (
	lastID = "76EZ91ZPZZZZZZZZZZZZZZZZZZ" // of the last millisecond of the year 9999
	pastID = "76EZ91ZQ0000000000000000ZZ" // of the first one after it
)

// counter makes ids of one moment in turn, and of those that follow lastID ones that no reader takes.
func counter() func(string) (string, error) {
	n := 0
	return func(after string) (string, error) {
		n++
		if after >= lastID {
			return pastID, nil
		}
		return fmt.Sprintf("01M7XVZYF8V2E8NKDB4EFJ2%03d", n), nil
	}
}

func score(f float64) notes.Fact { return notes.Fact{Kind: notes.KindScore, Score: &f} }

func tag(key, value string) notes.Fact {
	return notes.Fact{Kind: notes.KindTag, Key: key, Value: value}
}

// add gives facts ids behind those of a note, and adds their lines in front of the others.
func add(t *testing.T, note []byte, newID func(string) (string, error), facts ...notes.Fact) []byte {
	t.Helper()
	ids := notes.NewIDs(notes.Parse(note), "", newID)
	for _, f := range facts {
		if err := ids.Give(&f); err != nil {
			t.Fatal(err)
		}
		line, err := f.Line()
		if err != nil {
			t.Fatal(err)
		}
		note = append(append(line, '\n'), note...)
	}
	return note
}

// What is said after a fact of the largest id there is, is in force, again and again, and says nothing of other kinds and keys.
func TestIDsAfterTheLargestID(t *testing.T) {
	t.Parallel()
	newID := counter()
	note := add(t, nil, newID, score(0.9), tag("a", "mine"), tag("b", "mine"))
	for _, last := range []string{`"kind":"score","score":0.01`, `"kind":"tag","key":"a","value":"last"`, `"kind":"tag","key":"b","value":"last"`} {
		note = append(note, `{"v":1,"id":"`+lastID+`","time":"2026-11-21T01:37:00Z",`+last+"}\n"...)
	}
	judged := func(note []byte) string {
		j := notes.Judge(notes.Parse(note))
		return fmt.Sprint(*j.Score, " ", j.Tags["a"], " ", j.Tags["b"])
	}
	if got := judged(note); got != "0.01 last last" {
		t.Errorf("the largest id: %s", got)
	}
	before := len(notes.Parse(note))
	note = add(t, note, newID, score(0.7), score(0.77), tag("a", "new"))
	if got := judged(note); got != "0.77 new last" {
		t.Errorf("after the largest id: %s", got)
	}
	if n := len(notes.Parse(note)); n != before+3 {
		t.Errorf("%d facts, want %d", n, before+3)
	}
	note = add(t, note, newID, score(0.5))
	if got := judged(note); got != "0.5 new last" {
		t.Errorf("again: %s", got)
	}
	lines := strings.SplitAfter(string(note), "\n")
	slices.Reverse(lines)
	if got := judged([]byte(strings.Join(lines, ""))); got != "0.5 new last" {
		t.Errorf("in another order: %s", got)
	}
}

// Over stands only where an id cannot do it.
func TestIDsNamesNothingElse(t *testing.T) {
	t.Parallel()
	newID := counter()
	if note := add(t, add(t, nil, newID, score(0.9)), newID, score(0.8), tag("a", "b")); strings.Contains(string(note), "over") {
		t.Errorf("%s", note)
	}
}
