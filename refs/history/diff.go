package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// DiffEnds returns the two commits that a diff compares: A and B, where an empty B is the
// current branch; the ends of A..B; or, for A...B, the merge base and B. It returns errors
// of the kinds fail.ErrInvalid and fail.ErrNotFound.
func DiffEnds(ctx context.Context, s *store.Store, a, b string) (from, to *git.Commit, err error) {
	first, dots, second := SplitRange(a)
	if dots != "" && b != "" {
		return nil, nil, fail.New(fail.ErrInvalid, fail.RangeInvalid,
			fmt.Sprintf("'%s' names both sides already", prose.OneLine(a, 100)), "git context diff "+prose.OneLine(a, 100))
	}
	if dots == "" {
		second = b
	}
	if from, to, err = ends(ctx, s, first, second); err != nil || dots != "..." {
		return from, to, err
	}
	bases, err := s.Repo().MergeBases(ctx, from.ID, to.ID)
	if err != nil {
		return nil, nil, err
	}
	if len(bases) == 0 {
		return nil, nil, fail.New(fail.ErrInvalid, fail.NoMergeBase,
			fmt.Sprintf("'%s' have no commit in common", prose.OneLine(a, 100)),
			"git context diff "+first+".."+second)
	}
	from, err = s.Repo().Commit(ctx, bases[0])
	return from, to, err
}

// Comparison is the difference between the trees of two memory commits.
type Comparison struct {
	From  git.ID     `json:"from"`
	To    git.ID     `json:"to"`
	Files []FileDiff `json:"files"` // sorted by path
	Patch string     `json:"patch"` // as git diff prints it, without renames

	Missing int `json:"patch_missing,omitempty"` // number of bytes of a very large patch that Patch does not contain
}

// FileDiff is one file that differs. It counts the lines of git's default diff.
type FileDiff struct {
	Path    string `json:"path"`
	Status  string `json:"status"` // A added, M modified, D deleted
	Added   int    `json:"added"`  // lines
	Deleted int    `json:"deleted"`
}

// Diff compares the trees of two memory commits.
func Diff(ctx context.Context, s *store.Store, from, to *git.Commit, a Arguments) (Comparison, error) {
	d := Comparison{From: from.ID, To: to.ID}
	// A program gets the same patch whatever the user's settings are.
	show := []string{"--no-color", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/", "--inter-hunk-context=0",
		"--diff-algorithm=default", "--indent-heuristic", "--no-relative", "--full-index"}
	out, err := s.Repo().View(ctx, DiffCommand(from, to,
		Arguments{Show: append(show[:len(show):len(show)], "-z", "--raw"), Paths: a.Paths})...)
	if err != nil {
		return d, err
	}
	if d.Files, err = parseRaw(out); err != nil {
		return d, err
	}
	p := &patchReader{files: d.Files, file: -1}
	if err := s.Repo().ViewTo(ctx, p, nil, DiffCommand(from, to, Arguments{Show: append(show, "-U3"), Paths: a.Paths})...); err != nil {
		return d, err
	}
	d.Patch, d.Missing = string(p.kept), p.missing
	slices.SortFunc(d.Files, func(a, b FileDiff) int { return strings.Compare(a.Path, b.Path) })
	return d, nil
}

// parseRaw reads the output of git diff -z --raw: for each file ":modes ids STATUS" and its
// path.
func parseRaw(out []byte) ([]FileDiff, error) {
	files := []FileDiff{}
	for rest := string(out); rest != ""; {
		facts, more, ok := strings.Cut(rest, "\x00")
		path, more, ok2 := strings.Cut(more, "\x00")
		if !ok || !ok2 || !strings.HasPrefix(facts, ":") {
			return nil, fmt.Errorf("git diff said '%s'", prose.OneLine(rest, 100))
		}
		files = append(files, FileDiff{Path: path, Status: facts[strings.LastIndexByte(facts, ' ')+1:]})
		rest = more
	}
	return files, nil
}

