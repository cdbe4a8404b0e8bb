package refs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/journal"
)

// Where local state besides the journals stands that may quote memory, and what is
// lost when a file there goes.
var quotingState = []struct{ dir, lost string }{
	{mergeDir, "a merge that waited to be resolved is forgotten; merge or sync again"},
	{bisectDir, "a bisect is forgotten; git context bisect start"},
	{intentDir, "what a killed command left to be finished is forgotten"},
}

// states drops files of local state that quote what is forgotten or name commits that
// are replaced. It does so before the refs move: afterwards nobody could tell.
func (x *expunging) states() error {
	if err := x.quoting(os.Remove); err != nil {
		return err
	}
	return x.lines(x.s.statePath(hookFailures))
}

// quoting visits those files, and says what is lost with them.
func (x *expunging) quoting(visit func(path string) error) error {
	for _, q := range quotingState {
		err := x.eachFile(q.dir, func(path string, data []byte) error {
			text := string(data)
			if mapJSONTexts(text, x.rw.text) == text {
				return nil
			}
			x.warn("%s", q.lost)
			return visit(path)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachFile visits the files below a folder of local state.
func (x *expunging) eachFile(dir string, visit func(path string, data []byte) error) error {
	err := filepath.WalkDir(x.s.statePath(dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return visit(path, data)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// lines takes lines that quote what is forgotten out of a file, and the file where none
// is left.
func (x *expunging) lines(path string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var left []byte
	for line := range bytes.Lines(data) {
		text := strings.TrimSuffix(string(line), "\n")
		if !x.rw.e.HasText(text) && mapJSONTexts(text, x.rw.text) == text && !x.namesEntry(text) {
			left = append(left, line...)
		}
	}
	switch {
	case len(left) == len(data):
		return nil
	case len(left) == 0:
		return os.Remove(path)
	}
	name, err := filepath.Rel(x.s.repo.StateDir(), path)
	if err != nil {
		return err
	}
	return x.s.repo.WriteStateFile(filepath.ToSlash(name), left)
}

// namesEntry reports whether a line of a journal is a step that is forgotten.
func (x *expunging) namesEntry(line string) bool {
	var l entryLine
	return json.Unmarshal([]byte(line), &l) == nil && x.rw.e.HasEntry(l.ID)
}

// journals takes out of the journals of branches what is committed, and the steps that
// are forgotten; out of what stands beside them, the lines that are. The branches are
// locked.
func (x *expunging) journals(ctx context.Context, branches []string) error {
	done := map[string]bool{}
	for _, name := range branches {
		path := x.s.journalPath(name)
		done[path] = true
		if err := x.journal(ctx, name); err != nil {
			return fmt.Errorf("journal of branch '%s': %w", name, err)
		}
	}
	return x.eachFile("journal", func(path string, _ []byte) error {
		switch {
		case done[path]:
			return nil
		case strings.HasSuffix(path, ".new"): // left by a killed writer: the journal is whole
			return os.Remove(path)
		}
		return x.lines(path)
	})
}

// journal does so with the journal of one branch, under its own lock.
func (x *expunging) journal(ctx context.Context, branch string) error {
	path := x.s.journalPath(branch)
	j, err := journal.Open(ctx, path, x.s.journalOptions())
	if errors.Is(err, journal.ErrMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	defer j.Close()
	c, err := j.Since(0)
	if err != nil {
		return err
	}
	tip, err := x.s.Tip(ctx, branch)
	if err != nil {
		return err
	}
	from, err := x.s.takenUpto(ctx, c, tip.commit)
	if err != nil {
		return err
	}
	if !x.touches(c, tip.commit.ID) {
		return nil
	}
	if j.Linked() {
		if err := x.unlinkTwins(path); err != nil {
			return err
		}
	}
	head := journal.Head{Committed: string(tip.commit.ID)}
	if head.Journal, err = x.s.newID(""); err != nil {
		return err
	}
	return j.Without(head, from, x.pendingLine)
}

// touches reports whether a journal holds what is forgotten, or speaks of a commit that
// was replaced.
func (x *expunging) touches(c *journal.Content, tip git.ID) bool {
	if c.Mark.Committed != string(tip) || len(c.Bad) > 0 {
		return true
	}
	for _, l := range c.Lines {
		now, err := x.pendingLine(l)
		if err != nil || !bytes.Equal(now, l.Raw) {
			return true
		}
	}
	return false
}

// pendingLine is a step without what is forgotten; nil where all of it is.
func (x *expunging) pendingLine(line journal.Line) ([]byte, error) {
	if x.rw.e.HasEntry(line.ID) {
		return nil, nil
	}
	var l entryLine
	if err := json.Unmarshal(line.Raw, &l); err != nil {
		return nil, fmt.Errorf("step %d: %w", line.Step, err)
	}
	before := l
	for _, text := range []*string{&l.Observation, &l.Thought, &l.Action, &l.Session, &l.Model, &l.Source} {
		*text = x.rw.e.RedactText(*text)
	}
	if l == before {
		return line.Raw, nil
	}
	return json.Marshal(l) // step and id are its last members, as a journal wants them
}

// unlinkTwins takes the other name from a journal that a killed rename left with two: no
// branch has it.
func (x *expunging) unlinkTwins(path string) error {
	own, err := os.Stat(path)
	if err != nil {
		return err
	}
	return x.eachFile("journal", func(other string, _ []byte) error {
		info, err := os.Stat(other)
		if err != nil || other == path || !os.SameFile(own, info) {
			return err
		}
		return os.Remove(other)
	})
}

// purge empties reflogs and deletes the objects of old history, and all else that
// nothing leads to and that holds what is forgotten.
func (x *expunging) purge(ctx context.Context) error {
	v, err := x.s.memoryRefs(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, r := range slices.Concat(v.all(), v.trackingNotes) {
		names = append(names, r.Name)
	}
	if v.notes != "" {
		names = append(names, git.NotesRef)
	}
	if err := x.s.repo.DropReflogs(ctx, names); err != nil {
		return err
	}
	stray, err := x.strayObjects(ctx)
	if err != nil {
		return err
	}
	res, err := pack.Purge(ctx, x.s.repo, append(stray, x.intent.old...))
	if err != nil {
		return err
	}
	x.res.Objects += res.Objects
	x.kept = res.Kept
	if err := os.RemoveAll(x.s.statePath(cacheDir)); err != nil {
		return err
	}
	return nil
}

// readObjects reads objects as Repo.ReadAll does, a few at a time, so that no deadline
// ends it halfway.
func (s *Store) readObjects(ctx context.Context, ids []git.ID, each func(git.Object) error) error {
	meter := s.repo.Meter("Reading memory", len(ids))
	defer meter.End()
	for len(ids) > 0 {
		n := min(len(ids), chunkSize)
		if err := s.repo.ReadAll(ctx, ids[:n], each); err != nil {
			return err
		}
		ids = ids[n:]
		meter.Add(n)
	}
	return nil
}
