package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/share"
)

// What no ref leads to and holds the text goes where it is memory's, and is told where
// it may be code's: files that a commit under way is about to name, lost work.
func TestExpungeStrays(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	r.work("main", "first", 0)
	r.git("commit", "-q", "--allow-empty", "-m", "code")
	r.must(os.WriteFile(filepath.Join(r.dir, "f"), []byte("hunter2\n"), 0o666))
	file := r.git("hash-object", "-w", "f")
	lost := r.git("commit-tree", "HEAD^{tree}", "-m", "hunter2")
	tip := r.git("rev-parse", "refs/context/heads/main")
	r.work("main", "use hunter2", 0) // of an attempt that was lost
	stray := []string{r.git("rev-parse", "refs/context/heads/main"), r.git("rev-parse", "refs/context/heads/main:log.md")}
	r.git("update-ref", "refs/context/heads/main", tip)
	r.must(os.RemoveAll(filepath.Join(r.dir, ".git", "context", "journal")))
	res := r.expunge(expunge.Options{Match: "hunter2"})
	if !slices.ContainsFunc(res.Warnings, func(w string) bool { return strings.HasPrefix(w, "2 objects that no ref leads to") }) {
		t.Errorf("%q", res.Warnings)
	}
	for _, id := range []string{file, lost} {
		r.git("cat-file", "-e", id)
	}
	there := r.git("cat-file", "--batch-all-objects", "--batch-check")
	for _, id := range stray {
		if strings.Contains(there, id) {
			t.Errorf("%s is still there", id)
		}
	}
	r.fsck()
}

// What stands in more places than there is room for tombstones is refused before
// anything is done: nobody could finish it.
func TestExpungeTooMany(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	r.work("main", "first", 0)
	for i := range 2 {
		var text strings.Builder
		for line := range 9000 {
			fmt.Fprintf(&text, "a %d b\n", 9000*i+line)
		}
		r.remember("main", fmt.Sprint("numbers", i), text.String())
	}
	before := r.git("for-each-ref")
	for _, o := range []expunge.Options{{Match: "a ", Yes: true}, {Match: "a ", DryRun: true}} {
		if _, err := expunge.Run(ctx, s, o); !errors.Is(err, fail.ErrRefused) {
			t.Errorf("error = %v", err)
		}
	}
	r.milestone(t, "main", "Next")
	if _, err := os.Stat(filepath.Join(r.dir, ".git", "context", "expunge.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an intent is left: %v", err)
	}
	if now := r.git("for-each-ref"); now == before {
		t.Error("no milestone was made")
	}
}

// An object of code that is missing is found out before anything is done.
func TestExpungeMissing(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ok(share.Init(t.Context(), r.open(), share.InitOptions{}))(t)
	r.work("main", "use hunter2", 0)
	r.work("main", "next", 0)
	r.must(os.WriteFile(filepath.Join(r.dir, "code"), []byte("code"), 0o666))
	r.git("add", "code")
	r.git("commit", "-q", "-m", "code")
	id := r.git("rev-parse", "HEAD:code")
	lost := filepath.Join(r.dir, ".git", "objects", id[:2], id[2:])
	r.must(os.Rename(lost, lost+".lost"))
	before := r.git("for-each-ref")
	_, err := expunge.Run(t.Context(), r.open(), expunge.Options{Match: "hunter2"})
	if !errors.Is(err, fail.ErrRefused) || !strings.Contains(err.Error(), "nothing was changed") || !strings.Contains(err.Error(), id) {
		t.Errorf("%v", err)
	}
	if now := r.git("for-each-ref"); now != before {
		t.Errorf("was\n%s\nis\n%s", before, now)
	}
	r.must(os.Rename(lost+".lost", lost))
	r.expunge(expunge.Options{Match: "hunter2"})
	r.fsck()
}

// What was forgotten before stands in no text: its tombstones are words, hashes and ids.
func TestExpungeAfterExpunge(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ok(share.Init(t.Context(), r.open(), share.InitOptions{}))(t)
	r.work("main", "say "+secret, 0)
	r.work("main", "some text of an entry", 0)
	r.work("main", "plain", 0)
	r.expunge(expunge.Options{Match: secret})
	if res := r.expunge(expunge.Options{Match: "text"}); res.Entries != 2 {
		t.Errorf("%+v", res)
	}
	r.fsck()
}

// A commit of memory that no ref names and nobody can read keeps nobody from forgetting.
func TestExpungeUnreadableStray(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ok(share.Init(t.Context(), r.open(), share.InitOptions{}))(t)
	r.work("main", "say "+secret, 0)
	r.work("main", "plain", 0)
	blob := r.input([]byte("hello\n"), "hash-object", "-w", "--stdin")
	tree := r.input([]byte("100644 blob "+blob+"\tlog.md\n"), "mktree")
	stray := r.git("commit-tree", "-m", "Odd\n\nContext-Branch: main", tree)
	r.expunge(expunge.Options{Match: secret})
	if found := r.holding("hunter2"); len(found) > 0 {
		t.Errorf("still there: %q", found)
	}
	if strings.Contains(r.git("cat-file", "--batch-all-objects", "--batch-check"), stray) {
		t.Error("what nobody can read is kept")
	}
	r.work("main", "next", 0)
	r.fsck()
}

// A remote may be called like a folder of refs.
func TestExpungeRemoteNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"heads", "tags"} {
		hub, r, other := newRepo(t, "--bare"), newRepo(t), newRepo(t)
		for _, c := range []*repo{r, other} {
			c.git("remote", "add", name, hub.dir)
		}
		ok(share.Init(t.Context(), r.open(), share.InitOptions{}))(t)
		r.work("main", "say "+secret, 0)
		r.work("main", "plain", 0)
		r.expunge(expunge.Options{Match: secret})
		ok(share.Push(t.Context(), r.open(), share.Options{}))(t)
		ok(share.Init(t.Context(), other.open(), share.InitOptions{}))(t)
		other.work("main", "more", 0)
		ok(share.Sync(t.Context(), other.open(), share.Options{}))(t)
		ok(share.Sync(t.Context(), r.open(), share.Options{}))(t)
		ok(share.Sync(t.Context(), other.open(), share.Options{}))(t)
	}
}
