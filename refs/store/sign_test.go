package store_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// signer has git sign with an SSH key of the repository's own, by Ada, whom it trusts.
func (r *repo) signer() {
	r.t.Helper()
	program, err := exec.LookPath("ssh-keygen")
	if err != nil {
		r.t.Skip("*** SKIPPED: no ssh-keygen, so that signed memory is not tested ***")
	}
	dir := r.t.TempDir()
	if out, err := exec.Command(program, "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", filepath.Join(dir, "key")).CombinedOutput(); err != nil {
		r.t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	key, err := os.ReadFile(filepath.Join(dir, "key.pub"))
	r.must(err)
	r.must(os.WriteFile(filepath.Join(dir, "signers"), append([]byte("ada@example.com "), key...), 0o666))
	r.git("config", "gpg.format", "ssh")
	r.git("config", "user.signingKey", filepath.Join(dir, "key.pub"))
	r.git("config", "gpg.ssh.allowedSignersFile", filepath.Join(dir, "signers"))
}

// verdicts lists git's own of every memory commit but those of the notes.
func (r *repo) verdicts() (list []string) {
	r.t.Helper()
	for line := range strings.Lines(r.git("log", "--format=%G? %s", "--glob=refs/context/*")) {
		list = append(list, strings.TrimSuffix(line, "\n"))
	}
	return list
}

// allGood holds that every memory commit has a good signature.
func (r *repo) allGood(least int) {
	r.t.Helper()
	list := r.verdicts()
	if len(list) < least {
		r.t.Errorf("%d memory commits, want %d or more:\n%s", len(list), least, strings.Join(list, "\n"))
	}
	for _, v := range list {
		if !strings.HasPrefix(v, "G ") {
			r.t.Errorf("%s", v)
		}
	}
	r.fsck()
}

// Where the setting says so every memory commit is signed, whatever made it, and what
// is signed elsewhere is taken in and merged like anything else.
func TestEveryMemoryCommitIsSigned(t *testing.T) {
	t.Parallel()
	f := &fleet{t: t, hub: newRepo(t, "--bare")}
	for i := range 2 {
		r := newRepo(t)
		f.clones = append(f.clones, r)
		if i == 0 {
			r.signer()
		} else { // one key for both
			for _, key := range []string{"gpg.format", "user.signingKey", "gpg.ssh.allowedSignersFile"} {
				r.git("config", key, f.clones[0].git("config", key))
			}
		}
		r.git("config", "context.gpgSign", "true")
		r.git("remote", "add", "origin", f.hub.dir)
		ok(share.Init(t.Context(), r.open(), share.InitOptions{Goal: "Reach it", Milestones: []string{"Begin"}}))(t)
		if i == 0 {
			ok(share.Push(t.Context(), r.open(), share.Options{}))(t)
		}
	}
	a, b := f.clones[0], f.clones[1]
	a.branch("exp", "main")
	a.work("exp", "worked", 9000)
	a.remember("exp", "pool", "text\n")
	a.set("exp", "env_config.x", "1")
	a.merge("exp", "main")
	a.branch("gone", "main")
	ok(a.open("gone").Record(t.Context(), []store.NewStep{{Action: "pending"}}))(t)
	ok(a.open().DeleteBranch(t.Context(), "gone", true))(t)
	a.goal("Further")
	ok(a.open().Commit(t.Context(), store.CommitOptions{Summary: "Begun", Roadmap: store.RoadmapChange{Done: []string{"Begin"}}}))(t)
	ok(code.Rollback(t.Context(), a.open(), code.RollbackOptions{To: "main~1"}))(t)
	b.work("main", "worked here too", 10)
	b.goal("Further still")
	a.sync("")
	b.sync("theirs")
	a.sync("")
	for _, r := range f.clones {
		r.allGood(15)
	}
	if merges := a.git("rev-list", "--merges", "--count", "refs/context/heads/main", "refs/context/roadmap"); merges != "3" {
		t.Errorf("%s merges, want 3: of exp, of main with its replica, of the roadmap with its", merges)
	}
	f.hub.fsck()
}

// -S signs what one command makes, and the setting can be overruled.
func TestSignOneCommand(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		r := newRepo(t, "--object-format="+format)
		r.signer()
		r.git("config", "commit.gpgSign", "true") // of the user's own commits
		s, ctx := r.open(), t.Context()
		ok(share.Init(ctx, s, share.InitOptions{}))(t)
		sign := store.Writer{Sign: store.Signing{Mode: store.SignAlways}}
		ok(s.Commit(ctx, store.CommitOptions{Writer: sign, Summary: "one", Roadmap: store.RoadmapChange{Todo: []string{"x"}}}))(t)
		r.branch("exp", "main")
		r.work("exp", "two", 10)
		ok(merge.Merge(ctx, s, store.MergeOptions{Writer: sign, Source: "exp"}))(t)
		r.git("config", "context.gpgSign", "true")
		not := store.Writer{Sign: store.Signing{Mode: store.SignNever}}
		ok(r.open().Commit(ctx, store.CommitOptions{Writer: not, Summary: "three"}))(t)
		var signed int
		list := r.verdicts()
		for _, v := range list {
			if strings.HasPrefix(v, "G ") {
				signed++
			}
		}
		// The milestone and its roadmap; the merge, the closing commit and their roadmap.
		if signed != 5 || len(list) != 10 {
			t.Errorf("%s: %d of %d signed, want 5 of 10:\n%s", format, signed, len(list), strings.Join(list, "\n"))
		}
		r.fsck()
	}
}

