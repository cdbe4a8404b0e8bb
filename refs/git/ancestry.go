package git

import (
	"context"
	"slices"
	"strings"
)

// MergeBases returns the best common ancestors of a commit and another one, or of
// a commit and what a merge of several others would be; none (nil) if their
// histories share nothing.
func (r *Repo) MergeBases(ctx context.Context, a ID, others ...ID) ([]ID, error) {
	if len(others) == 1 && a == others[0] {
		return others, nil
	}
	args := []string{"merge-base", "--all", "--end-of-options", string(a)}
	for _, id := range others {
		args = append(args, string(id))
	}
	out, err := r.Run(ctx, args...)
	if ExitCode(err) == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var bases []ID
	for _, id := range strings.Fields(string(out)) {
		bases = append(bases, ID(id))
	}
	return bases, nil
}

// IsAncestor reports whether commit a is b or in its history.
func (r *Repo) IsAncestor(ctx context.Context, a, b ID) (bool, error) {
	if a == b {
		return true, nil
	}
	_, err := r.Run(ctx, "merge-base", "--is-ancestor", "--end-of-options", string(a), string(b))
	if ExitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// Independent returns those of some commits that no other of them leads to, in their order.
func (r *Repo) Independent(ctx context.Context, ids []ID) ([]ID, error) {
	if len(ids) < 2 {
		return ids, nil
	}
	args := []string{"merge-base", "--independent", "--end-of-options"}
	for _, id := range ids {
		args = append(args, string(id))
	}
	out, err := r.Run(ctx, args...)
	if err != nil {
		return nil, err
	}
	left := strings.Fields(string(out))
	return slices.DeleteFunc(slices.Clone(ids), func(id ID) bool { return !slices.Contains(left, string(id)) }), nil
}
