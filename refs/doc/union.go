package doc

import (
	"bytes"
	"fmt"
	"slices"
)

// unionLiveLimit is the size in bytes above which a union seals the live file that it made. Without
// it, a series of merges without a commit between them would make an ever longer live file.
const unionLiveLimit = 4 * LiveLimit

// Entries is one side of a union: its live file, and those of its sealed segments that the
// other side does not have under the same path with the same bytes.
type Entries struct {
	Live     []byte
	Segments []File
}

// Union is the union of two sides. It contains every id of either exactly once.
type Union struct {
	Live     []byte
	Segments []File   // the segments that are kept, and new ones, by path
	Removed  []string // paths of given segments that are not in Segments, sorted
	Added    []string // ids that theirs has and ours lacks, sorted
	// Origins is the difference of each origin's count to that of ours.
	Origins map[string]int
	// TwoContents are the ids that had two contents, sorted. The one with fewer marks of what was expunged is kept, else
	// the bytewise smaller one.
	TwoContents []string
}

// UnionLog joins the steps of two sides:
//
//  1. If one side has nothing of its own, or both have the same, the other is kept unchanged.
//  2. A segment whose entries are in no other segment is kept byte for byte, and its entries
//     are left out of the new live file.
//  3. Segments that share an entry (both sides sealed a live file that began alike), and
//     segments with an entry that has two contents, are merged by entry and cut again.
//  4. The other entries of the live files are the new live file, sorted. It is sealed if it
//     is large.
//
// Exchanging ours and theirs gives the same bytes; only Added and Origins are relative to
// ours. How a set of entries is cut into segments may depend on the order of several
// unions, the set does not. It fails if a file cannot be parsed or a segment is not named
// by its first id.
func UnionLog(ours, theirs Entries) (Union, error) { return union(logKind(), ours, theirs) }

// UnionCommits joins the commits of two sides; see UnionLog.
func UnionCommits(ours, theirs Entries) (Union, error) { return union(commitKind(), ours, theirs) }

// side is a parsed side: its live file and segments, cut into entries.
type side struct {
	live     []rawEntry
	segments []rawSegment
}

// rawSegment is a sealed segment cut into entries.
type rawSegment struct {
	file    File
	entries []rawEntry
}

func union(k entryKind, ours, theirs Entries) (Union, error) {
	o, err := readSide(k, ours)
	if err != nil {
		return Union{}, fmt.Errorf("ours: %w", err)
	}
	t, err := readSide(k, theirs)
	if err != nil {
		return Union{}, fmt.Errorf("theirs: %w", err)
	}
	segments, removed, shared, twoContents := joinSegments(k, o, t)
	live := append(slices.Clone(o.live), t.live...)
	live = slices.DeleteFunc(live, func(e rawEntry) bool { return shared[e.id] })
	live, twoLive := dedupe(live)
	u := Union{Segments: segments, Removed: removed, TwoContents: append(twoContents, twoLive...)}
	u.setLive(k, live, ours.Live, theirs.Live, o, t)
	slices.SortFunc(u.Segments, comparePaths)
	slices.Sort(u.TwoContents)
	u.countAdded(o, t)
	return u, nil
}

func comparePaths(a, b File) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) }

func readSide(k entryKind, e Entries) (side, error) {
	var s side
	var err error
	if s.live, err = splitEntries(e.Live, k.heading); err != nil {
		return s, fmt.Errorf("%s.md: %w", k.dir, err)
	}
	for _, f := range e.Segments {
		entries, err := splitEntries(f.Data, k.heading)
		if err != nil {
			return s, fmt.Errorf("%s: %w", f.Path, err)
		}
		if len(entries) == 0 || SegmentPath(k.dir, entries[0].id) != f.Path {
			return s, fmt.Errorf("%s: not the name of its first entry", f.Path)
		}
		s.segments = append(s.segments, rawSegment{f, entries})
	}
	return s, nil
}

// setLive sets the live file. If it contains the same entries as one side's live file, it
// is that file; if both do, the smaller one.
func (u *Union) setLive(k entryKind, live []rawEntry, ourLive, theirLive []byte, o, t side) {
	asOurs, asTheirs := sameEntries(live, o.live), sameEntries(live, t.live)
	switch {
	case asOurs && asTheirs:
		u.Live = slices.MinFunc([][]byte{ourLive, theirLive}, bytes.Compare)
	case asOurs:
		u.Live = ourLive
	case asTheirs:
		u.Live = theirLive
	default:
		chunks := appendChunks(nil, nil, live)
		last := len(chunks) - 1
		if len(chunks[last].data) > unionLiveLimit {
			chunks, last = append(chunks, chunk{}), last+1
		}
		for _, p := range chunks[:last] {
			u.Segments = append(u.Segments, File{SegmentPath(k.dir, p.first), p.data})
		}
		u.Live = chunks[last].data
	}
}

