package refs

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// DiffEnds finds the two commits that a diff compares: A and B, where a B that is
// left out is the current branch; or those of A..B; or, for A...B, B and what both
// come from.
func (s *Store) DiffEnds(ctx context.Context, a, b string) (from, to *git.Commit, err error) {
	first, dots, second := SplitRange(a)
	if dots != "" && b != "" {
		return nil, nil, fail(ErrInvalid, "range-invalid", fmt.Sprintf("'%s' is both sides already", oneLine(a, 100)), "git context diff "+oneLine(a, 100))
	}
	if dots == "" {
		second = b
	}
	if from, to, err = s.ends(ctx, first, second); err != nil || dots != "..." {
		return from, to, err
	}
	bases, err := s.repo.MergeBases(ctx, from.ID, to.ID)
	if err != nil {
		return nil, nil, err
	}
	if len(bases) == 0 {
		return nil, nil, fail(ErrInvalid, "no-merge-base", fmt.Sprintf("'%s' have no commit in common", oneLine(a, 100)),
			"git context diff "+first+".."+second)
	}
	from, err = s.repo.Commit(ctx, bases[0])
	return from, to, err
}

// Diff is what memory says at one commit that it did not at another.
type Diff struct {
	From  git.ID     `json:"from"`
	To    git.ID     `json:"to"`
	Files []FileDiff `json:"files"` // sorted by path
	Patch string     `json:"patch"` // as git diff prints it, without renames
}

// FileDiff is one file that differs. Lines are those of git's default diff.
type FileDiff struct {
	Path    string `json:"path"`
	Status  string `json:"status"` // A added, M modified, D deleted
	Added   int    `json:"added"`  // lines
	Deleted int    `json:"deleted"`
}

// Diff compares two memory commits in their trees.
func (s *Store) Diff(ctx context.Context, from, to *git.Commit, a Arguments) (Diff, error) {
	d := Diff{From: from.ID, To: to.ID}
	// What a program reads is the same whatever the user has set.
	show := []string{"--no-color", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/", "--inter-hunk-context=0",
		"--diff-algorithm=default", "--indent-heuristic", "--no-relative"}
	out, err := s.repo.View(ctx, DiffCommand(from, to, Arguments{Show: append(show[:len(show):len(show)], "-z", "--raw", "--numstat"), Paths: a.Paths})...)
	if err != nil {
		return d, err
	}
	if d.Files, err = parseFileDiffs(out); err != nil {
		return d, err
	}
	out, err = s.repo.View(ctx, DiffCommand(from, to, Arguments{Show: append(show, "-U3"), Paths: a.Paths})...)
	d.Patch = string(out)
	return d, err
}

// parseFileDiffs reads what git diff says with --raw and --numstat: of every file
// first ":modes ids STATUS" and its path, then of every file the lines and its path.
func parseFileDiffs(out []byte) ([]FileDiff, error) {
	files := []FileDiff{}
	at := map[string]int{}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i < len(fields) && len(out) > 0; i++ {
		if raw, ok := strings.CutPrefix(fields[i], ":"); ok && i+1 < len(fields) {
			i++
			at[fields[i]] = len(files)
			files = append(files, FileDiff{Path: fields[i], Status: raw[strings.LastIndexByte(raw, ' ')+1:]})
			continue
		}
		f := strings.SplitN(fields[i], "\t", 3)
		if len(f) < 3 {
			return nil, fmt.Errorf("git diff said '%s'", oneLine(fields[i], 100))
		}
		file, ok := at[f[2]]
		added, err := strconv.Atoi(f[0])
		deleted, err2 := strconv.Atoi(f[1])
		if !ok || err != nil || err2 != nil {
			return nil, fmt.Errorf("git diff said '%s'", oneLine(fields[i], 100))
		}
		files[file].Added, files[file].Deleted = added, deleted
	}
	return files, nil
}

// DiffCommand is the git diff of two memory commits, for git.Repo.View.
func DiffCommand(from, to *git.Commit, a Arguments) []string {
	args := append([]string{"diff", "--no-ext-diff", "--no-textconv", "--text"}, a.Show...)
	args = append(args, "--end-of-options", string(from.ID), string(to.ID), "--")
	return append(args, a.Paths...)
}
