package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// verdicts lists git's own of every memory commit but those of the notes.
func verdicts(r *memtest.Repo) (list []string) {
	r.T.Helper()
	for line := range strings.Lines(r.Git("log", "--format=%G? %s", "--glob=refs/context/*")) {
		list = append(list, strings.TrimSuffix(line, "\n"))
	}
	return list
}

// allGood holds that every memory commit has a good signature.
func allGood(r *memtest.Repo, least int) {
	r.T.Helper()
	list := verdicts(r)
	if len(list) < least {
		r.T.Errorf("%d memory commits, want %d or more:\n%s", len(list), least, strings.Join(list, "\n"))
	}
	for _, v := range list {
		if !strings.HasPrefix(v, "G ") {
			r.T.Errorf("%s", v)
		}
	}
	r.Fsck()
}

// Where the setting says so every memory commit is signed, whatever made it, and what
// is signed elsewhere is taken in and merged like anything else.
func TestEveryMemoryCommitIsSigned(t *testing.T) {
	t.Parallel()
	f := &memtest.Fleet{T: t, Hub: memtest.New(t, "--bare")}
	for i := range 2 {
		r := memtest.New(t)
		f.Clones = append(f.Clones, r)
		if i == 0 {
			r.TrustKey()
		} else { // one key for both
			for _, key := range []string{"gpg.format", "user.signingKey", "gpg.ssh.allowedSignersFile"} {
				r.Git("config", key, f.Clones[0].Git("config", key))
			}
		}
		r.Git("config", "context.gpgSign", "true")
		r.Git("remote", "add", "origin", f.Hub.Dir)
		memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{Goal: "Reach it", Milestones: []string{"Begin"}}))(t)
		if i == 0 {
			memtest.OK(share.Push(t.Context(), r.Open(), share.Options{}))(t)
		}
	}
	a, b := f.Clones[0], f.Clones[1]
	a.Branch("exp", "main")
	a.Work("exp", "worked", 9000)
	a.Remember("exp", "pool", "text\n")
	a.Set("exp", "env_config.x", "1")
	a.Merge("exp", "main")
	a.Branch("gone", "main")
	memtest.OK(a.Open("gone").Record(t.Context(), []store.NewStep{{Action: "pending"}}))(t)
	memtest.OK(a.Open().DeleteBranch(t.Context(), "gone", true))(t)
	a.Goal("Further")
	memtest.OK(a.Open().Commit(t.Context(), store.CommitOptions{Summary: "Begun", Roadmap: store.RoadmapChange{Done: []string{"Begin"}}}))(t)
	memtest.OK(code.Rollback(t.Context(), a.Open(), code.RollbackOptions{To: "main~1"}))(t)
	b.Work("main", "worked here too", 10)
	b.Goal("Further still")
	a.Sync("")
	b.Sync("theirs")
	a.Sync("")
	for _, r := range f.Clones {
		allGood(r, 15)
	}
	if merges := a.Git("rev-list", "--merges", "--count", "refs/context/heads/main", "refs/context/roadmap"); merges != "3" {
		t.Errorf("%s merges, want 3: of exp, of main with its replica, of the roadmap with its", merges)
	}
	f.Hub.Fsck()
}

// -S signs what one command makes, and the setting can be overruled.
func TestSignOneCommand(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		r := memtest.New(t, "--object-format="+format)
		r.TrustKey()
		r.Git("config", "commit.gpgSign", "true") // of the user's own commits
		s, ctx := r.Open(), t.Context()
		memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
		sign := store.Writer{Sign: store.Signing{Mode: store.SignAlways}}
		memtest.OK(s.Commit(ctx, store.CommitOptions{Writer: sign, Summary: "one", Roadmap: store.RoadmapChange{Todo: []string{"x"}}}))(t)
		r.Branch("exp", "main")
		r.Work("exp", "two", 10)
		memtest.OK(merge.Merge(ctx, s, store.MergeOptions{Writer: sign, Source: "exp"}))(t)
		r.Git("config", "context.gpgSign", "true")
		not := store.Writer{Sign: store.Signing{Mode: store.SignNever}}
		memtest.OK(r.Open().Commit(ctx, store.CommitOptions{Writer: not, Summary: "three"}))(t)
		var signed int
		list := verdicts(r)
		for _, v := range list {
			if strings.HasPrefix(v, "G ") {
				signed++
			}
		}
		// The milestone and its roadmap; the merge, the closing commit and their roadmap.
		if signed != 5 || len(list) != 10 {
			t.Errorf("%s: %d of %d signed, want 5 of 10:\n%s", format, signed, len(list), strings.Join(list, "\n"))
		}
		r.Fsck()
	}
}

