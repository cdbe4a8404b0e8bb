//go:build unix

package gogit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// Memory is read in a bare repository, and in a linked worktree, whose CONTEXT_HEAD is its own.
func TestKindsOfRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.memory("commit", "-m", "One")
	linked := *w
	linked.dir = filepath.Join(t.TempDir(), "linked")
	w.git("worktree", "add", "-q", linked.dir)
	linked.memory("branch", "linked", "--purpose", "Another one")
	for dir, current := range map[string]string{w.dir: "main", linked.dir: "linked"} {
		in := linked
		in.dir = dir
		r := readMemory(t, dir)
		if r.current != current {
			t.Errorf("'%s' is the current branch, not '%s'", r.current, current)
		}
		r.sameAsJSON(&in)
	}

	bare := &world{t: t, dir: filepath.Join(t.TempDir(), "bare.git")}
	w.git("init", "-q", "--bare", bare.dir)
	bare.memory("init", "--goal", "In a bare repository")
	bare.memory("commit", "-m", "One")
	r := readMemory(t, bare.dir)
	r.sameAsGit(bare)
	r.sameAsJSON(bare)
}

// What docs/library.md says that go-git cannot read, it cannot: where one of these becomes false, the
// page has to be changed.
func TestLimitsOfGoGit(t *testing.T) {
	t.Parallel()
	opens := func(w *world) error {
		_, err := git.PlainOpen(w.dir)
		return err
	}
	for name, breaks := range map[string]func(w *world) error{
		"sparse checkout": func(w *world) error {
			w.git("sparse-checkout", "set", "a")
			return opens(w)
		},
		"SHA-256": func(w *world) error {
			w.dir = t.TempDir()
			w.git("init", "-q", "--object-format=sha256")
			return opens(w)
		},
		"reftable": func(w *world) error { // as git 2.45 and newer writes it
			w.git("config", "core.repositoryFormatVersion", "1")
			config := filepath.Join(w.dir, ".git", "config")
			data, err := os.ReadFile(config)
			if err != nil {
				w.t.Fatal(err)
			}
			if err := os.WriteFile(config, append(data, "[extensions]\n\trefStorage = reftable\n"...), 0o666); err != nil {
				w.t.Fatal(err)
			}
			return opens(w)
		},
		"partial clone": func(w *world) error {
			w.git("config", "uploadpack.allowFilter", "true")
			clone := filepath.Join(w.t.TempDir(), "clone")
			w.git("clone", "-q", "--filter=blob:none", "file://"+w.dir, clone)
			w.dir = clone
			w.git("fetch", "-q", "origin", "refs/context/*:refs/context/*")
			return reads(w)
		},
		"linked worktree, opened as others": func(w *world) error {
			linked := filepath.Join(w.t.TempDir(), "linked")
			w.git("worktree", "add", "-q", linked)
			w.dir = linked
			return reads(w)
		},
		"borrowed objects": func(w *world) error {
			clone := filepath.Join(w.t.TempDir(), "clone")
			w.git("clone", "-q", "--shared", ".", clone)
			w.dir = clone
			w.git("fetch", "-q", "origin", "refs/context/*:refs/context/*")
			return reads(w)
		},
		"an open handle and a new pack": func(w *world) error {
			w.git("gc", "-q")
			repo, err := git.PlainOpen(w.dir)
			if err != nil {
				w.t.Fatal(err)
			}
			if _, err := repo.Log(&git.LogOptions{All: true}); err != nil { // reads the packs
				w.t.Fatal(err)
			}
			w.memory("commit", "-m", "Two")
			w.git("gc", "-q")
			return readsBranch(w, repo)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if err := reads(w); err != nil {
				t.Fatalf("before: %v", err)
			}
			if err := breaks(w); err == nil {
				t.Error("go-git reads it: docs/library.md says otherwise")
			} else {
				t.Log(err)
			}
		})
	}
}

// reads opens a repository and reads a document of the newest memory commit.
func reads(w *world) error {
	repo, err := git.PlainOpen(w.dir)
	if err != nil {
		return err
	}
	return readsBranch(w, repo)
}

func readsBranch(w *world, repo *git.Repository) error {
	ref, err := repo.Reference(plumbing.ReferenceName(branchPrefix+"main"), true)
	if err != nil {
		return err
	}
	c, err := repo.CommitObject(ref.Hash())
	if err != nil {
		return err
	}
	_, err = c.File("commit.md")
	return err
}
