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
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A legal name is never too long for the files that are named after its branch,
// however many slashes stand in it.
func TestBranchOfManyParts(t *testing.T) {
	t.Parallel()
	r, m := stones(t, 2)
	ctx := t.Context()
	name, other := strings.Repeat("a/", 90)+"x", strings.Repeat("a/", 90)+"y"
	for _, branch := range []string{name, other} {
		ok(r.open().CreateBranch(ctx, store.BranchOptions{Name: branch, NoSwitch: true}))(t)
		ok(r.open(branch).Record(ctx, []store.NewStep{{Observation: strings.Repeat("large ", 20_000)}}))(t)
		r.milestone(t, branch, "written anew is what held so much")
		ok(r.open(branch).Record(ctx, []store.NewStep{{Observation: "pending"}}))(t)
		ok(history.BisectStart(ctx, r.open(branch), m[1], nil))(t)
		r.teach(t, branch, "ann", "pool", branch)
	}
	_, err := merge.Merge(ctx, r.open(), store.MergeOptions{Source: name, Into: other})
	deniedAs(t, err, "merge-conflict") // and waits
	if _, err := r.open().DeleteBranch(ctx, name, true); err != nil {
		t.Fatal(err)
	}
	ok(r.open().RenameBranch(ctx, other, name))(t)
	ok(history.Bisect(ctx, r.open(name)))(t)
	if n := len(ok(merge.Waiting(ctx, r.open(name), ""))(t).Conflicts); n != 1 {
		t.Errorf("%d conflicts wait", n)
	}
	r.git("update-ref", "-d", "refs/context/heads/"+name)
	ok(r.open().CreateBranch(ctx, store.BranchOptions{Name: name, NoSwitch: true}))(t)
	files, err := filepath.Glob(filepath.Join(r.dir, ".git/context/journal/a*"))
	if err != nil || len(files) != 2 || !strings.Contains(files[0]+files[1], ".orphan-") {
		t.Errorf("%q, %v", files, err)
	}
}

// A bisect belongs to its branch: it goes where that goes, in every worktree, and
// ends with it.
func TestBisectFollowsItsBranch(t *testing.T) {
	t.Parallel()
	r, m := stones(t, 3)
	ctx := t.Context()
	r.git("commit", "-q", "--allow-empty", "-m", "code")
	r.git("worktree", "add", "-q", "../other")
	linked := &repo{t: t, dir: filepath.Join(filepath.Dir(r.dir), "other"), env: r.env}
	make := func(name string) {
		t.Helper()
		ok(r.open().CreateBranch(ctx, store.BranchOptions{Name: name, NoSwitch: true}))(t)
	}
	none := func(branch string) {
		t.Helper()
		for _, in := range []*repo{r, linked} {
			deniedAs(t, second(history.Bisect(ctx, in.open(branch))), "not-bisecting")
		}
	}
	make("exp")
	ok(history.BisectStart(ctx, r.open("exp"), m[2], []string{m[0]}))(t)
	ok(history.BisectStart(ctx, linked.open("exp"), m[1], nil))(t)
	ok(r.open().RenameBranch(ctx, "exp", "team/exp"))(t)
	if b := ok(history.Bisect(ctx, r.open("team/exp")))(t); b.Branch != "team/exp" || b.Next == nil || string(*b.Next.Hash) != m[1] {
		t.Errorf("%+v", b)
	}
	if b := ok(history.BisectMark(ctx, linked.open("team/exp"), history.MarkGood, []string{m[0]}))(t); b.FirstBad == nil || string(*b.FirstBad.Hash) != m[1] {
		t.Errorf("%+v", b)
	}
	make("exp")
	none("exp")

	if _, err := r.open().DeleteBranch(ctx, "team/exp", true); err != nil {
		t.Fatal(err)
	}
	ok(r.open().RestoreBranch(ctx, "team/exp"))(t)
	none("team/exp")

	// What a crash, or another tool, leaves is no later branch's.
	for _, again := range []func(){
		func() { make("exp") },
		func() { ok(r.open().RenameBranch(ctx, "team/exp", "exp"))(t) },
	} {
		ok(history.BisectStart(ctx, r.open("exp"), m[2], nil))(t)
		r.git("update-ref", "-d", "refs/context/heads/exp")
		again()
		none("exp")
	}
}

