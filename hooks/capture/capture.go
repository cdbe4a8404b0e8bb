// Package capture records what an agent did in a turn, from the transcript that the agent's
// client wrote, and makes a memory commit of the turn. It runs in the client's hooks: the
// agent makes no call for it.
//
// A transcript is read from where the last reading ended, so that the cost of a turn does not
// depend on the length of its session or of the memory. How far it was read is local state, a
// small file for each session. It is written before and after the steps are recorded: what a
// killed process had begun is found by the next one, which then compares the sources of the
// steps with those of the branch, so that each step is recorded once.
//
// Some clients write a transcript after they call the hooks, see Turn.Late: Record waits a moment for
// the end of a turn, and leaves a turn without one to the next prompt or to the end of the session.
//
// A transcript that was rewritten (it is shorter, or the bytes before the position differ) is
// read from its beginning, with that comparison.
package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Decode reads a transcript of a client, see [agent.Decode].
type Decode func(r io.Reader, start agent.Start, emit func(agent.Step) error) (*agent.Report, error)

// Turn is a turn of a session that has ended, whatever ended it.
type Turn struct {
	Client     string // the name of the client
	Session    string
	Subagent   string // its id; empty: the turn is the session's own
	Parent     string // of a subagent: the path of its parent's transcript, if it is known
	Transcript string // a path
	Spooled    bool   // Transcript is what Spool wrote
	Goes       bool   // the turn goes on: nothing is committed
	Dir        string // where the agent was
	Began      string // where the session began, for Spool; empty: here
	Model      string
	Final      string        // the agent's last message, if the client gave it: the transcript may lack it still
	Cut        bool          // the user interrupted it, which the transcript may not say yet
	Ends       bool          // the session ends, too
	New        bool          // the session is new: all of its transcript is recorded, see Begin
	Resumed    bool          // the session is not new: nothing of its transcript is recorded, see Begin
	Late       time.Duration // how long Record waits at the end of a turn for a client that writes the transcript after it calls the hooks; 0: it does not
	Decode     Decode
	Writer     store.Writer
}

// Result is what Record did.
type Result struct {
	Steps  int    // that were recorded
	Commit string // the id of the memory commit; empty: none
}

// Record records the steps of a turn, and commits them as context.autoCommit says. Nothing is
// recorded of a session that began outside of this repository, of one whose transcript is
// missing, and if context.capture is off, later neither.
func Record(ctx context.Context, s *store.Store, t Turn) (Result, error) {
	t = t.ofSpool(s)
	c := &capturing{s: s, turn: t, until: t.limit()}
	var err error
	if err = c.readSettings(ctx); err != nil {
		return Result{}, err
	}
	lock, err := s.Repo().Lock(ctx, store.CaptureLock(t.key()))
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process releases it in any case
	known, err := c.load(t.key())
	if err != nil {
		return Result{}, err
	}
	return c.run(ctx, known)
}

// run records what is to be recorded of this repository.
func (c *capturing) run(ctx context.Context, known bool) (Result, error) {
	if c.state.Began == beganElsewhere {
		return Result{}, nil
	}
	r, err := c.record(ctx, known)
	switch {
	case errors.Is(err, errElsewhere) && known: // so that CatchUp passes it over, too
		c.state.Began = beganElsewhere
		return Result{}, c.write()
	case errors.Is(err, errElsewhere), errors.Is(err, agent.ErrForeign):
		return Result{}, nil
	}
	if err == nil && c.turn.Spooled {
		err = c.drop(ctx)
	}
	return r, errors.Join(err, c.incomplete)
}

// readSettings reads what is recorded, and how secrets are found: once, because a transcript may be read several times.
func (c *capturing) readSettings(ctx context.Context) (err error) {
	if c.policy, err = readPolicy(ctx, c.s); err != nil || c.policy.mode == captureOff {
		return err
	}
	if c.clean, err = c.s.Cleaner(ctx); err != nil {
		return err
	}
	c.turn.Final = c.clean(c.turn.Final) // as that of the transcript, with which it is compared
	return nil
}

