package render

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// stock is what git itself prints, with the environment of the store's children.
func stock(t *testing.T, s *refs.Store, args ...string) string {
	t.Helper()
	out, err := s.Repo().Run(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// logText is a log as `git context log` prints it: its revisions, then behind "--"
// what is git's.
func logText(t *testing.T, s *refs.Store, v GitLog, words ...string) string {
	t.Helper()
	o := history.LogOptions{Most: -1, Topo: v.Graph, Judged: true}
	behind := false
	var forGit []string
	for _, w := range words {
		switch {
		case behind:
			forGit = append(forGit, w)
		case w == "--":
			behind = true
		default:
			o.Revs = append(o.Revs, w)
		}
	}
	o.Arguments = must[history.Arguments](t)(history.LogArguments(forGit))
	v.Log = must[history.CommitLog](t)(history.Log(t.Context(), s, o))
	v.Arguments, v.Most = o.Arguments, -1
	var b bytes.Buffer
	if err := WriteGitLog(t.Context(), s, &b, v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// withoutNotes takes the notes out of a log, whoever wrote them.
func withoutNotes(log string) string {
	return regexp.MustCompile(`(?m)\nNotes \(context\):\n(    .*\n)+`).ReplaceAllString(log, "")
}

// judge notes three of the milestones that remember makes.
func judge(t *testing.T, s *refs.Store) {
	t.Helper()
	half, best := 0.5, 1.0
	for rev, j := range map[string]store.Judgement{
		"main":   {Score: &best, Outcome: "success", Review: "Good.\n\n\x1b[2JNotes (context):\n    forged"},
		"main~2": {Score: &half, Tags: []store.NoteTag{{Key: "area", Value: "store"}}},
		"try~1":  {Outcome: "failed"},
	} {
		must[store.Note](t)(s.AddNote(t.Context(), store.NoteOptions{Judgement: j, Rev: rev}))
	}
}

// blockTrailers are the trailers of a memory commit, in a message that git has indented.
var blockTrailers = regexp.MustCompile(`(?m)^    \n    Context-(Id|Branch): .*\n(    [A-Z][A-Za-z-]+: .*\n)+`)

// Without notes a log is to the byte what git log prints of the milestones.
func TestGitLogIsGits(t *testing.T) {
	s := remember(t)
	judge(t, s)
	must[store.Change](t)(s.SetTag(t.Context(), store.Writer{}, "before", "main~3"))
	const milestones = "--grep=^Context-Id: "
	full := func(name string) string { return git.BranchRef(name) }
	for _, c := range []struct {
		name  string
		words []string
		git   []string
	}{
		{"plain", nil, []string{full("main")}},
		{"range", []string{"try..main"}, []string{full("try") + ".." + full("main")}},
		{"parted", []string{"try...main~2"}, []string{full("try") + "..." + full("main") + "~2"}},
		{"but", []string{"main", "^before"}, []string{full("main"), "^" + git.TagRef("before")}},
		{"one line", []string{"try", "--", "--oneline"}, []string{"--oneline", "--no-notes", full("try")}},
		{"patches", []string{"--", "-p", "-U1"}, []string{"-p", "-U1", full("main")}},
		{"files", []string{"--", "--stat", "--name-status", "--date=iso"}, []string{"--stat", "--name-status", "--date=iso", full("main")}},
		{"fuller", []string{"--", "--pretty=fuller", "--abbrev-commit"}, []string{"--pretty=fuller", "--abbrev-commit", full("main")}},
		{"own format", []string{"--", "--format=%h%n%B%N"}, []string{"--format=%h%n%B%N", full("main")}},
		{"reversed", []string{"--", "--reverse", "--format=reference"}, []string{"--reverse", "--format=reference", full("main")}},
	} {
		got := withoutNotes(logText(t, s, GitLog{Raw: true}, c.words...))
		if strings.Contains(strings.Join(c.words, " "), "oneline") {
			got = regexp.MustCompile(`(?m)^([0-9a-f]+) \[[^]]*\]`).ReplaceAllString(got, "$1")
		}
		args := append([]string{"log", "--notes=context", milestones, "--text"}, c.git...)
		want := withoutNotes(stock(t, s, args...))
		if diff := cmp.Diff(want, got); diff != "" || got == "" {
			t.Errorf("%s: -git +git context:\n%s", c.name, diff)
		}
		if c.name != "own format" {
			want = blockTrailers.ReplaceAllString(want, "")
		}
		if diff := cmp.Diff(want, withoutNotes(logText(t, s, GitLog{}, c.words...))); diff != "" && c.name != "one line" {
			t.Errorf("%s: -git without trailers +git context:\n%s", c.name, diff)
		}
	}
}

// A graph is what git draws of the commits that changed commit.md.
func TestGitLogGraphIsGits(t *testing.T) {
	s := remember(t)
	must[store.Change](t)(s.Remember(t.Context(), store.TopicOptions{Key: "note", Text: "x"}))
	plain := stock(t, s, "log", "--graph", "--no-notes", "--full-diff", "--stat", git.BranchRef("main"), "--", "commit.md")
	if diff := cmp.Diff(plain, logText(t, s, GitLog{Graph: true, Raw: true}, "--", "--stat")); diff != "" {
		t.Errorf("-git +git context:\n%s", diff)
	}
	judge(t, s)
	got := logText(t, s, GitLog{Graph: true}, "--", "--oneline", "--no-abbrev-commit")
	for _, want := range []string{` \[success 1\] Take it\n`, `\* [0-9a-f]{40,64} \[failed\] Tried\n`, `\| \* [0-9a-f]{40,64} Start branch try from main\n`} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("no %s in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "Remember") || strings.Contains(got, "Close") {
		t.Errorf("what is no milestone is drawn:\n%s", got)
	}
}

var sequences = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Refs behind a hash have short names and git's colours, and what failed is red.
// Nothing else in the line is touched: a subject may speak of refs.
func TestGitLogDecorations(t *testing.T) {
	s := remember(t)
	judge(t, s)
	must[store.Change](t)(s.SetTag(t.Context(), store.Writer{}, "best", "try~1"))
	const subject = "See (refs/context/heads/main)"
	must[store.CommitResult](t)(s.Commit(t.Context(), store.CommitOptions{Summary: subject}))
	head := git.BranchRef("main")
	for _, ref := range []string{git.RemoteTracking("origin").Of(head), git.RemoteTracking("origin").Of(git.TagRef("best"))} {
		stock(t, s, "update-ref", ref, head)
	}
	const open, end = "\x1b[33m (\x1b[m", "\x1b[33m)\x1b[m"
	here, there := "\x1b[1;32mmain\x1b[m", "\x1b[1;31morigin/main\x1b[m"
	for _, graph := range []bool{false, true} {
		got := logText(t, s, GitLog{Terminal: true, Color: true, Graph: graph}, "main", "try", "--", "--oneline")
		for _, want := range []string{
			open + there + "\x1b[33m, \x1b[m" + here + end + " " + subject + "\n",
			"\x1b[31m [failed]\x1b[m" + open + "\x1b[1;33mtag: best\x1b[m" + end + " Tried\n",
			"\x1b[32m [success 1]\x1b[m Take it\n",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in:\n%q", want, got)
			}
		}
	}
	got := logText(t, s, GitLog{Terminal: true}, "main", "--", "--oneline")
	if want := " (origin/main, main) " + subject + "\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in:\n%s", want, got)
	}
}

// Colours change nothing else, and in a terminal refs have their short names.
func TestGitLogColours(t *testing.T) {
	s := remember(t)
	judge(t, s)
	must[store.Change](t)(s.SetTag(t.Context(), store.Writer{}, "success/best", "try~1"))
	for _, words := range [][]string{nil, {"--", "-p", "--stat"}, {"--", "--oneline"}} {
		for _, graph := range []bool{false, true} {
			plain := logText(t, s, GitLog{Graph: graph}, words...)
			got := logText(t, s, GitLog{Graph: graph, Color: true}, words...)
			if diff := cmp.Diff(plain, sequences.ReplaceAllString(got, "")); diff != "" {
				t.Errorf("%q, -plain +colour:\n%s", words, diff)
			}
			if !sequences.MatchString(got) {
				t.Errorf("%q: no colours", words)
			}
		}
	}
	got := logText(t, s, GitLog{Terminal: true}, "main", "try", "--", "--oneline")
	for _, want := range []string{" (main) Take it\n", " [failed] (tag: success/best) Tried\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

// What a note says is in words; what it does not say takes no line.
func TestGitLogNotes(t *testing.T) {
	s := remember(t)
	judge(t, s)
	stock(t, s, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "notes", "--ref=context", "append",
		"-m", "somebody \x1b[1melse's", git.BranchRef("main"))
	got := logText(t, s, GitLog{})
	at := strings.Index(got, "Notes (context):\n")
	if at < 0 {
		t.Fatalf("no notes:\n%s", got)
	}
	want := "Notes (context):\n    outcome: success\n    score: 1\n    review by Ada, "
	if !strings.HasPrefix(got[at:], want) {
		t.Errorf("%q", got[at:at+len(want)])
	}
	for _, want := range []string{"    > Good.\n    > \n    > ^[[2JNotes (context):\n    >     forged\n", "    somebody ^[[1melse's\n\ncommit ",
		"Notes (context):\n    score: 0.5\n    tags: area=store\n\ncommit "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\nNotes (context):\n"); n != 3 {
		t.Errorf("%d notes:\n%s", n, got)
	}
	if strings.Contains(got, `{"v":1`) || strings.Contains(got, "\n\n\n") {
		t.Errorf("left over:\n%s", got)
	}
}

// A diff is to the byte what git diff prints, in colour too.
func TestGitDiffIsGits(t *testing.T) {
	s := remember(t)
	for _, c := range []struct {
		a, b  string
		words []string
		git   []string
	}{
		{"main~2", "", nil, []string{git.BranchRef("main") + "~2", git.BranchRef("main")}},
		{"try..main~2", "", []string{"--stat"}, []string{"--stat", git.BranchRef("try"), git.BranchRef("main") + "~2"}},
		{"main~1...try", "", []string{"-U0", "commit.md"}, []string{"-U0", git.BranchRef("main") + "~1..." + git.BranchRef("try"), "--", "commit.md"}},
		{"try", "main", []string{"--word-diff", "--", "log.md"}, []string{"--word-diff", git.BranchRef("try"), git.BranchRef("main"), "--", "log.md"}},
	} {
		from, to, err := history.DiffEnds(t.Context(), s, c.a, c.b)
		if err != nil {
			t.Fatal(err)
		}
		a := must[history.Arguments](t)(history.DiffArguments(c.words))
		for _, color := range []bool{false, true} {
			var b bytes.Buffer
			if err := WriteGitDiff(t.Context(), s, &b, from, to, a, color); err != nil {
				t.Fatal(err)
			}
			want := stock(t, s, append([]string{"diff", fmt.Sprintf("--color=%s", map[bool]string{true: "always", false: "never"}[color])}, c.git...)...)
			if diff := cmp.Diff(want, b.String()); diff != "" || want == "" {
				t.Errorf("%s %s %q: -git +git context:\n%s", c.a, c.b, c.words, diff)
			}
		}
	}
}
