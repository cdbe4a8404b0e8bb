package store_test

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
	"github.com/git-context/git-context/refs/store"
)

// newGone is a repository whose code and memory went on from 'Good', which is tagged
// so, by two commits of both and one of the code alone.
func newGone(t testing.TB) *repo {
	t.Helper()
	r := newCode(t)
	s := r.open()
	r.put("f", "good\n")
	r.put("gone", "good\n")
	r.git("add", ".")
	r.commitBoth(s, "Good")
	_, err := s.SetTag(t.Context(), store.Writer{}, "good", "main")
	r.must(err)
	r.put("f", "bad\n")
	r.remember("main", "pool", "bad")
	r.commitBoth(s, "Bad")
	r.git("rm", "-q", "gone")
	r.put("new", "bad\n")
	r.git("add", ".")
	r.commitBoth(s, "Worse")
	r.put("f", "worst\n")
	r.git("commit", "-q", "-a", "-m", "alone")
	return r
}

func (r *repo) rollbackBoth(to string, reset bool) (code.RollbackResult, error) {
	return code.Rollback(r.t.Context(), r.open(), code.RollbackOptions{To: to, Code: &store.CodeOptions{Reset: reset}})
}

// stand is all that a refused rollback must leave alone.
func (r *repo) stand() string {
	r.t.Helper()
	return r.git("for-each-ref") + r.git("rev-parse", "HEAD") + r.git("status", "--porcelain", "--ignored") + r.got("f") + r.got("gone") + r.got("new")
}

// copied is a repository of its own with the same content.
func (r *repo) copied(t testing.TB) *repo {
	t.Helper()
	c := &repo{t: t, dir: filepath.Join(t.TempDir(), "code"), env: r.env}
	c.must(os.CopyFS(c.dir, os.DirFS(r.dir)))
	return c
}

func TestRollbackCode(t *testing.T) {
	t.Parallel()
	for _, reset := range []bool{false, true} {
		t.Run(fmt.Sprint("reset ", reset), func(t *testing.T) {
			t.Parallel()
			r := newGone(t)
			good := r.git("rev-parse", "HEAD~3")
			head := r.git("rev-parse", "HEAD")
			r.put("untracked", "mine\n")
			for _, touched := range []string{"f", "dir/g"} { // which is not changed
				r.must(os.Chtimes(filepath.Join(r.dir, touched), time.Unix(1, 0), time.Unix(1, 0)))
			}
			res, err := r.rollbackBoth("good", reset)
			r.must(err)
			if r.got("f") != "good\n" || r.got("gone") != "good\n" || r.got("new") != "" || r.git("status", "--porcelain") != "?? untracked" {
				t.Errorf("the code is not as it was:\n%s", r.stand())
			}
			if len(res.Changed) != 2 || !strings.HasPrefix(res.Changed[0], "Code that went back: to "+good[:10]+" (Good), by ") {
				t.Errorf("it says %q", res.Changed)
			}
			now := r.git("rev-parse", "HEAD")
			if string(*res.Code) != now || r.git("rev-parse", "ORIG_HEAD") != head {
				t.Errorf("HEAD is %s, the milestone names %s", now, *res.Code)
			}
			if reset {
				if now != good || strings.Count(r.git("notes", "--ref=context", "show", good), `"kind":"link"`) != 1 {
					t.Errorf("reset to %s, not %s", now, good)
				}
				return
			}
			r.bound(*res.Code, *res.Hash)
			if r.git("rev-parse", "HEAD~1") != head {
				t.Error("the new commit does not stand on what was HEAD")
			}
			message := r.git("log", "-1", "--format=%B")
			want := "Revert to \"Good\"\n\nThe code is as it was at " + good + ". This takes back:\n\n" +
				r.git("log", "--abbrev=10", "--format=%h %s", "-3", "HEAD~1")
			if message != want {
				t.Errorf("its message is\n%s\nwant\n%s", message, want)
			}
			again, err := r.rollbackBoth("good", false)
			if err != nil || !again.Unchanged || !again.CodeUnchanged {
				t.Errorf("again: %+v, %v", again, err)
			}
			r.remember("main", "pool", "bad again")
			again, err = r.rollbackBoth("good", false)
			if err != nil || again.Unchanged || !again.CodeUnchanged || r.git("rev-parse", "HEAD") != now {
				t.Errorf("memory alone: %+v, %v", again, err)
			}
			r.fsck()
		})
	}
}

// refusedCase is a way in which code cannot go back.
type refusedCase struct {
	name, code string
	reset      bool
	spoil      func(r *repo) (to string)
}

