package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// Commit is COMMIT: it makes a commit of every pending step of the branch,
// by any writer. There may be none.
//
// The branch's ref moves in one transaction, together with the roadmap's when
// the roadmap is revised. After that the journal is marked and the commit's
// note is written; a crash in between is found out by the commit's trailers.
//
// With o.Code the code is committed too, and a crash leaves both commits, linked, or
// none: what is missing is made by the next command that changes the branch.
func (s *Store) Commit(ctx context.Context, o CommitOptions) (CommitResult, error) {
	replaced, err := s.CheckEntry(ctx, &o.Summary, &o.Contribution, &o.Progress)
	if err != nil {
		return CommitResult{}, err
	}
	listed, err := s.CheckRevision(ctx, o.Roadmap)
	if err != nil {
		return CommitResult{}, err
	}
	judged, err := s.checkJudgement(ctx, &o.Judging)
	if err != nil {
		return CommitResult{}, err
	}
	res, err := OnBranch(ctx, s, o.Branch, func(branch string) (CommitResult, error) { return s.commitOn(ctx, branch, o) })
	res.Replaced = replaced || listed || judged
	return res, err
}

func (s *Store) commitOn(ctx context.Context, branch string, o CommitOptions) (CommitResult, error) {
	tx, err := s.Begin(ctx, o.Writer, "commit: "+prose.OneLine(o.Summary, 200), branch)
	if err != nil {
		return CommitResult{}, err
	}
	defer tx.Close()

	res := CommitResult{}
	if o.Code != nil {
		res, err = s.above.CommitCode(ctx, tx, branch, o)
	} else {
		var made *git.Commit
		if res, made, err = tx.MakeCommit(ctx, branch, o); err == nil && !o.Judging.Empty() {
			err = tx.WriteJudgement(ctx, made, o.Judging)
		}
	}
	return res, err
}

// MakeCommit makes a commit and moves the branch. It writes the note too, unless o.Judging
// adds to that.
func (tx *Transaction) MakeCommit(ctx context.Context, branch string, o CommitOptions) (CommitResult, *git.Commit, error) {
	var done committed
	err := tx.Swap(ctx, func(ctx context.Context) (err error) {
		done, err = tx.BuildCommit(ctx, branch, o)
		return err
	})
	if err != nil {
		return CommitResult{}, nil, err
	}
	res := done.result(branch)
	said, mark := tx.judgement(o.Judging, done.entry.ID, nil)
	tx.tellNote(done.Commit.ID, said)
	mark = errors.Join(mark, tx.Mark(ctx, branch, done.pending, done.Commit.ID, done.lastStep, done.entry.ID))
	var fold error
	if o.Judging.Empty() {
		fold = tx.Fold(ctx, done.Commit)
	}
	res.Warnings = append(done.warnings, tx.LateWarnings(mark, fold)...)
	return res, done.Commit, nil
}

// WriteJudgement writes a judgement into the note of a commit that was made just now. Its
// error says that the commit exists.
func (tx *Transaction) WriteJudgement(ctx context.Context, c *git.Commit, j Judgement) error {
	_, err := tx.addNote(ctx, c, j)
	if err == nil {
		return nil
	}
	id := c.Trailer(TrailerID)
	return &fail.Error{Code: fail.NoteNotWritten, Kind: fail.ErrRefused, Err: err, Hints: []string{"git context note " + id + " --score X --outcome O"},
		Message: fmt.Sprintf("commit %s was made, but its judgement was not written", id)}
}

// committed is what one successful try of COMMIT made.
type committed struct {
	Commit   *git.Commit
	entry    doc.Commit
	pending  Pending
	lastStep int
	code     git.ID
	age      int
	warnings []string
}

func (d committed) result(branch string) CommitResult {
	res := CommitResult{ID: d.entry.ID, Commit: d.Commit.ID, Branch: branch, Summary: d.entry.Summary,
		Steps: StepRange(d.entry.Steps), RoadmapAge: d.age}
	if d.code != "" {
		res.Code = &d.code
	}
	return res
}

