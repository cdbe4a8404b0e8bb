package expunge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

// DirtyRemote is a remote that had old history when it was last asked, and the commands that
// clean it.
type DirtyRemote struct {
	Remote   string   `json:"remote"`
	Refs     []string `json:"refs"`     // by the names that they have here
	Commands []string `json:"commands"` // to run in this order
}

// dirtyRefs lists the refs of a remote that lead to old history: by its tracking refs, except those that are refused, and by
// the recorded state of earlier runs.
func (w *Rewriter) dirtyRefs(ctx context.Context, p remote.Remote, refused map[string]error) ([]DirtyRef, error) {
	list, err := w.s.Repo().Refs(ctx, p.Tracking.All()...)
	if err != nil {
		return nil, err
	}
	before, err := ReadDirtyState(w.s, p)
	if err != nil {
		return nil, err
	}
	var held []DirtyRef
	for _, r := range list {
		h := DirtyRef{Ref: here(p, r.Name), Old: r.ID}
		if h.Ref == "" || refused[r.Name] != nil {
			continue
		}
		if h.Now, err = w.clean(ctx, h.Ref, r.ID); err != nil {
			return nil, err
		}
		if b, known := before.Refs[h.Ref]; known && b.Now == r.ID {
			h.Old = b.Old
		}
		if h.Now != h.Old {
			held = append(held, h)
		}
	}
	return held, nil
}

// clean returns a ref's commit without what was expunged; "" for notes of which nothing is
// left, and for code.
func (w *Rewriter) clean(ctx context.Context, ref string, id git.ID) (git.ID, error) {
	if _, ok := git.WorkBranch(ref); ok {
		if w.ForgetsWork(id) {
			return "", nil
		}
		return id, nil
	}
	if ref == git.NotesRef {
		return w.CleanNotes(ctx, id, "")
	}
	now, err := w.Rewrite(ctx, []git.ID{id})
	return now[id], err
}

// here returns the local name of a tracking ref, "" if it has none.
func here(p remote.Remote, ref string) string {
	t := p.Tracking
	if name, ok := strings.CutPrefix(ref, t.Branches()); ok {
		return git.BranchRef(name)
	}
	if name, ok := strings.CutPrefix(ref, t.Tags()); ok {
		return git.TagRef(name)
	}
	if name, ok := strings.CutPrefix(ref, t.Works()); ok {
		return git.WorkRef(name)
	}
	switch ref {
	case t.Roadmap():
		return git.RoadmapRef
	case t.Notes():
		return git.NotesRef
	}
	return ""
}

// CleaningCommands returns the commands that replace the old history of a remote. A push
// replaces each ref by ours if ours contains everything, else by the cleaned commit, and only
// if the remote's ref has not moved. If notes have to be fetched first, the only command is a
// sync. In a partial clone the push must not ask the remote for what it replaces.
//
// Anybody can give thousands of names to one commit. So one push names a part of the refs, first those that are here, and of
// further parts the sync after them prints the commands.
func (w *Rewriter) CleaningCommands(ctx context.Context, p remote.Remote, held []DirtyRef) ([]string, error) {
	held, err := w.neededFirst(ctx, held)
	if err != nil {
		return nil, err
	}
	var leases, specs []string
	fetchFirst := false
	for _, h := range held[:min(len(held), mostInPush*mostPushes)] {
		there := git.NameOn(h.Ref, p.Heads)
		from, ok, err := w.source(ctx, h)
		if err != nil {
			return nil, err
		}
		if !ok {
			fetchFirst = true
			continue
		}
		leases = append(leases, prose.ShellWord("--force-with-lease="+there+":"+string(h.Old)))
		specs = append(specs, prose.ShellWord(from+":"+there))
	}
	name := prose.ShellWord(p.Name)
	sync := "git context sync " + name
	switch {
	case fetchFirst:
		return []string{sync}, nil // whose error contains the other commands
	case len(specs) == 0:
		return nil, nil
	}
	cfg, err := w.s.Repo().Config(ctx)
	if err != nil {
		return nil, err
	}
	push := p.PushCommand()
	if cfg.Promisor() {
		push = "GIT_NO_LAZY_FETCH=1 " + push // a git before 2.45 would fetch it
	}
	var commands []string
	for i := 0; i < len(specs); i += mostInPush {
		end := min(i+mostInPush, len(specs))
		commands = append(commands, push+" "+strings.Join(leases[i:end], " ")+" "+name+" "+strings.Join(specs[i:end], " "))
	}
	return append(commands, sync), nil
}

const (
	mostInPush = 50 // refs that one command names, so that no shell finds it too long
	mostPushes = 10 // commands
)

// neededFirst sorts refs of a remote for which one push does not do: first the roadmap and the notes, then branches that are here, then all others.
func (w *Rewriter) neededFirst(ctx context.Context, held []DirtyRef) ([]DirtyRef, error) {
	if len(held) <= mostInPush {
		return held, nil
	}
	branches, err := w.s.Repo().Refs(ctx, git.BranchPrefix)
	if err != nil {
		return nil, err
	}
	rank := map[string]int{git.RoadmapRef: -2, git.NotesRef: -2}
	for _, r := range branches {
		rank[r.Name] = -1
	}
	held = slices.Clone(held)
	slices.SortStableFunc(held, func(a, b DirtyRef) int { return cmp.Compare(rank[a.Ref], rank[b.Ref]) })
	return held, nil
}