func refusedEdits() []refusedCase {
	return []refusedCase{
		{"edited", "code-edited", false, func(r *repo) string { r.put("f", "edited\n"); return "good" }},
		{"edited elsewhere", "code-edited", true, func(r *repo) string { r.put("dir/g", "edited\n"); return "good" }},
		{"staged", "code-edited", false, func(r *repo) string {
			r.put("f", "staged\n")
			r.git("add", "f")
			r.put("f", "worst\n")
			return "good"
		}},
		{"deleted", "code-edited", false, func(r *repo) string { r.must(os.Remove(filepath.Join(r.dir, "f"))); return "good" }},
		{"untracked in the way", "code-in-the-way", false, func(r *repo) string { r.put("gone", "mine\n"); return "good" }},
		{"ignored in the way", "code-in-the-way", true, func(r *repo) string {
			r.put(".git/info/exclude", "gone\n")
			r.put("gone", "mine\n")
			return "good"
		}},
	}
}

func refusedPlaces() []refusedCase {
	return []refusedCase{
		{"a merge", "code-busy", false, func(r *repo) string {
			r.git("checkout", "-q", "-b", "side", "HEAD~1")
			r.put("side", "side\n")
			r.git("add", ".")
			r.git("commit", "-q", "-m", "side")
			r.git("checkout", "-q", "trunk")
			r.git("merge", "-q", "--no-commit", "-s", "ours", "side")
			return "good"
		}},
		{"a bisect", "code-busy", true, func(r *repo) string { r.git("bisect", "start"); return "good" }},
		{"another line of history", "code-elsewhere", false, func(r *repo) string {
			r.git("checkout", "-q", "--orphan", "other")
			r.git("commit", "-q", "-m", "other")
			return "good"
		}},
		{"thrown away", "code-gone", false, func(r *repo) string {
			r.git("reset", "-q", "--hard", "HEAD~4")
			r.git("reflog", "expire", "--expire=now", "--all")
			r.git("prune", "--expire=now")
			return "good"
		}},
		{"before the first commit", "code-unknown", false, func(r *repo) string {
			r.git("checkout", "-q", "--orphan", "empty")
			r.made("main", "Unborn")
			r.git("checkout", "-q", "-f", "trunk")
			return "main"
		}},
		{"on a branch without a commit", "code-unborn", false, func(r *repo) string { r.git("checkout", "-q", "--orphan", "empty"); return "good" }},
		{"never stood there", "rollback-elsewhere", false, func(r *repo) string {
			r.branch("exp", "main")
			return r.made("exp", "Aside")
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
			r := past.copied(t)
			to := c.spoil(r)
			before := ""
			if c.code != "code-unborn" {
				before = r.stand()
			}
			_, err := r.rollbackBoth(to, c.reset)
			var said *fail.Error
			if !errors.As(err, &said) || said.Code != c.code || len(said.Hints) == 0 && c.code != "rollback-elsewhere" {
				t.Fatalf("refused with %v", err)
			}
			if before == "" {
				return
			}
			if after := r.stand(); after != before {
				t.Errorf("something moved:\n%s\nwas\n%s", after, before)
			}
		})
	}
}

// Where the code's history is another one, only --reset says what is meant.
func TestResetElsewhere(t *testing.T) {
	t.Parallel()
	r := newGone(t)
	good := r.git("rev-parse", "HEAD~3")
	r.git("checkout", "-q", "-b", "other", "HEAD~4")
	r.git("commit", "-q", "--allow-empty", "-m", "other")
	_, err := r.rollbackBoth("good", false)
	var said *fail.Error
	if !errors.As(err, &said) || !strings.HasSuffix(said.Message, "--reset would leave 1 commit of this branch behind") ||
		strings.Contains(said.Hints[0], "--reset") || !strings.HasPrefix(said.Hints[1], "git branch ") {
		t.Errorf("refused with %v, hints %q", err, said.Hints)
	}
	res, err := r.rollbackBoth("good", true)
	r.must(err)
	if r.git("rev-parse", "other") != good || string(*res.Code) != good || r.git("status", "--porcelain") != "" {
		t.Errorf("reset to %s: %s", good, r.stand())
	}
}

// The worktree that it is run in goes back, as much of it as is checked out.
func TestRollbackCodeInWorktrees(t *testing.T) {
	t.Parallel()
	r := newGone(t)
	linked := filepath.Join(filepath.Dir(r.dir), "linked")
	r.git("worktree", "add", "-q", "-b", "side", linked)
	trunk := r.git("rev-parse", "trunk")
	r.git("-C", linked, "sparse-checkout", "set", "dir")
	s := r.from(filepath.Join(linked, "dir"))
	res, err := code.Rollback(t.Context(), s, code.RollbackOptions{Branch: "main", To: "good", Code: &store.CodeOptions{}})
	r.must(err)
	if side := r.git("rev-parse", "side"); side != string(*res.Code) || r.git("rev-parse", "trunk") != trunk {
		t.Errorf("side is at %s, the milestone names %s", side, *res.Code)
	}
	if dirty := r.git("-C", linked, "status", "--porcelain"); dirty != "" {
		t.Errorf("the linked worktree is not clean: %s", dirty)
	}
	if got := r.got("f"); got != "worst\n" {
		t.Errorf("the main worktree has %q", got)
	}
	r.fsck()
}
