package expunge_test

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
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
)

// What no ref leads to and holds the text goes where it is memory's, and is told where
// it may be code's: files that a commit under way is about to name, lost work.
func TestExpungeStrays(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Work("main", "first", 0)
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	r.Must(os.WriteFile(filepath.Join(r.Dir, "f"), []byte("hunter2\n"), 0o666))
	file := r.Git("hash-object", "-w", "f")
	lost := r.Git("commit-tree", "HEAD^{tree}", "-m", "hunter2")
	tip := r.Git("rev-parse", "refs/context/heads/main")
	r.Work("main", "use hunter2", 0) // of an attempt that was lost
	stray := []string{r.Git("rev-parse", "refs/context/heads/main"), r.Git("rev-parse", "refs/context/heads/main:log.md")}
	r.Git("update-ref", "refs/context/heads/main", tip)
	r.Must(os.RemoveAll(filepath.Join(r.Dir, ".git", "context", "journal")))
	res := r.Expunge(expunge.Options{Match: "hunter2"})
	if !slices.ContainsFunc(res.Warnings, func(w string) bool { return strings.HasPrefix(w, "2 objects that no ref reaches") }) {
		t.Errorf("%q", res.Warnings)
	}
	for _, id := range []string{file, lost} {
		r.Git("cat-file", "-e", id)
	}
	there := r.Git("cat-file", "--batch-all-objects", "--batch-check")
	for _, id := range stray {
		if strings.Contains(there, id) {
			t.Errorf("%s is still there", id)
		}
	}
	r.Fsck()
}

// What stands in more places than there is room for tombstones is refused before
// anything is done: nobody could finish it.
func TestExpungeTooMany(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Work("main", "first", 0)
	for i := range 2 {
		var text strings.Builder
		for line := range 9000 {
			fmt.Fprintf(&text, "a %d b\n", 9000*i+line)
		}
		r.Remember("main", fmt.Sprint("numbers", i), text.String())
	}
	before := r.Git("for-each-ref")
	for _, o := range []expunge.Options{{Match: "a ", Yes: true}, {Match: "a ", DryRun: true}} {
		if _, err := expunge.Run(ctx, s, o); !errors.Is(err, fail.ErrRefused) {
			t.Errorf("error = %v", err)
		}
	}
	r.Commit("main", "Next")
	if _, err := os.Stat(filepath.Join(r.Dir, ".git", "context", "expunge.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an intent is left: %v", err)
	}
	if now := r.Git("for-each-ref"); now == before {
		t.Error("no milestone was made")
	}
}

// An object of code that is missing is found out before anything is done.
func TestExpungeMissing(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
	r.Work("main", "use hunter2", 0)
	r.Work("main", "next", 0)
	r.Must(os.WriteFile(filepath.Join(r.Dir, "code"), []byte("code"), 0o666))
	r.Git("add", "code")
	r.Git("commit", "-q", "-m", "code")
	id := r.Git("rev-parse", "HEAD:code")
	lost := filepath.Join(r.Dir, ".git", "objects", id[:2], id[2:])
	r.Must(os.Rename(lost, lost+".lost"))
	before := r.Git("for-each-ref")
	_, err := expunge.Run(t.Context(), r.Open(), expunge.Options{Match: "hunter2"})
	if !errors.Is(err, fail.ErrRefused) || !strings.Contains(err.Error(), "nothing was changed") || !strings.Contains(err.Error(), id) {
		t.Errorf("%v", err)
	}
	if now := r.Git("for-each-ref"); now != before {
		t.Errorf("was\n%s\nis\n%s", before, now)
	}
	r.Must(os.Rename(lost+".lost", lost))
	r.Expunge(expunge.Options{Match: "hunter2"})
	r.Fsck()
}

// What was forgotten before stands in no text: its tombstones are words, hashes and ids.
func TestExpungeAfterExpunge(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
	r.Work("main", "say "+secret, 0)
	r.Work("main", "some text of an entry", 0)
	r.Work("main", "plain", 0)
	r.Expunge(expunge.Options{Match: secret})
	if res := r.Expunge(expunge.Options{Match: "text"}); res.Entries != 2 {
		t.Errorf("%+v", res)
	}
	r.Fsck()
}

// A commit of memory that no ref names and nobody can read keeps nobody from forgetting.
func TestExpungeUnreadableStray(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
	r.Work("main", "say "+secret, 0)
	r.Work("main", "plain", 0)
	blob := r.Input([]byte("hello\n"), "hash-object", "-w", "--stdin")
	tree := r.Input([]byte("100644 blob "+blob+"\tlog.md\n"), "mktree")
	stray := r.Git("commit-tree", "-m", "Odd\n\nContext-Branch: main", tree)
	r.Expunge(expunge.Options{Match: secret})
	if found := holding(r, "hunter2"); len(found) > 0 {
		t.Errorf("still there: %q", found)
	}
	if strings.Contains(r.Git("cat-file", "--batch-all-objects", "--batch-check"), stray) {
		t.Error("what nobody can read is kept")
	}
	r.Work("main", "next", 0)
	r.Fsck()
}

// A remote may be called like a folder of refs.
func TestExpungeRemoteNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"heads", "tags"} {
		hub, r, other := memtest.New(t, "--bare"), memtest.New(t), memtest.New(t)
		for _, c := range []*memtest.Repo{r, other} {
			c.Git("remote", "add", name, hub.Dir)
		}
		memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
		r.Work("main", "say "+secret, 0)
		r.Work("main", "plain", 0)
		r.Expunge(expunge.Options{Match: secret})
		memtest.OK(share.Push(t.Context(), r.Open(), share.Options{}))(t)
		memtest.OK(share.Init(t.Context(), other.Open(), share.InitOptions{}))(t)
		other.Work("main", "more", 0)
		memtest.OK(share.Sync(t.Context(), other.Open(), share.Options{}))(t)
		memtest.OK(share.Sync(t.Context(), r.Open(), share.Options{}))(t)
		memtest.OK(share.Sync(t.Context(), other.Open(), share.Options{}))(t)
	}
}
