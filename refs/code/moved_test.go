package code

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/unwired"
	"github.com/git-context/git-context/refs/store"
)

// logLine is one of a reflog.
type logLine struct {
	old, new git.ID
	reason   string
}

// movedWorld is a repository with the commits that HEAD may be moved among.
type movedWorld struct {
	t   *testing.T
	dir string
	env []string

	first, before, made, amended, later, other git.ID
	zero, gone                                 git.ID
}

func newMovedWorld(t *testing.T) *movedWorld {
	t.Helper()
	dir := t.TempDir()
	w := &movedWorld{t: t, dir: dir,
		env: append(gittest.Env(t, dir, ""), "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@e.c",
			"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@e.c")}
	w.run("init", "-q")
	tree := string(w.run("hash-object", "-w", "-t", "tree", "/dev/null"))
	w.zero, w.gone = git.ID(strings.Repeat("0", len(tree))), git.ID(strings.Repeat("1", len(tree)))
	commit := func(message string, parents ...git.ID) git.ID {
		args := []string{"commit-tree", "-m", message, tree}
		for _, p := range parents {
			args = append(args, "-p", string(p))
		}
		return w.run(args...)
	}
	w.first = commit("first")
	w.before = commit("before", w.first)
	w.made = commit("The summary", w.before)
	w.amended = commit("[X-1] The summary", w.before)
	w.later = commit("later", w.made)
	w.other = commit("other", w.before)
	return w
}

func (w *movedWorld) run(args ...string) git.ID {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return git.ID(strings.TrimSpace(string(out)))
}

