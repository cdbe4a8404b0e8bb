package cmd

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/search/across"
	"github.com/git-context/git-context/refs/store"
	"github.com/urfave/cli/v2"
)

// acrossFlags are the flags of commands that ask several repositories.
type acrossFlags struct {
	dirs cli.StringSlice
	all  bool
}

func (f *acrossFlags) flags() []cli.Flag {
	return []cli.Flag{
		texts(&f.dirs, "--repo DIR", "search the repository at DIR, all its branches; may be repeated"),
		toggle(&f.all, "--all-repos", "search all repositories of the list context.repo"),
	}
}

func (f *acrossFlags) given() bool { return f.all || len(f.dirs.Value()) > 0 }

// places returns where the repositories are.
func (f *acrossFlags) places(ctx context.Context, env *Env) ([]across.Place, error) {
	var places []across.Place
	for _, dir := range f.dirs.Value() {
		places = append(places, across.Place{Dir: env.absolute(dir)})
	}
	if !f.all {
		return places, nil
	}
	listed, err := listedRepos(ctx, env)
	if err != nil {
		return nil, err
	}
	if len(listed) == 0 && len(places) == 0 {
		return nil, fail.New(fail.ErrNotFound, fail.RepositoriesNone, "no repository is listed in "+store.KeyRepo,
			self+" repos add DIR")
	}
	for _, l := range listed {
		places = append(places, across.Place{Dir: l.Path, Top: true})
	}
	return places, nil
}

// search opens the repositories and asks them. A repository that is left out is a warning.
func (f *acrossFlags) search(ctx context.Context, env *Env, g *globals,
	ask func([]*across.Repository) (across.Result, error)) (res across.Result, err error) {
	if g.branch != "" {
		return res, usagef("-b cannot be used with --repo and --all-repos, which search all branches")
	}
	places, err := f.places(ctx, env)
	if err != nil {
		return res, err
	}
	repos, skipped, err := across.Open(ctx, places, env.elsewhere)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, across.Close(repos)) }()
	if len(repos) > 0 {
		res, err = ask(repos)
	}
	if err != nil && (len(res.Repositories) > 0 || len(res.Skipped) == 0) {
		return res, err
	}
	res.Skipped = append(append([]across.Skipped{}, skipped...), res.Skipped...)
	if len(res.Repositories) == 0 {
		if len(res.Skipped) == 1 {
			return res, skippedError(res.Skipped[0])
		}
		env.warnSkipped(res.Skipped)
		return res, fail.New(fail.ErrNotFound, fail.RepositoriesNone,
			"none of the repositories can be searched", self+" repos")
	}
	env.warnSkipped(res.Skipped)
	return res, nil
}

// skippedError is the error of the only repository that was to be searched.
func skippedError(s across.Skipped) error { return &placeError{s.Repository, s.Err} }

// placeError is an error in a repository that is named.
type placeError struct {
	path string
	err  error
}

func (e *placeError) Error() string { return "'" + e.path + "': " + e.err.Error() }
func (e *placeError) Unwrap() error { return e.err }

func (e *Env) warnSkipped(skipped []across.Skipped) {
	for _, s := range skipped {
		e.warn("'%s' is left out: %s", prose.PathLine(s.Repository), s.Reason)
		var refused *git.Error
		if errors.As(s.Err, &refused) && refused.Advice() != "" {
			e.hint("%s", refused.Advice())
		}
	}
}

// elsewhere opens another repository than the one of this process, to read: variables that name a
// repository or a branch do not count, no remote is asked, and nothing is started in the background.
func (e *Env) elsewhere(ctx context.Context, dir string) (*refs.Store, error) {
	environ := append(git.Elsewhere(Offline(e.Environ)), "GIT_CONTEXT_BRANCH=")
	return refs.Open(ctx, store.Options{Dir: dir, Env: environ, Now: e.Now, Trace: e.trace,
		Warn: func(message string) { e.warn("'%s': %s", dir, message) }})
}

// absolute returns the absolute path of a directory that a user names.
func (e *Env) absolute(dir string) string {
	if path, err := filepath.Abs(e.path(dir)); err == nil {
		return path
	}
	return dir
}

// user opens the configuration of the user.
func (e *Env) user() (*git.User, error) {
	return git.OpenUser(git.Options{Env: e.Environ, Trace: e.trace})
}

// weights returns the weights of searches in the configuration of the user: those of a repository, which another person
// may have written, would move its hits before the others'.
func (e *Env) weights(ctx context.Context) (*search.Weights, error) {
	user, err := e.user()
	if err != nil {
		return nil, err
	}
	settings, err := user.Section(ctx, "context.search.")
	if err != nil {
		return nil, err
	}
	return search.WeightsOf(func(key string) (string, bool) {
		value, ok := settings[strings.ToLower(key)]
		return value, ok
	})
}

// listedRepos returns the repositories in the user's list. A path that is not absolute is none.
func listedRepos(ctx context.Context, env *Env) ([]git.UserPath, error) {
	user, err := env.user()
	if err != nil {
		return nil, err
	}
	all, err := user.Paths(ctx, store.KeyRepo)
	if err != nil {
		return nil, &fail.Error{Kind: fail.ErrInvalid, Code: fail.ConfigInvalid, Message: "cannot read " + store.KeyRepo,
			Hints: []string{"git config --global --edit"}, Err: err}
	}
	var listed []git.UserPath
	for _, p := range all {
		if !filepath.IsAbs(p.Path) {
			env.warn("%s is '%s', which is no absolute path", store.KeyRepo, strings.TrimSpace(p.Value))
			continue
		}
		listed = append(listed, p)
	}
	return listed, nil
}
