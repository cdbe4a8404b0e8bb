package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/git/disk"
)

func TestTx(t *testing.T) {
	s, r := newRepo(t)
	ctx := t.Context()
	one, two := commit(t, r, "one"), commit(t, r, "two")
	main, exp := BranchRef("main"), BranchRef("exp")
	tx := ok(r.Begin(ctx, TxOptions{Message: "a reason", Committer: Identity{"Log Ger", "l@example.com"}}))(t)
	defer tx.Close()
	must(t, tx.Commit(ctx)) // nothing queued
	tx.Update(main, one, "")
	tx.Update(exp, one, r.ZeroID())
	must(t, tx.Commit(ctx))
	child := tx.s
	tx.Update(main, two, one)
	must(t, tx.Commit(ctx))
	if tx.s != child {
		t.Error("a second transaction started a second child")
	}
	if log := s.Git("r", "log", "-g", "-1", "--format=%gn %ge %gs", main); log != "Log Ger l@example.com a reason" {
		t.Errorf("reflog: %s", log)
	}

	// All or none, and the child's end is not the Tx's.
	tx.Update(exp, two, one)
	tx.Update(main, one, one)
	err := tx.Commit(ctx)
	wantErr(t, err, ErrStale, "'"+main+"'")
	if got := ok(r.Ref(ctx, exp))(t); got != one {
		t.Errorf("half a transaction: exp is at %s", got)
	}
	tx.Update(exp, two, one)
	must(t, tx.Commit(ctx))

	for name, c := range map[string]refChange{
		"exists":         {main, one, ""},
		"gone":           {BranchRef("none"), one, two},
		"delete, moved":  {main, "", one},
		"delete, absent": {BranchRef("none"), "", one},
	} {
		tx.queued = []refChange{c}
		if err := tx.Commit(ctx); !errors.Is(err, ErrStale) || !strings.Contains(err.Error(), c.ref) {
			t.Errorf("%s: %v; want ErrStale", name, err)
		}
	}
	tree := ok(r.Commit(ctx, one))(t).Tree
	for name, c := range map[string]refChange{
		"missing object":     {BranchRef("x"), ID(strings.Repeat("1", 40)), ""},
		"no commit":          {"refs/heads/x", tree, ""},
		"below another":      {BranchRef("main/sub"), one, ""},
		"bad name":           {"refs/context/heads/a..b", one, ""},
		"name with newline":  {"refs/context/heads/a\nb", one, ""},
		"bad id":             {BranchRef("x"), "xyz", ""},
		"delete without old": {main, "", ""},
	} {
		tx.queued = []refChange{c}
		err := tx.Commit(ctx)
		if err == nil || errors.Is(err, ErrStale) {
			t.Errorf("%s: %v; want a refusal", name, err)
		}
	}
	tx.Delete(exp, two)
	must(t, tx.Commit(ctx))
	if _, err := r.Ref(ctx, exp); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
	// A symbolic ref is not followed.
	s.Git("r", "symbolic-ref", BranchRef("sym"), main)
	if err := move(t, r, BranchRef("sym"), one, two); err == nil {
		if got := ok(r.Ref(ctx, main))(t); got != two {
			t.Error("written through a symbolic ref")
		}
	}
	must(t, tx.Close())
	tx.Update(main, one, two)
	must(t, tx.Commit(ctx)) // a closed Tx starts again
}

func TestTxRefusedByHook(t *testing.T) {
	s, r := newRepo(t)
	id := commit(t, r, "one")
	s.Write("r/.git/hooks/reference-transaction", "#!/bin/sh\n[ \"$1\" != prepared ] || { echo no way >&2; exit 1; }\n")
	must(t, os.Chmod(s.Path("r/.git/hooks/reference-transaction"), 0o755))
	err := move(t, r, BranchRef("main"), id, "")
	var failed *Error
	if !errors.As(err, &failed) || errors.Is(err, ErrStale) || !strings.Contains(failed.Stderr, "no way") {
		t.Errorf("hook: %v", err)
	}
}

