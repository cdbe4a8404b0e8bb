package git

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func BenchmarkCommit(b *testing.B) {
	dir := b.TempDir()
	env := append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@y")
	cmd := exec.Command("git", "init", "-q", dir)
	cmd.Env = env
	if err := cmd.Run(); err != nil {
		b.Fatal(err)
	}
	ctx := b.Context()
	open := func() *Repo {
		r, err := Open(ctx, Options{Dir: dir, Env: env})
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	r := open()
	if err := r.WriteStateFile("x", nil); err != nil {
		b.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	_ = os.Chtimes(dir+"/.git/config", old, old)
	tx, _ := r.Begin(ctx, TxOptions{})
	tip := benchSwap(b, r, tx, "", 0)
	tx.Close()
	n := 0
	b.Run("OpenRefCommit", func(b *testing.B) {
		for b.Loop() {
			r := open()
			id, err := r.Ref(ctx, BranchRef("main"))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := r.Commit(ctx, id); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Config", func(b *testing.B) {
		for b.Loop() {
			if _, err := open().Config(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Peel", func(b *testing.B) {
		for b.Loop() {
			if _, err := r.Peel(ctx, BranchRef("main")); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Whole", func(b *testing.B) {
		for b.Loop() {
			r := open()
			tx, _ := r.Begin(ctx, TxOptions{Message: "m"})
			n++
			tip = benchSwap(b, r, tx, tip, n)
			tx.Close()
		}
	})
	r.Close()
}

// benchSwap moves a branch to a commit of one more file.
func benchSwap(b *testing.B, r *Repo, tx *Tx, tip ID, i int) ID {
	ctx := b.Context()
	blob, err := r.WriteBlob(ctx, fmt.Append([]byte(strings.Repeat("some text\n", 800)), i))
	if err != nil {
		b.Fatal(err)
	}
	tree, err := r.WriteTree(ctx, []TreeEntry{{ModeBlob, "log.md", blob}})
	if err != nil {
		b.Fatal(err)
	}
	who := Signature{"x", "x@y", time.Now()}
	c := &Commit{Tree: tree, Author: who, Committer: who, Message: "m"}
	if tip != "" {
		c.Parents = []ID{tip}
	}
	id, err := r.WriteCommit(ctx, c)
	if err != nil {
		b.Fatal(err)
	}
	tx.Update(BranchRef("main"), id, tip)
	if err := tx.Commit(ctx); err != nil {
		b.Fatal(err)
	}
	return id
}
