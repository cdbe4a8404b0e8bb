// Package gittest gives tests directories in which real git runs, with a home of their own,
// and deadlines that do not depend on the load. It imports no package of this module, so
// that the tests inside each of them can use it.
package gittest

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// config is the beginning of every test's global configuration. A test of maintenance or
// of durability sets what it needs in its repository.
//
// Newer gits detach their maintenance: files then appear in a temporary directory that is
// being removed. git flushes each ref to the disk: beside a program that writes much, a
// test waits seconds for each. On a busy machine git takes long to say what of the code is
// not committed.
const config = `[core]
	fsync = none
[gc]
	auto = 0
[maintenance]
	auto = false
[context]
	codeWait = 600000
[init]
	templateDir = `

// Configure writes the global configuration for the directory home, which it makes if it
// does not exist: what all tests have, and then settings. New repositories have no sample
// hooks: they are most of the files of a small one, which tests copy by the hundred.
func Configure(home, settings string) error {
	template := filepath.Join(home, ".template")
	for _, dir := range []string{"hooks", "info"} {
		if err := os.MkdirAll(filepath.Join(template, dir), 0o777); err != nil {
			return err
		}
	}
	Path() // a script's environment has the PATH from elsewhere
	text := config + strconv.Quote(template) + "\n" + settings
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(text), 0o666)
}

// Env configures the directory home, see Configure, and returns an environment in which
// git reads nothing else of the user's or the system's: PATH, HOME and
// GIT_CONFIG_NOSYSTEM, in this order, and then the formats of new repositories, see [Formats].
func Env(t testing.TB, home, settings string) []string {
	t.Helper()
	if err := Configure(home, settings); err != nil {
		t.Fatal(err)
	}
	return append([]string{"PATH=" + Path(), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}, Formats()...)
}

// NeedSHA1 skips a test that expects the hashes of SHA-1 if repositories have others, see [Formats].
func NeedSHA1(t testing.TB) {
	t.Helper()
	if SHA256() {
		t.Skip("*** SKIPPED: what is expected has hashes of SHA-1 ***")
	}
}

// SHA256 reports whether what tests make has hashes of SHA-256, see [Formats].
func SHA256() bool { return slices.Contains(Formats(), "GIT_DEFAULT_HASH=sha256") }

// NeedRefFiles skips a test that writes refs, reflogs or their locks as files if they are in a reftable, see [Formats].
func NeedRefFiles(t testing.TB) {
	t.Helper()
	if Reftable() {
		t.Skip("*** SKIPPED: refs are no files ***")
	}
}

// Reftable reports whether the refs of what tests make are in a reftable, see [Formats].
func Reftable() bool { return slices.Contains(Formats(), "GIT_DEFAULT_REF_FORMAT=reftable") }

// Formats returns GIT_DEFAULT_HASH and GIT_DEFAULT_REF_FORMAT as far as they are set for the tests: all that they make
// is of that kind then.
func Formats() (env []string) {
	for _, name := range []string{"GIT_DEFAULT_HASH", "GIT_DEFAULT_REF_FORMAT"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
