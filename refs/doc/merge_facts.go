package doc

import (
	"cmp"
	"time"

	"gopkg.in/yaml.v3"
)

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
