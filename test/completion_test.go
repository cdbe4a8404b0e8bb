//go:build unix

package test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tabs are command lines that between them look at all that completion looks at.
func tabs() [][]string {
	return [][]string{
		{""}, {"-"}, {"switch", ""}, {"note", ""}, {"log", "main.."}, {"tag", "-d", ""}, {"topic", ""}, {"--metadata", ""},
		{"sync", ""}, {"branch", "--restore", ""}, {"push", "--delete", "upstream", ""}, {"roadmap", "todo", "done", ""},
		{"resolve", ""}, {"link", ""}, {"topics", "--at", ""}, {"log", "--agent", ""}, {"diff", "main", "--", ""}, {"switch", "-C", "/", ""},
	}
}

// Completing writes nothing, no cache either: whoever presses TAB in a repository of
// somebody else leaves no file there.
func TestCompletingWritesNothing(t *testing.T) {
	t.Parallel()
	w, home := shellWorld(t)
	w.ok("record", "-o", "pending")
	if err := os.RemoveAll(filepath.Join(w.dir, ".git/context/cache")); err != nil {
		t.Fatal(err)
	}
	before := files(t, w.dir, home)
	for _, line := range tabs() {
		for _, shell := range []string{"bash", "zsh"} {
			args := append([]string{"context", "complete", shell, "--"}, line...)
			if err := w.command(nil, "git", args...).Run(); err != nil && !strings.Contains(err.Error(), "exit status") {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff(before, files(t, w.dir, home)); diff != "" {
		t.Error(diff)
	}
}

// files says of each file what it is, and when it was written.
func files(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			var data []byte
			if d.Type().IsRegular() {
				if data, err = os.ReadFile(path); err != nil {
					return err
				}
			}
			all[path] = fmt.Sprintf("%s %s %x", info.Mode(), info.ModTime(), sha256.Sum256(data))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// A clone that lacks an object has a remote that promised it: git would ask that for it.
func TestCompletingAsksNoRemote(t *testing.T) {
	t.Parallel()
	w, _ := shellWorld(t)
	asked := filepath.Join(t.TempDir(), "asked")
	for _, s := range []string{
		"core.repositoryFormatVersion=1", "extensions.partialClone=upstream", "remote.upstream.promisor=true",
		"protocol.ext.allow=always", "remote.upstream.url=ext::touch " + asked,
	} {
		key, value, _ := strings.Cut(s, "=")
		w.git("config", key, value)
	}
	blob := strings.TrimSpace(w.git("rev-parse", "CONTEXT_HEAD:topics/db-pool.md"))
	if err := os.Remove(filepath.Join(w.dir, ".git/objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	for _, line := range tabs() {
		_ = w.command(nil, w.bin, append([]string{"complete", "fish", "--"}, line...)...).Run() // the topic cannot be read
	}
	if _, err := os.Stat(asked); err == nil {
		t.Error("the remote was asked")
	}
	_ = w.command(nil, "git", "cat-file", "-p", blob).Run() // it cannot be read by git either, which asks
	if _, err := os.Stat(asked); err != nil {
		t.Errorf("nothing was there to be asked for: %v", err)
	}
}
