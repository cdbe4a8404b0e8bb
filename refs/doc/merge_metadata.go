package doc

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// MergeMetadata merges the metadata of two branches; ours is the merge's target, and base
// is nil if there is none. It merges each key path on its own: it descends into maps, and
// treats lists and scalars as values. For a path,
//
//  1. detected keys and totals (see isDetected) are ours, and so is all of `branch`;
//  2. if both sides agree, or one side equals the base: as in simpleMerge;
//  3. if both are maps: key by key; keys that only theirs has come last, in its order;
//  4. if both set different values, or one changed what the other removed: conflict "key". Null, or a map without keys, as it is left where
//     the last one was unset, is nothing that a side sets, removes or changes.
//
// The comments and the order of ours are kept. A whole segment that only theirs changed
// comes with its comments. In a conflict the result has the value of ours. A result that exceeds MetadataLimit
// loses its comments, see BytesOrLess; it fails if that is not enough, or a document cannot be parsed.
func MergeMetadata(base, ours, theirs []byte) ([]byte, []Conflict, error) {
	return mergeMetadata(base, ours, theirs, false)
}

// MergeMetadataReplica merges the metadata of one branch from two machines. It differs from
// MergeMetadata in the facts of the branch: see mergeFacts.
func MergeMetadataReplica(base, ours, theirs []byte) ([]byte, []Conflict, error) {
	return mergeMetadata(base, ours, theirs, true)
}

// metadataMerge is a merge in progress; the result is in ours.
type metadataMerge struct {
	base, ours, theirs *Metadata
	replica            bool // both sides are the same branch
	conflicts          []Conflict
}

func mergeMetadata(base, ours, theirs []byte, replica bool) ([]byte, []Conflict, error) {
	merge := metadataMerge{replica: replica}
	for _, side := range []struct {
		name string
		data []byte
		m    **Metadata
	}{{"base", base, &merge.base}, {"ours", ours, &merge.ours}, {"theirs", theirs, &merge.theirs}} {
		m, err := ParseMetadata(side.data)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: metadata.yaml: %w", side.name, err)
		}
		*side.m = m
	}
	keys := merge.ours.Keys()
	for _, k := range merge.theirs.Keys() {
		if merge.ours.find(k) == nil {
			keys = append(keys, k)
		}
	}
	for _, key := range keys {
		if err := merge.mergeSegment(key); err != nil {
			return nil, nil, err
		}
	}
	b, _, err := merge.ours.BytesOrLess()
	return b, merge.conflicts, err
}

// mergeSegment merges one top-level key. Most segments are identical on both sides and are not
// even parsed.
func (m *metadataMerge) mergeSegment(key string) error {
	b, o, t := m.base.find(key), m.ours.find(key), m.theirs.find(key)
	if isDetected(key) || key == branchKey && !m.replica {
		return nil
	}
	switch {
	case sameBlock(o, t), sameBlock(b, t):
		return nil
	case !hasDetected(key) && sameBlock(b, o):
		m.takeBlock(key, o, t)
		return nil
	}
	bn, err := blockNode(b)
	if err != nil {
		return fmt.Errorf("base: %w", err)
	}
	on, err := blockNode(o)
	if err != nil {
		return fmt.Errorf("ours: %w", err)
	}
	tn, err := blockNode(t)
	if err != nil {
		return fmt.Errorf("theirs: %w", err)
	}
	before := cloneNode(on)
	if key == branchKey {
		m.alignFacts(on, tn)
	}
	merged, err := m.mergeNode([]string{key}, bn, on, tn)
	if err != nil {
		return err
	}
	return m.store(key, before, merged)
}

// store writes a merged value into ours. The text stays if the value did not change.
func (m *metadataMerge) store(key string, before, merged *yaml.Node) error {
	switch {
	case merged == nil:
		m.ours.drop(key)
		return nil
	case before != nil && equalNodes(before, merged):
		return nil
	}
	b := m.ours.find(key)
	if b == nil {
		b = m.ours.add(key)
	}
	b.root.Content[1] = merged
	return m.ours.rewrite(b)
}

// takeBlock replaces our segment by theirs.
func (m *metadataMerge) takeBlock(key string, o, t *block) {
	m.ours.edited = true
	if t == nil {
		m.ours.drop(key)
		return
	}
	taken := *t
	taken.lead = withoutHead(t.lead)
	switch {
	case o == nil:
		m.ours.blocks = append(m.ours.blocks, taken)
	case o.lead != "":
		taken.lead = o.lead
		*o = taken
	default:
		*o = taken
	}
}

