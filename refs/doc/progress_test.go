package doc

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNextProgress(t *testing.T) {
	prev := Commit{Number: 3, Summary: "Pool first.", Contribution: "The router asked too early.\n\nSee store.go."}
	for _, c := range []struct {
		name  string
		prev  Commit
		limit int
		want  string
	}{
		{"first", prev, 500, "- Commit 3: Pool first.\n  The router asked too early.\n  See store.go."},
		{"with its branch", Commit{Number: 3, Origin: "exp/pool", Summary: "Same"}, 500, "- exp/pool 3: Same"},
		{"said once", Commit{Number: 1, Summary: "Same", Contribution: "Same"}, 500, "- Commit 1: Same"},
		{"said once, and more", Commit{Number: 1, Summary: "Same", Contribution: "Same. And more."}, 500, "- Commit 1: Same.\n  And more."},
		{"a word that begins alike", Commit{Number: 1, Summary: "Fix", Contribution: "Fixed the pool"}, 500, "- Commit 1: Fix\n  Fixed the pool"},
		{"older ones are cut", with(prev, "- Commit 2: Found it. Then lunch.\n  Details.\n- Commit 1: Use e.g. this one\n… and 2 earlier milestones"), 500,
			"- Commit 3: Pool first.\n  The router asked too early.\n  See store.go.\n- Commit 2: Found it.\n- Commit 1: Use e.g. this one\n… and 2 earlier milestones"},
		{"the oldest are dropped", with(prev, "- Commit 2: Found it.\n- Commit 1: Began\n… and 2 earlier milestones"), 108,
			"- Commit 3: Pool first.\n  The router asked too early.\n  See store.go.\n… and 4 earlier milestones"},
		{"free text", with(prev, "We did much. Really.\nA lot."), 500, "- Commit 3: Pool first.\n  The router asked too early.\n  See store.go.\n- We did much. Really.\n  A lot."},
		{"long", Commit{Number: 9, Summary: "One two three four five six"}, 20, "- Commit 9: One…"},
		{"tiny", prev, 3, "-…"},
		{"none", prev, 0, ""},
		{"birth", Commit{Kind: KindBirth, Summary: "explore", Progress: "- Commit 1: Began. So.\n  More."}, 500, "- Commit 1: Began. So.\n  More."},
		{"nothing", Commit{}, 500, ""},
		{"no number", Commit{Summary: "a  b\nc"}, 500, "- a b c"},
		{"a forged count", with(prev, "… and 99999999999 earlier milestones"), 500, "- Commit 3: Pool first.\n  The router asked too early.\n  See store.go.\n- … and 99999999999 earlier milestones"},
		{"only a count", with(prev, "… and 1 earlier milestone"), 500, "- Commit 3: Pool first.\n  The router asked too early.\n  See store.go.\n… and 1 earlier milestone"},
	} {
		if diff := cmp.Diff(c.want, NextProgress(c.prev, c.limit)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func with(m Commit, progress string) Commit {
	m.Progress = progress
	return m
}

// After 1,000 milestones the summary speaks of the newest ones, and accounts for all.
func TestNextProgressOf1000(t *testing.T) {
	m := Commit{}
	for i := 1; i <= 1000; i++ {
		m.Number = i
		m.Summary = fmt.Sprintf("Finished part %d of the work", i)
		m.Contribution = fmt.Sprintf("Part %d needed care. It touched %d files.", i, i%7)
		m.Progress = NextProgress(m, 1500)
		checkProgress(t, m, 1500)
		if shown, dropped := accounted(m.Progress); shown+dropped != i || i > 2 && shown < 3 {
			t.Fatalf("after %d: %d shown, %d dropped:\n%s", i, shown, dropped, m.Progress)
		}
	}
	if !strings.Contains(m.Progress, "\n- Commit 999: Finished part 999 of the work\n") || !strings.Contains(m.Progress, "It touched 6 files.") {
		t.Error(m.Progress)
	}
}

func checkProgress(t rapid.TB, m Commit, limit int) {
	if n := utf8.RuneCountInString(m.Progress); n > limit {
		t.Fatalf("%d characters, limit %d:\n%s", n, limit, m.Progress)
	}
	start := firstRunes(strings.Join(strings.Fields(m.Summary), " "), min(limit/4, 40))
	if m.Summary != "" && !strings.Contains(m.Progress, strings.TrimSpace(string(start))) {
		t.Fatalf("nothing of %q in:\n%s", m.Summary, m.Progress)
	}
}

func accounted(progress string) (shown, dropped int) {
	items, dropped, _ := parseProgress(progress)
	return len(items), dropped
}

func TestNextProgressOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Commit{Progress: genText(t, "progress")}
		limit := rapid.IntRange(60, 2000).Draw(t, "limit")
		for i := range 10 {
			m.Number = i + 1
			m.Contribution = genText(t, "contribution")
			if m.Summary = rapid.StringMatching(`[a-z .!]{1,80}`).Draw(t, "summary"); rapid.Bool().Draw(t, "long") {
				m.Contribution += strings.Repeat(" words", 500)
			}
			m.Progress = NextProgress(m, limit)
			checkProgress(t, m, limit)
			if again, changed := Clean(m.Progress); changed {
				t.Fatalf("%q", again)
			}
		}
		small := rapid.IntRange(-1, 60).Draw(t, "small")
		if n := utf8.RuneCountInString(NextProgress(m, small)); n > max(small, 0) {
			t.Fatalf("%d characters, limit %d", n, small)
		}
	})
}

