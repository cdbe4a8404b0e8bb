package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// place is where a repository is, seen from one worktree.
type place struct {
	gitDir, commonDir, workTree string
	format                      format
}

// discover finds the repository as git does (git(1), setup.c):
//
//  1. GIT_DIR names it, or
//  2. walking up from start, the first directory with a usable `.git`
//     (a directory, or a file that names one), or that is a bare repository.
//
// What is not plain is asked of git: it alone decides on other owners, bare
// repositories found by walking (safe.bareRepository), ceilings, discovery across
// file systems and formats we do not know. A wrong repository is never found.
func (r *Repo) discover(ctx context.Context, start string) (place, error) {
	p, err := r.plain(start)
	if errors.Is(err, errUnusual) {
		p, err = r.askGit(ctx, start)
	}
	if _, set := lookupEnv(r.env, "GIT_REFERENCE_BACKEND"); set {
		p.format.refFiles = false // since git 2.54 refs may be anywhere
	}
	return p, err
}

// plain is discovery in process. It returns errUnusual whenever git must judge.
func (r *Repo) plain(start string) (place, error) {
	for _, key := range []string{"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM",
		"GIT_TEST_ASSUME_DIFFERENT_OWNER", "GIT_IMPLICIT_WORK_TREE"} {
		if _, set := lookupEnv(r.env, key); set {
			return place{}, errUnusual
		}
	}
	if dir, set := lookupEnv(r.env, "GIT_DIR"); set {
		return r.named(start, dir)
	}
	if r.Getenv("GIT_COMMON_DIR") != "" {
		return place{}, errUnusual
	}
	return r.walk(start)
}

// named is case 1: git does not ask who owns a repository that GIT_DIR names.
func (r *Repo) named(start, dir string) (place, error) {
	gitDir := disk.Absolute(start, dir)
	info, err := os.Stat(gitDir)
	if err != nil || dir == "" {
		return place{}, errUnusual
	}
	if !info.IsDir() {
		if gitDir, err = readGitfile(gitDir); err != nil {
			return place{}, err
		}
	}
	p, err := r.inspect(gitDir)
	if err != nil {
		return place{}, err
	}
	if p.workTree == "" && !p.format.bare && !disk.Within(start, gitDir) {
		p.workTree = start
	}
	return r.withWorkTree(start, p)
}

// walk is case 2.
func (r *Repo) walk(start string) (place, error) {
	info, err := os.Lstat(start)
	if err != nil {
		return place{}, fmt.Errorf("cannot open directory '%s': %w", start, err)
	}
	dev := disk.Device(info)
	for dir := start; ; {
		found, err := r.look(dir, info)
		if err != nil {
			return place{}, err
		}
		if found != nil {
			return r.withWorkTree(start, *found)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return place{}, fmt.Errorf("%w (or any of the parent directories): '%s'", ErrNotRepository, start)
		}
		dir = parent
		if info, err = os.Lstat(dir); err != nil {
			return place{}, errUnusual
		}
		if disk.Device(info) != dev { // plain has left GIT_DISCOVERY_ACROSS_FILESYSTEM to git
			return place{}, fmt.Errorf("%w (or any parent up to mount point '%s'): '%s'", ErrNotRepository, dir, start)
		}
	}
}

// look returns the repository whose worktree has its top in dir; nil if there is none.
func (r *Repo) look(dir string, info fs.FileInfo) (*place, error) {
	dotGit := filepath.Join(dir, ".git")
	entry, err := os.Lstat(dotGit)
	if errors.Is(err, fs.ErrNotExist) {
		// It may be a bare repository, or the inside of a `.git`.
		if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err == nil {
			return nil, errUnusual
		}
		return nil, nil
	}
	if err != nil || !disk.Owned(entry) || !disk.Owned(info) {
		return nil, errUnusual
	}
	gitDir := dotGit
	switch {
	case entry.Mode().IsRegular():
		if gitDir, err = readGitfile(dotGit); err != nil {
			return nil, err
		}
		if entry, err = os.Lstat(gitDir); err != nil || !disk.Owned(entry) {
			return nil, errUnusual
		}
	case !entry.IsDir():
		return nil, errUnusual
	}
	p, err := r.inspect(gitDir)
	if err != nil {
		return nil, err
	}
	if p.workTree == "" && !p.format.bare {
		p.workTree = dir
	}
	return &p, nil
}

