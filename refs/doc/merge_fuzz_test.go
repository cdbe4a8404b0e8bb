package doc

import (
	"errors"
	"testing"
)

// Whatever valid documents two sides have made of a third, what a merge makes of them is valid, or they conflict.
func FuzzMergeStaysValid(f *testing.F) {
	f.Add([]byte("version: 1\n"), []byte("version: 1\nb: 2\n"), []byte("--- # head\na: 1\nversion: 1\n"))
	f.Add([]byte("a: 1\n"), []byte("# x\na: {b: 1}\n"), []byte("a: [1]\n? c\n: d\n"))
	f.Add([]byte("text\n"), []byte("text\n---\n"), []byte("---\na: 1\n---\ntext\n"))
	f.Add([]byte("---\n{a: 1}\n---\ntext\n"), []byte("---\npinned: true\na: 1\n---\ntext\n"), []byte("---\n{a: 1, paths: [x]}\n---\ntext\n"))
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte) {
		valid := func(check func([]byte) error) bool {
			return errors.Join(check(base), check(ours), check(theirs)) == nil
		}
		isMetadata := func(data []byte) error {
			_, err := ParseMetadata(data)
			return err
		}
		if valid(isMetadata) {
			merged, conflicts, err := MergeMetadata(base, ours, theirs)
			if err != nil && !errors.Is(err, ErrOverLimit) {
				t.Fatalf("metadata: %v", err)
			}
			if err == nil {
				m, err := ParseMetadata(merged)
				if err != nil {
					t.Fatalf("metadata: %q: %v", merged, err)
				}
				for _, c := range conflicts {
					if err := m.Resolve(c, c.Theirs); err != nil {
						t.Fatalf("metadata: %q: %s: %v", merged, c.Path, err)
					}
				}
				if data, err := m.Bytes(); err == nil && isMetadata(data) != nil {
					t.Fatalf("metadata: resolved: %q: %v", data, isMetadata(data))
				}
			}
		}
		if valid(CheckTopic) {
			merged, conflict, err := MergeTopic("k", base, ours, theirs, addedLines)
			if err != nil || conflict == nil && CheckTopic(merged) != nil {
				t.Fatalf("topic: %q: %v", merged, err)
			}
			if conflict != nil && conflict.Ours != nil && conflict.Theirs != nil {
				both, err := UnionTopics(string(base), string(ours), string(theirs), func(b, o, t string) (string, error) {
					merged, _, err := addedLines([]byte(b), []byte(o), []byte(t))
					return string(merged), err
				})
				if err == nil && CheckTopic([]byte(both)) != nil {
					t.Fatalf("topic: union %q", both)
				}
			}
		}
	})
}
