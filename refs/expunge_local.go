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

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
)

// Where local state besides the journals stands that may quote memory, and what is
// lost when a file there goes.
var quotingState = []struct{ dir, lost string }{
	{"merge", "a merge that waited to be resolved is forgotten; merge or sync again"},
	{bisectDir, "a bisect is forgotten; git context bisect start"},
	{"intent", "what a killed command left to be finished is forgotten"},
}

// states drops files of local state that quote what is forgotten or name commits that
// are replaced. It does so before the refs move: afterwards nobody could tell.
func (x *expunging) states() error {
	for _, q := range quotingState {
		err := x.eachFile(q.dir, func(path string, data []byte) error {
			text := string(data)
			if mapJSONTexts(text, x.rw.text) == text {
				return nil
			}
			x.warn("%s", q.lost)
			return os.Remove(path)
		})
		if err != nil {
			return err
		}
	}
	return x.lines(x.s.statePath("hooks.jsonl"))
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
	for _, r := range v.all() {
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
	res, err := x.s.repo.Purge(ctx, append(stray, x.intent.old...))
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

// strayObjects are the commits and documents that no ref leads to and that hold what is
// forgotten: of attempts that lost a race, or that were killed. What may be anybody's,
// because it is plain text, is not among them; nor is what old tips lead to.
func (x *expunging) strayObjects(ctx context.Context) ([]git.ID, error) {
	ids, err := x.s.repo.Unreachable(ctx)
	if err != nil {
		return nil, err
	}
	known, err := x.oldObjects(ctx)
	if err != nil {
		return nil, err
	}
	infos, err := x.s.repo.Infos(ctx, slices.DeleteFunc(ids, func(id git.ID) bool { return known[id] }))
	if err != nil {
		return nil, err
	}
	var commits, blobs []git.ID
	for _, info := range infos {
		switch {
		case info.Type == "commit" && info.Size <= maxFile:
			commits = append(commits, info.ID)
		case info.Type == "blob" && info.Size <= maxFile:
			blobs = append(blobs, info.ID)
		}
	}
	stray, err := x.strayCommits(ctx, commits, known)
	if err != nil {
		return nil, err
	}
	err = x.s.readObjects(ctx, blobs, func(o git.Object) error {
		if x.forgets(o.Data) {
			stray = append(stray, o.ID)
		}
		return nil
	})
	return stray, err
}

// oldObjects are those that go in any case.
func (x *expunging) oldObjects(ctx context.Context) (map[git.ID]bool, error) {
	infos, err := x.s.repo.Infos(ctx, x.intent.old)
	if err != nil {
		return nil, err
	}
	known := map[git.ID]bool{}
	for _, info := range infos {
		if info.Type == "" {
			continue
		}
		list, err := x.s.repo.Objects(ctx, []git.ID{info.ID}, nil)
		var broken *git.Error
		if errors.As(err, &broken) && broken.Code > 0 {
			continue // half deleted, by a process that was killed: it is looked at piece by piece
		}
		if err != nil {
			return nil, err
		}
		for _, o := range list {
			known[o.ID] = true
		}
	}
	return known, nil
}

// strayCommits are those that hold what is forgotten or descend from such, of commits
// some of whose parents may be missing. What descends from old history goes with it.
func (x *expunging) strayCommits(ctx context.Context, ids []git.ID, old map[git.ID]bool) ([]git.ID, error) {
	ids, err := x.s.memoryCommits(ctx, ids)
	if err != nil {
		return nil, err
	}
	left := map[git.ID]bool{}
	for _, id := range ids {
		left[id] = true
	}
	w := x.s.newRewriter(x.intent.expunged) // of its own: this is no history
	var stray []git.ID
	for len(ids) > 0 {
		id := ids[len(ids)-1]
		if !left[id] {
			ids = ids[:len(ids)-1]
			continue
		}
		c, err := x.s.repo.Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(c.Parents, func(p git.ID) bool { return left[p] }); i >= 0 {
			ids = append(ids, c.Parents[i])
			continue
		}
		left[id] = false
		if err := w.commit(ctx, id); orAbsent(err) != nil {
			return nil, err
		}
		if w.now(id) != id || slices.ContainsFunc(c.Parents, func(p git.ID) bool { return old[p] }) {
			old[id] = true
			stray = append(stray, id)
		}
	}
	return stray, nil
}

// forgets reports whether a file is one of entries or a note of ours, and holds what is
// forgotten.
func (x *expunging) forgets(data []byte) bool {
	for _, path := range []string{doc.LogFile, doc.CommitFile, doc.MetadataFile} {
		if path == doc.MetadataFile && !bytes.Contains(data, []byte("\ntotals:\n")) {
			continue
		}
		if r, err := x.rw.e.Redact(path, data); err == nil && !bytes.Equal(r.Data, data) {
			return true
		}
	}
	if !bytes.HasPrefix(data, []byte(`{"v":1,`)) {
		return false
	}
	_, now := x.rw.note(x.s.repo.ZeroID(), data)
	return !bytes.Equal(now, data)
}

// memoryCommits are those of some commits that are of a branch or of the roadmap.
func (s *Store) memoryCommits(ctx context.Context, ids []git.ID) ([]git.ID, error) {
	var found []git.ID
	trees := map[git.ID]git.ID{}
	err := s.readObjects(ctx, ids, func(o git.Object) error {
		c, err := git.ParseCommit(o.ID, o.Data)
		switch {
		case err != nil: // not one of ours
		case branchOf(c) != "":
			found = append(found, c.ID)
		default:
			trees[c.ID] = c.Tree
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for id, tree := range trees {
		list, err := s.repo.Tree(ctx, tree)
		if errors.Is(err, git.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(list) > 0 && len(list) <= 2 && list[len(list)-1].Name == doc.RoadmapFile {
			found = append(found, id)
		}
	}
	return found, nil
}

// readObjects reads objects as Repo.ReadAll does, a few at a time, so that no deadline
// ends it halfway.
func (s *Store) readObjects(ctx context.Context, ids []git.ID, each func(git.Object) error) error {
	for len(ids) > 0 {
		n := min(len(ids), chunkSize)
		if err := s.repo.ReadAll(ctx, ids[:n], each); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}
