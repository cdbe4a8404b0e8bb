package code_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// newCode is a repository with memory, and 'f' and 'dir/g' in its code.
func newCode(t testing.TB) *memtest.Repo {
	t.Helper()
	r := memtest.New(t)
	writeFile(r, "f", "first\n")
	writeFile(r, "dir/g", "first\n")
	r.Git("add", ".")
	r.Git("commit", "-q", "-m", "first")
	_, err := share.Init(t.Context(), r.Open(), share.InitOptions{})
	r.Must(err)
	return r
}

// writeFile writes a file of the worktree.
func writeFile(r *memtest.Repo, name, text string) {
	r.T.Helper()
	path := filepath.Join(r.Dir, name)
	r.Must(os.MkdirAll(filepath.Dir(path), 0o777))
	r.Must(os.WriteFile(path, []byte(text), 0o666))
}

// readFile reads a file of the worktree, "" where none exists.
func readFile(r *memtest.Repo, name string) string {
	r.T.Helper()
	data, err := os.ReadFile(filepath.Join(r.Dir, name))
	if !errors.Is(err, os.ErrNotExist) {
		r.Must(err)
	}
	return string(data)
}

// writeHook makes one of git's hooks.
func writeHook(r *memtest.Repo, name, script string) {
	r.T.Helper()
	writeFile(r, ".git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	r.Must(os.Chmod(filepath.Join(r.Dir, ".git/hooks", name), 0o777))
}

// openFrom opens the memory from a directory, with more variables in the environment.
func openFrom(r *memtest.Repo, dir string, env ...string) *refs.Store {
	r.T.Helper()
	s, err := refs.Open(r.T.Context(), store.Options{Dir: dir, Env: append(r.Env[:len(r.Env):len(r.Env)], env...), Now: time.Now})
	r.Must(err)
	r.T.Cleanup(func() { s.Close() })
	return s
}

// commitBoth makes a commit of both, with all that is changed.
func commitBoth(r *memtest.Repo, s *refs.Store, summary string) store.CommitResult {
	r.T.Helper()
	var said bytes.Buffer
	res, err := s.Commit(r.T.Context(), store.CommitOptions{Summary: summary, Code: &store.CodeOptions{All: true, Output: &said}})
	if err != nil || len(res.Warnings) > 0 {
		r.T.Fatalf("commit both: %v, %v\n%s", err, res.Warnings, &said)
	}
	return res
}

// checkBound checks that a code commit and a memory commit name each other, and returns the
// subject of the code commit.
func checkBound(r *memtest.Repo, code git.ID, milestone git.ID) string {
	r.T.Helper()
	if got := r.Git("log", "-1", "--format=%(trailers:key=Code-Commit,valueonly)", string(milestone)); got != string(code) {
		r.T.Errorf("the milestone names code commit '%s', not %s", got, code)
	}
	note := r.Git("notes", "--ref=context", "show", string(code))
	if strings.Count(note, `"kind":"link"`) != 1 || !strings.Contains(note, string(milestone)) {
		r.T.Errorf("the note of the code commit is\n%s", note)
	}
	left, err := filepath.Glob(filepath.Join(r.Dir, ".git/context/intent/*"))
	r.Must(err)
	if len(left) > 0 {
		r.T.Errorf("left: %v", left)
	}
	return r.Git("log", "-1", "--format=%s", string(code))
}

// Wherever it is run, it is the right repository, worktree and index.
func TestCommitCodeFrom(t *testing.T) {
	t.Parallel()
	r := newCode(t)
	linked := filepath.Join(filepath.Dir(r.Dir), "linked")
	r.Git("worktree", "add", "-q", "-b", "side", linked)
	index := filepath.Join(t.TempDir(), "index")
	other := t.TempDir()
	for _, c := range []struct {
		name, dir, branch string
		env               []string
	}{
		{"top", r.Dir, "trunk", nil},
		{"a directory below", filepath.Join(r.Dir, "dir"), "trunk", nil},
		{"elsewhere, by variables", other, "trunk", []string{"GIT_DIR=" + filepath.Join(r.Dir, ".git"), "GIT_WORK_TREE=" + r.Dir}},
		{"relative variables", filepath.Join(r.Dir, "dir"), "trunk", []string{"GIT_DIR=../.git", "GIT_WORK_TREE=.."}},
		{"a linked worktree", linked, "side", nil},
		{"another index", r.Dir, "trunk", []string{"GIT_INDEX_FILE=" + index}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(r.Dir, "f")
			if c.branch == "side" {
				file = filepath.Join(linked, "f")
			}
			r.Must(os.WriteFile(file, []byte(c.name+"\n"), 0o666))
			own, err := os.ReadFile(filepath.Join(r.Dir, ".git/index"))
			r.Must(err)
			r.Must(os.WriteFile(index, own, 0o666))
			res := commitBoth(r, openFrom(r, c.dir, c.env...), c.name)
			if subject := checkBound(r, *res.Code, res.Commit); subject != c.name {
				t.Errorf("committed '%s'", subject)
			}
			if tip := r.Git("rev-parse", c.branch); tip != string(*res.Code) {
				t.Errorf("%s is at %s, committed %s", c.branch, tip, *res.Code)
			}
			if len(c.env) == 1 {
				after, err := os.ReadFile(filepath.Join(r.Dir, ".git/index"))
				r.Must(err)
				if !bytes.Equal(own, after) {
					t.Error("the index that was not named was written")
				}
				r.Git("reset", "-q")
			}
			if dirty := r.Git("status", "--porcelain"); dirty != "" {
				t.Errorf("left: %s", dirty)
			}
		})
	}
	r.Fsck()
}

