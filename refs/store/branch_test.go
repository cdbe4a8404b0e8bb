package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A legal name is never too long for the files that are named after its branch,
// however many slashes stand in it.
func TestBranchOfManyParts(t *testing.T) {
	t.Parallel()
	r, m := memtest.NewCommits(t, 2)
	ctx := t.Context()
	name, other := strings.Repeat("a/", 90)+"x", strings.Repeat("a/", 90)+"y"
	for _, branch := range []string{name, other} {
		memtest.OK(r.Open().CreateBranch(ctx, store.BranchOptions{Name: branch, NoSwitch: true}))(t)
		memtest.OK(r.Open(branch).Record(ctx, []store.NewStep{{Observation: strings.Repeat("large ", 20_000)}}))(t)
		r.Commit(branch, "written anew is what held so much")
		memtest.OK(r.Open(branch).Record(ctx, []store.NewStep{{Observation: "pending"}}))(t)
		memtest.OK(history.BisectStart(ctx, r.Open(branch), m[1], nil))(t)
		r.Teach(branch, "ann", "pool", branch)
	}
	_, err := merge.Merge(ctx, r.Open(), store.MergeOptions{Source: name, Into: other})
	memtest.ErrorCode(t, err, "merge-conflict") // and waits
	if _, err := r.Open().DeleteBranch(ctx, name, true); err != nil {
		t.Fatal(err)
	}
	memtest.OK(r.Open().RenameBranch(ctx, other, name))(t)
	memtest.OK(history.Bisect(ctx, r.Open(name)))(t)
	if n := len(memtest.OK(merge.Waiting(ctx, r.Open(name), ""))(t).Conflicts); n != 1 {
		t.Errorf("%d conflicts wait", n)
	}
	r.Git("update-ref", "-d", "refs/context/heads/"+name)
	memtest.OK(r.Open().CreateBranch(ctx, store.BranchOptions{Name: name, NoSwitch: true}))(t)
	files, err := filepath.Glob(filepath.Join(r.Dir, ".git/context/journal/a*"))
	if err != nil || len(files) != 2 || !strings.Contains(files[0]+files[1], ".orphan-") {
		t.Errorf("%q, %v", files, err)
	}
}

// Whoever forces a deletion gets it, however busy the branch is; what was acknowledged
// until then is in what was deleted, once.
func TestDeletionBesideWriters(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Race"}))(t)
	for round := range 5 {
		name := fmt.Sprint("busy", round)
		memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: name, Purpose: "Be busy", NoSwitch: true}))(t)
		var ids []string
		var enough atomic.Bool
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			w := r.Open(name)
			for !enough.Load() {
				made, err := w.Record(ctx, []store.NewStep{{Action: "go on"}})
				if err != nil {
					return
				}
				ids = append(ids, made[0].ID)
			}
		}()
		time.Sleep(10 * time.Millisecond)
		moved, err := r.Open().DeleteBranch(ctx, name, true)
		enough.Store(true)
		<-stopped
		if err != nil {
			t.Fatal(err)
		}
		log := r.Git("show", moved.Name+":log.md")
		for _, id := range ids {
			if n := strings.Count(log, id); n != 1 {
				t.Errorf("%s stands %d times in what was deleted", id, n)
			}
		}
	}
	r.Fsck()
}

