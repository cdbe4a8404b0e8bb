package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/git-context/git-context/refs/git/disk"
)

// HeadMove is one line of the reflog of a HEAD. Old is zero where HEAD was unborn, and "" where it is not known: in a
// reftable git does not say where the oldest line begins, and the lines before it may have expired.
type HeadMove struct {
	Old, New ID
	Reason   string
}

// WorktreeDir returns a name of this worktree for [Repo.HeadOf] and [Repo.MovesSince] that
// is valid for as long as it exists, wherever it is moved to: its git directory, relative
// to the common one (".", "worktrees/x") if it is below that, else absolute.
func (r *Repo) WorktreeDir() string {
	if rel, err := filepath.Rel(r.commonDir, r.gitDir); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return r.gitDir
}

// worktreePath is the git directory of a worktree.
func (r *Repo) worktreePath(worktree string) string {
	return disk.Absolute(r.commonDir, filepath.FromSlash(worktree))
}

// HasWorktree reports whether a worktree is still known.
func (r *Repo) HasWorktree(worktree string) bool { return disk.IsDir(r.worktreePath(worktree)) }

// headName is the HEAD of a worktree, as it is called here.
func (r *Repo) headName(worktree string) string {
	switch {
	case r.worktreePath(worktree) == r.gitDir:
		return "HEAD"
	case worktree == ".":
		return "main-worktree/HEAD"
	}
	return worktree + "/HEAD"
}

// HeadOf is the commit that a worktree's HEAD names. ErrNotFound: it is unborn.
func (r *Repo) HeadOf(ctx context.Context, worktree string) (ID, error) {
	return r.Ref(ctx, r.headName(worktree))
}

