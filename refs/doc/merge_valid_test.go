package doc

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Two valid topics whose lines together make no topic conflict: every other clone would refuse that. What settles the conflict
// by both texts is a topic, too.
func TestMergeTopicStaysValid(t *testing.T) {
	t.Parallel()
	many := func(first, last int) string {
		topic := Topic{Text: "text\n"}
		for i := first; i < last; i++ {
			topic.Paths = append(topic.Paths, fmt.Sprintf("dir/%04d.go", i))
		}
		return string(topic.Bytes())
	}
	for name, c := range map[string]struct{ base, ours, theirs string }{
		"a rule below an open fence": {"text\n", "text\n---\nmore\n", "---\nNotes: see [the page\ntext\n"},
		"too many paths":             {many(10, 1990), many(10, 1999), many(0, 1990)},
	} {
		for _, text := range []string{c.base, c.ours, c.theirs} {
			if err := CheckTopic([]byte(text)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		_, conflict, err := MergeTopic("k", []byte(c.base), []byte(c.ours), []byte(c.theirs), addedLines)
		if err != nil || conflict == nil || conflict.Kind != ConflictContent {
			t.Errorf("%s: %+v, %v; want a conflict", name, conflict, err)
		}
		both, err := UnionTopics(c.base, c.ours, c.theirs, func(base, ours, theirs string) (string, error) {
			merged, _, err := addedLines([]byte(base), []byte(ours), []byte(theirs))
			return string(merged), err
		})
		if err != nil || CheckTopic([]byte(both)) != nil {
			t.Errorf("%s: the union is %.80q, %v", name, both, err)
		}
	}
}

// addedLines merges texts of which both sides have only added lines, ours before and theirs after the same ones, or the other way round.
func addedLines(base, ours, theirs []byte) ([]byte, bool, error) {
	var merged []string
	b, o, t := slices.Collect(strings.Lines(string(base))), slices.Collect(strings.Lines(string(ours))), slices.Collect(strings.Lines(string(theirs)))
	for len(o)+len(t) > 0 {
		at := func(side []string) bool { return len(side) > 0 && (len(b) == 0 || side[0] != b[0]) }
		switch {
		case at(o):
			merged, o = append(merged, o[0]), o[1:]
		case at(t):
			merged, t = append(merged, t[0]), t[1:]
		default:
			merged, b, o, t = append(merged, b[0]), b[1:], o[1:], t[1:]
		}
	}
	return []byte(strings.Join(merged, "")), false, nil
}

// What begins a YAML document stays before its first key, wherever a merge puts that.
func TestMergeMetadataHead(t *testing.T) {
	t.Parallel()
	const base, ours = "version: 1\nb: 1\n", "version: 1\nb: 2\n"
	for _, theirs := range []string{"--- # head\na: 1\nversion: 1\nb: 1\n", "%YAML 1.1\n---\n# of a\na: 1\nversion: 1\nb: 1\n", "---\nb: 1\nversion: 2\n"} {
		for _, sides := range [][2]string{{ours, theirs}, {theirs, ours}} {
			merged, conflicts, err := MergeMetadata([]byte(base), []byte(sides[0]), []byte(sides[1]))
			if err != nil || len(conflicts) > 0 {
				t.Fatalf("%q: %v, %v", sides, conflicts, err)
			}
			m, err := ParseMetadata(merged)
			if err != nil {
				t.Fatalf("%q: %q: %v", sides, merged, err)
			}
			if b, ok, err := m.Get("b"); !ok || err != nil || b != 2 {
				t.Errorf("%q: b is %v, %v in %q", sides, b, err, merged)
			}
		}
	}
}

// Front matter in braces takes further keys.
func TestTopicInBraces(t *testing.T) {
	t.Parallel()
	topic, err := ParseTopic([]byte("---\n{foo: 1, bar: [a, b]}\n---\ntext\n"))
	if err != nil {
		t.Fatal(err)
	}
	topic.Pinned = true
	again, err := ParseTopic(topic.Bytes())
	if err != nil || !again.Pinned || again.Text != topic.Text || !strings.Contains(again.Extra, "foo: 1") {
		t.Errorf("%q: %+v, %v", topic.Bytes(), again, err)
	}
}
