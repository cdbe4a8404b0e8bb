package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
)

// MaxStep bounds one step, commit, topic or resolution, in bytes of text.
const MaxStep = 16 << 20

// MaxFile is the largest size in bytes of a document: a text of line feeds doubles as a quote; the rest is heading.
const MaxFile = doc.FileLimit

// EntryLine is a step as a line of the journal. The journal itself adds Step and ID at the
// end.
type EntryLine struct {
	Time        time.Time `json:"time"`
	Agent       string    `json:"agent,omitempty"`
	Session     string    `json:"session,omitempty"`
	Model       string    `json:"model,omitempty"`
	Tokens      int64     `json:"tokens,omitempty"`
	Source      string    `json:"source,omitempty"`
	Observation string    `json:"observation,omitempty"`
	Thought     string    `json:"thought,omitempty"`
	Action      string    `json:"action,omitempty"`

	Attachments []doc.Attachment `json:"attachments,omitempty"`

	Step int    `json:"step,omitempty"`
	ID   string `json:"id,omitempty"`
}

// Record appends Observation–Thought–Action steps to the current branch's
// journal and returns their numbers and ids once they are safe there. It runs no
// git process, writes no object and moves no ref. All of the steps are recorded
// or none.
func (s *Store) Record(ctx context.Context, steps []NewStep) ([]Recorded, error) {
	sourced := slices.ContainsFunc(steps, func(step NewStep) bool { return step.Source != "" })
	return s.record(ctx, steps, sourced)
}

// RecordNew is Record for steps whose sources the caller knows not to be on the branch. It
// does not read the branch's log, so that it takes the same time on branches of any length.
func (s *Store) RecordNew(ctx context.Context, steps []NewStep) ([]Recorded, error) {
	return s.record(ctx, steps, false)
}

// record appends steps to the current branch's journal; sourced looks for their sources first.
func (s *Store) record(ctx context.Context, steps []NewStep, sourced bool) ([]Recorded, error) {
	out := make([]Recorded, len(steps))
	for i := range steps {
		var err error
		if out[i].Replaced, err = s.checkStep(ctx, &steps[i]); err != nil {
			return nil, err
		}
		out[i].Attachments = steps[i].attachments()
	}
	var known *sources
	staged := func() error { return nil }
	j, err := OnBranch(ctx, s, "", func(branch string) (j *journal.Journal, err error) {
		for i := range out {
			out[i].Branch = branch
		}
		if staged, err = s.stage(ctx, branch, steps); err != nil {
			return nil, err
		}
		if j, known, err = s.openForRecord(ctx, branch, sourced); err != nil {
			err = errors.Join(err, staged())
		}
		return j, err
	})
	if err != nil {
		return nil, err
	}
	defer j.Close()
	err = s.append(j, steps, out, known)
	return out, errors.Join(err, staged())
}

// append writes the steps whose source is new and fills in the answers.
func (s *Store) append(j *journal.Journal, steps []NewStep, out []Recorded, known *sources) error {
	var lines [][]byte
	var fresh []int
	same := map[string]int{} // a source twice in one call is one step
	meter := s.repo.Meter("Recording steps", len(steps))
	defer meter.End()
	for i, step := range steps {
		meter.Add(1)
		if at, ok := known.find(step.Source); ok {
			out[i].ID, out[i].Step, out[i].Known = at.ID, at.Step, true
			continue
		}
		if _, ok := same[step.Source]; ok && step.Source != "" {
			continue
		}
		same[step.Source] = i
		line, err := json.Marshal(EntryLine{
			Time: step.Time, Agent: step.Agent, Session: step.Session, Model: step.Model, Tokens: step.Tokens,
			Source: step.Source, Observation: step.Observation, Thought: step.Thought, Action: step.Action,
			Attachments: out[i].Attachments,
		})
		if err != nil {
			return err
		}
		lines, fresh = append(lines, line), append(fresh, i)
	}
	if len(lines) > 0 {
		entries, err := j.Append(lines, s.NewID)
		if err != nil {
			return err
		}
		for k, e := range entries {
			out[fresh[k]].ID, out[fresh[k]].Step = e.ID, e.Step
		}
	}
	for i, step := range steps { // the second of two equal sources is answered like the first
		if out[i].ID == "" {
			first := out[same[step.Source]]
			out[i].ID, out[i].Step, out[i].Known = first.ID, first.Step, true
		}
	}
	return nil
}

