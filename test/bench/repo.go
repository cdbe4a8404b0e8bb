package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
)

// repo is a code repository with memory in it.
type repo struct {
	b   *bench
	dir string
	own string // a copy, in which git's own commands run: a code commit is news to the memory
	env []string
	raw int64 // bytes of text that went into the memory
}

const gitConfig = `[user]
	name = Bench
	email = bench@example.com
[gc]
	auto = 0
`

// newRepo makes a code repository of about that many packed objects, with memory.
func (b *bench) newRepo(name string, objects int) (*repo, error) {
	r, err := b.newCode(name, objects)
	if err != nil {
		return nil, err
	}
	return r, r.initMemory()
}

func (r *repo) initMemory() error { return r.git("context", "init", "--goal", "Measure") }

// newCode makes one without memory.
func (b *bench) newCode(name string, objects int) (*repo, error) {
	r, err := b.homed(filepath.Join(b.dir, name))
	if err != nil {
		return nil, err
	}
	if err := r.git("init", "-q", "-b", "trunk"); err != nil {
		return nil, err
	}
	if err := r.code(max(objects, 30)); err != nil {
		return nil, err
	}
	return r, r.git("repack", "-qad")
}

// homed is an empty directory of somebody with a home of their own.
func (b *bench) homed(home string) (*repo, error) {
	r := &repo{b: b, dir: filepath.Join(home, "code"), env: []string{
		"PATH=" + filepath.Dir(b.bin) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
	}}
	if err := os.MkdirAll(r.dir, 0o777); err != nil {
		return nil, err
	}
	return r, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(gitConfig), 0o666)
}

// code imports a history whose blobs, trees and commits are that many objects.
func (r *repo) code(objects int) error {
	cmd := r.command("git", "fast-import", "--quiet")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	const perCommit = 10 // and one tree for the folder, one for the root, one commit
	w := bufio.NewWriter(in)
	for c := range max(objects/(perCommit+3), 1) {
		fmt.Fprintf(w, "commit refs/heads/trunk\ncommitter B <b@example.com> %d +0000\ndata 1\nx\n", 1_700_000_000+c)
		for f := range perCommit {
			text := fmt.Sprintf("commit %d file %d\n", c, f)
			fmt.Fprintf(w, "M 100644 inline dir%d/file%d\ndata %d\n%s\n", c%100, f, len(text), text)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := in.Close(); err != nil {
		return err
	}
	return cmd.Wait()
}

func (r *repo) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	return cmd
}

func (r *repo) git(args ...string) error { return r.do("git", args...) }

func (r *repo) do(name string, args ...string) error {
	if out, err := r.command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// fill commits milestones of ten steps each through the library, on one day as a
// busy agent would, and packs them as the user's own gc does.
func (r *repo) fill(milestones int) error {
	ctx := context.Background()
	if err := r.git("config", "context.notes", "lazy"); err != nil {
		return err
	}
	s, err := refs.Open(ctx, store.Options{Dir: r.dir, Env: r.env, Now: time.Now})
	if err != nil {
		return err
	}
	defer s.Close()
	for i := range milestones {
		if _, err := s.Record(ctx, r.steps(i, 10)); err != nil {
			return err
		}
		contribution := fmt.Sprintf("Milestone %d brought ten steps.\n\n%s", i, lorem[:300])
		r.raw += int64(len(contribution))
		if _, err := s.Commit(ctx, store.CommitOptions{Summary: fmt.Sprintf("Milestone %d", i), Contribution: contribution}); err != nil {
			return err
		}
		if i%1000 == 999 {
			if err := r.git("repack", "-qd"); err != nil {
				return err
			}
			if err := r.git("prune-packed", "-q"); err != nil {
				return err
			}
		}
	}
	if err := r.git("gc", "-q"); err != nil {
		return err
	}
	return r.git("config", "--unset", "context.notes")
}

// settle moves the repository to a place of its own, and to the disk. gc has just
// deleted thousands of files, and ext4 without a journal looks at each of their
// inodes again, for minutes, whenever a file is made beside them.
func (r *repo) settle() error {
	settled, err := r.copied("settled")
	if err != nil {
		return err
	}
	own, err := r.copied("own")
	if err != nil {
		return err
	}
	r.dir, r.own = settled.dir, own.dir
	return r.do("sync")
}

// copied is the same repository in a place beside it.
func (r *repo) copied(suffix string) (*repo, error) {
	c := *r
	c.dir = r.dir + "-" + suffix
	return &c, os.CopyFS(c.dir, os.DirFS(r.dir))
}

// steps are n different steps of about 500 bytes.
func (r *repo) steps(seed, n int) []store.NewStep {
	list := make([]store.NewStep, n)
	for i := range list {
		at := (seed*7 + i*13) % 200
		list[i] = store.NewStep{
			Observation: fmt.Sprintf("run %d.%d: %s", seed, i, lorem[at:at+250]),
			Thought:     "The next thing to look at: " + lorem[at:at+80],
			Action:      fmt.Sprintf("go test ./pkg%d -run Test%d", seed%50, i),
		}
		r.raw += int64(len(list[i].Observation) + len(list[i].Thought) + len(list[i].Action))
	}
	return list
}

// record feeds n pending steps to a branch, unmeasured.
func (r *repo) record(branch string, n int) error { return r.pending(branch, r.steps(n, n)) }

func (r *repo) pending(branch string, steps []store.NewStep) error {
	ctx := context.Background()
	s, err := refs.Open(ctx, store.Options{Dir: r.dir, Env: r.env, Now: time.Now, Branch: branch})
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Record(ctx, steps)
	return err
}

// stored is how many bytes the repository's objects take.
func (r *repo) stored() (int64, error) {
	var sum int64
	err := filepath.WalkDir(filepath.Join(r.dir, ".git", "objects"), func(_ string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}

var lorem = strings.Repeat("the pool hands out a connection before the router has closed the last one; "+
	"the test waits for a handler that never returns and reports a timeout after ten seconds. ", 6)
