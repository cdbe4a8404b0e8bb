package expunge

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// strayObjects returns unreachable commits and documents that contain something expunged: left
// by attempts that lost a race or were killed. It leaves out plain text, which may be the
// user's, and what the old tips lead to. It also returns what of the user's must stay, see
// foreignRoots.
func (op *Operation) strayObjects(ctx context.Context) (stray, foreign []git.ID, err error) {
	ids, err := op.Store.Repo().Unreachable(ctx)
	if err != nil {
		return nil, nil, err
	}
	old, err := op.oldObjects(ctx)
	if err != nil {
		return nil, nil, err
	}
	infos, err := op.Store.Repo().InfosHere(ctx, slices.DeleteFunc(ids, func(id git.ID) bool { return old.ids[id] }))
	if err != nil {
		return nil, nil, err
	}
	if foreign, err = op.foreignRoots(ctx, infos, old); err != nil {
		return nil, nil, err
	}
	stray, err = op.strayAmong(ctx, infos, old)
	return stray, foreign, err
}

// strayAmong returns those of some unreachable objects that are memory's and contain something
// expunged.
func (op *Operation) strayAmong(ctx context.Context, infos []git.ObjectInfo, old oldObjects) ([]git.ID, error) {
	var commits, blobs []git.ID
	for _, info := range infos {
		switch {
		case info.Type == "commit" && info.Size <= store.MaxFile:
			commits = append(commits, info.ID)
		case info.Type == "blob" && info.Size <= store.RoadmapMost:
			blobs = append(blobs, info.ID)
		}
	}
	stray, err := op.strayCommits(ctx, commits, old.ids)
	if err != nil {
		return nil, err
	}
	err = ReadObjects(ctx, op.Store, blobs, func(o git.Object) error {
		if op.isForgotten(o.Data) {
			stray = append(stray, o.ID)
		}
		return nil
	})
	return stray, err
}

// oldObjects are the objects that go in any case.
type oldObjects struct {
	ids   map[git.ID]bool
	named map[git.NamedObject]bool // with the names that trees give them
}

// oldObjects lists what the old tips lead to.
func (op *Operation) oldObjects(ctx context.Context) (oldObjects, error) {
	old := oldObjects{ids: map[git.ID]bool{}, named: map[git.NamedObject]bool{}}
	infos, err := op.Store.Repo().InfosHere(ctx, op.intent.old)
	if err != nil {
		return old, err
	}
	for _, info := range infos {
		if info.Type == "" {
			continue
		}
		list, err := op.Store.Repo().Objects(ctx, []git.ID{info.ID}, nil)
		var broken *git.Error
		if errors.As(err, &broken) && broken.Code > 0 {
			continue // half deleted by a killed process: its objects are examined one by one
		}
		if err != nil {
			return old, err
		}
		for _, o := range list {
			old.ids[o.ID] = true
			old.named[git.NamedObject{ID: o.ID, Path: path.Base(o.Path)}] = true
		}
	}
	return old, nil
}

