package git

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
)

// packed-refs replaced twice has its old inode and size, and within a second its
// old time as git sees it: a child that read it before takes it for unchanged,
// and an old value for the present one.
func TestTxAfterPackingTwice(t *testing.T) {
	s, r := newRepo(t)
	ctx := t.Context()
	ref, other := BranchRef("main"), BranchRef("other")
	one, two, three := commit(t, r, "one"), commit(t, r, "two"), commit(t, r, "three")
	set(t, r, ref, one, "")
	set(t, r, other, one, "")
	pack := func() (inode string) {
		s.Git("r", "pack-refs", "--all", "--prune")
		return strings.Fields(ok(disk.StampOf(r.CommonDir() + "/packed-refs"))(t).String())[0]
	}
	again := 0 // how often the file got its inode again: the file system decides
	for round := 0; round < 6 && again < 2; round++ {
		pack()
		old := time.Now().Add(-time.Hour) // the child may be used again
		must(t, os.Chtimes(r.CommonDir()+"/packed-refs", old, old))
		tx := ok(r.Begin(ctx, TxOptions{}))(t)
		tx.Update(other, two, one)
		must(t, tx.Commit(ctx))
		now := time.Now()
		time.Sleep(now.Truncate(time.Second).Add(time.Second).Sub(now)) // all within one second
		first := pack()
		tx.Update(ref, one, one)
		must(t, tx.Commit(ctx))
		pack()
		s.Git("r", "update-ref", ref, string(two), string(one))
		if pack() == first {
			again++
		}
		tx.Update(ref, three, one)
		if err := tx.Commit(ctx); !errors.Is(err, ErrStale) {
			t.Fatalf("an old value that holds no more: %v; want ErrStale", err)
		}
		must(t, tx.Close())
		set(t, r, ref, one, two)
		set(t, r, other, one, two)
	}
	t.Logf("packed-refs got its inode again %d times", again)
}

// A child that held packed-refs while the file was replaced is not asked to
// decide; one that did not, or that only saw it settled, makes several
// transactions.
func TestTxBelievesItsChild(t *testing.T) {
	s, r := newRepo(t)
	ctx := t.Context()
	one, two := commit(t, r, "one"), commit(t, r, "two")
	set(t, r, BranchRef("a"), one, "")
	set(t, r, BranchRef("b"), one, "")
	pack := func() { s.Git("r", "pack-refs", "--all", "--prune") }
	pack()
	old := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(r.CommonDir()+"/packed-refs", old, old))
	tx := ok(r.Begin(ctx, TxOptions{}))(t)
	defer tx.Close()
	child := tx.s
	tx.Update(BranchRef("a"), two, one)
	must(t, tx.Commit(ctx))
	tx.Update(BranchRef("a"), one, two)
	must(t, tx.Commit(ctx))
	if tx.s != child {
		t.Error("a child whose packed-refs stands still made one transaction only")
	}
	pack()
	tx.Update(BranchRef("a"), two, one)
	must(t, tx.Commit(ctx))
	if tx.s == child {
		t.Error("a child that saw packed-refs replaced made another transaction")
	}
	child = tx.s // started just after the file was written
	tx.Update(BranchRef("a"), one, two)
	must(t, tx.Commit(ctx))
	tx.Update(BranchRef("a"), two, one)
	must(t, tx.Commit(ctx))
	if tx.s == child {
		t.Error("a child made several transactions beside a packed-refs too young to be trusted")
	}
	// Two refs in one transaction: the second lock is taken with the file read.
	must(t, tx.Close())
	tx.session()
	child = tx.s
	must(t, child.wait())
	pack()
	tx.Update(BranchRef("a"), one, two)
	tx.Update(BranchRef("b"), two, one)
	must(t, tx.Commit(ctx))
	if tx.s == child {
		t.Error("two refs were moved by a child that may have read an older packed-refs")
	}
	for name, want := range map[string]ID{"a": one, "b": two} {
		if got := ok(r.Ref(ctx, BranchRef(name)))(t); got != want {
			t.Errorf("%s is at %s", name, got)
		}
	}
}
