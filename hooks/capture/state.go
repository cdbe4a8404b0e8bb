package capture

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Dir is the folder of local state with a file for each session, and the spools, see Spool.
const Dir = store.CaptureDir

// state is the file of a session: how far its transcript was read, and what is not committed.
type state struct {
	Client     string    `json:"client"`
	Session    string    `json:"session"`
	Subagent   string    `json:"subagent,omitempty"`
	Transcript string    `json:"transcript"`
	Spooled    bool      `json:"spooled,omitempty"` // the transcript is beside this file, whatever its path was
	Offset     int64     `json:"offset"`            // bytes that were read
	Before     string    `json:"before"`            // hash of the last bytes before the offset
	Most       int64     `json:"most,omitempty"`    // the largest offset there was: up to it, steps may be recorded already
	Seen       time.Time `json:"seen"`              // of the last event
	From       time.Time `json:"from,omitzero"`     // what is older was passed over, and is never recorded
	Began      string    `json:"began,omitempty"`   // where the session began, see checkBegan; "": not known yet
	Since      time.Time `json:"since,omitzero"`    // of the first event, unless all of the transcript is recorded
	Resumed    bool      `json:"resumed,omitempty"` // it said that the session had been before, but had no transcript, see passedOver
	Unsure     time.Time `json:"unsure,omitzero"`   // what is older may have been expunged, and is never recorded, see unsureUntil
	Code       string    `json:"code,omitempty"`    // HEAD of the code then
	Tip        string    `json:"tip,omitempty"`     // the current memory branch's commit then
	Due        *due      `json:"due,omitempty"`     // what the next commit tells; nil: all was told
	// Attempt says that steps are being recorded and committed: for a later process that finds it, some
	// steps after the offset may be recorded already.
	Attempt bool      `json:"attempt,omitempty"`
	On      string    `json:"on,omitempty"`     // the branch that an attempt records on
	Asked   bool      `json:"asked,omitempty"`  // a prompt was written whose turn was not read yet
	Ended   bool      `json:"ended,omitempty"`  // the end of the session was read
	Caught  int64     `json:"caught,omitempty"` // 1 more than the size of the transcript when CatchUp found nothing more to record
	Tried   time.Time `json:"tried,omitzero"`   // when CatchUp tried that last
	Told    bool      `json:"told,omitempty"`   // a commit tells where and how the session ran
	Newest  []uint64  `json:"newest,omitempty"` // hashes of the sources of the newest steps
	// Latest is the time of the newest turn that was read: older ones that are read again were told.
	Latest time.Time `json:"latest,omitzero"`
	// Branches are those on which the session's steps were recorded, the newest last.
	Branches []string `json:"branches,omitempty"`
}

// remembered is how many of a session's newest steps are known without the branch's log: some
// clients copy a part of the history to the end of a transcript.
const remembered = 1024

// fresh drops the steps that are remembered, and those that repeat one before them.
func (st *state) fresh(steps []store.NewStep) []store.NewStep {
	seen := map[uint64]bool{}
	for _, sum := range st.Newest {
		seen[sum] = true
	}
	return slices.DeleteFunc(steps, func(step store.NewStep) bool {
		sum := store.SourceHash(step.Source)
		before := seen[sum]
		seen[sum] = true
		return before
	})
}

// news is what was read without what is remembered. Where that is everything, the turns came again,
// and what they tell was committed.
func (st *state) news(got read) read {
	all := len(got.steps)
	if all == 0 {
		return got
	}
	if got.steps = st.fresh(got.steps); len(got.steps) == 0 {
		got.turns, got.cut, got.stopped = nil, nil, false
	} else if len(got.steps) < all {
		got = st.untold(got)
	}
	return got
}

// untold is what was read again, without the turns that were told.
func (st *state) untold(got read) read {
	told := func(t agent.Turn) bool { return !t.End.IsZero() && !t.End.After(st.Latest) }
	if n := len(got.turns); n > 0 && told(got.turns[n-1]) {
		got.cut, got.stopped = nil, false
	}
	got.turns = slices.DeleteFunc(got.turns, told)
	return got
}

// repeats reports whether some steps may be on the branch although they are not remembered: they are not newer
// than what was read before.
func (st *state) repeats(steps []store.NewStep) bool {
	return len(st.Newest) >= remembered && slices.ContainsFunc(st.fresh(slices.Clone(steps)), func(step store.NewStep) bool {
		return !step.Time.IsZero() && !step.Time.After(st.Latest)
	})
}

// remember notes what was read, and is recorded.
func (st *state) remember(got read) {
	for _, step := range got.steps {
		st.Newest = append(st.Newest, store.SourceHash(step.Source))
		st.read(step.Time)
	}
	st.Newest = st.Newest[max(0, len(st.Newest)-remembered):]
	for _, t := range got.turns {
		st.read(t.End)
	}
}

func (st *state) read(at time.Time) {
	if at.After(st.Latest) {
		st.Latest = at
	}
}

// compared is how many bytes before the offset say that a transcript is the same.
const compared = 256

// key names the file of a session, and its lock.
func (t Turn) key() string { return key(t.Client, t.session()) }

func key(client, session string) string {
	return fmt.Sprintf("%.12x", sha256.Sum256([]byte(client+"\x00"+session)))
}

func stateName(key string) string { return path.Join(Dir, key+".json") }

// load reads the state of the turn's session and reports whether there was one. A file that
// cannot be understood counts as none: the comparison of sources keeps steps from being
// recorded twice.
func (c *capturing) load(key string) (known bool, err error) {
	if known, err = readState(c.s, key, &c.state); err != nil {
		return false, err
	}
	if !known {
		c.state = state{Client: c.turn.Client, Session: c.turn.Session, Subagent: c.turn.Subagent}
	}
	c.state.Transcript, c.state.Spooled = c.turn.Transcript, c.turn.Spooled
	return known, nil
}

