package doc

import "bytes"

// MergeTopic merges one topic three ways; nil stands for a topic that is not there, also
// in what it returns.
//
//  1. both sides the same: that;
//  2. one side as in the base: the other, be it a change, an addition or a removal;
//  3. both changed it, on different lines: both changes;
//  4. both changed the same lines: conflict "content";
//  5. both added it, with different text: conflict "add/add";
//  6. one changed what the other removed: conflict "modify/delete".
//
// With a conflict, merged is ours.
func MergeTopic(key string, base, ours, theirs []byte, text TextMerge) ([]byte, *Conflict, error) {
	if merged, ok := simpleMerge(base, ours, theirs, sameFile); ok {
		return merged, nil, nil
	}
	c := &Conflict{TopicPath(key), ConflictContent, optional(base), optional(ours), optional(theirs)}
	switch {
	case base == nil:
		c.Kind = ConflictAddAdd
	case ours == nil || theirs == nil:
		c.Kind = ConflictModifyDelete
	default:
		merged, conflict, err := text(base, ours, theirs)
		if err != nil {
			return nil, nil, err
		}
		if !conflict {
			return merged, nil, nil
		}
	}
	return ours, c, nil
}

// simpleMerge takes the side that changed, if at most one did, or both did alike.
func simpleMerge[T any](base, ours, theirs T, same func(a, b T) bool) (T, bool) {
	switch {
	case same(ours, theirs), same(base, theirs):
		return ours, true
	case same(base, ours):
		return theirs, true
	}
	return ours, false
}

// sameFile tells an empty file from none.
func sameFile(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

func optional(b []byte) *string {
	if b == nil {
		return nil
	}
	s := string(b)
	return &s
}
