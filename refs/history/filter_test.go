package history

import (
	"testing"

	"github.com/git-context/git-context/notes"
)

func TestFilterMatches(t *testing.T) {
	t.Parallel()
	half, success := 0.5, "success"
	judged := notes.Judgement{Score: &half, Outcome: &success}
	most, least := 0.6, 0.5
	for _, c := range []struct {
		name string
		f    Filter
		j    notes.Judgement
		tags []string
		want bool
	}{
		{"no filter", Filter{}, notes.Judgement{}, nil, true},
		{"outcome in force", Filter{Outcome: "success"}, judged, nil, true},
		{"another outcome", Filter{Outcome: "failed"}, judged, nil, false},
		{"outcome by tag", Filter{Outcome: "failed"}, judged, []string{"best", "failed/leak"}, true},
		{"outcome by bare tag", Filter{Outcome: "failed"}, notes.Judgement{}, []string{"failed"}, true},
		{"a longer word", Filter{Outcome: "failed"}, notes.Judgement{}, []string{"failed-once"}, false},
		{"just enough", Filter{MinScore: &least}, judged, nil, true},
		{"too little", Filter{MinScore: &most}, judged, nil, false},
		{"no score", Filter{MinScore: &least}, notes.Judgement{}, []string{"success"}, false},
		{"both", Filter{Outcome: "success", MinScore: &most}, judged, nil, false},
	} {
		if got := c.f.Matches(c.j, c.tags); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
