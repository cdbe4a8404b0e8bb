package store_test

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
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// newCode is a repository with memory, and 'f' and 'dir/g' in its code.
func newCode(t testing.TB) *repo {
	t.Helper()
	r := newRepo(t)
	r.put("f", "first\n")
	r.put("dir/g", "first\n")
	r.git("add", ".")
	r.git("commit", "-q", "-m", "first")
	_, err := share.Init(t.Context(), r.open(), share.InitOptions{})
	r.must(err)
	return r
}

// put writes a file of the worktree.
func (r *repo) put(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	r.must(os.MkdirAll(filepath.Dir(path), 0o777))
	r.must(os.WriteFile(path, []byte(text), 0o666))
}

// got reads one, "" where there is none.
func (r *repo) got(name string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, name))
	if !errors.Is(err, os.ErrNotExist) {
		r.must(err)
	}
	return string(data)
}

// hook makes a hook of the code.
func (r *repo) hook(name, script string) {
	r.t.Helper()
	r.put(".git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	r.must(os.Chmod(filepath.Join(r.dir, ".git/hooks", name), 0o777))
}

// from opens the memory where somebody stands, with variables of theirs.
func (r *repo) from(dir string, env ...string) *refs.Store {
	r.t.Helper()
	s, err := refs.Open(r.t.Context(), store.Options{Dir: dir, Env: append(r.env[:len(r.env):len(r.env)], env...), Now: time.Now})
	r.must(err)
	r.t.Cleanup(func() { s.Close() })
	return s
}

// commitBoth makes a commit of both, with all that is changed.
func (r *repo) commitBoth(s *refs.Store, summary string) store.CommitResult {
	r.t.Helper()
	var said bytes.Buffer
	res, err := s.Commit(r.t.Context(), store.CommitOptions{Summary: summary, Code: &store.CodeOptions{All: true, Output: &said}})
	if err != nil || len(res.Warnings) > 0 {
		r.t.Fatalf("commit both: %v, %v\n%s", err, res.Warnings, &said)
	}
	return res
}

// bound holds that a code commit and a milestone name each other, and returns the code
// commit's subject.
func (r *repo) bound(code git.ID, milestone git.ID) string {
	r.t.Helper()
	if got := r.git("log", "-1", "--format=%(trailers:key=Code-Commit,valueonly)", string(milestone)); got != string(code) {
		r.t.Errorf("the milestone names code commit '%s', not %s", got, code)
	}
	note := r.git("notes", "--ref=context", "show", string(code))
	if strings.Count(note, `"kind":"link"`) != 1 || !strings.Contains(note, string(milestone)) {
		r.t.Errorf("the note of the code commit is\n%s", note)
	}
	left, err := filepath.Glob(filepath.Join(r.dir, ".git/context/intent/*"))
	r.must(err)
	if len(left) > 0 {
		r.t.Errorf("left: %v", left)
	}
	return r.git("log", "-1", "--format=%s", string(code))
}

// Wherever it is run, it is the right repository, worktree and index.
func TestCommitCodeFrom(t *testing.T) {
	t.Parallel()
	r := newCode(t)
	linked := filepath.Join(filepath.Dir(r.dir), "linked")
	r.git("worktree", "add", "-q", "-b", "side", linked)
	index := filepath.Join(t.TempDir(), "index")
	other := t.TempDir()
	for _, c := range []struct {
		name, dir, branch string
		env               []string
	}{
		{"top", r.dir, "trunk", nil},
		{"a directory below", filepath.Join(r.dir, "dir"), "trunk", nil},
		{"elsewhere, by variables", other, "trunk", []string{"GIT_DIR=" + filepath.Join(r.dir, ".git"), "GIT_WORK_TREE=" + r.dir}},
		{"relative variables", filepath.Join(r.dir, "dir"), "trunk", []string{"GIT_DIR=../.git", "GIT_WORK_TREE=.."}},
		{"a linked worktree", linked, "side", nil},
		{"another index", r.dir, "trunk", []string{"GIT_INDEX_FILE=" + index}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(r.dir, "f")
			if c.branch == "side" {
				file = filepath.Join(linked, "f")
			}
			r.must(os.WriteFile(file, []byte(c.name+"\n"), 0o666))
			own, err := os.ReadFile(filepath.Join(r.dir, ".git/index"))
			r.must(err)
			r.must(os.WriteFile(index, own, 0o666))
			res := r.commitBoth(r.from(c.dir, c.env...), c.name)
			if subject := r.bound(*res.Code, res.Commit); subject != c.name {
				t.Errorf("committed '%s'", subject)
			}
			if tip := r.git("rev-parse", c.branch); tip != string(*res.Code) {
				t.Errorf("%s is at %s, committed %s", c.branch, tip, *res.Code)
			}
			if len(c.env) == 1 {
				after, err := os.ReadFile(filepath.Join(r.dir, ".git/index"))
				r.must(err)
				if !bytes.Equal(own, after) {
					t.Error("the index that was not named was written")
				}
				r.git("reset", "-q")
			}
			if dirty := r.git("status", "--porcelain"); dirty != "" {
				t.Errorf("left: %s", dirty)
			}
		})
	}
	r.fsck()
}