// capturing is one call of Record.
type capturing struct {
	s       *store.Store
	turn    Turn
	policy  policy
	clean   func(text string) string // replaces secrets; nil if nothing is recorded
	state   state
	durable bool // the state is to survive a power cut
	ignore  *ignored
	again   bool // some of the steps may be recorded already

	incomplete error           // why files or steps are not recorded, although the rest of the turn is
	doubted    []store.NewStep // that were read, and may have been expunged
	asks       bool            // the user has written a prompt
	settings   []string
	until      time.Time
}

// read is what was read of a transcript.
type read struct {
	steps   []store.NewStep
	turns   []agent.Turn
	cut     []agent.Step // of the last turn, if that has no end or was interrupted
	ended   bool         // the last turn has an end
	stopped bool         // the user interrupted it
	end     int64        // where to go on
}

func (c *capturing) record(ctx context.Context, known bool) (Result, error) {
	f, err := c.open(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		if c.asks {
			c.state.Asked = true
			return Result{}, c.write()
		}
		return Result{}, nil
	}
	if err != nil {
		return Result{}, fmt.Errorf("cannot read the transcript: %w", err)
	}
	// Nothing was written, so closing cannot lose anything.
	defer func() { _ = f.Close() }()
	if c.policy.mode == captureOff {
		c.state.Due = nil
		return Result{}, c.toEnd(f)
	}
	if !known {
		if c.state.Unsure, err = unsureUntil(ctx, c.s); err != nil {
			return Result{}, err
		}
	}
	from, check, err := c.position(f, known)
	if err != nil {
		return Result{}, err
	}
	got, err := c.read(ctx, f, from)
	for err == nil && !got.ended && c.wait(ctx) {
		got, err = c.read(ctx, f, from)
	}
	if err != nil {
		return Result{}, err
	}
	c.again = check
	r, err := c.keep(ctx, f, got)
	if err == nil {
		c.incomplete = errors.Join(c.incomplete, c.leftOut(ctx))
	}
	return r, err
}

// position returns where reading begins, and whether steps from there may be recorded already.
func (c *capturing) position(f file, known bool) (from int64, check bool, err error) {
	if !known {
		return 0, true, nil
	}
	same, err := c.state.matches(f)
	if err != nil {
		return 0, false, err
	}
	if !same {
		return 0, true, nil
	}
	return c.state.Offset, c.state.Attempt || c.state.Offset < c.state.Most, nil
}

// softLimit is how long a transcript is read: what is left is for the next event, because a
// client waits for its hooks.
const softLimit = time.Second

// mostSteps is after how many steps reading ends: to record what one second reads can take longer than a hook has, and then
// no event would get on.
const mostSteps = 2000

// read decodes the transcript from a position.
func (c *capturing) read(ctx context.Context, f file, from int64) (read, error) {
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return read{}, err
	}
	ignore, err := readIgnored(c.s.Repo())
	if err != nil {
		return read{}, err
	}
	c.ignore = ignore
	in := &limited{ctx: ctx, in: f, until: time.Now().Add(softLimit)}
	start := agent.Start{Session: c.turn.session(), Dir: c.turn.Dir, Middle: from > 0, Ignore: ignore.of(), Clean: c.clean}
	var steps []agent.Step
	kept := 0
	report, err := c.turn.Decode(in, start, func(s agent.Step) error {
		if steps = append(steps, s); !c.state.passedOver(from, s.Copied, s.Time) && !c.state.unsure(from, s.Time) {
			kept++
		}
		in.enough = kept >= mostSteps
		return nil
	})
	if err != nil {
		return read{}, err
	}
	if err := c.checkBegan(f, report); err != nil {
		return read{}, err
	}
	c.settings = report.Settings
	got := read{end: from + report.End, ended: c.finished(report)}
	steps = append(steps, report.Open...)
	if in.cut && len(report.Turns) > 1 || c.leaves(report) { // the last turn is read again as a whole
		last := report.Turns[len(report.Turns)-1]
		got.end, steps = from+last.Offset, steps[:max(0, len(steps)-last.Steps)]
		report.Turns = report.Turns[:len(report.Turns)-1]
	}
	c.turns(&got, from, report.Turns, steps)
	c.doubted = nil
	for _, step := range steps {
		if c.state.passedOver(from, step.Copied, step.Time) {
			continue
		}
		made, ok := c.policy.newStep(c.turn, step)
		switch {
		case ok && c.state.unsure(from, step.Time):
			c.doubted = append(c.doubted, made)
		case ok:
			got.steps = append(got.steps, made)
		}
	}
	return got, nil
}

