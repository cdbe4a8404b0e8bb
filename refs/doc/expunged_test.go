package doc

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const (
	idA = "01JD5K0Z3V7Q3M9K2A4B5C6D7E"
	idB = "01JD5K0Z3V7Q3M9K2A4B5C6D7F"
	idC = "01JD5K0Z3V7Q3M9K2A4B5C6D7G"
)

// forget makes tombstones of ids and of lines.
func forget(t testing.TB, words ...string) Expunged {
	t.Helper()
	var e Expunged
	for _, w := range words {
		if !ValidID(w) {
			e.AddText(w)
		} else if err := e.AddEntry(w); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func TestExpungedFile(t *testing.T) {
	e := forget(t, idB, idA, "key: hunter2")
	if err := e.AddCommit(strings.Repeat("a", 40)); err != nil {
		t.Fatal(err)
	}
	// The hash is what `printf 'key: hunter2' | sha256sum` says.
	want := "commit " + strings.Repeat("a", 40) + "\nentry " + idA + "\nentry " + idB + "\ntext d07b535330ba1aa065afd115a8e0f0f3814d418db9132e09e421d9f0c17db7e8\n"
	if diff := cmp.Diff(want, string(e.Bytes())); diff != "" {
		t.Error(diff)
	}
	back, err := ParseExpunged(e.Bytes())
	if err != nil || !bytes.Equal(back.Bytes(), e.Bytes()) || !back.Contains(e) || !e.Contains(back) {
		t.Errorf("%v %s", err, back.Bytes())
	}
	if !slices.Equal(e.Entries(), []string{idA, idB}) || !slices.Equal(e.Commits(), []string{strings.Repeat("a", 40)}) {
		t.Errorf("%v %v", e.Entries(), e.Commits())
	}
	if !e.HasEntry(idA) || e.HasEntry(idC) || !e.HasText("  > - [x] key: hunter2\r") || e.HasText("key: hunter") || e.HasText("") {
		t.Error("what is held")
	}
	if (Expunged{}).Contains(e) || !e.Contains(Expunged{}) || !(Expunged{}).Empty() || e.Empty() {
		t.Error("the empty set")
	}
	if e.AddEntry("x") == nil || e.AddCommit("abc") == nil || e.AddCommit(strings.Repeat("A", 40)) == nil {
		t.Error("no id and no hash was taken")
	}
}

func TestParseExpungedRefuses(t *testing.T) {
	a, b := "entry "+idA+"\n", "entry "+idB+"\n"
	for text, line := range map[string]int{
		b + a:                                  2,
		a + a:                                  2,
		a + "entry x\n":                        2,
		"secret abc\n":                         1,
		"\n":                                   1,
		a + "entry " + idB:                     2,
		"text " + strings.Repeat("0", 40):      1,
		"text " + strings.Repeat("g", 64):      1,
		"commit " + strings.Repeat("0", 41):    1,
		a + "entry  " + idB + "\n":             2,
		a + "entry " + idB + " \n":             2,
		a + b + "entry \xff\n":                 3,
		"text " + strings.Repeat("A", 64):      1,
		"entry " + strings.ToLower(idA) + "\n": 1,
	} {
		_, err := ParseExpunged([]byte(text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Line != line {
			t.Errorf("%q: %v, want line %d", text, err, line)
		}
	}
	if _, err := ParseExpunged(make([]byte, MaxExpunged+1)); err == nil {
		t.Error("a file over the limit was read")
	}
}

func TestPieces(t *testing.T) {
	for line, want := range map[string][3]string{
		"x":                 {"", "x", ""},
		"  > > - [ ] a b\r": {"  > > - [ ] ", "a b", "\r"},
		"- [x] ":            {"- [x]", "", " "},
		"- [y] z":           {"- ", "[y] z", ""},
		"12. - x":           {"12. - ", "x", ""},
		`\## x`:             {`\## `, "x", ""},
		`\x`:                {"", `\x`, ""},
		"-x":                {"", "-x", ""},
		"#x":                {"", "#x", ""},
		">":                 {">", "", ""},
		"---":               {"", "---", ""},
		"* + - 3) x":        {"* + - 3) ", "x", ""},
		"1234567890. x":     {"", "1234567890. x", ""},
	} {
		marks, piece, space := cutPiece(line)
		if got := [3]string{marks, piece, space}; got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`[ ->#\\*x\[\]1.\t\r]*`).Draw(t, "line")
		marks, piece, space := cutPiece(line)
		again, same, _ := cutPiece(piece)
		if marks+piece+space != line || again != "" || same != piece {
			t.Fatalf("%q is %q %q %q, and %q of %q", line, marks, piece, space, same, piece)
		}
	})
}

// finder finds a text exactly as it is.
func finder(match string) Finder {
	return func(text string) (found []Span) {
		for at := range text {
			if match != "" && strings.HasPrefix(text[at:], match) {
				found = append(found, Span{at, at + len(match)})
			}
		}
		return found
	}
}

func TestTextPieces(t *testing.T) {
	for _, c := range []struct {
		text, match string
		want        []string
	}{
		{"a\n- key hunter2\nb", "hunter2", []string{"key hunter2"}},
		{"a\nb\nc\n", "a\nb", []string{"a", "b"}},
		{"aaa\naaa", "aa", []string{"aaa"}},
		{"ab\nab\nb", "b\na", []string{"ab"}},
		{"xaa\naab", "a\na", []string{"xaa", "aab"}},
		{"a\n\nb", "a\n\nb", []string{"a", "b"}},
		{"a\nb", "a\n", []string{"a"}},
		{"a\nb", "\n", nil},
		{"a", "", nil},
		{"a", "b", nil},
	} {
		if diff := cmp.Diff(c.want, TextPieces(c.text, finder(c.match))); diff != "" {
			t.Errorf("%q in %q: %s", c.match, c.text, diff)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text, match := rapid.StringMatching(`[ab\n]*`).Draw(t, "text"), rapid.StringMatching(`[ab][ab\n]{0,3}`).Draw(t, "match")
		var e Expunged
		for _, piece := range TextPieces(text, finder(match)) {
			e.AddText(piece)
		}
		if left := e.RedactText(text); strings.Contains(strings.ReplaceAll(left, Redaction, "R"), match) {
			t.Fatalf("%q is left in %q", match, left)
		}
	})
}

func TestRedactText(t *testing.T) {
	e := forget(t, "key hunter2")
	got := e.RedactText("> - [ ] key hunter2\r\nkey hunter2 again\n## key hunter2\n  key hunter2")
	if want := "> - [ ] (expunged)\r\nkey hunter2 again\n## (expunged)\n  (expunged)"; got != want {
		t.Errorf("%q", got)
	}
}

// Quotes are what a summary says of a milestone, at once and when it is older.
func TestQuotes(t *testing.T) {
	long := strings.Repeat("word ", 300)
	for _, m := range []Commit{
		{ID: idA, Number: 3, Origin: "main", Summary: "Keyed with hunter2. It works.", Contribution: "It was plain:\n\n- in the code\n```\n" + long},
		{ID: idA, Number: 3, Origin: "main", Summary: long, Contribution: long + "\nand"},
		{ID: idA, Summary: "One thing", Contribution: "One thing"},
	} {
		e := forget(t, Quotes(m, 600, 300)...)
		plain := Commit{ID: idB, Number: 4, Origin: "main", Summary: "Next"}
		for _, limit := range []int{600, 300} {
			now := NextProgress(m, limit)
			plain.Progress = now
			later := NextProgress(plain, limit)
			again := m
			again.Progress = "- main 2: Old"
			for _, text := range []string{now, later, NextProgress(again, limit)} {
				left := e.RedactText(text)
				if strings.Contains(left, "hunter2") || strings.Contains(left, "word") || strings.Contains(left, "One thing") {
					t.Errorf("%d: %s", limit, left)
				}
				if _, _, free := parseProgress(left); free {
					t.Errorf("%q is no progress any more", left)
				}
				for _, piece := range QuotesIn(m, text) {
					if !e.HasText(piece) {
						t.Errorf("%q is no quote", piece)
					}
				}
			}
		}
		if cut := QuotesIn(m, "- "+progressItem(m)[:7]+"…\n- other…\n…"); len(cut) != 1 {
			t.Errorf("cut by an unknown limit: %q", cut)
		}
	}
	if got := QuotesIn(Commit{Summary: "It  works"}, "exp merged into main: It works"); len(got) != 1 {
		t.Errorf("an outcome: %q", got)
	}
	if Quotes(Commit{Kind: KindBirth, Summary: "x"}) != nil || QuotesIn(Commit{}, "…") != nil {
		t.Error("a birth is quoted")
	}
}

// What is refused comes back, what is expunged again goes again, in whatever order the files meet.
func TestExpungedTurns(t *testing.T) {
	t.Parallel()
	const id = "01JD5K0Z3V7Q3M9K2A4B5C6D7E"
	var asked Expunged
	if err := asked.AddEntry(id); err != nil {
		t.Fatal(err)
	}
	asked.AddText("a line")
	refused := asked.Refuse(asked)
	again := refused.Union(refused.Again(asked))
	for _, c := range []struct {
		name     string
		e        Expunged
		inForce  bool
		fileEnds string
	}{
		{"asked", asked, true, id},
		{"refused", refused, false, id + " 2"},
		{"both", asked.Union(refused), false, id + " 2"},
		{"an old file", refused.Union(asked), false, id + " 2"},
		{"again", again, true, id + " 3"},
		{"an old refusal", again.Union(refused), true, id + " 3"},
	} {
		if c.e.HasEntry(id) != c.inForce || c.e.HasText("a line") != c.inForce || (len(c.e.Entries()) == 1) != c.inForce {
			t.Errorf("%s: in force is %t, want %t", c.name, c.e.HasEntry(id), c.inForce)
		}
		data := c.e.Bytes()
		if !strings.Contains(string(data), "entry "+c.fileEnds+"\n") {
			t.Errorf("%s: the file is\n%s", c.name, data)
		}
		if back, err := ParseExpunged(data); err != nil || !back.Contains(c.e) || !c.e.Contains(back) {
			t.Errorf("%s: parsed: %v, %v", c.name, back, err)
		}
	}
	for _, bad := range []string{"entry " + id + " 1\n", "entry " + id + " 02\n", "entry " + id + " 1001\n", "entry " + id + " \n",
		"commit " + strings.Repeat("0", 40) + " 2\n"} {
		if _, err := ParseExpunged([]byte(bad)); err == nil {
			t.Errorf("'%s' is taken", bad)
		}
	}
	last := Expunged{turns: map[string]int{"entry " + id: maxTurns}}
	if last.Again(asked).HasEntry(id) {
		t.Error("what was refused for the last time is in force")
	}
}
