package expunge

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

	"github.com/git-context/git-context/refs/cache"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/journal"
	"github.com/git-context/git-context/refs/store"
)

// quotingState lists the local state besides journals that may quote memory, and the warning
// for each file that is dropped.
var quotingState = []struct{ dir, lost string }{
	{store.MergeDir, lostMerge},
	{store.BisectDir, "a bisect is forgotten; git context bisect start"},
	{store.IntentDir, "the unfinished work of a killed command is dropped"},
}

const lostMerge = "a merge that waited to be resolved is forgotten; merge or sync again"

// dropStates removes files of local state that quote removed text or name replaced commits. It
// must run before the refs move, because afterwards the relation to old commits is unknown.
func (op *Operation) dropStates() error {
	if err := op.waitingMerges(); err != nil {
		return err
	}
	if err := op.eachQuotingFile(op.dropQuoting); err != nil {
		return err
	}
	if op.hide == nil {
		if err := op.dropAside(); err != nil {
			return err
		}
	}
	// What is remembered of remotes is for other tombstones, and why a branch was refused may quote these.
	if err := op.eachFile(cleanDir, func(path string, _ []byte) error { return os.Remove(path) }); err != nil {
		return err
	}
	return op.dropLines(op.Store.StatePath(store.HookFailures))
}