// What cannot be signed is not made, and nothing is lost.
func TestUnsignableIsRefused(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	r.TrustKey()
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Branch("exp", "main")
	memtest.OK(r.Open("exp").Record(ctx, []store.NewStep{{Action: "tried"}}))(t)
	memtest.OK(s.Record(ctx, []store.NewStep{{Action: "kept"}}))(t)
	before, journals := r.Git("for-each-ref"), readJournals(r)
	r.Git("config", "context.gpgSign", "true")
	r.Git("config", "user.signingKey", "none.pub")
	_, err := r.Open().Commit(ctx, store.CommitOptions{Summary: "x", Roadmap: store.RoadmapChange{Todo: []string{"y"}}})
	memtest.ErrorSays(t, err, "sign-failed", "none.pub")
	_, err = merge.Merge(ctx, r.Open(), store.MergeOptions{Source: "exp"})
	memtest.ErrorSays(t, err, "sign-failed", "none.pub")
	_, err = r.Open().Remember(ctx, store.TopicOptions{Key: "k", Text: "v"})
	memtest.ErrorSays(t, err, "sign-failed", "none.pub")
	begun := filepath.Join(t.TempDir(), "begun")
	hang, soon := openSlowly(r, "touch '"+begun+"'; sleep 600"), gittest.NewDeadline(t)
	go func() {
		gittest.Wait(t, "the program that signs", func() bool { _, err := os.Stat(begun); return err == nil })
		soon.Come()
	}()
	_, err = hang.Commit(soon, store.CommitOptions{Summary: "x"})
	memtest.ErrorSays(t, err, "sign-timeout", "does not answer")
	r.Git("config", "context.gpgSign", "perhaps")
	_, err = r.Open().Commit(ctx, store.CommitOptions{Summary: "x"})
	memtest.ErrorSays(t, err, "config-invalid", "context.gpgSign")
	if after := r.Git("for-each-ref"); after != before || readJournals(r) != journals {
		t.Errorf("refs were\n%s\nand are\n%s\njournals\n%s\nand are\n%s", before, after, journals, readJournals(r))
	}
	r.Git("config", "context.gpgSign", "false")
	if res := memtest.OK(r.Open().Commit(ctx, store.CommitOptions{Summary: "x"}))(t); res.Steps.Count != 1 {
		t.Errorf("Commit = %+v", res)
	}
}

func readJournals(r *memtest.Repo) string {
	r.T.Helper()
	var all strings.Builder
	files, err := filepath.Glob(filepath.Join(r.Dir, ".git/context/journal/*.jsonl"))
	r.Must(err)
	for _, name := range files {
		data, err := os.ReadFile(name)
		r.Must(err)
		fmt.Fprintf(&all, "%s\n%s", filepath.Base(name), data)
	}
	return all.String()
}

// Many sign on one branch, from two worktrees; who records meanwhile never waits.
func TestRecordWaitsForNoSignature(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	r.TrustKey()
	memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	linked := &memtest.Repo{T: t, Dir: filepath.Join(t.TempDir(), "linked"), Env: r.Env}
	r.Git("worktree", "add", "-q", linked.Dir)
	r.Git("config", "context.gpgSign", "true")
	begun, free := filepath.Join(t.TempDir(), "begun"), filepath.Join(t.TempDir(), "free")
	s := openSlowly(r, "touch '"+begun+"'; until [ -e '"+free+"' ]; do sleep 0.02; done; sleep 0.2")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			from := []*memtest.Repo{r, linked}[i%2]
			if _, err := from.Open().Commit(t.Context(), store.CommitOptions{Summary: fmt.Sprint("commit ", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	gittest.Wait(t, "a signature", func() bool { _, err := os.Stat(begun); return err == nil })
	recorded := 0
	for signing := true; signing; {
		memtest.OK(s.Record(t.Context(), []store.NewStep{{Action: "meanwhile"}}))(t)
		if recorded++; recorded == 10 { // beside a signature that is not made
			r.Must(os.WriteFile(free, nil, 0o666))
		}
		select {
		case <-done:
			signing = false
		case <-time.After(20 * time.Millisecond):
		}
	}
	milestones := 0
	for _, v := range verdicts(r) {
		if strings.HasPrefix(v, "G commit ") {
			milestones++
		}
	}
	if milestones != 4 {
		t.Errorf("%d signed milestones, want 4:\n%s", milestones, strings.Join(verdicts(r), "\n"))
	}
	left := memtest.OK(r.Open().Commit(t.Context(), store.CommitOptions{Summary: "the rest"}))(t)
	steps, total, err := history.Steps(t.Context(), r.Open(), memtest.OK(r.Open().Tip(t.Context(), "main"))(t), 0, 1000)
	if err != nil || total != recorded || len(steps) != recorded {
		t.Errorf("%d steps, %v; %d were recorded, the last %d committed in the end", total, err, recorded, left.Steps.Count)
	}
}

// openSlowly opens the memory with a program that does something else before it signs.
func openSlowly(r *memtest.Repo, what string) *refs.Store {
	r.T.Helper()
	if runtime.GOOS == "windows" {
		r.T.Skip("*** SKIPPED: the slow program is a shell script ***")
	}
	slow := filepath.Join(r.T.TempDir(), "slow")
	script := "#!/bin/sh\ncase $* in *'-Y sign'*) " + what + ";; esac\nexec ssh-keygen \"$@\"\n"
	r.Must(os.WriteFile(slow, []byte(script), 0o777))
	r.Git("config", "gpg.ssh.program", slow)
	return r.Open()
}
