package capture

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/spool"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Sizes in bytes of what a spool keeps of an event, at least what a step or the words of a commit
// may have of it. A line is below 64 KiB.
const (
	mostResult   = 2 << 10 // of a result or a prompt
	mostText     = 8 << 10 // of a text, that may be the last message
	mostArgument = 8 << 10 // a command line that is cut is not understood
	mostNames    = 8 << 10 // of the names of a call's files
)

// Sizes in bytes of a spool.
const (
	fullSpool = 1 << 20 // then it is read, although the turn goes on
	mostSpool = 8 << 20 // then nothing is added: it cannot be read
)

// mostIDs is how many ids of lines a spool keeps that were read: clients repeat events.
const mostIDs = 256

// SpoolPath returns the path of the transcript that Spool writes of a session.
func SpoolPath(s *store.Store, t Turn) string { return s.StatePath(spoolName(t.key())) }

func spoolName(key string) string { return path.Join(Dir, key+".jsonl") }

// Spool adds events to the transcript of a session whose client keeps none that can be read,
// for a Turn that is Spooled. Events whose ids it has are left out, and what the settings leave
// out, and those of a session that began in another repository; secrets are replaced. It reports
// whether the file is to be read before the turn ends.
func Spool(ctx context.Context, s *store.Store, t Turn, events []agent.Event) (full bool, err error) {
	p, err := readPolicy(ctx, s)
	if err != nil || p.mode == captureOff || len(events) == 0 {
		return false, err
	}
	if here, err := (&capturing{s: s}).here(t.Began); err != nil || !here {
		return false, err
	}
	if events, err = p.spooled(ctx, s, events); err != nil {
		return false, err
	}
	if err := ensureState(ctx, s, t); err != nil {
		return false, err
	}
	lock, err := s.Repo().Lock(ctx, store.SpoolLock)
	if err != nil {
		return false, err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process releases it in any case
	have, err := git.ReadStateFile(SpoolPath(s, t))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	lines, err := newLines(have, events)
	if err != nil || len(lines) == 0 || len(have)+len(lines) > mostSpool {
		return len(have) > fullSpool, err
	}
	f, err := s.Repo().OpenState(spoolName(t.key()), os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return false, err
	}
	_, err = f.Write(lines)
	return len(have)+len(lines) > fullSpool, errors.Join(err, f.Close())
}

// newLines are the lines of the events that a spool does not have.
func newLines(have []byte, events []agent.Event) (lines []byte, err error) {
	known := map[string]bool{}
	if n := len(have); n > 0 && have[n-1] != '\n' { // a killed process has torn the last line
		lines = append(lines, '\n')
	}
	none := true
	for _, e := range events {
		if e.ID != "" && (known[e.ID] || spool.Has(have, e.ID)) {
			continue
		}
		known[e.ID], none = true, false
		line, err := spool.Line(e)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line...)
	}
	if none {
		return nil, nil
	}
	return lines, nil
}

// ensureState writes the state of a session that has none, by which CatchUp finds its spool.
func ensureState(ctx context.Context, s *store.Store, t Turn) error {
	if _, err := os.Stat(s.StatePath(stateName(t.key()))); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return Begin(ctx, s, t)
}

// spooled is what a spool may have of events.
func (p policy) spooled(ctx context.Context, s *store.Store, events []agent.Event) (kept []agent.Event, err error) {
	ignore, err := readIgnored(s.Repo())
	if err != nil {
		return nil, err
	}
	clean, err := s.Cleaner(ctx)
	if err != nil {
		return nil, err
	}
	left := map[string]bool{} // calls that are left out
	for _, e := range events {
		switch {
		case e.Kind == agent.Call && ignore != nil && ignore.call(e):
			left[e.Call] = true
			continue
		case e.Kind == agent.Result && left[e.Call]:
			continue
		}
		if e.Time.IsZero() {
			e.Time = s.Clock().UTC()
		}
		e.Clean(clean)
		if e = p.reduced(e); e.Kind == agent.Text && e.Text == "" {
			continue
		}
		cut(&e)
		kept = append(kept, e)
	}
	return kept, nil
}

// reduced is an event without what the settings keep neither in a step nor in the words of a
// commit, for which any text may be the last message.
func (p policy) reduced(e agent.Event) agent.Event {
	if p.mode == captureFull {
		return e
	}
	switch {
	case e.Kind == agent.Result, e.Kind == agent.Text && p.commit == commitOff:
		e.Text = ""
	case e.Kind == agent.Prompt:
		e.Text = firstLine(e.Text)
	case e.Kind == agent.Call:
		e.Change = ""
	}
	return e
}

// cut cuts the texts of an event that was cleaned: marks are shorter than what they replace, so that what was
// behind the limit comes before it.
func cut(e *agent.Event) {
	limit := mostResult
	if e.Kind == agent.Text {
		limit = mostText
	}
	e.Text, e.Argument = agent.Cut(e.Text, limit), agent.Cut(e.Argument, mostArgument)
	for _, name := range []*string{&e.ID, &e.Call, &e.Answer, &e.Model, &e.Tool} {
		*name = agent.Name(*name)
	}
	room := mostNames
	e.Files = slices.DeleteFunc(e.Files, func(name string) bool {
		room -= len(name)
		return room < 0
	})
}

// drop removes from a spool what was read, and moves the position; a session that has ended
// leaves none.
func (c *capturing) drop(ctx context.Context) error {
	lock, err := c.s.Repo().Lock(ctx, store.SpoolLock)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process releases it in any case
	name := spoolName(c.turn.key())
	data, err := git.ReadStateFile(c.s.StatePath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	at := min(c.state.Offset, int64(len(data)))
	rest, head := data[at:], []byte(nil)
	if c.turn.Ends && len(bytes.TrimSpace(rest)) == 0 {
		err = os.Remove(c.s.StatePath(name))
	} else {
		ids := spool.IDs(data[:at])
		if head, err = spool.Seen(ids[max(0, len(ids)-mostIDs):]); err == nil {
			err = c.s.Repo().WriteStateFile(name, slices.Concat(head, rest))
		}
	}
	if err != nil {
		return err
	}
	c.state.Offset, c.state.Most = int64(len(head)), int64(len(head))
	c.state.Before = hash(head[max(0, len(head)-compared):])
	return c.write()
}

// ofSpool is the turn with its spool as the transcript, if it has one.
func (t Turn) ofSpool(s *store.Store) Turn {
	if t.Spooled {
		t.Transcript = cmp.Or(t.Transcript, SpoolPath(s, t))
	}
	return t
}
