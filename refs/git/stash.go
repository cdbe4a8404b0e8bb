package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// Stash is a commit in the form of an entry of `git stash`: its tree is the worktree's, its parents are
// HEAD, a commit of the index and, if there are some, one of the untracked files without a parent. No
// entry of the user's own stash is meant: such a commit needs no place in refs/stash.
type Stash struct {
	ID, Base, Index ID
	Untracked       ID // "" for none
	Subject         string
}

// ReadStash reads a commit of that form. ErrNotFound: some of it is not here. Another commit is an error.
func (r *Repo) ReadStash(ctx context.Context, id ID) (*Stash, error) {
	c, err := r.Commit(ctx, id)
	if err != nil {
		return nil, err
	}
	if n := len(c.Parents); n < 2 || n > 3 {
		return nil, fmt.Errorf("commit %s is no entry of git stash: it has %d parents", id, n)
	}
	st := &Stash{ID: id, Base: c.Parents[0], Index: c.Parents[1], Subject: c.Subject()}
	want := []ID{st.Base}
	for _, p := range c.Parents[1:] {
		part, err := r.Commit(ctx, p)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(part.Parents, want) {
			return nil, fmt.Errorf("commit %s is no entry of git stash: its parent %s has other parents", id, p)
		}
		want = nil // untracked files have none
	}
	if len(c.Parents) == 3 {
		st.Untracked = c.Parents[2]
	}
	return st, nil
}

// withIndex runs a command with a temporary index and paths on standard input. No hook runs, and no
// file but the index changes.
func (r *Repo) withIndex(ctx context.Context, index string, paths []string, args ...string) ([]byte, error) {
	var in []byte
	if len(paths) > 0 {
		in = []byte(strings.Join(paths, "\x00") + "\x00")
	}
	return r.RunEnv(ctx, []string{"GIT_INDEX_FILE=" + index}, in, append([]string{"-c", "core.hooksPath=" + os.DevNull,
		"-c", "core.splitIndex=false"}, args...)...)
}