// A submodule has a memory of its own.
func TestCommitCodeInSubmodule(t *testing.T) {
	t.Parallel()
	outer, inner := newCode(t), newCode(t)
	outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "sub")
	res := outer.commitBoth(outer.open(), "Add the submodule")
	outer.bound(*res.Code, res.Commit)
	sub := filepath.Join(outer.dir, "sub")
	s := outer.from(sub)
	_, err := share.Init(t.Context(), s, share.InitOptions{})
	outer.must(err)
	outer.put("sub/f", "of the submodule\n")
	before := outer.git("rev-parse", "HEAD")
	res = outer.commitBoth(s, "Inside")
	if got := outer.git("-C", sub, "log", "-1", "--format=%H %s"); got != string(*res.Code)+" Inside" {
		t.Errorf("the submodule is at %s", got)
	}
	if after := outer.git("rev-parse", "HEAD"); after != before {
		t.Error("the repository around it moved")
	}
	// The repository around it takes the new one like any change; edits within are not its own.
	res = outer.commitBoth(outer.open(), "Take it")
	outer.bound(*res.Code, res.Commit)
	outer.put("sub/f", "edited again\n")
	_, err = outer.open().Commit(t.Context(), store.CommitOptions{Summary: "nothing", Code: &store.CodeOptions{All: true}})
	if !errors.Is(err, fail.ErrRefused) {
		t.Errorf("edits within a submodule: %v", err)
	}
	if back, err := code.Rollback(t.Context(), outer.open(), code.RollbackOptions{To: "main~1", Code: &store.CodeOptions{}}); err != nil {
		t.Errorf("rollback beside edits within a submodule: %v", err)
	} else {
		outer.bound(*back.Code, *back.Hash)
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
			r.hook(c.hook, c.script)
			r.put("f", "changed\n")
			res := r.commitBoth(r.open(), "Both")
			if subject := r.bound(*res.Code, res.Commit); subject != c.subject {
				t.Errorf("'%s' is linked, want '%s'", subject, c.subject)
			}
		})
	}
}