func TestTxLockedRef(t *testing.T) {
	gittest.NeedRefFiles(t)
	s, r := newRepo(t)
	id := commit(t, r, "one")
	set(t, r, BranchRef("main"), id, "")
	s.Write("r/.git/"+BranchRef("main")+".lock", "")
	begin := time.Now()
	err := move(t, r, BranchRef("main"), id, id)
	wantErr(t, err, ErrStale, BranchRef("main"))
	if took := time.Since(begin); took < refsLockTimeout/2 {
		t.Errorf("gave up after %v", took)
	}
}

// While another process holds the ref's lock, ctx ends: nothing moves, nothing
// is left behind.
func TestTxCancelled(t *testing.T) {
	gittest.NeedRefFiles(t)
	s, r := newRepo(t)
	one, two := commit(t, r, "one"), commit(t, r, "two")
	set(t, r, BranchRef("main"), one, "")
	set(t, r, BranchRef("a"), one, "")
	s.Write("r/.git/"+BranchRef("main")+".lock", "")
	tx := ok(r.Begin(t.Context(), TxOptions{}))(t)
	defer tx.Close()
	tx.Update(BranchRef("a"), two, one)
	tx.Update(BranchRef("main"), two, one)
	ctx, begin := gittest.NewDeadline(t), time.Time{}
	go func() {
		gittest.Wait(t, "a lock", func() bool { return s.Exists("r/.git/" + BranchRef("a") + ".lock") })
		time.Sleep(200 * time.Millisecond) // git waits for the other: the first is known to its handlers of signals
		begin = time.Now()
		ctx.Come()
	}()
	err := tx.Commit(ctx)
	wantErr(t, err, context.DeadlineExceeded, "cannot update ref")
	if took := time.Since(begin); took > refsLockTimeout {
		t.Errorf("stopped after %v", took)
	}
	if _, err := os.Stat(s.Path("r/.git/" + BranchRef("a") + ".lock")); !os.IsNotExist(err) {
		t.Error("a lock file was left behind")
	}
	must(t, os.Remove(s.Path("r/.git/"+BranchRef("main")+".lock")))
	tx.Update(BranchRef("main"), two, one)
	must(t, tx.Commit(t.Context()))
}

// A ctx that ends in the commit phase does not cut it in two.
func TestTxGoesOnOnceDecided(t *testing.T) {
	s, r := newRepo(t)
	id := commit(t, r, "one")
	s.Write("r/.git/hooks/reference-transaction", "#!/bin/sh\n[ \"$1\" != committed ] || { touch '"+s.Path("begun")+"'; until [ -e '"+s.Path("go")+"' ]; do sleep 0.02; done; }\n")
	must(t, os.Chmod(s.Path("r/.git/hooks/reference-transaction"), 0o755))
	tx := ok(r.Begin(t.Context(), TxOptions{}))(t)
	defer tx.Close()
	tx.Update(BranchRef("main"), id, "")
	must(t, tx.s.wait())
	ctx := gittest.NewDeadline(t)
	go func() {
		gittest.Wait(t, "the hook", func() bool { return s.Exists("begun") })
		ctx.Come()
		s.Write("go", "")
	}()
	must(t, tx.Commit(ctx))
	if ctx.Err() == nil {
		t.Error("the hook did not delay: nothing was tested")
	}
	if got := ok(r.Ref(t.Context(), BranchRef("main")))(t); got != id {
		t.Errorf("main is at %s", got)
	}
}

