//go:build unix

package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The git that is named is the one that children find, and the one that they give to theirs.
func TestGitOfTestsIsTheNamedOne(t *testing.T) {
	dir := t.TempDir()
	fake := filepath.Join(dir, "git")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	path, err := withGit(os.Getenv("PATH"), dir)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := withGit(path, dir); again != path || err != nil {
		t.Errorf("a second time: %q, %v; want the same", again, err)
	}
	t.Setenv("PATH", path)
	if found, err := exec.LookPath("git"); found != fake || err != nil {
		t.Errorf("git is '%s', %v; want '%s'", found, err, fake)
	}
	if env := Env(t, t.TempDir(), ""); env[0] != "PATH="+path {
		t.Errorf("children get %s", env[0])
	}
}

// The tests of a package run with the git that Variable names, or not at all.
func TestTheVariableIsBelieved(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, says string }{
		{"", "PASS"}, {bin, "PASS"},
		{"relative/bin", Variable + ": 'relative/bin' is no absolute path"},
		{t.TempDir(), Variable + ": "},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestGitOfTheProcess$", "-test.v")
		cmd.Env = append(os.Environ(), Variable+"="+c.dir, "GIT_WANTED="+c.dir)
		out, err := cmd.CombinedOutput()
		if (err == nil) != (c.says == "PASS") || !strings.Contains(string(out), c.says) {
			t.Errorf("'%s': %v, want %q:\n%s", c.dir, err, c.says, out)
		}
	}
}

// TestGitOfTheProcess is what TestTheVariableIsBelieved starts.
func TestGitOfTheProcess(t *testing.T) {
	dir := os.Getenv("GIT_WANTED")
	if dir == "" {
		return
	}
	if found, err := exec.LookPath("git"); filepath.Dir(found) != dir || err != nil {
		t.Errorf("git is '%s', %v; want one in '%s'", found, err, dir)
	}
}
