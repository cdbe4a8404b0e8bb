package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git/disk"
)

// TxOptions are what the transactions of one Tx share.
type TxOptions struct {
	// Message is the reason in the reflogs.
	Message string
	// Committer is the identity in the reflogs; without one git makes it up.
	Committer Identity
	// Keep are locked files that the child keeps open too: if this process is killed
	// the child may still move the refs, and no other process may take the locks
	// before it has.
	Keep []*os.File
}

// Tx moves refs, all or none, each only if it still has its old value. It runs
// `git update-ref --stdin`, and belongs to one goroutine.
type Tx struct {
	repo   *Repo
	opts   TxOptions
	s      *session   // nil after a failure
	packed disk.Stamp // of packed-refs, before s was started
	used   bool       // s made a transaction already
	queued []refChange
	open   bool // objects are written behind
	moved  ID
}

type refChange struct {
	ref      string
	new, old ID // new "" deletes
}

// Begin starts the child, and returns at once: starting it takes two
// milliseconds that hide behind reading and writing objects.
func (r *Repo) Begin(ctx context.Context, o TxOptions) (*Tx, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	tx := &Tx{repo: r, opts: o, open: true}
	r.behind.begin()
	tx.session()
	return tx, nil
}

// session returns the child, or a new one after a failure, or where the child
// cannot be believed any more.
func (tx *Tx) session() *session {
	if tx.used && !tx.believed() {
		tx.leave()
	}
	if tx.s != nil {
		return tx.s
	}
	tx.packed, tx.used = tx.repo.packedStamp(), false
	var env []string
	if id := tx.opts.Committer; id.Name != "" {
		env = append(env, "GIT_COMMITTER_NAME="+id.Name)
	}
	if id := tx.opts.Committer; id.Email != "" {
		env = append(env, "GIT_COMMITTER_EMAIL="+id.Email)
	}
	// Else git looks for refs that are named like our ids: thirty looks at the
	// disk, and packed-refs is read before anything is locked.
	args := []string{"-c", tx.repo.refsLockWait(), "-c", "core.warnAmbiguousRefs=false",
		"update-ref", "--stdin", "-z", "--create-reflog"}
	if tx.opts.Message != "" { // git refuses an empty reason
		args = append(args, "-m", tx.opts.Message)
	}
	tx.s = tx.repo.open(context.Background(), env, tx.opts.Keep, args...)
	return tx.s
}

// Update queues moving a ref from old to new. An empty old means that the ref
// must not exist. A symbolic ref is not followed: it would be replaced.
func (tx *Tx) Update(ref string, new, old ID) {
	tx.queued = append(tx.queued, refChange{ref, new, old})
}

// Delete queues deleting a ref whose value is old. Its reflog is deleted with it.
func (tx *Tx) Delete(ref string, old ID) {
	tx.queued = append(tx.queued, refChange{ref, "", old})
}

// Commit makes all queued changes, or none, and empties the queue in any case.
// It waits for the objects that were written behind first: should one of them
// have failed, its error is returned and no ref moves.
//
// ErrStale: a ref did not have the old value, or stayed locked for two seconds;
// the error names the ref. Any other *Error is a refusal that trying again will
// not change (a hook, a missing object, a name in another's way).
//
// If ctx ends before the changes are decided on, nothing has moved. Once they
// are, Commit goes on to the end: a child stopped halfway would leave lock files
// and some of the refs moved. Only if that takes longer than fifteen seconds is
// the child stopped. What moved although git failed, as on a disk that fills up
// meanwhile, is moved back; where that fails too, the error names it.
//
// After any result the Tx may be used for another transaction.
func (tx *Tx) Commit(ctx context.Context) error {
	queued := tx.queued
	tx.queued = nil
	if err := tx.repo.behind.flush(); err != nil {
		return err
	}
	if len(queued) == 0 {
		return nil
	}
	fault.Point("after-objects")
	input, err := tx.repo.encodeTx(queued)
	if err != nil {
		return err
	}
	ctx, cancel := withTimeout(ctx, childTimeout)
	defer cancel()
	for range maxRepacked {
		if err = tx.attempt(ctx, queued, input); !errors.Is(err, errRepacked) {
			if err == nil {
				tx.moved = queued[len(queued)-1].new
			}
			return err
		}
	}
	return fmt.Errorf("cannot update %s: %w: %w", refNames(queued), ErrStale, err)
}