// withoutHead keeps the comments and the empty lines of those before a key. What else is there, as "---", a directive or a tag, belongs to
// the document that it begins.
func withoutHead(lead string) string {
	if lead == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(lead) {
		if line[0] == '#' || strings.TrimSpace(line) == "" {
			b.WriteString(line)
		}
	}
	return b.String()
}

func sameBlock(a, b *block) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.text == b.text
}

func blockNode(b *block) (*yaml.Node, error) {
	if b == nil {
		return nil, nil
	}
	return b.node()
}

// mergeNode merges the value at a path; nil means none.
func (m *metadataMerge) mergeNode(path []string, b, o, t *yaml.Node) (*yaml.Node, error) {
	dotted := JoinPath(path...)
	if isDetected(dotted) {
		return o, nil
	}
	if hasDetected(dotted) && (o == nil || isMap(o)) && (t == nil || isMap(t)) {
		return m.mergeMaps(path, b, o, t) // even if one side removed it: detected keys stay ours
	}
	if merged, ok := simpleMerge(b, o, t, equalNodes); ok {
		return merged, nil
	}
	if isMap(o) && isMap(t) {
		return m.mergeMaps(path, b, o, t)
	}
	switch {
	case isEmpty(b) && isEmpty(o):
		return t, nil
	case isEmpty(b) && isEmpty(t):
		return o, nil
	case isEmpty(o) && isEmpty(t):
		return nil, nil
	}
	c := Conflict{Path: "metadata.yaml#" + dotted, Kind: ConflictKey}
	for _, side := range []struct {
		n    *yaml.Node
		text **string
	}{{b, &c.Base}, {o, &c.Ours}, {t, &c.Theirs}} {
		if side.n == nil {
			continue
		}
		text, err := encodeNode(side.n)
		if err != nil {
			return nil, fmt.Errorf("metadata '%s': %w", dotted, err)
		}
		*side.text = &text
	}
	if o != nil && t != nil {
		if shown, ok := bothShown(*c.Ours, *c.Theirs); ok && shown == *c.Ours {
			return o, nil
		} else if ok && shown == *c.Theirs {
			return t, nil
		}
	}
	m.conflicts = append(m.conflicts, c)
	return o, nil
}

func isMap(n *yaml.Node) bool { return n != nil && n.Kind == yaml.MappingNode }

// isEmpty reports whether there is nothing, null, or a map without keys.
func isEmpty(n *yaml.Node) bool {
	return n == nil || n.ShortTag() == "!!null" || isMap(n) && len(n.Content) == 0
}

// mergeMaps merges two maps key by key, into the nodes of ours; nil means an empty map.
func (m *metadataMerge) mergeMaps(path []string, b, o, t *yaml.Node) (*yaml.Node, error) {
	merged := newMap()
	if o != nil {
		*merged = *o
		merged.Content = nil
	}
	add := func(key, v *yaml.Node) {
		if v != nil {
			merged.Content = append(merged.Content, key, v)
		}
	}
	inBase, inOurs, inTheirs := finding(b), finding(o), finding(t)
	for key, value := range pairs(o) {
		v, err := m.mergeNode(child(path, key.Value), inBase(key.Value), value, inTheirs(key.Value))
		if err != nil {
			return nil, err
		}
		add(key, v)
	}
	for key, value := range pairs(t) {
		if inOurs(key.Value) != nil {
			continue
		}
		v, err := m.mergeNode(child(path, key.Value), inBase(key.Value), nil, value)
		if err != nil {
			return nil, err
		}
		add(key, v)
	}
	if len(merged.Content) == 0 && (o == nil || t == nil) {
		return nil, nil
	}
	if o == nil || len(o.Content) == 0 {
		merged.Style = 0 // no braces around entries that were merged in
	}
	return merged, nil
}

// pairs yields the keys and values of a map.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if n == nil {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

func child(path []string, key string) []string { return append(slices.Clone(path), key) }

// keyDetectedFrom is the key of the code tree that the detected values were read from.
const keyDetectedFrom = "detected_from"

// isDetected reports whether the program itself detects the value at a path. Such a value
// never conflicts: the target's is kept, and the next COMMIT refreshes it.
func isDetected(path string) bool {
	switch path {
	case "file_structure.tree", "env_config.detected", "dependencies.detected", keyDetectedFrom, totalsKey:
		return true
	}
	return false
}

