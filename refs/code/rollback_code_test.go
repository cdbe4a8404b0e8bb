package code_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
)

// newGone is a repository whose code and memory went on from 'Good', which is tagged
// so, by two commits of both and one of the code alone.
func newGone(t testing.TB) *memtest.Repo {
	t.Helper()
	r := newCode(t)
	s := r.Open()
	writeFile(r, "f", "good\n")
	writeFile(r, "gone", "good\n")
	r.Git("add", ".")
	commitBoth(r, s, "Good")
	_, err := s.SetTag(t.Context(), store.Writer{}, "good", "main")
	r.Must(err)
	writeFile(r, "f", "bad\n")
	r.Remember("main", "pool", "bad")
	commitBoth(r, s, "Bad")
	r.Git("rm", "-q", "gone")
	writeFile(r, "new", "bad\n")
	r.Git("add", ".")
	commitBoth(r, s, "Worse")
	writeFile(r, "f", "worst\n")
	r.Git("commit", "-q", "-a", "-m", "alone")
	return r
}

func rollbackBoth(r *memtest.Repo, to string, reset bool) (code.RollbackResult, error) {
	return code.Rollback(r.T.Context(), r.Open(), code.RollbackOptions{To: to, Code: &store.CodeOptions{Reset: reset}})
}

// refusedState is all that a refused rollback must not change.
func refusedState(r *memtest.Repo) string {
	r.T.Helper()
	return r.Git("for-each-ref") + r.Git("rev-parse", "HEAD") + r.Git("status", "--porcelain", "--ignored") + readFile(r, "f") + readFile(r, "gone") + readFile(r, "new")
}

// copied is a repository of its own with the same content.
func copied(r *memtest.Repo, t testing.TB) *memtest.Repo {
	t.Helper()
	c := &memtest.Repo{T: t, Dir: filepath.Join(t.TempDir(), "code"), Env: r.Env}
	c.Must(os.CopyFS(c.Dir, os.DirFS(r.Dir)))
	return c
}

func TestRollbackCode(t *testing.T) {
	t.Parallel()
	for _, reset := range []bool{false, true} {
		t.Run(fmt.Sprint("reset ", reset), func(t *testing.T) {
			t.Parallel()
			r := newGone(t)
			good := r.Git("rev-parse", "HEAD~3")
			head := r.Git("rev-parse", "HEAD")
			writeFile(r, "untracked", "mine\n")
			for _, touched := range []string{"f", "dir/g"} { // which is not changed
				r.Must(os.Chtimes(filepath.Join(r.Dir, touched), time.Unix(1, 0), time.Unix(1, 0)))
			}
			res, err := rollbackBoth(r, "good", reset)
			r.Must(err)
			if readFile(r, "f") != "good\n" || readFile(r, "gone") != "good\n" || readFile(r, "new") != "" || r.Git("status", "--porcelain") != "?? untracked" {
				t.Errorf("the code is not as it was:\n%s", refusedState(r))
			}
			if len(res.Changed) != 2 || !strings.HasPrefix(res.Changed[0], "Code that went back: to "+good[:10]+" (Good), by ") {
				t.Errorf("it says %q", res.Changed)
			}
			now := r.Git("rev-parse", "HEAD")
			if string(*res.Code) != now || r.Git("rev-parse", "ORIG_HEAD") != head {
				t.Errorf("HEAD is %s, the milestone names %s", now, *res.Code)
			}
			if reset {
				if now != good || strings.Count(r.Git("notes", "--ref=context", "show", good), `"kind":"link"`) != 1 {
					t.Errorf("reset to %s, not %s", now, good)
				}
				return
			}
			checkBound(r, *res.Code, *res.Hash)
			if r.Git("rev-parse", "HEAD~1") != head {
				t.Error("the new commit does not stand on what was HEAD")
			}
			message := r.Git("log", "-1", "--format=%B")
			want := "Revert to \"Good\"\n\nThe code is as it was at " + good + ". This takes back:\n\n" +
				r.Git("log", "--abbrev=10", "--format=%h %s", "-3", "HEAD~1")
			if message != want {
				t.Errorf("its message is\n%s\nwant\n%s", message, want)
			}
			again, err := rollbackBoth(r, "good", false)
			if err != nil || !again.Unchanged || !again.CodeUnchanged {
				t.Errorf("again: %+v, %v", again, err)
			}
			r.Remember("main", "pool", "bad again")
			again, err = rollbackBoth(r, "good", false)
			if err != nil || again.Unchanged || !again.CodeUnchanged || r.Git("rev-parse", "HEAD") != now {
				t.Errorf("memory alone: %+v, %v", again, err)
			}
			r.Fsck()
		})
	}
}

// refusedCase is a way in which code cannot go back.
type refusedCase struct {
	name, code string
	reset      bool
	spoil      func(r *memtest.Repo) (to string)
}