// Moved is what the last change of the last transaction moved its ref to; "" where there
// was none, or it deleted the ref.
func (tx *Tx) Moved() ID { return tx.moved }

// Rehearse waits for the objects that were written behind, as Commit does, and drops
// what is queued: whether it could have been built, nothing moves.
func (tx *Tx) Rehearse() error {
	tx.queued = nil
	return tx.repo.behind.flush()
}

// attempt makes one transaction.
func (tx *Tx) attempt(ctx context.Context, queued []refChange, input []byte) (err error) {
	s := tx.session()
	pipes, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	defer tx.repo.watchPipes(stop)()
	defer context.AfterFunc(pipes, s.stop)() // of a reflog; nothing is lost if it ends what is decided
	defer func() { err = pipeFound(pipes, err) }()
	err = s.wait()
	if err == nil {
		err = s.prepare(ctx, input)
	}
	if err == nil {
		fault.Point("after-prepare")
	}
	if err == nil && tx.mayBeTakenIn(queued) && !tx.unchanged() {
		// The end of its input, instead of a decision, makes the child give up.
		tx.s = nil
		_ = s.end(ctx)
		return errRepacked
	}
	if err == nil {
		if forward, err := tx.repo.fallen(ctx, queued); len(forward) > 0 || err != nil {
			tx.s = nil
			_ = s.end(ctx)
			if err == nil {
				err = tx.setForward(ctx, forward)
			}
			return err
		}
	}
	decided := false
	if err == nil {
		decided, err = true, s.decide()
	}
	if err == nil {
		fault.Point("after-refs")
		tx.used = true
		return nil
	}
	tx.s = nil
	if died := s.end(ctx); died != nil {
		err = died
	}
	if decided {
		if err = tx.takeBack(queued, err); err == nil {
			return nil
		}
	}
	return tx.repo.txError(queued, err)
}

// prepare has the refs locked and their old values checked.
func (s *session) prepare(ctx context.Context, input []byte) error {
	unwatch := context.AfterFunc(ctx, s.stop)
	defer unwatch()
	if _, err := s.in.Write(input); err != nil {
		return err
	}
	for _, answer := range []string{"start: ok\n", "prepare: ok\n"} {
		if err := s.expect(answer); err != nil {
			return err
		}
	}
	if !unwatch() {
		return ctx.Err() // the child has been told to stop
	}
	return nil
}

// decide has the refs moved.
func (s *session) decide() error {
	timer := time.AfterFunc(commitGrace, s.stop)
	defer timer.Stop()
	if _, err := io.WriteString(s.in, "commit\x00"); err != nil {
		return err
	}
	return s.expect("commit: ok\n")
}

// expect reads one answer.
func (s *session) expect(want string) error {
	line, err := s.out.ReadString('\n')
	if err == nil && line != want {
		err = fmt.Errorf("'%s' where '%s' was expected", Shown(line), strings.TrimSuffix(want, "\n"))
		s.stop()
	}
	if err != nil {
		return &Error{Args: s.args, Code: -1, Err: err}
	}
	return nil
}

// encodeTx writes a transaction up to its preparation, for `update-ref -z`.
func (r *Repo) encodeTx(queued []refChange) ([]byte, error) {
	var in strings.Builder
	in.WriteString("start\x00")
	for _, q := range queued {
		if err := checkRefName(q.ref); err != nil {
			return nil, err
		}
		for _, id := range []ID{q.new, q.old} {
			if id != "" && !r.IsID(string(id)) {
				return nil, fmt.Errorf("ref '%s': '%s' is no object id", q.ref, Shown(string(id)))
			}
		}
		// The option covers the next line alone.
		in.WriteString("option no-deref\x00")
		if q.new.IsZero() {
			if q.old.IsZero() {
				return nil, fmt.Errorf("ref '%s': deleting it takes its old value", q.ref)
			}
			fmt.Fprintf(&in, "delete %s\x00%s\x00", q.ref, q.old)
			continue
		}
		old := q.old
		if old == "" {
			old = r.ZeroID() // an empty value would not be checked
		}
		fmt.Fprintf(&in, "update %s\x00%s\x00%s\x00", q.ref, q.new, old)
	}
	in.WriteString("prepare\x00")
	return []byte(in.String()), nil
}