func sameEntries(a, b []rawEntry) bool {
	return slices.EqualFunc(a, b, func(x, y rawEntry) bool { return x.id == y.id && x.same(&y) })
}

// countAdded computes Added and Origins, which are relative to ours.
func (u *Union) countAdded(o, t side) {
	before := make(map[string]*rawEntry)
	for e := range o.all() {
		before[e.id] = e
	}
	u.Origins = make(map[string]int)
	seen := make(map[string]bool)
	for e := range t.all() {
		old, ok := before[e.id]
		switch {
		case !ok && !seen[e.id]:
			seen[e.id] = true
			u.Added = append(u.Added, e.id)
			u.Origins[e.origin]++
		case ok && old.origin != e.origin && e.compareContent(old) < 0:
			u.Origins[old.origin]--
			u.Origins[e.origin]++
		}
	}
	slices.Sort(u.Added)
}

// all yields every entry of a side.
func (s *side) all() func(yield func(*rawEntry) bool) {
	return func(yield func(*rawEntry) bool) {
		for i := range s.live {
			if !yield(&s.live[i]) {
				return
			}
		}
		for _, seg := range s.segments {
			for i := range seg.entries {
				if !yield(&seg.entries[i]) {
					return
				}
			}
		}
	}
}

// segmentGroups is a union-find structure of segments that share an entry, directly or through
// others.
type segmentGroups struct {
	parent []int          // by segment: an earlier one of its group, or itself
	dirty  []bool         // by first segment of a group: its entries must be rewritten
	holder map[string]int // id of an entry to a segment that contains it
	first  map[string]*rawEntry
}

// joinSegments unites the segments of both sides. It returns the resulting files, the given
// paths that are not among them, the ids of all entries in segments, and the ids that had
// two contents.
func joinSegments(k entryKind, o, t side) (files []File, removed []string, sealed map[string]bool, twoContents []string) {
	segments := distinct(append(slices.Clone(o.segments), t.segments...))
	groups := groupSegments(segments)
	extra := make(map[int][]rawEntry) // by group: live entries whose content differs from the segment's
	for _, e := range append(slices.Clone(o.live), t.live...) {
		if i, ok := groups.holder[e.id]; ok && !groups.first[e.id].same(&e) {
			i = groups.find(i)
			groups.dirty[i] = true
			extra[i] = append(extra[i], e)
		}
	}
	merged := extra
	for i, s := range segments {
		if first := groups.find(i); groups.dirty[first] {
			merged[first] = append(merged[first], s.entries...)
			removed = append(removed, s.file.Path)
		} else {
			files = append(files, s.file)
		}
	}
	for _, entries := range merged {
		kept, twice := dedupe(entries)
		twoContents = append(twoContents, twice...)
		for _, p := range appendChunks(nil, nil, kept) {
			files = append(files, File{SegmentPath(k.dir, p.first), p.data})
		}
	}
	paths := make(map[string]bool, len(files))
	for _, f := range files {
		paths[f.Path] = true
	}
	removed = slices.DeleteFunc(removed, func(path string) bool { return paths[path] })
	slices.Sort(removed)
	sealed = make(map[string]bool, len(groups.holder))
	for id := range groups.holder {
		sealed[id] = true
	}
	return files, slices.Compact(removed), sealed, twoContents
}

// distinct drops a segment that both sides have alike.
func distinct(segments []rawSegment) []rawSegment {
	seen := make(map[string][]byte, len(segments))
	return slices.DeleteFunc(segments, func(s rawSegment) bool {
		data, ok := seen[s.file.Path]
		if ok && bytes.Equal(data, s.file.Data) {
			return true
		}
		seen[s.file.Path] = s.file.Data
		return false
	})
}

func groupSegments(segments []rawSegment) *segmentGroups {
	groups := &segmentGroups{
		parent: make([]int, len(segments)),
		dirty:  make([]bool, len(segments)),
		holder: make(map[string]int),
		first:  make(map[string]*rawEntry),
	}
	for i, s := range segments {
		groups.parent[i] = i
		for j := range s.entries {
			id := s.entries[j].id
			other, ok := groups.holder[id]
			if !ok {
				groups.holder[id], groups.first[id] = i, &s.entries[j]
				continue
			}
			groups.join(i, other)
		}
	}
	return groups
}

func (s *segmentGroups) find(i int) int {
	for s.parent[i] != i {
		s.parent[i] = s.parent[s.parent[i]]
		i = s.parent[i]
	}
	return i
}

// join joins the groups of two segments and marks the result dirty. i may equal j: a
// segment that contains an entry twice.
func (s *segmentGroups) join(i, j int) {
	a, b := s.find(i), s.find(j)
	s.parent[max(a, b)] = min(a, b)
	s.dirty[min(a, b)] = true
}
