package pack

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/disk"
)

// condemn finds out what is to be deleted: what the ids that were asked for reach and,
// in a second walk, nothing else does. One walk with --not would be wrong: git then
// looks no further than the edge, and takes objects for unreachable that only older
// commits reach.
func (p *purger) condemn(ctx context.Context) error {
	p.fresh, p.reached = map[git.ID]bool{}, map[git.ID]bool{}
	var err error
	if p.since, err = p.repo.ObjectClock(); err != nil {
		return err
	}
	doomed := maps.Clone(p.left)
	var from []git.ID
	for _, id := range p.asked {
		// What a killed Purge has begun to delete may have holes, and was listed whole.
		if !p.left[id] {
			from = append(from, id)
		}
	}
	if err := p.repo.EachExisting(ctx, from, func(id git.ID) { doomed[id] = true }); err != nil {
		return err
	}
	if p.doomed = doomed; len(doomed) == 0 {
		return nil
	}
	asked := map[git.ID]bool{}
	for _, id := range p.asked {
		asked[id] = true
	}
	roots, err := p.roots(ctx)
	if err != nil {
		return err
	}
	err = p.walk(ctx, roots, func(id git.ID) {
		if doomed[id] {
			delete(doomed, id)
			if asked[id] {
				p.reached[id] = true
			}
		}
	}, "--all", "--reflog", "--indexed-objects")
	if err == nil {
		err = p.repo.EachExisting(ctx, p.keep, func(id git.ID) { delete(doomed, id) })
	}
	if err != nil || len(doomed) == 0 {
		return err
	}
	return p.remember()
}

// walk lists what ids, and what else args say, reach. It fetches nothing.
func (p *purger) walk(ctx context.Context, from []git.ID, each func(git.ID), args ...string) error {
	if p.partial {
		args = append([]string{missingAllowed}, args...)
	}
	return p.repo.EachReachable(ctx, from, each, args...)
}

// inProgress are the files of a git directory that show an operation in progress, each
// with an id on each line. `git gc` knows only some of them.
var inProgress = [...]string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "BISECT_EXPECTED_REV",
	"AUTO_MERGE", "MERGE_AUTOSTASH", "rebase-merge/orig-head", "rebase-merge/onto", "rebase-merge/autostash", "rebase-merge/amend",
	"rebase-apply/orig-head", "rebase-apply/onto", "rebase-apply/autostash"}

// roots lists the objects that must be kept and that rev-list does not know: those of
// operations in progress in any worktree, and of refs of other worktrees.
func (p *purger) roots(ctx context.Context) ([]git.ID, error) {
	dirs, err := p.repo.WorktreeDirs()
	if err != nil {
		return nil, err
	}
	var roots []git.ID
	for _, dir := range dirs {
		ids, err := p.rootsIn(ctx, dir)
		if err != nil {
			return nil, err
		}
		roots = append(roots, ids...)
	}
	slices.Sort(roots)
	if roots = slices.Compact(roots); p.partial {
		return roots, nil // asking for them would fetch them
	}
	infos, err := p.repo.Infos(ctx, roots)
	if err != nil {
		return nil, err
	}
	var existing []git.ID // a gc deletes some of what an old merge names
	for _, info := range infos {
		if info.Type != "" {
			existing = append(existing, info.ID)
		}
	}
	return existing, nil
}

// rootsIn are the roots of one worktree.
func (p *purger) rootsIn(ctx context.Context, gitDir string) ([]git.ID, error) {
	var roots []git.ID
	for _, name := range inProgress {
		ids, err := idsIn(p.repo, filepath.Join(gitDir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		roots = append(roots, ids...)
	}
	staged, err := stagedIn(ctx, p.repo, gitDir)
	if err != nil {
		return nil, err
	}
	for _, id := range staged {
		if p.doomed[id] { // a file that is only intended to be added need not exist
			roots = append(roots, id)
		}
	}
	if gitDir == p.repo.GitDir() && p.repo.RefFiles() {
		return roots, nil // --all has its refs
	}
	ids, err := ownRefs(ctx, p.repo, gitDir)
	return append(roots, ids...), err
}

// stagedIn lists the blobs of the indexes that a command in progress has beside a
// worktree's own: while the editor of `git commit -a` is open, nothing else names its
// files.
func stagedIn(ctx context.Context, r *git.Repo, gitDir string) ([]git.ID, error) {
	var ids []git.ID
	for _, pattern := range []string{"index.lock", "next-index-*.lock", "index.stash.*"} {
		found, err := disk.Glob(gitDir, pattern)
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			env := []string{"GIT_DIR=" + gitDir, "GIT_INDEX_FILE=" + path}
			out, err := r.RunEnv(ctx, env, nil, "ls-files", "--stage", "-z")
			if git.ExitCode(err) > 0 {
				continue // gone, or not complete: its writer has just made the objects
			}
			if err != nil {
				return nil, err
			}
			for entry := range strings.SplitSeq(string(out), "\x00") {
				if f := strings.Fields(entry); len(f) > 2 && r.IsID(f[1]) {
					ids = append(ids, git.ID(f[1]))
				}
			}
		}
	}
	return ids, nil
}

// idsIn reads the ids at the beginning of a file's lines; none if there is no file.
func idsIn(r *git.Repo, path string) ([]git.ID, error) {
	data, err := disk.ReadFollowed(path)
	if disk.IsAbsent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []git.ID
	for line := range strings.Lines(string(data)) {
		if id, _, _ := strings.Cut(strings.TrimSpace(line), " "); r.IsID(id) {
			ids = append(ids, git.ID(id))
		}
	}
	return ids, nil
}

// ownRefs lists the objects of the refs that a worktree shares with no other. A reftable
// contains there too what is otherwise a file (MERGE_HEAD).
func ownRefs(ctx context.Context, r *git.Repo, gitDir string) ([]git.ID, error) {
	args := []string{"for-each-ref", "--format=%(objectname) %(refname)"}
	if r.RefFiles() {
		args = append(args, "--", "refs/bisect", "refs/rewritten", "refs/worktree")
	} else {
		args = append(args, "--include-root-refs")
	}
	out, err := r.RunEnv(ctx, []string{"GIT_DIR=" + gitDir}, nil, args...)
	if err != nil {
		return nil, err
	}
	var ids []git.ID
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if r.IsID(id) && name != "ORIG_HEAD" {
			ids = append(ids, git.ID(id))
		}
	}
	return ids, nil
}
