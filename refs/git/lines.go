package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// BlamedLine is a line of a file, and the commit that brought it.
type BlamedLine struct {
	Commit ID
	Line   int    // its number in the file of that commit, from 1
	Text   string // without its line end
}

// Blame asks `git blame` which commit brought each line of a file of a commit. It follows
// no renames and ignores the repository's settings for code (attributes, revisions to be
// ignored) and white space: a last line to which another line is appended gets a line end,
// and keeps its commit. A file without content has no lines. The path must be in the
// commit. Of a file with more than most lines only those are blamed; 0: all.
func (r *Repo) Blame(ctx context.Context, id ID, path string, most int) ([]BlamedLine, error) {
	dir, remove, err := r.blameDir(ctx)
	if err != nil {
		return nil, err
	}
	defer remove()
	// An empty file name clears the list of revisions to be ignored. As a setting
	// it would do nothing: git sorts those.
	args := []string{"blame", "--porcelain", "-w", "--no-textconv", "--no-follow", "--ignore-revs-file="}
	if most > 0 {
		args = append(args, fmt.Sprintf("-L1,%d", most))
	}
	out, err := r.viewFrom(ctx, dir, append(args, string(id), "--", path))
	if err != nil {
		return nil, err
	}
	return parseBlame(string(out), r.hexLen())
}

// blameDir returns the directory to run git blame in. Git opens the files that
// blame.ignoreRevsFile names before it clears that list, and dies if one is missing: the
// code's worktree may have them, and memory has none. A directory with empty files
// replaces it.
func (r *Repo) blameDir(ctx context.Context) (dir string, remove func(), err error) {
	cfg, err := r.Config(ctx)
	if err != nil {
		return "", nil, err
	}
	var names []string
	for _, name := range cfg.All("blame.ignoreRevsFile") {
		if filepath.IsLocal(name) && !strings.HasPrefix(name, "~") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return r.gitDir, func() {}, nil
	}
	if dir, err = os.MkdirTemp("", "git-context-"); err != nil {
		return "", nil, fmt.Errorf("cannot make a directory for git blame: %w", err)
	}
	remove = func() { _ = os.RemoveAll(dir) } // of no use to anybody, and empty
	for _, name := range names {
		file := filepath.Join(dir, name)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, nil, 0o666))
	}
	if err != nil {
		remove()
		return "", nil, fmt.Errorf("cannot make a directory for git blame: %w", err)
	}
	return dir, remove, nil
}

// parseBlame reads `git blame --porcelain` (git-blame(1)): for every line a header
// "<commit> <line there> <line here> …", facts about the commit, and, behind a tab,
// the line.
func parseBlame(out string, hexLen int) ([]BlamedLine, error) {
	var lines []BlamedLine
	var commit ID
	var number int
	for row := range strings.Lines(out) {
		row = strings.TrimSuffix(row, "\n")
		if text, ok := strings.CutPrefix(row, "\t"); ok {
			if commit == "" {
				return nil, fmt.Errorf("git blame: a line without a commit: '%s'", Shown(row))
			}
			lines = append(lines, BlamedLine{commit, number, text})
			continue
		}
		if first, rest, _ := strings.Cut(row, " "); isHex(first, hexLen) {
			there, _, _ := strings.Cut(rest, " ")
			n, err := strconv.Atoi(there)
			if err != nil {
				return nil, fmt.Errorf("git blame: a header without the number of the line: '%s'", Shown(row))
			}
			commit, number = ID(first), n
		}
	}
	return lines, nil
}

// MergeFile merges two texts that grew from base, as `git merge-file --zdiff3`
// does; labels name ours, base and theirs in conflict markers. With a conflict
// the text with markers is returned. Texts that git takes for binary cannot be
// merged: an error.
func (r *Repo) MergeFile(
	ctx context.Context, base, ours, theirs []byte, labels [3]string,
) (merged []byte, conflict bool, err error) {
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

// UnionFile merges two texts as `git merge-file --union` does: where both changed the same
// lines, those of ours come before those of theirs.
func (r *Repo) UnionFile(ctx context.Context, base, ours, theirs []byte) ([]byte, error) {
	return r.mergeFile(ctx, []string{"--union"}, base, ours, theirs)
}

// mergeFolder is what the names of the folders begin with whose files git merge-file reads, in local state.
const mergeFolder = "tmp/merge-"

// DropMerges removes such folders that killed processes left: they contain texts of memory. Those of other users, in a shared repository, are
// left to these.
func (r *Repo) DropMerges() error {
	dir, prefix := filepath.Split(filepath.Join(r.StateDir(), filepath.FromSlash(mergeFolder)))
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && time.Since(info.ModTime()) < mergeLeft {
			continue
		}
		if err == nil {
			err = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

func (r *Repo) mergeFile(ctx context.Context, options []string, base, ours, theirs []byte) ([]byte, error) {
	pattern, err := r.makeState(mergeFolder)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(filepath.Split(pattern))
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
