package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
	"pgregory.net/rapid"
)

// pinsOf lists the pinned topics that a reader finds who reads at most so many topics.
func pinsOf(r *memtest.Repo, branch string, most int) string {
	r.T.Helper()
	s := r.Open()
	tip, err := s.Tip(r.T.Context(), branch)
	r.Must(err)
	list, _, err := history.ReadTopics(r.T.Context(), s, tip, most, 1<<20,
		func() ([]history.RecentCommit, error) { return nil, nil })
	r.Must(err)
	var pins []string
	for _, t := range list {
		if t.Pinned {
			pins = append(pins, t.Key+"="+t.Text)
		}
	}
	return strings.Join(pins, " ")
}

// Who reads some of many topics finds all that are pinned, however the topics changed since the cache was
// written, and without the ones that another supersedes.
func TestPinsAreFoundAmongManyTopics(t *testing.T) {
	t.Parallel()
	memtest.Check(t, 6, func(tb testing.TB, rt *rapid.T) {
		r, _ := memtest.NewCommits(t, 1)
		r.T = tb
		r.Branch("other", "main")
		cached := filepath.Join(r.Dir, ".git", "context", "cache", "search", "topics")
		branches := []string{"main", "other"}
		for i := range 8 {
			for _, b := range branches {
				r.Remember(b, fmt.Sprint("t", i), "text")
			}
		}
		for step := range 12 {
			branch := rapid.SampledFrom(branches).Draw(rt, "branch")
			key := fmt.Sprint("t", rapid.IntRange(0, 7).Draw(rt, "key"))
			s := r.Open(branch)
			var err error
			switch do := rapid.SampledFrom([]string{"pin", "pin", "unpin", "write", "forget", "supersede", "damage"}).Draw(rt, "do"); do {
			case "pin", "unpin":
				_, err = s.Pin(tb.Context(), store.Writer{}, key, do == "pin")
			case "write":
				_, err = s.Remember(tb.Context(), store.TopicOptions{Branch: branch, Key: key, Text: fmt.Sprint("text ", step)})
			case "forget":
				_, err = s.Forget(tb.Context(), store.Writer{}, key)
			case "supersede":
				_, err = s.Remember(tb.Context(), store.TopicOptions{Branch: branch, Key: "u" + fmt.Sprint(step), Text: "new", Supersedes: key})
			case "damage":
				_ = os.WriteFile(cached, []byte("damaged"), 0o666)
			}
			if err != nil && !strings.Contains(err.Error(), "not found") {
				tb.Fatal(err)
			}
			if rapid.Bool().Draw(rt, "unread") { // the cache is of an older tree
				continue
			}
			if got, want := pinsOf(r, branch, 1), pinsOf(r, branch, 100); got != want {
				tb.Fatalf("step %d, branch %s: pinned %s, want %s", step, branch, got, want)
			}
		}
	})
}
