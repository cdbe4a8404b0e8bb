package across

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// List describes repositories.
type List struct {
	Repositories []Described `json:"repositories"`
}

// Described is a repository and how much memory it has.
type Described struct {
	Repository string     `json:"repository"` // its path
	Name       *string    `json:"name"`       // nil if it cannot be read
	Memory     *bool      `json:"memory"`     // it has memory; nil likewise
	Commits    *int       `json:"commits"`    // of all branches, each once
	UpdatedAt  *time.Time `json:"updated_at"` // the newest change of a branch
	Error      *string    `json:"error"`      // why it cannot be read
}

// Describe counts the commits of repositories. Those that were skipped follow.
func Describe(ctx context.Context, repos []*Repository, skipped []Skipped) List {
	list := List{make([]Described, len(repos))}
	each(len(repos), func(i int) {
		d := &list.Repositories[i]
		d.Repository, d.Name = repos[i].Path, &repos[i].Name
		own, end := context.WithCancel(ctx)
		defer end()
		err := within(ctx, end, func() error { return d.read(own, repos[i].Store) })
		if err != nil {
			reason := err.Error()
			d.Error, repos[i].out = &reason, true
		}
	})
	for _, s := range skipped {
		list.Repositories = append(list.Repositories, Described{Repository: s.Repository, Error: &s.Reason})
	}
	return list
}

func (d *Described) read(ctx context.Context, s *store.Store) error {
	has := false
	switch _, err := s.Tip(ctx, ""); {
	case errors.Is(err, fail.ErrNoMemory):
		d.Memory = &has
		return nil
	case err != nil && !errors.Is(err, fail.ErrNotFound): // the current branch may have been deleted
		return err
	}
	branches, err := s.Branches(ctx, store.BranchQuery{Pending: func(store.Branch) bool { return false }})
	if err != nil {
		return err
	}
	for _, b := range branches {
		if at := b.UpdatedAt; d.UpdatedAt == nil || at.After(*d.UpdatedAt) {
			d.UpdatedAt = &at
		}
	}
	out, err := s.Repo().View(ctx, "rev-list", "--count", "--basic-regexp", "--grep=^"+store.TrailerID+": ",
		"--glob="+git.BranchPrefix+"*")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		return fmt.Errorf("git rev-list: no number: %w", err)
	}
	has = true
	d.Memory, d.Commits = &has, &n
	return nil
}

// MainPath is PathOf of the main worktree.
func MainPath(r *git.Repo) string {
	if !r.Linked() {
		return PathOf(r)
	}
	if dir, ok := strings.CutSuffix(r.CommonDir(), string(filepath.Separator)+".git"); ok {
		return dir
	}
	return r.CommonDir()
}
