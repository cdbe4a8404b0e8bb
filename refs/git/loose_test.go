package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

// git gc removes object directories that are empty, at any moment.
func TestObjectDirectoriesVanish(t *testing.T) {
	gittest.NeedSHA1(t)
	_, r := newRepo(t)
	ctx := t.Context()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 2000 {
			dirs, _ := filepath.Glob(filepath.Join(r.CommonDir(), "objects", "??"))
			for _, dir := range dirs {
				_ = os.Remove(dir) // only what is empty goes
			}
		}
	}()
	for i := range 2000 {
		if _, err := r.WriteBlob(ctx, fmt.Appendf(nil, "%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	<-done
}

// While a Tx is open objects are written behind: named at once, readable at once,
// and on the disk before a ref moves. One that cannot be written keeps the refs
// where they are.
func TestObjectsAreWrittenBehind(t *testing.T) {
	gittest.NeedSHA1(t)
	s, r := newRepo(t)
	ctx := t.Context()
	tx := ok(r.Begin(ctx, TxOptions{Message: "x"}))(t)
	defer tx.Close()
	who := Signature{"A", "a@example.com", gittest.Time()}
	var c ID
	for i := range 50 {
		blob := ok(r.WriteBlob(ctx, fmt.Append(nil, i)))(t)
		tree := ok(r.WriteTree(ctx, []TreeEntry{{ModeBlob, "f", blob}}))(t)
		if got := ok(r.Blob(ctx, ok(r.Tree(ctx, tree))(t)[0].ID))(t); string(got) != fmt.Sprint(i) {
			t.Errorf("read %q before it was written", got)
		}
		c = ok(r.WriteCommit(ctx, &Commit{Tree: tree, Author: who, Committer: who, Message: "m\n"}))(t)
		if _, err := r.Run(ctx, "cat-file", "-e", string(c)); err != nil {
			t.Errorf("a child does not find what was written: %v", err)
		}
		blob = ok(r.WriteBlob(ctx, fmt.Append(nil, "asked", i)))(t)
		if infos := ok(r.Infos(ctx, []ID{blob}))(t); infos[0].Type != "blob" {
			t.Error("the child that runs does not find what was written")
		}
	}
	tx.Update(BranchRef("main"), c, "")
	must(t, tx.Commit(ctx))
	s.Git("r", "fsck", "--strict", "--no-dangling")

	must(t, os.RemoveAll(filepath.Join(r.CommonDir(), "objects", "00")))
	must(t, os.WriteFile(filepath.Join(r.CommonDir(), "objects", "00"), nil, 0o666)) // in a folder's way
	for i := 0; ; i++ {
		if id := ok(r.WriteBlob(ctx, fmt.Appendf(nil, "again %d", i)))(t); id[:2] == "00" {
			break
		}
	}
	tx.Update(BranchRef("other"), c, "")
	if err := tx.Commit(ctx); err == nil || !strings.Contains(err.Error(), "cannot write object '00") {
		t.Errorf("an object was lost, and Commit says %v", err)
	}
	if _, err := r.Ref(ctx, BranchRef("other")); !errors.Is(err, ErrNotFound) {
		t.Errorf("the ref has moved: %v", err)
	}
}