// put puts HEAD and its reflog where they are to be found; "" is unborn, nil is none.
func (w *movedWorld) put(head git.ID, lines []logLine) {
	w.t.Helper()
	if head == "" {
		w.run("symbolic-ref", "HEAD", "refs/heads/unborn")
	} else {
		w.run("update-ref", "--no-deref", "HEAD", string(head))
	}
	log := filepath.Join(w.dir, ".git/logs/HEAD")
	if err := os.RemoveAll(log); err != nil {
		w.t.Fatal(err)
	}
	if lines == nil {
		return
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s A <a@e.c> 1 +0000\tcommit (initial): long ago\n", w.zero, w.first)
	for _, m := range lines {
		fmt.Fprintf(&text, "%s %s A <a@e.c> 1 +0000\t%s\n", m.old, m.new, m.reason)
	}
	if err := os.MkdirAll(filepath.Dir(log), 0o777); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(log, []byte(text.String()), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

// movedCase is one way in which HEAD stands when an intent is found.
type movedCase struct {
	name string
	in   *Intent
	log  []logLine // nil: no reflog
	head git.ID    // "": unborn
	sure bool
	want git.ID
}

func (w *movedWorld) cases() []movedCase {
	const ours, theirs = "commit (context 01X): The summary", "reset: moving to x"
	both := func() *Intent {
		return &Intent{Token: "01X", Head: w.before, Commit: &store.CommitOptions{Summary: "The summary"}}
	}
	return []movedCase{
		{"nothing", both(), []logLine{{w.zero, w.before, theirs}}, w.before, false, ""},
		{"made", both(), []logLine{{w.before, w.made, ours}}, w.made, false, w.made},
		{"made, and more since", both(), []logLine{{w.before, w.made, ours}, {w.made, w.later, theirs}}, w.later, false, w.made},
		{"made, and taken back", both(), []logLine{{w.before, w.made, ours}, {w.made, w.before, theirs}}, w.before, false, w.made},
		{"killed before the branch moved", both(), []logLine{{w.before, w.made, ours}}, w.before, false, ""},
		{"killed so, and another made since", both(), []logLine{{w.before, w.made, ours}, {w.before, w.other, theirs}}, w.other, false, ""},
		{"made, and moved on from elsewhere", both(), []logLine{{w.before, w.made, ours}}, w.later, false, w.made},
		{"amended by a hook", both(), []logLine{{w.before, w.made, ours}, {w.made, w.amended, ours}}, w.amended, false, w.amended},
		{"stashed by a hook before", both(), []logLine{{w.before, w.before, "commit (context 01X): updating HEAD"}, {w.before, w.made, ours}}, w.made, false, w.made},
		{"stashed by a hook, then refused", both(), []logLine{{w.before, w.before, "commit (context 01X): updating HEAD"}}, w.before, false, ""},
		{"gone elsewhere by a hook", both(), []logLine{{w.before, w.made, ours}, {w.made, w.first, "commit (context 01X)"}}, w.first, false, w.made},
		{"thrown away since", both(), []logLine{{w.before, w.gone, ours}, {w.gone, w.before, theirs}}, w.before, false, ""},
		{"a first commit", &Intent{Token: "01X", Commit: &store.CommitOptions{Summary: "first"}}, []logLine{{w.zero, w.first, ours}}, w.first, false, w.first},
		{"no first commit", &Intent{Token: "01X", Commit: &store.CommitOptions{Summary: "first"}}, nil, "", false, ""},
		{"no reflog", both(), nil, w.made, false, w.made},
		{"no reflog, nothing made", both(), nil, w.before, false, ""},
		{"no reflog, somebody else's", both(), nil, w.other, false, ""},
		{"no reflog, a message changed by a hook", both(), nil, w.other, true, w.other},
		{"rolled back", &Intent{Token: "01X", Head: w.later, Rollback: &rollbackIntent{Target: w.first}},
			[]logLine{{w.later, w.first, "rollback (context 01X): updating HEAD"}}, w.first, false, w.first},
		{"rolled back without a reflog", &Intent{Token: "01X", Head: w.later, Rollback: &rollbackIntent{Target: w.first}}, nil, w.first, false, w.first},
		{"not rolled back", &Intent{Token: "01X", Head: w.later, Rollback: &rollbackIntent{Target: w.first}}, []logLine{}, w.later, false, ""},
		{"a worktree that is gone", &Intent{Token: "01X", Worktree: "worktrees/x", Commit: &store.CommitOptions{}}, nil, w.made, false, ""},
	}
}

// What an interrupted command did to HEAD is told by the reflog, not guessed.
func TestMovedTo(t *testing.T) {
	gittest.NeedRefFiles(t)
	t.Parallel()
	w := newMovedWorld(t)
	s, err := unwired.Open(t.Context(), store.Options{Dir: w.dir, Env: w.env})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range w.cases() {
		t.Run(c.name, func(t *testing.T) {
			if c.in.Worktree == "" {
				c.in.Worktree = "."
			}
			w.put(c.head, c.log)
			if got, err := movedTo(t.Context(), s, c.in, c.sure); err != nil || got != c.want {
				t.Errorf("moved to '%s', %v; want '%s'", got, err, c.want)
			}
		})
	}
}

// What cannot be read is never taken for nothing.
func TestReadIntent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command("git", "init", "-q", dir)
	cmd.Env = gittest.Env(t, dir, "")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := unwired.Open(t.Context(), store.Options{Dir: dir, Env: cmd.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if in, err := ReadIntent(s, "a/b"); in != nil || err != nil {
		t.Errorf("none: %v, %v", in, err)
	}
	score, id := 0.5, git.ID(strings.Repeat("1", 40))
	want := &Intent{Version: IntentVersion, Token: "01M7P72BQRZ2W3V114FB9APFVT", Branch: "a/b", Worktree: ".", Head: id, Tip: id,
		Commit: &store.CommitOptions{Writer: store.Writer{Agent: "A", Sign: store.Signing{Mode: store.SignAlways, Key: "K"}}, Summary: "S", Contribution: "C",
			Roadmap: store.RoadmapChange{Done: []string{"d"}}, Judging: store.Judgement{Score: &score, Tags: []store.NoteTag{{Key: "k", Value: "v"}}}}}
	if err := writeIntent(s, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadIntent(s, "a/b")
	if err != nil || fmt.Sprintf("%+v", *got.Commit.Judging.Score) != "0.5" {
		t.Fatalf("%+v, %v", got, err)
	}
	data, err := os.ReadFile(s.StatePath(IntentFile("a/b")))
	if err != nil {
		t.Fatal(err)
	}
	sound := string(data)
	got.Commit.Judging.Score, want.Commit.Judging.Score = nil, nil
	if fmt.Sprintf("%+v", *got.Commit) != fmt.Sprintf("%+v", *want.Commit) || got.Token != want.Token || got.Tip != want.Tip {
		t.Errorf("%+v\nwas written, and %+v read", *want.Commit, *got.Commit)
	}
	for _, text := range []string{"", "{", "[]", `{"version":2,"commit":{}}`, `{"version":1}`, `{"version":1,"commit":{},"rollback":{}}`, `{"version":1,"branch":"a/b"}`,
		strings.Replace(sound, `"a/b"`, `"c"`, 1), strings.Replace(sound, `"01M7`, `"--01M7`, 1), strings.Replace(sound, `"tip":"1`, `"tip":"--all`, 1),
		strings.Replace(sound, `"head":"1`, `"head":"x`, 1)} {
		if err := s.Repo().WriteStateFile(IntentFile("a/b"), []byte(text)); err != nil {
			t.Fatal(err)
		}
		if in, err := ReadIntent(s, "a/b"); in != nil || err == nil {
			t.Errorf("%q is read as %v", text, in)
		}
	}
}
