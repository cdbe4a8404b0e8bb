//go:build unix

package test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// modelWorld is the real side: clones of one hub, with worktrees, in one folder.
type modelWorld struct {
	home *world
	root string
	base int64 // seconds: when it begins
}

// modelFolders are what a world consists of.
func modelFolders() []string {
	return append([]string{"hub.git", "ann", "ann2", "bob", "cat"}, modelTraces()...)
}

// newModelTemplate makes what every sequence begins with: a hub, clones of it and a
// second worktree, all with the same memory.
func newModelTemplate(t testing.TB) *modelWorld {
	t.Helper()
	h := newHome(t)
	w := &modelWorld{home: h, root: filepath.Dir(h.dir), base: time.Now().Unix()}
	at := func(dir string) *world {
		c := *h
		c.dir = filepath.Join(w.root, dir)
		c.env = append(c.env[:len(c.env):len(c.env)], "GIT_CONTEXT_AGENT="+dir)
		return &c
	}
	root := at(".")
	root.git("init", "-q", "--bare", "hub.git")
	root.git("clone", "-q", "hub.git", "ann")
	ann := at("ann")
	if err := os.WriteFile(filepath.Join(ann.dir, codeFile), []byte("code\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	ann.git("add", codeFile)
	ann.git("commit", "-q", "-m", "code")
	ann.git("push", "-q", "origin", "HEAD")
	ann.ok("init", "--goal", "ship")
	ann.ok("metadata", "set", keyPrefix+"always", "here")
	ann.ok("branch", "exp", "--no-switch")
	ann.ok("push")
	ann.git("worktree", "add", "-q", "-b", "second", "../ann2")
	at("ann2").ok("switch", "main")
	for _, dir := range []string{"bob", "cat"} {
		root.git("clone", "-q", "hub.git", dir)
		at(dir).ok("init")
		at(dir).ok("fetch")
		at(dir).ok("switch", "exp")
		at(dir).ok("switch", "main")
	}
	for _, dir := range []string{"ann", "bob", "cat"} {
		at(dir).git("remote", "set-url", "origin", "../hub.git")
		at(dir).ok("fetch")
	}
	for _, name := range modelTraces() {
		var steps []string
		for i := range modelTraceSteps {
			steps = append(steps, fmt.Sprintf(`{"action":"%s %d"}`, name, i))
		}
		text := `{"trajectory":[` + strings.Join(steps, ",") + "]}\n"
		if err := os.WriteFile(filepath.Join(w.root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"hub.git", "ann", "bob", "cat"} { // few files to copy
		at(dir).git("repack", "-adq")
		hooks := filepath.Join(w.root, dir, ".git", "hooks")
		if dir == "hub.git" {
			hooks = filepath.Join(w.root, dir, "hooks")
		}
		if err := os.RemoveAll(hooks); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// copy is such a world of one's own, in dir.
func (w *modelWorld) copy(dir string) (*modelWorld, error) {
	args := []string{"-a"}
	for _, name := range modelFolders() {
		args = append(args, filepath.Join(w.root, name))
	}
	out, err := exec.Command("cp", append(args, dir)...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	// A worktree and its repository name each other by their whole paths.
	c := &modelWorld{home: w.home, root: dir, base: w.base}
	return c, errors.Join(
		os.WriteFile(filepath.Join(dir, "ann2", ".git"), []byte("gitdir: "+dir+"/ann/.git/worktrees/ann2\n"), 0o666),
		os.WriteFile(filepath.Join(dir, "ann", ".git", "worktrees", "ann2", "gitdir"), []byte(dir+"/ann2/.git\n"), 0o666))
}

// cmd is a command as it is run.
func (w *modelWorld) cmd(c modelCommand) *exec.Cmd {
	name := w.home.bin
	if c.git {
		name = "git"
	}
	date := fmt.Sprintf("@%d +0000", w.base+c.at)
	cmd := w.home.command([]string{"GIT_CONTEXT_AGENT=" + c.place.dir, "GIT_COMMITTER_DATE=" + date, "GIT_AUTHOR_DATE=" + date}, name, c.args...)
	cmd.Dir = filepath.Join(w.root, c.place.dir)
	if c.stdin != "" || c.reads() {
		cmd.Stdin = strings.NewReader(c.stdin)
	}
	return cmd
}

// run runs one command. A failure to run it at all, or one that no command of ours ends
// with, is an error.
func (w *modelWorld) run(c modelCommand) (*answer, error) {
	if c.edit != "" {
		if err := os.WriteFile(filepath.Join(w.root, c.place.dir, codeFile), []byte(c.edit), 0o666); err != nil {
			return nil, err
		}
	}
	var out, errs bytes.Buffer
	cmd := w.cmd(c)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	a := &answer{exit: cmd.ProcessState.ExitCode(), out: out.String(), errs: errs.String()}
	if strings.Contains(a.errs, "panic:") || strings.Contains(a.errs, "goroutine ") || a.exit < 0 {
		return a, errors.New("a crash")
	}
	return a, nil
}

// runAll runs commands at once.
func (w *modelWorld) runAll(list []modelCommand) ([]*answer, error) {
	answers, errs := make([]*answer, len(list)), make([]error, len(list))
	var wg sync.WaitGroup
	for i, c := range list {
		wg.Go(func() { answers[i], errs[i] = w.run(c) })
	}
	wg.Wait()
	return answers, errors.Join(errs...)
}

// view runs a command that only looks, which must succeed.
func (w *modelWorld) view(place modelPlace, args ...string) (string, error) {
	a, err := w.run(modelCommand{place: place, args: args})
	if err == nil && a.exit != 0 {
		err = fmt.Errorf("git context %s: exit %d: %s", strings.Join(args, " "), a.exit, a.errs)
	}
	if err != nil {
		return "", err
	}
	return a.out, nil
}

// git runs git at a place, which must succeed.
func (w *modelWorld) git(dir, stdin string, args ...string) (string, error) {
	a, err := w.run(modelCommand{place: modelPlace{dir: dir}, git: true, args: args, stdin: stdin})
	if err == nil && a.exit != 0 {
		err = fmt.Errorf("git %s: exit %d: %s", strings.Join(args, " "), a.exit, a.errs)
	}
	if err != nil {
		return "", err
	}
	return a.out, nil
}

// gaveWay reports whether git gc found that somebody else was at work.
func gaveWay(said string) bool {
	return strings.Contains(said, "gc is already running") || strings.Contains(said, ".lock")
}

// modelStart is the model of such a world.
func modelStart() *model {
	roadmap := &modelRoadmap{goal: "ship", lists: map[string][]modelItem{}, sections: map[string]string{}}
	birth := &modelNode{branch: "main", steps: map[*modelStep]bool{}, marks: map[*modelMark]bool{}, topics: map[string]string{},
		keys: map[string]string{}, facts: modelFacts{status: "active"}, roadmap: roadmap}
	m := &model{hub: newModelSide(), bundles: map[string]modelSide{}, code: map[string][]string{}}
	first := birth.follow()
	first.keys[keyPrefix+"always"] = quoted("here")
	exp := first.follow()
	exp.branch, exp.facts.from = "exp", "main"
	m.hub.heads["main"], m.hub.heads["exp"], m.hub.roadmap = first, exp, roadmap
	for _, worktrees := range []int{2, 1, 1} {
		r := &modelRepo{modelSide: m.hub.clone(), remote: m.hub.clone(), bundle: newModelSide(), pending: map[string][]*modelStep{},
			deleted: map[string][]*modelNode{}, held: map[string]*modelHeld{}, shared: map[string]bool{"main": true, "exp": true}}
		for range worktrees {
			r.current = append(r.current, "main")
		}
		m.repos = append(m.repos, r)
	}
	return m
}