// hasDetected reports whether the map at a path may contain a detected key.
func hasDetected(path string) bool {
	return path == "file_structure" || path == "env_config" || path == "dependencies"
}

func cloneNode(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i := range n.Content {
		c.Content[i] = cloneNode(n.Content[i])
	}
	return &c
}

// mergeFacts merges what two machines recorded about one branch. The order of the two does
// not matter.
//
//  1. Creation: the side that changed it since the base, as a branch was recreated after one of
//     its name was renamed. If both did, or both ran init, the earlier date, together with the
//     branch that it was created from.
//  2. Closing: the side that changed it since the base. If both closed the branch, the first
//     closing; of the same second, a merge before an abandonment.
//
// Name and purpose are merged like other keys.
func mergeFacts(base, ours, theirs BranchFacts) BranchFacts {
	merged := ours
	created, ok := simpleMerge(creation(base), creation(ours), creation(theirs), sameCreation)
	order := cmp.Or(compareTimes(theirs.CreatedAt, ours.CreatedAt), cmp.Compare(theirs.CreatedFrom, ours.CreatedFrom))
	if !ok && order < 0 {
		created = creation(theirs)
	}
	merged.CreatedAt, merged.CreatedFrom = created.CreatedAt, created.CreatedFrom
	closed, ok := simpleMerge(closing(base), closing(ours), closing(theirs), sameClosing)
	if !ok && compareClosings(theirs, ours) < 0 {
		closed = closing(theirs)
	}
	merged.Status, merged.MergedInto, merged.MergedAt = closed.Status, closed.MergedInto, closed.MergedAt
	return merged
}

// creation returns only the two facts that a birth sets together.
func creation(f BranchFacts) BranchFacts {
	return BranchFacts{CreatedAt: f.CreatedAt, CreatedFrom: f.CreatedFrom}
}

func sameCreation(a, b BranchFacts) bool {
	return a.CreatedFrom == b.CreatedFrom && a.CreatedAt.Equal(b.CreatedAt)
}

// closing returns only the three facts that closing a branch sets together.
func closing(f BranchFacts) BranchFacts {
	return BranchFacts{Status: f.Status, MergedInto: f.MergedInto, MergedAt: f.MergedAt}
}

func sameClosing(a, b BranchFacts) bool {
	return a.Status == b.Status && a.MergedInto == b.MergedInto && a.MergedAt.Equal(b.MergedAt)
}

// compareClosings orders closings by precedence: the one to keep comes first.
func compareClosings(a, b BranchFacts) int {
	return cmp.Or(
		cmp.Compare(closingRank(a.Status)/2, closingRank(b.Status)/2),
		compareTimes(a.MergedAt, b.MergedAt),
		cmp.Compare(closingRank(a.Status), closingRank(b.Status)),
		cmp.Compare(a.MergedInto, b.MergedInto),
	)
}

// closingRank is 0 or 1 if the status means closed.
func closingRank(status string) int {
	switch status {
	case StatusMerged:
		return 0
	case StatusAbandoned:
		return 1
	case StatusActive:
		return 2
	}
	return 4
}

// compareTimes orders times; an unknown time comes last.
func compareTimes(a, b time.Time) int {
	switch {
	case a.IsZero() && b.IsZero():
		return 0
	case a.IsZero():
		return 1
	case b.IsZero():
		return -1
	}
	return a.Compare(b)
}

// alignFacts writes the merged facts into both sides, so that the merge by keys that
// follows finds no difference.
func (m *metadataMerge) alignFacts(o, t *yaml.Node) {
	if !isMap(o) || !isMap(t) {
		return
	}
	merged := mergeFacts(m.base.Branch(), m.ours.Branch(), m.theirs.Branch())
	for _, n := range []*yaml.Node{o, t} {
		for _, f := range []struct{ key, value string }{
			{"created_from", merged.CreatedFrom}, {"created_at", formatTime(merged.CreatedAt)},
			{"status", merged.Status}, {"merged_into", merged.MergedInto}, {"merged_at", formatTime(merged.MergedAt)},
		} {
			if old := lookup(n, f.key); f.value == "" {
				remove(n, f.key)
			} else if old == nil || old.Value != f.value {
				put(n, f.key, factNode(f.key, f.value))
			}
		}
	}
}
