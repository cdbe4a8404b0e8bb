package refs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/git"
)

// logLine is one of a reflog.
type logLine struct {
	old, new git.ID
	reason   string
}

// What an interrupted command did to HEAD is told by the reflog, not guessed.
func TestMovedTo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@e.c",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@e.c"}
	run := func(args ...string) git.ID {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return git.ID(strings.TrimSpace(string(out)))
	}
	run("init", "-q")
	tree := string(run("hash-object", "-w", "-t", "tree", "/dev/null"))
	commit := func(message string, parents ...git.ID) git.ID {
		args := []string{"commit-tree", "-m", message, tree}
		for _, p := range parents {
			args = append(args, "-p", string(p))
		}
		return run(args...)
	}
	first := commit("first")
	before := commit("before", first)
	made := commit("The summary", before)
	amended := commit("[X-1] The summary", before)
	later := commit("later", made)
	other := commit("other", before)
	zero := git.ID(strings.Repeat("0", 40))
	gone := git.ID(strings.Repeat("1", 40))
	s, err := Open(t.Context(), Options{Dir: dir, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const ours, theirs = "commit (context 01X): The summary", "reset: moving to x"
	both := func() *intent {
		return &intent{Token: "01X", Head: before, Commit: &CommitOptions{Summary: "The summary"}}
	}
	for _, c := range []struct {
		name string
		in   *intent
		log  []logLine // nil: no reflog
		head git.ID    // "": unborn
		sure bool
		want git.ID
	}{
		{"nothing", both(), []logLine{{zero, before, theirs}}, before, false, ""},
		{"made", both(), []logLine{{before, made, ours}}, made, false, made},
		{"made, and more since", both(), []logLine{{before, made, ours}, {made, later, theirs}}, later, false, made},
		{"made, and taken back", both(), []logLine{{before, made, ours}, {made, before, theirs}}, before, false, made},
		{"killed before the branch moved", both(), []logLine{{before, made, ours}}, before, false, ""},
		{"killed so, and another made since", both(), []logLine{{before, made, ours}, {before, other, theirs}}, other, false, ""},
		{"made, and moved on from elsewhere", both(), []logLine{{before, made, ours}}, later, false, made},
		{"amended by a hook", both(), []logLine{{before, made, ours}, {made, amended, ours}}, amended, false, amended},
		{"stashed by a hook before", both(), []logLine{{before, before, "commit (context 01X): updating HEAD"}, {before, made, ours}}, made, false, made},
		{"stashed by a hook, then refused", both(), []logLine{{before, before, "commit (context 01X): updating HEAD"}}, before, false, ""},
		{"gone elsewhere by a hook", both(), []logLine{{before, made, ours}, {made, first, "commit (context 01X)"}}, first, false, made},
		{"thrown away since", both(), []logLine{{before, gone, ours}, {gone, before, theirs}}, before, false, ""},
		{"a first commit", &intent{Token: "01X", Commit: &CommitOptions{Summary: "first"}}, []logLine{{zero, first, ours}}, first, false, first},
		{"no first commit", &intent{Token: "01X", Commit: &CommitOptions{Summary: "first"}}, nil, "", false, ""},
		{"no reflog", both(), nil, made, false, made},
		{"no reflog, nothing made", both(), nil, before, false, ""},
		{"no reflog, somebody else's", both(), nil, other, false, ""},
		{"no reflog, a message changed by a hook", both(), nil, other, true, other},
		{"rolled back", &intent{Token: "01X", Head: later, Rollback: &rollbackIntent{Target: first}},
			[]logLine{{later, first, "rollback (context 01X): updating HEAD"}}, first, false, first},
		{"rolled back without a reflog", &intent{Token: "01X", Head: later, Rollback: &rollbackIntent{Target: first}}, nil, first, false, first},
		{"not rolled back", &intent{Token: "01X", Head: later, Rollback: &rollbackIntent{Target: first}}, []logLine{}, later, false, ""},
		{"a worktree that is gone", &intent{Token: "01X", Worktree: "worktrees/x", Commit: &CommitOptions{}}, nil, made, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.in.Worktree == "" {
				c.in.Worktree = "."
			}
			if c.head == "" {
				run("symbolic-ref", "HEAD", "refs/heads/unborn")
			} else {
				run("update-ref", "--no-deref", "HEAD", string(c.head))
			}
			log := filepath.Join(dir, ".git/logs/HEAD")
			if err := os.RemoveAll(log); err != nil {
				t.Fatal(err)
			}
			if c.log != nil {
				var text strings.Builder
				fmt.Fprintf(&text, "%s %s A <a@e.c> 1 +0000\tcommit (initial): long ago\n", zero, first)
				for _, m := range c.log {
					fmt.Fprintf(&text, "%s %s A <a@e.c> 1 +0000\t%s\n", m.old, m.new, m.reason)
				}
				if err := os.MkdirAll(filepath.Dir(log), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(log, []byte(text.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := s.movedTo(t.Context(), c.in, c.sure); err != nil || got != c.want {
				t.Errorf("moved to '%s', %v; want '%s'", got, err, c.want)
			}
		})
	}
}

// Who took a worktree away is told what was given up with it.
func TestSettleWithoutWorktree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@e.c"}
	cmd := exec.Command("git", "init", "-q", dir)
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var told []string
	s, err := Open(t.Context(), Options{Dir: dir, Env: env, Now: time.Now, Warn: func(m string) { told = append(told, m) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Init(t.Context(), InitOptions{}); err != nil {
		t.Fatal(err)
	}
	in := &intent{Version: codeIntentVersion, Token: "01X", Branch: "main", Worktree: "worktrees/x", Commit: &CommitOptions{}}
	if err := s.writeIntent(in); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context(), CommitOptions{Summary: "next"}); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || !strings.Contains(told[0], "'git context commit --code' was interrupted in a worktree that is gone") {
		t.Errorf("told %q", told)
	}
	if in, err := s.readIntent("main"); in != nil || err != nil {
		t.Errorf("left: %v, %v", in, err)
	}
}

// A repair can be pasted wherever the repository stands.
func TestRepairIsQuoted(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "it's")
	cmd := exec.Command("git", "init", "-q", dir)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@e.c"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := Open(t.Context(), Options{Dir: dir, Env: cmd.Env, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Init(t.Context(), InitOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.repo.WriteStateFile(intentName("main"), []byte("x")); err != nil {
		t.Fatal(err)
	}
	found, err := s.Fsck(t.Context(), FsckOptions{})
	if err != nil || len(found) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	if out, err := exec.Command("sh", "-c", found[0].Repair).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", found[0].Repair, err, out)
	}
	if found, err := s.Fsck(t.Context(), FsckOptions{}); err != nil || len(found) > 0 {
		t.Errorf("repaired: %+v, %v", found, err)
	}
}

// What cannot be read is never taken for nothing.
func TestReadIntent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command("git", "init", "-q", dir)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := Open(t.Context(), Options{Dir: dir, Env: cmd.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if in, err := s.readIntent("a/b"); in != nil || err != nil {
		t.Errorf("none: %v, %v", in, err)
	}
	score := 0.5
	want := &intent{Version: codeIntentVersion, Token: "01X", Branch: "a/b", Worktree: ".", Head: "h", Tip: "t",
		Commit: &CommitOptions{Writer: Writer{Agent: "A", Sign: Signing{Mode: SignAlways, Key: "K"}}, Summary: "S", Contribution: "C",
			Roadmap: RoadmapChange{Done: []string{"d"}}, Judging: Judging{Score: &score, Tags: []NoteTag{{"k", "v"}}}}}
	if err := s.writeIntent(want); err != nil {
		t.Fatal(err)
	}
	got, err := s.readIntent("a/b")
	if err != nil || fmt.Sprintf("%+v", *got.Commit.Judging.Score) != "0.5" {
		t.Fatalf("%+v, %v", got, err)
	}
	got.Commit.Judging.Score, want.Commit.Judging.Score = nil, nil
	if fmt.Sprintf("%+v", *got.Commit) != fmt.Sprintf("%+v", *want.Commit) || got.Token != want.Token || got.Tip != want.Tip {
		t.Errorf("%+v\nwas written, and %+v read", *want.Commit, *got.Commit)
	}
	for _, text := range []string{"", "{", "[]", `{"version":2,"commit":{}}`, `{"version":1}`, `{"version":1,"commit":{},"rollback":{}}`} {
		if err := s.repo.WriteStateFile(intentName("a/b"), []byte(text)); err != nil {
			t.Fatal(err)
		}
		if in, err := s.readIntent("a/b"); in != nil || err == nil {
			t.Errorf("%q is read as %v", text, in)
		}
	}
}
