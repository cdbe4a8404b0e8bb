package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/hooks"
	"github.com/git-context/git-context/hooks/settings"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type hooksOptions struct {
	*globals
	project, user  bool
	mcp            bool
	noInstructions bool
}

func newHooks(g *globals) *command {
	o := &hooksOptions{globals: g}
	return &command{
		name: "hooks",
		usage: []string{
			"hooks install (git | AGENT)... [--project | --user] [--mcp] [--no-instructions]",
			"hooks uninstall (git | AGENT)... [--project | --user] [--no-instructions]",
			"hooks status [git | AGENT]... [--project | --user]",
		},
		about: "Installs the hooks of git-context in this repository, removes them, or reports their " +
			"state; 'git context help hook' says what each hook does. Existing hooks of git still run and keep their " +
			"exit status: a shell script gets a marked block of lines, another hook is moved aside and run. " +
			"Hooks are in the folder where git looks for them (core.hooksPath, husky's folder, the common git " +
			"directory of linked worktrees), but never outside of the repository. AGENT is " + agentNames("or") +
			": its hooks are added to its own settings file, of this worktree or, with --user, of this user, " +
			"where everything else stays as it is. In a worktree install also keeps the text of 'git context " +
			"instructions' in AGENTS.md, between two markers, and the skill. With --mcp it also registers the " +
			"server of 'git context mcp', for agents that start such servers. uninstall restores each file " +
			"as it was. GIT_CONTEXT_HOOKS=0 turns them off without removing them.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNotRepository},
		examples: []string{
			"hooks install git claude-code",
			"hooks status",
			"hooks install codex --user",
			"hooks install cursor --mcp",
			"hooks uninstall git",
		},
		globals: g,
		flags: join([]cli.Flag{
			toggle(&o.project, "--project", "the agent's settings in this worktree (default)"),
			toggle(&o.user, "--user", "the agent's settings of this user, for all repositories"),
			toggle(&o.mcp, "--mcp", "register the server of the Model Context Protocol too"),
			toggle(&o.noInstructions, "--no-instructions", "leave AGENTS.md and the like alone"),
		}, g.common()),
		least: 1, most: unlimited, needs: "what to do: install, uninstall or status",
		action: func(ctx context.Context, env *Env, args []string) error {
			if err := o.check(args); err != nil {
				return err
			}
			if args[0] == "status" {
				return o.runStatus(ctx, env, args[1:])
			}
			return o.runChange(ctx, env, args[0], args[1:])
		},
	}
}

// hooksGit is the name of git's own hooks, beside those of agents.
const hooksGit = "git"

// check refuses unknown words. Only status may go without the name of hooks.
func (o *hooksOptions) check(args []string) error {
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
	kinds := append([]string{hooksGit}, settings.Names()...)
	for _, name := range args[1:] {
		if slices.Contains(kinds, name) {
			continue
		}
		err := usagef("unknown kind of hooks '%s'", name)
		if near := nearest(name, kinds); near != "" {
			return err.hint("git context hooks %s %s", args[0], near)
		}
		return err.hint("one of %s", strings.Join(kinds, ", "))
	}
	switch {
	case o.project && o.user:
		return usagef("--project and --user exclude each other").hint("run it once for each")
	case o.noInstructions && (args[0] == "status" || o.user || onlyGit(args[1:])):
		return usagef("--no-instructions is for hooks of agents that are installed or removed in a worktree").
			hint("leave it out")
	case o.mcp && args[0] == "uninstall":
		return usagef("--mcp is for install; 'hooks uninstall' removes the server too").hint("leave it out")
	case o.mcp && (args[0] == "status" || onlyGit(args[1:])):
		return usagef("--mcp is for hooks of agents that are installed").hint("leave it out")
	case o.user && slices.Contains(args[1:], hooksGit):
		return usagef("--user is for the hooks of agents; those of git belong to the repository").
			hint("git context hooks %s %s", args[0], hooksGit)
	}
	return nil
}

func onlyGit(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return name != hooksGit })
}

// runChange installs or uninstalls the hooks of those names.
func (o *hooksOptions) runChange(ctx context.Context, env *Env, word string, names []string) (err error) {
	s, err := o.openFor(ctx, env, names)
	if err != nil {
		return err
	}
	if s != nil {
		defer closing(s, &err)
	}
	agents := newAgents(env, s, o, names)
	if word == "install" {
		if err := agents.check(); err != nil {
			return hooksError(err)
		}
	}
	var rows []hookChange
	if slices.Contains(names, hooksGit) {
		var place hooks.Place
		if place, rows, err = o.changeGit(ctx, env, s, word); err != nil && len(rows) == 0 {
			return err
		}
		if word == "install" && inWorktree(s.Repo(), place.Dir) && slices.ContainsFunc(rows, hookChange.changed) {
			agents.visible = true
		}
	}
	if err == nil {
		var more []hookChange
		more, err = agents.change(word)
		rows, err = append(rows, more...), hooksError(err)
	}
	if err != nil && len(rows)+len(agents.served) == 0 {
		return err
	}
	if s != nil && err == nil && word == "install" {
		if _, err := s.Tip(ctx, ""); errors.Is(err, fail.ErrNoMemory) {
			env.hint("there is no memory yet: %s init", self)
		}
	}
	var captured *captureState
	if s != nil && word == "install" && slices.ContainsFunc(rows, func(r hookChange) bool { return r.Level != "" && r.changed() }) {
		var unread error
		captured, unread = readCapture(ctx, s)
		err = errors.Join(err, unread)
	}
	return errors.Join(o.printChanges(env, rows, agents, captured, agents.hints(word, rows)), err)
}

