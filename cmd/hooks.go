package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/hooks"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/render"
)

type hooksOptions struct{ *globals }

func newHooks(g *globals) *command {
	o := &hooksOptions{globals: g}
	return &command{
		name:  "hooks",
		usage: []string{"hooks install git", "hooks uninstall git", "hooks status [git]"},
		about: "Installs git-context in git's hooks of this repository, takes it out again, or says how it stands; 'git context help hook' says what each hook does. Hooks that stand there already go on running with their exit status: a shell script gets a marked block of lines, another hook is moved aside and run. They are looked for where git does (core.hooksPath, husky's folder, the common git directory of linked worktrees), but never outside of the repository. uninstall leaves each file as it was found. Without installing them, GIT_CONTEXT_HOOKS=0 turns them off.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNotRepository},
		examples: []string{
			"hooks install git",
			"hooks status",
			"hooks uninstall git",
		},
		globals: g,
		flags:   g.everywhere(),
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

// checkHooks refuses what is not known. Without a name, status alone has a meaning.
func checkHooks(args []string) error {
	words := []string{"install", "uninstall", "status"}
	switch args[0] {
	case "install", "uninstall", "status":
	default:
		err := usagef("unknown word '%s' behind 'hooks'", args[0])
		if near := nearest(args[0], words); near != "" {
			return err.hint("did you mean 'git context hooks %s'?", near)
		}
		return err.hint("one of %s", strings.Join(words, ", "))
	}
	if len(args) == 1 && args[0] != "status" {
		return usagef("which hooks?").hint("git context hooks %s %s", args[0], hooksGit)
	}
	if len(args) == 2 && args[1] != hooksGit {
		return usagef("hooks of '%s' are not known", args[1]).hint("git context hooks %s %s", args[0], hooksGit)
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
		list, err := hooksStatus(env, s, place)
		if err != nil {
			return hooksError(err)
		}
		return o.printStatus(env, list)
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
	if err != nil {
		return hooksError(err)
	}
	return o.printChanges(env, s.Repo(), place, word, changes)
}

// hooksPlace is where git looks for this worktree's hooks.
func hooksPlace(ctx context.Context, repo *git.Repo) (hooks.Place, error) {
	dir, err := repo.HooksPath(ctx)
	if err != nil {
		return hooks.Place{}, &refs.Error{Code: "hooks-path", Kind: refs.ErrInvalid, Err: err, Message: "git does not say where its hooks are",
			Hints: []string{"git config --show-origin core.hooksPath"}}
	}
	p := hooks.Place{Dir: dir, Roots: []string{repo.CommonDir(), repo.GitDir()}}
	for _, tree := range []string{repo.WorkTree(), repo.MainWorkTree()} {
		if tree != "" {
			p.Roots = append(p.Roots, tree)
		}
	}
	return p, nil
}

// hooksError gives a refusal of package hooks the form of all others: its hints are
// those of the first.
func hooksError(err error) error {
	var refused *hooks.Error
	if !errors.As(err, &refused) {
		return err
	}
	return &refs.Error{Code: "hooks-refused", Kind: refs.ErrRefused, Message: err.Error(), Hints: refused.Hints}
}

// The directories that hooks were installed in, a worktree's git directory and the
// hooks' directory in turn: core.hooksPath may be set later, and git then looks
// elsewhere.
const hooksInstalled = "hooks.json"

func readInstalled(repo *git.Repo) (map[string]string, error) {
	known := map[string]string{}
	data, err := os.ReadFile(filepath.Join(repo.StateDir(), hooksInstalled))
	if errors.Is(err, os.ErrNotExist) {
		return known, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &known)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read where hooks were installed: %w", err)
	}
	return known, nil
}

// noteInstalled keeps where the hooks of this worktree were installed; "": nowhere.
func noteInstalled(repo *git.Repo, dir string) error {
	known, err := readInstalled(repo)
	if err != nil || known[repo.GitDir()] == dir {
		return err
	}
	known[repo.GitDir()] = dir
	if dir == "" {
		delete(known, repo.GitDir())
	}
	data, err := json.Marshal(known)
	if err != nil {
		return err
	}
	return repo.WriteStateFile(hooksInstalled, append(data, '\n'))
}

func installHooks(repo *git.Repo, place hooks.Place) ([]hooks.Change, error) {
	changes, err := hooks.Install(place)
	if err != nil {
		return nil, err
	}
	return changes, noteInstalled(repo, place.Dir)
}

// uninstallHooks takes them from where git looks now, and from where they were
// installed.
func uninstallHooks(repo *git.Repo, place hooks.Place) ([]hooks.Change, error) {
	changes, err := hooks.Uninstall(place)
	known, readErr := readInstalled(repo)
	if readErr != nil {
		return changes, errors.Join(err, readErr)
	}
	if dir := known[repo.GitDir()]; dir != "" && dir != place.Dir {
		more, moreErr := hooks.Uninstall(hooks.Place{Dir: dir, Roots: place.Roots})
		changes, err = append(changes, more...), moreErr
	}
	if err != nil {
		return changes, err
	}
	return changes, noteInstalled(repo, "")
}

// hooksStatus adds to the state of the files what they do not show.
func hooksStatus(env *Env, s *refs.Store, place hooks.Place) ([]hooks.Hook, error) {
	list, err := hooks.Status(place)
	if err != nil {
		return nil, err
	}
	failures, err := s.HookFailures()
	if err != nil {
		return nil, err
	}
	found := env.finds("git-context")
	for i := range list {
		h := &list[i]
		if h.State != hooks.StateInstalled && h.State != hooks.StateKept {
			continue
		}
		if last, n := lastFailure(failures, h.Name); n > 0 {
			h.State, h.Reason = hooks.StateBroken, fmt.Sprintf("it failed %s, last: %s", times(n), last.Message)
		}
		if !found {
			h.State, h.Reason = hooks.StateBroken, "git-context is not on the PATH"
		}
	}
	known, err := readInstalled(s.Repo())
	if err != nil {
		return nil, err
	}
	if dir := known[s.Repo().GitDir()]; dir != "" && dir != place.Dir {
		list = append(list, unseen(hooks.Place{Dir: dir, Roots: place.Roots}, place.Dir)...)
	}
	return list, nil
}

// unseen are hooks that git does not look at any more.
func unseen(old hooks.Place, now string) []hooks.Hook {
	list, err := hooks.Status(old)
	if err != nil {
		return nil // not even the directory is this repository's
	}
	var stale []hooks.Hook
	for _, h := range list {
		if h.State != hooks.StateMissing {
			h.State, h.Reason = hooks.StateBroken, "git looks in '"+now+"' now; install again"
			stale = append(stale, h)
		}
	}
	return stale
}

func lastFailure(all []refs.HookFailure, event string) (last refs.HookFailure, n int) {
	for _, f := range all {
		if f.Event == event {
			last = f
			n++
		}
	}
	return last, n
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// finds reports whether a program is on the PATH. A process that git started has git's
// own directory there too.
func (e *Env) finds(program string) bool {
	for _, dir := range filepath.SplitList(e.getenv("PATH")) {
		info, err := os.Stat(filepath.Join(dir, program))
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}

func (o *hooksOptions) printStatus(env *Env, list []hooks.Hook) error {
	value := struct {
		Hooks []hooks.Hook `json:"hooks"`
	}{list}
	return o.show(env, value, func(p *render.Printer) {
		for _, h := range list {
			text := fmt.Sprintf("%-13s %-9s %-11s %s", h.Name, h.State, h.Owner, h.Path)
			if h.Reason != "" {
				text += ": " + h.Reason
			}
			line(p, "%s", text)
		}
	})
}

// printChanges says what was done, and what people should know of it.
func (o *hooksOptions) printChanges(env *Env, repo *git.Repo, place hooks.Place, word string, changes []hooks.Change) error {
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
			text := fmt.Sprintf("%-13s %s", c.Event, c.Did)
			if c.Owner != "" && c.Owner != hooks.OwnerSelf {
				text += " (" + c.Owner + ")"
			}
			line(p, "%s: %s", text, c.Path)
		}
	})
}

// inWorktree reports whether the hooks stand among the code's files.
func inWorktree(repo *git.Repo, dir string) bool {
	for _, own := range []string{repo.CommonDir(), repo.GitDir()} {
		if rel, err := filepath.Rel(own, dir); err == nil && filepath.IsLocal(rel) {
			return false
		}
	}
	return true
}
