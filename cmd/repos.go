package cmd

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/search/across"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type reposOptions struct{ *globals }

func newRepos(g *globals) *command {
	o := &reposOptions{g}
	return &command{
		name:  "repos",
		usage: []string{"repos", "repos add [DIR]...", "repos remove [DIR]..."},
		about: "Lists the repositories that 'search --all-repos' and 'recall --all-repos' search, with the number " +
			"of their commits and the time of the newest change, adds one or removes it. The list is the setting " +
			"context.repo, one value for each, in the user's configuration of git (git config --global). DIR is the " +
			"present directory by default; of worktrees the main one is added. Nothing in a repository is changed.",
		exits:    []int{exitDone, exitFailed, exitUsage, exitNotRepository},
		examples: []string{"repos add ~/src/shop ~/src/parser", "repos", "repos remove ~/src/shop"},
		globals:  g,
		flags:    join([]cli.Flag{}, g.common()),
		most:     unlimited,
		action: func(ctx context.Context, env *Env, args []string) error {
			switch {
			case len(args) == 0:
				return o.runList(ctx, env)
			case args[0] == "add", args[0] == "remove":
				return o.runChange(ctx, env, args[0], args[1:])
			}
			return usagef("'repos' has no subcommand '%s'", args[0]).hint("one of add, remove")
		},
	}
}

func (o *reposOptions) runList(ctx context.Context, env *Env) (err error) {
	listed, err := listedRepos(ctx, env)
	if err != nil {
		return err
	}
	places := make([]across.Place, len(listed))
	for i, l := range listed {
		places[i] = across.Place{Dir: l.Path, Top: true}
	}
	repos, skipped, err := across.Open(ctx, places, env.elsewhere)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, across.Close(repos)) }()
	list := across.Describe(ctx, repos, skipped)
	if len(list.Repositories) == 0 && !o.json {
		env.hint("no repository is listed: %s repos add DIR", self)
		return nil
	}
	return o.view(ctx, env, list, func(p *render.Printer) { render.RepositoriesText(p, list) })
}

// repoChange is what was done with one repository.
type repoChange struct {
	Repository string `json:"repository"`
	Did        string `json:"did"` // added, unchanged, removed
}

func (o *reposOptions) runChange(ctx context.Context, env *Env, word string, dirs []string) error {
	user, err := env.user()
	if err != nil {
		return err
	}
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	change := addRepo
	if word == "remove" {
		change = removeRepo
	}
	changes := []repoChange{}
	for _, dir := range dirs {
		c, err := change(ctx, env, user, env.absolute(dir))
		if err != nil {
			return err
		}
		changes = append(changes, c)
	}
	return o.show(env, struct {
		Changes []repoChange `json:"changes"`
	}{changes}, func(p *render.Printer) {
		for _, c := range changes {
			line(p, "%-9s  %s", c.Did, prose.PathLine(c.Repository))
		}
	})
}

func addRepo(ctx context.Context, env *Env, user *git.User, dir string) (c repoChange, err error) {
	repo, err := openRepo(ctx, env, dir)
	if err != nil {
		return c, &placeError{dir, err}
	}
	c = repoChange{across.MainPath(repo), "added"}
	id := across.Identity(repo)
	if err := repo.Close(); err != nil {
		return c, err
	}
	same, err := listedAs(ctx, env, dir, id)
	if err != nil || len(same) > 0 {
		c.Did = "unchanged"
		return c, err
	}
	return c, user.Add(ctx, store.KeyRepo, c.Repository)
}

func removeRepo(ctx context.Context, env *Env, user *git.User, dir string) (c repoChange, err error) {
	id := ""
	if repo, err := openRepo(ctx, env, dir); err == nil { // one that does not exist is found by its path
		id = across.Identity(repo)
		if err := repo.Close(); err != nil {
			return c, err
		}
	}
	same, err := listedAs(ctx, env, dir, id)
	if err != nil {
		return c, err
	}
	for _, l := range same {
		removed, err := user.Remove(ctx, store.KeyRepo, l.Value)
		if err != nil {
			return c, err
		}
		if removed {
			c = repoChange{l.Path, "removed"}
		}
	}
	if c.Did == "" {
		return c, fail.New(fail.ErrNotFound, fail.RepositoryUnlisted,
			"'"+dir+"' is not in "+store.KeyRepo+" of the user's file",
			self+" repos", "git config --show-origin --get-all "+store.KeyRepo)
	}
	return c, nil
}

func openRepo(ctx context.Context, env *Env, dir string) (*git.Repo, error) {
	return git.Open(ctx, git.Options{Dir: dir, Env: git.Elsewhere(env.Environ), Now: env.Now, Trace: env.trace})
}

// listedAs returns the values of the list that are a path, or a repository by its identity.
func listedAs(ctx context.Context, env *Env, dir, id string) (same []git.UserPath, err error) {
	listed, err := listedRepos(ctx, env)
	for _, l := range listed {
		if filepath.Clean(l.Path) == dir || strings.TrimSuffix(l.Value, "/") == dir {
			same = append(same, l)
			continue
		}
		if id == "" {
			continue
		}
		repo, err := openRepo(ctx, env, l.Path)
		if err != nil {
			continue // it is not the one that could be opened
		}
		if across.Identity(repo) == id && (across.PathOf(repo) == l.Path || repo.GitDir() == l.Path || across.MainPath(repo) == l.Path) {
			same = append(same, l)
		}
		if err := repo.Close(); err != nil {
			return same, err
		}
	}
	return same, err
}