// A submodule has a memory of its own.
func TestCommitCodeInSubmodule(t *testing.T) {
	t.Parallel()
	outer, inner := newCode(t), newCode(t)
	outer.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.Dir, "sub")
	res := commitBoth(outer, outer.Open(), "Add the submodule")
	checkBound(outer, *res.Code, res.Commit)
	sub := filepath.Join(outer.Dir, "sub")
	s := openFrom(outer, sub)
	_, err := share.Init(t.Context(), s, share.InitOptions{})
	outer.Must(err)
	writeFile(outer, "sub/f", "of the submodule\n")
	before := outer.Git("rev-parse", "HEAD")
	res = commitBoth(outer, s, "Inside")
	if got := outer.Git("-C", sub, "log", "-1", "--format=%H %s"); got != string(*res.Code)+" Inside" {
		t.Errorf("the submodule is at %s", got)
	}
	if after := outer.Git("rev-parse", "HEAD"); after != before {
		t.Error("the repository around it moved")
	}
	// The repository around it takes the new one like any change; edits within are not its own.
	res = commitBoth(outer, outer.Open(), "Take it")
	checkBound(outer, *res.Code, res.Commit)
	writeFile(outer, "sub/f", "edited again\n")
	_, err = outer.Open().Commit(t.Context(), store.CommitOptions{Summary: "nothing", Code: &store.CodeOptions{All: true}})
	if !errors.Is(err, fail.ErrRefused) {
		t.Errorf("edits within a submodule: %v", err)
	}
	if back, err := code.Rollback(t.Context(), outer.Open(), code.RollbackOptions{To: "main~1", Code: &store.CodeOptions{}}); err != nil {
		t.Errorf("rollback beside edits within a submodule: %v", err)
	} else {
		checkBound(outer, *back.Code, *back.Hash)
	}
}

// Hooks do what they like, before and behind: the commit that stays is the one.
func TestCommitCodeAmongHooks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, hook, script, subject string }{
		{"rewords", "commit-msg", `echo "[X-1] reworded" >"$1"`, "[X-1] reworded"},
		{"amends", "post-commit", `[ -n "$AGAIN" ] || AGAIN=1 git commit -q --amend -m amended`, "amended"},
		{"goes elsewhere", "post-commit", "git checkout -q -b elsewhere HEAD~1", "Both"},
		{"takes back", "post-commit", "git reset -q HEAD~1", "Both"},
		{"resets before", "pre-commit", "git update-ref --create-reflog -m x HEAD HEAD; git reset -q --soft HEAD", "Both"},
		{"fails behind", "post-commit", "exit 1", "Both"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newCode(t)
			writeHook(r, c.hook, c.script)
			writeFile(r, "f", "changed\n")
			res := commitBoth(r, r.Open(), "Both")
			if subject := checkBound(r, *res.Code, res.Commit); subject != c.subject {
				t.Errorf("'%s' is linked, want '%s'", subject, c.subject)
			}
		})
	}
}

