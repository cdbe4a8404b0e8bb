package githook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// FollowResult is what memory did when the code's branch changed. An empty one means that there
// is nothing to report.
type FollowResult struct {
	Made, From string // the branch that was made, and the one that it was made from
	Stayed     string // why the memory stayed on its branch
}

// Follow does the work of the hook post-checkout if context.follow is set: the memory branch
// with the code branch's name becomes the current one of this worktree. The first time it is
// made: from a remote's branch, else as a new branch from the current one, with a purpose from
// the code branch's description. All names of the code's trunk share one branch, see memoryFor.
//
// A detached HEAD, a rebase, and a Store with a fixed branch change nothing.
func Follow(ctx context.Context, s *store.Store, w store.Writer) (FollowResult, error) {
	ctx, cancel := context.WithTimeout(ctx, code.PostCheckoutLimit)
	defer cancel()
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return FollowResult{}, err
	}
	on, err := cfg.Bool(store.KeyFollow, false)
	if !on || err != nil || s.Branch != "" {
		return FollowResult{}, err
	}
	code, err := codeBranch(ctx, s)
	if code == "" || err != nil {
		return FollowResult{}, err
	}
	if fault := git.CheckBranchName(code); fault != nil {
		return stay(ctx, s, fault)
	}
	name, err := memoryFor(ctx, s, code)
	if name == "" && err == nil {
		return firstUse(ctx, s, w, code, cfg)
	}
	if err != nil {
		return FollowResult{}, err
	}
	return FollowResult{}, point(ctx, s, name)
}

// codeBranch returns the code branch that is checked out, "" for a detached HEAD or during a
// rebase.
func codeBranch(ctx context.Context, s *store.Store) (string, error) {
	if rebasing, err := s.Repo().Rebasing(); rebasing || err != nil {
		return "", err
	}
	target, err := s.Repo().SymbolicRef(ctx, "HEAD")
	if errors.Is(err, git.ErrNotFound) {
		return "", nil
	}
	name, _ := git.CodeBranchName(target)
	return name, err
}

// stay returns why memory cannot follow a code branch.
func stay(ctx context.Context, s *store.Store, why error) (FollowResult, error) {
	tip, err := s.Tip(ctx, "")
	if err != nil {
		return FollowResult{}, err
	}
	return FollowResult{Stayed: fmt.Sprintf("%v; the memory stays on '%s'", why, tip.Name())}, nil
}

// memoryFor returns the memory branch of a code branch, "" if there is none yet:
//
//  1. the one of its name;
//  2. for a name of the code's trunk the memory's default branch, else the branch of another name of the trunk.
func memoryFor(ctx context.Context, s *store.Store, code string) (string, error) {
	if there, err := s.HasBranch(ctx, code); there || err != nil {
		return code, err
	}
	names, err := trunk(ctx, s)
	if err != nil || !slices.Contains(names, code) {
		return "", err
	}
	first, err := s.DefaultBranch(ctx)
	if err != nil {
		return "", err
	}
	for _, name := range append([]string{first}, names...) {
		if there, err := s.HasBranch(ctx, name); there || err != nil {
			return name, err
		}
	}
	return "", nil
}

// trunk returns the usual names of the code's default branch, the one that new repositories of
// this user get, and the one that origin has.
func trunk(ctx context.Context, s *store.Store) ([]string, error) {
	names := []string{"main", "master"}
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return nil, err
	}
	if name, _ := cfg.String("init.defaultBranch"); name != "" {
		names = append(names, name)
	}
	target, err := s.Repo().SymbolicRef(ctx, git.OriginHead)
	if err != nil && !errors.Is(err, git.ErrNotFound) {
		return nil, err
	}
	if name, ok := git.OriginBranchName(target); ok {
		names = append(names, name)
	}
	return slices.DeleteFunc(names, func(name string) bool { return git.CheckBranchName(name) != nil }), nil
}

// point makes an existing branch the current one of this worktree.
func point(ctx context.Context, s *store.Store, name string) error {
	if err := s.PointHead(ctx, name, "follow", false); err != nil {
		return err
	}
	return s.MakeJournal(ctx, name)
}

// firstUse makes the memory branch of a code branch.
func firstUse(ctx context.Context, s *store.Store, w store.Writer, code string, cfg *git.Config) (FollowResult, error) {
	from, err := s.Tip(ctx, "")
	if err != nil {
		return FollowResult{}, err
	}
	adopted, err := share.AdoptBranch(ctx, s, code)
	if err != nil {
		return FollowResult{}, err
	}
	if adopted {
		return FollowResult{}, point(ctx, s, code)
	}
	_, err = s.CreateBranch(ctx, store.BranchOptions{Writer: w, Name: code, Purpose: purposeOf(code, cfg)})
	if errors.Is(err, fail.ErrExists) {
		name, lookErr := memoryFor(ctx, s, code)
		if lookErr != nil {
			return FollowResult{}, lookErr
		}
		if name == code { // another worktree was faster
			return FollowResult{}, point(ctx, s, code)
		}
		return stay(ctx, s, err) // only a name like it
	}
	if err != nil {
		return FollowResult{}, err
	}
	return FollowResult{Made: code, From: from.Name()}, nil
}

// purposeOf returns a purpose from the description of a code branch.
func purposeOf(code string, cfg *git.Config) string {
	text, _ := cfg.String("branch." + code + ".description")
	first, _, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n\n")
	if first = strings.Join(strings.Fields(first), " "); first != "" {
		return first
	}
	return "The work on code branch '" + code + "'"
}
