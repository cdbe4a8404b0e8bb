package capture

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/refs/store"
)

// Rules are what the settings and the patterns of what is not captured say.
type Rules struct {
	policy policy
	ignore *ignored
	clean  func(text string) string
}

// ReadRules reads the settings and the patterns of a repository.
func ReadRules(ctx context.Context, s *store.Store) (r *Rules, err error) {
	r = &Rules{}
	if r.policy, err = readPolicy(ctx, s); err != nil {
		return nil, err
	}
	if r.clean, err = s.Cleaner(ctx); err != nil {
		return nil, err
	}
	r.ignore, err = readIgnored(s.Repo())
	return r, err
}

// Whole are the same rules, except that nothing is left out: for what is no record of a user's sessions.
func (r *Rules) Whole() *Rules {
	whole := &Rules{policy: r.policy, clean: r.clean}
	whole.policy.mode = captureFull
	return whole
}

// Off reports whether nothing is to be recorded.
func (r *Rules) Off() bool { return r.policy.mode == captureOff }

// Ignore reports whether a call is to be left out, for agent.Start; it may be nil.
func (r *Rules) Ignore() func(agent.Event) bool { return r.ignore.of() }

// Clean replaces the secrets in a text, for agent.Start.
func (r *Rules) Clean(text string) string { return r.clean(text) }

// Here reports whether a directory is in one of this repository's worktrees, and not in a submodule
// or another repository within one.
func Here(s *store.Store, dir string) (bool, error) {
	if dir == "" {
		return false, nil
	}
	return (&capturing{s: s}).here(dir)
}

// Past makes of the turns of a session that is over what Record would have made of each at its end,
// except that git cannot be asked any more which files a turn changed.
type Past struct {
	rules *Rules
	turn  Turn
	state state
	ran   string
}

// Ran is what the first commit tells of the session, see the function Ran.
func (p *Past) Ran(line string) { p.ran = line }

// Past begins a session of a client, whose name is that of the agent.
func (r *Rules) Past(client string) *Past {
	return &Past{rules: r, turn: Turn{Client: client, Writer: store.Writer{Agent: client}}}
}

// Step is a step to record, and whether the settings leave anything of it.
func (p *Past) Step(s agent.Step) (store.NewStep, bool) { return p.rules.policy.newStep(p.turn, s) }

// PastTurn is a turn of a session that is over.
type PastTurn struct {
	agent.Turn
	Steps []agent.Step
	Code  bool // it made a commit of code
	Ends  bool // it is the last of the session
}

// Add adds the next turn. It returns the summary and the contribution of the commit that the turn
// ends with; "" if it ends with none.
func (p *Past) Add(t PastTurn) (summary, contribution string) {
	p.state.add(t.Turn, p.rules.policy)
	d := p.state.Due
	if t.Cut || !t.Done {
		d.interrupt(p.rules.policy, t.Steps)
	}
	d.Code = d.Code || t.Code || t.Changed
	p.turn.Ends = t.Ends
	commits := p.rules.policy.commits(d, p.turn)
	if commits {
		summary, contribution = d.summary(p.turn.Client), joined(joined(d.contribution(), t.Terms), p.ran)
		p.ran = ""
	}
	if commits || t.Ends {
		p.state.Due = nil
	}
	return strings.TrimSpace(summary), contribution
}

// Imported notes that a transcript was recorded up to an offset by an import, so that hooks that know
// the session do not record it again. A session that they do not know stays unknown.
func Imported(ctx context.Context, s *store.Store, t Turn, offset int64) error {
	if known, err := Known(s, t); err != nil || !known {
		return err
	}
	lock, err := s.Repo().Lock(ctx, store.CaptureLock(t.key()))
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process releases it in any case
	c := &capturing{s: s, turn: t}
	known, err := c.load(t.key())
	if err != nil || !known || c.state.Offset >= offset {
		return err
	}
	f, err := c.open(ctx)
	if err != nil {
		return ignoreMissing(err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	c.state.Due, c.state.Attempt = nil, false
	if err := c.save(f, offset); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return nil // it was rewritten since, and is shorter: hooks read it from its beginning, and compare
}

// Goes reports whether hooks record a session that has not ended: its newest turns are theirs.
func Goes(s *store.Store, t Turn) (bool, error) {
	var st state
	known, err := readState(s, t.key(), &st)
	return known && !st.Ended && s.Clock().Sub(st.Seen) < running, err
}