// openForRecord locks the branch's journal, and for steps with sources reads
// which of them are known. The journal's existence means that the branch exists;
// only where it is missing git is asked.
func (s *Store) openForRecord(ctx context.Context, branch string, sourced bool) (*journal.Journal, *sources, error) {
	made := false
	for range 10 {
		var known *sources
		var err error
		if sourced {
			if known, err = s.sourcesOf(ctx, branch); err != nil {
				return nil, nil, err
			}
		}
		j, err := journal.Open(ctx, s.JournalPath(branch), s.JournalOptions())
		if errors.Is(err, journal.ErrMissing) {
			if err := s.MakeJournal(ctx, branch); err != nil {
				return nil, nil, err
			}
			made = true
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if made {
			if err := s.stillThere(ctx, branch, j); err != nil {
				return nil, nil, errors.Join(err, j.Close())
			}
		}
		fresh, err := known.catchUp(ctx, s, branch, j)
		if err == nil && fresh {
			return j, known, nil
		}
		if err = errors.Join(err, j.Close()); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, fail.New(fail.ErrStale, fail.Busy, fmt.Sprintf("other processes keep changing branch '%s'", branch), "run the command again")
}

// stillThere asks again, with the journal locked, whether the branch of a journal
// that this process made exists: it may have been deleted between the question
// and the making, and a deletion holds this lock.
func (s *Store) stillThere(ctx context.Context, branch string, j *journal.Journal) error {
	_, err := s.repo.Ref(ctx, git.BranchRef(branch))
	if errors.Is(err, git.ErrNotFound) {
		return errors.Join(s.NoSuchBranch(ctx, branch), j.Remove())
	}
	return err
}

// JournalOptions takes context.fsync, else core.fsync, from the settings that the last command
// cached: to ask for them could need a git process. Where nothing is cached that can be
// trusted (an include, GIT_CONFIG_*, a file that has just changed) a step is flushed:
// no one knows that it need not be.
func (s *Store) JournalOptions() journal.Options {
	cfg, ok := s.repo.CachedConfig()
	if !ok {
		return journal.Options{Sync: true}
	}
	sync, err := cfg.FsyncLooseObjects()
	if _, set := cfg.String(keyFsync); set {
		sync, err = cfg.Bool(keyFsync, false)
	}
	// A value that cannot be understood is reported by every command that reads
	// the settings anew; syncing is the safe reading of it here.
	return journal.Options{Sync: sync || err != nil}
}

// MakeJournal begins the journal of a branch that exists. It returns fail.ErrNotFound
// for one that does not: nothing is ever acknowledged into nowhere. Where the file goes
// before its first line is written, most likely its branch did too: that is looked at again.
func (s *Store) MakeJournal(ctx context.Context, branch string) (err error) {
	for range MaxTries {
		if err = s.tryJournal(ctx, branch); !errors.Is(err, journal.ErrMissing) {
			return err
		}
	}
	return err
}

func (s *Store) tryJournal(ctx context.Context, branch string) error {
	if info, err := os.Stat(s.JournalPath(branch)); err == nil && info.Size() > 0 {
		return nil
	}
	head, err := s.JournalHead(ctx, branch)
	if err != nil {
		return err
	}
	if _, err := s.repo.Config(ctx); err != nil { // leaves the cache that record reads
		return err
	}
	f, err := s.repo.OpenState("journal/"+journal.FileName(branch), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return fmt.Errorf("make the journal of branch '%s': %w", branch, err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	fault.Point("after-journal-made")
	return journal.Begin(ctx, s.JournalPath(branch), head, s.JournalOptions())
}

// JournalHead returns the first line of a new journal of a branch, made from its present tip.
func (s *Store) JournalHead(ctx context.Context, branch string) (journal.Head, error) {
	tip, err := s.Tip(ctx, branch)
	if err != nil {
		return journal.Head{}, err
	}
	meta, err := tip.Metadata(ctx)
	if err != nil {
		return journal.Head{}, err
	}
	head := journal.Head{Committed: string(tip.commit.ID)}
	if head.Step, err = tip.LastNumber(ctx, meta.Totals().Origins[branch].Steps); err != nil {
		return journal.Head{}, err
	}
	if head.ID, err = tip.NewestEntry(ctx); err != nil {
		return journal.Head{}, err
	}
	head.Journal, err = s.NewID("")
	return head, err
}

// LastNumber is the number of the newest step that a branch of so many recorded itself: more
// than their count where some were forgotten, or the branch had another name before.
func (tip *Tip) LastNumber(ctx context.Context, count int) (int, error) {
	if count == 0 {
		return 0, nil
	}
	last := count
	err := tip.SegmentsBackwards(ctx, doc.LogFile, doc.LogDir, func(data []byte) (bool, error) {
		steps, err := doc.ParseLog(data)
		for _, step := range slices.Backward(steps) {
			if step.Origin == tip.branch {
				last = max(last, step.Number)
				return false, nil
			}
		}
		return true, err
	})
	return last, err
}

// DropLeftovers clears what a deleted branch of that name left: its journal is set aside, its
// waiting merge and its bisects are removed.
func (s *Store) DropLeftovers(ctx context.Context, branch string) error {
	return errors.Join(s.setAside(branch), s.DropMerge(branch), s.dropBisects(ctx, branch))
}

// setAside renames a journal without a branch, so that a new branch can have the name. Its
// steps stay on disk.
func (s *Store) setAside(branch string) error {
	path := s.JournalPath(branch)
	id, err := s.NewID("")
	if err != nil {
		return err
	}
	err = os.Rename(path, filepath.Join(filepath.Dir(path), journal.OrphanName(branch, id)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// AsStep returns the line as a step of a document. agent is the default for a line without
// one.
func (l EntryLine) AsStep(branch, agent string) doc.Step {
	if l.Agent != "" {
		agent = l.Agent
	}
	return doc.Step{
		ID: l.ID, Number: min(l.Step, doc.MaxNumber), Time: l.Time, Agent: agent, Session: l.Session, Model: l.Model, Tokens: l.Tokens,
		Source: l.Source, Origin: branch, Observation: l.Observation, Thought: l.Thought, Action: l.Action,
		Attachments: l.Attachments,
	}
}

// Step is one Observation–Thought–Action step as views show it.
type Step struct {
	ID          string    `json:"id"`
	Step        int       `json:"step"`
	Time        time.Time `json:"time"`
	Agent       string    `json:"agent"`
	Session     string    `json:"session"`
	Origin      string    `json:"origin"`
	Observation string    `json:"observation"`
	Thought     string    `json:"thought"`
	Action      string    `json:"action"`
	Pending     bool      `json:"pending"`

	Attachments []doc.Attachment `json:"attachments,omitempty"`

	// The rest of what log.md says of it, for text.
	Model  string `json:"-"`
	Source string `json:"-"`
	Tokens int64  `json:"-"`
}

// NewStep is a step to record. Source is the source's own name for it, if any
// (session or file plus index): a step whose source is already on the branch
// is answered and not repeated.
type NewStep struct {
	Observation, Thought, Action string
	Time                         time.Time // zero: now
	Agent, Session, Model        string
	Tokens                       int64
	Source                       string
	Attach                       []NewAttachment // files to keep with it, at most doc.MaxAttachments
}

// Recorded is the answer to one NewStep once it is safe on disk.
type Recorded struct {
	ID     string `json:"id"`
	Step   int    `json:"step"`
	Branch string `json:"branch"`

	Attachments []doc.Attachment `json:"attachments,omitempty"`

	Known    bool `json:"-"` // its source was already there
	Replaced bool `json:"-"` // invalid UTF-8 or NUL became U+FFFD
}

// sources contains the source keys of a branch, so that a second import of the same steps adds
// nothing. It alone reads a branch's whole log. The goroutines of a Store share it; mu guards
// it beside the journal's lock.
type sources struct {
	tip git.ID // never changes

	mu      sync.Mutex
	journal string
	upto    int64 // how far the journal has been read
	at      map[string]journal.Entry
}

// find looks a source up; a nil *sources and an empty key know nothing.
func (k *sources) find(source string) (journal.Entry, bool) {
	if k == nil || source == "" {
		return journal.Entry{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.at[source]
	return e, ok
}

// sourcesOf returns the source keys of a branch. It reads the log only where this Store has
// not read it at the same tip.
func (s *Store) sourcesOf(ctx context.Context, branch string) (*sources, error) {
	tip, err := s.Tip(ctx, branch)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	k := s.known[branch]
	s.mu.Unlock()
	if k != nil && k.tip == tip.commit.ID {
		return k, nil
	}
	k = &sources{tip: tip.commit.ID, at: map[string]journal.Entry{}}
	err = tip.EachLog(ctx, func(steps []doc.Step) {
		for _, step := range steps {
			if step.Source != "" {
				k.at[step.Source] = journal.Entry{Step: step.Number, ID: step.ID}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.known[branch] = k
	s.mu.Unlock()
	return k, nil
}

// catchUp reads what the journal has beyond what was read. It is called with
// the journal locked, and reports false when the branch has moved on meanwhile:
// its log must then be read again, because a COMMIT may have drained steps that
// neither reading saw.
func (k *sources) catchUp(ctx context.Context, s *Store, branch string, j *journal.Journal) (bool, error) {
	if k == nil {
		return true, nil
	}
	tip, err := s.repo.Ref(ctx, git.BranchRef(branch))
	if err != nil && !errors.Is(err, git.ErrNotFound) {
		return false, err
	}
	if err != nil || tip != k.tip {
		return false, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	c, err := j.Since(k.upto)
	if err == nil && c.Head.Journal != k.journal {
		if k.journal != "" { // another journal may lack steps that the last one had: they were taken back
			s.mu.Lock()
			delete(s.known, branch)
			s.mu.Unlock()
			return false, nil
		}
		k.journal = c.Head.Journal
		c, err = j.Since(0)
	}
	if err != nil {
		return false, err
	}
	for _, line := range c.Lines {
		var l EntryLine
		if err := json.Unmarshal(line.Raw, &l); err != nil {
			return false, fmt.Errorf("journal of branch '%s', step %d: %w", branch, line.Step, err)
		}
		if l.Source != "" {
			k.at[l.Source] = journal.Entry{Step: l.Step, ID: l.ID}
		}
	}
	k.upto = c.Size
	return true, nil
}
