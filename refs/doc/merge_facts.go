package doc

import (
	"cmp"
	"time"

	"gopkg.in/yaml.v3"
)

// mergeFacts merges what two machines say of one branch, in either order alike.
//
//  1. Created: what one side changed since the base, which is a branch that was made anew
//     where one of its name had been renamed; if both did, or both have run init, the
//     earlier date, with where it says the branch was made from.
//  2. Closed: what one side changed since the base; if both closed it, the one that
//     did so first; a merge before an abandonment of the same second.
//
// Name and purpose are merged as other keys are.
func mergeFacts(base, ours, theirs BranchFacts) BranchFacts {
	merged := ours
	created, ok := simpleMerge(creation(base), creation(ours), creation(theirs), sameCreation)
	if c := compareTimes(theirs.CreatedAt, ours.CreatedAt); !ok && (c < 0 || c == 0 && theirs.CreatedFrom < ours.CreatedFrom) {
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

// creation keeps only the two facts that a birth sets together.
func creation(f BranchFacts) BranchFacts {
	return BranchFacts{CreatedAt: f.CreatedAt, CreatedFrom: f.CreatedFrom}
}

func sameCreation(a, b BranchFacts) bool {
	return a.CreatedFrom == b.CreatedFrom && a.CreatedAt.Equal(b.CreatedAt)
}

// closing keeps only the three facts that are set together.
func closing(f BranchFacts) BranchFacts {
	return BranchFacts{Status: f.Status, MergedInto: f.MergedInto, MergedAt: f.MergedAt}
}

func sameClosing(a, b BranchFacts) bool {
	return a.Status == b.Status && a.MergedInto == b.MergedInto && a.MergedAt.Equal(b.MergedAt)
}

// compareClosings puts first what is to stand.
func compareClosings(a, b BranchFacts) int {
	return cmp.Or(
		cmp.Compare(closingRank(a.Status)/2, closingRank(b.Status)/2),
		compareTimes(a.MergedAt, b.MergedAt),
		cmp.Compare(closingRank(a.Status), closingRank(b.Status)),
		cmp.Compare(a.MergedInto, b.MergedInto),
	)
}

// closingRank is 0 or 1 for a branch that is closed.
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

// compareTimes puts a time that is not known last.
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
// follows finds them alike.
func (g *metadataMerge) alignFacts(o, t *yaml.Node) {
	if !isMap(o) || !isMap(t) {
		return
	}
	merged := mergeFacts(g.base.Branch(), g.ours.Branch(), g.theirs.Branch())
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