// DiffCommand returns the arguments of the git diff of two memory commits, for
// git.Repo.View.
func DiffCommand(from, to *git.Commit, a Arguments) []string {
	args := append([]string{"diff", "--no-ext-diff", "--no-textconv", "--text"}, a.Show...)
	args = append(args, "--end-of-options", string(from.ID), string(to.ID), "--")
	return append(args, a.Paths...)
}

// DiffTrees compares pairs of trees with one child. Git may have collected an old tree that
// no ref reaches: its new tree is then compared with the empty tree, and Anew is set.
func DiffTrees(ctx context.Context, s *store.Store, pairs []TreePair, paths ...string) (map[TreePair]TreeDiff, error) {
	diffs, err := askDiffs(ctx, s, pairs, paths)
	var failed *git.Error
	if err != nil && !errors.As(err, &failed) { // git itself failed: an old tree may be present in part
		return nil, err
	}
	var again []TreePair
	for _, p := range pairs {
		if _, ok := diffs[p]; !ok {
			again = append(again, TreePair{s.Repo().EmptyTree(), p.Now})
		}
	}
	if len(again) == 0 {
		return diffs, nil
	}
	whole, err := askDiffs(ctx, s, again, paths)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		if _, ok := diffs[p]; ok {
			continue
		}
		d, ok := whole[TreePair{s.Repo().EmptyTree(), p.Now}]
		if !ok {
			return nil, fmt.Errorf("cannot read tree '%s': %w", p.Now, git.ErrNotFound)
		}
		diffs[p] = TreeDiff{d.Changes, true}
	}
	return diffs, nil
}

// askDiffs has git compare pairs of trees. The result omits a pair of which git cannot read
// a tree. After an error the result is incomplete.
func askDiffs(ctx context.Context, s *store.Store, pairs []TreePair, paths []string) (map[TreePair]TreeDiff, error) {
	diffs := map[TreePair]TreeDiff{}
	var in bytes.Buffer
	asked := map[TreePair]bool{}
	for _, p := range pairs {
		if asked[p] { // branches of one tree
			continue
		}
		asked[p] = true
		fmt.Fprintf(&in, "%s %s\n", p.Old, p.Now)
	}
	args := []string{"diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--stdin", "--"}
	out, err := s.Repo().RunInput(ctx, in.Bytes(), append(args, paths...)...)
	if err != nil {
		return diffs, err
	}
	var pair TreePair
	for rest := string(out); rest != ""; {
		if rest[0] != ':' { // "OLD NEW\n" begins a pair, even one without differences
			line, more, ok := strings.Cut(rest, "\n")
			old, now, ok1 := strings.Cut(line, " ")
			if !ok || !ok1 {
				return nil, fmt.Errorf("git diff-tree: cannot understand its answer")
			}
			pair, rest = TreePair{git.ID(old), git.ID(now)}, more
			diffs[pair] = TreeDiff{}
			continue
		}
		facts, more, _ := strings.Cut(rest, "\x00")
		path, more, ok := strings.Cut(more, "\x00")
		f := strings.Fields(facts) // :MODE MODE ID ID STATUS
		if !ok || len(f) != 5 {
			return nil, fmt.Errorf("git diff-tree: cannot understand its answer")
		}
		diffs[pair] = TreeDiff{Changes: append(diffs[pair].Changes, TreeChange{path, git.ID(f[3]), f[1] == blobMode})}
		rest = more
	}
	return diffs, nil
}

// TreePair is two trees to compare.
type TreePair struct{ Old, Now git.ID }

// TreeChange is a path that differs between two trees, with the new tree's object.
type TreeChange struct {
	Path string
	ID   git.ID
	Blob bool // the object is a regular file; false also if the path is deleted
}

// TreeDiff is the difference between two trees.
type TreeDiff struct {
	Changes []TreeChange
	Anew    bool // the old tree is absent, and Changes are all files of the new one
}

// blobMode is git.ModeBlob in the output of diff-tree.
const blobMode = "100644"
