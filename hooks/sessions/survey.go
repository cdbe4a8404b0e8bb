package sessions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// session is what is known of a session after the first reading.
type session struct {
	key
	files []*File
	ids   []string // hooks know it by these: its own, and those of its subagents
	turns []span   // of all its files, in the order of time
	first string   // prompt
	alone bool     // it has a branch of its own
	left  bool     // a hook of it was called: the rest is left to the hooks

	steps, commits int // that are new
	branch         string
}

// span is when a turn was.
type span struct {
	begin, end time.Time
	fresh      bool // memory lacks a step of it
}

// surveyed is the result of the first reading of a file.
type surveyed struct {
	file  *File
	id    string
	whole string
	own   bool // it is not a subagent's
	here  bool
	goes  bool
	open  int

	first string
	turns []span
	known int // steps that memory has
	gone  int // steps that were expunged
	count agent.Report
	err   error
}

// survey reads all files once, several at a time.
func (i *importing) survey(ctx context.Context) error {
	meter := i.s.Repo().Meter("Reading transcripts", len(i.o.Files))
	defer meter.End()
	all := make([]surveyed, len(i.o.Files))
	next, done := make(chan int), make(chan int)
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 4) {
		readers.Go(func() {
			for n := range next {
				all[n] = i.look(ctx, &i.o.Files[n])
				done <- n
			}
		})
	}
	go func() {
		for n := range all {
			next <- n
		}
		close(next)
		readers.Wait()
		close(done)
	}()
	for range done {
		meter.Add(1)
	}
	for n := range all {
		if err := i.take(&all[n]); err != nil {
			return err
		}
	}
	return nil
}

// look reads a file.
func (i *importing) look(ctx context.Context, f *File) surveyed {
	l := surveyed{file: f}
	if i.o.Found {
		if !f.Time.IsZero() && f.Time.Before(i.o.Since) { // no turn is newer than what was written last
			return l
		}
		if l.here, l.err = i.isHere(ctx, f); l.err != nil || !l.here {
			return l
		}
	}
	c, err := i.read(ctx, f, i.quietly)
	if err != nil {
		l.err = err
		return l
	}
	l.id, l.whole, l.own, l.goes, l.open = c.id, c.whole, !c.sub, c.goes, c.open
	l.count = *c.report
	l.count.Turns, l.count.Open = nil, nil
	past := i.rules.Past(f.Client)
	for n, t := range c.turns {
		if i.leaves(c, n) {
			continue
		}
		l.gone += t.gone
		at := span{begin: t.Begin, end: t.End}
		for _, step := range t.steps {
			step, ok := past.Step(step)
			if !ok {
				continue
			}
			if i.known[store.SourceHash(step.Source)] {
				l.known++
			} else {
				at.fresh = true
			}
		}
		if !t.sub && l.first == "" {
			l.first = firstLine(t.Prompt)
		}
		l.turns = append(l.turns, at)
	}
	return l
}

// leaves reports whether a turn is not imported now: it is too old, or may go on.
func (i *importing) leaves(c *content, n int) bool {
	return c.turns[n].End.Before(i.o.Since) || i.o.Found && c.goes && n == len(c.turns)-1
}

// headSizes are how many bytes of a file are read to find out where its agent worked; 0: all.
var headSizes = [...]int64{64 << 10, 2 << 20, 0}

// isHere reports whether the session of a file is of this repository.
func (i *importing) isHere(ctx context.Context, f *File) (bool, error) {
	dir := f.Dir
	for _, size := range headSizes {
		if dir != "" {
			break
		}
		var err error
		if dir, err = i.dirOf(ctx, f, size); err != nil {
			return false, err
		}
	}
	return capture.Here(i.s, dir)
}

// dirOf reads the directory of a session from the first bytes of its transcript, or all of it for a size
// of 0; "" if they do not tell.
func (i *importing) dirOf(ctx context.Context, f *File, size int64) (string, error) {
	in, err := f.Open(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }() // nothing was written
	var r io.Reader = &reader{ctx: ctx, in: in}
	if size > 0 {
		r = io.LimitReader(r, size)
	}
	report, err := f.Decode(r, agent.Start{Session: f.Session}, func(agent.Step) error { return nil })
	if err != nil {
		return "", err
	}
	return report.Dir, nil
}

