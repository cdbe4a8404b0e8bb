package across

import (
	"testing"

	"github.com/git-context/git-context/refs/index"
)

// Only what says the same of the same problem is one lesson.
func TestSame(t *testing.T) {
	t.Parallel()
	like := index.NewSimilarity("", nil)
	commit := func(id byte, title, body string) *compared {
		return &compared{kind: index.Commits, id: index.DocID{id}, title: title, body: body, like: like}
	}
	const leak = "TestShutdown leaks goroutines because the pool is drained while idle connections are still open."
	first := commit(1, "Close idle connections before the pool is drained", leak)
	for _, c := range []struct {
		name  string
		other *compared
		same  bool
	}{
		{"a copy", commit(1, "x", "y"), true},
		{"the same text", commit(2, " close idle connections before the Pool is drained\n", leak), true},
		{"reworded", commit(2, "Close the idle connections before draining the pool", leak), true},
		{"another solution", commit(2, "Wait two seconds in Pool.Close", leak), false},
		{"another problem", commit(2, first.title, "The basket is not centered on small screens of old phones."), false},
		{"no contribution", commit(2, first.title, ""), false},
		{"another kind", &compared{kind: index.Topics, title: first.title, body: leak, like: like}, false},
	} {
		if got := first.same(c.other); got != c.same {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestConfidence(t *testing.T) {
	t.Parallel()
	if confidence(0, 0) != nil {
		t.Error("something is known of nothing")
	}
	for _, c := range []struct {
		succeeded, judged int
		want              float64
	}{{1, 1, 0.667}, {0, 1, 0.333}, {5, 6, 0.75}, {1, 2, 0.5}, {98, 98, 0.99}} {
		if got := *confidence(c.succeeded, c.judged); got != c.want {
			t.Errorf("%d of %d: %v", c.succeeded, c.judged, got)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	repos := []*Repository{{Path: "/a/x/p"}, {Path: "/b/x/p"}, {Path: "/b/q"}, {Path: "/c/y/p"}}
	nameAll(repos)
	for i, want := range []string{"a/x/p", "b/x/p", "q", "y/p"} {
		if repos[i].Name != want {
			t.Errorf("%s is %s", repos[i].Path, repos[i].Name)
		}
	}
}
