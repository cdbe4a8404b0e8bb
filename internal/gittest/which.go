package gittest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Variable names the folder of the git that tests use in place of the first one in PATH:
// the bin directory of a build, as an absolute path.
const Variable = "GIT_CONTEXT_TEST_GIT"

// init puts the folder first in PATH, before any test looks for git: the tests of each
// package that imports this one, and what they start, then find that git.
func init() {
	path, err := withGit(os.Getenv("PATH"), os.Getenv(Variable))
	if err == nil {
		err = os.Setenv("PATH", path)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gittest:", err)
		os.Exit(2)
	}
}

// Path returns the PATH for children of tests. It reads Variable again: go test does not see
// what is read before the tests run, and would repeat the results that another git gave.
func Path() string {
	_ = os.Getenv(Variable)
	return os.Getenv("PATH")
}

// withGit returns path with the folder dir, which must contain a git, at its begin; dir may
// be empty.
func withGit(path, dir string) (string, error) {
	if dir == "" || path == dir || strings.HasPrefix(path, dir+string(os.PathListSeparator)) {
		return path, nil
	}
	if !filepath.IsAbs(dir) { // each package's tests run in a directory of their own
		return "", fmt.Errorf("%s: '%s' is no absolute path", Variable, dir)
	}
	if _, err := exec.LookPath(filepath.Join(dir, "git")); err != nil {
		return "", fmt.Errorf("%s: %w", Variable, err)
	}
	return dir + string(os.PathListSeparator) + path, nil
}
