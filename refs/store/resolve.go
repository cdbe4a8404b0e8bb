package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// Revision finds the memory commit that a name means. In this order:
//
//  1. a memory branch, which wins over a code branch of the same name;
//  2. a memory tag;
//  3. a memory branch as a remote had it, [remotes/]REMOTE/BRANCH;
//  4. a Context-Id;
//  5. any git revision (a hash, an unambiguous short hash, CONTEXT_HEAD).
//
// Each of the first three may be followed by what git allows behind a name (~2, ^,
// @{1}). A commit that is no memory commit is fail.ErrInvalid, a name that means
// nothing fail.ErrNotFound.
func (s *Store) Revision(ctx context.Context, rev string) (*git.Commit, error) {
	c, _, err := s.revision(ctx, rev)
	return c, err
}

// revision is Revision with the ref that the name in it means; "" for another name.
func (s *Store) revision(ctx context.Context, rev string) (*git.Commit, string, error) {
	c, ref, err := s.resolve(ctx, rev)
	if err != nil {
		return nil, "", s.NoSuchCommit(ctx, rev, err)
	}
	if BranchOf(c) == "" {
		if ref != "" { // git alone made it, or another program
			return nil, "", fail.New(fail.ErrInvalid, fail.NotMemory, fmt.Sprintf("'%s' is a commit without the trailers of memory", prose.OneLine(rev, 100)),
				"git context fsck --fix")
		}
		return nil, "", fail.New(fail.ErrInvalid, fail.NotMemory, fmt.Sprintf("'%s' is a commit of the code, not of memory", prose.OneLine(rev, 100)),
			"git context --at "+prose.OneLine(rev, 100))
	}
	return c, ref, nil
}

// ResolveAny finds the commit that a name means, of memory if it can, else of code.
func (s *Store) ResolveAny(ctx context.Context, rev string) (*git.Commit, error) {
	c, _, err := s.resolve(ctx, rev)
	return c, err
}

// resolve is ResolveAny with the ref that the name in rev means; "" for another name.
func (s *Store) resolve(ctx context.Context, rev string) (_ *git.Commit, ref string, err error) {
	name := beforeSuffix(rev)
	suffix := rev[len(name):]
	if name == git.HeadName { // a worktree may have none of its own
		if name, err = s.Current(ctx); err != nil {
			return nil, "", err
		}
		rev = name + suffix
	}
	id, ref, err := s.named(ctx, name)
	if err != nil {
		return nil, "", err
	}
	switch {
	case id == "" && git.IsID(rev): // the most frequent of git's own: no child for it
		if c, err := s.repo.Commit(ctx, git.ID(rev)); err == nil {
			return c, "", nil
		}
	case id != "":
		if c, err := s.ancestor(ctx, id, suffix); c != nil || err != nil {
			return c, ref, err
		}
	}
	full := rev
	if id != "" {
		full = string(id) + suffix
		if ref != "" && strings.HasPrefix(suffix, "@") { // reflogs belong to refs
			full = ref + suffix
		}
	}
	if id == "" || suffix != "" {
		if id, err = s.repo.Peel(ctx, full+"^{commit}"); err != nil {
			return nil, "", err
		}
	}
	c, err := s.repo.Commit(ctx, id)
	return c, ref, err
}

// Foresee returns what probably names the commit that a view of a branch at a revision shows, in a form
// that git resolves to the same commit at any time. It reads only refs, and returns "" where that does not
// tell: the revision is no memory branch, or one other than the branch.
func (s *Store) Foresee(ctx context.Context, branch, rev string) string {
	name := beforeSuffix(rev)
	suffix := rev[len(name):]
	var err error
	switch {
	case rev == "":
		name = branch
	case branch != "" && branch != name || strings.HasPrefix(suffix, "@"): // reflogs belong to refs
		return ""
	}
	if name == "" || name == git.HeadName {
		name, err = s.Current(ctx)
	}
	if err != nil || git.CheckBranchName(name) != nil {
		return ""
	}
	id, err := s.repo.Ref(ctx, git.BranchRef(name))
	if err != nil {
		return ""
	}
	return string(id) + suffix
}