// openFor opens the repository. The user's settings of agents need none: then the store is nil.
func (o *hooksOptions) openFor(ctx context.Context, env *Env, names []string) (*refs.Store, error) {
	s, err := o.open(ctx, env)
	if o.user && errors.Is(err, git.ErrNotRepository) {
		return nil, nil
	}
	return s, err
}

// changeGit installs or uninstalls git's hooks. Beside an error it returns the changes made before it.
func (o *hooksOptions) changeGit(ctx context.Context, env *Env, s *refs.Store, word string) (place hooks.Place, rows []hookChange, err error) {
	if place, err = hooksPlace(ctx, s.Repo()); err != nil {
		return place, nil, err
	}
	lock, err := s.Repo().Lock(ctx, "hooks")
	if err != nil {
		return place, nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	var changes []hooks.Change
	if word == "install" {
		changes, err = installHooks(s.Repo(), place)
	} else {
		changes, err = uninstallHooks(s.Repo(), place)
	}
	for _, c := range changes {
		rows = append(rows, hookChange{Name: c.Event, Path: c.Path, Effect: string(c.Effect), Owner: c.Owner, Note: c.Note})
	}
	return place, rows, hooksError(err)
}

// hooksPlace returns the directory where git looks for this worktree's hooks.
func hooksPlace(ctx context.Context, repo *git.Repo) (hooks.Place, error) {
	dir, err := repo.HooksPath(ctx)
	if errors.Is(err, git.ErrOldGit) {
		return hooks.Place{}, err
	}
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

// hooksError turns a refusal of package hooks or hooks/settings into a fail.Error with the same hints.
func hooksError(err error) error {
	var hints []string
	var refused *hooks.Error
	var broken *settings.Error
	switch {
	case errors.As(err, &refused):
		hints = refused.Hints
	case errors.As(err, &broken):
		hints = broken.Hints
	default:
		return err
	}
	if len(hints) == 0 {
		hints = hintsOf(err) // of an error of the system
	}
	return &fail.Error{Code: fail.HooksRefused, Kind: fail.ErrRefused, Message: err.Error(), Hints: hints}
}

// hookChange is the effect on one file.
type hookChange struct {
	Name   string         `json:"name"`
	Path   string         `json:"path"`
	Effect string         `json:"did"`
	Owner  string         `json:"owner"`
	Level  settings.Level `json:"level,omitempty"` // of an agent's settings
	Note   string         `json:"note,omitempty"`
}

func (c hookChange) changed() bool { return c.Effect != string(hooks.Unchanged) }

// printChanges prints the changes, with warnings about them and hints. captured is nil if nothing
// about capture changed.
func (o *hooksOptions) printChanges(
	env *Env, rows []hookChange, a *agents, captured *captureState, hints []string,
) error {
	if rows == nil {
		rows = []hookChange{}
	}
	for _, c := range rows {
		if c.Note != "" {
			env.warn("hook '%s': %s", c.Path, c.Note)
		}
	}
	warnOfServers(env, a.served)
	warnOfInstructions(env, a.told)
	env.hintAll(hints)
	value := struct {
		Hooks        []hookChange        `json:"hooks"`
		Servers      []serverChange      `json:"servers,omitempty"`
		Instructions []instructionChange `json:"instructions,omitempty"`
		Capture      *captureState       `json:"capture,omitempty"`
	}{rows, a.served, a.told, captured}
	return o.show(env, value, func(p *render.Printer) {
		if len(rows)+len(a.served)+len(a.told) == 0 {
			line(p, "Nothing is installed")
		}
		for _, c := range rows {
			text := fmt.Sprintf("%-13s %s", c.Name, c.Effect)
			if c.Owner != "" && c.Owner != hooks.OwnerSelf && c.Owner != c.Name {
				text += " (" + c.Owner + ")"
			}
			line(p, "%s: %s", text, shortPath(env, c.Path))
		}
		for _, c := range a.served {
			line(p, "%-13s %s (%s): %s", serverLine, c.Effect, c.Name, shortPath(env, c.Path))
		}
		for _, c := range a.told {
			line(p, "%-13s %s: %s", c.Name, c.Effect, shortPath(env, c.Path))
		}
		if captured != nil {
			line(p, "%s", captured.text())
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