// What cannot be signed is not made, and nothing is lost.
func TestUnsignableIsRefused(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.signer()
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	r.branch("exp", "main")
	ok(r.open("exp").Record(ctx, []store.NewStep{{Action: "tried"}}))(t)
	ok(s.Record(ctx, []store.NewStep{{Action: "kept"}}))(t)
	before, journals := r.git("for-each-ref"), r.journals()
	r.git("config", "context.gpgSign", "true")
	r.git("config", "user.signingKey", "none.pub")
	_, err := r.open().Commit(ctx, store.CommitOptions{Summary: "x", Roadmap: store.RoadmapChange{Todo: []string{"y"}}})
	wantSignError(t, err, "sign-failed", "none.pub")
	_, err = merge.Merge(ctx, r.open(), store.MergeOptions{Source: "exp"})
	wantSignError(t, err, "sign-failed", "none.pub")
	_, err = r.open().Remember(ctx, store.TopicOptions{Key: "k", Text: "v"})
	wantSignError(t, err, "sign-failed", "none.pub")
	begun := filepath.Join(t.TempDir(), "begun")
	hang, soon := r.slowly("touch '"+begun+"'; sleep 600"), gittest.NewDeadline(t)
	go func() {
		gittest.Wait(t, "the program that signs", func() bool { _, err := os.Stat(begun); return err == nil })
		soon.Come()
	}()
	_, err = hang.Commit(soon, store.CommitOptions{Summary: "x"})
	wantSignError(t, err, "sign-timeout", "does not answer")
	r.git("config", "context.gpgSign", "perhaps")
	_, err = r.open().Commit(ctx, store.CommitOptions{Summary: "x"})
	wantSignError(t, err, "config-invalid", "context.gpgSign")
	if after := r.git("for-each-ref"); after != before || r.journals() != journals {
		t.Errorf("refs were\n%s\nand are\n%s\njournals\n%s\nand are\n%s", before, after, journals, r.journals())
	}
	r.git("config", "context.gpgSign", "false")
	if res := ok(r.open().Commit(ctx, store.CommitOptions{Summary: "x"}))(t); res.Steps.Count != 1 {
		t.Errorf("Commit = %+v", res)
	}
}

