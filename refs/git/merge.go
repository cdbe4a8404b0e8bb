package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// IsAncestor reports whether commit a is b or stands in its history.
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

// MergeFile merges two texts that grew from base, as `git merge-file --zdiff3`
// does; labels name ours, base and theirs in conflict markers. With a conflict
// the text with markers is returned. Texts that git takes for binary cannot be
// merged: an error.
func (r *Repo) MergeFile(ctx context.Context, base, ours, theirs []byte, labels [3]string) (merged []byte, conflict bool, err error) {
	args := []string{"--zdiff3"}
	for _, label := range labels {
		args = append(args, "-L", label)
	}
	out, err := r.mergeFile(ctx, args, base, ours, theirs)
	var failed *Error
	// The exit code is the number of conflicts, at most 127.
	if errors.As(err, &failed) && failed.Code > 0 && failed.Code <= 127 {
		return out, true, nil
	}
	return out, false, err
}

// UnionFile merges two texts as `git merge-file --union` does: where both changed
// the same lines, those of ours stand before those of theirs.
func (r *Repo) UnionFile(ctx context.Context, base, ours, theirs []byte) ([]byte, error) {
	return r.mergeFile(ctx, []string{"--union"}, base, ours, theirs)
}

func (r *Repo) mergeFile(ctx context.Context, options []string, base, ours, theirs []byte) ([]byte, error) {
	probe, err := r.MakeState("tmp/x")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(probe), "merge-")
	if err != nil {
		return nil, fmt.Errorf("cannot merge: %w", err)
	}
	defer os.RemoveAll(dir)
	args := append([]string{"merge-file", "-p"}, options...)
	for i, text := range [][]byte{ours, base, theirs} {
		path := filepath.Join(dir, [...]string{"ours", "base", "theirs"}[i])
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return nil, fmt.Errorf("cannot merge: %w", err)
		}
		args = append(args, path)
	}
	return r.Run(ctx, args...)
}