// In the middle of something git knows what a commit is.
func TestCommitCodeInTheMiddle(t *testing.T) {
	t.Parallel()
	r := newCode(t)
	r.Git("checkout", "-q", "-b", "side")
	writeFile(r, "f", "side\n")
	r.Git("commit", "-q", "-a", "-m", "side", "--author", "Bob <bob@example.com>")
	r.Git("checkout", "-q", "trunk")
	writeFile(r, "f", "trunk\n")
	r.Git("commit", "-q", "-a", "-m", "trunk")
	conflict := func(args ...string) {
		t.Helper()
		if _, err := tryGit(r, args...); err == nil {
			t.Fatalf("git %v: no conflict", args)
		}
		_, err := r.Open().Commit(t.Context(), store.CommitOptions{Summary: "too early", Code: &store.CodeOptions{}})
		if !errors.Is(err, fail.ErrRefused) {
			t.Errorf("git %v, not settled: %v", args, err)
		}
		writeFile(r, "f", "both\n")
		r.Git("add", "f")
	}
	conflict("cherry-pick", "side")
	res := commitBoth(r, r.Open(), "Picked")
	checkBound(r, *res.Code, res.Commit)
	if got := r.Git("log", "-1", "--format=%an %p", string(*res.Code)); got != "Bob "+r.Git("rev-parse", "--short", "HEAD~1") {
		t.Errorf("a cherry-pick is by %s", got)
	}
	r.Git("reset", "-q", "--hard", "HEAD~1")
	conflict("merge", "side")
	res = commitBoth(r, r.Open(), "Merged")
	checkBound(r, *res.Code, res.Commit)
	if got := r.Git("log", "-1", "--format=%P", string(*res.Code)); len(strings.Fields(got)) != 2 {
		t.Errorf("a merge has parents %s", got)
	}
	r.Git("reset", "-q", "--hard", "HEAD~1")
	conflict("rebase", "side")
	res = commitBoth(r, r.Open(), "Rebased")
	checkBound(r, *res.Code, res.Commit)
	r.Git("rebase", "--continue")
	if got := r.Git("rev-parse", "trunk"); got != string(*res.Code) {
		t.Errorf("the rebase ends at %s, not at %s", got, *res.Code)
	}
	r.Fsck()
}

// Without a reflog the commit is found all the same; a first commit is one.
func TestCommitCodeWithoutReflog(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	r.Git("config", "core.logAllRefUpdates", "false")
	_, err := share.Init(t.Context(), r.Open(), share.InitOptions{})
	r.Must(err)
	for _, text := range []string{"one", "two"} {
		writeFile(r, "f", text)
		r.Git("add", "f")
		res := commitBoth(r, r.Open(), text)
		checkBound(r, *res.Code, res.Commit)
	}
	if _, err := os.Stat(filepath.Join(r.Dir, ".git/logs/HEAD")); err == nil {
		t.Error("a reflog was made")
	}
	writeFile(r, "f", "three")
	commitBoth(r, r.Open(), "three")
	back, err := code.Rollback(t.Context(), r.Open(), code.RollbackOptions{To: "main~1", Code: &store.CodeOptions{}})
	r.Must(err)
	checkBound(r, *back.Code, *back.Hash)
	if got := readFile(r, "f"); got != "two" {
		t.Errorf("f is %q", got)
	}
}

// Both halves are signed as each half's settings say.
func TestSignBoth(t *testing.T) {
	t.Parallel()
	r := newCode(t)
	r.TrustKey()
	r.Git("config", "commit.gpgSign", "true")
	for _, memory := range []string{"false", "true"} {
		r.Git("config", "context.gpgSign", memory)
		writeFile(r, "f", memory)
		res := commitBoth(r, r.Open(), "Both")
		back, err := code.Rollback(t.Context(), r.Open(), code.RollbackOptions{To: "main~1", Code: &store.CodeOptions{}})
		r.Must(err)
		for id, want := range map[git.ID]bool{*res.Code: true, *back.Code: true, res.Commit: memory == "true", *back.Hash: memory == "true"} {
			if good := r.Git("log", "-1", "--format=%G?", string(id)) == "G"; good != want {
				t.Errorf("context.gpgSign %s: %s is signed: %v, want %v", memory, r.Git("log", "-1", "--format=%s", string(id)), good, want)
			}
		}
	}
	r.Git("config", "user.signingKey", filepath.Join(t.TempDir(), "none"))
	writeFile(r, "f", "unsigned")
	_, err := r.Open().Commit(t.Context(), store.CommitOptions{Summary: "x", Code: &store.CodeOptions{All: true}, Writer: store.Writer{Sign: store.Signing{Mode: store.SignNever}}})
	if !errors.Is(err, fail.ErrRefused) {
		t.Errorf("code that cannot be signed: %v", err)
	}
	r.Git("config", "commit.gpgSign", "false")
	before := r.Git("rev-parse", "HEAD")
	if _, err = r.Open().Commit(t.Context(), store.CommitOptions{Summary: "x", Code: &store.CodeOptions{All: true}}); !errors.Is(err, fail.ErrRefused) {
		t.Errorf("memory that cannot be signed: %v", err)
	}
	if after := r.Git("rev-parse", "HEAD"); after != before {
		t.Error("the code was committed without its milestone")
	}
}

// tryGit runs git in the repository, which may fail.
func tryGit(r *memtest.Repo, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.Dir, append(r.Env[:len(r.Env):len(r.Env)], "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
