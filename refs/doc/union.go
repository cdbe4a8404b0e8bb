package doc

import (
	"bytes"
	"fmt"
	"slices"
)

// relive is the size above which a live file that a union made is sealed: without it a row
// of merges with no milestone between would write an ever longer live file.
const relive = 4 * LiveLimit

// Entries is one side of a union: its live file, and those of its sealed segments that
// the other side does not have under the same path with the same bytes.
type Entries struct {
	Live     []byte
	Segments []File
}

// Union is what two sides hold together. Every id of either stands in it exactly once.
type Union struct {
	Live     []byte
	Segments []File   // the segments of the two sides that stand, and new ones, by path
	Removed  []string // paths of segments given that are not among Segments, sorted
	Added    []string // ids that theirs has and ours has not, sorted
	// Origins is by how much each origin's count differs from ours.
	Origins     map[string]int
	TwoContents []string // ids that had two contents, sorted; the bytewise smaller one stands
}

// UnionLog joins the steps of two sides:
//
//  1. one side has nothing of its own, or both have the same: the other stands as it is;
//  2. a segment whose entries stand in no other segment is kept byte for byte, and what
//     the live files have of it too is left out of the new live file;
//  3. segments that share an entry (both sides sealed a live file that began alike),
//     and one of which an entry has two contents, are merged by entry and cut again;
//  4. the live files' other entries are the new live file, sorted; sealed if they are many.
//
// Ours and theirs in the other order give the same bytes; only Added and Origins say what
// is new to ours. Which segments a set of entries is cut into may depend on the order
// of several unions, the set never. A segment not named by its first id is an error.
func UnionLog(ours, theirs Entries) (Union, error) { return union(logKind(), ours, theirs) }

// UnionCommits joins the milestones of two sides; see UnionLog.
func UnionCommits(ours, theirs Entries) (Union, error) { return union(commitKind(), ours, theirs) }

// side is a side read: ids of all its entries, and its files cut into entries.
type side struct {
	live     []rawEntry
	segments []rawSegment
}

// rawSegment is a sealed segment cut into entries.
type rawSegment struct {
	file    File
	entries []rawEntry
}

func union(k kind, ours, theirs Entries) (Union, error) {
	o, err := readSide(k, ours)
	if err != nil {
		return Union{}, fmt.Errorf("ours: %w", err)
	}
	t, err := readSide(k, theirs)
	if err != nil {
		return Union{}, fmt.Errorf("theirs: %w", err)
	}
	segments, removed, shared, two := joinSegments(k, o, t)
	live := append(slices.Clone(o.live), t.live...)
	live = slices.DeleteFunc(live, func(e rawEntry) bool { return shared[e.id] })
	live, twoLive := dedupe(live)
	u := Union{Segments: segments, Removed: removed, TwoContents: append(two, twoLive...)}
	u.setLive(k, live, ours.Live, theirs.Live, o, t)
	slices.SortFunc(u.Segments, comparePaths)
	slices.Sort(u.TwoContents)
	u.count(o, t)
	return u, nil
}

func comparePaths(a, b File) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) }

func readSide(k kind, e Entries) (side, error) {
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

// setLive writes the live file. Where it holds just what one side's held, it is that
// side's file; the smaller, should both hold the same in different bytes.
func (u *Union) setLive(k kind, live []rawEntry, ourLive, theirLive []byte, o, t side) {
	asOurs, asTheirs := sameEntries(live, o.live), sameEntries(live, t.live)
	switch {
	case asOurs && asTheirs:
		u.Live = slices.MinFunc([][]byte{ourLive, theirLive}, bytes.Compare)
	case asOurs:
		u.Live = ourLive
	case asTheirs:
		u.Live = theirLive
	default:
		pieces := appendPieces(nil, nil, live)
		last := len(pieces) - 1
		if len(pieces[last].data) > relive {
			pieces, last = append(pieces, piece{}), last+1
		}
		for _, p := range pieces[:last] {
			u.Segments = append(u.Segments, File{SegmentPath(k.dir, p.first), p.data})
		}
		u.Live = pieces[last].data
	}
}

func sameEntries(a, b []rawEntry) bool {
	return slices.EqualFunc(a, b, func(x, y rawEntry) bool { return x.id == y.id && x.same(&y) })
}

// count fills Added and Origins: what stands now, less what ours had.
func (u *Union) count(o, t side) {
	had := make(map[string]*rawEntry)
	for e := range o.all() {
		had[e.id] = e
	}
	u.Origins = make(map[string]int)
	seen := make(map[string]bool)
	for e := range t.all() {
		mine, ok := had[e.id]
		switch {
		case !ok && !seen[e.id]:
			seen[e.id] = true
			u.Added = append(u.Added, e.id)
			u.Origins[e.origin]++
		case ok && mine.origin != e.origin && e.compareContent(mine) < 0:
			u.Origins[mine.origin]--
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
