// Package sessions imports whole sessions of coding agents from what their clients wrote. It runs when
// a user asks for it, and makes of each turn what package capture makes of it at its end: steps, and a
// memory commit for a turn that changed files, made a commit of code or took at least five calls.
//
// All files are read twice. The first reading finds out which sessions are this repository's, when
// their turns were, and which steps memory has; only that is kept. The second makes the commits, in
// the order of time, and holds a few thousand steps at once.
//
// # Branches
//
// A session is one or more runs of turns, with a pause of at least four hours between two.
//
//  1. A session with a run that overlaps a run of another session gets a branch of its own,
//     CLIENT-DATE-ID, which begins at the current branch and has the first prompt as its purpose.
//  2. The runs of all others follow each other on the current branch.
//  3. Except, if they are looked for and not named by the user, those that are older than the newest
//     commit there: they follow each other on the branch "sessions", so that the newest work stays
//     the newest. The names of more such branches have a number.
//
// A session that began a branch goes on there. These branches stay as any other.
//
// A trace is a record of one task that an agent worked at, often one of many attempts, and of a repository
// that the user need not have. Traces go to the current branch, whatever ran while they did; what only
// other branches have is unknown, so that each branch can have the same trace; and context.capture does
// not hold for them.
//
// # Repetition
//
// A step is known by its source, see [agent.Source], on whatever branch it is: what capture or an
// earlier import recorded is not added again, and what was expunged here neither. Some hundred turns move their branches at once, each
// turn with its steps; a process that is killed between leaves whole turns, and the next import
// makes the others. Two imports wait for each other. A session of which a hook is called while an
// import runs is left to the hooks, and what they did not record of it to the next import.
package sessions

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/store"
)

// File is a transcript.
type File struct {
	Client  string
	Path    string    // "": it is no file
	Name    string    // in messages
	Session string    // that its place tells, "SESSION/AGENT" of a subagent; "": its records do
	Dir     string    // where the agent worked, if its place tells and its records do not
	Hooked  bool      // its steps have no other names than their numbers: a session that hooks recorded is left out
	Time    time.Time // when it was written last; zero: unknown

	Open   func(context.Context) (io.ReadCloser, error)
	Decode capture.Decode
}

// Options are the options of Import.
type Options struct {
	Files  []File
	Found  bool // the files were looked for: only sessions of this repository are imported
	Traces bool // the files are traces, see the package's comment
	Since  time.Time
	Now    time.Time
	Writer store.Writer // empty members are those of the sessions
	DryRun bool         // change nothing, and list the sessions
}

// Result is what an import brought.
type Result struct {
	Sessions int       `json:"sessions"` // that brought something
	Branches int       `json:"branches"` // that got something
	Commits  int       `json:"commits"`
	Steps    int       `json:"steps"`
	Skipped  int       `json:"skipped"`  // steps that exist already
	Expunged int       `json:"expunged"` // steps that stay out, as they or others of the same source were expunged
	Links    int       `json:"links"`    // to commits of code
	Broken   int       `json:"broken"`   // lines and records that could not be read
	Found    []Session `json:"found,omitempty"`

	Lossy    bool     `json:"-"`
	Warnings []string `json:"-"`
}

// Session is a session that was found.
type Session struct {
	Client  string    `json:"client"`
	ID      string    `json:"id"`
	Prompt  string    `json:"prompt"` // the first line of the first
	Begin   time.Time `json:"begin"`
	End     time.Time `json:"end"`
	Branch  string    `json:"branch"`
	Steps   int       `json:"steps"`   // that are new
	Commits int       `json:"commits"` // that it becomes
}

// Lock is the lock that an import takes.
const Lock = "import"

// Import imports sessions. The error is of the kind fail.ErrNoMemory without memory, and fail.ErrRefused
// where context.capture is off.
func Import(ctx context.Context, s *store.Store, o Options) (Result, error) {
	i, err := begin(ctx, s, o)
	if err != nil {
		return Result{}, err
	}
	lock, err := s.Repo().Lock(ctx, Lock)
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process releases it in any case
	if i.gone, err = s.ForgottenSources(); err != nil {
		return Result{}, err
	}
	if i.marks, err = capture.ReadMarks(s); err != nil { // before memory: what hooks record after that shows
		return Result{}, err
	}
	if err := i.readKnown(ctx); err != nil {
		return Result{}, err
	}
	if err := i.survey(ctx); err != nil {
		return i.res, err
	}
	if err := i.plan(ctx); err != nil {
		return i.res, err
	}
	err = i.build(ctx)
	i.tell()
	return i.res, err
}

// importing is one call of Import.
type importing struct {
	s       *store.Store
	o       Options
	rules   *capture.Rules
	quietly func(text string) string // replaces secrets as rules do, and notes none: the survey stores nothing
	current string                   // branch
	names   map[string]bool

	known    map[uint64]bool // sources of steps, see store.SourceHash
	gone     map[uint64]bool // sources of steps that were expunged
	hooked   map[string]bool // beginnings of sources, of sessions that have names that are no numbers
	sessions map[key]*session
	units    []*unit // in the order of time

	total  agent.Report // of all files, what did not become steps
	going  int          // sessions that have not ended
	codes  codes
	waits  map[string]*lane
	steps  int // that were read since the last flush
	size   int // their bytes
	ends   map[*File]ended
	marks  capture.Marks // of the sessions when memory was read
	res    Result
	gained map[string]bool // branches that got something
}

// key names a session.
type key struct{ client, session string }

func begin(ctx context.Context, s *store.Store, o Options) (*importing, error) {
	i := &importing{s: s, o: o, names: map[string]bool{}, known: map[uint64]bool{}, hooked: map[string]bool{}, sessions: map[key]*session{},
		waits: map[string]*lane{}, gained: map[string]bool{}, ends: map[*File]ended{}}
	i.codes.repo = s.Repo()
	var err error
	if i.rules, err = capture.ReadRules(ctx, s); err != nil {
		return nil, err
	}
	redaction, err := s.Redaction(ctx)
	if err != nil {
		return nil, err
	}
	i.quietly = func(text string) string {
		text, _ = redaction.Text(text)
		return text
	}
	if o.Traces {
		i.rules = i.rules.Whole()
	}
	if i.rules.Off() {
		return nil, fail.New(fail.ErrRefused, fail.Refused, store.KeyCapture+" is off: nothing of a transcript is recorded",
			"git config "+store.KeyCapture+" full")
	}
	tip, err := s.Tip(ctx, "")
	if err != nil {
		return nil, err
	}
	i.current = tip.Name()
	return i, nil
}

// readKnown reads the names of the branches, and the sources of all their steps.
func (i *importing) readKnown(ctx context.Context) error {
	names := []string{i.current}
	if !i.o.Traces {
		var err error
		if names, err = i.s.BranchNames(ctx); err != nil {
			return err
		}
	}
	meter := i.s.Repo().Meter("Reading memory", len(names))
	defer meter.End()
	for _, name := range names {
		i.names[name] = true
		err := i.s.EachSource(ctx, name, i.knows)
		if err != nil {
			return err
		}
		meter.Add(1)
	}
	return nil
}

// knows notes the source of a step.
func (i *importing) knows(source string) {
	i.known[store.SourceHash(source)] = true
	session := strings.LastIndexByte(source, ':') + 1
	if strings.Trim(source[session:], "0123456789/") != "" {
		i.hooked[source[:session]] = true
	}
}

// reader ends with its context.
type reader struct {
	ctx context.Context
	in  io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}
