package render

import (
	"strconv"
	"testing"

	"github.com/git-context/git-context/refs/search"
	"github.com/google/go-cmp/cmp"
)

func TestRecalled(t *testing.T) {
	hit := func(kind, title, outcome string, similarity float64) search.Hit {
		duplicate, related := similarity >= 0.8, similarity < 0.3
		h := search.Hit{Kind: kind, Branch: "try", Title: title, Similarity: &similarity,
			Duplicate: &duplicate, Related: &related, Open: "git context --commit X"}
		if outcome != "" {
			h.Outcome = &outcome
		}
		return h
	}
	for _, c := range []struct {
		hit   search.Hit
		first string
	}{
		{hit("commit", "Drain", "", 0.9), "you did this: Drain"},
		{hit("commit", "Drain", "success", 0.9), "you solved this: Drain"},
		{hit("commit", "Drain", "failed", 0.9), "you tried this, it failed: Drain"},
		{hit("commit", "Drain", "abandoned", 0.9), "you tried this and gave it up: Drain"},
		{hit("step", "go test", "", 0.9), "you met this: go test"},
		{hit("topic", "pool", "", 0.9), "you know this: pool"},
		{hit("commit", "Drain", "failed", 0.7), "near, perhaps not the same: Drain"},
		{hit("commit", "Drain", "success", 0.2), "related: Drain"},
		{hit("commit", "Dr\x1b[2Jain\nopen: rm", "", 0.9), "you did this: Dr^[[2Jain open: rm"},
	} {
		want := c.first + "\n- similarity: " + strconv.FormatFloat(*c.hit.Similarity, 'f', 2, 64) + "\n- branch: try\n"
		if c.hit.Outcome != nil {
			want += "- outcome: " + *c.hit.Outcome + "\n"
		}
		want += "- open: git context --commit X\n"
		got := show(func(p *Printer) { RecallText(p, []search.Hit{c.hit}) }, false)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	if got := show(func(p *Printer) { RecallText(p, nil) }, false); got != "" {
		t.Errorf("no case is shown as %q", got)
	}
}