// beforeSuffix is the name in a revision such as main~2.
func beforeSuffix(rev string) string {
	if i := strings.IndexAny(rev, "~^@"); i >= 0 {
		return rev[:i]
	}
	return rev
}

// nearAncestors is how many first parents are followed in process: further back one
// child is cheaper.
const nearAncestors = 20

// ancestor follows the first parents of a commit as ~N says; nil for another suffix,
// and where history ends before.
func (s *Store) ancestor(ctx context.Context, id git.ID, suffix string) (*git.Commit, error) {
	n := 0
	switch digits, tilde := strings.CutPrefix(suffix, "~"); {
	case suffix == "~" || suffix == "^":
		n = 1
	case tilde:
		var err error
		if n, err = strconv.Atoi(digits); err != nil || n < 0 || n > nearAncestors || digits[0] == '+' {
			return nil, nil
		}
	case suffix != "":
		return nil, nil
	}
	for ; ; n-- {
		c, err := s.repo.Commit(ctx, id)
		if err != nil || n == 0 {
			return c, err
		}
		if len(c.Parents) == 0 {
			return nil, nil
		}
		id = c.Parents[0]
	}
}

// named tries what only memory knows; "" where it is none of that. An id has no ref. A sync takes tags of any name, and
// unbundle takes branches. So a hash, an id or the full name of a ref comes before a ref of that name, and a remote's branch
// before a tag.
func (s *Store) named(ctx context.Context, name string) (id git.ID, ref string, err error) {
	if git.CheckBranchName(name) != nil || git.IsID(name) {
		return "", "", nil
	}
	if doc.ValidID(name) {
		if id, err := s.ByID(ctx, name); id != "" || err != nil {
			return id, "", err
		}
	}
	tries := []string{git.BranchRef(name)}
	if full := strings.HasPrefix(name, "refs/"); full && strings.HasPrefix(name, git.Root) {
		tries = append([]string{name}, tries...)
	} else if full {
		if _, err := s.repo.Ref(ctx, name); err == nil || !errors.Is(err, git.ErrNotFound) {
			return "", "", err // git resolves it: a tag of the code may be an object of its own
		}
	} else if ref := "refs/" + name; strings.HasPrefix(ref, git.Root) {
		tries = append(tries, ref)
	}
	tracked := strings.TrimPrefix(name, "remotes/") // as git branch --all shows it
	for i := range len(tracked) {                   // either part may have a slash in its name
		if tracked[i] == '/' {
			tries = append(tries, git.RemoteTracking(tracked[:i]).Branches()+tracked[i+1:])
		}
	}
	for _, ref := range append(tries, git.TagRef(name)) {
		id, err := s.repo.Ref(ctx, ref)
		if errors.Is(err, git.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", "", err
		}
		if short, err := s.abbreviates(ctx, name); short || err != nil {
			return "", "", err
		}
		return id, ref, nil
	}
	return "", "", nil
}

// NamesTag reports whether a revision is a name that means a tag.
func (s *Store) NamesTag(ctx context.Context, rev string) (bool, error) {
	_, ref, err := s.named(ctx, rev)
	return ref == git.TagRef(rev), err
}

// abbreviates reports whether a name is the beginning of the hash of a commit, of memory or of code.
func (s *Store) abbreviates(ctx context.Context, name string) (bool, error) {
	const fewest = 7 // digits that git prints
	if len(name) < fewest || strings.Trim(name, "0123456789abcdef") != "" {
		return false, nil
	}
	out, err := s.repo.Run(ctx, "rev-parse", "--disambiguate="+name)
	if err != nil {
		return false, err
	}
	var ids []git.ID
	for _, id := range strings.Fields(string(out)) {
		ids = append(ids, git.ID(id))
	}
	infos, err := s.repo.InfosHere(ctx, ids)
	return slices.ContainsFunc(infos, func(i git.ObjectInfo) bool { return i.Type == "commit" }), err
}

