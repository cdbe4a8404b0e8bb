package doc

import (
	"bytes"
	"slices"
)

// groups is a union-find structure of segments that share an entry, directly or through
// others.
type groups struct {
	parent []int          // by segment: an earlier one of its group, or itself
	dirty  []bool         // by first segment of a group: its entries must be rewritten
	holder map[string]int // id of an entry to a segment that contains it
	first  map[string]*rawEntry
}

// joinSegments unites the segments of both sides. It returns the resulting files, the given
// paths that are not among them, the ids of all entries in segments, and the ids that had
// two contents.
func joinSegments(k kind, o, t side) (files []File, removed []string, sealed map[string]bool, two []string) {
	segments := distinct(append(slices.Clone(o.segments), t.segments...))
	g := group(segments)
	extra := make(map[int][]rawEntry) // by group: live entries whose content differs from the segment's
	for _, e := range append(slices.Clone(o.live), t.live...) {
		if i, ok := g.holder[e.id]; ok && !g.first[e.id].same(&e) {
			i = g.find(i)
			g.dirty[i] = true
			extra[i] = append(extra[i], e)
		}
	}
	merged := extra
	for i, s := range segments {
		if first := g.find(i); g.dirty[first] {
			merged[first] = append(merged[first], s.entries...)
			removed = append(removed, s.file.Path)
		} else {
			files = append(files, s.file)
		}
	}
	for _, entries := range merged {
		kept, twice := dedupe(entries)
		two = append(two, twice...)
		for _, p := range appendPieces(nil, nil, kept) {
			files = append(files, File{SegmentPath(k.dir, p.first), p.data})
		}
	}
	stands := make(map[string]bool, len(files))
	for _, f := range files {
		stands[f.Path] = true
	}
	removed = slices.DeleteFunc(removed, func(path string) bool { return stands[path] })
	slices.Sort(removed)
	sealed = make(map[string]bool, len(g.holder))
	for id := range g.holder {
		sealed[id] = true
	}
	return files, slices.Compact(removed), sealed, two
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

func group(segments []rawSegment) *groups {
	g := &groups{make([]int, len(segments)), make([]bool, len(segments)), make(map[string]int), make(map[string]*rawEntry)}
	for i, s := range segments {
		g.parent[i] = i
		for j := range s.entries {
			id := s.entries[j].id
			other, ok := g.holder[id]
			if !ok {
				g.holder[id], g.first[id] = i, &s.entries[j]
				continue
			}
			g.join(i, other)
		}
	}
	return g
}

func (g *groups) find(i int) int {
	for g.parent[i] != i {
		g.parent[i] = g.parent[g.parent[i]]
		i = g.parent[i]
	}
	return i
}

// join joins the groups of two segments and marks the result dirty. i may equal j: a
// segment that contains an entry twice.
func (g *groups) join(i, j int) {
	a, b := g.find(i), g.find(j)
	g.parent[max(a, b)] = min(a, b)
	g.dirty[min(a, b)] = true
}