func TestFirstSentence(t *testing.T) {
	for in, want := range map[string]string{
		"One. Two.": "One.", "Use e.g. this. Then": "Use e.g. this.", "v1.2.3 works": "v1.2.3 works", "Really? Yes": "Really?", "完成了。下一步": "完成了。",
		"open \"setup.py\" first": "open \"setup.py\" first", "": "", ".": ".", "Wait... what": "Wait... what", "End.  ": "End.", "No end": "No end",
	} {
		if got := firstSentence(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// tracePlay makes a milestone of every two thoughts, as an agent would.
func tracePlay(t *testing.T, thoughts []string) []string {
	t.Helper()
	var out []string
	m := Commit{}
	for i := 0; i+1 < len(thoughts); i += 2 {
		m.Number++
		first, _, _ := strings.Cut(strings.TrimSpace(thoughts[i]), "\n")
		m.Summary = firstSentence(first)
		m.Contribution = thoughts[i] + "\n" + thoughts[i+1]
		m.Progress = NextProgress(m, 700)
		checkProgress(t, m, 700)
		if shown, dropped := accounted(m.Progress); shown+dropped != m.Number {
			t.Errorf("milestone %d: %d shown, %d dropped", m.Number, shown, dropped)
		}
		out = append(out, m.Progress)
	}
	return out
}

var update = flag.Bool("update", false, "write the golden file anew")

// The golden file is to be read: does each summary make sense to who knows nothing else?
func TestProgressGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/thoughts.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(tracePlay(t, strings.Split(string(data), "\n%\n")), "\n\n=====\n\n") + "\n"
	if *update {
		if err := os.WriteFile("testdata/progress.golden", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/progress.golden")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestProgressOfRealTraces(t *testing.T) {
	files, err := filepath.Glob("../../../shared/data/swe-agent/*.traj")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("NOT RUN: no real traces in ../../../shared/data/swe-agent")
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var trace struct{ Trajectory []struct{ Thought string } }
		if err := json.Unmarshal(data, &trace); err != nil {
			t.Fatal(err)
		}
		var thoughts []string
		for _, s := range trace.Trajectory {
			if text, _ := Clean(s.Thought); strings.TrimSpace(text) != "" {
				thoughts = append(thoughts, text)
			}
		}
		all := tracePlay(t, thoughts)
		if len(all) > 0 {
			t.Logf("%s:\n%s", filepath.Base(name), all[len(all)-1])
		}
	}
}

// Two agents commit to one branch side by side: whoever goes on speaks of both.
func TestNextProgressOfKnowsWhatWasMadeBeside(t *testing.T) {
	t.Parallel()
	first := Commit{ID: "1", Origin: "main", Number: 1, Summary: "First"}
	chain := func(prev []Commit, id, summary string, number int) Commit {
		return Commit{ID: id, Origin: "main", Number: number, Summary: summary, Progress: NextProgressOf(prev, 1500)}
	}
	beside := chain([]Commit{first}, "2", "Beside. It was hard.", 2)
	mine := chain([]Commit{first}, "3", "Mine", 2)
	other := Commit{ID: "15", Origin: "topic", Number: 1, Summary: "Of a merged branch"}
	live := []Commit{first, other, beside, mine}
	want := "- main 2: Mine\n- main 2: Beside.\n- main 1: First"
	if got := NextProgressOf(live, 1500); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	next := chain(live, "4", "Next", 3)
	live = append(live, next)
	if got, want := NextProgressOf(live, 1500), "- main 3: Next\n"+want; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	// What was dropped for want of room does not come back as news.
	short := chain(live, "5", "Short", 4)
	short.Progress = NextProgressOf(live, 45)
	if got := NextProgressOf(append(live, short), 1500); strings.Contains(got, "First") {
		t.Errorf("dropped, and back again:\n%s", got)
	}
}
