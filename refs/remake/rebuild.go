package remake

import (
	"context"
	"errors"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
	"github.com/git-context/git-context/refs/store"
)

// Rebuild writes lost trees and files of our own history again as far as what is here tells all of them. It makes what each commit
// may have contained, and the hash says whether that is it, so that no commit changes and no ref moves:
//
//   - the first commit of a branch, as a branch is begun on its parent;
//
//   - a COMMIT, from the journal that tells of it, or from its message, with its log.md;
//
//   - another commit: the files of its parent without what it removed, with the topics that the next commits have and did not change, and
//     with their keys of metadata.yaml; or with the one text that it changed, if only a folder is lost, of all texts that are here.
//
//   - of the roadmap, a tree with each main.md that is here;
//
//   - of the notes, a tree with folders that are here;
//
//   - an attachment, and a topic that a waiting merge is about, from local state.
//
// It does so also for what a remote may have: the remote may not be reached, or have lost it, too. It returns what was lost and is here
// again. It writes no commits: one that nothing leads to may be taken for one that was lost.
func Rebuild(ctx context.Context, s *store.Store, by store.Writer) (map[git.ID]bool, error) {
	h, err := findHoles(ctx, s, false)
	if h == nil || err != nil {
		return nil, err
	}
	tx, err := s.Begin(ctx, by, "fsck: write again what is lost")
	if err != nil {
		return nil, err
	}
	defer tx.Close()
	r := rebuilder{h: h, tx: tx, back: map[git.ID]bool{}}
	if err := errors.Join(r.attachments(ctx), r.conflicts(ctx)); err != nil {
		return r.back, err
	}
	for n, id := range h.order {
		if n == h.roadmaps {
			if err := r.read(ctx); err != nil {
				return r.back, ignoreLost(err) // what is to be forgotten is not known
			}
		}
		if !r.mayTell(h.commits[id]) {
			continue
		}
		// What cannot be made is mended otherwise: documents that it is made of may be invalid.
		if err := r.rebuild(ctx, h.commits[id], n < h.roadmaps); err != nil && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return r.back, nil
}

type rebuilder struct {
	h        *Holes
	tx       *store.Transaction
	journals []*journal.Content
	expunged doc.Expunged
	back     map[git.ID]bool

	texts   map[string][]git.ID // by the name of a file, see readTexts; nil: not read yet
	blobs   []git.ID            // that nothing leads to
	folders [][]git.TreeEntry   // see readFolders; nil: not read yet
	tried   int                 // how many entries of folders were hashed
}

func (r *rebuilder) read(ctx context.Context) (err error) {
	if r.expunged, err = expunge.Tombstones(ctx, r.h.s); err != nil {
		return err
	}
	names, err := r.h.s.BranchNames(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		content, err := journal.Read(r.h.s.JournalPath(name))
		if errors.Is(err, journal.ErrMissing) || errors.Is(err, git.ErrBroken) {
			continue
		}
		if err != nil {
			return err
		}
		r.journals = append(r.journals, content)
	}
	r.h.readExits()
	return r.h.readChildren(ctx)
}

// attachments writes the contents of attachments that local state has still: it keeps those of steps for some time after a COMMIT.
func (r *rebuilder) attachments(ctx context.Context) error {
	for _, id := range r.h.order {
		for _, at := range r.h.holes[id] {
			hash, _, ok := doc.AttachmentAt(at.path)
			if !ok || r.back[at.id] {
				continue
			}
			data, err := git.ReadCacheFile(r.h.s.AttachedPath(hash))
			if err != nil || r.h.s.Repo().BlobID(data) != at.id {
				continue // fsck reports a file of local state that cannot be read; the hash proves what is read
			}
			if _, err := r.h.s.Repo().WriteBlob(ctx, data); err != nil {
				return err
			}
			r.back[at.id] = true
		}
	}
	return nil
}

// conflicts writes the texts of topics that merges which wait to be resolved have still: an answer is about these texts alone.
func (r *rebuilder) conflicts(ctx context.Context) error {
	lost := map[git.ID]bool{}
	for _, id := range r.h.order {
		for _, at := range r.h.holes[id] {
			lost[at.id] = lost[at.id] || doc.KindOf(at.path) == doc.FileTopic
		}
	}
	names, err := r.h.s.BranchNames(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		held, err := r.h.s.ReadMerge(name)
		if err != nil || held == nil {
			continue // fsck reports a file of local state that cannot be read
		}
		for _, c := range held.Conflicts {
			texts := []*string{c.Base, c.Ours, c.Theirs}
			if c.Before != nil {
				texts = append(texts, c.Before.Ours, c.Before.Theirs)
			}
			for _, text := range texts {
				if text == nil || !lost[r.h.s.Repo().BlobID([]byte(*text))] {
					continue
				}
				id, err := r.h.s.Repo().WriteBlob(ctx, []byte(*text))
				if err != nil {
					return err
				}
				r.back[id] = true
			}
		}
	}
	return nil
}

// mayTell reports whether something of a commit is still lost that its parent does not lack, too, other than a text that is nowhere else.
// Of a commit that lostBirth made no hash is known.
func (r *rebuilder) mayTell(c *git.Commit) bool {
	if c.Tree.IsZero() {
		return false
	}
	lost := func(at hole) bool {
		kind := doc.KindOf(at.path)
		return !r.back[at.id] && kind != doc.FileTopic && kind != doc.FileArtifact && (len(c.Parents) == 0 || !slices.Contains(r.h.holes[c.Parents[0]], at))
	}
	return slices.ContainsFunc(r.h.holes[c.ID], lost)
}

// rebuild writes trees that a commit may have had until nothing of it is lost.
func (r *rebuilder) rebuild(ctx context.Context, c *git.Commit, roadmap bool) error {
	var parent *git.Commit
	if len(c.Parents) > 0 && !r.h.edge[c.ID] {
		var err error
		if parent, err = r.h.s.Repo().Commit(ctx, c.Parents[0]); err != nil {
			return err
		}
		if !roadmap && r.lacks(parent.ID) {
			return nil
		}
	}
	if roadmap {
		return r.rebuildRoadmap(ctx, c, parent)
	}
	if notes, err := r.isNotes(ctx, c, parent); err != nil {
		return err
	} else if notes {
		err = r.rebuildNotes(ctx, c, parent)
		_, err1 := r.here(ctx, c)
		return errors.Join(err, err1)
	}
	base, err := r.base(ctx, c, parent)
	if base == "" || err != nil {
		return err
	}
	if here, err := r.here(ctx, c); here || err != nil {
		return err
	}
	for _, child := range r.later(c) {
		tree, err := r.writeAs(ctx, base, child)
		if ignoreLost(err) != nil {
			return err
		}
		if tree == c.Tree {
			break
		}
	}
	if here, err := r.here(ctx, c); here || err != nil {
		return err
	}
	if isBirth(c) || !slices.ContainsFunc(r.h.holes[c.ID], isFolder) {
		return nil
	}
	if err := r.assemble(ctx, c, base, changed(c)); err != nil {
		return err
	}
	_, err = r.here(ctx, c)
	return err
}

// lacks reports whether a commit is of no use for what follows it, see [Remains.Needed].
func (r *rebuilder) lacks(id git.ID) bool {
	var left Remains
	for _, at := range r.h.holes[id] {
		if !r.back[at.id] {
			left.Lost = append(left.Lost, at.path)
		}
	}
	return left.Needed()
}

func (r *rebuilder) rebuildRoadmap(ctx context.Context, c, parent *git.Commit) error {
	base := treeOf(parent)
	if base == "" {
		var err error
		if base, err = r.h.s.Repo().Edit("").Write(ctx); err != nil {
			return err
		}
	}
	if err := r.assemble(ctx, c, base, doc.RoadmapFile); err != nil {
		return err
	}
	_, err := r.here(ctx, c)
	return err
}

// mostLater limits how many commits later lists.
const mostLater = 20

// later lists commits that follow one, and first ones that do not lack what it lacks.
func (r *rebuilder) later(c *git.Commit) (list []*git.Commit) {
	for _, child := range r.h.children[c.ID] {
		if child.Parents[0] == c.ID {
			list = append(list, child)
		}
	}
	for _, at := range r.h.holes[c.ID] {
		for _, id := range r.h.exits[at] {
			list = append(list, r.h.commits[id])
		}
	}
	return list[:min(len(list), mostLater)]
}

// isFolder reports whether a hole is a folder of which one file may have changed.
func isFolder(at hole) bool { return at.path == "" || at.path == doc.TopicDir }

// here reports whether nothing of a commit is lost any more, and notes what has come back.
func (r *rebuilder) here(ctx context.Context, c *git.Commit) (bool, error) {
	holes := r.h.holes[c.ID]
	ids := make([]git.ID, len(holes))
	for i, at := range holes {
		ids[i] = at.id
	}
	infos, err := r.h.s.Repo().InfosHere(ctx, ids)
	all := err == nil
	for _, info := range infos {
		if info.Type != "" {
			r.back[info.ID] = true
		} else {
			all = false
		}
	}
	return all, err
}

// base writes the tree that a commit has if it says all that it changed. parent is nil for none.
func (r *rebuilder) base(ctx context.Context, c, parent *git.Commit) (git.ID, error) {
	switch {
	case isBirth(c):
		goal, err := r.h.goalAt(ctx, c)
		if err != nil {
			return "", err
		}
		return birth(ctx, r.tx, c, parent, goal)
	case parent == nil || store.BranchOf(c) == "":
		return "", nil
	case c.Trailer(store.TrailerID) != "":
		return r.told(ctx, c, parent)
	}
	edit := r.h.s.Repo().Edit(parent.Tree)
	for _, name := range c.Trailers(store.TrailerRemoves) {
		if doc.KindOf(name) != doc.FileTopic {
			continue
		}
		if err := edit.Remove(ctx, name); err != nil {
			return "", err
		}
	}
	return edit.Write(ctx)
}

// documents writes a tree with the documents that a commit had, as far as others tell them. parent has the ids of old, and the tree that
// it has now.
func (r *rebuilder) documents(ctx context.Context, c, parent *git.Commit) (git.ID, error) {
	if c.Trailer(store.TrailerID) == "" {
		return r.h.withOwn(ctx, c, parent.Tree)
	}
	tree, err := r.told(ctx, c, parent)
	if tree == "" || err != nil {
		return "", err
	}
	return r.h.withOwn(ctx, c, tree)
}

// told writes the tree of a COMMIT as a journal tells of it, or its message.
func (r *rebuilder) told(ctx context.Context, c, parent *git.Commit) (git.ID, error) {
	allow := func(id string, texts ...string) bool {
		return !r.expunged.HasEntry(id) &&
			!slices.ContainsFunc(texts, func(text string) bool { return r.expunged.RedactText(text) != text })
	}
	for _, content := range r.journals {
		list, whole := store.ToldSince(content, parent.ID, c.ID)
		if !whole || len(list) != 1 {
			continue
		}
		tree, err := r.tx.TreeAgain(ctx, r.h.s.TipOf(store.BranchOf(c), parent), content, list[0], allow)
		if tree != "" || err != nil {
			return tree, err
		}
	}
	return r.h.fromMessage(ctx, r.tx, c, parent)
}

func treeOf(c *git.Commit) git.ID {
	if c == nil {
		return ""
	}
	return c.Tree
}

// writeAs writes a tree with the topics and keys of a commit that follows, but for the topic that this one changed: that stays
// as it is.
func (r *rebuilder) writeAs(ctx context.Context, base git.ID, child *git.Commit) (git.ID, error) {
	own := exit{Commit: child}.topic()
	edit := r.h.s.Repo().Edit(base)
	had, err := edit.List(ctx, doc.TopicDir)
	if err != nil {
		return "", err
	}
	for _, e := range slices.Clone(had) {
		if path := doc.TopicDir + "/" + e.Name; path != own {
			if err := edit.Remove(ctx, path); err != nil {
				return "", err
			}
		}
	}
	has, err := r.h.s.Repo().Edit(child.Tree).List(ctx, doc.TopicDir)
	if err != nil {
		return "", err
	}
	for _, e := range has {
		if path := doc.TopicDir + "/" + e.Name; path != own {
			if err := edit.Put(ctx, path, e.ID); err != nil {
				return "", err
			}
		}
	}
	if err := r.putKeys(ctx, edit, base, child); err != nil {
		return "", err
	}
	return edit.Write(ctx)
}

// putKeys puts the metadata.yaml of a commit that follows, with what belongs to one branch as in a tree.
func (r *rebuilder) putKeys(ctx context.Context, edit *git.Edit, base git.ID, child *git.Commit) error {
	was, err := r.h.s.TipOf("", &git.Commit{Tree: base}).Metadata(ctx)
	if err != nil {
		return err
	}
	now, err := r.h.s.TipOf(store.BranchOf(child), child).Metadata(ctx)
	if err != nil {
		return err
	}
	blob, err := withFacts(ctx, r.h.s.Repo(), now, was)
	if err != nil {
		return err
	}
	return edit.Put(ctx, doc.MetadataFile, blob)
}
