package capture

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/zst"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Bounds of CatchUp.
const (
	quiet    = 10 * time.Minute    // after which a transcript without a change counts as ended
	running  = time.Hour           // after the last event of a session that has not ended, it may go on
	keptFor  = 30 * 24 * time.Hour // clients remove transcripts after as long
	mostLate = 3                   // sessions that one call catches up with
)

// CatchUp records what sessions left behind that never reported their end: the client was
// killed, or the turn interrupted. It looks at the sessions that Begin or Record knows, except
// the one that now begins, and removes the state of old ones.
func CatchUp(ctx context.Context, s *store.Store, now Turn, decoder func(client string) Decode) error {
	files, err := os.ReadDir(s.StatePath(Dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var failed []error
	var late []state
	for _, f := range files {
		key, isState := strings.CutSuffix(f.Name(), ".json")
		var st state
		if !isState || key == now.key() {
			continue
		}
		known, err := readState(s, key, &st)
		if err != nil || !known { // damaged: the next turn of the session makes it anew
			failed = append(failed, err)
			continue
		}
		if st.Spooled { // the repository may have been moved
			st.Transcript = s.StatePath(spoolName(key))
		}
		switch left, err := st.left(); {
		case err != nil:
			failed = append(failed, err)
		case left == nil || decoder(st.Client) == nil:
			if s.Clock().Sub(st.Seen) > keptFor {
				failed = append(failed, forget(s, key))
			}
		case s.Clock().Sub(left.ModTime()) > quiet || strings.HasSuffix(left.Name(), zst.Suffix): // a compressed one is old
			late = append(late, st)
		}
	}
	slices.SortStableFunc(late, func(a, b state) int { return a.Tried.Compare(b.Tried) })
	for _, st := range late[:min(len(late), mostLate)] {
		failed = append(failed, catchUp(ctx, s, &st, decoder(st.Client), now.Writer))
	}
	return errors.Join(failed...)
}

// catchUp records what a session left, or a part of it. Once nothing more is recorded, what is left in the transcript has no
// end, and is left alone until it grows.
func catchUp(ctx context.Context, s *store.Store, st *state, decode Decode, w store.Writer) error {
	w.Agent, w.Session, w.Model = st.Client, st.Session, ""
	t := Turn{Client: st.Client, Session: st.Session, Subagent: st.Subagent, Transcript: st.Transcript, Spooled: st.Spooled,
		Ends: true, Decode: decode, Writer: w}
	_, failed := Record(ctx, s, t)
	lock, free, err := s.Repo().TryLock(store.CaptureLock(t.key()))
	if err != nil || !free {
		return errors.Join(failed, err)
	}
	defer func() { _ = lock.Unlock() }() // the end of the process releases it in any case
	c := &capturing{s: s, turn: t}
	known, err := c.load(t.key())
	if err != nil || !known {
		return errors.Join(failed, err)
	}
	c.state.Tried = s.Clock().UTC()
	if failed == nil && c.state.Offset == st.Offset && c.state.Due == nil && !c.state.Attempt {
		left, err := c.state.left()
		if err != nil {
			return err
		}
		if left != nil {
			c.state.Caught = left.Size() + 1
		}
	}
	return errors.Join(failed, c.write())
}

// left returns the transcript if it has more than was read, or something is not committed; nil if it does not, or if all
// that could be recorded of it was.
func (st *state) left() (fs.FileInfo, error) {
	if st.Began == beganElsewhere {
		return nil, nil
	}
	info, err := os.Stat(st.Transcript)
	packed := errors.Is(err, fs.ErrNotExist)
	if packed {
		info, err = os.Stat(st.Transcript + zst.Suffix)
	}
	if err != nil {
		return nil, ignoreMissing(err)
	}
	// A compressed one does not say how long it was. It is old, and so nothing is left of a session that ended.
	left := packed && !st.Ended || !packed && (info.Size() > st.Offset || st.Attempt || st.Due != nil)
	if !left || st.Caught == info.Size()+1 {
		return nil, nil
	}
	return info, nil
}

// forget removes the files of a session.
func forget(s *store.Store, key string) error {
	if err := ignoreMissing(os.Remove(s.StatePath(spoolName(key)))); err != nil {
		return err
	}
	return ignoreMissing(os.Remove(s.StatePath(stateName(key))))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// News reports whether the current memory branch is not where it was at the session's last event,
// and where that was: another session has changed memory. It remembers the new commit.
func News(ctx context.Context, s *store.Store, t Turn) (before git.ID, changed bool, err error) {
	var seen state
	if known, err := readState(s, t.key(), &seen); err != nil || !known || seen.Tip == "" {
		return "", false, err
	}
	tip, err := Tip(ctx, s)
	if err != nil || string(tip) == seen.Tip {
		return "", false, err
	}
	lock, free, err := s.Repo().TryLock(store.CaptureLock(t.key()))
	if err != nil || !free {
		return "", false, err // a turn of this session is being recorded
	}
	defer func() { _ = lock.Unlock() }() // the end of the process releases it in any case
	c := &capturing{s: s, turn: t}
	if known, err := c.load(t.key()); err != nil || !known || c.state.Tip == string(tip) {
		return "", false, err
	}
	before, c.state.Tip = git.ID(c.state.Tip), string(tip)
	return before, true, c.write()
}
