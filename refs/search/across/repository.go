package across

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Repository is a repository to search.
type Repository struct {
	Path  string       // of its worktree's top, or of the git directory if it has none
	Name  string       // the last part of Path, or as many as tell it from the others
	Store *store.Store // open

	out bool               // it was left out, with its error
	end context.CancelFunc // ends what opening it started; nil if another opened it
}

// Skipped is a repository that was left out.
type Skipped struct {
	Repository string `json:"repository"` // its path
	Reason     string `json:"error"`
	Err        error  `json:"-"`
}

// Place is where a repository may be.
type Place struct {
	Dir string // absolute, or relative to the directory of the opener
	Top bool   // Dir itself must be the repository, and not only be in one
}

// MostRepositories is how many repositories are searched at once.
const MostRepositories = 256

// Open opens the repositories at places. Each counts once: worktrees, links and repeated places of one are
// the first of them. The caller closes the stores.
func Open(ctx context.Context, places []Place, open func(ctx context.Context, dir string) (*store.Store, error)) (
	repos []*Repository, skipped []Skipped, err error) {
	if len(places) > MostRepositories {
		return nil, nil, fail.New(fail.ErrInvalid, fail.Invalid,
			fmt.Sprintf("%d repositories cannot be searched at once; %d can", len(places), MostRepositories))
	}
	found, errs := make([]*Repository, len(places)), make([]error, len(places))
	each(len(places), func(i int) {
		own, end := context.WithCancel(ctx)
		errs[i] = within(ctx, end, func() (err error) {
			found[i], err = openOne(own, places[i], open)
			return err
		})
		if errs[i] != nil {
			end()
		} else {
			found[i].end = end
		}
	})
	seen := map[string]bool{}
	for i, r := range found {
		if errs[i] != nil {
			skipped = append(skipped, Skipped{places[i].Dir, errs[i].Error(), errs[i]})
			continue
		}
		if id := Identity(r.Store.Repo()); seen[id] {
			err = errors.Join(err, Close([]*Repository{r}))
		} else {
			seen[id] = true
			repos = append(repos, r)
		}
	}
	nameAll(repos)
	return repos, skipped, err
}

func openOne(ctx context.Context, p Place, open func(ctx context.Context, dir string) (*store.Store, error)) (*Repository, error) {
	s, err := open(ctx, p.Dir)
	if err != nil {
		return nil, err
	}
	repo := s.Repo()
	if top, err := filepath.EvalSymlinks(p.Dir); p.Top && (err != nil || top != PathOf(repo) && top != repo.GitDir()) {
		return nil, errors.Join(fmt.Errorf("%w: '%s' is inside of '%s'", git.ErrNotRepository, p.Dir, PathOf(repo)), s.Close())
	}
	return &Repository{Path: PathOf(repo), Store: s}, nil
}

// PathOf returns the path of a repository: its worktree's top, or its git directory if it has none from
// which git finds it. So a repository cannot pass for another by core.worktree.
func PathOf(r *git.Repo) string {
	if r.WorkTree() != "" && r.RootedAt(r.WorkTree()) {
		return r.WorkTree()
	}
	if dir, ok := strings.CutSuffix(r.GitDir(), string(filepath.Separator)+".git"); ok { // asked for by its inside
		return dir
	}
	return r.GitDir()
}

// Identity is the same for all worktrees of a repository.
func Identity(r *git.Repo) string {
	if path, err := filepath.EvalSymlinks(r.CommonDir()); err == nil {
		return path
	}
	return r.CommonDir()
}

// nameAll names repositories by the last part of their paths, and those of one name by more parts.
func nameAll(repos []*Repository) {
	for parts := 1; ; parts++ {
		byName := map[string][]*Repository{}
		for _, r := range repos {
			if r.Name == "" {
				name := lastParts(r.Path, parts)
				byName[name] = append(byName[name], r)
			}
		}
		if len(byName) == 0 {
			return
		}
		for name, same := range byName {
			if len(same) == 1 || name == same[0].Path {
				same[0].Name = name
			}
		}
	}
}

// lastParts returns the last n parts of a path, with slashes; all of it if it has no more.
func lastParts(path string, n int) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	if n >= len(parts) {
		return path
	}
	return strings.Join(parts[len(parts)-n:], "/")
}

// each calls do for 0 to n-1, for as many at a time as there are processors, and for two at least: each
// also waits for a child.
func each(n int, do func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(n, max(2, runtime.GOMAXPROCS(0))) {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// patience is how long each step of a search may take in one repository: one whose disk does not answer, or that has
// a named pipe in place of a file that git reads, does not keep the others waiting. A step takes well below a second
// where the index is complete, and ten where it has to be built on a busy machine.
const patience = 30 * time.Second

// within runs a step in one repository, and ends the repository's context, with the children of git there, after the
// time that a step has. What a step started may be read by the next, so that the context outlives it.
func within(ctx context.Context, end context.CancelFunc, step func() error) error {
	timer := time.AfterFunc(patience, end)
	err := step()
	if timer.Stop() || err == nil || ctx.Err() != nil {
		return err
	}
	return fail.New(fail.ErrRefused, fail.RepositorySlow, fmt.Sprintf("it gave no answer within %v", patience))
}

// Close closes the stores of repositories. A child of git that failed in one that was left out is no error: the
// others' results would be lost with it.
func Close(repos []*Repository) (err error) {
	for _, r := range repos {
		if closed := r.Store.Close(); !r.out {
			err = cmp.Or(err, closed)
		}
		if r.end != nil {
			r.end()
		}
	}
	return err
}
