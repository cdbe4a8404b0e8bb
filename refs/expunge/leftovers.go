package expunge

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/journal"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// local searches journals, committed lines included, and all other local state that may quote
// memory.
func (f *finder) local(ctx context.Context) error {
	branches, err := f.s.BranchNames(ctx)
	if err != nil {
		return err
	}
	of := map[string]string{}
	for _, b := range branches {
		of[f.s.JournalPath(b)] = b
	}
	return eachState(f.s, func(path string, data []byte) error {
		rel := strings.TrimPrefix(path, f.s.Repo().StateDir()+string(filepath.Separator))
		switch top, _, _ := strings.Cut(filepath.ToSlash(rel), "/"); {
		case top == "journal":
			f.journal(of[path], data)
		case top == store.AttachedDir:
			f.attachmentName(filepath.Base(path), "")
			f.attachment(filepath.Base(path), data)
		case top == store.CaptureDir:
			f.stateTexts(path, data, func(text string) { mapCaptureTexts(text, func(s string) string { f.texts(s); return s }) })
		case isJSON(path):
			f.stateTexts(path, data, func(text string) { mapStateTexts(text, func(_, s string) string { f.texts(s); return s }) })
		default:
			f.noteLines(data)
		}
		return nil
	})
}

// stateTexts examines the texts in JSON of local state, and lines that are something else.
func (f *finder) stateTexts(path string, data []byte, visit func(json string)) {
	if strings.HasSuffix(path, ".json") {
		visit(string(data))
		return
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(strings.TrimSpace(line), "{") {
			visit(line)
		} else {
			f.texts(line)
		}
	}
}

// eachState visits the files of local state except locks, caches and the intent.
func eachState(s *store.Store, visit func(path string, data []byte) error) error {
	root := s.Repo().StateDir()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == s.StatePath("lock") || path == s.StatePath("cache")):
			return fs.SkipDir
		case d.IsDir() || path == s.StatePath(IntentName):
			return nil
		}
		data, err := git.ReadStateFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // done with since
		}
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

// journal examines recorded steps, also in the journal of a branch that no longer exists. It
// finds committed steps there too.
func (f *finder) journal(branch string, data []byte) {
	c, err := journal.Parse(data)
	known := map[string]bool{}
	if err == nil {
		for _, line := range c.After(c.Mark.Upto) {
			known[line.ID] = true
		}
	}
	for line := range bytes.Lines(data) {
		text := strings.TrimSuffix(string(line), "\n")
		if m, ok := journal.ParseMark(line); ok {
			f.mark(m)
			continue
		}
		var l store.EntryLine
		if json.Unmarshal(line, &l) != nil || l.ID == "" || l.Step == 0 {
			if f.match.raw(line) { // torn, or of another version
				f.text(text)
			}
			continue
		}
		step := l.AsStep(branch, l.Agent)
		if known[l.ID] || f.all[l.ID] || f.match.in(step.Observation) || f.match.in(step.Thought) ||
			f.match.in(step.Action) {
			f.step(&step)
		}
		if e, goes := f.found[l.ID]; goes && known[l.ID] {
			e.Pending = true
			f.found[l.ID] = e
		}
	}
}

// mark examines what a mark of a journal says of a commit, which memory may have lost.
func (f *finder) mark(m journal.Mark) {
	if list, err := doc.ParseCommits([]byte(m.Entry)); err == nil {
		for _, e := range list {
			known := f.all[e.ID]
			f.commitEntry(&e)
			if _, goes := f.found[e.ID]; !goes && !known { // amended since: memory does not contain it
				delete(f.all, e.ID)
			}
		}
	}
	if c, err := git.ParseCommit(git.ID(m.Committed), []byte(m.Commit)); err == nil {
		f.message(c)
	}
	f.noteLines([]byte(m.Note))
}

// codeMessages limits how many code commits are named whose messages contain the text.
const codeMessages = 5