func wantSignError(t *testing.T, err error, code, text string) {
	t.Helper()
	var named *fail.Error
	if !errors.As(err, &named) || named.Code != code || len(named.Hints) == 0 || !strings.Contains(err.Error(), text) {
		t.Errorf("error %#v; want %s that says '%s', with a hint", err, code, text)
	}
}

func (r *repo) journals() string {
	r.t.Helper()
	var all strings.Builder
	files, err := filepath.Glob(filepath.Join(r.dir, ".git/context/journal/*.jsonl"))
	r.must(err)
	for _, name := range files {
		data, err := os.ReadFile(name)
		r.must(err)
		fmt.Fprintf(&all, "%s\n%s", filepath.Base(name), data)
	}
	return all.String()
}

// Many sign on one branch, from two worktrees; who records meanwhile never waits.
func TestRecordWaitsForNoSignature(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.signer()
	ok(share.Init(t.Context(), r.open(), share.InitOptions{}))(t)
	r.git("commit", "-q", "--allow-empty", "-m", "code")
	linked := &repo{t: t, dir: filepath.Join(t.TempDir(), "linked"), env: r.env}
	r.git("worktree", "add", "-q", linked.dir)
	r.git("config", "context.gpgSign", "true")
	begun, free := filepath.Join(t.TempDir(), "begun"), filepath.Join(t.TempDir(), "free")
	s := r.slowly("touch '" + begun + "'; until [ -e '" + free + "' ]; do sleep 0.02; done; sleep 0.2")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			from := []*repo{r, linked}[i%2]
			if _, err := from.open().Commit(t.Context(), store.CommitOptions{Summary: fmt.Sprint("commit ", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	gittest.Wait(t, "a signature", func() bool { _, err := os.Stat(begun); return err == nil })
	recorded := 0
	for signing := true; signing; {
		ok(s.Record(t.Context(), []store.NewStep{{Action: "meanwhile"}}))(t)
		if recorded++; recorded == 10 { // beside a signature that is not made
			r.must(os.WriteFile(free, nil, 0o666))
		}
		select {
		case <-done:
			signing = false
		case <-time.After(20 * time.Millisecond):
		}
	}
	milestones := 0
	for _, v := range r.verdicts() {
		if strings.HasPrefix(v, "G commit ") {
			milestones++
		}
	}
	if milestones != 4 {
		t.Errorf("%d signed milestones, want 4:\n%s", milestones, strings.Join(r.verdicts(), "\n"))
	}
	left := ok(r.open().Commit(t.Context(), store.CommitOptions{Summary: "the rest"}))(t)
	steps, total, err := r.open().Steps(t.Context(), ok(r.open().Tip(t.Context(), "main"))(t), 0, 1000)
	if err != nil || total != recorded || len(steps) != recorded {
		t.Errorf("%d steps, %v; %d were recorded, the last %d committed in the end", total, err, recorded, left.Steps.Count)
	}
}

// slowly opens the memory with a program that does something else before it signs.
func (r *repo) slowly(what string) *refs.Store {
	r.t.Helper()
	if runtime.GOOS == "windows" {
		r.t.Skip("*** SKIPPED: the slow program is a shell script ***")
	}
	slow := filepath.Join(r.t.TempDir(), "slow")
	script := "#!/bin/sh\ncase $* in *'-Y sign'*) " + what + ";; esac\nexec ssh-keygen \"$@\"\n"
	r.must(os.WriteFile(slow, []byte(script), 0o777))
	r.git("config", "gpg.ssh.program", slow)
	return r.open()
}

func TestVerify(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.signer()
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	_, err := history.Verify(ctx, s, "")
	wantSignError(t, err, "milestone-not-found", "no milestone yet")
	sign := store.Writer{Sign: store.Signing{Mode: store.SignAlways}}
	one := ok(s.Commit(ctx, store.CommitOptions{Writer: sign, Summary: "one"}))(t)
	ok(s.Remember(ctx, store.TopicOptions{Key: "k", Text: "v"}))(t)
	got := ok(history.Verify(ctx, s, ""))(t) // the newest milestone, not the topic above it
	if len(got) != 1 || got[0].Commit != one.Commit || got[0].Status != history.SignatureGood || got[0].Signer == nil || *got[0].Signer != "ada@example.com" {
		t.Errorf("Verify = %+v", got)
	}
	two := ok(s.Commit(ctx, store.CommitOptions{Writer: sign, Summary: "two"}))(t)
	for _, test := range []struct{ rev, statuses, code, text string }{
		{"main", "good", "", ""},
		{one.ID, "good", "", ""},
		{"main~2..main~2", "", "", ""},
		{"main~1..main", "good", "", ""},
		{"main~1..", "good", "", ""},
		{"main~1", "unsigned", "not-verified", "is not signed"},
		{"main~3..main", "good unsigned good", "not-verified", "' is not signed"},
		{"..main", "", "", ""},
		{"refs/context/roadmap", "unsigned", "not-verified", "is not signed"},
		{"main~4..main", "", "milestone-not-found", "main~4"},
		{"nope", "", "milestone-not-found", "nope"},
		{"main...main", "", "", ""},
		{"main...main~3", "good unsigned good", "not-verified", "' is not signed"},
	} {
		list, err := history.Verify(ctx, r.open(), test.rev)
		var statuses []string
		for _, v := range list {
			statuses = append(statuses, v.Status)
		}
		if strings.Join(statuses, " ") != test.statuses {
			t.Errorf("%s: %v, want %s", test.rev, statuses, test.statuses)
		}
		if test.code != "" {
			wantSignError(t, err, test.code, test.text)
		} else if err != nil {
			t.Errorf("%s: %v", test.rev, err)
		}
	}

	signers := r.git("config", "gpg.ssh.allowedSignersFile")
	r.git("config", "--unset", "gpg.ssh.allowedSignersFile")
	_, err = history.Verify(ctx, r.open(), "")
	wantSignError(t, err, "not-verified", "cannot be checked: gpg.ssh.allowedSignersFile")
	r.git("config", "gpg.ssh.allowedSignersFile", signers)
	r.must(os.WriteFile(signers, nil, 0o666))
	list, err := history.Verify(ctx, r.open(), "")
	wantSignError(t, err, "not-verified", "by an unknown key, SHA256:")
	if len(list) != 1 || list[0].Status != history.SignatureUnknown || list[0].Signer != nil || list[0].Commit != two.Commit {
		t.Errorf("of an unknown signer: %+v", list)
	}
}

// Ranges are those of log and diff, from either side and from both.
func TestVerifyRanges(t *testing.T) {
	t.Parallel()
	r, m := stones(t, 2)
	ctx := t.Context()
	ok(r.open().CreateBranch(ctx, store.BranchOptions{Name: "exp", From: m[0], NoSwitch: true}))(t)
	exp := string(r.milestone(t, "exp", "tried").Commit)
	for rev, want := range map[string][]string{
		m[0] + ".." + m[1]:     {m[1]},
		"exp..main":            {m[1]},
		"exp..":                {m[1]},
		"exp~1...exp":          {exp},
		m[0] + "...main":       {m[1]},
		"..." + m[0]:           {m[1]},
		m[1] + "..." + m[1]:    {},
		"main..." + exp + "~2": {m[1]},
	} {
		list, err := history.Verify(ctx, r.open(), rev)
		var got []string
		for _, v := range list {
			got = append(got, string(v.Commit))
		}
		if len(want) > 0 {
			deniedAs(t, err, "not-verified")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", rev, got, want)
		}
	}
	if both, _ := history.Verify(ctx, r.open(), "exp...main"); len(both) != 3 { // the birth of exp is one
		t.Errorf("both sides: %+v", both)
	}
	_, err := history.Verify(ctx, r.open(), "main...nope")
	if said := deniedAs(t, err, "milestone-not-found"); said.Message != "no milestone 'nope'" {
		t.Errorf("said %q", said.Message)
	}
}