// MovesSince lists the moves of a worktree's HEAD, oldest first, from the first one whose
// reason contains mark; none where no reason does. kept is false where git keeps no reflog
// of it.
//
// A move in the list need not have happened: git writes the line before it moves the
// branch, and may be killed in between.
func (r *Repo) MovesSince(ctx context.Context, worktree, mark string) (moves []HeadMove, kept bool, err error) {
	if !r.format.refFiles {
		return r.askMoves(ctx, worktree, mark)
	}
	data, err := disk.ReadFollowed(filepath.Join(r.worktreePath(worktree), "logs", "HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("cannot read the reflog of HEAD: %w", err)
	}
	text := string(data)
	at := strings.Index(text, mark)
	if at < 0 {
		return nil, true, nil
	}
	for line := range strings.Lines(text[strings.LastIndexByte(text[:at], '\n')+1:]) {
		m, err := r.parseMove(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, true, err
		}
		moves = append(moves, m)
	}
	return moves, true, nil
}

// askMoves has git read a reflog that is no file. There each line begins where the one
// before it ended: line and ref move in one step.
func (r *Repo) askMoves(ctx context.Context, worktree, mark string) (moves []HeadMove, kept bool, err error) {
	if _, err := r.HeadOf(ctx, worktree); errors.Is(err, ErrNotFound) {
		return nil, false, nil
	} else if err != nil {
		return nil, false, err
	}
	out, err := r.View(ctx, "log", "--walk-reflogs", "--format=%H %gs", "--end-of-options", r.headName(worktree), "--")
	if err != nil {
		return nil, false, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") // newest first
	first := -1
	for i, line := range lines {
		if strings.Contains(line, mark) {
			first = i
		}
	}
	for i := first; i >= 0; i-- {
		id, reason, _ := strings.Cut(lines[i], " ")
		old := ""
		if i+1 < len(lines) {
			old, _, _ = strings.Cut(lines[i+1], " ")
		}
		if !r.IsID(id) || old != "" && !r.IsID(old) {
			return nil, true, fmt.Errorf("git log: cannot understand '%s'", Shown(lines[i]))
		}
		moves = append(moves, HeadMove{Old: ID(old), New: ID(id), Reason: reason})
	}
	return moves, len(out) > 0, nil
}

// Logged returns the entries of the reflogs of all refs that match some patterns, as git's --glob.
// Their Old is not known. Entries whose commit is missing are left out.
func (r *Repo) Logged(ctx context.Context, globs ...string) ([]HeadMove, error) {
	args := []string{"log", "--walk-reflogs", "--ignore-missing", "--format=%H %gs"}
	for _, glob := range globs {
		args = append(args, "--glob="+glob)
	}
	out, err := r.View(ctx, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	var moves []HeadMove
	for line := range strings.Lines(string(out)) {
		id, reason, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !r.IsID(id) {
			return nil, fmt.Errorf("git log: cannot understand '%s'", Shown(line))
		}
		moves = append(moves, HeadMove{New: ID(id), Reason: reason})
	}
	return moves, nil
}

// RefMove is one line of a ref's reflog. Old is zero where the ref was made.
type RefMove struct {
	Old, New ID
	Reason   string
}

// LoggedRefs lists the names of refs below some prefixes that have a reflog, whether they exist or not. git deletes the reflog of a ref
// before the ref. Where refs are no files it lists none: a table has both.
func (r *Repo) LoggedRefs(prefixes ...string) (names []string, err error) {
	if !r.format.refFiles {
		return nil, nil
	}
	logs := filepath.Join(r.commonDir, "logs")
	for _, prefix := range prefixes {
		err := filepath.WalkDir(filepath.Join(logs, filepath.FromSlash(prefix)), func(path string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
				return nil
			}
			if err == nil && e.Type().IsRegular() && !strings.HasSuffix(path, ".lock") {
				names = append(names, filepath.ToSlash(strings.TrimPrefix(path, logs+string(filepath.Separator))))
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("cannot list reflogs: %w", err)
		}
	}
	return names, nil
}

// Moves lists the moves of a ref that all worktrees share, oldest first, as far as its
// reflog reaches; none where git keeps none. Its objects may be gone. A line that cannot
// be read is left out, as git does.
func (r *Repo) Moves(ctx context.Context, ref string) ([]RefMove, error) {
	if !r.format.refFiles {
		return r.askRefMoves(ctx, ref)
	}
	data, err := disk.ReadFollowed(filepath.Join(r.commonDir, "logs", filepath.FromSlash(ref)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the reflog of '%s': %w", ref, err)
	}
	var moves []RefMove
	for line := range strings.Lines(string(data)) {
		f := strings.SplitN(line, " ", 3)
		if len(f) == 3 && r.IsID(f[0]) && r.IsID(f[1]) {
			_, reason, _ := strings.Cut(strings.TrimSuffix(f[2], "\n"), "\t")
			moves = append(moves, RefMove{ID(f[0]), ID(f[1]), reason})
		}
	}
	return moves, nil
}

// askRefMoves has git read a reflog that is no file: there each line begins where the one
// before it ended.
func (r *Repo) askRefMoves(ctx context.Context, ref string) ([]RefMove, error) {
	if _, err := r.Ref(ctx, ref); err != nil {
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return nil, err
	}
	out, err := r.View(ctx, "log", "--walk-reflogs", "--format=%H %gs", "--end-of-options", ref, "--")
	if ExitCode(err) == 128 {
		return r.movesOf(ctx, ref) // an object is missing
	}
	if err != nil {
		return nil, err
	}
	var moves []RefMove
	old := r.ZeroID()
	for _, line := range slices.Backward(slices.Collect(strings.Lines(string(out)))) { // newest first
		id, reason, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !r.IsID(id) {
			return nil, fmt.Errorf("git log: cannot understand '%s'", Shown(line))
		}
		moves = append(moves, RefMove{old, ID(id), reason})
		old = ID(id)
	}
	return moves, nil
}

// movesOf lists the moves of a ref without their reasons.
func (r *Repo) movesOf(ctx context.Context, ref string) ([]RefMove, error) {
	past, err := r.RefPast(ctx, ref)
	var moves []RefMove
	old := r.ZeroID()
	for _, id := range slices.Backward(past) {
		moves = append(moves, RefMove{Old: old, New: id})
		old = id
	}
	return moves, err
}

// RefPast lists the values of a ref, the newest first, by its reflog; none where there is
// none. The objects need not exist. Where refs are no files, it lists at most askedPast.
func (r *Repo) RefPast(ctx context.Context, name string) ([]ID, error) {
	if err := checkRefName(name); err != nil {
		return nil, err
	}
	if !r.format.refFiles {
		return r.askRefPast(ctx, name)
	}
	data, err := disk.ReadFollowed(filepath.Join(r.commonDir, "logs", filepath.FromSlash(name)))
	if disk.IsAbsent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the reflog of '%s': %w", name, err)
	}
	var past []ID
	for line := range strings.Lines(string(data)) {
		_, rest, _ := strings.Cut(line, " ")
		now, _, _ := strings.Cut(rest, " ")
		if r.IsID(now) {
			past = append(past, ID(now))
		}
	}
	slices.Reverse(past)
	return past, nil
}

// askedPast is how many values of a ref git is asked for.
const askedPast = 200

// askRefPast asks git for the values of a ref. Its commands that list a reflog fail if an object is missing; rev-parse
// prints those that there are, and then fails for the first one that there is not.
func (r *Repo) askRefPast(ctx context.Context, name string) ([]ID, error) {
	args := []string{"rev-parse"}
	for i := range askedPast {
		args = append(args, fmt.Sprintf("%s@{%d}", name, i))
	}
	out, err := r.Run(ctx, args...)
	var failed *Error
	if errors.As(err, &failed) && reflogEnds(failed.Stderr) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	var past []ID
	for line := range strings.Lines(string(out)) {
		id := strings.TrimSuffix(line, "\n")
		if !r.IsID(id) {
			break // it repeats an argument that it does not know
		}
		past = append(past, ID(id))
	}
	return past, nil
}

// reflogEnds recognizes the complaints of rev-parse about a line that a reflog does not have, about a ref without one, and
// about an empty one, which a reftable has after git reflog expire.
func reflogEnds(stderr string) bool {
	return strings.Contains(stderr, " only has ") || strings.Contains(stderr, ": unknown revision ") ||
		strings.Contains(stderr, "log for ") && strings.Contains(stderr, " is empty")
}

// DropLostMoves removes the lines of a ref's reflog that name objects which do not exist, or
// commits of which parts do not: git fsck complains of them, and a walk over the reflogs ends
// there.
func (r *Repo) DropLostMoves(ctx context.Context, name string, parts ...ID) error {
	past, err := r.RefPast(ctx, name)
	if err != nil || len(past) == 0 {
		return err
	}
	infos, err := r.Infos(ctx, past)
	if err != nil {
		return err
	}
	args := []string{"reflog", "delete", "--rewrite"}
	for i, info := range slices.Backward(infos) { // what is older moves up
		if info.Type == "" && !info.ID.IsZero() || slices.Contains(parts, info.ID) {
			args = append(args, fmt.Sprintf("%s@{%d}", name, i))
		}
	}
	if len(args) > 3 {
		if _, err := r.Run(ctx, args...); err != nil {
			return err
		}
	}
	// What a line moves from is what the one before it moves to.
	if _, err = r.Run(ctx, "reflog", "expire", "--rewrite", "--expire=never", "--expire-unreachable=never", name); err != nil || r.format.refFiles {
		return err
	}
	return r.dropLostStart(ctx, name, parts)
}

// dropLostStart removes the oldest line of a reflog of a reftable if it begins at one of parts: git does not rewrite that.
func (r *Repo) dropLostStart(ctx context.Context, name string, parts []ID) error {
	past, err := r.askRefPast(ctx, name)
	n := len(past)
	if n < 2 || err != nil || !slices.Contains(parts, past[n-1]) {
		return err
	}
	_, err = r.Run(ctx, "reflog", "delete", fmt.Sprintf("%s@{%d}", name, n-2))
	return err
}

// maxReflogLine is how much of a reflog's end is read: the reason is a subject.
const maxReflogLine = 64 << 10

// LastMove is the newest line of this worktree's HEAD reflog. ErrNotFound: none is
// kept.
func (r *Repo) LastMove(ctx context.Context) (HeadMove, error) {
	if !r.format.refFiles {
		return r.askLastMove(ctx)
	}
	f, err := disk.OpenFollowed(filepath.Join(r.gitDir, "logs", "HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		return HeadMove{}, fmt.Errorf("reflog of 'HEAD': %w", ErrNotFound)
	}
	if err != nil {
		return HeadMove{}, err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return HeadMove{}, err
	}
	data := make([]byte, min(end, maxReflogLine))
	if _, err := f.ReadAt(data, end-int64(len(data))); err != nil && !errors.Is(err, io.EOF) {
		return HeadMove{}, err
	}
	data = bytes.TrimSuffix(data, []byte("\n"))
	if len(data) == 0 {
		return HeadMove{}, fmt.Errorf("reflog of 'HEAD': %w", ErrNotFound)
	}
	return r.parseMove(string(data[bytes.LastIndexByte(data, '\n')+1:]))
}

// parseMove reads `<old> <new> <who> <when>TAB<reason>`.
func (r *Repo) parseMove(line string) (HeadMove, error) {
	head, reason, _ := strings.Cut(line, "\t")
	fields := strings.SplitN(head, " ", 3)
	if len(fields) < 3 || !r.IsID(fields[0]) || !r.IsID(fields[1]) {
		return HeadMove{}, fmt.Errorf("reflog of 'HEAD': cannot understand '%s'", Shown(line))
	}
	return HeadMove{Old: ID(fields[0]), New: ID(fields[1]), Reason: reason}, nil
}

// askLastMove asks git, which keeps the reflog elsewhere. It prints the old value only as
// a line of its own.
func (r *Repo) askLastMove(ctx context.Context) (HeadMove, error) {
	if _, err := r.Ref(ctx, "HEAD"); err != nil {
		return HeadMove{}, err // git log knows no reflog of an unborn branch
	}
	out, err := r.View(ctx, "log", "--walk-reflogs", "-n2", "--format=%H %gs", "HEAD", "--")
	if err != nil {
		return HeadMove{}, err
	}
	newest, before, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	id, reason, _ := strings.Cut(newest, " ")
	old, _, _ := strings.Cut(before, " ")
	if !r.IsID(id) {
		return HeadMove{}, fmt.Errorf("reflog of 'HEAD': %w", ErrNotFound)
	}
	return HeadMove{Old: ID(old), New: ID(id), Reason: reason}, nil
}
