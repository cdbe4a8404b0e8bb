package maintain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// deadJournal is a file of journals that may be superfluous.
type deadJournal struct {
	name  string
	steps []string // the ids of its readable steps
}

// journals drops files that no branch needs, each with its branch's lock:
//
//  1. the journal of a branch that is gone, even if a new branch of that name has set
//     it aside: if memory contains every step in it, committed or not, and a ref leads to its newest commit;
//  2. lines that are unreadable, or were torn by a crash: likewise, after 90 days;
//  3. the unfinished replacement of a journal: after a day.
//
// A file with a step that memory does not contain stays, with a warning. A hard link of a
// branch's journal is left to fsck.
func (gc *collector) journals(ctx context.Context) error {
	dir := gc.s.StatePath("journal")
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	branches, err := gc.branchFiles(ctx, ".jsonl")
	if err != nil {
		return err
	}
	var dead []deadJournal
	wanted := map[string]bool{}
	for _, f := range files {
		d, err := gc.deadJournal(dir, f, branches)
		if err != nil {
			return err
		}
		if d != nil {
			dead = append(dead, *d)
			for _, id := range d.steps {
				wanted[id] = false
			}
		}
	}
	if len(dead) == 0 {
		return nil
	}
	if err := FindSteps(ctx, gc.s, wanted); err != nil {
		return err
	}
	for _, d := range dead {
		if err := gc.dropJournal(ctx, dir, d, wanted); err != nil {
			return err
		}
	}
	return nil
}

// branchFiles returns the branches by the name of their file of local state.
func (gc *collector) branchFiles(ctx context.Context, suffix string) (map[string]string, error) {
	names, err := gc.s.BranchNames(ctx)
	if err != nil {
		return nil, err
	}
	files := make(map[string]string, len(names))
	for _, name := range names {
		files[git.FileName(name, suffix)] = name
	}
	return files, nil
}

// journalOf returns the name of the journal that a file belongs to, and from which age the
// file may be dropped.
func journalOf(name string) (own string, age time.Duration, ok bool) {
	at := strings.LastIndex(name, ".jsonl")
	if at < 0 {
		return "", 0, false
	}
	own, rest := name[:at+len(".jsonl")], name[at+len(".jsonl"):]
	switch {
	case rest == "", strings.HasPrefix(rest, ".orphan-"):
		return own, 0, true
	case rest == ".torn":
		return own, tornAge, true
	case rest == ".new":
		return own, tempAge, true
	}
	return own, 0, false
}

// deadJournal examines a file; nil for one that is in use, or too young.
func (gc *collector) deadJournal(dir string, f fs.DirEntry, branches map[string]string) (*deadJournal, error) {
	own, age, ok := journalOf(f.Name())
	if _, has := branches[f.Name()]; !ok || has || !f.Type().IsRegular() {
		return nil, nil
	}
	info, err := f.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || gc.now.Sub(info.ModTime()) < age {
		return nil, err
	}
	path := filepath.Join(dir, f.Name())
	if own == f.Name() {
		if twin, err := TwinOf(path, branches); err != nil || twin != "" {
			return nil, err
		}
	}
	d := &deadJournal{name: f.Name()}
	if age == tempAge { // the journal itself is complete
		return d, nil
	}
	data, err := git.ReadStateFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	d.steps = stepIDs(data)
	return d, err
}

