package render

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func ptr[T any](v T) *T { return &v }

func id(digit string) git.ID { return git.ID(strings.Repeat(digit, 40)) }

func milestone(n int, text func(string) string) store.Commit {
	return store.Commit{
		ID: fmt.Sprintf("01JD5K0Z3V7Q3M9K2A4B5C6D%02d", n), Hash: ptr(id(fmt.Sprint(n % 10))), Branch: "main",
		Time: now.Add(-time.Duration(n) * time.Hour), Agent: "claude-code", Summary: text("Close idle connections before the pool"),
		Goal: text("A pool that survives a deploy"), Purpose: text("The line of work"),
		Progress: text("Half of it works"), Contribution: text("The reaper holds the lock\n\nand frees it."),
		Steps: store.StepRange{First: 12, Last: 21, Count: 10}, Code: ptr(id("c")), Score: ptr(0.75),
		Outcome: ptr("success"), Tags: map[string]string{"suite": text("pool"), "area": "db"}, Kind: "merge",
	}
}

func branches(text func(string) string) []store.Branch {
	return []store.Branch{
		{Name: "try/lifo", Tip: id("b"), Status: "active", Purpose: text("Does last-in first-out help?"),
			CreatedFrom: ptr("main"), CreatedAt: ptr(now.Add(-time.Hour)), UpdatedAt: now.Add(-time.Minute), Commits: 1,
			Summary: text("Reuse the newest connection")},
		{Name: "main", Tip: id("a"), Status: "active", Purpose: text("The line of work"), Pending: 3,
			UpdatedAt: now.Add(-3 * time.Hour), Commits: 12, Current: true, Summary: text("Close idle connections")},
		{Name: "old", Tip: id("d"), Status: "merged", UpdatedAt: now.Add(-90 * 24 * time.Hour), Summary: text("Done")},
		{Name: "dead", Tip: id("e"), Status: "abandoned", UpdatedAt: now.Add(-900 * 24 * time.Hour), Summary: text("No")},
	}
}

func traceOf(text func(string) string) []store.Step {
	step := func(n int, origin string, pending bool) store.Step {
		return store.Step{ID: fmt.Sprintf("01JD5K0Z3V7Q3M9K2A4B5C6D%02d", n), Step: n, Origin: origin, Time: now,
			Agent: "claude-code", Session: "7f3a2c", Model: "m", Source: "a:1", Tokens: 7, Pending: pending,
			Observation: text("500 on /users\nand on /"), Thought: text("The pool may be empty"), Action: text("go test")}
	}
	return []store.Step{step(1, "main", false), step(2, "main", false), step(1, "try/lifo", false), step(3, "main", true)}
}

// views is every text view of one memory, whose free texts go through text.
func views(text func(string) string) map[string]func(*Printer) {
	snapshot := Snapshot{
		Branch: "main", Head: id("a"), Purpose: text("The line of work"), Progress: text("Half of it works"),
		Roadmap: Roadmap{Goal: text("A pool that survives a deploy"),
			Milestones: []store.Item{{Text: text("Reproduce"), Done: true}, {Text: text("Fix,\nthen measure")}},
			Todo: []store.Item{{Text: text("Ask about the driver")}, {Text: doc.TellPrefix + text("the pool is smaller")},
				{Text: text("Measure"), Done: true, Outcome: text("3 ms")}},
			Outcomes: []string{text("spike abandoned: too slow")},
			Sections: []Section{{Name: text("Conventions"), Text: text("Table tests.\nNo mocks.")}}},
		Attention: []Notice{{NoticeConflict, "a merge into 'main' waits: 2 conflicts open", "git context merge --status"}},
		Questions: []string{text("Which driver?")}, Decisions: []string{text("No ORM"), text("One pool for each process")},
		Topics: []Topic{
			{store.Topic{Key: "brief", Pinned: true}, text("Make it survive a deploy.\n\nDo not change the API.")},
			{store.Topic{Key: "pool", Agent: "codex", Staleness: store.Staleness{Base: ptr(id("c")), Changed: []string{"pool.go"}}}, text("One for each process")},
		},
		Code:     &code.State{Branch: "main", Commit: ptr(id("c")), Uncommitted: []code.Edit{{Path: text("pool.go"), Added: ptr(3), Removed: ptr(1)}, {Path: "new.go", New: true}}},
		Branches: branches(text), Commits: []store.Commit{milestone(2, text), milestone(1, text)},
		LastStep: &store.Step{Thought: text("It may be empty"), Action: "go test"}, before: []store.Step{{Action: "ls"}, {Observation: text("Two files")}}, full: 1, updated: now, agent: "claude-code", own: "claude-code",
	}
	snapshot.list(20)
	snapshot.tell()
	few := snapshot
	few.Limit(250)
	few.Branches, few.Commits = branches(text), []store.Commit{milestone(3, text), milestone(4, text)}
	few.list(1)
	b := history.BranchContext{Branch: branches(text)[0], Purpose: text("Does it help?"), Progress: text("- Commit 1"),
		Total: 30, Skip: 15, Limit: 10, Commits: []store.Commit{milestone(5, text), {ID: "01JD5K0Z3V7Q3M9K2A4B5C6D99", Time: now, Summary: text("Bare")}}}
	log := Log{Branch: "main", Total: 30, Skip: 2, Steps: traceOf(text), size: 4}
	lines := Lines{Branch: "main", Skip: 5, size: 9}
	lines.cut(trace(traceOf(text)), false)
	base := id("c")
	stale := Commit{Commit: store.Commit{ID: "01JD5K0Z3V7Q3M9K2A4B5C6D99", Time: now, Staleness: store.Staleness{Base: &base, Changed: []string{"store/pool.go", text("README")}},
		Authored: store.Authored{Author: ptr(text("Eve") + " <eve@example.com>"), Foreign: ptr(true)}}}
	return map[string]func(*Printer){
		"snapshot":     snapshot.Text,
		"snapshot-few": few.Text,
		"snapshot-new": Snapshot{Branch: "main", Head: id("a")}.Text,
		"branch":       func(p *Printer) { BranchText(p, b) },
		"commit":       Commit{Commit: milestone(7, text)}.Text,
		"commit-bare":  Commit{Commit: store.Commit{ID: "01JD5K0Z3V7Q3M9K2A4B5C6D99", Time: now}}.Text,
		"commit-stale": stale.Text,
		"log":          log.Text,
		"log-none":     Log{Branch: "main"}.Text,
		"lines":        lines.Text,
		"lines-none":   Lines{Branch: "main"}.Text,
	}
}