// dropAside removes files that were set aside because nobody can read them: what they quote is unknown.
func (op *Operation) dropAside() error {
	for _, q := range quotingState {
		err := op.eachFile(q.dir, func(path string, _ []byte) error {
			if !store.IsAside(filepath.Base(path)) {
				return nil
			}
			return os.Remove(path)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachQuotingFile visits those files, with the warning for each. Where a request hides words, waitingMerges does the merges.
func (op *Operation) eachQuotingFile(visit func(lost, path string, data []byte) error) error {
	for _, q := range quotingState {
		if q.dir == store.MergeDir && op.hide != nil {
			continue
		}
		err := op.eachFile(q.dir, func(path string, data []byte) error {
			return visit(q.lost, path, data)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// quotesIn reports whether a file of local state contains what is expunged.
func (op *Operation) quotesIn(data []byte) bool {
	text := string(data)
	return mapStateTexts(text, op.stateText) != text
}

// stateText replaces a string of local state. An id contains a word by chance.
func (op *Operation) stateText(_, s string) string {
	if doc.ValidID(s) && op.Rewriter.e.OnlyText(s).Empty() {
		return s
	}
	return op.Rewriter.text(s)
}

// dropQuoting drops a file if it contains what is expunged.
func (op *Operation) dropQuoting(lost, path string, data []byte) error {
	if !op.quotesIn(data) || op.hide != nil && store.IsAside(filepath.Base(path)) {
		return nil
	}
	return op.drop(lost, path)
}

// drop removes a file of local state, with a warning. Where a request only hides words, the file is renamed instead.
func (op *Operation) drop(lost, path string) error {
	if op.hide == nil {
		op.warn("%s", lost)
		return os.Remove(path)
	}
	name, err := filepath.Rel(op.Store.StatePath(""), path)
	if err != nil {
		return err
	}
	aside, err := op.Store.SetAside(filepath.ToSlash(name))
	op.warn("%s; it was set aside as '%s', until gc removes it", lost, aside)
	return err
}

// eachFile visits the files below a folder of local state.
func (op *Operation) eachFile(dir string, visit func(path string, data []byte) error) error {
	err := filepath.WalkDir(op.Store.StatePath(dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := git.ReadStateFile(path)
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

// dropLines removes lines that quote removed text from a file, and the file if no line is left.
func (op *Operation) dropLines(path string) error {
	data, err := git.ReadStateFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var left []byte
	for line := range bytes.Lines(data) {
		text := strings.TrimSuffix(string(line), "\n")
		// Of JSON the strings are judged alone: a line of it has ids and names, which stay.
		quotes := !json.Valid(line) && op.Rewriter.e.HasText(text)
		if !quotes && mapStateTexts(text, op.stateText) == text && !op.namesEntry(text) {
			left = append(left, line...)
		}
	}
	switch {
	case len(left) == len(data):
		return nil
	case len(left) == 0:
		return os.Remove(path)
	}
	name, err := filepath.Rel(op.Store.Repo().StateDir(), path)
	if err != nil {
		return err
	}
	return op.Store.Repo().WriteStateFile(filepath.ToSlash(name), left)
}

// namesEntry reports whether a line of a journal is a removed step, or the mark of a removed
// commit.
func (op *Operation) namesEntry(line string) bool {
	if m, ok := journal.ParseMark([]byte(line)); ok {
		return op.quotes(m)
	}
	var l store.EntryLine
	return json.Unmarshal([]byte(line), &l) == nil && op.Rewriter.e.HasEntry(l.ID)
}

// journals removes committed and expunged steps from the journals of branches, and quoting
// lines from the files beside them. The branches are locked.
func (op *Operation) journals(ctx context.Context, branches []string) error {
	done := map[string]bool{}
	for _, name := range branches {
		path := op.Store.JournalPath(name)
		done[path] = true
		if err := op.journal(ctx, name); err != nil {
			return fmt.Errorf("journal of branch '%s': %w", name, err)
		}
	}
	return op.eachFile("journal", func(path string, _ []byte) error {
		switch {
		case done[path]:
			return nil
		case strings.HasSuffix(path, ".new"): // left by a killed writer: the journal is whole
			return os.Remove(path)
		}
		return op.dropLines(path)
	})
}

// openJournal locks and reads the journal of a branch; nil if there is none.
func (op *Operation) openJournal(ctx context.Context, branch string) (*journal.Journal, *journal.Content, error) {
	j, err := journal.Open(ctx, op.Store.JournalPath(branch), op.Store.JournalOptions())
	if errors.Is(err, journal.ErrMissing) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	c, err := j.Since(0)
	if err != nil {
		return nil, nil, errors.Join(err, j.Close())
	}
	return j, c, nil
}

// journal filters the journal of one branch under the journal's own lock.
func (op *Operation) journal(ctx context.Context, branch string) error {
	path := op.Store.JournalPath(branch)
	j, c, err := op.openJournal(ctx, branch)
	if err != nil || j == nil {
		return err
	}
	defer j.Close()
	tip, err := op.Store.Tip(ctx, branch)
	if err != nil {
		return err
	}
	marked := *c
	if now := op.Rewriter.commits[git.ID(c.Mark.Committed)]; now != "" { // the branch has moved already
		marked.Mark.Committed = string(now)
	}
	from, err := op.Store.CommittedUpTo(ctx, &marked, tip.Commit())
	if err != nil {
		return err
	}
	if !op.journalChanges(c, tip.Commit().ID, from) {
		return nil
	}
	if j.Linked() {
		if err := op.unlinkTwins(path); err != nil {
			return err
		}
	}
	if err := op.forgetPending(c.Lines); err != nil {
		return err
	}
	head := journal.Head{Committed: string(tip.Commit().ID)}
	if head.Journal, err = op.Store.NewID(""); err != nil {
		return err
	}
	return j.Filter(head, from, op.pendingLine)
}

// forgetPending notes the sources of the steps that go: only the journal has those that are in no commit.
func (op *Operation) forgetPending(lines []journal.Line) error {
	var sources []string
	for _, line := range lines {
		if !op.Rewriter.e.HasEntry(line.ID) {
			continue
		}
		var l store.EntryLine
		if err := json.Unmarshal(line.Raw, &l); err != nil {
			return fmt.Errorf("step %d: %w", line.Step, err)
		}
		sources = append(sources, l.Source)
	}
	return op.Store.ForgetSources(sources)
}

// journalChanges reports whether a journal contains something expunged or names a replaced
// commit. Lines up to the offset from are committed.
func (op *Operation) journalChanges(c *journal.Content, tip git.ID, from int64) bool {
	if c.Mark.Committed != string(tip) || len(c.Bad) > 0 {
		return true
	}
	for _, m := range c.Marks() {
		if op.quotes(m) {
			return true
		}
	}
	for _, l := range c.Lines {
		now, err := without(op.Rewriter.e, l)
		if l.End > from {
			now, err = op.pendingLine(l)
		}
		if err != nil || !bytes.Equal(now, l.Raw) {
			return true
		}
	}
	return false
}

// quotes reports whether a mark says something of what is expunged.
func (op *Operation) quotes(m journal.Mark) bool {
	list, err := doc.ParseCommits([]byte(m.Entry))
	for _, text := range []string{m.Commit, m.Entry} {
		if op.Rewriter.text(text) != text {
			return true
		}
	}
	if mapNoteTexts(m.Note, op.Rewriter.text) != m.Note {
		return true
	}
	return err != nil || slices.ContainsFunc(list, func(e doc.Commit) bool { return op.Rewriter.e.HasEntry(e.ID) })
}

// pendingLine returns a step that is in no commit, as it is to stay; nil if it goes. It loses only what somebody here
// asked for: no list says that it was written here, so it stays until it is committed, and the next exchange asks.
func (op *Operation) pendingLine(line journal.Line) ([]byte, error) {
	return without(op.intent.pending, line)
}

// without returns a step without what is expunged; nil if the whole step is.
func without(e doc.Expunged, line journal.Line) ([]byte, error) {
	if e.HasEntry(line.ID) {
		return nil, nil
	}
	var l store.EntryLine
	if err := json.Unmarshal(line.Raw, &l); err != nil {
		return nil, fmt.Errorf("step %d: %w", line.Step, err)
	}
	changed := false
	for _, text := range []*string{&l.Observation, &l.Thought, &l.Action, &l.Session, &l.Model, &l.Source} {
		now := e.RedactText(*text)
		changed = changed || now != *text
		*text = now
	}
	if !changed {
		return line.Raw, nil
	}
	return json.Marshal(l) // step and id are its last members, as a journal wants them
}

// unlinkTwins removes the second name of a journal that a killed rename left. No branch has
// that name.
func (op *Operation) unlinkTwins(path string) error {
	own, err := os.Stat(path)
	if err != nil {
		return err
	}
	return op.eachFile("journal", func(other string, _ []byte) error {
		info, err := os.Stat(other)
		if err != nil || other == path || !os.SameFile(own, info) {
			return err
		}
		return os.Remove(other)
	})
}

// purge empties reflogs, and unless it hides deletes the objects of old history and unreachable
// objects that contain something expunged.
func (op *Operation) purge(ctx context.Context) error {
	if err := op.Store.Repo().DropMerges(); err != nil {
		return err
	}
	if err := op.emptyReflogs(ctx); err != nil || op.hide != nil {
		return err
	}
	stray, foreign, err := op.strayObjects(ctx)
	if err != nil {
		return err
	}
	res, err := pack.Purge(ctx, op.Store.Repo(), append(stray, op.intent.old...), foreign...)
	if err != nil {
		return err
	}
	op.Result.Objects += res.Objects
	op.kept = res.Kept
	if err := os.RemoveAll(op.Store.StatePath(cache.Dir)); err != nil {
		return err
	}
	return nil
}

// emptyReflogs empties those of memory. What leads to replaced commits would count as lost notes.
func (op *Operation) emptyReflogs(ctx context.Context) error {
	v, err := ListRefs(ctx, op.Store)
	if err != nil {
		return err
	}
	var names []string
	for _, r := range append(v.Every(), v.kept...) {
		names = append(names, r.Name)
	}
	return DropReflogs(ctx, op.Store, names)
}

// DropReflogs empties reflogs, see [git.Repo.DropReflogs], and says what to do where one is locked.
func DropReflogs(ctx context.Context, s *store.Store, refs []string) error {
	err := s.Repo().DropReflogs(ctx, refs)
	var named *git.Error // the lock file
	if errors.Is(err, git.ErrLocked) && errors.As(err, &named) {
		return &fail.Error{Code: fail.RefLocked, Kind: fail.ErrRefused, Err: named, Message: "a reflog is locked",
			Hints: []string{store.LockedHint}}
	}
	return err
}

// ReadObjects reads objects as Repo.ReadAll does, in chunks, so that each chunk has its own
// deadline.
func ReadObjects(ctx context.Context, s *store.Store, ids []git.ID, each func(git.Object) error) error {
	meter := s.Repo().Meter("Reading memory", len(ids))
	defer meter.End()
	for len(ids) > 0 {
		n := min(len(ids), incoming.ChunkSize)
		if err := s.Repo().ReadAll(ctx, ids[:n], each); err != nil {
			return err
		}
		ids = ids[n:]
		meter.Add(n)
	}
	return nil
}