// CreateStash stores what is not committed, in the form that `git stash create` gives it, with some untracked
// files, and returns nil if there is nothing. HEAD must have a commit, and the index no conflicts. The
// worktree, the index and the stash stay as they are: git works on a copy of the index.
func (r *Repo) CreateStash(ctx context.Context, message string, by Signature, untracked []string) (*Stash, error) {
	temp, err := r.copyIndex()
	defer r.dropTemp(temp)
	if err != nil {
		return nil, err
	}
	at, err := r.Ref(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	head, err := r.Commit(ctx, at)
	if err != nil {
		return nil, err
	}
	index, err := r.treeOf(ctx, temp, nil)
	if err != nil {
		return nil, err
	}
	work, err := r.treeOf(ctx, temp, nil, "add", "-u")
	if err != nil || work == head.Tree && index == work && len(untracked) == 0 {
		return nil, err
	}
	target, err := r.SymbolicRef(ctx, "HEAD")
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	branch, _ := CodeBranchName(target)
	subject := cmp.Or(branch, "(no branch)") + ": " + message + "\n"
	parents := []ID{head.ID}
	commit := func(what string, tree ID, parents ...ID) (ID, error) {
		return r.WriteCommit(ctx, &Commit{Tree: tree, Parents: parents, Author: by, Committer: by, Message: what + " " + subject})
	}
	part, err := commit("index on", index, head.ID)
	if parents = append(parents, part); err == nil && len(untracked) > 0 {
		var tree ID
		if tree, err = r.treeOf(ctx, temp+".untracked", untracked, "update-index", "-z", "--add", "--remove", "--stdin"); err == nil {
			part, err = commit("untracked files on", tree)
			parents = append(parents, part)
		}
	}
	if err != nil {
		return nil, err
	}
	id, err := commit("On", work, parents...)
	if err != nil {
		return nil, err
	}
	return r.ReadStash(ctx, id)
}

// treeOf stores the tree of a temporary index, after a command that changes that, if there is one.
func (r *Repo) treeOf(ctx context.Context, index string, paths []string, change ...string) (ID, error) {
	if len(change) > 0 {
		if _, err := r.withIndex(ctx, index, paths, change...); err != nil {
			return "", err
		}
	}
	out, err := r.withIndex(ctx, index, nil, "write-tree")
	return ID(strings.TrimSpace(string(out))), err
}

// IndexTree stores the tree of the user's index, which stays as it is.
func (r *Repo) IndexTree(ctx context.Context) (ID, error) {
	temp, err := r.copyIndex()
	defer r.dropTemp(temp)
	if err != nil {
		return "", err
	}
	return r.treeOf(ctx, temp, nil)
}

// copyIndex copies the user's index to a temporary file of local state; an index that does not exist is empty.
func (r *Repo) copyIndex() (string, error) {
	from := cmp.Or(r.Getenv("GIT_INDEX_FILE"), filepath.Join(r.gitDir, "index"))
	from = disk.Absolute(r.dir, from)
	before, err := os.Stat(from)
	var data []byte
	if err == nil {
		data, err = disk.ReadFollowed(from)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	name := disk.TempPrefix + disk.RandomName()
	path := filepath.Join(r.StateDir(), name)
	if err != nil {
		return path, nil
	}
	f, err := r.OpenState(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return path, err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		// A file that was edited within the index's own clock tick, to the same size, is seen by git only if the
		// copy is as old as the index: git compares the two times.
		err = os.Chtimes(path, before.ModTime(), before.ModTime())
	}
	return path, err
}

// dropTemp removes a temporary index and what git has put beside it. gc removes what stays.
func (r *Repo) dropTemp(path string) {
	if path == "" {
		return
	}
	found, err := disk.Glob(filepath.Dir(path), filepath.Base(path)+"*")
	if err != nil {
		return
	}
	for _, f := range found {
		_ = os.Remove(f)
	}
}

// StashContent is what an entry of git stash changes.
type StashContent struct {
	Paths     []string      // tracked files that differ from the base in the index or in the worktree, sorted
	Untracked map[string]ID // the others
	Blobs     map[ID]int64  // the sizes of the contents that it brings
	Bytes     int64         // the sum of them
	Largest   string        // the path of the largest one
}

// Files is the number of files.
func (c *StashContent) Files() int { return len(c.Paths) + len(c.Untracked) }

// StashContent lists what an entry changes, with one diff of its three commits. ErrNotFound: some
// of it is not here. ErrStashTooLarge: it changes more than MostStashFiles files.
func (r *Repo) StashContent(ctx context.Context, st *Stash) (*StashContent, error) {
	d := differing{r, map[treePair]differs{}}
	if err := errors.Join(d.limit(ctx, st.ID, st.Base), d.limit(ctx, st.Index, st.Base), d.limit(ctx, st.Untracked, "")); err != nil {
		return nil, err
	}
	c := &StashContent{Untracked: map[string]ID{}, Blobs: map[ID]int64{}}
	diffs := fmt.Sprintf("%s %s\n%s %s\n", st.ID, st.Base, st.Index, st.Base)
	names := map[ID]string{}
	if err := r.rawDiffs(ctx, diffs, names, func(path string, _ ID) { c.Paths = append(c.Paths, path) }); err != nil {
		return nil, err
	}
	if st.Untracked != "" {
		if err := r.rawDiffs(ctx, string(st.Untracked)+"\n", names, func(path string, id ID) { c.Untracked[path] = id }); err != nil {
			return nil, err
		}
	}
	slices.Sort(c.Paths)
	c.Paths = slices.Compact(c.Paths)
	ids := make([]ID, 0, len(names))
	for id := range names {
		ids = append(ids, id)
	}
	infos, err := r.Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	most := int64(-1)
	for _, info := range infos {
		if info.Type != "blob" {
			return nil, fmt.Errorf("the content %s of '%s': %w", info.ID.Short(), Shown(names[info.ID]), ErrNotFound)
		}
		c.Blobs[info.ID] = info.Size
		c.Bytes += info.Size
		if info.Size > most {
			most, c.Largest = info.Size, names[info.ID]
		}
	}
	return c, nil
}

// rawDiffs runs git diff-tree for lines of a commit and the one to compare it with, and visits each path with its
// new object. It adds the contents to names; a submodule has none.
func (r *Repo) rawDiffs(ctx context.Context, lines string, names map[ID]string, visit func(path string, id ID)) error {
	fields, err := zList(r.RunInput(ctx, []byte(lines), "diff-tree", "-r", "-z", "--root", "--no-renames", "--no-commit-id", "--stdin"))
	if err != nil {
		return err
	}
	if len(fields)%2 != 0 {
		return fmt.Errorf("git diff-tree: cannot understand '%s'", Shown(fields[len(fields)-1]))
	}
	for pair := range slices.Chunk(fields, 2) {
		part := strings.Fields(pair[0])
		if len(part) != 5 || !r.IsID(part[3]) {
			return fmt.Errorf("git diff-tree: cannot understand '%s'", Shown(pair[0]))
		}
		id := ID(part[3])
		if visit(pair[1], id); !id.IsZero() && part[1] != "160000" {
			names[id] = pair[1]
		}
	}
	return nil
}

// StashState says which part of an entry the worktree has, committed or not.
type StashState struct {
	Tracked bool     // all tracked files of it have their contents
	Absent  []string // untracked files that do not exist
	Waiting []string // untracked files in whose place there is what the entry deletes
	Blocked []string // what else is in the place of untracked files
}

// Whole reports whether nothing is missing.
func (s *StashState) Whole() bool {
	return s.Tracked && len(s.Absent)+len(s.Waiting)+len(s.Blocked) == 0
}

// StashState compares an entry with the worktree.
func (r *Repo) StashState(ctx context.Context, st *Stash, c *StashContent) (*StashState, error) {
	v := &StashState{}
	edited, err := r.editedFrom(ctx, st.ID)
	v.Tracked = !slices.ContainsFunc(edited, func(f EditedFile) bool {
		_, of := slices.BinarySearch(c.Paths, f.Path)
		return of
	})
	if err != nil || st.Untracked == "" {
		return v, err
	}
	differ, err := r.differingFrom(ctx, st.Untracked)
	if err != nil {
		return nil, err
	}
	looked := map[string]bool{}
	for _, path := range differ {
		at, err := r.obstacle(path, looked)
		deleted := false
		if err == nil && at != "" {
			deleted, err = r.deletes(ctx, st, c, at)
		}
		switch {
		case err != nil:
			return nil, err
		case at == "":
			v.Absent = append(v.Absent, path)
		case deleted:
			v.Waiting = append(v.Waiting, path)
		default:
			v.Blocked = append(v.Blocked, at)
		}
	}
	return v, nil
}

// deletes reports whether an entry deletes all that is at a path of the worktree: a tracked file, or a directory with
// only such files.
func (r *Repo) deletes(ctx context.Context, st *Stash, c *StashContent, at string) (bool, error) {
	w, err := r.Commit(ctx, st.ID)
	if err != nil {
		return false, err
	}
	if _, kept, err := r.Edit(w.Tree).Entry(ctx, at); err != nil || kept {
		return false, err
	}
	whole := true
	err = filepath.WalkDir(filepath.Join(r.workTree, filepath.FromSlash(at)), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(r.workTree, path)
		if err != nil {
			return err
		}
		if _, deleted := slices.BinarySearch(c.Paths, filepath.ToSlash(name)); !deleted {
			whole = false
			return fs.SkipAll
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
		return whole, nil
	}
	return whole, err
}

// StashInTheWay lists the untracked files that applying the tracked files of an entry would overwrite, except those with
// the same content: at most 20 paths. Git refuses to overwrite those that are not ignored, and overwrites the others.
func (r *Repo) StashInTheWay(ctx context.Context, st *Stash) ([]string, error) {
	var written []string
	for _, id := range []ID{st.ID, st.Index} {
		paths, err := zList(r.Run(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=d", string(st.Base), string(id)))
		if err != nil {
			return nil, err
		}
		written = append(written, paths...)
	}
	found, err := r.untrackedAt(ctx, written)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	differ, err := r.differingFrom(ctx, st.ID)
	found = slices.DeleteFunc(found, func(path string) bool {
		return slices.Contains(written, path) && !slices.Contains(differ, path)
	})
	return found[:min(len(found), maxLost)], err
}

// differingFrom lists the files of a tree that the worktree does not have with the same content.
func (r *Repo) differingFrom(ctx context.Context, tree ID) ([]string, error) {
	temp, err := r.indexOf(ctx, tree)
	defer r.dropTemp(temp)
	if err != nil {
		return nil, err
	}
	if _, err := r.withIndex(ctx, temp, nil, "update-index", "-q", "--refresh"); err != nil && ExitCode(err) != 1 { // 1: some differ
		return nil, err
	}
	return zList(r.withIndex(ctx, temp, nil, "diff-files", "--name-only", "-z"))
}

// indexOf makes a temporary index of a tree.
func (r *Repo) indexOf(ctx context.Context, tree ID) (string, error) {
	temp := filepath.Join(r.StateDir(), disk.TempPrefix+disk.RandomName())
	_, err := r.withIndex(ctx, temp, nil, "read-tree", string(tree))
	return temp, err
}

// ApplyStash applies the tracked files of an entry with `git stash apply`, as the user would; index restores what
// was staged too. An *Error has git's words: for a refusal, which changes nothing, or for conflicts, which
// [Repo.Unmerged] lists.
func (r *Repo) ApplyStash(ctx context.Context, st *Stash, index bool) error {
	id := st.ID
	if st.Untracked != "" { // which git would write even where it refuses the others
		c, err := r.Commit(ctx, id)
		if err != nil {
			return err
		}
		c.Parents = c.Parents[:2]
		if id, err = r.WriteCommit(ctx, c); err != nil {
			return err
		}
	}
	// Else a new file follows a directory that was renamed here, onto what is there and ignored.
	args := []string{"-c", "merge.directoryRenames=false", "stash", "apply", "--quiet"}
	if index {
		args = append(args, "--index")
	}
	var said tail
	err := r.RunUser(ctx, UserOptions{Action: "context switch --take-changes", Out: &said, Err: &said}, append(args, string(id))...)
	var failed *Error
	if errors.As(err, &failed) {
		failed.Stderr = said.String()
	}
	return err
}

// RestoreUntracked writes untracked files of an entry, as `git stash apply` does. None of the paths may exist.
func (r *Repo) RestoreUntracked(ctx context.Context, st *Stash, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	temp, err := r.indexOf(ctx, st.Untracked)
	defer r.dropTemp(temp)
	if err != nil {
		return err
	}
	_, err = r.withIndex(ctx, temp, paths, "checkout-index", "-z", "--stdin")
	return err
}

// UntrackedFiles lists the files of the worktree that are neither tracked nor ignored, each by itself.
// Repositories inside of the worktree are left out.
func (r *Repo) UntrackedFiles(ctx context.Context) ([]string, error) {
	list, err := zList(r.runIndex(ctx, "ls-files", "--others", "--exclude-standard", "-z", "--"))
	return slices.DeleteFunc(list, func(path string) bool { return strings.HasSuffix(path, "/") }), err
}

// Unmerged lists the paths of the index that have conflicts.
func (r *Repo) Unmerged(ctx context.Context) ([]string, error) {
	return zList(r.runIndex(ctx, "diff-index", "--cached", "--name-only", "--diff-filter=U", "-z", "HEAD", "--"))
}