// Close ends the child. What is queued is dropped; objects that were written
// behind are on the disk when it returns.
func (tx *Tx) Close() error {
	tx.queued = nil
	if tx.open {
		tx.open = false
		tx.repo.behind.end()
		// No ref points to what failed now: a caller that needs it writes it again.
		_ = tx.repo.behind.flush()
	}
	tx.leave()
	return nil
}

// leave lets the child go.
func (tx *Tx) leave() {
	s := tx.s
	tx.s, tx.used = nil, false
	switch {
	case s == nil:
		return
	case tx.repo.trace.w != nil:
		_ = s.end(context.Background()) // its line is not to be missed
		return
	}
	// Its last transaction is decided: it only has to end, and no caller needs to
	// wait half a millisecond for that; but until it was started the files that
	// it is to keep open must not be closed.
	_ = s.wait()
	go func() { _ = s.end(context.Background()) }()
}

// maxRepacked is how many children in a row may be taken in by packed-refs.
const maxRepacked = 3

// errRepacked: packed-refs was replaced in the life of a child.
//
// A child reads packed-refs once it has its first lock, keeps it in memory, and
// sees that it was replaced by its inode, its size and the seconds of its time
// (git's stat-validity; only builds with USE_NSEC look closer). Replaced twice
// within a second it has all three again, and the child accepts an old value that
// a ref has no more: measured, 4 of 96 updates lost beside a busy `git pack-refs`. So
// a child that had the file before the last lock was taken is believed only if
// the file, to the nanosecond, is the one from before its start.
var errRepacked = errors.New("packed-refs was replaced meanwhile")

// packedStamp looks at packed-refs.
func (r *Repo) packedStamp() disk.Stamp {
	s, _ := disk.StampOf(filepath.Join(r.commonDir, "packed-refs")) // after an error it is not known
	return s
}

// unchanged reports whether packed-refs is as it was before the child started.
func (tx *Tx) unchanged() bool {
	return tx.packed.Known() && tx.repo.packedStamp() == tx.packed
}

// mayBeTakenIn reports whether the child had packed-refs in memory when it took
// its last lock: that of another ref, or of packed-refs itself to delete a line.
func (tx *Tx) mayBeTakenIn(queued []refChange) bool {
	return tx.used || len(queued) > 1 || queued[0].new.IsZero()
}

// believed reports whether the child may make another transaction.
func (tx *Tx) believed() bool {
	return tx.packed.Settled(time.Now()) && tx.unchanged()
}

// takeBack makes nothing of a transaction that failed while its refs were being moved.
// git moves them one after another and writes each one's reflog first: on a disk that
// fills up meanwhile, one has moved and the next has not.
//
//  1. All have moved: it is done.
//  2. None has: it failed.
//  3. Some have: they are moved back, unless another process has moved them on. The
//     space of the others is free again. Where even that fails the error names them.
func (tx *Tx) takeBack(queued []refChange, failure error) error {
	ctx, cancel := context.WithTimeout(context.Background(), commitGrace)
	defer cancel()
	var moved []refChange
	for _, q := range queued {
		now, err := tx.repo.Ref(ctx, q.ref)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return fmt.Errorf("failed while they were being moved, so that some may have: %w; which cannot be read: %w",
				failure, err)
		}
		if now == q.new {
			moved = append(moved, refChange{q.ref, q.old, q.new})
		}
	}
	switch len(moved) {
	case len(queued):
		return nil
	case 0:
		return failure
	}
	if err := tx.moveBack(ctx, moved); err != nil {
		return fmt.Errorf("failed while they were being moved, and %s cannot be moved back (%w): %w",
			refNames(moved), err, failure)
	}
	return failure
}

// moveBack is a transaction by a child of its own.
func (tx *Tx) moveBack(ctx context.Context, moved []refChange) error {
	input, err := tx.repo.encodeTx(moved)
	if err != nil {
		return err
	}
	s := tx.session()
	tx.s = nil
	err = s.wait()
	if err == nil {
		err = s.prepare(ctx, input)
	}
	if err == nil {
		err = s.decide()
	}
	if died := s.end(ctx); died != nil {
		return died
	}
	return err
}
