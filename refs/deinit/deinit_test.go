package deinit_test

import (
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/deinit"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
)

func refsOf(repos ...*memtest.Repo) string {
	list := ""
	for _, r := range repos {
		list += r.Git("for-each-ref") + "\n"
	}
	return list
}

// What an agent writes while somebody reads the question was never shown, and stays with all the rest.
func TestDeinitOfWhatWasWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(*memtest.Repo){
		"a step":   func(r *memtest.Repo) { memtest.Err(r.Open().Record(t.Context(), []store.NewStep{{Action: "a"}})) },
		"a commit": func(r *memtest.Repo) { r.Commit("main", "meanwhile") },
		"a branch": func(r *memtest.Repo) { r.Branch("meanwhile", "main") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := memtest.NewFleet(t, 1)
			r, shown := f.Clones[0], ""
			r.Work("main", "before", 10)
			_, err := deinit.Run(t.Context(), r.Open(), deinit.Options{Remote: true, Consent: func(deinit.Remains) error {
				write(r)
				shown = refsOf(r, f.Hub)
				return nil
			}})
			memtest.ErrorSays(t, err, fail.Stale, "memory was written meanwhile; nothing was removed")
			if now := refsOf(r, f.Hub); now != shown {
				t.Errorf("%s\nbecame\n%s", shown, now)
			}
			r.Fsck()
			memtest.OK(deinit.Run(t.Context(), r.Open(), deinit.Options{Remote: true}))(t)
			if left := strings.TrimSpace(refsOf(r, f.Hub)); left != "" {
				t.Errorf("left %s", left)
			}
		})
	}
}

// What a teammate pushes while somebody reads the question stays on the remote.
func TestDeinitLeavesWhatATeammatePushed(t *testing.T) {
	t.Parallel()
	f := memtest.NewFleet(t, 2)
	mine, theirs, pushed := f.Clones[0], f.Clones[1], ""
	_, err := deinit.Run(t.Context(), mine.Open(), deinit.Options{Remote: true, Consent: func(deinit.Remains) error {
		theirs.Work("main", "theirs", 10)
		theirs.Sync("")
		pushed = f.Hub.Git("rev-parse", "refs/context/heads/main")
		return nil
	}})
	if err == nil || !strings.Contains(err.Error(), "'refs/context/heads/main' of 'origin' was not deleted") {
		t.Errorf("%v", err)
	}
	if now := f.Hub.Git("rev-parse", "refs/context/heads/main"); now != pushed {
		t.Errorf("%s became %s", pushed, now)
	}
	if !strings.Contains(refsOf(mine), "refs/context/heads/main") {
		t.Error("the memory here was removed, although the error reads as if it stopped before")
	}
}

// Refs of other programs beside those of memory are no memory.
func TestDeinitLeavesForeignRefs(t *testing.T) {
	t.Parallel()
	f := memtest.NewFleet(t, 1)
	r, kept := f.Clones[0], []string{"refs/notes/remotes/origin/review", "refs/notes/review", "refs/contexts/x"}
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	for _, ref := range kept {
		r.Git("update-ref", ref, "HEAD")
		r.Git("push", "-q", "origin", ref)
	}
	memtest.OK(deinit.Run(t.Context(), r.Open(), deinit.Options{Remote: true}))(t)
	for _, repo := range []*memtest.Repo{r, f.Hub} {
		for _, ref := range kept {
			repo.Git("rev-parse", "--verify", ref)
		}
		if left := repo.Git("for-each-ref", "refs/context", "refs/notes/context"); left != "" {
			t.Errorf("left %s", left)
		}
	}
}
