package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// fallen returns the moves that set those refs of a prepared transaction forward again that are behind their reflog, or are gone though they
// have one: a ref's file is lost, so that an older packed value counts again, or git was killed between the line and the move. What is
// built on the older value would hide the newer one for good, as the next line of the reflog begins at the older one. The transaction
// has the refs locked, so that no other process is in between. Where refs are no files, they and their reflogs are in one table.
func (r *Repo) fallen(ctx context.Context, queued []refChange) (forward []refChange, err error) {
	if !r.format.refFiles {
		return nil, nil
	}
	for _, q := range queued {
		if _, branch := BranchName(q.ref); !branch && q.ref != RoadmapRef && q.ref != NotesRef {
			continue
		}
		newest, err := r.lastMove(q.ref)
		if err != nil {
			return nil, err
		}
		if newest == "" || newest.IsZero() || newest == q.old || newest == q.new {
			continue
		}
		is, err := r.movesTo(ctx, q.ref, q.old, newest)
		if err != nil {
			return nil, err
		}
		if is {
			forward = append(forward, refChange{q.ref, newest, q.old})
		}
	}
	return forward, nil
}

// movesTo reports whether a ref whose reflog ends at newest, though it is at old, is to be set forward: all of newest is here, and it
// follows old, or old is one of the values that the ref had.
func (r *Repo) movesTo(ctx context.Context, ref string, old, newest ID) (bool, error) {
	args := []string{"rev-list", "--objects", "--quiet"}
	if partial, err := r.Partial(); err != nil {
		return false, err
	} else if partial {
		args = append(args, "--exclude-promisor-objects")
	}
	if args = append(args, string(newest)); old != "" {
		args = append(args, "--not", string(old)) // and no other ref, which may be broken
	}
	_, err := r.Run(ctx, args...)
	if ExitCode(err) > 0 || err != nil {
		return false, unlessGit(err)
	}
	if old == "" {
		return true, nil
	}
	follows, err := r.IsAncestor(ctx, old, newest)
	if follows || err != nil {
		return follows, unlessGit(err)
	}
	past, err := r.RefPast(ctx, ref)
	return slices.Contains(past, old), err
}

// unlessGit drops the error of a git that ended by itself: something is missing or damaged, which fsck reports.
func unlessGit(err error) error {
	if ExitCode(err) > 0 {
		return nil
	}
	return err
}

// setForward is a transaction of its own, which says so in the reflogs. ErrStale, so that its caller builds on the newer values.
func (tx *Tx) setForward(ctx context.Context, forward []refChange) error {
	opts := tx.opts
	opts.Message = "context: set forward to where the reflog is"
	again, err := tx.repo.Begin(ctx, opts)
	if err != nil {
		return err
	}
	for _, f := range forward {
		again.Update(f.ref, f.new, f.old)
	}
	err = again.Commit(ctx)
	if err = errors.Join(err, again.Close()); err != nil {
		return err
	}
	return fmt.Errorf("cannot update %s: %w: it was behind its reflog", refNames(forward), ErrStale)
}

// lineTail is how much of the end of a reflog is read for its last line, which is rarely longer.
const lineTail = 2048

// lastMove returns what the newest line of the reflog of a ref moves it to; "" where there is none. It costs the same for a reflog of any
// length. A line that cannot be read counts as none.
func (r *Repo) lastMove(ref string) (ID, error) {
	path := filepath.Join(r.commonDir, "logs", filepath.FromSlash(ref))
	f, err := disk.OpenFollowed(path)
	if disk.IsAbsent(err) || err != nil && disk.IsDir(path) { // git removes an empty folder
		return "", nil
	}
	var pipe *disk.NotRegularError
	if errors.As(err, &pipe) { // git would wait for it, too
		return "", pipe
	}
	if err != nil {
		return "", fmt.Errorf("cannot read the reflog of '%s': %w", ref, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("cannot read the reflog of '%s': %w", ref, err)
	}
	for size := int64(lineTail); ; size *= 16 {
		size = min(size, info.Size())
		tail := make([]byte, size)
		if _, err := f.ReadAt(tail, info.Size()-size); err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("cannot read the reflog of '%s': %w", ref, err)
		}
		tail = bytes.TrimSuffix(tail, []byte("\n"))
		at := bytes.LastIndexByte(tail, '\n')
		if at < 0 && size < info.Size() {
			continue
		}
		fields := strings.SplitN(string(tail[at+1:]), " ", 3)
		if len(fields) < 3 || !r.IsID(fields[1]) {
			return "", nil
		}
		return ID(fields[1]), nil
	}
}
