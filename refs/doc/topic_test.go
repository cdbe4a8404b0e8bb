package doc

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTopicRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Topic{Text: genText(t, "text"), Supersedes: rapid.SampledFrom([]string{"", "db", "1.0", "null", "a-b"}).Draw(t, "supersedes"),
			Extra:     rapid.SampledFrom([]string{"", "owner: me\n", "a:\n  - 1\n"}).Draw(t, "extra"),
			Pinned:    rapid.Bool().Draw(t, "pinned"),
			Confirmed: rapid.SampledFrom([]string{"", strings.Repeat("0", 40), strings.Repeat("ab", 32)}).Draw(t, "confirmed"),
			Edited:    rapid.SampledFrom([][]string{nil, {"a.go"}, {"a b", "x: y"}}).Draw(t, "edited")}
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			want.Paths = append(want.Paths, rapid.OneOf(rapid.SampledFrom([]string{"cmd/main.go", "a b", "x: y"}), rapid.Just(genText(t, "path"))).Draw(t, "p"))
		}
		data := want.Bytes()
		got, err := ParseTopic(data)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%v %s\n%s", err, diff, data)
		}
		if again := got.Bytes(); string(again) != string(data) {
			t.Fatalf("%q, then %q", data, again)
		}
	})
}

func TestTopicKeepsHostileTexts(t *testing.T) {
	for _, text := range texts() {
		for _, topic := range []Topic{{Text: text}, {Text: text, Paths: []string{text, "a/b.go"}, Supersedes: "x"}} {
			if len(text) > 10000 && topic.Paths != nil {
				continue // front matter has a limit
			}
			got, err := ParseTopic(topic.Bytes())
			if diff := cmp.Diff(topic, got); err != nil || diff != "" {
				t.Errorf("%q: %v %s", clip(text), err, diff)
			}
		}
	}
}

func TestTopicWrittenByHand(t *testing.T) {
	for text, want := range map[string]Topic{
		"":                                       {},
		"plain":                                  {Text: "plain"},
		"---\nnot closed\n":                      {Text: "---\nnot closed\n"},
		"---\npaths: a.go\n---\nx":               {Paths: []string{"a.go"}, Text: "x"},
		"---\npaths:\n---":                       {},
		"---\r\nsupersedes: b\r\n---\r\nx\r\n":   {Supersedes: "b", Text: "x\r\n"},
		"---\npinned: true\nedited: [a]\n---\nx": {Pinned: true, Edited: []string{"a"}, Text: "x"},
		"---\npinned: false\n---\nx":             {Text: "x"},
		"---\npinned: to the wall\nconfirmed: by Ada\nedited: {a: 1}\n---\nx": {Text: "x",
			Extra: "pinned: to the wall\nconfirmed: by Ada\nedited: {a: 1}\n"},
		"---\npaths: [a, 1]\nowner: me # who\n---\n---\nx": {Paths: []string{"a", "1"}, Extra: "owner: me # who\n", Text: "---\nx"},
	} {
		got, err := ParseTopic([]byte(text))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v %s", text, err, diff)
		}
	}
}

func TestTopicErrors(t *testing.T) {
	for text, line := range map[string]int{
		"a\n\xff": 2, "---\ntext\n---\n": 2, "---\na: 1\na: 2\n---\n": 3, "---\npaths: {a: 1}\n---\n": 2, "---\npaths: [[a]]\n---\n": 2,
		"---\nsupersedes: [a]\n---\n": 2, "---\na: &x 1\nb: *x\n---\n": 2,
	} {
		_, err := ParseTopic([]byte(text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Line != line {
			t.Errorf("%q: %v, want line %d", text, err, line)
		}
	}
	if _, err := ParseTopic([]byte("---\nx: " + strings.Repeat("y", MetadataLimit) + "\n---\n")); err == nil {
		t.Error("front matter over the limit")
	}
}

func TestCheckTopicKey(t *testing.T) {
	for key, want := range map[string]bool{
		"a": true, "db.pool-size_2": true, "0": true, strings.Repeat("a", 100): true, strings.Repeat("a", 101): false,
		"": false, ".a": false, "-a": false, "A": false, "a/b": false, "../x": false, "a b": false, "é": false, "a\n": false,
	} {
		if err := CheckTopicKey(key); (err == nil) != want {
			t.Errorf("%q: %v", key, err)
		}
	}
	if got := TopicPath("db"); got != "topics/db.md" {
		t.Error(got)
	}
}

// A mark replaces what a file from before there were marks has under its name.
func TestTopicMarkReplacesOtherKey(t *testing.T) {
	topic, err := ParseTopic([]byte("---\npinned: to the wall\nowner: me\n---\nx"))
	if err != nil || topic.Pinned {
		t.Fatalf("%v %+v", err, topic)
	}
	topic.Pinned = true
	if got, want := string(topic.Bytes()), "---\npinned: true\nowner: me\n---\nx"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
