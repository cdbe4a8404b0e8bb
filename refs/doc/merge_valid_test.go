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
