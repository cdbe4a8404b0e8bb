//go:build unix

package test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What belongs to the user stays byte for byte as it was, whatever command runs:
// the work tree, the index, HEAD, code refs and their reflogs, the stash.
func TestInvisibleToTheCode(t *testing.T) {
	t.Parallel()
	w := newHome(t)
	w.base()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module stashed\n")
	w.git("stash", "-q")
	w.git("tag", "v1")
	write("go.mod", "module dirty\n")
	write("untracked", "x")
	write("staged", "y")
	w.git("add", "staged")
	before := w.fingerprint()
	for _, args := range [][]string{
		{"init", "--goal", "Stay out of the way"},
		{"record", "-a", "one"},
		{"commit", "-m", "First", "--todo", "More", "--decide", "Less"},
		{"roadmap", "goal", "Stay out of the way, always"},
		{"metadata", "set", "env_config.port", "8080"},
		{"metadata", "refresh"},
		{"remember", "key", "text"},
		{"forget", "key"},
		{"tag", "best"},
		{"branch", "exp", "--purpose", "Try"},
		{"record", "-a", "two"},
		{"switch", "main"},
		{"merge", "exp"},
		{"branch", "-m", "exp", "old"},
		{"branch", "-D", "old", "--yes"},
		{"branch", "--restore", "old"},
		{}, {"--log"}, {"--branch", "main"}, {"--commit", "main"}, {"--metadata"}, {"topics"}, {"branch"}, {"roadmap"},
	} {
		w.ok(args...)
		for path, sum := range w.fingerprint() {
			if before[path] != sum {
				t.Errorf("git context %s changed %s", strings.Join(args, " "), path)
			}
		}
	}
	after := w.fingerprint()
	for path := range before {
		if after[path] == "" {
			t.Errorf("%s is gone", path)
		}
	}
}

// fingerprint sums every file of the user's: all of the repository but the
// objects, the configuration and what is memory's.
func (w *world) fingerprint() map[string]string {
	sums := map[string]string{}
	err := filepath.WalkDir(w.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(w.dir, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			switch rel {
			case ".git/objects", ".git/reftable", ".git/context", ".git/refs/context", ".git/refs/notes", ".git/logs/refs/context", ".git/logs/refs/notes":
				return fs.SkipDir
			}
			return nil
		}
		switch rel {
		case ".git/config", ".git/CONTEXT_HEAD", ".git/logs/CONTEXT_HEAD":
			return nil
		}
		data, err := os.ReadFile(path)
		sum := sha256.Sum256(data)
		sums[rel] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	if exists(w.gitPath("reftable")) {
		sums[".git/reftable"] = w.git("-c", "safe.directory=*", "for-each-ref", "--exclude=refs/context", "--exclude=refs/notes/context")
	}
	return sums
}

// base makes a repository with code in directories, in place of the world's.
func (w *world) base() string {
	dir := filepath.Join(filepath.Dir(w.dir), "base")
	w.dir = filepath.Dir(dir)
	w.git("init", "-q", dir)
	w.dir = dir
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o777); err != nil {
		w.t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "a/one.go", "a/b/two.go"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("module example.com/m\n\ngo 1.26\n"), 0o666); err != nil {
			w.t.Fatal(err)
		}
	}
	w.git("add", ".")
	for _, m := range []string{"one", "two", "three"} {
		w.git("commit", "-q", "--allow-empty", "-m", m)
	}
	return dir
}
