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

// addedLines merges texts of which both sides have only added lines; others conflict.
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
		case len(b) == 0 || len(o) == 0 || len(t) == 0:
			return nil, true, nil
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

// A document with very many segments is compared, edited and merged as one with few is.
func TestManySegments(t *testing.T) {
	t.Parallel()
	document := func(value string) []byte {
		var b strings.Builder
		for i := range 4 * fewBlocks {
			fmt.Fprintf(&b, "k%d: %s\n", i, value)
		}
		return []byte(b.String())
	}
	before, err := ParseMetadata(document("1"))
	if err != nil {
		t.Fatal(err)
	}
	now, err := ParseMetadata([]byte(strings.Replace(string(document("2")), "k7: 2\n", "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if lost, err := now.Lost(before, true); err != nil || len(lost) != 1 || lost[0].Path != "k7" {
		t.Errorf("lost: %+v, %v", lost, err)
	}
	for _, key := range []string{"new", "k7"} {
		if _, has, _ := now.Get(key); has {
			t.Errorf("%s is there", key)
		}
		if err := now.Set(key, "3"); err != nil {
			t.Fatal(err)
		}
		if v, has, err := now.Get(key); v != 3 || !has || err != nil {
			t.Errorf("%s is %v, %v, %v", key, v, has, err)
		}
	}
	ours := strings.Replace(string(document("1")), "k3: 1\n", "k3: 2\n", 1)
	theirs := strings.Replace(string(document("1")), "k9: 1\n", "z: 1\n", 1)
	merged, conflicts, err := MergeMetadata(document("1"), []byte(ours), []byte(theirs))
	want := strings.Replace(ours, "k9: 1\n", "", 1) + "z: 1\n"
	if string(merged) != want || len(conflicts) > 0 || err != nil {
		t.Errorf("merged: %.60q…, %v, %v", merged, conflicts, err)
	}
}