// take adds what was read of a file to its session.
func (i *importing) take(l *surveyed) error {
	switch {
	case l.err == nil:
	case i.o.Found && !errors.Is(l.err, context.Canceled): // one broken file must not keep all others from coming
		if !errors.Is(l.err, agent.ErrForeign) {
			i.res.Warnings = append(i.res.Warnings, fmt.Sprintf("'%s' was left out: %v", l.file.Name, l.err))
		}
		return nil
	default:
		return &FileError{File: l.file, Err: l.err}
	}
	if i.o.Found && (!l.here || l.file.Hooked && i.hooked[agent.Source(l.file.Client, agent.Step{Session: l.id})]) {
		return nil
	}
	goes, err := capture.Goes(i.s, i.turnOf(l.file, l.id))
	if err != nil {
		return err
	}
	if i.o.Found && (goes || l.goes) {
		i.going++
	}
	if i.o.Found && goes {
		return nil
	}
	i.count(l)
	k := key{l.file.Client, l.id}
	s := i.sessions[k]
	if s == nil {
		s = &session{key: k}
		i.sessions[k] = s
	}
	s.files = append(s.files, l.file)
	if !slices.Contains(s.ids, l.whole) {
		s.ids = append(s.ids, l.whole)
	}
	s.turns = append(s.turns, l.turns...)
	slices.SortStableFunc(s.turns, func(a, b span) int { return a.begin.Compare(b.begin) })
	if l.own && s.first == "" {
		s.first = l.first
	}
	i.res.Skipped += l.known
	i.res.Expunged += l.gone
	return nil
}

// turnOf names a session for package capture.
func (i *importing) turnOf(f *File, id string) capture.Turn {
	return capture.Turn{Client: f.Client, Session: id, Transcript: f.Path, Ends: true}
}

// FileError is the failure to read a file that the user named.
type FileError struct {
	File *File
	Err  error
}

func (e *FileError) Error() string { return e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// count adds what did not become steps of a file. A file that the user named has a warning of its own.
func (i *importing) count(l *surveyed) {
	r := &l.count
	i.res.Lossy = i.res.Lossy || r.Lossy
	if i.o.Found {
		add(&i.total, r)
		return
	}
	i.res.Broken += broken(r)
	for _, w := range Warnings(r) {
		i.res.Warnings = append(i.res.Warnings, fmt.Sprintf("'%s': %s", l.file.Name, w))
	}
	for _, n := range r.Empty {
		i.res.Warnings = append(i.res.Warnings, fmt.Sprintf("'%s': step %d has neither observation, thought nor action", l.file.Name, n))
	}
	if l.open > 0 {
		i.res.Warnings = append(i.res.Warnings, fmt.Sprintf("'%s': %s not finished yet; import the file again later", l.file.Name, prose.Count(l.open, "step")))
	}
}

func add(to, r *agent.Report) {
	to.Broken += r.Broken
	to.TooLong += r.TooLong
	to.Subagent += r.Subagent
	to.Copied += r.Copied
	to.LeftOut += r.LeftOut
	if to.Unknown == nil {
		to.Unknown = map[string]int{}
	}
	for name, n := range r.Unknown {
		to.Unknown[name] += n
	}
}

// broken is how many lines and records could not be read.
func broken(r *agent.Report) (n int) {
	for _, unknown := range r.Unknown {
		n += unknown
	}
	return n + r.Broken + r.TooLong
}

// tell completes the result.
func (i *importing) tell() {
	if i.o.Found {
		i.res.Broken = broken(&i.total)
		i.res.Warnings = append(i.res.Warnings, Warnings(&i.total)...)
	}
	if i.going > 0 {
		i.res.Warnings = append(i.res.Warnings, goOn(i.going))
	}
	i.res.Branches = len(i.gained)
}

func goOn(n int) string {
	if n == 1 {
		return "1 session goes on: the rest of it comes with a later import, or with the hooks"
	}
	return fmt.Sprintf("%d sessions go on: the rest of them comes with a later import, or with the hooks", n)
}

// Warnings says what did not become steps.
func Warnings(r *agent.Report) []string {
	var skipped []string
	skip := func(n int, one, more string) {
		if n == 1 {
			skipped = append(skipped, "1 "+one)
		} else if n > 1 {
			skipped = append(skipped, fmt.Sprintf("%d %s", n, more))
		}
	}
	unknown := broken(r) - r.Broken - r.TooLong
	names := " of unknown type (" + prose.OneLine(strings.Join(slices.Sorted(maps.Keys(r.Unknown)), ", "), 200) + ")"
	skip(unknown, "record"+names, "records"+names)
	skip(r.Broken, "line that is no JSON", "lines that are no JSON")
	skip(r.TooLong, "record of more than 16 MiB", "records of more than 16 MiB")
	skip(r.Subagent, "record of a subagent", "records of subagents")
	skip(r.Copied, "record that is a copy of another session's", "records that are copies of another session's")
	skip(r.LeftOut, "step of a turn that has 32 KiB without it", "steps of turns that have 32 KiB without them")
	if len(skipped) == 0 {
		return nil
	}
	return []string{"skipped " + strings.Join(skipped, ", ")}
}

func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return prose.OneLine(line, mostPurpose)
		}
	}
	return ""
}
