package expunge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
)

// A file of the code that equals a topic is one object with it. It stays as long as anything of
// the code leads to it, and goes with what memory itself left.
func TestExpungeEqualFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stays bool
		lead  func(r *memtest.Repo, blob string) // makes something lead to the file
	}{
		"nothing": {false, func(*memtest.Repo, string) {}},
		"an index": {true, func(r *memtest.Repo, blob string) {
			r.Git("update-index", "--add", "--cacheinfo", "100644,"+blob+",f")
		}},
		"code": {true, func(r *memtest.Repo, _ string) { commitFile(r) }},
		"a reflog": {true, func(r *memtest.Repo, _ string) {
			commitFile(r)
			r.Git("reset", "-q", "--hard", "HEAD~")
		}},
		"a lost commit": {true, func(r *memtest.Repo, _ string) {
			commitFile(r)
			r.Git("reset", "-q", "--hard", "HEAD~")
			r.Git("reflog", "expire", "--expire=now", "--all")
		}},
		"a dropped stash": {true, func(r *memtest.Repo, _ string) {
			writeFile(r)
			r.Git("stash", "-q", "-u")
			r.Git("stash", "drop", "-q")
		}},
		"a tree": {true, func(r *memtest.Repo, blob string) {
			r.Input([]byte("100644 blob "+blob+"\tf\n"), "mktree")
		}},
		"a tree beside malformed ones": {true, func(r *memtest.Repo, blob string) {
			for _, data := range []string{"garbage", "100644 ..\x00" + strings.Repeat("x", 20), "100644 a\x00short"} {
				tree := r.Input([]byte(data), "hash-object", "-w", "--literally", "-t", "tree", "--stdin")
				r.Git("commit-tree", "-m", "malformed", tree)
			}
			r.Input([]byte("100644 blob "+blob+"\tf\n"), "mktree")
		}},
		"a tree of a killed writer": {false, func(r *memtest.Repo, blob string) {
			r.Input([]byte("100644 blob "+r.Blob("other\n")+"\tother.md\n100644 blob "+blob+"\tpool.md\n"), "mktree")
		}},
		"a lost memory commit": {false, func(r *memtest.Repo, _ string) {
			tip := r.Git("rev-parse", "refs/context/heads/main")
			r.Remember("main", "more", "of an attempt\n")
			r.Git("update-ref", "refs/context/heads/main", tip)
		}},
		"lost notes": {false, func(r *memtest.Repo, blob string) {
			code := r.Git("rev-parse", "HEAD")
			inner := r.Input([]byte("100644 blob "+blob+"\t"+code[2:]+"\n"), "mktree")
			tree := r.Input([]byte("040000 tree "+inner+"\t"+code[:2]+"\n"), "mktree")
			r.Git("commit-tree", "-m", "context: note "+code[:10], tree)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := memtest.New(t)
			memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
			r.Git("commit", "-q", "--allow-empty", "-m", "code")
			r.Remember("main", "pool", equalText)
			blob := r.Git("rev-parse", "refs/context/heads/main:topics/pool.md")
			c.lead(r, blob)
			res := r.Expunge(expunge.Options{Match: "hunter2"})
			there := strings.Contains(r.Git("cat-file", "--batch-all-objects", "--batch-check"), blob)
			warned := strings.Contains(strings.Join(res.Warnings, "\n"), "1 object of memory that the code has too")
			if there != c.stays || warned != c.stays {
				t.Errorf("the file is there: %v; warned: %v, %q", there, warned, res.Warnings)
			}
			if text := r.Git("show", "refs/context/heads/main:topics/pool.md"); strings.Contains(text, "hunter2") {
				t.Errorf("memory contains %q", text)
			}
			if name != "a tree beside malformed ones" { // of which git fsck complains
				r.Fsck()
			}
		})
	}
}

const equalText = "the password is hunter2\n"

func writeFile(r *memtest.Repo) {
	r.T.Helper()
	r.Must(os.WriteFile(filepath.Join(r.Dir, "f"), []byte(equalText), 0o666))
}

func commitFile(r *memtest.Repo) {
	r.T.Helper()
	writeFile(r)
	r.Git("add", "f")
	r.Git("commit", "-q", "-m", "a file")
}
