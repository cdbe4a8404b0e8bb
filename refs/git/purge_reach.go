package git

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// missingAllowed has a walk pass over what is not there, and not fetch it either.
const missingAllowed = "--missing=allow-any"

// condemn finds out what is to be deleted: what the ids that were asked for reach
// and, in a second walk, nothing else does. One walk with --not would be wrong: git
// then looks no further than the edge, and takes for unreachable what only older
// commits hold.
func (p *purge) condemn(ctx context.Context) error {
	p.fresh, p.reached = map[ID]bool{}, map[ID]bool{}
	var err error
	if p.since, err = p.repo.objectClock(); err != nil {
		return err
	}
	doomed := maps.Clone(p.left)
	var from []ID
	for _, id := range p.asked {
		// What a killed Purge has begun to delete may have holes, and was listed whole.
		if !p.left[id] {
			from = append(from, id)
		}
	}
	if len(from) > 0 {
		err := p.walk(ctx, from, func(id ID) { doomed[id] = true }, "--ignore-missing", missingAllowed)
		if err != nil {
			return err
		}
	}
	if p.doomed = doomed; len(doomed) == 0 {
		return nil
	}
	asked := map[ID]bool{}
	for _, id := range p.asked {
		asked[id] = true
	}
	roots, err := p.roots(ctx)
	if err != nil {
		return err
	}
	err = p.walk(ctx, roots, func(id ID) {
		if doomed[id] {
			delete(doomed, id)
			if asked[id] {
				p.reached[id] = true
			}
		}
	}, "--all", "--reflog", "--indexed-objects")
	if err != nil || len(doomed) == 0 {
		return err
	}
	return p.remember()
}

// walk lists what ids, and what else args say, reach.
func (p *purge) walk(ctx context.Context, from []ID, each func(ID), args ...string) error {
	full := []string{"rev-list", "--objects", "--no-object-names"}
	if p.partial {
		full = append(full, missingAllowed) // nothing is fetched
	}
	var in bytes.Buffer
	for _, id := range from {
		fmt.Fprintln(&in, id)
	}
	hexLen := p.repo.hexLen()
	out := &lines{each: func(line []byte) error {
		if !isHex(string(line), hexLen) {
			return fmt.Errorf("git rev-list: cannot understand '%s'", shown(string(line)))
		}
		each(ID(line))
		return nil
	}}
	return p.repo.stream(ctx, command{args: append(append(full, args...), "--stdin"), stdin: in.Bytes()}, out)
}

// stream runs a child whose output is read by lines.
func (r *Repo) stream(ctx context.Context, c command, out *lines) error {
	if c.env == nil {
		c.env = r.childEnv
	}
	c.limit, c.out = purgeTimeout, out
	_, err := r.start(ctx, c)
	if out.err != nil {
		return out.err
	}
	if err == nil && len(out.rest) > 0 {
		err = fmt.Errorf("git %s: its last line is cut short", c.args[0])
	}
	return err
}

// lines hands on what is written to it, by lines. It ends at the first error.
type lines struct {
	each func(line []byte) error
	rest []byte
	err  error
}

func (l *lines) Write(data []byte) (int, error) {
	n := len(data)
	if l.err != nil {
		return 0, l.err
	}
	for {
		line, after, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			l.rest = append(l.rest, data...)
			return n, nil
		}
		if len(l.rest) > 0 {
			line = append(l.rest, line...)
			l.rest = nil
		}
		if l.err = l.each(line); l.err != nil {
			return 0, l.err
		}
		data = after
	}
}

// What says in a git directory that an operation is under way, an id on each line.
// That of `git gc` knows the last few only, and not all of them.
var underway = [...]string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "BISECT_EXPECTED_REV", "AUTO_MERGE",
	"MERGE_AUTOSTASH", "rebase-merge/orig-head", "rebase-merge/onto", "rebase-merge/autostash", "rebase-merge/amend",
	"rebase-apply/orig-head", "rebase-apply/onto", "rebase-apply/autostash"}

// roots are what keeps objects and rev-list does not know: operations under way in
// any worktree, and refs that belong to other worktrees.
func (p *purge) roots(ctx context.Context) ([]ID, error) {
	r := p.repo
	dirs, err := r.worktreeDirs()
	if err != nil {
		return nil, err
	}
	var roots []ID
	for _, dir := range dirs {
		for _, name := range underway {
			ids, err := r.idsIn(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				return nil, err
			}
			roots = append(roots, ids...)
		}
		staged, err := r.stagedIn(ctx, dir)
		if err != nil {
			return nil, err
		}
		for _, id := range staged {
			if p.doomed[id] { // what is only intended to be added need not be there
				roots = append(roots, id)
			}
		}
		if dir == r.gitDir && r.format.refFiles {
			continue // --all has its refs
		}
		ids, err := r.ownRefs(ctx, dir)
		if err != nil {
			return nil, err
		}
		roots = append(roots, ids...)
	}
	slices.Sort(roots)
	if roots = slices.Compact(roots); p.partial {
		return roots, nil // to ask would fetch
	}
	infos, err := r.Infos(ctx, roots)
	if err != nil {
		return nil, err
	}
	var there []ID // a gc keeps not all that an old merge names
	for _, info := range infos {
		if info.Type != "" {
			there = append(there, info.ID)
		}
	}
	return there, nil
}

// stagedIn are the blobs of the indexes that a command under way has beside a worktree's
// own: while the editor of `git commit -a` is open, nothing else holds its files.
func (r *Repo) stagedIn(ctx context.Context, dir string) ([]ID, error) {
	var ids []ID
	for _, pattern := range []string{"index.lock", "next-index-*.lock", "index.stash.*"} {
		found, err := disk.Glob(dir, pattern)
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			out, err := r.RunEnv(ctx, []string{"GIT_DIR=" + dir, "GIT_INDEX_FILE=" + path}, nil, "ls-files", "--stage", "-z")
			if exitCode(err) > 0 {
				continue // gone, or not written to its end: by a process that has just made its objects
			}
			if err != nil {
				return nil, err
			}
			for entry := range strings.SplitSeq(string(out), "\x00") {
				if f := strings.Fields(entry); len(f) > 2 && isHex(f[1], r.hexLen()) {
					ids = append(ids, ID(f[1]))
				}
			}
		}
	}
	return ids, nil
}

// idsIn reads the ids that stand at the beginning of a file's lines.
func (r *Repo) idsIn(path string) ([]ID, error) {
	data, err := os.ReadFile(path)
	if disk.IsAbsent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []ID
	for line := range strings.Lines(string(data)) {
		if id, _, _ := strings.Cut(strings.TrimSpace(line), " "); isHex(id, r.hexLen()) {
			ids = append(ids, ID(id))
		}
	}
	return ids, nil
}

// ownRefs are the objects of the refs that a worktree shares with no other one. A
// reftable holds there too what is otherwise a file (MERGE_HEAD).
func (r *Repo) ownRefs(ctx context.Context, dir string) ([]ID, error) {
	args := []string{"for-each-ref", "--format=%(objectname) %(refname)"}
	if r.format.refFiles {
		args = append(args, "--", "refs/bisect", "refs/rewritten", "refs/worktree")
	} else {
		args = append(args, "--include-root-refs")
	}
	out, err := r.RunEnv(ctx, []string{"GIT_DIR=" + dir}, nil, args...)
	if err != nil {
		return nil, err
	}
	var ids []ID
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if isHex(id, r.hexLen()) && name != "ORIG_HEAD" {
			ids = append(ids, ID(id))
		}
	}
	return ids, nil
}