// NoSuchCommit says that a name means nothing here, with the nearest branch; of a shallow clone that
// lacks memory commits, that it may be one of those.
func (s *Store) NoSuchCommit(ctx context.Context, rev string, err error) error {
	if !errors.Is(err, git.ErrNotFound) && !errors.Is(err, git.ErrAmbiguous) {
		return err
	}
	if errors.Is(err, git.ErrAmbiguous) {
		return fail.New(fail.ErrInvalid, fail.Ambiguous, fmt.Sprintf("'%s' is ambiguous", prose.OneLine(rev, 100)), "use more digits")
	}
	names, err := s.BranchNames(ctx)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return s.noMemory()
	}
	if err := s.CutBefore(ctx, rev); err != nil {
		return err
	}
	hint := "git context log --oneline --all"
	if near := doc.Nearest(rev, names); near != "" {
		hint = fmt.Sprintf("did you mean '%s'?", near)
	}
	return fail.New(fail.ErrNotFound, fail.MemoryCommitNotFound, fmt.Sprintf("no commit '%s' in memory", prose.OneLine(rev, 100)), hint)
}

// StoodAt reports whether the branch of a tip was ever at a commit. It was at
//
//  1. the commits of its first-parent line, and those of what it was made from;
//  2. those that came to it from another repository, by a merge without an entry of its own.
//
// It never was at what a MERGE brought, whatever the other branch was called. No
// date is asked: clocks lag.
func (s *Store) StoodAt(ctx context.Context, tip *git.Commit, at git.ID) (bool, error) {
	between, err := s.repo.View(ctx, "rev-list", "--ancestry-path", "--parents", "--end-of-options", string(tip.ID), "^"+string(at))
	if err != nil {
		return false, err
	}
	parents := map[git.ID]string{}
	for line := range strings.Lines(string(between)) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		parents[git.ID(id)] = rest
	}
	for queue := []git.ID{tip.ID}; len(queue) > 0; {
		id := queue[0]
		if id == at {
			return true, nil
		}
		follow := strings.Fields(parents[id])
		delete(parents, id) // once is enough
		if len(follow) > 1 {
			c, err := s.repo.Commit(ctx, id)
			if err != nil {
				return false, err
			}
			if c.Trailer(TrailerID) != "" {
				follow = follow[:1]
			}
		}
		queue = queue[1:]
		for _, p := range follow {
			queue = append(queue, git.ID(p))
		}
	}
	return false, nil
}

// HomeOf is the branch that a memory commit belongs to: the one that it was made on or,
// where none is called that any more, the one that this was renamed to, which was made
// at the same time and was at the commit. The current one goes before others. It is
// "" where the branch is gone.
func (s *Store) HomeOf(ctx context.Context, c *git.Commit) (string, error) {
	own := BranchOf(c)
	if own == "" {
		return "", nil
	}
	_, err := s.repo.Ref(ctx, git.BranchRef(own))
	if err == nil || !errors.Is(err, git.ErrNotFound) {
		return own, err
	}
	out, err := s.repo.View(ctx, "for-each-ref", "--format=%(refname)", "--contains="+string(c.ID), git.BranchPrefix)
	if err != nil {
		return "", err
	}
	current, err := s.Current(ctx)
	if err != nil {
		return "", err
	}
	names := strings.Fields(string(out))
	if i := slices.Index(names, git.BranchRef(current)); i > 0 {
		names[0], names[i] = names[i], names[0]
	}
	for _, ref := range names {
		name, _ := git.BranchName(ref)
		tip, err := s.Tip(ctx, name)
		if err != nil {
			return "", err
		}
		if tip.commit.Trailer(TrailerCreated) != c.Trailer(TrailerCreated) {
			continue
		}
		if stood, err := s.StoodAt(ctx, tip.commit, c.ID); err != nil || stood {
			return name, err
		}
	}
	return "", nil
}