// Whoever forces a deletion gets it, however busy the branch is; what was acknowledged
// until then is in what was deleted, once.
func TestDeletionBesideWriters(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{Goal: "Race"}))(t)
	for round := range 5 {
		name := fmt.Sprint("busy", round)
		ok(s.CreateBranch(ctx, store.BranchOptions{Name: name, Purpose: "Be busy", NoSwitch: true}))(t)
		var ids []string
		var enough atomic.Bool
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			w := r.open(name)
			for !enough.Load() {
				made, err := w.Record(ctx, []store.NewStep{{Action: "go on"}})
				if err != nil {
					return
				}
				ids = append(ids, made[0].ID)
			}
		}()
		time.Sleep(10 * time.Millisecond)
		moved, err := r.open().DeleteBranch(ctx, name, true)
		enough.Store(true)
		<-stopped
		if err != nil {
			t.Fatal(err)
		}
		log := r.git("show", moved+":log.md")
		for _, id := range ids {
			if n := strings.Count(log, id); n != 1 {
				t.Errorf("%s stands %d times in what was deleted", id, n)
			}
		}
	}
	r.fsck()
}

// Who works on the current branch does not notice that it is renamed meanwhile.
func TestRenameBesideWriters(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{Goal: "Race"}))(t)
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
			w := r.open()
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
		ok(r.open().RenameBranch(ctx, name, next))(t)
		name = next
	}
	enough.Store(true)
	group.Wait()
	all := ok(s.Commit(ctx, store.CommitOptions{Summary: "All"}))(t)
	if all.Branch != name || last != recorded {
		t.Errorf("%d steps, the last of them number %d, on branch %s, not %s", recorded, last, all.Branch, name)
	}
	r.fsck()
}

// Nobody is left standing on a branch that is deleted at the same moment.
func TestSwitchBesideDeletion(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{Goal: "Race"}))(t)
	gone := 0
	for round := range 30 {
		name := fmt.Sprint("short", round)
		ok(s.CreateBranch(ctx, store.BranchOptions{Name: name, NoSwitch: true}))(t)
		if round%2 == 0 { // as in another clone, where nothing was recorded there: the switch makes it
			if err := os.Remove(filepath.Join(r.dir, ".git/context/journal", name+".jsonl")); err != nil {
				t.Fatal(err)
			}
		}
		var switched, deleted error
		var group sync.WaitGroup
		group.Go(func() { _, deleted = r.open().DeleteBranch(ctx, name, true) })
		group.Go(func() {
			time.Sleep(time.Duration(round) * 200 * time.Microsecond)
			_, switched = r.open().Switch(ctx, name)
		})
		group.Wait()
		if (switched == nil) == (deleted == nil) || switched != nil && !errors.Is(switched, fail.ErrNotFound) {
			t.Errorf("switched: %v, and deleted: %v", switched, deleted)
		}
		if deleted == nil {
			gone++
		}
		if _, err := r.open().Tip(ctx, ""); err != nil {
			t.Fatal(err)
		}
		ok(s.Switch(ctx, store.DefaultBranch))(t)
	}
	t.Logf("%d of 30 were deleted", gone)
}

// Nobody waits for a commit to switch to the branch that it is made on, which may take as
// long as somebody's hooks.
func TestSwitchBesideALongCommit(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{Goal: "Race"}))(t)
	ok(s.CreateBranch(ctx, store.BranchOptions{Name: "aside"}))(t)
	lock := ok(s.Repo().Lock(ctx, "branch-main.jsonl"))(t)
	defer lock.Unlock()
	begin := time.Now()
	b := ok(r.open().Switch(ctx, "main"))(t)
	if took := time.Since(begin); !b.Current || took > 45*time.Second { // the lock would be waited for a minute
		t.Errorf("%+v after %v", b, took)
	}
}

// A branch that was renamed is followed; where somebody has switched and deleted it, what
// was meant for it goes nowhere else.
func TestOnlyARenameIsFollowed(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{Goal: "Race"}))(t)
	ok(s.CreateBranch(ctx, store.BranchOptions{Name: "meant"}))(t)
	begin := time.Now()
	ok(r.open().Commit(ctx, store.CommitOptions{Summary: "As long as this takes"}))(t)
	took := time.Since(begin)
	lock := ok(s.Repo().Lock(ctx, "branch-meant.jsonl"))(t)
	done := make(chan error)
	go func() {
		_, err := r.open().Commit(ctx, store.CommitOptions{Summary: "Meant for it"})
		done <- err
	}()
	time.Sleep(100*time.Millisecond + 3*took) // it waits for the lock
	r.git("symbolic-ref", "CONTEXT_HEAD", "refs/context/heads/main")
	r.git("update-ref", "-d", "refs/context/heads/meant")
	if err := errors.Join(lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, fail.ErrNotFound) {
		t.Errorf("it came to %v", err)
	}
	if log := r.git("log", "--format=%s", "refs/context/heads/main"); strings.Contains(log, "Meant") {
		t.Errorf("it went to another branch: %s", log)
	}
}
