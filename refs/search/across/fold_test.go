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

// Texts of few or common words are one lesson only if they are equal: they are written in any repository.
func TestCommonWordsAreNoLesson(t *testing.T) {
	t.Parallel()
	like := index.NewSimilarity("", nil)
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"Run the tests", "run  the Tests", true},
		{"Run the tests", "Run the tests again", false},
		{"Fix the failing test and run all tests again", "Fix the failing test, and run all the tests again", false},
		{"Update the version of the build", "Update the build version", false},
		{"Add a test for the error of the function", "Add a test for the function's error", false},
		{"Close idle connections before the pool is drained", "Close the idle connections before draining the pool", true},
		{"Escape quotation marks in the header of the export", "Escape the quotation marks in the export's header", true},
	} {
		step := func(id byte, text string) *compared {
			return &compared{kind: index.Steps, id: index.DocID{id}, body: text, like: like}
		}
		a, b := step(1, c.a), step(2, c.b)
		if got := a.same(b); got != c.same {
			t.Errorf("'%s' and '%s': %v, with similarity %v and %d and %d significant words", c.a, c.b, got,
				a.inBody().Between(b.inBody()), a.inBody().Significant(), b.inBody().Significant())
		}
		t.Log(a.inBody().Between(b.inBody()), a.inBody().Significant(), b.inBody().Significant(), c.a)
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
