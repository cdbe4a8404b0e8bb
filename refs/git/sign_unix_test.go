//go:build unix

package git

import (
	"context"
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/git-context/git-context/internal/gittest"
)

// program makes a script the one that signs.
func (s *sandbox) program(text string) {
	s.T.Helper()
	s.Write("signs", "#!/bin/sh\n"+text)
	must(s.T, os.Chmod(s.Path("signs"), 0o755))
	s.Git("r", "config", "gpg.program", s.Path("signs"))
}

func TestSigningFails(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	c := unsigned(t, r, "x")
	for _, test := range []struct{ name, program, want string }{
		{"fails", "echo why >&2; exit 3\n", "gpg failed to sign the data"},
		{"says nothing", "exit 0\n", "gpg failed to sign the data"},
	} {
		s.program(test.program)
		signed, err := s.open("r").SignCommit(t.Context(), c, "")
		var failed *Error
		if !errors.As(err, &failed) || failed.Code < 1 {
			t.Errorf("%s: %v, %v", test.name, signed, err)
			continue
		}
		wantErr(t, err, failed, test.want)
	}
	s.Git("r", "config", "gpg.program", s.Path("none"))
	if _, err := s.open("r").SignCommit(t.Context(), c, ""); err == nil {
		t.Error("signed by a program that is not there")
	}
}

// A program that hangs is stopped when its time is over, has had no terminal, and
// leaves nobody behind.
func TestSigningHangs(t *testing.T) {
	t.Parallel()
	s, _ := newRepo(t)
	s.program("sleep 600 &\necho $$ $! >" + s.Path("pids") + "\nwait\n")
	r := s.open("r")
	c := unsigned(t, r, "x")
	ctx := gittest.NewDeadline(t)
	done := make(chan error, 1)
	go func() {
		_, err := r.SignCommit(ctx, c, "")
		done <- err
	}()
	gittest.Wait(t, "the program", func() bool { return len(s.pids("pids")) == 2 })
	ours, err := unix.Getsid(0)
	must(t, err)
	if theirs, err := unix.Getsid(s.pids("pids")[0]); err != nil || theirs == ours {
		t.Errorf("it is in session %d, %v; we are in %d", theirs, err, ours)
	}
	ctx.Come()
	wantErr(t, <-done, context.DeadlineExceeded, "git commit-tree")
	for _, pid := range s.pids("pids") {
		gittest.Wait(t, "the end of a child", func() bool { return gone(pid) })
	}
}

func TestComplaintOfAProgramThatSigns(t *testing.T) {
	t.Parallel()
	for stderr, want := range map[string]string{
		"error: gpg failed to sign the data:\n[GNUPG:] KEY_CONSIDERED 00 2\ngpg: signing failed: No secret key\n\nfatal: failed to write commit object\n": "gpg failed to sign the data: gpg: signing failed: No secret key",
		"error: \n": "",
		"warning: a setting\ngpg: signing failed\n":          "gpg: signing failed",
		"warning: a setting\n":                               "warning: a setting",
		"error: Load key \"/k\": incorrect passphrase\r\n\n": `Load key "/k": incorrect passphrase`,
	} {
		if got := complaint(stderr); got != want {
			t.Errorf("complaint(%q) = %q, want %q", stderr, got, want)
		}
	}
}
