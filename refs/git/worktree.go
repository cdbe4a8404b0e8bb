package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// WorktreeHead is the CONTEXT_HEAD of one worktree.
type WorktreeHead struct {
	Path   string // the worktree's (the git directory's in a bare repository)
	Ref    string // its name as seen from any worktree
	Target string // the ref that it names
}

// Worktrees returns the CONTEXT_HEAD of every worktree that has one. Worktrees
// whose directory is gone count too, as they do for `git branch -d`: they may
// be on a disk that is not mounted.
func (r *Repo) Worktrees(ctx context.Context) ([]WorktreeHead, error) {
	all, err := r.HeadNames()
	if err != nil {
		return nil, err
	}
	var heads []WorktreeHead
	for _, h := range all {
		h.Target, err = r.SymbolicRef(ctx, h.Ref)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		heads = append(heads, h)
	}
	return heads, nil
}

// HasHead reports whether any worktree has a CONTEXT_HEAD, so that somebody works there. One that is malformed counts.
func (r *Repo) HasHead(ctx context.Context) (bool, error) {
	heads, err := r.Worktrees(ctx)
	if errors.Is(err, ErrBroken) {
		return true, nil
	}
	return len(heads) > 0, err
}

// HeadNames returns the names of the CONTEXT_HEAD of every worktree, the main one's first,
// without reading any.
func (r *Repo) HeadNames() ([]WorktreeHead, error) {
	main := r.commonDir
	if filepath.Base(main) == ".git" {
		main = filepath.Dir(main)
	}
	heads := []WorktreeHead{{Path: main, Ref: mainHeadName}}
	dir := filepath.Join(r.commonDir, "worktrees")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot list worktrees: %w", err)
	}
	for _, e := range entries {
		data, err := disk.ReadFollowed(filepath.Join(dir, e.Name(), "gitdir"))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("cannot list worktrees: %w", err)
		}
		path := disk.Absolute(filepath.Join(dir, e.Name()), strings.TrimRight(string(data), "\r\n"))
		heads = append(heads, WorktreeHead{Path: filepath.Dir(path), Ref: "worktrees/" + e.Name() + "/" + HeadName})
	}
	return heads, nil
}

