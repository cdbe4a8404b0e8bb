package git

import (
	"errors"
	"testing"
)

// git names the extensions that it does not know, and cannot say which git does.
func TestUnknownExtension(t *testing.T) {
	t.Parallel()
	for said, want := range map[string][2]string{
		"fatal: unknown repository extension found:\n\trefstorage\n": {"refstorage", "install git 2.45 or newer, which has reftable"},
		"warning: x\nfatal: unknown repository extensions found:\n\tnoneother\n\trefstorage\n": {"noneother",
			"install a newer git"},
		"fatal: not a git repository\n": {"", ""},
		"":                              {"", ""},
	} {
		err := &Error{Args: []string{"rev-parse"}, Code: 128, Stderr: said}
		if err.Extension() != want[0] || err.Advice() != want[1] || errors.Is(err, ErrOldGit) != (want[0] != "") {
			t.Errorf("%q: extension '%s', advice '%s'", said, err.Extension(), err.Advice())
		}
	}
}

// A child fails by what it complains of; its warnings and hints are no complaint.
func TestWarningsAreNoComplaint(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]bool{
		"": false, "warning: core.fsyncObjectFiles is deprecated; use core.fsync instead\n": false,
		"hint: try this\nwarning: x\n": false, "warning: x\nerror: 'a': unable to read 1\n": true, "fatal: x\n": true,
	} {
		if got := (&Error{Code: 1, Stderr: said}).Complained(); got != want {
			t.Errorf("%q: %v", said, got)
		}
	}
}