// strayCommits returns those commits that contain something expunged or descend from such a
// commit. Some of their parents may be missing.
func (op *Operation) strayCommits(ctx context.Context, ids []git.ID, old map[git.ID]bool) (stray []git.ID, err error) {
	commits, _, err := sortCommits(ctx, op.Store, ids)
	if err != nil || len(commits) == 0 {
		return nil, err
	}
	// What is written to find out must not stay: its parents may go.
	repo, remove, err := op.Store.Repo().Quarantine(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	ids = commitIDs(commits)
	left := map[git.ID]bool{}
	for _, id := range ids {
		left[id] = true
	}
	w := NewRewriter(op.Store.Over(repo), op.intent.expunged) // not the operation's: these commits are no history
	for len(ids) > 0 {
		id := ids[len(ids)-1]
		if !left[id] {
			ids = ids[:len(ids)-1]
			continue
		}
		c, err := op.Store.Repo().Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(c.Parents, func(p git.ID) bool { return left[p] }); i >= 0 {
			ids = append(ids, c.Parents[i])
			continue
		}
		left[id] = false
		err = orAbsent(w.commit(ctx, id))
		var failed *git.Error
		if ctx.Err() != nil || errors.As(err, &failed) {
			return nil, err
		}
		// An unreadable commit may contain anything, and no ref needs it.
		if err != nil || w.now(id) != id || slices.ContainsFunc(c.Parents, func(p git.ID) bool { return old[p] }) {
			old[id] = true
			stray = append(stray, id)
		}
	}
	return stray, nil
}

// OldAmong returns those of some refs, by their local names and with commits that they have no more, that lead to old
// history or cannot be read. ours are our notes. It changes nothing.
func OldAmong(ctx context.Context, s *store.Store, e doc.Expunged, list []git.Ref, ours git.ID) (old []git.Ref, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	err = Try(ctx, s, e, func(op *Operation) error {
		together, err := op.Rewriter.RewriteNew(ctx, UniqueIDs(slices.DeleteFunc(slices.Clone(list), isNoHistory)))
		if err != nil { // one of them cannot be read
			together = nil
		}
		for _, r := range list {
			var err error
			now, known := together[r.ID]
			if !known || isNoHistory(r) {
				now, err = op.Rewriter.cleanNew(ctx, r, ours)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil || now != r.ID { // what cannot be read may contain anything, and no ref needs it
				old = append(old, r)
			}
		}
		return nil
	})
	return old, err
}

// isNoHistory reports whether a ref is one of notes or of handed over code.
func isNoHistory(r git.Ref) bool {
	_, work := git.WorkBranch(r.Name)
	return work || r.Name == git.NotesRef
}

// cleanNew is clean for a ref that our own memory does not lead to.
func (w *Rewriter) cleanNew(ctx context.Context, r git.Ref, ours git.ID) (git.ID, error) {
	if r.Name == git.NotesRef {
		return w.CleanNotes(ctx, r.ID, ours)
	}
	if _, work := git.WorkBranch(r.Name); work {
		return w.clean(ctx, r.Name, r.ID)
	}
	now, err := w.RewriteNew(ctx, []git.ID{r.ID})
	return now[r.ID], err
}

// isForgotten reports whether a file is certainly memory's and contains something expunged.
func (op *Operation) isForgotten(data []byte) bool {
	name, ok := ownFile(data)
	switch {
	case !ok:
		return false
	case name == "":
		_, now := op.Rewriter.RewriteNote(op.Store.Repo().ZeroID(), data)
		return !bytes.Equal(now, data)
	}
	r, err := op.Rewriter.e.Redact(name, data)
	return err == nil && !bytes.Equal(r.Data, data)
}

// ownFile reports whether a file of unknown name can only be memory, and returns the name of
// such a file; "" for a note. Topics are plain text, which may be the user's.
func ownFile(data []byte) (name string, ok bool) {
	if bytes.HasPrefix(data, []byte(`{"v":1,`)) {
		return "", true
	}
	if steps, err := doc.ParseLog(data); err == nil && len(steps) > 0 {
		return doc.LogFile, true
	}
	if commits, err := doc.ParseCommits(data); err == nil && len(commits) > 0 {
		return doc.CommitFile, true
	}
	if bytes.Contains(data, []byte("\ntotals:\n")) {
		if _, err := doc.ParseMetadata(data); err == nil {
			return doc.MetadataFile, true
		}
	}
	return "", false
}

// strays searches unreachable objects. Of those that are not memory's it only counts the
// matches: `git commit -a` with an open editor has its files nowhere else.
func (f *finder) strays(ctx context.Context) error {
	if f.match.none() {
		return nil
	}
	ids, err := f.s.Repo().Unreachable(ctx)
	if err != nil {
		return err
	}
	var commits []git.ID
	err = ReadObjects(ctx, f.s, ids, func(o git.Object) error {
		if _, ours := f.seen[o.ID]; ours || o.Type == "tree" || !f.match.raw(o.Data) {
			return nil
		}
		if o.Type == "commit" {
			commits = append(commits, o.ID)
		} else if _, ours := ownFile(o.Data); ours && o.Type == "blob" {
			f.objects = append(f.objects, o.ID)
			return nil
		}
		f.foreign++
		return nil
	})
	if err != nil {
		return err
	}
	ours, _, err := sortCommits(ctx, f.s, commits)
	f.objects = append(f.objects, commitIDs(ours)...)
	f.foreign -= len(ours)
	return err
}

// sortCommits tells the commits that belong to a branch or to the roadmap from others. It passes
// over what it cannot read.
func sortCommits(ctx context.Context, s *store.Store, ids []git.ID) (memory, others []*git.Commit, err error) {
	var unknown []*git.Commit
	err = ReadObjects(ctx, s, ids, func(o git.Object) error {
		c, err := git.ParseCommit(o.ID, o.Data)
		switch {
		case err != nil: // not one of ours
		case store.BranchOf(c) != "":
			memory = append(memory, c)
		default:
			unknown = append(unknown, c)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for _, c := range unknown {
		list, err := readableTree(ctx, s, c.Tree)
		switch {
		case err != nil:
			return nil, nil, err
		case len(list) > 0 && len(list) <= 2 && list[len(list)-1].Name == doc.RoadmapFile:
			memory = append(memory, c)
		default:
			others = append(others, c)
		}
	}
	return memory, others, nil
}

func commitIDs(list []*git.Commit) []git.ID {
	var ids []git.ID
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}
