//go:build unix

package test

import (
	"cmp"
	"slices"
	"strings"
)

// graph is what the commits of memory and those of the roadmap have in common.
type graph[T any] interface {
	comparable
	before() []T
	milestoneID() string // "" for none, unknownID where the real side has not told it
	roadmapThen() *modelRoadmap
}

const unknownID = "?"

func (n *modelNode) before() []*modelNode       { return n.parents }
func (n *modelNode) roadmapThen() *modelRoadmap { return n.roadmap }

func (n *modelNode) milestoneID() string {
	if n.mark == nil {
		return ""
	}
	return cmp.Or(n.mark.id, unknownID)
}

// ancestors are a commit and all that it goes back to.
func ancestors[T graph[T]](of ...T) map[T]bool {
	seen := map[T]bool{}
	for todo := of; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[n] {
			seen[n] = true
			todo = append(todo, n.before()...)
		}
	}
	return seen
}

// holds reports whether a commit goes back to another one.
func holds[T graph[T]](n, older T) bool { return ancestors(n)[older] }

// bestBases are the best common ancestors, in the order of a walk from a: what is made of
// several does not depend on it, but for the text of a disagreement.
func bestBases[T graph[T]](a T, b ...T) []T {
	below, common := ancestors(b...), []T{}
	for _, n := range ordered(a) {
		if below[n] {
			common = append(common, n)
		}
	}
	return slices.DeleteFunc(slices.Clone(common), func(n T) bool {
		return slices.ContainsFunc(common, func(o T) bool { return o != n && holds(o, n) })
	})
}

// ordered is a walk through history that is always the same.
func ordered[T graph[T]](from T) []T {
	list, seen := []T{from}, map[T]bool{from: true}
	for i := 0; i < len(list); i++ {
		for _, p := range list[i].before() {
			if !seen[p] {
				seen[p] = true
				list = append(list, p)
			}
		}
	}
	return list
}

// virtualBase merges several bases into one, as git's recursive strategy does; none
// is the zero value and false.
func virtualBase[T graph[T], S any](bases []T, read func(T) S, merge func(base *S, a, b S) S) *S {
	if len(bases) == 0 {
		return nil
	}
	base := read(bases[0])
	for i, next := range bases[1:] {
		below := virtualBase(bestBases(next, bases[:i+1]...), read, merge)
		base = merge(below, base, read(next))
	}
	return &base
}

// stood reports whether the branch of a tip ever stood at a commit: what a MERGE brought
// is another branch's way.
func stood(tip, at *modelNode) bool {
	seen := map[*modelNode]bool{}
	for todo := []*modelNode{tip}; len(todo) > 0; {
		n := todo[0]
		todo = todo[1:]
		if n == at {
			return true
		}
		if seen[n] || !holds(n, at) {
			continue
		}
		seen[n] = true
		if n.mark != nil && len(n.parents) > 1 {
			todo = append(todo, n.parents[0])
			continue
		}
		todo = append(todo, n.parents...)
	}
	return false
}

// mergeLines merges texts by lines; false is a conflict: both sides changed lines that
// overlap, or touch each other.
func mergeLines(base, ours, theirs string) (string, bool) {
	b, o, t := splitLines(base), splitLines(ours), splitLines(theirs)
	inOurs, inTheirs := matchLines(b, o), matchLines(b, t)
	var out []string
	i, j, k := 0, 0, 0
	for {
		// the next line of the base that stands on both sides
		next := i
		for next < len(b) && (inOurs[next] < 0 || inTheirs[next] < 0) {
			next++
		}
		oEnd, tEnd := len(o), len(t)
		if next < len(b) {
			oEnd, tEnd = inOurs[next], inTheirs[next]
		}
		was, our, their := b[i:next], o[j:oEnd], t[k:tEnd]
		switch {
		case slices.Equal(our, their), slices.Equal(was, their):
			out = append(out, our...)
		case slices.Equal(was, our):
			out = append(out, their...)
		default:
			return "", false
		}
		if next == len(b) {
			return strings.Join(out, ""), true
		}
		out = append(out, b[next])
		i, j, k = next+1, oEnd+1, tEnd+1
	}
}

func splitLines(text string) []string {
	return slices.Collect(strings.Lines(text))
}

// matchLines finds for each line of a where it stands in b, in a longest common row; -1
// is nowhere.
func matchLines(a, b []string) []int {
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			if a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	at := make([]int, len(a))
	for i, j := 0, 0; i < len(a); i++ {
		at[i] = -1
		for k := j; k < len(b); k++ {
			if a[i] == b[k] && longest[i][j] == longest[i+1][k+1]+1 {
				at[i], j = k, k+1
				break
			}
		}
	}
	return at
}