// here reports whether a directory is in one of this repository's worktrees, and not in a submodule
// or another repository within one; an unknown one is, because the client ran the hook here.
func (c *capturing) here(dir string) (bool, error) {
	if dir == "" {
		return true, nil
	}
	tops, err := Trees(c.s)
	if err != nil {
		return false, err
	}
	tops = append(tops, c.s.Repo().CommonDir())
	for dir = resolved(dir); !slices.Contains(tops, dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			return false, nil
		}
	}
	return true, nil
}

// Trees returns the directories of the repository's worktrees, without symbolic links, the current one first.
func Trees(s *store.Store) (trees []string, err error) {
	worktrees, err := s.Repo().HeadNames()
	if err != nil {
		return nil, err
	}
	if top := s.Repo().WorkTree(); top != "" {
		trees = append(trees, top)
	}
	for _, w := range worktrees {
		if top := resolved(w.Path); !slices.Contains(trees, top) {
			trees = append(trees, top)
		}
	}
	return trees, nil
}

// resolved is a path without symbolic links, or the path itself if it does not exist any more.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// keep records what was read, commits it, and then moves the position.
func (c *capturing) keep(ctx context.Context, f file, got read) (r Result, err error) {
	if c.again = c.again || c.state.repeats(got.steps); !c.again {
		got = c.state.news(got)
	} else if got, err = c.unforgotten(c.state.untold(got)); err != nil {
		return r, err
	}
	now, err := c.code(ctx, got.turns)
	if err != nil {
		return r, err
	}
	for _, turn := range got.turns {
		c.state.add(turn, c.policy)
	}
	if d := c.state.Due; d != nil {
		d.Final = lastMessage(c.turn.Final, d.Final)
		if c.turn.Ends || c.turn.Cut || got.stopped {
			d.interrupt(c.policy, got.cut)
		}
		d.Code = d.Code || c.state.Code != "" && c.state.Code != now.head
		d.addFiles(now.files)
		if err := d.clean(ctx, c.s); err != nil {
			return r, err
		}
	}
	if len(got.steps) > 0 {
		if r.Steps, err = c.steps(ctx, got); err != nil {
			return r, err
		}
	}
	if c.policy.commits(c.state.Due, c.turn) {
		if r.Commit, err = c.commit(ctx); err != nil {
			return r, err
		}
	}
	if r.Commit != "" || c.turn.Ends {
		c.state.Due = nil
	}
	c.state.remember(got)
	c.state.Attempt, c.state.On, c.state.Code = false, "", now.head
	c.state.Asked = c.asks || c.state.Asked && len(got.turns) == 0
	c.state.Ended = c.turn.Ends
	if c.state.Tip, err = c.tip(ctx); err != nil {
		return r, err
	}
	return r, c.save(f, got.end)
}

// lastMessage is the agent's last message: what the client gave, because the transcript may lack
// it still, unless that is all messages of the turn, of which the transcript has the last.
func lastMessage(given, read string) string {
	if given == "" || read != "" && strings.HasSuffix(strings.TrimSpace(given), strings.TrimSpace(read)) {
		return read
	}
	return given
}

