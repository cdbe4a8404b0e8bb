package loss

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// hidden returns the commits that the first commit of a branch hides from a repository that has a branch of that name: its own,
// and what others have pushed to it since.
func (f *finder) hidden(ctx context.Context, births bool) ([]git.ID, error) {
	if !births || f.Have == "" || f.Have == f.Tip {
		return nil, nil
	}
	var list []git.ID
	if is, err := f.s.Repo().IsAncestor(ctx, f.Have, f.Tip); err != nil {
		return nil, err
	} else if is {
		list = append(list, f.Have)
	}
	birth, err := f.firstBirth(ctx)
	if err != nil {
		return nil, err
	}
	if birth != "" {
		before := f.News[birth].Parents[0]
		if name, err := f.branchAt(ctx, before); err != nil {
			return nil, err
		} else if name == f.Branch && before != f.Have {
			list = append(list, before)
		}
	}
	below, err := f.hiddenBetween(ctx)
	return append(list, below...), err
}

// firstBirth returns the first birth that the tip leads to by first parents; "" for none.
func (f *finder) firstBirth(ctx context.Context) (git.ID, error) {
	for at := f.Tip; ; at = f.News[at].Parents[0] {
		n := f.News[at]
		if n == nil || len(n.Parents) == 0 {
			return "", nil
		}
		if birth, err := f.isBirth(ctx, at); birth || err != nil {
			return at, err
		}
	}
}

// mostHidden is how many commits hiddenBetween finds: nobody has so many but who hides one behind the others, which is refused.
const mostHidden = 1_000

// hiddenBetween returns the newest commits of this branch that follow what both sides have in common, and to which the tip leads only through
// births. The name of a branch is in a file that anybody may change: what a birth follows may have another one.
func (f *finder) hiddenBetween(ctx context.Context) (list []git.ID, err error) {
	below, seen, err := f.belowBirths(ctx)
	if err != nil {
		return nil, err
	}
	follow := map[git.ID]bool{}
	for ; len(below) > 0 && len(list) <= mostHidden; below = below[1:] {
		id := below[0]
		n := f.News[id]
		if n == nil || seen[id] {
			continue
		}
		seen[id] = true
		own, err := f.ofBranch(ctx, id)
		if err == nil && !own {
			own, err = f.follows(ctx, id, follow)
		}
		if err != nil {
			return nil, err
		}
		if own {
			list = append(list, id)
		}
		if birth, err := f.isBirth(ctx, id); err != nil {
			return nil, err
		} else if !own || birth {
			below = append(below, n.Parents...)
		}
	}
	return list, nil
}

// ofBranch reports whether a commit has the name of the branch, or the one that it has here.
func (f *finder) ofBranch(ctx context.Context, id git.ID) (bool, error) {
	name, err := f.branchAt(ctx, id)
	if name == "" || name == f.Branch || err != nil {
		return name != "", err
	}
	have, err := f.branchAt(ctx, f.Have)
	return name == have, err
}

// follows reports whether nothing but commits with one parent that are no births is between a commit and one of this branch that is here.
// known is what it has found out of others.
func (f *finder) follows(ctx context.Context, id git.ID, known map[git.ID]bool) (follows bool, err error) {
	var passed []git.ID
	for n := f.News[id]; ; n = f.News[id] {
		if had, ok := known[id]; ok {
			follows = had
			break
		}
		if n == nil {
			if follows, err = f.ofBranch(ctx, id); err != nil {
				return false, err
			}
			break
		}
		passed = append(passed, id)
		if birth, err := f.isBirth(ctx, id); err != nil {
			return false, err
		} else if birth || len(n.Parents) != 1 {
			break
		}
		id = n.Parents[0]
	}
	for _, at := range passed {
		known[at] = follows
	}
	return follows, nil
}

// belowBirths returns the parents of births that follow what both sides have in common, and all commits to which the tip leads otherwise.
func (f *finder) belowBirths(ctx context.Context) (below []git.ID, seen map[git.ID]bool, err error) {
	seen = map[git.ID]bool{f.Tip: true}
	for queue := []git.ID{f.Tip}; len(queue) > 0; queue = queue[1:] {
		n := f.News[queue[0]]
		if n == nil {
			continue
		}
		if birth, err := f.isBirth(ctx, n.ID); err != nil {
			return nil, nil, err
		} else if birth {
			above, err := f.between(ctx, n.ID)
			if err != nil {
				return nil, nil, err
			}
			if above {
				below = append(below, n.Parents[0])
			}
			continue
		}
		for _, p := range n.Parents {
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	return below, seen, nil
}

// between reports whether a commit follows what this repository and the other side have in common of this branch: what lies
// below it belongs to it, too. Where both have made a branch of that name, that is of the branch from which they made it. It asks git
// once: each of thousands of commits may look like a birth.
func (f *finder) between(ctx context.Context, id git.ID) (bool, error) {
	if f.above != nil {
		return f.above[id], nil
	}
	bases, err := f.mergeBases(ctx, f.Have, f.Tip)
	if err != nil {
		return false, err
	}
	var of []git.ID
	for _, base := range bases {
		if own, err := f.ofBranch(ctx, base); err != nil {
			return false, err
		} else if own {
			of = append(of, base)
		}
	}
	above := map[git.ID]bool{}
	if len(of) > 0 {
		args := []string{"rev-list", "--ancestry-path", "--end-of-options", string(f.Tip)}
		for _, base := range of {
			args = append(args, "^"+string(base))
		}
		out, err := f.s.Repo().View(ctx, args...)
		if err != nil {
			return false, err
		}
		for line := range strings.Lines(string(out)) {
			above[git.ID(strings.TrimSpace(line))] = true
		}
	}
	f.above = above
	return above[id], nil
}