// stepIDs returns the ids of the readable steps in a file of journals.
func stepIDs(data []byte) (ids []string) {
	for line := range bytes.Lines(data) {
		if id := stepOf(line); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// stepOf returns the id of a line that is a step; "" for the first line, a mark, and a torn
// line, which was never acknowledged.
func stepOf(line []byte) string {
	var l store.EntryLine
	if json.Unmarshal(line, &l) != nil || !doc.ValidID(l.ID) || l.Observation+l.Thought+l.Action == "" {
		return ""
	}
	return l.ID
}

// FindSteps sets wanted[id] for each id in wanted that is a step of any ref of memory,
// deleted branches included.
func FindSteps(ctx context.Context, s *store.Store, wanted map[string]bool) error {
	if len(wanted) == 0 {
		return nil
	}
	v, err := expunge.ListRefs(ctx, s)
	if err != nil {
		return err
	}
	read := &stepHeadings{wanted: wanted}
	const most = 500 // revisions on one command line
	for tips := v.Tips(); len(tips) > 0; tips = tips[min(len(tips), most):] {
		args := []string{"grep", "--text", "-h", "-e", "^### Step "}
		for _, id := range tips[:min(len(tips), most)] {
			args = append(args, string(id))
		}
		err := s.Repo().ViewTo(ctx, read, nil, append(args, "--", doc.LogFile, doc.LogDir)...)
		var child *git.Error
		if err != nil && !(errors.As(err, &child) && child.Code == 1) { // 1: there are none
			return err
		}
	}
	return nil
}

// stepHeadings reads heading lines of steps, which end with an id.
type stepHeadings struct {
	wanted map[string]bool
	rest   []byte
}

func (h *stepHeadings) Write(data []byte) (int, error) {
	h.rest = append(h.rest, data...)
	for {
		line, after, whole := bytes.Cut(h.rest, []byte("\n"))
		if !whole {
			return len(data), nil
		}
		id := string(line[bytes.LastIndexByte(line, ' ')+1:])
		if _, ok := h.wanted[id]; ok {
			h.wanted[id] = true
		}
		h.rest = after
	}
}

// LostTip returns the newest commit of the branch that a journal is of, if it is here and no ref of memory leads to
// it, here or on a remote: the branch was removed past this program. It returns "" otherwise, and for what is no
// journal.
func LostTip(ctx context.Context, s *store.Store, data []byte) (git.ID, error) {
	content, err := journal.Parse(data)
	if err != nil || !git.IsID(content.Mark.Committed) {
		return "", nil
	}
	id := git.ID(content.Mark.Committed)
	if _, err := s.Repo().Commit(ctx, id); errors.Is(err, git.ErrNotFound) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	news, err := s.Repo().NewCommits(ctx, []git.ID{id}, 1)
	if err != nil || len(news) == 0 {
		return "", err
	}
	theirs, err := s.Repo().Refs(ctx, git.RemotePrefix)
	if err != nil {
		return "", err
	}
	for _, r := range theirs {
		has, err := s.Repo().IsAncestor(ctx, id, r.ID)
		if git.ExitCode(err) > 0 { // their history has a hole
			continue
		}
		if err != nil || has {
			return "", err
		}
	}
	return id, nil
}

// dropJournal removes a file if memory contains every step of it. The lock excludes
// commands that create, rename or delete the branch.
func (gc *collector) dropJournal(ctx context.Context, dir string, d deadJournal, held map[string]bool) (err error) {
	own, age, _ := journalOf(d.name)
	lock, free, err := gc.s.Repo().TryLock(store.JournalLock(own))
	if err != nil || !free {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	path := filepath.Join(dir, d.name)
	if own == d.name {
		branches, err := gc.branchFiles(ctx, ".jsonl")
		if _, has := branches[own]; err != nil || has {
			return err
		}
		j, err := journal.Open(ctx, path, gc.s.JournalOptions())
		if err != nil && !errors.Is(err, journal.ErrMissing) {
			gc.warn("journal '%s' belongs to no branch and cannot be read; it is kept: %v", path, err)
			return nil
		}
		if err == nil {
			defer j.Close()
		}
	}
	data, err := git.ReadStateFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if age != tempAge {
		if lost := gc.nowhereElse(data, held, age == 0); lost != "" {
			gc.warn("'%s' contains %s; it is kept", path, lost)
			return nil
		}
	}
	if age == 0 {
		if tip, err := LostTip(ctx, gc.s, data); err != nil {
			return err
		} else if tip != "" {
			gc.warn("'%s' names commit %s, to which no ref leads; it is kept: git context fsck", path, tip.Short())
			return nil
		}
	}
	if err := gc.remove(path); err != nil {
		return err
	}
	gc.drop(Drop{Kind: DropJournal, Name: d.name}, int64(len(data)))
	return nil
}

// nowhereElse describes what memory does not contain of a file of journals; "" for nothing.
// An unreadable line of a journal may have been a step.
func (gc *collector) nowhereElse(data []byte, held map[string]bool, isJournal bool) string {
	lost := 0
	for _, id := range stepIDs(data) {
		if !held[id] { // or it was added since
			lost++
		}
	}
	if lost > 0 {
		return prose.Count(lost, "step") + " that no branch contains"
	}
	if !isJournal || !bytes.Contains(data, []byte("\n")) {
		return ""
	}
	c, err := journal.Parse(data)
	if err != nil {
		return "what cannot be read"
	}
	if len(c.Bad) > 0 {
		return prose.Count(len(c.Bad), "line") + " that cannot be read"
	}
	return ""
}

// TwinOf returns the branch whose journal is the same file as path, as an interrupted
// rename leaves it; "" for none. branches are the branches by file name.
func TwinOf(path string, branches map[string]string) (string, error) {
	own, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for file, name := range branches {
		info, err := os.Stat(filepath.Join(filepath.Dir(path), file))
		if err == nil && os.SameFile(own, info) {
			return name, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", nil
}
