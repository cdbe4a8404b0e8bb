package git

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"
)

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