// BuildCommit builds a commit on the present tip and queues the move of the branch.
func (tx *Transaction) BuildCommit(ctx context.Context, branch string, o CommitOptions) (committed, error) {
	tip, err := tx.Store.Tip(ctx, branch)
	if err != nil {
		return committed{}, err
	}
	p, err := tx.Store.Pending(ctx, tip)
	if err != nil {
		return committed{}, err
	}
	if o.Work != "" {
		if err := tx.queueWork(ctx, branch, o.Work); err != nil {
			return committed{}, err
		}
	}
	return tx.buildOn(ctx, tip, p, nil, o)
}

// buildOn builds a commit with the pending steps on the commit of base. It replaces last, if
// that is not nil, and takes its steps too.
func (tx *Transaction) buildOn(ctx context.Context, base *Tip, p Pending, last *LastChange, o CommitOptions) (committed, error) {
	c, err := tx.Follow(ctx, base, o.Summary)
	if err != nil {
		return committed{}, err
	}
	live, data, err := base.LiveCommits(ctx)
	if err != nil {
		return committed{}, err
	}
	goal, err := tx.reviseRoadmap(ctx, c, live, o.Roadmap)
	if err != nil {
		return committed{}, err
	}
	old := base.commit.ID
	if last != nil {
		old = last.Commit.ID
		last.keepAge(c)
	}
	steps, err := tx.drain(ctx, c, base, p, last)
	if err != nil {
		return committed{}, err
	}
	m := doc.Commit{Summary: o.Summary, Contribution: o.Contribution, Progress: o.Progress, Goal: goal, Steps: steps}
	if err := tx.AddCommit(ctx, c, live, data, &m); err != nil {
		return committed{}, err
	}
	c.Work = o.Work
	if err := tx.Store.RefreshDetected(ctx, c, base.commit); err != nil {
		return committed{}, err
	}
	d := committed{code: c.Code, pending: p, entry: m, lastStep: steps.Last, age: c.RoadmapAge, warnings: c.Warnings}
	d.Commit, err = tx.Write(ctx, c, old)
	return d, err
}

// Drain moves pending steps into a change's log.md and returns their range.
func (tx *Transaction) Drain(ctx context.Context, c *Draft, tip *Tip, p Pending) (doc.Steps, error) {
	return tx.drain(ctx, c, tip, p, nil)
}

// drain is Drain with the steps of a commit that is replaced before the pending ones.
func (tx *Transaction) drain(ctx context.Context, c *Draft, tip *Tip, p Pending, last *LastChange) (doc.Steps, error) {
	steps, err := p.steps(tip.branch, committerAgent(git.Identity{Name: tx.Signature.Name}))
	if err != nil {
		return doc.Steps{}, err
	}
	c.took = p.took()
	if last != nil {
		steps = slices.Concat(last.Steps, steps)
		if len(p.Lines) == 0 { // what the old one says of the journal holds for the new one
			c.took, _ = ParseJournalMark(last.Commit.Trailer(TrailerJournal))
		}
	}
	if len(steps) == 0 {
		return doc.Steps{}, nil
	}
	data, err := tip.OptionalDocument(ctx, doc.LogFile)
	if err != nil {
		return doc.Steps{}, err
	}
	tx.quotesIn(steps)
	grown, err := doc.GrowLog(data, steps)
	if err != nil {
		return doc.Steps{}, err
	}
	if err := tx.PutGrowth(ctx, c.Tree, doc.LogFile, grown); err != nil {
		return doc.Steps{}, err
	}
	var replaced *git.Commit
	if last != nil {
		replaced = last.Commit
	}
	if err := tx.attach(ctx, c, steps, replaced); err != nil {
		return doc.Steps{}, err
	}
	first, newest := steps[0], steps[len(steps)-1]
	c.Newest = max(c.Newest, newest.ID)
	if err := c.Count(tip.branch, len(steps), 0); err != nil {
		return doc.Steps{}, err
	}
	return doc.Steps{First: first.Number, Last: newest.Number, Count: len(steps)}, nil
}