// leftovers warns of everything that still contains the text and cannot be cleaned from here.
func (f *finder) leftovers(ctx context.Context, op *Operation) error {
	for _, k := range op.kept {
		op.warn("%s", KeptReason(k))
	}
	if err := warnUnfinished(op); err != nil || f.match.none() {
		return err
	}
	if err := f.foreignObjects(ctx, op); err != nil {
		return err
	}
	err := eachState(f.s, func(path string, data []byte) error {
		if f.match.raw(withoutWords(f.s, path, data)) {
			op.warn("'%s' still contains it", path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return f.foreignMatches(ctx, op, nil)
}

// withoutWords returns a file of local state without words that only programs write.
func withoutWords(s *store.Store, path string, data []byte) []byte {
	if !isJSON(path) {
		return data
	}
	captured := filepath.Dir(path) == s.StatePath(store.CaptureDir)
	return []byte(mapJSON(string(data), func(member, text string) string {
		if member == "" || captured && isCaptureWord(member) {
			return ""
		}
		return text
	}))
}

// isJSON reports whether a file of local state is JSON, or has a JSON object on each line.
func isJSON(path string) bool {
	return strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".jsonl")
}

// foreignMatches warns of what contains the text outside memory: git's own files, except those
// in a set, and code.
func (f *finder) foreignMatches(ctx context.Context, op *Operation, but map[string]bool) error {
	if err := f.gitFiles(op, but); err != nil {
		return err
	}
	return f.codeCommits(ctx, op)
}

// previewLeftovers warns of what would still contain the text, as far as that is known before
// the run. Reflogs of memory do not count, because a run empties them.
func (f *finder) previewLeftovers(ctx context.Context, op *Operation) error {
	if err := warnUnfinished(op); err != nil || f.match.none() {
		return err
	}
	v, err := ListRefs(ctx, f.s)
	if err != nil {
		return err
	}
	emptied := map[string]bool{"logs/" + git.NotesRef: true}
	for _, r := range slices.Concat(v.All(), v.TrackingNotes, v.Works) {
		emptied["logs/"+r.Name] = true
	}
	return f.foreignMatches(ctx, op, emptied)
}

// gitFiles searches the user's other files in the git directory: the last commit message,
// reflogs and settings of code, and partial objects of killed processes.
func (f *finder) gitFiles(op *Operation, but map[string]bool) error {
	root := f.s.Repo().CommonDir()
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && filepath.Dir(path) == root &&
			slices.Contains([]string{"context", "modules", "lfs", "annex"}, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		partial := strings.HasPrefix(d.Name(), "tmp_obj_")
		rel, err := filepath.Rel(root, path)
		if rel = filepath.ToSlash(rel); err != nil || but[rel] || strings.HasPrefix(rel, "objects/") && !partial {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > store.MaxFile {
			return orGone(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return orGone(err)
		}
		if partial {
			data = inflated(data)
		}
		if f.match.raw(data) {
			op.warn("'%s' contains it: memory is clean; remove it from this file yourself", path)
		}
		return nil
	})
}

// mostUnfinished limits how many files are named that killed git processes left.
const mostUnfinished = 5

// warnUnfinished warns of objects that a killed fetch, push or repack of git's left. git does not read them, so that they are
// neither searched nor deleted; a process that still runs may need them.
func warnUnfinished(op *Operation) error {
	objects := op.Store.Repo().ObjectDir()
	var found []string
	for _, dir := range []string{objects, filepath.Join(objects, "pack")} {
		entries, err := os.ReadDir(dir)
		if err := orGone(err); err != nil {
			return err
		}
		names := make([]string, len(entries)) // sorted
		for i, e := range entries {
			names[i] = e.Name()
		}
		for _, name := range names {
			if isUnfinished(name, names, dir == objects) {
				found = append(found, filepath.Join(dir, name))
			}
		}
	}
	for i, path := range found {
		if i == mostUnfinished {
			op.warn("'%s' and its 'pack' have %d more like it", objects, len(found)-i)
			break
		}
		op.warn("'%s' is of a git process that was killed or still runs, and may contain it: memory is clean; "+
			"when no git process runs here, remove it yourself", path)
	}
	return nil
}

// isUnfinished reports whether git has not made objects of one of the files and folders of a directory: the quarantine of a
// push; a pack without its name, or without its index, which gets its name last.
func isUnfinished(name string, names []string, loose bool) bool {
	has := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	if loose {
		return has("tmp_objdir-") || has("incoming-") // the latter before git 2.35
	}
	base, isPack := strings.CutSuffix(name, ".pack")
	_, indexed := slices.BinarySearch(names, base+".idx")
	return has("tmp_pack_") || has("tmp_idx_") || isPack && !indexed
}

func orGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// inflated decompresses as much of an object as its file contains.
func inflated(data []byte) []byte {
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	out, _ := io.ReadAll(io.LimitReader(r, store.MaxFile)) // what was cut short ends with an error
	return out
}

// KeptReason returns a sentence that says why git keeps objects that should have been deleted,
// and what to do.
func KeptReason(k pack.Kept) string {
	what, them := prose.Count(len(k.Objects), "object")+" of the old history stay", "them"
	if len(k.Objects) == 1 {
		what, them = what+"s", "it"
	}
	switch k.By {
	case pack.KeptByRef:
		return what + ": '" + k.Name + "' leads to " + them
	case pack.KeptByReflog:
		return what + ": a reflog leads to " + them + "; git reflog expire --expire-unreachable=now --all"
	case pack.KeptByPack:
		return what + " in '" + k.Name + "', which has a .keep file"
	case pack.KeptByAlternate:
		return what + " in '" + k.Name + "', which this repository borrows from: expunge there too"
	case pack.KeptByWriter:
		return what + ": another process writes " + them + "; run the command again"
	}
	return what + ": an operation in progress in a worktree needs " + them
}

// codeCommits searches the messages of code commits, which `commit --code` makes equal to
// memory's. The text is not passed as an argument, because other users can read the arguments
// of processes.
func (f *finder) codeCommits(ctx context.Context, op *Operation) error {
	found := 0
	w := &recordWriter{each: func(record []byte) error {
		hash, message, _ := bytes.Cut(record, []byte("\n"))
		if !f.match.raw(message) {
			return nil
		}
		if found++; found > codeMessages {
			return git.ErrEnough
		}
		op.warn("the message of code commit %s contains it: memory is clean; rewrite the code's history yourself",
			git.ID(hash).Short())
		return nil
	}}
	return f.s.Repo().ViewTo(ctx, w, nil, "log", "-z", "--format=%H%n%B", "--branches", "--tags", "--remotes")
}

// recordWriter splits what is written to it at NUL bytes.
type recordWriter struct {
	each func([]byte) error
	rest []byte
}

// Write passes each complete record to each.
func (w *recordWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		record, rest, ok := bytes.Cut(w.rest, []byte{0})
		if !ok {
			return len(p), nil
		}
		if err := w.each(record); err != nil {
			return 0, err
		}
		w.rest = rest
	}
}