func refusedEdits() []refusedCase {
	return []refusedCase{
		{"edited", "code-edited", false, func(r *memtest.Repo) string { writeFile(r, "f", "edited\n"); return "good" }},
		{"edited elsewhere", "code-edited", true, func(r *memtest.Repo) string { writeFile(r, "dir/g", "edited\n"); return "good" }},
		{"staged", "code-edited", false, func(r *memtest.Repo) string {
			writeFile(r, "f", "staged\n")
			r.Git("add", "f")
			writeFile(r, "f", "worst\n")
			return "good"
		}},
		{"deleted", "code-edited", false, func(r *memtest.Repo) string { r.Must(os.Remove(filepath.Join(r.Dir, "f"))); return "good" }},
		{"untracked in the way", "code-in-the-way", false, func(r *memtest.Repo) string { writeFile(r, "gone", "mine\n"); return "good" }},
		{"ignored in the way", "code-in-the-way", true, func(r *memtest.Repo) string {
			writeFile(r, ".git/info/exclude", "gone\n")
			writeFile(r, "gone", "mine\n")
			return "good"
		}},
	}
}

func refusedPlaces() []refusedCase {
	return []refusedCase{
		{"a merge", "code-busy", false, func(r *memtest.Repo) string {
			r.Git("checkout", "-q", "-b", "side", "HEAD~1")
			writeFile(r, "side", "side\n")
			r.Git("add", ".")
			r.Git("commit", "-q", "-m", "side")
			r.Git("checkout", "-q", "trunk")
			r.Git("merge", "-q", "--no-commit", "-s", "ours", "side")
			return "good"
		}},
		{"a bisect", "code-busy", true, func(r *memtest.Repo) string { r.Git("bisect", "start"); return "good" }},
		{"another line of history", "code-elsewhere", false, func(r *memtest.Repo) string {
			r.Git("checkout", "-q", "--orphan", "other")
			r.Git("commit", "-q", "-m", "other")
			return "good"
		}},
		{"thrown away", "code-gone", false, func(r *memtest.Repo) string {
			r.Git("reset", "-q", "--hard", "HEAD~4")
			r.Git("reflog", "expire", "--expire=now", "--all")
			r.Git("prune", "--expire=now")
			return "good"
		}},
		{"before the first commit", "code-unknown", false, func(r *memtest.Repo) string {
			r.Git("checkout", "-q", "--orphan", "empty")
			r.CommitHash("main", "Unborn")
			r.Git("checkout", "-q", "-f", "trunk")
			return "main"
		}},
		{"on a branch without a commit", "code-unborn", false, func(r *memtest.Repo) string { r.Git("checkout", "-q", "--orphan", "empty"); return "good" }},
		{"never stood there", "rollback-elsewhere", false, func(r *memtest.Repo) string {
			r.Branch("exp", "main")
			return r.CommitHash("exp", "Aside")
		}},
	}
}

// What would lose or mix up anything is refused, and nothing moves.
func TestRollbackCodeRefused(t *testing.T) {
	t.Parallel()
	past := newGone(t)
	for _, c := range append(refusedEdits(), refusedPlaces()...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := copied(past, t)
			to := c.spoil(r)
			before := ""
			if c.code != "code-unborn" {
				before = refusedState(r)
			}
			_, err := rollbackBoth(r, to, c.reset)
			var said *fail.Error
			if !errors.As(err, &said) || said.Code != c.code || len(said.Hints) == 0 && c.code != "rollback-elsewhere" {
				t.Fatalf("refused with %v", err)
			}
			if before == "" {
				return
			}
			if after := refusedState(r); after != before {
				t.Errorf("something moved:\n%s\nwas\n%s", after, before)
			}
		})
	}
}

// Where the code's history is another one, only --reset says what is meant.
func TestResetElsewhere(t *testing.T) {
	t.Parallel()
	r := newGone(t)
	good := r.Git("rev-parse", "HEAD~3")
	r.Git("checkout", "-q", "-b", "other", "HEAD~4")
	r.Git("commit", "-q", "--allow-empty", "-m", "other")
	_, err := rollbackBoth(r, "good", false)
	var said *fail.Error
	if !errors.As(err, &said) || !strings.HasSuffix(said.Message, "--reset would leave 1 commit of this branch behind") ||
		strings.Contains(said.Hints[0], "--reset") || !strings.HasPrefix(said.Hints[1], "git branch ") {
		t.Errorf("refused with %v, hints %q", err, said.Hints)
	}
	res, err := rollbackBoth(r, "good", true)
	r.Must(err)
	if r.Git("rev-parse", "other") != good || string(*res.Code) != good || r.Git("status", "--porcelain") != "" {
		t.Errorf("reset to %s: %s", good, refusedState(r))
	}
}

// The worktree that it is run in goes back, as much of it as is checked out.
func TestRollbackCodeInWorktrees(t *testing.T) {
	t.Parallel()
	r := newGone(t)
	linked := filepath.Join(filepath.Dir(r.Dir), "linked")
	r.Git("worktree", "add", "-q", "-b", "side", linked)
	trunk := r.Git("rev-parse", "trunk")
	r.Git("-C", linked, "sparse-checkout", "set", "dir")
	s := openFrom(r, filepath.Join(linked, "dir"))
	res, err := code.Rollback(t.Context(), s, code.RollbackOptions{Branch: "main", To: "good", Code: &store.CodeOptions{}})
	r.Must(err)
	if side := r.Git("rev-parse", "side"); side != string(*res.Code) || r.Git("rev-parse", "trunk") != trunk {
		t.Errorf("side is at %s, the milestone names %s", side, *res.Code)
	}
	if dirty := r.Git("-C", linked, "status", "--porcelain"); dirty != "" {
		t.Errorf("the linked worktree is not clean: %s", dirty)
	}
	if got := readFile(r, "f"); got != "worst\n" {
		t.Errorf("the main worktree has %q", got)
	}
	r.Fsck()
}
