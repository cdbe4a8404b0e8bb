package doc

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func words(t testing.TB, list ...string) (e Expunged) {
	t.Helper()
	for _, w := range list {
		if err := e.AddWord(w); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func TestWordFile(t *testing.T) {
	e := words(t, "s3cret-token")
	// The hash is what `printf s3cret-token | sha256sum` says, the beginning what
	// python3 -c 'print(hex(int.from_bytes(b"s3cret-t", "little") * 0x9E3779B97F4A7C15 % 2**64 >> 52))' says.
	const value = "12-19e-a81e611a041b13f078bf8ebe5dab4d4fd63fcc5594661c918bec093a2f416a7e"
	if diff := cmp.Diff("word "+value+"\n", string(e.Bytes())); diff != "" {
		t.Error(diff)
	}
	back, err := ParseExpunged(e.Bytes())
	if err != nil || !back.HasText("- the s3cret-token, here") || back.HasText("s3cret-toke") || back.Words() != 1 || back.Texts() != 1 || back.InForce() != 1 {
		t.Errorf("%v %v", err, back)
	}
	if len(back.TextHashes()) > 0 || back.OnlyTexts().Empty() || !back.OnlyText("s3cret-token").Empty() {
		t.Error("a word counts as the text of a line")
	}
	for _, bad := range []string{"", "short12", strings.Repeat("x", 129), " 12345678", "12345678\t", "1234\n5678"} {
		if e.AddWord(bad) == nil {
			t.Errorf("%q is a word", bad)
		}
	}
	for _, ok := range []string{"12345678", strings.Repeat("x", 128)} {
		if e := words(t, ok); !e.HasText("a"+ok+"b") || e.HasText(ok[1:]) {
			t.Errorf("'%s' is not found", ok)
		}
	}
}

func TestParseWordsRefuses(t *testing.T) {
	hash := strings.Repeat("0a", 32)
	for _, value := range []string{"7-0ab-" + hash, "129-0ab-" + hash, "08-0ab-" + hash, "+8-0ab-" + hash, "8-0AB-" + hash, "8-ab-" + hash, "8-00ab-" + hash,
		"8-0ab-" + hash[2:], "8-0ab-" + strings.ToUpper(hash), "8-0ab" + hash, "8-0ab-" + hash + "-", "8-0ab-" + hash + " 1", "8-0ab-" + hash + " 1001", hash, ""} {
		var syntax *SyntaxError
		if _, err := ParseExpunged([]byte("word " + value + "\n")); !errors.As(err, &syntax) || syntax.Line != 1 {
			t.Errorf("'%s': %v", value, err)
		}
	}
	text := "text " + hash + "\n"
	for most, form := range map[int]string{MaxWords: "word 8-%03[1]x-%[2]s 2\n", MaxAlike: "word %[1]d-0ab-%[2]s\n"} {
		file := text
		for i := range most + 1 {
			if e, err := ParseExpunged([]byte(file)); err != nil || e.WordsFit(2) != (i <= most/2) {
				t.Fatalf("%d words: %v", i, err)
			}
			file += fmt.Sprintf(form, i+10, hash)
		}
		if _, err := ParseExpunged([]byte(file)); err == nil {
			t.Errorf("more than %d words were read", most)
		}
	}
}

// Whatever makes a set of others keeps its words, and the numbers of these decide.
func TestWordTurns(t *testing.T) {
	asked, text := words(t, "s3cret-token"), forget(t, "s3cret-token")
	refused := asked.Refuse(asked)
	again := refused.Union(refused.Again(asked))
	for what, e := range map[string]Expunged{
		"asked": asked, "again": again, "an old refusal": again.Union(refused), "since": again.Since(refused), "without": again.Without(refused),
		"except": asked.Union(text).Except(text), "of": asked.Union(text).Of(asked), "texts": asked.OnlyTexts(), "hits": asked.HitsText("a s3cret-token"),
		"refused, as if in force": refused.Refused(), "a copy": func(e Expunged) Expunged { e.mark = Redaction; return e }(asked),
	} {
		if !e.HasText("the s3cret-token of") || e.Words() != 1 {
			t.Errorf("%s: not in force", what)
		}
	}
	for what, e := range map[string]Expunged{"refused": refused, "both": asked.Union(refused), "only the text": asked.Union(text).Except(asked), "no hits": asked.HitsText("s3cret")} {
		if e.HasText("the s3cret-token of") {
			t.Errorf("%s: in force", what)
		}
	}
	if !refused.Union(text).HasText("s3cret-token") {
		t.Error("a text in force does not count where its word was refused")
	}
	if far := (Expunged{turns: map[string]int{wordName("s3cret-token"): maxJump + 2}}); !asked.Jumps(far) {
		t.Error("a number far beyond was not told")
	}
	both := asked.Union(text).Hits
	if hits, err := both(TopicPath("x"), []byte("s3cret-token\n")); err != nil || hits.Texts() != 2 {
		t.Errorf("%v %s", err, hits.Bytes())
	}
}

// An entry in which a word was replaced is told from any other one, and comes back with the very lines that it had.
func TestWordHides(t *testing.T) {
	entry := func(lines string) []byte {
		return FormatLog([]Step{{ID: idA, Time: testTime(), Agent: "a", Origin: "main", Observation: lines}})
	}
	e, whole := words(t, "s3cret-token"), entry("one\nthe s3cret-token\nthree")
	hidden := mustRedact(t, e, LogFile, whole).Data
	lines := HiddenLines{Texts: e.HiddenIn(whole)}
	n := 0
	for _, of := range lines.Texts {
		n += len(of.TextHashes())
	}
	if n != 1 || !lines.CameBack(hidden, whole, e) || lines.CameBack(hidden, entry("one\nanother s3cret-token\nthree"), e) {
		t.Errorf("%d lines came back: %v", n, lines)
	}
	refused := e.Refuse(e)
	if !refused.Hides(hidden, whole) || refused.Hides(hidden, entry("two\nthe s3cret-token\nthree")) {
		t.Error("what was hidden is not told from other words")
	}
}

// A redacted key contains the hash of what it replaces, and "(expunged)" may contain a word: neither is redacted again.
func TestWordInRedactedKey(t *testing.T) {
	data := []byte("version: 1\nx:\n  the hunter2x key: 1\n  '- the hunter2x key': 2\n")
	e := words(t, "hunter2x")
	now := mustRedact(t, e, MetadataFile, data)
	hash := strings.TrimPrefix(textLine("the hunter2x key"), "text ")
	if !strings.Contains(string(now.Data), "(expunged "+hash+")") || strings.Contains(string(now.Data), "hunter") {
		t.Fatalf("%s", now.Data)
	}
	all := e.Union(words(t, hash[5:15], "(expunged", "expunged "+hash[:6], hash[50:]+" 2)"))
	if again := mustRedact(t, all, MetadataFile, now.Data); !bytes.Equal(again.Data, now.Data) {
		t.Errorf("again: %s", again.Data)
	}
	for _, key := range []string{"(expunged hunter2x)", "(-a hunter2x)", "(expunged " + hash + "hunter2x)"} {
		if !e.HasText(key) {
			t.Errorf("'%s' hides a word", key)
		}
	}
}

// A word does the same as the texts of all pieces that contain it, whatever goes first.
func TestWordLaws(t *testing.T) {
	t.Parallel()
	list := []string{"use hunter2", "e hunter2", "it: holds", "expunged", "(expunged)", "t: holds"}
	rapid.Check(t, func(t *rapid.T) {
		path, data := drawDocument(t)
		if checkRedacted(path, data) != nil {
			return
		}
		var one, same Expunged
		word := rapid.SampledFrom(list).Draw(t, "word")
		if err := one.AddWord(word); err != nil {
			t.Fatal(err)
		}
		for _, piece := range pieceWords() {
			if strings.Contains(piece, word) {
				same.AddText(piece)
			}
		}
		two := drawExpunged(t, "two")
		if rapid.Bool().Draw(t, "another word") {
			if err := two.AddWord(rapid.SampledFrom(list).Draw(t, "other")); err != nil {
				t.Fatal(err)
			}
		}
		r, err := one.Redact(path, data)
		if err != nil {
			return // TestRedactLaws
		}
		if diff := cmp.Diff(string(mustRedact(t, same, path, data).Data), string(r.Data)); diff != "" {
			t.Fatalf("%q: %s", word, diff)
		}
		holdLaws(t, path, data, one, two)
		holdLaws(t, path, data, two, one)
	})
}

// FuzzWords compares the search with a plain one.
func FuzzWords(f *testing.F) {
	f.Add("- the s3cret-token of\nothers\ns3cret-tokens3cret-token", "s3cret-token")
	f.Add("12. 12345678\n(expunged)\n", "12345678")
	f.Add("aaaaaaaaaaaaaaaa", "aaaaaaaab")
	f.Fuzz(func(t *testing.T, text, word string) {
		var e Expunged
		if e.AddWord(word) != nil {
			return
		}
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			if marks, piece, space := cutPiece(line); strings.Contains(piece, word) && !IsMark(piece) && !isRedactedKey(piece) {
				lines[i] = marks + Redaction + space
			}
		}
		if diff := cmp.Diff(strings.Join(lines, "\n"), e.RedactText(text)); diff != "" {
			t.Fatalf("%q in %q: %s", word, text, diff)
		}
	})
}

func BenchmarkRedactText(b *testing.B) {
	text := strings.Repeat("The pool may not be initialised before the router asks for a connection\n", 14000)
	line := strings.ReplaceAll(text, "\n", " ")
	most, runs := Expunged{}, Expunged{}
	for i := range MaxWords {
		most.add(wordName(fmt.Sprintf("%08d%s", i*7919, strings.Repeat("x", i))))
	}
	for i := range MaxAlike {
		runs.add(wordName(strings.Repeat("a", MaxWord-1-i) + "b"))
	}
	for _, c := range []struct {
		name, text string
		e          Expunged
	}{
		{"texts", text, forget(b, "x")},
		{"a word", text, words(b, "s3cret-token")},
		{"all words", text, most},
		{"texts, one line", line, forget(b, "x")},
		{"all words, one line", line, most},
		{"a run of what words begin with", strings.Repeat("a", len(text)), runs},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				c.e.RedactText(c.text)
			}
		})
	}
}