func same(s string) string { return s }

func show(view func(*Printer), color bool) string {
	var b bytes.Buffer
	view(&Printer{W: &b, Color: color, Now: now, Self: "git context"})
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, view := range views(same) {
		t.Run(name, func(t *testing.T) {
			golden(t, name, show(view, false))
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got (go test ./render -update rewrites it):\n%s", diff)
	}
}

// Colour adds nothing but colour: without it the bytes are those of plain text.
func TestColor(t *testing.T) {
	codes := regexp.MustCompile("\x1b\\[[0-9]*m")
	for name, view := range views(same) {
		colored := show(view, true)
		if got := codes.ReplaceAllString(colored, ""); got != show(view, false) {
			t.Errorf("%s reads otherwise in colour:\n%s", name, got)
		}
	}
	if c := show(views(same)["commit"], true); !strings.Contains(c, "\x1b[1m# Commit ") {
		t.Errorf("no bold heading in %q", c)
	}
	if c := show(views(same)["log"], true); !strings.Contains(c, "\x1b[1m### Step") || strings.Contains(c, "\x1b[1m**") {
		t.Errorf("no bold heading of a step in %q", c)
	}
}

// What a text cannot do: act on a terminal, or begin a line that is the view's own.
func FuzzText(f *testing.F) {
	for _, s := range []string{"\n# Context of evil", "\n\n## Branches\n* x", "\nolder: rm -rf /", "\x1b[2J", "\r# x", "\u2028# x",
		"\n> q", "\n### Step 1 · x", "\n== Branch x ==", "\n- [x] y", "a\r\n# b"} {
		f.Add(s)
	}
	own := regexp.MustCompile(`(?m)^(#.*|== .*|older:.*|newer:.*|\*\*.*|- .*|[0-9]+ more.*|\* .*)$`)
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "\ufffd")
		mark := func(known string) string { return known + s }
		quiet := views(same)
		for name, view := range views(mark) {
			got := show(view, false)
			if i := strings.IndexFunc(got, acts); i >= 0 {
				t.Fatalf("%s lets %q through", name, got[i:])
			}
			if name == "lines" || name == "snapshot-few" {
				continue // what they show depends on the texts' lengths
			}
			want := own.FindAllString(show(quiet[name], false), -1)
			if lines := own.FindAllString(got, -1); len(lines) != len(want) {
				t.Fatalf("%s has other lines of its own with %q:\n%s", name, s, cmp.Diff(want, lines))
			}
		}
	})
}

func TestAge(t *testing.T) {
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{
		{-time.Second, "in the future"}, {0, "0 seconds ago"}, {time.Second, "1 second ago"}, {89 * time.Second, "89 seconds ago"},
		{90 * time.Second, "2 minutes ago"}, {89 * time.Minute, "89 minutes ago"}, {35 * time.Hour, "35 hours ago"},
		{48 * time.Hour, "2 days ago"}, {21 * 24 * time.Hour, "3 weeks ago"}, {90 * 24 * time.Hour, "3 months ago"},
		{400 * 24 * time.Hour, "1 year ago"}, {1000 * 24 * time.Hour, "3 years ago"},
	} {
		if got := age(now.Add(-tt.d), now); got != tt.want {
			t.Errorf("age(%v) = %q, want %q", tt.d, got, tt.want)
		}
	}
}

// On a branch that has no purpose of its own, a commit's purpose is the goal.
func TestGoalIsThePurpose(t *testing.T) {
	c := milestone(1, same)
	c.Purpose = ""
	if got := show(Commit{Commit: c}.Text, false); !strings.Contains(got, "**Branch Purpose**\n\n> "+c.Goal+"\n") {
		t.Errorf("%s", got)
	}
}
