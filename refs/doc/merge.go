package doc

import "bytes"

// The kinds of conflicts.
const (
	ConflictContent      = "content"       // both sides changed the same lines
	ConflictAddAdd       = "add/add"       // both sides added it, with different texts
	ConflictModifyDelete = "modify/delete" // one side changed what the other removed
	ConflictKey          = "key"           // both sides set one key of metadata.yaml to different values
	ConflictProse        = "prose"         // both sides rewrote the same prose of main.md
)

// Conflict is one place where the two sides of a merge contradict each other.
type Conflict struct {
	// Path is "topics/<key>.md", "metadata.yaml#<dotted path>" or "main.md#<section>".
	Path, Kind string
	// The text in the base and on the two sides; for a key, its value as YAML. nil means
	// absent.
	Base, Ours, Theirs *string
}

// TextMerge merges two changes of one text by lines, as git merge-file does. An empty base
// means that there is none.
type TextMerge func(base, ours, theirs []byte) (merged []byte, conflict bool, err error)

// MergeTopic merges one topic three ways. nil means that the topic does not exist, also in
// the result.
//
//  1. both sides are the same: that;
//  2. one side equals the base: the other, be it a change, an addition or a removal;
//  3. both changed it, on different lines: both changes;
//  4. both changed the same lines, or the lines of both make no valid topic: conflict "content";
//  5. both added it, with different texts: conflict "add/add";
//  6. one changed what the other removed: conflict "modify/delete".
//
// In cases 4 and 5 there is no conflict where the sides differ only in what reads "(expunged)" on one of them.
//
// In cases 3 to 5 the marks of the front matter (pinned, confirmed, edited) never conflict: both sides
// are compared without them, and a pin of either side stays.
//
// In a conflict, the result is ours. The only errors are those of text.
func MergeTopic(key string, base, ours, theirs []byte, text TextMerge) ([]byte, *Conflict, error) {
	if merged, ok := simpleMerge(base, ours, theirs, sameFile); ok {
		return merged, nil, nil
	}
	m, marked := readMarked(base, ours, theirs)
	if !marked {
		return mergeTopic(key, base, ours, theirs, text)
	}
	b, o, t := m.bare(base)
	merged, c, err := mergeTopic(key, b, o, t, text)
	switch {
	case err != nil:
		return nil, nil, err
	case c != nil:
		c.Base, c.Ours, c.Theirs = optional(base), optional(ours), optional(theirs)
		return ours, c, nil
	}
	if whole, err := m.merge(merged); err == nil && CheckTopic(whole) == nil {
		return whole, nil, nil
	}
	return mergeTopic(key, base, ours, theirs, text) // the merged lines are no front matter
}

// mergeTopic merges the whole files.
func mergeTopic(key string, base, ours, theirs []byte, text TextMerge) ([]byte, *Conflict, error) {
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
		if !conflict && CheckTopic(merged) == nil { // the lines of two topics may make front matter that is none
			return merged, nil, nil
		}
	}
	if shown, ok := bothShown(string(ours), string(theirs)); ok && c.Kind != ConflictModifyDelete && CheckTopic([]byte(shown)) == nil {
		return []byte(shown), nil, nil
	}
	return ours, c, nil
}

// simpleMerge returns the changed side if at most one side changed, or both did alike.
// Otherwise it returns false.
func simpleMerge[T any](base, ours, theirs T, same func(a, b T) bool) (T, bool) {
	switch {
	case same(ours, theirs), same(base, theirs):
		return ours, true
	case same(base, ours):
		return theirs, true
	}
	return ours, false
}

// sameFile compares two files, of which nil is none and differs from an empty one.
func sameFile(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

func optional(b []byte) *string {
	if b == nil {
		return nil
	}
	s := string(b)
	return &s
}
