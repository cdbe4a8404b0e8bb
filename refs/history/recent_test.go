package history_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
)

// A git log that begins before the tip is known lists what one of the tip lists, however the tip is named;
// where the name of a memory branch leads to it, no other log is run.
func TestRecentSoonIsRecent(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	p.CommitCode("code")
	for _, summary := range []string{"one", "two", "three"} {
		p.Later()
		p.Commit("main", summary)
	}
	memtest.OK(p.Open().CreateBranch(t.Context(), store.BranchOptions{Name: "side", From: "main~1", NoSwitch: true}))(t)
	p.Later()
	other := p.Commit("side", "aside")
	p.Later()
	p.Commit("main", "four")
	p.Tag("marked", "main~2")
	for _, tt := range []struct {
		branch, rev string
		foreseen    bool
	}{
		{"", "", true}, {"side", "", true}, {"", "main~2", true}, {"", "side^", true}, {"main", "main", true},
		{"", "CONTEXT_HEAD~1", true}, {"side", "main", false}, {"main", "side", false}, {"", "marked", false}, {"", string(other), false}, {"", "HEAD", false},
		{"", "main@{0}", false},
	} {
		var trace strings.Builder
		s := memtest.OK(refs.Open(t.Context(), store.Options{Dir: p.Dir, Env: p.Env, Now: time.Now, Trace: &trace}))(t)
		if from := s.Foresee(t.Context(), tt.branch, tt.rev); (from != "") != tt.foreseen {
			t.Errorf("%q at %q: foreseen '%s'", tt.branch, tt.rev, from)
		}
		wait, stop := history.RecentSoon(t.Context(), s, tt.branch, tt.rev, 3)
		tip := memtest.OK(history.At(t.Context(), s, tt.branch, tt.rev))(t)
		got := memtest.OK(wait(tip))(t)
		stop()
		want := memtest.OK(history.Recent(t.Context(), s, tip, 3))(t)
		p.Must(s.Close())
		if !reflect.DeepEqual(got, want) || len(got) == 0 {
			t.Errorf("%q at %q: %v, want %v", tt.branch, tt.rev, got, want)
		}
		if logs := strings.Count(trace.String(), "--max-count=3"); logs != 2 { // with that of want
			t.Errorf("%q at %q: %d git logs, want 2:\n%s", tt.branch, tt.rev, logs, trace.String())
		}
	}
	s := p.Open()
	_, stop := history.RecentSoon(t.Context(), s, "", "nowhere~1", 3)
	stop()
}