// steps records steps, and reports how many were new.
func (c *capturing) steps(ctx context.Context, got read) (n int, err error) {
	record := c.s.RecordNew
	if c.again {
		record = c.s.Record
		if got.steps, err = c.elsewhere(ctx, got.steps); err != nil {
			return 0, err
		}
	}
	if err := c.attempt(ctx); err != nil {
		return 0, err
	}
	recorded, err := record(ctx, got.steps)
	for _, r := range recorded {
		if !r.Known && r.ID != "" {
			n++
		}
	}
	return n, err
}

// commit commits the branch's pending steps under the words of the user and of the agent.
func (c *capturing) commit(ctx context.Context) (string, error) {
	tip, err := c.s.Tip(ctx, "")
	if err != nil {
		return "", err
	}
	o := store.CommitOptions{Writer: c.turn.Writer, Branch: tip.Name(),
		Summary: c.state.Due.summary(c.turn.Client), Contribution: c.state.Due.contribution()}
	if !c.state.Told {
		ran, err := Ran(c.s, c.turn.Dir, c.settings)
		if err != nil {
			return "", err
		}
		o.Contribution = joined(o.Contribution, ran)
	}
	wanted, err := c.wants(ctx, tip, o)
	if err != nil || !wanted {
		return "", err
	}
	made, err := c.s.Commit(ctx, o)
	c.state.Told = c.state.Told || err == nil
	return made.ID, err
}

// wants reports whether the commit of a turn is to be made. Without pending steps there is
// nothing to commit, unless a killed process recorded them and another commit took them: then
// the turn's words are missing, if that process did not commit them.
func (c *capturing) wants(ctx context.Context, tip *store.Tip, o store.CommitOptions) (bool, error) {
	if !c.again {
		pending, err := c.s.Pending(ctx, tip)
		return len(pending.Lines) > 0, err
	}
	if _, err := c.s.CheckEntry(ctx, &o.Summary, &o.Contribution, &o.Progress); err != nil { // as it would be stored
		return false, err
	}
	live, _, err := tip.LiveCommits(ctx)
	return !slices.ContainsFunc(live, func(m doc.Commit) bool {
		return m.Session == o.Writer.Session && m.Summary == o.Summary && m.Contribution == o.Contribution
	}), err
}

// Tip returns the commit of the current memory branch without reading it; git.ErrNotFound
// where there is none.
func Tip(ctx context.Context, s *store.Store) (git.ID, error) {
	branch, err := s.Current(ctx)
	if err != nil {
		return "", err
	}
	return s.Repo().Ref(ctx, git.BranchRef(branch))
}

func (c *capturing) tip(ctx context.Context) (string, error) {
	id, err := Tip(ctx, c.s)
	return string(id), err
}

// session is the session of the steps: a subagent's is apart from the user's.
func (t Turn) session() string {
	if t.Subagent != "" {
		return t.Session + "/" + t.Subagent
	}
	return t.Session
}

// limited is a reader that ends at a time, or when there is enough, at the end of what it has.
type limited struct {
	ctx    context.Context
	in     io.Reader
	until  time.Time
	enough bool
	cut    bool
}

func (l *limited) Read(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	if l.enough || time.Now().After(l.until) {
		l.cut = true
		return 0, io.EOF
	}
	return l.in.Read(p)
}

// newStep is a step to record, and whether there is anything left of it.
func (p policy) newStep(t Turn, s agent.Step) (store.NewStep, bool) {
	if p.mode == captureActions {
		s.Observation, s.Thought, s.Action = "", "", strings.TrimSuffix(s.Action, "\n"+s.Change)
	}
	step := NewStep(t.Client, s)
	step.Agent, step.Model = t.Writer.Agent, cmp.Or(step.Model, agent.Name(t.Model))
	return step, strings.TrimSpace(step.Observation+step.Thought+step.Action) != ""
}

// NewStep is a step of a client's transcript as memory records it, without its agent.
func NewStep(client string, s agent.Step) store.NewStep {
	return store.NewStep{
		Observation: s.Observation, Thought: s.Thought, Action: s.Action, Time: s.Time,
		Session: agent.Name(s.Session), Model: agent.Name(s.Model), Tokens: max(0, s.Tokens), Source: agent.Source(client, s),
	}
}
