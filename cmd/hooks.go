package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/hooks"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/render"
)

type hooksOptions struct{ *globals }

func newHooks(g *globals) *command {
	o := &hooksOptions{globals: g}
	return &command{
		name:  "hooks",
		usage: []string{"hooks install git", "hooks uninstall git", "hooks status [git]"},
		about: "Installs the git hooks of git-context in this repository, removes them, or reports their " +
			"state; 'git context help hook' says what each hook does. Existing hooks still run and keep their " +
			"exit status: a shell script gets a marked block of lines, another hook is moved aside and run. " +
			"Hooks are in the folder where git looks for them (core.hooksPath, husky's folder, the common git " +
			"directory of linked worktrees), but never outside of the repository. uninstall restores each file " +
			"as it was. GIT_CONTEXT_HOOKS=0 turns them off without removing them.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNotRepository},
		examples: []string{
			"hooks install git",
			"hooks status",
			"hooks uninstall git",
		},
		globals: g,
		flags:   g.common(),
		least:   1, most: 2, needs: "what to do: install, uninstall or status",
		action: func(ctx context.Context, env *Env, args []string) error {
			if err := checkHooks(args); err != nil {
				return err
			}
			return o.run(ctx, env, args[0])
		},
	}
}

// hooksGit is the one name that hooks are installed under.
const hooksGit = "git"

// checkHooks refuses unknown words. Only status may go without the name of hooks.
func checkHooks(args []string) error {
	words := []string{"install", "uninstall", "status"}
	switch args[0] {
	case "install", "uninstall", "status":
	default:
		err := usagef("'hooks' has no subcommand '%s'", args[0])
		if near := nearest(args[0], words); near != "" {
			return err.hint("did you mean 'git context hooks %s'?", near)
		}
		return err.hint("one of %s", strings.Join(words, ", "))
	}
	if len(args) == 1 && args[0] != "status" {
		return usagef("'hooks %s' needs the kind of the hooks", args[0]).hint("git context hooks %s %s", args[0], hooksGit)
	}
	if len(args) == 2 && args[1] != hooksGit {
		return usagef("unknown kind of hooks '%s'", args[1]).hint("git context hooks %s %s", args[0], hooksGit)
	}
	return nil
}

func (o *hooksOptions) run(ctx context.Context, env *Env, word string) (err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	place, err := hooksPlace(ctx, s.Repo())
	if err != nil {
		return err
	}
	if word == "status" {
		failures, err := share.HookFailures(ctx, s)
		if err != nil {
			return err
		}
		list, err := hooksStatus(env, s.Repo(), place, failures)
		if err != nil {
			return hooksError(err)
		}
		return o.printStatus(ctx, env, list)
	}
	lock, err := s.Repo().Lock(ctx, "hooks")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	var changes []hooks.Change
	if word == "install" {
		changes, err = installHooks(s.Repo(), place)
	} else {
		changes, err = uninstallHooks(s.Repo(), place)
	}
	if err != nil && len(changes) > 0 {
		return errors.Join(o.printChanges(env, s.Repo(), place, word, changes), hooksError(err))
	}
	if err != nil {
		return hooksError(err)
	}
	if _, err := s.Tip(ctx, ""); word == "install" && errors.Is(err, fail.ErrNoMemory) {
		env.hint("there is no memory yet: %s init", self)
	}
	return o.printChanges(env, s.Repo(), place, word, changes)
}

// hooksPlace returns the directory where git looks for this worktree's hooks.
func hooksPlace(ctx context.Context, repo *git.Repo) (hooks.Place, error) {
	dir, err := repo.HooksPath(ctx)
	if err != nil {
		return hooks.Place{}, &fail.Error{
			Code: fail.HooksPath, Kind: fail.ErrInvalid, Err: err, Message: "git does not say where its hooks are",
			Hints: []string{"git config --show-origin core.hooksPath"},
		}
	}
	p := hooks.Place{Dir: dir, Roots: []string{repo.CommonDir(), repo.GitDir()}}
	for _, tree := range []string{repo.WorkTree(), repo.MainWorkTree()} {
		if tree != "" {
			p.Roots = append(p.Roots, tree)
		}
	}
	return p, nil
}

// hooksError turns a refusal of package hooks into a fail.Error with the same hints.
func hooksError(err error) error {
	var refused *hooks.Error
	if !errors.As(err, &refused) {
		return err
	}
	hints := refused.Hints
	if len(hints) == 0 {
		hints = hintsOf(err) // of an error of the system
	}
	return &fail.Error{Code: fail.HooksRefused, Kind: fail.ErrRefused, Message: err.Error(), Hints: hints}
}

// printChanges prints the changes, with warnings and hints about them.
func (o *hooksOptions) printChanges(
	env *Env, repo *git.Repo, place hooks.Place, word string, changes []hooks.Change,
) error {
	if changes == nil {
		changes = []hooks.Change{}
	}
	for _, c := range changes {
		if c.Note != "" {
			env.warn("hook '%s': %s", c.Path, c.Note)
		}
	}
	if word == "install" && hooks.Changed(changes) && inWorktree(repo, place.Dir) {
		env.hint("'git status' shows these files: they belong to the code")
	}
	value := struct {
		Hooks []hooks.Change `json:"hooks"`
	}{changes}
	return o.show(env, value, func(p *render.Printer) {
		if len(changes) == 0 {
			line(p, "Nothing is installed")
		}
		for _, c := range changes {
			text := fmt.Sprintf("%-13s %s", c.Event, c.Effect)
			if c.Owner != "" && c.Owner != hooks.OwnerSelf {
				text += " (" + c.Owner + ")"
			}
			line(p, "%s: %s", text, shortPath(env, c.Path))
		}
	})
}

// shortPath returns a path for people to paste: relative to their directory where it is
// below that, else absolute.
func shortPath(env *Env, path string) string {
	dir := env.Dir
	if env.startDir != nil { // before -C
		dir = *env.startDir
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir) // git's paths contain no links
	}
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// inWorktree reports whether the hooks are among the files of the code.
func inWorktree(repo *git.Repo, dir string) bool {
	for _, own := range []string{repo.CommonDir(), repo.GitDir()} {
		if rel, err := filepath.Rel(own, dir); err == nil && filepath.IsLocal(rel) {
			return false
		}
	}
	return true
}
