package history

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Statistics count the contents of memory. An entry that several branches contain counts
// once.
type Statistics struct {
	Branches int              `json:"branches"`
	Commits  int              `json:"commits"` // entries of commit.md
	Steps    int              `json:"steps"`   // pending ones included
	Pending  int              `json:"pending"`
	Topics   int              `json:"topics"` // distinct keys
	Tokens   int64            `json:"tokens"` // of steps and commits
	Bytes    StatBytes        `json:"bytes"`
	Agents   map[string]Tally `json:"agents"`
	Days     map[string]Tally `json:"days"` // by date in UTC, 2026-11-21

	Status map[string]int `json:"-"` // branches by status
}

// StatBytes is the size of memory: Raw, the text of the documents of all tips, each file
// once; Stored, the objects in git, with history and notes.
type StatBytes struct {
	Raw    int64 `json:"raw"`
	Stored int64 `json:"stored"`
}

// Tally counts the entries of one agent, or of one day.
type Tally struct {
	Commits int   `json:"commits"`
	Steps   int   `json:"steps"`
	Tokens  int64 `json:"tokens"`
}

// Stats counts one branch, or all if branch is empty. It reads every document of their tips
// once, so its time is proportional to the text. It returns an error of the kind
// fail.ErrNotFound for an unknown branch, and fail.ErrNoMemory without memory.
func Stats(ctx context.Context, s *store.Store, branch string) (Statistics, error) {
	c := &counter{s: s, files: map[git.ID]string{}, topics: map[string]bool{}, seen: map[string]bool{},
		out: Statistics{Agents: map[string]Tally{}, Days: map[string]Tally{}, Status: map[string]int{}}}
	tips, err := statTips(ctx, s, branch)
	if err != nil {
		return Statistics{}, err
	}
	for _, tip := range tips {
		if err := c.branch(ctx, tip); err != nil {
			return Statistics{}, err
		}
	}
	if err := c.list(ctx); err != nil {
		return Statistics{}, err
	}
	if err := c.read(ctx); err != nil {
		return Statistics{}, err
	}
	c.out.Topics = len(c.topics)
	c.out.Bytes.Stored, err = storedBytes(ctx, s, branch)
	return c.out, err
}

// counter accumulates Statistics.
type counter struct {
	s      *store.Store
	out    Statistics
	files  map[git.ID]string // one path of each document
	pairs  []TreePair        // the empty tree and the tree of each branch
	topics map[string]bool
	seen   map[string]bool // entries by id
}

// statTips returns the tip of a branch, or those of all if branch is empty.
func statTips(ctx context.Context, s *store.Store, branch string) ([]*store.Tip, error) {
	if branch == "" {
		tips, err := s.AllTips(ctx)
		if err != nil || len(tips) > 0 {
			return tips, err
		}
	}
	tip, err := s.Tip(ctx, branch) // without any branch it returns the reason
	return []*store.Tip{tip}, err
}

// branch adds a branch's tree to the list and counts its pending steps.
func (c *counter) branch(ctx context.Context, tip *store.Tip) error {
	status := tip.Commit().Trailer(store.TrailerStatus)
	if status == "" {
		status = doc.StatusActive
	}
	c.out.Branches++
	c.out.Status[status]++
	c.pairs = append(c.pairs, TreePair{c.s.Repo().EmptyTree(), tip.Commit().Tree})
	p, err := c.s.PendingOf(ctx, tip)
	if err != nil {
		return err
	}
	steps, err := c.s.WaitingSteps(ctx, tip.Name(), p)
	if err != nil {
		return err
	}
	c.out.Pending += len(steps)
	c.steps(steps)
	return nil
}

// list finds the documents of all branches with one child.
func (c *counter) list(ctx context.Context) error {
	diffs, err := DiffTrees(ctx, c.s, c.pairs)
	if err != nil {
		return err
	}
	for _, d := range diffs {
		for _, f := range d.Changes {
			if !f.Blob {
				continue
			}
			if have := doc.KindOf(c.files[f.ID]); have != doc.FileLog && have != doc.FileCommits { // a step may keep one of them as a file
				c.files[f.ID] = f.Path
			}
			if doc.KindOf(f.Path) == doc.FileTopic {
				c.topics[f.Path] = true
			}
		}
	}
	return nil
}

// read counts the entries of the documents.
func (c *counter) read(ctx context.Context) error {
	var ids, others []git.ID // entries, and files of which only the size counts
	for id, path := range c.files {
		switch doc.KindOf(path) {
		case doc.FileLog, doc.FileCommits:
			ids = append(ids, id)
		default:
			others = append(others, id)
		}
	}
	infos, err := c.s.Repo().Infos(ctx, others)
	if err != nil {
		return err
	}
	for _, info := range infos {
		c.out.Bytes.Raw += info.Size
	}
	meter := c.s.Repo().Meter("Counting texts", len(ids))
	defer meter.End()
	return c.s.Repo().ReadAll(ctx, ids, func(o git.Object) error {
		meter.Add(1)
		c.out.Bytes.Raw += int64(len(o.Data))
		o.Data = doc.ShortTexts(o.Data, countedText)
		path := c.files[o.ID]
		switch doc.KindOf(path) {
		case doc.FileLog:
			steps, err := doc.ParseLog(o.Data)
			if err != nil {
				return fmt.Errorf("%s (%s): %w", path, o.ID, err)
			}
			c.steps(steps)
		case doc.FileCommits:
			ms, err := doc.ParseCommits(o.Data)
			if err != nil {
				return fmt.Errorf("%s (%s): %w", path, o.ID, err)
			}
			c.entries(ms)
		}
		return nil
	})
}

// countedText is how much of each text is parsed: only what is above it counts.
const countedText = 64

func (c *counter) steps(list []doc.Step) {
	for _, s := range list {
		if !c.seen[s.ID] {
			c.seen[strings.Clone(s.ID)] = true // it is a part of the document
			c.add(s.Agent, s.Time, Tally{Steps: 1, Tokens: s.Tokens})
		}
	}
}

func (c *counter) entries(list []doc.Commit) {
	for _, m := range list {
		if m.Kind != doc.KindBirth && !c.seen[m.ID] {
			c.seen[strings.Clone(m.ID)] = true
			c.add(m.Agent, m.Time, Tally{Commits: 1, Tokens: m.Tokens})
		}
	}
}

func (c *counter) add(agent string, at time.Time, t Tally) {
	c.out.Commits += t.Commits
	c.out.Steps += t.Steps
	c.out.Tokens += t.Tokens
	if tally, known := c.out.Agents[agent]; known {
		c.out.Agents[agent] = tally.plus(t)
	} else {
		c.out.Agents[strings.Clone(agent)] = t
	}
	day := at.UTC().Format(time.DateOnly)
	c.out.Days[day] = c.out.Days[day].plus(t)
}

func (t Tally) plus(o Tally) Tally {
	return Tally{t.Commits + o.Commits, t.Steps + o.Steps, t.Tokens + o.Tokens}
}

// storedBytes asks git how many bytes the objects of a branch, or of all memory with its
// notes, take on the disk.
func storedBytes(ctx context.Context, s *store.Store, branch string) (int64, error) {
	if branch != "" {
		return s.Repo().StoredBytes(ctx, "--end-of-options", git.BranchRef(branch))
	}
	return s.Repo().StoredBytes(ctx, "--glob="+git.BranchPrefix+"*", "--glob="+git.RoadmapRef+"*", "--glob="+git.TagPrefix+"*",
		"--glob="+git.NotesRef+"*")
}
