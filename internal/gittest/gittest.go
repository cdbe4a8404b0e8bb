// Package gittest gives the git of a test a home of its own.
package gittest

import (
	"os"
	"path/filepath"
	"testing"
)

// Config is the beginning of every test's global configuration. A test of maintenance or
// of durability sets what it needs in its repository.
//
// Newer gits detach their maintenance: files then appear in a temporary directory that is
// being removed. git flushes each ref to the disk: beside a program that writes much, a
// test waits seconds for each.
const Config = `[core]
	fsync = none
[gc]
	auto = 0
[maintenance]
	auto = false
`

// Env writes the global configuration, Config and then settings, into the directory home,
// which it makes if it does not exist. It returns an environment in which git reads
// nothing else of the user's or the system's: PATH, HOME and GIT_CONFIG_NOSYSTEM, in this
// order.
func Env(t testing.TB, home, settings string) []string {
	t.Helper()
	if err := os.MkdirAll(home, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(Config+settings), 0o666); err != nil {
		t.Fatal(err)
	}
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}
}