// Count adds to a change's totals.
func (c *Draft) Count(origin string, steps, commits int) error {
	t := c.Meta.Totals()
	t.Steps += steps
	t.Commits += commits
	if t.Origins == nil {
		t.Origins = map[string]doc.OriginTotals{}
	}
	own := t.Origins[origin]
	own.Steps += steps
	own.Commits += commits
	t.Origins[origin] = own
	return c.Meta.SetTotals(t)
}

// AddCommit completes a commit and puts it behind the live commit.md, whose
// entries and text are given.
func (tx *Transaction) AddCommit(ctx context.Context, c *Draft, live []doc.Commit, data []byte, m *doc.Commit) (err error) {
	if n := len(live); n > 0 { // what the trailer of the tip says of it, others may have written
		c.Newest = max(c.Newest, live[n-1].ID)
	}
	if m.ID, err = tx.Store.NewID(c.Newest); err != nil {
		return err
	}
	facts := c.Meta.Branch()
	m.Time, m.Agent, m.Session, m.Model, m.Tokens = tx.Signature.When, tx.Writer.Agent, tx.Writer.Session, tx.Writer.Model, tx.Writer.Tokens
	m.Origin, m.Purpose, m.Goal = c.branch, quoted(facts.Purpose), quoted(m.Goal)
	if m.Progress == "" && m.Kind != doc.KindRollback && len(live) > 0 {
		limit, err := tx.Store.SummaryLimit(ctx)
		if err != nil {
			return err
		}
		m.Progress = doc.NextProgressOf(live, limit)
	}
	m.Number = NextNumber(live, c.branch, c.Meta.Totals().Origins[c.branch].Commits+1)
	return tx.putEntry(ctx, c, data, m)
}

// mostQuoted is how many bytes of the goal and of the purpose each entry repeats. They are whole in main.md and metadata.yaml, and others take in
// but so many bytes of entries for each commit.
const mostQuoted = 4 << 10

// quoted returns the lines at the beginning of a text that an entry repeats.
func quoted(text string) string {
	if len(text) <= mostQuoted {
		return text
	}
	short := doc.ShortText(text, mostQuoted)
	if at := strings.LastIndexByte(short, '\n'); at > 0 {
		return short[:at] + "\n…"
	}
	return short + "…"
}

// putEntry puts a complete entry behind the live commit.md, whose text is given.
func (tx *Transaction) putEntry(ctx context.Context, c *Draft, data []byte, m *doc.Commit) error {
	facts := c.Meta.Branch()
	if facts.Status != doc.StatusActive { // a COMMIT on a closed branch reactivates it
		facts.Status, facts.MergedInto, facts.MergedAt = doc.StatusActive, "", time.Time{}
		if err := c.Meta.SetBranch(facts); err != nil {
			return err
		}
	}
	if err := c.Count(c.branch, 0, 1); err != nil {
		return err
	}
	c.Newest = max(c.Newest, m.ID)
	tx.quotes(m.ID, m.Summary, m.Goal, m.Purpose, m.Progress, m.Contribution, m.Session, m.Model, m.Source)
	grown, err := doc.GrowCommits(data, []doc.Commit{*m})
	if err != nil {
		return err
	}
	c.Entry, c.Work = m, ""
	if m.Contribution != m.Summary {
		c.Body = m.Contribution
	}
	return tx.PutGrowth(ctx, c.Tree, doc.CommitFile, grown)
}

// NextNumber returns the number of a branch's next commit: n, or more where an entry has that
// number already, as after an expunge; at most [doc.MaxNumber].
func NextNumber(live []doc.Commit, branch string, n int) int {
	for _, m := range live {
		if m.Origin == branch {
			n = max(n, m.Number+1)
		}
	}
	return min(n, doc.MaxNumber)
}

