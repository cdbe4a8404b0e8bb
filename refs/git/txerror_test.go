package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"
)

func TestStaleText(t *testing.T) {
	for text, stale := range map[string]bool{
		"fatal: prepare: cannot lock ref 'r': is at 1 but expected 2\n":                                                   true,
		"fatal: prepare: cannot lock ref 'r': reference is missing but expected 2\n":                                      true,
		"fatal: prepare: cannot lock ref 'r': reference already exists\n":                                                 true,
		"fatal: prepare: cannot lock ref 'r': unable to resolve reference 'r'\n":                                          true,
		"fatal: prepare: cannot lock ref 'r': Unable to create '/x/r.lock': File exists.\n\nAnother git process seems...": true,
		"fatal: prepare: cannot lock ref 'r': Unable to create '/x/r.lock': No such file or directory\n":                  true,
		"warning: x\nfatal: prepare: cannot lock ref 'r': is at 1 but expected 2\n":                                       true,
		"fatal: prepare: cannot lock ref 'r': unable to resolve reference 'r': reference broken\n":                        false,
		"fatal: prepare: cannot lock ref 'r': Unable to create '/x/r.lock': Permission denied\n":                          false,
		"fatal: prepare: cannot lock ref 'r': Unable to create '/x/r.lock': No space left on device\n":                    false,
		"fatal: prepare: cannot lock ref 'a/b': 'a' exists; cannot create 'a/b'\n":                                        false,
		"fatal: ref updates aborted by hook\n":                                                                            false,
		"fatal: r: trying to write ref 'r' with nonexistent object 1\n":                                                   false,
		"": false,
	} {
		if got := staleText(text); got != stale {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// What the system refused git is known as if it had been refused us; what a remote, ssh
// or a hook says of others is not.
func TestWhatTheSystemSaid(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]error{
		"fatal: Unable to create '/x/refs/a.lock': No space left on device\n":                      syscall.ENOSPC,
		"warning: x\nerror: unable to append to '/x/logs/a': Disk quota exceeded":                  syscall.EDQUOT,
		"fatal: sha1 file '/x/tmp_idx' write error. Out of diskspace":                              syscall.ENOSPC,
		"error: could not lock config file .git/config: Permission denied":                         fs.ErrPermission,
		"fatal: unable to write symref for CONTEXT_HEAD: Read-only file system":                    syscall.EROFS,
		"fatal: write error: File too large\nfatal: fetch-pack: invalid index-pack output":         syscall.EFBIG,
		"remote: fatal: unable to write loose object file: No space left on device\nerror: failed": nil,
		"git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.":     nil,
		"cat: x: Permission denied\nerror: a hook said no":                                         nil,
		"": nil,
	} {
		var err error = &Error{Args: []string{"x"}, Code: 1, Stderr: said}
		if want != nil && !errors.Is(err, want) {
			t.Errorf("%q is not '%v'", said, want)
		}
		for _, errno := range refusals() {
			if want == nil && errors.Is(err, errno) {
				t.Errorf("%q is taken for '%v'", said, errno)
			}
		}
	}
}

// newReftable makes a repository that keeps its refs in a reftable, by a git of at least
// 2.minor.
func newReftable(t *testing.T, minor int) (*sandbox, *Repo) {
	t.Helper()
	s := newSandbox(t)
	has := 0
	version := s.Git("", "version")
	if _, err := fmt.Sscanf(version, "git version 2.%d", &has); err != nil || has < minor {
		t.Skipf("*** SKIPPED REFTABLE: %s is older than 2.%d ***", version, minor)
	}
	s.Git("", "init", "-q", "--ref-format=reftable", "r")
	return s, s.open("r")
}

// All refs of a reftable have one lock, for which git alone waits a tenth of a second.
func TestReftableLockIsWaitedFor(t *testing.T) {
	t.Parallel()
	s, r := newReftable(t, 48)
	id := commit(t, r, "one")
	lock := "r/.git/reftable/tables.list.lock"
	s.Write(lock, "")
	gone := time.AfterFunc(500*time.Millisecond, func() { _ = os.Remove(s.Path(lock)) })
	defer gone.Stop()
	must(t, move(t, r, BranchRef("main"), id, ""))
	if got := ok(r.Ref(t.Context(), BranchRef("main")))(t); got != id {
		t.Errorf("moved to %s", got)
	}
}

// One that stays is named: somebody was killed. One that is new belongs to a writer who
// was faster.
func TestReftableStaysLocked(t *testing.T) {
	t.Parallel()
	s, r := newReftable(t, 45)
	r.lockWait = time.Millisecond
	id := commit(t, r, "one")
	lock := s.Path("r/.git/reftable/tables.list.lock")
	must(t, os.WriteFile(lock, nil, 0o666))
	err := move(t, r, BranchRef("main"), id, "")
	wantErr(t, err, ErrStale, BranchRef("main"))
	if errors.Is(err, ErrLocked) {
		t.Errorf("just locked: %v", err)
	}
	past := time.Now().Add(-time.Minute)
	must(t, os.Chtimes(lock, past, past))
	wantErr(t, move(t, r, BranchRef("main"), id, ""), ErrLocked, lock)
}

// Since git 2.54 the environment may say that refs are elsewhere; an older git does not
// look there, and neither do we.
func TestRefsElsewhere(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	here, there := commit(t, r, "here"), commit(t, r, "there")
	must(t, move(t, r, BranchRef("main"), here, ""))
	s.Write("elsewhere/HEAD", "ref: refs/heads/trunk\n")
	s.Write("elsewhere/"+BranchRef("main"), string(there)+"\n")
	s.Env = append(s.Env, "GIT_REFERENCE_BACKEND=files://"+s.Path("elsewhere"))
	want := ID(s.Git("r", "rev-parse", BranchRef("main")))
	if got := ok(s.open("r").Ref(t.Context(), BranchRef("main")))(t); got != want {
		t.Errorf("ref at %s; git says %s", got, want)
	}
}