func readState(s *store.Store, key string, into *state) (known bool, err error) {
	data, err := git.ReadStateFile(s.StatePath(stateName(key)))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return json.Unmarshal(data, into) == nil && into.Session != "", nil
}

// matches reports whether a transcript begins with what was read.
func (st *state) matches(f file) (bool, error) {
	sum, err := hashBefore(f, st.Offset)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) { // it is shorter
		return false, nil
	}
	return sum == st.Before, err
}

// hashBefore returns the hash of the bytes before an offset.
func hashBefore(f file, offset int64) (string, error) {
	n := min(offset, compared)
	data := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(f, offset-n, n), data); err != nil {
		return "", err
	}
	return hash(data), nil
}

func hash(data []byte) string { return fmt.Sprintf("%.8x", sha256.Sum256(data)) }

// save moves the position to an offset.
func (c *capturing) save(f file, offset int64) (err error) {
	c.state.Offset, c.state.Most = offset, max(c.state.Most, offset)
	if c.state.Before, err = hashBefore(f, offset); err != nil {
		return err
	}
	return c.write()
}

func (c *capturing) write() error {
	c.state.Seen = c.s.Clock().UTC().Truncate(time.Second)
	data, err := json.Marshal(c.state)
	if err != nil {
		return err
	}
	write := c.s.Repo().WriteStateFile
	if c.durable {
		write = c.s.Repo().SyncStateFile
	}
	return write(stateName(c.turn.key()), append(data, '\n'))
}

// Begin notes that a session begins or goes on in this repository, and knows its memory. What
// the transcript of a new one contains already was written before the hooks, and is not recorded, even if
// the client names the transcript later: of one that is resumed, and of another one that a fork copied.
func Begin(ctx context.Context, s *store.Store, t Turn) (err error) {
	t = t.ofSpool(s)
	c := &capturing{s: s, turn: t}
	lock, err := s.Repo().Lock(ctx, store.CaptureLock(t.key()))
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process releases it in any case
	known, err := c.load(t.key())
	if err != nil {
		return err
	}
	if !known {
		return c.begin(ctx)
	}
	c.state.Ended = false // it goes on
	if c.state.Tip, err = c.tip(ctx); err != nil {
		return err
	}
	return c.write()
}

// Known reports whether a session has begun here, see Begin.
func Known(s *store.Store, t Turn) (bool, error) {
	var st state
	return readState(s, t.key(), &st)
}

// begin makes the state of a session.
func (c *capturing) begin(ctx context.Context) (err error) {
	if c.state.Tip, err = c.tip(ctx); err != nil {
		return err
	}
	head, err := c.s.CodeHead(ctx)
	if err != nil {
		return err
	}
	c.state.Code, c.state.Asked = string(head), c.asks
	c.durable = c.turn.Spooled        // nothing else says whose the spool is
	if c.turn.New || c.turn.Spooled { // all of it is of our hooks
		return c.fromStart()
	}
	c.state.Since = c.s.Clock().UTC()
	f, err := os.Open(c.turn.Transcript)
	if errors.Is(err, fs.ErrNotExist) {
		c.state.Resumed = c.turn.Resumed
		return c.fromStart()
	}
	if err != nil {
		return fmt.Errorf("cannot read the transcript: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	return c.toEnd(f)
}

// fromStart sets the position to the beginning of a transcript.
func (c *capturing) fromStart() error {
	c.state.Before = fmt.Sprintf("%.8x", sha256.Sum256(nil))
	return c.write()
}

// toEnd moves the position to the end of a transcript: what it contains is not recorded.
func (c *capturing) toEnd(f file) error {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	c.state.From = c.s.Clock().UTC()
	return c.save(f, end)
}

// due is what happened since the last commit, for the words of the next one.
type due struct {
	Prompt    string         `json:"prompt,omitempty"`
	Final     string         `json:"final,omitempty"`
	Files     []string       `json:"files,omitempty"`
	Edits     []agent.Edited `json:"edits,omitempty"`
	Calls     int            `json:"calls,omitempty"`
	Code      bool           `json:"code,omitempty"`      // the code's HEAD moved
	Committed bool           `json:"committed,omitempty"` // the agent made a memory commit itself
}

// add adds a turn to what is due. One without a prompt goes on with what was read before: a
// client may write the rest of a turn after its end.
func (st *state) add(t agent.Turn, p policy) {
	if st.Due == nil {
		st.Due = &due{}
	}
	d := st.Due
	if t.Prompt != "" {
		if d.Committed {
			*d = due{}
		}
		if d.Prompt = t.Prompt; p.mode != captureFull {
			d.Prompt = firstLine(t.Prompt)
		}
		if p.commit != commitSession {
			d.Calls = 0
		}
	}
	if t.Final != "" {
		d.Final = t.Final
	}
	d.addFiles(t.Files)
	if p.mode == captureFull {
		for _, e := range t.Edits {
			d.Edits = agent.AddEdited(d.Edits, e, listedFiles)
		}
	}
	d.Calls += t.Calls
	d.Committed = d.Committed || t.Committed
}

// clean replaces secrets: the state is a file, too.
func (d *due) clean(ctx context.Context, s *store.Store) error {
	texts := []*string{&d.Prompt, &d.Final}
	for i := range d.Edits {
		texts = append(texts, &d.Edits[i].File, &d.Edits[i].Change)
	}
	_, err := s.Clean(ctx, texts...)
	return err
}

func (d *due) addFiles(names []string) {
	for _, name := range names {
		if len(d.Files) < mostFiles {
			d.Files = appendNew(d.Files, name)
		}
	}
}
