package search

import (
	"slices"
	"testing"

	"github.com/git-context/git-context/refs/index"
)

// A scan that has no time for all reads what says more before the raw steps, and of these the newest.
func TestNewestUnits(t *testing.T) {
	t.Parallel()
	c := &corpus{places: map[index.Key]*place{}}
	var keys []index.Key
	add := func(kind index.Kind, file, path string) {
		key := index.Key{Kind: kind}
		key.ID[0] = byte(len(keys))
		keys = append(keys, key)
		c.places[key] = &place{file: file, path: path}
	}
	add(index.Steps, "log.md", "log/2026-01.md")
	add(index.Commits, "commit.md", "commit/2026-01.md")
	add(index.Steps, "log.md", "log.md")
	add(index.Commits, "commit.md", "commit/2026-02.md")
	add(index.Topics, "", "topics/a.md")
	add(index.Steps, "log.md", "log/2026-02.md")
	c.newestUnits(keys)
	var order []string
	for _, key := range keys {
		order = append(order, c.places[key].path)
	}
	want := []string{"topics/a.md", "commit/2026-02.md", "commit/2026-01.md", "log.md", "log/2026-02.md", "log/2026-01.md"}
	if !slices.Equal(order, want) {
		t.Errorf("%q", order)
	}
}