// readGitfile returns the git directory that a `.git` file names.
func readGitfile(path string) (string, error) {
	data, err := disk.ReadFollowed(path)
	if err != nil {
		return "", errUnusual
	}
	target, ok := strings.CutPrefix(string(data), "gitdir: ")
	target = strings.TrimRight(target, "\r\n")
	if !ok || target == "" {
		return "", errUnusual
	}
	if target, err = filepath.EvalSymlinks(disk.Absolute(filepath.Dir(path), target)); err != nil {
		return "", errUnusual
	}
	return target, nil
}

// RootedAt reports whether `.git` of a directory is this repository, as git finds it from there. Of a
// worktree that core.worktree names, another repository may be found, or none.
func (r *Repo) RootedAt(dir string) bool {
	found := filepath.Join(dir, ".git")
	info, err := os.Stat(found)
	if err != nil {
		return false
	}
	if info.Mode().IsRegular() {
		found, err = readGitfile(found)
	} else {
		found, err = filepath.EvalSymlinks(found)
	}
	own, err1 := filepath.EvalSymlinks(r.gitDir)
	return err == nil && err1 == nil && found == own
}

// inspect reads the layout of a git directory. It returns errUnusual for one that git
// might refuse.
func (r *Repo) inspect(gitDir string) (place, error) {
	p := place{gitDir: gitDir, commonDir: gitDir}
	for _, name := range []string{"HEAD", "commondir", "config", "config.worktree"} { // git would wait
		if err := disk.CheckNoPipe(filepath.Join(gitDir, name)); err != nil {
			return p, err
		}
	}
	head, err := disk.ReadFollowed(filepath.Join(gitDir, "HEAD"))
	if err != nil || !plausibleHead(string(head)) {
		return p, errUnusual
	}
	if dir := r.Getenv("GIT_COMMON_DIR"); dir != "" {
		return p, errUnusual
	} else if data, err := disk.ReadFollowed(filepath.Join(gitDir, "commondir")); err == nil {
		p.commonDir = disk.Absolute(gitDir, strings.TrimRight(string(data), "\r\n"))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return p, errUnusual
	}
	if !disk.IsDir(filepath.Join(p.commonDir, "objects")) || !disk.IsDir(filepath.Join(p.commonDir, "refs")) {
		return p, errUnusual
	}
	config, err := disk.ReadFollowed(filepath.Join(p.commonDir, "config"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, errUnusual
	}
	if p.format, err = parseFormat(config); err != nil {
		return p, err
	}
	if disk.IsDir(filepath.Join(p.commonDir, "reftable")) {
		p.format.refFiles = false
	}
	return p, p.ownConfig()
}

// ownConfig settles core.bare and core.worktree: in a linked worktree those of
// the common configuration do not count, those of config.worktree always do.
func (p *place) ownConfig() error {
	linked := p.gitDir != p.commonDir
	if p.format.worktreeConfig {
		if linked && (p.format.bare || p.format.workTree != "") {
			return errUnusual
		}
		data, err := disk.ReadFollowed(filepath.Join(p.gitDir, "config.worktree"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errUnusual
		}
		err = scanConfig(string(data), func(key, value string, bare bool) {
			switch key {
			case "core.bare":
				p.format.bare = bare || truthy(value)
			case "core.worktree":
				p.format.workTree = value
			}
		})
		if err != nil {
			return err
		}
	} else if linked {
		p.format.bare, p.format.workTree = false, ""
	}
	if p.format.workTree == "" {
		return nil
	}
	if p.format.bare {
		return errUnusual
	}
	var err error
	p.workTree, err = filepath.EvalSymlinks(disk.Absolute(p.gitDir, p.format.workTree))
	if err != nil {
		return errUnusual
	}
	return nil
}

// withWorkTree applies GIT_WORK_TREE, which is stronger than configuration.
func (r *Repo) withWorkTree(start string, p place) (place, error) {
	dir, set := lookupEnv(r.env, "GIT_WORK_TREE")
	if !set {
		return p, nil
	}
	var err error
	if p.workTree, err = filepath.EvalSymlinks(disk.Absolute(start, dir)); err != nil || dir == "" {
		return p, errUnusual
	}
	return p, nil
}

// plausibleHead is git's own test of a HEAD file.
func plausibleHead(head string) bool {
	if target, ok := strings.CutPrefix(head, "ref:"); ok {
		return strings.HasPrefix(strings.TrimLeft(target, " \t\n\r"), "refs/")
	}
	return len(head) >= 40 && isHex(head[:40], 40)
}

// askGit is discovery by `git rev-parse`, with the environment as it was given.
func (r *Repo) askGit(ctx context.Context, start string) (place, error) {
	path, err := findGit(r.env)
	if err != nil {
		return place{}, err
	}
	env := append(without(without(r.env, "LC_ALL"), "LANGUAGE"), "LC_ALL=C")
	out, err := r.spawn(ctx, command{path: path, dir: start, env: env, args: []string{"rev-parse",
		"--path-format=absolute", "--git-dir", "--git-common-dir", "--show-object-format", "--show-toplevel"}})
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	var failed *Error
	switch {
	case err == nil && len(lines) == 4:
	case errors.As(err, &failed) && failed.Code == 128 && len(lines) == 3:
		// Only the last question was refused: a repository without a worktree.
		lines = append(lines, "")
	case err == nil:
		return place{}, fmt.Errorf("cannot understand the repository's paths: %q", lines)
	default:
		return place{}, r.refusal(ctx, path, start, err)
	}
	p := place{gitDir: filepath.Clean(lines[0]), commonDir: filepath.Clean(lines[1])}
	if lines[3] != "" {
		p.workTree = filepath.Clean(lines[3])
	}
	config, _ := disk.ReadFollowed(filepath.Join(p.commonDir, "config"))
	if p.format, err = parseFormat(config); err != nil {
		p.format.refFiles = false // git reads what we do not understand
	}
	if disk.IsDir(filepath.Join(p.commonDir, "reftable")) {
		p.format.refFiles = false
	}
	p.format.hash = lines[2]
	return p, nil
}

// refusal returns the reason for which git found no repository. An old git may have failed
// at our options instead.
func (r *Repo) refusal(ctx context.Context, path, start string, err error) error {
	var failed *Error
	if !errors.As(err, &failed) || failed.Code < 0 {
		return err
	}
	if strings.Contains(failed.Stderr, "not a git repository") {
		return fmt.Errorf("%w: '%s': %w", ErrNotRepository, start, failed)
	}
	if version, verr := r.version(ctx, path); verr == nil {
		if old := checkVersion(path, version); old != nil {
			return old
		}
	}
	return err
}

// Inside reads the name of a file as git reads it from a user: absolute, or relative to
// the directory that Open was given. It returns the path from the worktree's top, clean
// and with slashes; "." is the top itself. The file need not exist. ok is false for a name
// outside of the worktree. In a bare repository, and where the user's directory is outside
// of the worktree (GIT_WORK_TREE), names are relative to the root.
func (r *Repo) Inside(name string) (path string, ok bool) {
	if name == "" {
		return "", false
	}
	if filepath.IsAbs(name) {
		name, ok = r.fromTop(filepath.Clean(name))
		return filepath.ToSlash(name), ok
	}
	if here, ok := r.fromTop(r.dir); ok {
		name = filepath.Join(here, name)
	}
	name = filepath.Clean(name)
	return filepath.ToSlash(name), filepath.IsLocal(name)
}

// fromTop makes an absolute path relative to the worktree's top. A symbolic link on the
// path may lead to the top.
func (r *Repo) fromTop(path string) (string, bool) {
	if r.workTree == "" {
		return "", false
	}
	if disk.Within(path, r.workTree) {
		rel, err := filepath.Rel(r.workTree, path)
		return rel, err == nil
	}
	for at, rest := len(filepath.VolumeName(path)), ""; at < len(path); {
		next := strings.IndexRune(path[at+1:], filepath.Separator)
		if next < 0 {
			at, rest = len(path), "."
		} else {
			at, rest = at+1+next, path[at+2+next:]
		}
		real, err := filepath.EvalSymlinks(path[:at])
		if err != nil { // below what is not there nothing leads back
			return "", false
		}
		if real == r.workTree {
			return rest, true
		}
	}
	return "", false
}