// Who works on the current branch does not notice that it is renamed meanwhile.
func TestRenameBesideWriters(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Race"}))(t)
	var enough atomic.Bool
	var group sync.WaitGroup
	recorded, last := 0, 0
	for what, do := range map[string]func(*refs.Store, int) error{
		"record": func(w *refs.Store, n int) error {
			made, err := w.Record(ctx, []store.NewStep{{Action: fmt.Sprint("step ", n)}})
			if err == nil {
				recorded, last = recorded+1, made[0].Step
			}
			return err
		},
		"commit": func(w *refs.Store, n int) error {
			_, err := w.Commit(ctx, store.CommitOptions{Summary: fmt.Sprint("Milestone ", n)})
			return err
		},
		"remember": func(w *refs.Store, n int) error {
			_, err := w.Remember(ctx, store.TopicOptions{Key: "count", Text: fmt.Sprint(n)})
			return err
		},
		"view": func(w *refs.Store, _ int) error {
			_, err := w.Tip(ctx, "")
			return err
		},
	} {
		group.Go(func() {
			w := r.Open()
			for n := 0; !enough.Load(); n++ {
				if err := do(w, n); err != nil {
					t.Errorf("%s: %v", what, err)
					return
				}
				time.Sleep(2 * time.Millisecond) // a rename gets its turn
			}
		})
	}
	name := store.DefaultBranch
	for i := range 10 {
		next := fmt.Sprint("name", i)
		memtest.OK(r.Open().RenameBranch(ctx, name, next))(t)
		name = next
	}
	enough.Store(true)
	group.Wait()
	all := memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "All"}))(t)
	if all.Branch != name || last != recorded {
		t.Errorf("%d steps, the last of them number %d, on branch %s, not %s", recorded, last, all.Branch, name)
	}
	r.Fsck()
}

// Nobody is left standing on a branch that is deleted at the same moment.
func TestSwitchBesideDeletion(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Race"}))(t)
	gone := 0
	for round := range 30 {
		name := fmt.Sprint("short", round)
		memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: name, NoSwitch: true}))(t)
		if round%2 == 0 { // as in another clone, where nothing was recorded there: the switch makes it
			if err := os.Remove(filepath.Join(r.Dir, ".git/context/journal", name+".jsonl")); err != nil {
				t.Fatal(err)
			}
		}
		var switched, deleted error
		var group sync.WaitGroup
		group.Go(func() { _, deleted = r.Open().DeleteBranch(ctx, name, true) })
		group.Go(func() {
			time.Sleep(time.Duration(round) * 200 * time.Microsecond)
			_, switched = r.Open().Switch(ctx, name)
		})
		group.Wait()
		if (switched == nil) == (deleted == nil) || switched != nil && !errors.Is(switched, fail.ErrNotFound) {
			t.Errorf("switched: %v, and deleted: %v", switched, deleted)
		}
		if deleted == nil {
			gone++
		}
		if _, err := r.Open().Tip(ctx, ""); err != nil {
			t.Fatal(err)
		}
		memtest.OK(s.Switch(ctx, store.DefaultBranch))(t)
	}
	t.Logf("%d of 30 were deleted", gone)
}

// Nobody waits for a commit to switch to the branch that it is made on, which may take as
// long as somebody's hooks.
func TestSwitchBesideALongCommit(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Race"}))(t)
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "aside"}))(t)
	lock := memtest.OK(s.Repo().Lock(ctx, "branch-main.jsonl"))(t)
	defer lock.Unlock()
	begin := time.Now()
	b := memtest.OK(r.Open().Switch(ctx, "main"))(t)
	if took := time.Since(begin); !b.Current || took > 45*time.Second { // the lock would be waited for a minute
		t.Errorf("%+v after %v", b, took)
	}
}

// A branch that was renamed is followed; where somebody has switched and deleted it, what
// was meant for it goes nowhere else.
func TestOnlyARenameIsFollowed(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Race"}))(t)
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "meant"}))(t)
	begin := time.Now()
	memtest.OK(r.Open().Commit(ctx, store.CommitOptions{Summary: "As long as this takes"}))(t)
	took := time.Since(begin)
	lock := memtest.OK(s.Repo().Lock(ctx, "branch-meant.jsonl"))(t)
	done := make(chan error)
	go func() {
		_, err := r.Open().Commit(ctx, store.CommitOptions{Summary: "Meant for it"})
		done <- err
	}()
	time.Sleep(100*time.Millisecond + 3*took) // it waits for the lock
	r.Git("symbolic-ref", "CONTEXT_HEAD", "refs/context/heads/main")
	r.Git("update-ref", "-d", "refs/context/heads/meant")
	if err := errors.Join(lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, fail.ErrNotFound) {
		t.Errorf("it came to %v", err)
	}
	if log := r.Git("log", "--format=%s", "refs/context/heads/main"); strings.Contains(log, "Meant") {
		t.Errorf("it went to another branch: %s", log)
	}
}
