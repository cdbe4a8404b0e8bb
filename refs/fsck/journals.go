package fsck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// checkJournals checks what is recorded and not committed:
//
//  1. a line is neither a step nor a mark, a mark names no line, or numbers do not rise;
//  2. steps count as pending although the branch contains them: a backup or a copy of the repository came back;
//  3. the journal of a missing branch contains steps that exist nowhere else;
//  4. a rename was killed before it removed the journal's old name.
//
// It reads journals without a lock, as every view does, and looks again with the branch locked
// where more than the file counts.
func checkJournals(ctx context.Context, c *checker) error {
	names, err := c.s.BranchNames(ctx)
	if err != nil {
		return err
	}
	branches := make(map[string]string, len(names))
	for _, name := range names {
		branches[journal.FileName(name)] = name
	}
	dir := c.s.StatePath("journal")
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		if name, ok := branches[f.Name()]; ok {
			err = c.journal(ctx, path, name)
		} else if filepath.Ext(f.Name()) == ".jsonl" {
			err = c.strayJournal(ctx, path, branches)
		} else if strings.Contains(f.Name(), ".jsonl.orphan-") {
			err = c.setAside(ctx, path, names)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// journal checks the journal of a branch.
func (c *checker) journal(ctx context.Context, path, branch string) error {
	data, err := readJournal(path)
	if err != nil || data == nil {
		return err
	}
	mend := func(ctx context.Context) error { return c.mendJournal(ctx, path, branch) }
	if flaws := journal.Check(data, readableStep).Flaws; len(flaws) > 0 {
		p := Problem{Kind: "journal-damaged", Object: path, Repair: FixCommand,
			Message: fmt.Sprintf("journal of branch '%s', line %d: %s", branch, flaws[0].Line, flaws[0].Why)}
		if len(flaws) > 1 {
			p.Message += fmt.Sprintf("; and %d more", len(flaws)-1)
		}
		c.report(ctx, mend, p)
		return nil
	}
	if again, err := c.committedPending(ctx, branch, data); err != nil || len(again) == 0 {
		return err
	}
	lock, free, err := c.s.Repo().TryLock(store.BranchLock(branch))
	if err != nil || !free {
		return err
	}
	var again map[string]bool
	if data, err = readJournal(path); err == nil && data != nil {
		again, err = c.committedPending(ctx, branch, data)
	}
	if err = errors.Join(err, lock.Unlock()); err != nil || len(again) == 0 {
		return err
	}
	c.report(ctx, mend, Problem{Kind: "journal-committed", Object: path, Repair: FixCommand,
		Message: fmt.Sprintf("%s of branch '%s' still in its journal", countAre(len(again), "committed step"), branch)})
	return nil
}

func countAre(n int, what string) string {
	if n == 1 {
		return prose.Count(n, what) + " is"
	}
	return prose.Count(n, what) + " are"
}

// readJournal reads a journal; nil for one that is gone or has no complete line.
func readJournal(path string) ([]byte, error) {
	data, err := git.ReadStateFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if !slices.Contains(data, '\n') {
		return nil, err
	}
	return data, err
}

// readableStep returns an error if a line of a journal cannot be committed.
func readableStep(l journal.Line) error {
	var e store.EntryLine
	if err := json.Unmarshal(l.Raw, &e); err != nil {
		return err
	}
	if !doc.ValidID(l.ID) || e.ID != l.ID {
		return errors.New("no id")
	}
	return nil
}

// committedPending returns the ids of a journal's pending steps that its branch contains.
func (c *checker) committedPending(ctx context.Context, branch string, data []byte) (map[string]bool, error) {
	content, err := journal.Parse(data)
	if err != nil || len(content.After(content.Mark.Upto)) == 0 {
		return nil, err
	}
	tip, err := c.s.Tip(ctx, branch)
	if errors.Is(err, fail.ErrNotFound) {
		return nil, nil // deleted meanwhile
	}
	if err != nil {
		return nil, err
	}
	from, err := c.s.CommittedUpTo(ctx, content, tip.Commit())
	if err != nil {
		return nil, err
	}
	return stepsIn(ctx, c.s, tip, content.After(from), false)
}

// stepsIn returns the ids of those steps that a branch's log contains. Ids rise in a log, so
// that it reads only the newest segments; whole reads all, because segments from several
// machines may overlap.
func stepsIn(ctx context.Context, s *store.Store, t *store.Tip, steps []journal.Line,
	whole bool) (map[string]bool, error) {
	if len(steps) == 0 {
		return nil, nil
	}
	wanted, least := make(map[string]bool, len(steps)), steps[0].ID
	for _, l := range steps {
		wanted[l.ID], least = true, min(least, l.ID)
	}
	held := map[string]bool{}
	err := t.SegmentsBackwards(ctx, doc.LogFile, doc.LogDir, func(data []byte) (bool, error) {
		steps, err := doc.ParseLog(data)
		more := true
		for _, step := range steps {
			if wanted[step.ID] {
				held[step.ID] = true
			}
			more = more && step.ID > least
		}
		return len(held) < len(wanted) && (more || whole), err
	})
	return held, err
}

// mendJournal rewrites a journal with its pending steps, and keeps unreadable lines beside it.
func (c *checker) mendJournal(ctx context.Context, path, branch string) error {
	return c.s.WhileLocked(ctx, func() error {
		return journal.Mend(ctx, path, c.s.JournalOptions(), func(data []byte) (*journal.Mended, error) {
			return c.mendedJournal(ctx, branch, data)
		})
	}, branch)
}

func (c *checker) mendedJournal(ctx context.Context, branch string, data []byte) (*journal.Mended, error) {
	tip, err := c.s.Tip(ctx, branch)
	if err != nil {
		return nil, err
	}
	found := journal.Check(data, readableStep)
	var from int64 // without a head it is unknown what was committed
	if found.Head.Journal != "" {
		content, err := journal.Parse(data)
		if err != nil {
			return nil, err
		}
		if from, err = c.s.CommittedUpTo(ctx, content, tip.Commit()); err != nil {
			return nil, err
		}
	}
	steps := slices.DeleteFunc(found.Steps, func(l journal.Line) bool { return l.End <= from })
	slices.SortStableFunc(steps, func(a, b journal.Line) int { return strings.Compare(a.ID, b.ID) })
	steps = slices.CompactFunc(steps, func(a, b journal.Line) bool { return a.ID == b.ID })
	held, err := stepsIn(ctx, c.s, tip, steps, true)
	if err != nil {
		return nil, err
	}
	m := &journal.Mended{Bad: found.Bad}
	if m.Head, err = c.s.JournalHead(ctx, branch); err != nil {
		return nil, err
	}
	last := 0
	for _, l := range steps {
		if held[l.ID] {
			continue
		}
		if l.Step <= last {
			if l, err = renumbered(l, last+1); err != nil {
				return nil, err
			}
		}
		last, m.Lines = l.Step, append(m.Lines, l.Raw)
	}
	return m, nil
}

// renumbered returns a step with another number, which is a label and no key.
func renumbered(l journal.Line, step int) (journal.Line, error) {
	var e store.EntryLine
	if err := json.Unmarshal(l.Raw, &e); err != nil {
		return l, err
	}
	e.Step, l.Step = step, step
	raw, err := json.Marshal(e) // step and id are its last members, as a journal wants them
	l.Raw = raw
	return l, err
}