// In the middle of something git knows what a commit is.
func TestCommitCodeInTheMiddle(t *testing.T) {
	t.Parallel()
	r := newCode(t)
	r.git("checkout", "-q", "-b", "side")
	r.put("f", "side\n")
	r.git("commit", "-q", "-a", "-m", "side", "--author", "Bob <bob@example.com>")
	r.git("checkout", "-q", "trunk")
	r.put("f", "trunk\n")
	r.git("commit", "-q", "-a", "-m", "trunk")
	conflict := func(args ...string) {
		t.Helper()
		if _, err := r.tryGit(args...); err == nil {
			t.Fatalf("git %v: no conflict", args)
		}
		_, err := r.open().Commit(t.Context(), store.CommitOptions{Summary: "too early", Code: &store.CodeOptions{}})
		if !errors.Is(err, fail.ErrRefused) {
			t.Errorf("git %v, not settled: %v", args, err)
		}
		r.put("f", "both\n")
		r.git("add", "f")
	}
	conflict("cherry-pick", "side")
	res := r.commitBoth(r.open(), "Picked")
	r.bound(*res.Code, res.Commit)
	if got := r.git("log", "-1", "--format=%an %p", string(*res.Code)); got != "Bob "+r.git("rev-parse", "--short", "HEAD~1") {
		t.Errorf("a cherry-pick is by %s", got)
	}
	r.git("reset", "-q", "--hard", "HEAD~1")
	conflict("merge", "side")
	res = r.commitBoth(r.open(), "Merged")
	r.bound(*res.Code, res.Commit)
	if got := r.git("log", "-1", "--format=%P", string(*res.Code)); len(strings.Fields(got)) != 2 {
		t.Errorf("a merge has parents %s", got)
	}
	r.git("reset", "-q", "--hard", "HEAD~1")
	conflict("rebase", "side")
	res = r.commitBoth(r.open(), "Rebased")
	r.bound(*res.Code, res.Commit)
	r.git("rebase", "--continue")
	if got := r.git("rev-parse", "trunk"); got != string(*res.Code) {
		t.Errorf("the rebase ends at %s, not at %s", got, *res.Code)
	}
	r.fsck()
}

// Without a reflog the commit is found all the same; a first commit is one.
func TestCommitCodeWithoutReflog(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.git("config", "core.logAllRefUpdates", "false")
	_, err := share.Init(t.Context(), r.open(), share.InitOptions{})
	r.must(err)
	for _, text := range []string{"one", "two"} {
		r.put("f", text)
		r.git("add", "f")
		res := r.commitBoth(r.open(), text)
		r.bound(*res.Code, res.Commit)
	}
	if _, err := os.Stat(filepath.Join(r.dir, ".git/logs/HEAD")); err == nil {
		t.Error("a reflog was made")
	}
	r.put("f", "three")
	r.commitBoth(r.open(), "three")
	back, err := code.Rollback(t.Context(), r.open(), code.RollbackOptions{To: "main~1", Code: &store.CodeOptions{}})
	r.must(err)
	r.bound(*back.Code, *back.Hash)
	if got := r.got("f"); got != "two" {
		t.Errorf("f is %q", got)
	}
}

// Both halves are signed as each half's settings say.
func TestSignBoth(t *testing.T) {
	t.Parallel()
	r := newCode(t)
	r.signer()
	r.git("config", "commit.gpgSign", "true")
	for _, memory := range []string{"false", "true"} {
		r.git("config", "context.gpgSign", memory)
		r.put("f", memory)
		res := r.commitBoth(r.open(), "Both")
		back, err := code.Rollback(t.Context(), r.open(), code.RollbackOptions{To: "main~1", Code: &store.CodeOptions{}})
		r.must(err)
		for id, want := range map[git.ID]bool{*res.Code: true, *back.Code: true, res.Commit: memory == "true", *back.Hash: memory == "true"} {
			if good := r.git("log", "-1", "--format=%G?", string(id)) == "G"; good != want {
				t.Errorf("context.gpgSign %s: %s is signed: %v, want %v", memory, r.git("log", "-1", "--format=%s", string(id)), good, want)
			}
		}
	}
	r.git("config", "user.signingKey", filepath.Join(t.TempDir(), "none"))
	r.put("f", "unsigned")
	_, err := r.open().Commit(t.Context(), store.CommitOptions{Summary: "x", Code: &store.CodeOptions{All: true}, Writer: store.Writer{Sign: store.Signing{Mode: store.SignNever}}})
	if !errors.Is(err, fail.ErrRefused) {
		t.Errorf("code that cannot be signed: %v", err)
	}
	r.git("config", "commit.gpgSign", "false")
	before := r.git("rev-parse", "HEAD")
	if _, err = r.open().Commit(t.Context(), store.CommitOptions{Summary: "x", Code: &store.CodeOptions{All: true}}); !errors.Is(err, fail.ErrRefused) {
		t.Errorf("memory that cannot be signed: %v", err)
	}
	if after := r.git("rev-parse", "HEAD"); after != before {
		t.Error("the code was committed without its milestone")
	}
}

// tryGit runs git in the repository, which may fail.
func (r *repo) tryGit(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.dir, append(r.env[:len(r.env):len(r.env)], "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
