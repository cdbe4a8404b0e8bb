//go:build unix

package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// codeKillings touch the code, or are run by git when it does.
func codeKillings() []killing {
	hooked := func(key, value string) func(*killWorld) {
		return func(w *killWorld) {
			w.ok("hooks", "install", "git")
			w.git("config", key, value)
			staged(w)
		}
	}
	return []killing{
		{name: "commit --code", prepare: staged, args: []string{"commit", "--code", "-m", "killed", "-m", "why", "--done", "Begin", "--score", "0.5"},
			again: []int{1}, together: []string{mainRef, roadmapRef}, holds: func(k *killed) {
				k.world.together("main", "killed", true)
				k.says("[x] Begin", 1, "roadmap")
				k.clean("changed\n")
			}},
		{name: "handover --with-changes", prepare: edited, args: []string{"handover", "--with-changes", "-m", "killed"},
			together: []string{mainRef, workRef}, holds: func(k *killed) {
				k.isEdited()
				k.ok("handover", "--with-changes", "-m", "the last")
				k.git("reset", "-q", "--hard")
				k.git("clean", "-q", "-d", "-f")
				k.ok("switch", "--take-changes")
				k.isEdited()
			}},
		{name: "switch --take-changes", prepare: handedOver, args: []string{"switch", "--take-changes", "side"}, first: true, again: []int{1}, holds: func(k *killed) {
			k.isEdited()
			k.current("side")
		}},
		{name: "rollback --code", prepare: wrong, args: []string{"rollback", "good", "--code"}, holds: wentBack},
		{name: "rollback --code --reset", prepare: wrong, args: []string{"rollback", "good", "--code", "--reset"}, holds: wentBack},
		{name: "hook post-commit", git: true, prepare: hooked("context.push", "false"), args: []string{"commit", "-q", "-m", "by git"}, again: []int{1},
			holds: func(k *killed) { k.linkedOnce("by git") }},
		{name: "hook post-rewrite", git: true, prepare: func(w *killWorld) {
			hooked("context.push", "false")(w)
			w.ok("commit", "--code", "-m", "linked")
		}, args: []string{"commit", "-q", "--amend", "-m", "amended"}, holds: func(k *killed) { k.linkedOnce("amended") }},
		{name: "hook post-checkout", git: true, prepare: hooked("context.follow", "true"), args: []string{"checkout", "-q", "-B", "topic"},
			holds: func(k *killed) { k.current("topic") }},
		{name: "hook pre-push", git: true, lasting: true, prepare: func(w *killWorld) {
			w.ok("sync")
			hooked("context.push", "true")(w)
			w.ok("commit", "--code", "-m", "pushed")
		}, args: []string{"push", "-q", "origin", "HEAD:main"}, holds: func(k *killed) { k.ok("sync") }},
		{name: "hooks install", prepare: foreignHooks, args: []string{"hooks", "install", "git"}, holds: func(k *killed) {
			k.ok("hooks", "status")
			k.ok("hooks", "uninstall", "git")
			k.foreignHooks()
		}},
		{name: "hooks uninstall", prepare: func(w *killWorld) {
			foreignHooks(w)
			w.ok("hooks", "install", "git")
		}, args: []string{"hooks", "uninstall", "git"}, holds: (*killed).foreignHooks},
	}
}

// edited has changes that are staged, not staged and not tracked.
func edited(w *killWorld) {
	w.write("f", "staged\n")
	w.git("add", "f")
	w.write("f", "edited\n")
	w.write("new", "untracked\n")
}

// isEdited holds that it has them all.
func (k *killed) isEdited() {
	k.t.Helper()
	if got := k.git("status", "--porcelain"); got != "MM f\n?? new\n" {
		k.t.Errorf("the status is:\n%s", got)
	}
	if f, untracked := k.read("f"), k.read("new"); f != "edited\n" || untracked != "untracked\n" {
		k.t.Errorf("the files contain '%s' and '%s'", f, untracked)
	}
}

// handedOver has them on another branch.
func handedOver(w *killWorld) {
	edited(w)
	w.ok("-b", "side", "handover", "--with-changes")
	w.git("reset", "-q", "--hard")
	w.git("clean", "-q", "-d", "-f")
}

// staged has a change for a code commit.
func staged(w *killWorld) {
	w.write("f", "changed\n")
	w.git("add", "f")
}

// wrong has a milestone and code that are to be taken back.
func wrong(w *killWorld) {
	staged(w)
	w.write("new", "new\n")
	w.git("add", "new")
	w.ok("remember", "pool", "wrong")
	w.ok("commit", "--code", "-m", "wrong")
}

func wentBack(k *killed) {
	k.is("one per process", "topic", "pool")
	k.milestones("main", "Roll back to 'Two'", true)
	k.clean("first\n")
	if exists(filepath.Join(k.dir, "new")) {
		k.t.Error("a file stayed that was not there")
	}
	k.noIntent()
}

// clean holds that the code has a text, in HEAD too.
func (k *killed) clean(f string) {
	k.t.Helper()
	if got := k.read("f"); got != f {
		k.t.Errorf("the code is %q, want %q", got, f)
	}
	if dirty := k.git("status", "--porcelain"); dirty != "" {
		k.t.Errorf("the worktree is not clean:\n%s", dirty)
	}
}

// linkedOnce holds that HEAD is what git made of it, and has one link at most: that of
// a hook is made only by a hook.
func (k *killed) linkedOnce(subject string) {
	k.t.Helper()
	if got := strings.TrimSpace(k.git("log", "-1", "--format=%s")); got != subject {
		k.t.Errorf("HEAD is '%s', want '%s'", got, subject)
	}
	var v struct {
		Memory []struct{ Commit string }
	}
	if err := json.Unmarshal(k.ok("link", "HEAD", "--json"), &v); err != nil {
		k.t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range v.Memory {
		if seen[m.Commit] {
			k.t.Errorf("HEAD is linked to %s twice", m.Commit)
		}
		seen[m.Commit] = true
	}
}

// foreign are hooks of somebody else's: a script, and a program that is moved aside.
func foreign() map[string]string {
	return map[string]string{"post-commit": "#!/bin/sh\necho committed\n", "pre-push": "#!/usr/bin/env python3\nprint('pushed')\n"}
}

func foreignHooks(w *killWorld) {
	if err := os.MkdirAll(filepath.Join(w.dir, ".git/hooks"), 0o777); err != nil {
		w.t.Fatal(err)
	}
	for name, text := range foreign() {
		if err := os.WriteFile(filepath.Join(w.dir, ".git/hooks", name), []byte(text), 0o777); err != nil {
			w.t.Fatal(err)
		}
	}
}

// foreignHooks holds that they are as they were, and alone.
func (k *killed) foreignHooks() {
	k.t.Helper()
	list, err := os.ReadDir(filepath.Join(k.dir, ".git/hooks"))
	if err != nil || len(list) != len(foreign()) {
		k.t.Errorf("hooks are %v, %v", list, err)
	}
	for name, want := range foreign() {
		if got := k.read(filepath.Join(".git/hooks", name)); got != want {
			k.t.Errorf("hook %s is %q, want %q", name, got, want)
		}
	}
}