// dirtyRemotes finds the remotes that had old history when they were last asked, without what is refused: a run drops that, a preview
// leaves it alone. The commands for them are made once the refs here have moved.
func (w *Rewriter) dirtyRemotes(ctx context.Context, refused map[string]error) (map[string][]DirtyRef, error) {
	names, err := w.s.Repo().Remotes(ctx)
	if err != nil {
		return nil, err
	}
	found := map[string][]DirtyRef{}
	for _, name := range names {
		p, err := remote.Find(ctx, w.s, name)
		if err != nil {
			return nil, err
		}
		held, err := w.dirtyRefs(ctx, p, refused)
		if err != nil {
			return nil, err
		}
		if len(held) > 0 {
			found[name] = held
		}
	}
	return found, nil
}

// cleaningAll returns the commands for each of them. While somebody asks to forget something and has no answer, the commands
// would delete on the remote what waits for it; then they are those that show what is asked.
func (w *Rewriter) cleaningAll(ctx context.Context, found map[string][]DirtyRef) ([]DirtyRemote, error) {
	list := []DirtyRemote{}
	asked, err := Unanswered(ctx, w.s)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		p, err := remote.Find(ctx, w.s, name)
		if err != nil {
			return nil, err
		}
		h := DirtyRemote{Remote: name, Refs: []string{}}
		for _, r := range found[name] {
			h.Refs = append(h.Refs, r.Ref)
		}
		for _, asker := range Askers(asked, name) {
			h.Commands = append(h.Commands, ShowCommand(asker))
		}
		if len(asked) > 0 {
			h.Commands = append(h.Commands, "git context sync "+prose.ShellWord(name))
		} else if h.Commands, err = w.CleaningCommands(ctx, p, found[name]); err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}

// source returns what replaces a ref of the remote: ours if it contains everything. It reports
// false for notes that ours do not contain yet.
func (w *Rewriter) source(ctx context.Context, h DirtyRef) (string, bool, error) {
	ours, err := w.s.Repo().Ref(ctx, h.Ref)
	if err != nil {
		return string(h.Now), true, orAbsent(err) // without either it is deleted
	}
	if h.Now == "" {
		return h.Ref, true, nil
	}
	if h.Ref == git.NotesRef {
		holds, err := w.notesContain(ctx, ours, h.Now)
		return h.Ref, holds, err
	}
	holds, err := w.s.Repo().IsAncestor(ctx, h.Now, ours)
	if err != nil || !holds {
		return string(h.Now), true, err
	}
	return h.Ref, true, nil
}

// notesContain reports whether our notes contain all lines of theirs, except expunged ones.
func (w *Rewriter) notesContain(ctx context.Context, ours, theirs git.ID) (bool, error) {
	o, err := w.s.Repo().Commit(ctx, ours)
	if err != nil {
		return false, err
	}
	have := map[git.ID]git.ID{}
	err = w.eachNote(ctx, "", o.Tree, func(_ string, object, blob git.ID) error {
		have[object] = blob
		return nil
	})
	if err != nil {
		return false, err
	}
	clean, err := w.notesTree(ctx, theirs)
	if err != nil {
		return false, err
	}
	id, err := clean.tree.Write(ctx)
	if err != nil {
		return false, err
	}
	holds := true
	err = w.eachNote(ctx, "", id, func(_ string, object, blob git.ID) error {
		if have[object] == blob || !holds {
			return nil
		}
		note, err := w.s.Repo().Blob(ctx, blob)
		if err != nil {
			return err
		}
		var mine []byte
		if have[object] != "" {
			if mine, err = w.s.Repo().Blob(ctx, have[object]); err != nil {
				return err
			}
		}
		holds = bytes.Equal(notes.Union(mine, note), mine)
		return nil
	})
	return holds, err
}

// vouched leaves out the refs of a remote that bring a commit without the signature that context.<remote>.verify demands.
// What is made of them here would count as checked; they go, and the next exchange asks again.
func (op *Operation) vouched(ctx context.Context, p remote.Remote, held []DirtyRef) ([]DirtyRef, error) {
	demand, err := remote.VerifyOf(ctx, op.Store, p)
	if err != nil || demand != remote.VerifyRequire {
		return held, err
	}
	var kept []DirtyRef
	for _, h := range held {
		switch err := incoming.CheckSigned(ctx, op.Store, h.Old, "'"+h.Ref+"'", false, ""); {
		case err == nil:
			kept = append(kept, h)
		case !errors.Is(err, fail.ErrRefused):
			return nil, err
		}
	}
	return kept, nil
}

// rememberDirty records what the remotes had, and returns where their tracking refs go.
func (op *Operation) rememberDirty(ctx context.Context) (map[string]git.ID, error) {
	to := map[string]git.ID{}
	for name, held := range op.dirty {
		p, err := remote.Find(ctx, op.Store, name)
		if err != nil {
			return nil, err
		}
		state, err := ReadDirtyState(op.Store, p)
		if err != nil {
			return nil, err
		}
		if held, err = op.vouched(ctx, p, held); err != nil {
			return nil, err
		}
		op.dirty[name] = held
		for _, h := range held {
			state.Refs[h.Ref] = h
			to[p.Tracking.Of(h.Ref)] = h.Now
		}
		if err := WriteDirtyState(op.Store, p, state); err != nil {
			return nil, err
		}
	}
	return to, nil
}