// CheckEntry makes the texts of a commit fit. A summary of several lines
// is a summary and the beginning of the contribution, as with git commit.
func (s *Store) CheckEntry(ctx context.Context, summary, contribution, progress *string) (replaced bool, err error) {
	if replaced, err = s.Clean(ctx, summary, contribution, progress); err != nil {
		return false, err
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(*summary), "\n")
	*summary = strings.TrimSpace(first)
	if rest = strings.TrimSpace(rest); rest != "" {
		*contribution = strings.TrimSuffix(rest+"\n\n"+*contribution, "\n\n")
	}
	if *summary == "" {
		return replaced, fail.New(fail.ErrInvalid, fail.SummaryEmpty, "a commit needs a summary", "git context commit -m SUMMARY")
	}
	if *contribution == "" {
		*contribution = *summary
	}
	if size := len(*summary) + len(*contribution) + len(*progress); size > MaxStep {
		return replaced, fail.New(fail.ErrInvalid, fail.CommitTooLarge,
			fmt.Sprintf("the commit has %d bytes; at most %d are allowed", size, MaxStep))
	}
	return replaced, nil
}

// StepRange is the steps a commit took, by the numbers of its own branch.
type StepRange struct {
	First int `json:"first"`
	Last  int `json:"last"`
	Count int `json:"count"`
}

// Commit is a commit as every view and result shows it.
type Commit struct {
	ID           string            `json:"id"`
	Hash         *git.ID           `json:"commit"` // nil where history does not contain it (a shallow clone)
	Branch       string            `json:"branch"`
	Time         time.Time         `json:"time"`
	Agent        string            `json:"agent"`
	Summary      string            `json:"summary"`
	Purpose      string            `json:"purpose"`
	Progress     string            `json:"progress"`
	Contribution string            `json:"contribution"`
	Steps        StepRange         `json:"steps"`
	Code         *git.ID           `json:"code"`
	Score        *float64          `json:"score"`
	Outcome      *string           `json:"outcome"`
	Tags         map[string]string `json:"tags"`
	Staleness                      // of the files that it names, where a view asked: [Store.MarkStale]
	Authored

	Goal    string       `json:"-"`
	Kind    string       `json:"-"`
	Reviews []notes.Fact `json:"-"` // oldest first
}

// CommitOptions are one COMMIT.
type CommitOptions struct {
	Writer
	Branch       string // empty: the current branch
	Summary      string // one line
	Contribution string // empty: the summary
	Progress     string // empty: regenerated
	Roadmap      RoadmapChange
	Judging      Judgement // what it came to: written into its note

	// Work is uncommitted code that is handed over: the branch's ref for that moves too.
	Work git.ID `json:"-"`

	// Code, if not nil, makes a commit of the code too, with the same message.
	Code *CodeOptions `json:"-"`
}

// CodeOptions say how the code is changed together with memory: by git, as the user
// would run it, with their hooks, signatures, identity and index.
type CodeOptions struct {
	All      bool      // of COMMIT: with what changed in tracked files, as `git commit -a`
	Reset    bool      // of a rollback: move HEAD's branch back, instead of adding a commit
	Output   io.Writer // gets what git and its hooks print, as it comes; nil: no one
	Terminal bool      // a person is there, whom git and its hooks may ask
}

// CommitResult is what COMMIT made.
type CommitResult struct {
	ID      string    `json:"id"`
	Commit  git.ID    `json:"commit"`
	Branch  string    `json:"branch"`
	Summary string    `json:"summary"`
	Steps   StepRange `json:"steps"`
	Code    *git.ID   `json:"code"`

	// RoadmapAge is how many commits ago the roadmap was last revised.
	RoadmapAge int      `json:"-"`
	Replaced   bool     `json:"-"`
	Warnings   []string `json:"-"`
}