// WorktreeDirs lists the git directories of all worktrees, absolute, the main one's
// first.
func (r *Repo) WorktreeDirs() ([]string, error) {
	dirs := []string{r.commonDir}
	list, err := os.ReadDir(filepath.Join(r.commonDir, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot list worktrees: %w", err)
	}
	for _, e := range list {
		dir := filepath.Join(r.commonDir, "worktrees", e.Name())
		switch _, err := os.Stat(filepath.Join(dir, "HEAD")); {
		case err == nil:
			dirs = append(dirs, dir)
		case !errors.Is(err, fs.ErrNotExist): // else it was removed, but for a remainder
			return nil, err
		}
	}
	return dirs, nil
}

// HooksPath is the directory in which git looks for this worktree's hooks, absolute:
// core.hooksPath, which may be relative to the worktree's top, else the common git
// directory's. It need not exist.
func (r *Repo) HooksPath(ctx context.Context) (string, error) {
	out, err := r.Run(ctx, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
	if err != nil {
		return "", err
	}
	path := filepath.Clean(strings.TrimSuffix(string(out), "\n"))
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("git rev-parse: cannot understand '%s'", Shown(path))
	}
	return path, nil
}

// MainWorkTree returns the top directory of the worktree that the repository was made
// with, "" where it is bare or this is not known.
func (r *Repo) MainWorkTree() string {
	switch {
	case !r.Linked():
		return r.workTree
	case filepath.Base(r.commonDir) == ".git":
		return filepath.Dir(r.commonDir)
	}
	return ""
}

// Rebasing reports whether a rebase is in progress in this worktree: when it ends it
// reports which commits it made of which.
func (r *Repo) Rebasing() (bool, error) {
	for _, name := range []string{"rebase-merge", "rebase-apply/rebasing"} {
		_, err := os.Lstat(filepath.Join(r.gitDir, filepath.FromSlash(name)))
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return false, nil
}

// runIndex runs a command with the user's index, which GIT_INDEX_FILE may name.
func (r *Repo) runIndex(ctx context.Context, args ...string) ([]byte, error) {
	var env []string
	if file := r.Getenv("GIT_INDEX_FILE"); file != "" {
		env = []string{"GIT_INDEX_FILE=" + file}
	}
	return r.RunEnv(ctx, env, nil, args...)
}

// Edited lists the tracked paths that differ from HEAD: those that the next commit
// would change if staged, else those of the worktree. A file that was only touched is
// not among them, nor is a submodule with edits of its own. The index is not written.
func (r *Repo) Edited(ctx context.Context, staged bool) ([]string, error) {
	if staged { // asked as git commit asks
		head, err := r.headOrEmpty(ctx)
		if err != nil {
			return nil, err
		}
		return zList(r.runIndex(ctx, "diff-index", "--cached", "--ita-invisible-in-index", "--name-only",
			"-z", "--no-renames", "--ignore-submodules=none", string(head), "--"))
	}
	files, err := r.EditedLines(ctx)
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return paths, err
}

// headOrEmpty returns the commit of HEAD, or the empty tree before the first commit.
func (r *Repo) headOrEmpty(ctx context.Context) (ID, error) {
	head, err := r.Ref(ctx, "HEAD")
	if errors.Is(err, ErrNotFound) {
		return r.EmptyTree(), nil
	}
	return head, err
}

// EditedFile is a tracked file whose content differs from HEAD's.
type EditedFile struct {
	Path           string
	Added, Removed int // lines; -1 for a file that is not text, or of which git could not count them
}

// EditedLines lists the tracked files whose content in the worktree differs from HEAD's, in the
// order of their paths. It reads the index, and does not write it as `git status` does. Without a file of HEAD
// that would have to be read, it lists all as git status does, without lines.
func (r *Repo) EditedLines(ctx context.Context) ([]EditedFile, error) {
	head, err := r.headOrEmpty(ctx)
	if err != nil {
		return nil, err
	}
	files, err := r.editedFrom(ctx, head)
	if !NotHere(err) {
		return files, err
	}
	status, err := zList(r.readWorktree(ctx, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no",
		"--ignore-submodules=dirty"))
	files = make([]EditedFile, 0, len(status))
	for _, line := range status {
		if len(line) > 3 {
			files = append(files, EditedFile{Path: line[3:], Added: -1, Removed: -1})
		}
	}
	return files, err
}

// editedFrom is EditedLines for another commit than HEAD's.
func (r *Repo) editedFrom(ctx context.Context, rev ID) ([]EditedFile, error) {
	// By their content: to diff-index alone a file with another date has changed.
	lines, err := zList(r.readWorktree(ctx, "diff-index", "--numstat", "-z",
		"--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", string(rev), "--"))
	if err != nil {
		return nil, err
	}
	files := make([]EditedFile, len(lines))
	for i, line := range lines {
		fields := strings.SplitN(line, "\t", 3)
		if len(fields) < 3 {
			return nil, fmt.Errorf("git diff-index: cannot understand '%s'", Shown(line))
		}
		files[i] = EditedFile{Path: fields[2], Added: lineCount(fields[0]), Removed: lineCount(fields[1])}
	}
	// An unmerged file is listed twice.
	return slices.CompactFunc(files, func(a, b EditedFile) bool { return a.Path == b.Path }), nil
}

// lineCount parses a number of lines of --numstat, which is "-" for a file that is not text.
func lineCount(field string) int {
	n, err := strconv.Atoi(field)
	if err != nil {
		return -1
	}
	return n
}

// Untracked lists the files of the worktree that are neither tracked nor ignored. Of a directory
// without tracked files it lists the directory alone, with a slash at its end.
func (r *Repo) Untracked(ctx context.Context) ([]string, error) {
	return zList(r.runIndex(ctx, "ls-files", "--others", "--exclude-standard", "--directory", "--no-empty-directory", "-z", "--"))
}

// EditedOf returns those of some paths, relative to the top, that a commit of everything would change:
// they, or files below them, differ from HEAD in the index or in the worktree, or are not tracked yet.
// An ignored file is not among them. One child answers for all; the index is not written.
func (r *Repo) EditedOf(ctx context.Context, paths []string) ([]string, error) {
	if len(paths) == 0 || r.workTree == "" {
		return nil, nil
	}
	args := []string{"--literal-pathspecs", "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal",
		"--ignore-submodules=dirty", "--"}
	lines, err := zList(r.readWorktree(ctx, append(args, paths...)...))
	if err != nil {
		return nil, err
	}
	var edited []string
	for _, p := range paths {
		if slices.ContainsFunc(lines, func(line string) bool { return len(line) > 3 && overlap(line[3:], p) }) {
			edited = append(edited, p)
		}
	}
	return edited, nil
}

// overlap reports whether two paths are the same, or one is a folder that contains the other.
func overlap(a, b string) bool {
	a, b = strings.TrimSuffix(a, "/"), strings.TrimSuffix(b, "/")
	return a == b || b == "." || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}

// zList takes apart what a command printed with -z.
func zList(out []byte, err error) ([]string, error) {
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// InProgress returns the command that is in progress in this worktree ("merge", "rebase",
// "am", "cherry-pick", "revert", "bisect"); "" for none.
func (r *Repo) InProgress(ctx context.Context) (string, error) {
	for _, dir := range []struct{ name, command string }{
		{"rebase-apply/applying", "am"}, {"rebase-apply", "rebase"}, {"rebase-merge", "rebase"},
	} {
		switch _, err := os.Stat(filepath.Join(r.gitDir, filepath.FromSlash(dir.name))); {
		case err == nil:
			return dir.command, nil
		case !disk.IsAbsent(err):
			return "", err
		}
	}
	for _, ref := range []struct{ name, command string }{
		{"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"},
	} {
		switch _, err := r.Ref(ctx, ref.name); {
		case err == nil:
			return ref.command, nil
		case !errors.Is(err, ErrNotFound):
			return "", err
		}
	}
	for _, file := range []struct{ name, command string }{{"sequencer", "cherry-pick"}, {"BISECT_LOG", "bisect"}} {
		if _, err := os.Stat(filepath.Join(r.gitDir, file.name)); err == nil {
			return file.command, nil
		} else if !disk.IsAbsent(err) {
			return "", err
		}
	}
	return "", nil
}

// maxLost is how many paths InTheWay and StashInTheWay name.
const maxLost = 20

// InTheWay lists the untracked files, ignored or not, where a move of HEAD and the
// worktree from one commit to another would put a file: at most 20 paths. Git itself
// refuses to overwrite untracked files, and overwrites ignored ones. All tracked files
// must be as in the first commit.
func (r *Repo) InTheWay(ctx context.Context, from, to ID) ([]string, error) {
	added, err := zList(r.Run(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames",
		"--diff-filter=A", string(from), string(to)))
	if err != nil {
		return nil, err
	}
	found, err := r.untrackedAt(ctx, added)
	return found[:min(len(found), maxLost)], err
}

// untrackedAt lists the untracked files, ignored or not, that are at some paths or in place of one of their
// directories.
func (r *Repo) untrackedAt(ctx context.Context, paths []string) ([]string, error) {
	looked := map[string]bool{}
	var suspects []string
	for _, path := range paths {
		at, err := r.obstacle(path, looked)
		if err != nil {
			return nil, err
		}
		if at != "" && !slices.Contains(suspects, at) {
			suspects = append(suspects, at)
		}
	}
	if len(suspects) == 0 {
		return nil, nil
	}
	return r.untracked(ctx, suspects)
}

// obstacle returns what is at a path of the worktree, or in place of a directory that
// leads to it; "" if nothing is. looked are the directories that were seen to be such.
func (r *Repo) obstacle(path string, looked map[string]bool) (string, error) {
	for i := range len(path) + 1 {
		if i < len(path) && path[i] != '/' {
			continue
		}
		at := path[:i]
		if looked[at] {
			continue
		}
		info, err := os.Lstat(filepath.Join(r.workTree, filepath.FromSlash(at)))
		switch {
		case disk.IsAbsent(err):
			return "", nil
		case err != nil:
			return "", err
		case i == len(path) || !info.IsDir():
			return at, nil
		}
		looked[at] = true
	}
	return "", nil
}

// untracked lists which of some paths, or what below them, git does not track.
func (r *Repo) untracked(ctx context.Context, paths []string) (found []string, err error) {
	const batch = 500 // arguments have a limit
	for some := range slices.Chunk(paths, batch) {
		args := []string{"--literal-pathspecs", "ls-files", "--others", "-z", "--"}
		list, err := zList(r.runIndex(ctx, append(args, some...)...))
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	return found, nil
}
