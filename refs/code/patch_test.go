package code

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/refs/git"
)

// However git's output comes in pieces, whole diffs are handed on, each once and in
// order, and what is too large for one is left out without its neighbours.
func TestPatchesAreCutBetweenCommits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := &patches{chunk: rapid.IntRange(1, 500).Draw(rt, "chunk"), most: 1000}
		var got [][]byte
		p.ask = func(diffs []byte) error {
			if len(diffs) < 41 || !git.IsID(string(diffs[:40])) {
				rt.Fatalf("handed on from within a diff: %q", diffs)
			}
			got = append(got, bytes.Clone(diffs))
			return nil
		}
		var all strings.Builder
		var small []string
		for i := range rapid.IntRange(1, 8).Draw(rt, "commits") {
			text := fmt.Sprintf("%040x\ndiff --git a/f b/f\n", i)
			// A name of a commit stands behind a sign, or not alone.
			line := rapid.SampledFrom([]string{"+" + text[:40] + "\n", text[:40] + " \n", "-x\n", "\n"}).Draw(rt, "line")
			text += strings.Repeat(line, rapid.IntRange(0, 20).Draw(rt, "lines"))
			if rapid.Bool().Draw(rt, "large") {
				text += strings.Repeat("+large\n", 400)
			} else {
				small = append(small, text)
			}
			all.WriteString(text)
		}
		rest := []byte(all.String())
		for len(rest) > 0 {
			n := min(rapid.IntRange(1, 700).Draw(rt, "piece"), len(rest))
			if _, err := p.Write(rest[:n]); err != nil {
				rt.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := p.hand(len(p.held)); err != nil {
			rt.Fatal(err)
		}
		if joined := string(bytes.Join(got, nil)); joined != strings.Join(small, "") {
			rt.Fatalf("handed on:\n%s\nwant:\n%s", joined, strings.Join(small, ""))
		}
	})
}

func TestReplacing(t *testing.T) {
	t.Parallel()
	at := func(id, author, title string) Candidate {
		return Candidate{ID: git.ID(id), Author: author, Title: title}
	}
	old := at("old", "ada 1", "pool")
	patches := map[git.ID]string{"old": "p", "p1": "p", "p2": "p", "both": "p", "same": "q", "empty": ""}
	for _, c := range []struct {
		name string
		list []Candidate
		want string
	}{
		{"nothing", nil, ""},
		{"others", []Candidate{at("x", "ada 1", "else"), at("y", "ada 2", "pool")}, ""},
		{"the same change", []Candidate{at("x", "ada 1", "else"), at("p1", "bob 2", "else")}, "p1"},
		{"the same change twice", []Candidate{at("p1", "bob 2", "else"), at("p2", "bob 3", "else")}, "p1 p2"},
		{"one of them by the same author", []Candidate{at("p1", "bob 2", "else"), at("both", "ada 1", "pool")}, "both"},
		{"amended", []Candidate{at("same", "ada 1", "pool"), at("x", "bob 1", "pool")}, "same"},
		{"the same change goes before", []Candidate{at("same", "ada 1", "pool"), at("p1", "bob 2", "else")}, "p1"},
	} {
		var got []string
		for _, id := range replacing(old, c.list, patches) {
			got = append(got, string(id))
		}
		if joined := strings.Join(got, " "); joined != c.want {
			t.Errorf("%s: %q, want %q", c.name, joined, c.want)
		}
	}
	if got := replacing(at("empty", "ada 1", "x"), []Candidate{at("none", "bob 2", "y")}, patches); len(got) > 0 {
		t.Errorf("two commits that change nothing are no pair: %v", got)
	}
}