// Several goroutines, each with its own child, swap one ref; git packs refs
// meanwhile. Every update that was acknowledged is in the chain.
func TestTxConcurrent(t *testing.T) {
	s, r := newRepo(t)
	ctx := t.Context()
	ref := BranchRef("main")
	set(t, r, ref, commit(t, r, "root"), "")
	const workers, each = 8, 12
	var all sync.WaitGroup
	var tries atomic.Int64
	for w := range workers {
		all.Go(func() {
			r, err := s.tryOpen("r")
			if err != nil {
				t.Error(err)
				return
			}
			tx, err := r.Begin(ctx, TxOptions{Message: "swap"})
			if err != nil {
				t.Error(err)
				return
			}
			defer tx.Close()
			for i := range each {
				for {
					tries.Add(1)
					tip, err := r.Ref(ctx, ref)
					if err != nil {
						t.Error(err)
						return
					}
					tx.Update(ref, commit(t, r, fmt.Sprintf("worker %d, %d", w, i), tip), tip)
					if err = tx.Commit(ctx); err == nil {
						break
					}
					if !errors.Is(err, ErrStale) {
						t.Errorf("worker %d: %v", w, err)
						return
					}
				}
			}
		})
	}
	stop := make(chan struct{})
	var packer sync.WaitGroup
	packer.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				_, _ = s.Try("r", "pack-refs", "--all", "--prune")
			}
		}
	})
	all.Wait()
	close(stop)
	packer.Wait()
	if got := s.Git("r", "rev-list", "--count", ref); got != fmt.Sprint(workers*each+1) {
		t.Errorf("%s commits of %d", got, workers*each+1)
	}
	t.Logf("%d updates in %d tries", workers*each, tries.Load())
}

// A child that outlives its killed parent keeps the parent's locks.
func TestTxKeepsLocks(t *testing.T) {
	_, r := newRepo(t)
	l := ok(r.Lock(t.Context(), "branch"))(t)
	tx := ok(r.Begin(t.Context(), TxOptions{Keep: []*os.File{l.File()}}))(t)
	must(t, tx.s.wait())
	must(t, l.File().Close()) // as the kernel does when the parent is killed
	if _, taken, err := r.TryLock("branch"); taken || err != nil {
		t.Errorf("taken while the child lives: %v, %v", taken, err)
	}
	must(t, tx.Close()) // which does not wait for the child to be gone
	l, err := r.Lock(t.Context(), "branch")
	if err != nil {
		t.Fatalf("not to be had after the child's end: %v", err)
	}
	must(t, l.Unlock())
}

// What has moved when git fails at the next ref is moved back.
func TestTxFailedHalfway(t *testing.T) {
	gittest.NeedRefFiles(t)
	s, r := newRepo(t)
	one, two := commit(t, r, "one"), commit(t, r, "two")
	made, moved, gone, stuck := BranchRef("a"), BranchRef("b"), BranchRef("c"), BranchRef("stuck")
	tx := ok(r.Begin(t.Context(), TxOptions{Message: "m", Committer: Identity{"L", "l@example.com"}}))(t)
	defer tx.Close()
	tx.Update(moved, one, "")
	tx.Update(gone, one, "")
	must(t, tx.Commit(t.Context()))
	// git cannot write a reflog where a directory with another one stands, and
	// finds that out behind the point from which it does not turn back.
	s.Write("r/.git/logs/"+stuck+"/log", "")
	tx.Update(made, one, "")
	tx.Update(moved, two, one)
	tx.Delete(gone, one)
	tx.Update(stuck, one, "")
	if err := tx.Commit(t.Context()); err == nil || !strings.Contains(err.Error(), "'"+stuck+"': ") {
		t.Errorf("error = %v; want one that says why '%s' is stuck", err, stuck)
	}
	for ref, want := range map[string]ID{made: "", moved: one, gone: one, stuck: ""} {
		if got, err := r.Ref(t.Context(), ref); got != want || err != nil && !errors.Is(err, ErrNotFound) {
			t.Errorf("%s is at '%s', not '%s': %v", ref, got, want, err)
		}
	}
	tx.Update(moved, two, one) // it goes on with another child
	must(t, tx.Commit(t.Context()))
}

// packed-refs replaced twice has its old inode and size, and within a second its
// old time as git sees it: a child that read it before takes it for unchanged,
// and an old value for the present one.
func TestTxAfterPackingTwice(t *testing.T) {
	gittest.NeedRefFiles(t)
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
	gittest.NeedRefFiles(t)
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
	young := time.Now().Add(time.Minute) // however long the next transactions take
	must(t, os.Chtimes(r.CommonDir()+"/packed-refs", young, young))
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
