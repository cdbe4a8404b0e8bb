package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
)

// lab is where experiments are made: a directory, a home without settings, and the
// program as it is released.
type lab struct {
	dir   string
	bin   string
	env   []string
	quick bool
	out   rows
}

// tags are those of the released binary.
const tags = "urfave_cli_no_docs,urfave_cli_no_suggest"

const gitConfig = `[user]
	name = Scale
	email = scale@example.com
[protocol "file"]
	allow = always
`

func newLab(quick bool) (*lab, error) {
	dir, err := os.MkdirTemp("", "git-context-scale")
	if err != nil {
		return nil, err
	}
	l := &lab{dir: dir, bin: filepath.Join(dir, "bin", "git-context"), quick: quick}
	l.env = []string{"PATH=" + filepath.Dir(l.bin) + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C"}
	if err := os.WriteFile(filepath.Join(dir, ".gitconfig"), []byte(gitConfig), 0o666); err != nil {
		return nil, err
	}
	out, err := exec.Command("go", "build", "-tags", tags, "-o", l.bin, "github.com/git-context/git-context/cmd/git-context").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return l, nil
}

// ran is what a process cost, with its children.
type ran struct {
	wall, cpu time.Duration
	out       string
}

func (l *lab) run(dir, name string, args ...string) (ran, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, l.env
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return ran{}, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said.String())
	}
	return ran{time.Since(begin), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), out.String()}, nil
}

func (l *lab) git(dir string, args ...string) error {
	_, err := l.run(dir, "git", args...)
	return err
}

// clone is an agent's repository.
type clone struct {
	lab    *lab
	host   *host
	dir    string
	branch string
	words  *rand.Rand
}

// join clones a host's code and adopts its memory, or begins it.
func (h *host) join(name, via string) (*clone, ran, error) {
	c := &clone{lab: h.lab, host: h, dir: filepath.Join(h.lab.dir, name), branch: "main", words: rand.New(rand.NewSource(int64(len(name))))}
	if err := h.lab.git(h.lab.dir, "clone", "-q", h.url(via), c.dir); err != nil {
		return nil, ran{}, err
	}
	if err := h.lab.git(c.dir, "config", "gc.auto", "0"); err != nil {
		return nil, ran{}, err
	}
	took, err := h.lab.run(c.dir, "git", "context", "init", "--goal", "Measure")
	return c, took, err
}

// begin makes the host's code and first memory.
func (h *host) begin(name string) (*clone, error) {
	seed := filepath.Join(h.lab.dir, name+"-code")
	if err := h.lab.git(h.lab.dir, "init", "-q", "-b", "trunk", seed); err != nil {
		return nil, err
	}
	for _, args := range [][]string{{"commit", "-q", "--allow-empty", "-m", "code"}, {"push", "-q", h.dir, "trunk"}} {
		if err := h.lab.git(seed, args...); err != nil {
			return nil, err
		}
	}
	c, _, err := h.join(name, viaDaemon)
	if err != nil {
		return nil, err
	}
	if err := c.work("", 3000); err != nil {
		return nil, err
	}
	_, err = c.context("push", "--yes")
	return c, err
}

// context runs the program on the clone's branch.
func (c *clone) context(args ...string) (ran, error) {
	return c.lab.run(c.dir, c.lab.bin, append([]string{"-b", c.branch}, args...)...)
}

// work commits a milestone of ten steps and about so many bytes of text on a branch
// through the library.
func (c *clone) work(branch string, size int) error {
	ctx := context.Background()
	if branch == "" {
		branch = c.branch
	}
	s, err := refs.Open(ctx, store.Options{Dir: c.dir, Env: c.lab.env, Now: time.Now, Branch: branch})
	if err != nil {
		return err
	}
	defer s.Close()
	steps := make([]store.NewStep, 10)
	for i := range steps {
		steps[i] = store.NewStep{Observation: c.text(size / 14), Thought: c.text(size / 56), Action: c.text(size / 140)}
	}
	if _, err := s.Record(ctx, steps); err != nil {
		return err
	}
	_, err = s.Commit(ctx, store.CommitOptions{Branch: branch, Summary: c.text(60), Contribution: c.text(size / 10)})
	return err
}

// text is about so many bytes of words that compress to some 40 in 100, as prose does.
func (c *clone) text(size int) string {
	var b strings.Builder
	for b.Len() < size {
		for range 1 + c.words.Intn(4) {
			b.WriteByte("bcdfghklmnprstvw"[min(c.words.Intn(16), c.words.Intn(16))])
			b.WriteByte("aeiou"[min(c.words.Intn(5), c.words.Intn(5))])
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}
