package remake

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// hole is a lost file or folder of a commit.
type hole struct {
	path string // "" for its tree
	id   git.ID
}

// isDocument reports whether a path is of commit.md, log.md or their segments, which [Holes.cutsOf] makes of later ones if one of the
// first two is lost.
func isDocument(path string) bool {
	top, _, _ := strings.Cut(path, "/")
	return top == doc.CommitFile || top == doc.CommitDir || top == doc.LogFile || top == doc.LogDir
}

// isLive reports whether a hole is commit.md or log.md, and its text is not known.
func (h *Holes) isLive(at hole) bool {
	return h.empty[at.id] == nil && (at.path == "" || at.path == doc.CommitFile || at.path == doc.LogFile)
}

// value returns what takes the place of a hole: files by their paths below it. All commits with the same hole get the same, so that
// nothing seems to change between them: a merge would take that for a change of one side. before is the tree of the commit
// that precedes c, the first of them. A metadata.yaml says of its branch what c says.
//
//  1. A commit that follows and that changes another topic or none, by its subject or its trailers, has this one as it was.
//  2. A topic that one of them changes was as it is in before.
//  3. If only one branch goes on from there, it was as in the next commit, so that the records of removals agree with it.
//  4. Else it was as in the next commit if the others agree with that, or as in before.
//  5. What one of the commits with the hole removed, by its record, is not there.
func (h *Holes) value(ctx context.Context, c *git.Commit, at hole, before git.ID) (map[string]git.ID, error) {
	if files, known := h.values[at]; known {
		return files, nil
	}
	v := values{h: h, at: at, gone: map[string]bool{}}
	for _, id := range h.order {
		if slices.Contains(h.holes[id], at) {
			for _, name := range h.commits[id].Trailers(store.TrailerRemoves) {
				v.gone[name] = true
			}
		}
	}
	var err error
	if v.before, err = h.below(ctx, before, at.path); err != nil {
		return nil, err
	}
	h.readExits()
	for _, id := range h.exits[at] {
		if err := v.add(ctx, id); err != nil {
			return nil, err
		}
	}
	files, err := v.choose(ctx)
	if name := strings.TrimPrefix(doc.MetadataFile, at.path); err == nil && files[name] != "" && store.BranchOf(c) != "" {
		if h.docs[c.ID] != "" && h.made[c.ID] {
			files[name], err = v.counted(ctx, c, files[name])
		}
		if err == nil {
			files[name], err = v.metadata(ctx, c, files[name])
		}
	}
	if err == nil {
		h.values[at] = files
	}
	return files, err
}

// values are what may take the place of a hole.
type values struct {
	h      *Holes
	at     hole
	before map[string]git.ID
	exits  []exit
	gone   map[string]bool // what the commits with the hole removed, as records name it
}

// exit is a commit that has something else in the place of a hole than its first parent.
type exit struct {
	*git.Commit
	files map[string]git.ID
	next  bool // it is the first one that goes on with the branch
}

// topic returns the file of the topic that a commit changes, by its subject; "" if it says none.
func (c exit) topic() string {
	for _, subject := range []string{store.SubjectRemember, store.SubjectForget, store.SubjectPin, store.SubjectUnpin, store.SubjectConfirm} {
		if key, ok := strings.CutPrefix(c.Subject(), subject); ok && len(c.Parents) == 1 {
			return doc.TopicPath(key)
		}
	}
	return ""
}

// keeps reports whether a commit has a topic, or metadata.yaml, as its parent has it: it is one that changes another one, or none.
func (c exit) keeps(path string) bool {
	if len(c.Parents) != 1 || slices.Contains(c.Trailers(store.TrailerRemoves), path) {
		return false
	}
	topic, subject := c.topic(), c.Subject()
	changesTopic := topic != "" || isBirth(c.Commit)
	if path == doc.MetadataFile { // a COMMIT may find new facts
		return changesTopic
	}
	changesOther := changesTopic || c.Trailer(store.TrailerID) != "" ||
		strings.HasPrefix(subject, store.SubjectSet) || strings.HasPrefix(subject, store.SubjectUnset)
	return changesOther && path != topic && strings.HasPrefix(path, doc.TopicDir+"/")
}

// readExits finds the commits that have something else in the place of a hole than their first parent, which has the hole.
func (h *Holes) readExits() {
	if h.exits != nil {
		return
	}
	h.exits = map[hole][]git.ID{}
	for _, id := range h.order {
		parents := h.resolved(id, nil)
		// Hidden history gives nothing to other commits.
		if len(parents) == 0 || h.hidden[id] && !h.hidden[parents[0]] {
			continue
		}
		for _, at := range h.holes[parents[0]] {
			if !h.covers(id, at.path) {
				h.exits[at] = append(h.exits[at], id)
			}
		}
	}
}

// add adds what a commit has in the place of the hole.
func (v *values) add(ctx context.Context, id git.ID) error {
	h := v.h
	files, err := h.below(ctx, h.commits[id].Tree, v.at.path)
	if err != nil {
		return err
	}
	c := h.commits[id]
	next := h.isNext(c, h.commits[h.resolved(id, nil)[0]]) && !slices.ContainsFunc(v.exits, func(c exit) bool { return c.next })
	v.exits = append(v.exits, exit{c, files, next})
	return nil
}

func (v *values) choose(ctx context.Context) (map[string]git.ID, error) {
	paths := maps.Clone(v.before)
	for _, c := range v.exits {
		maps.Copy(paths, c.files)
	}
	files := map[string]git.ID{}
	for path := range paths {
		full := strings.Trim(v.at.path+"/"+path, "/")
		if v.at.path == "" && isDocument(path) || v.gone[full] {
			continue
		}
		id, err := v.of(ctx, path)
		if err != nil {
			return nil, err
		}
		if id != "" {
			files[path] = id
		}
	}
	return files, nil
}

// of chooses one file; "" for none.
func (v *values) of(ctx context.Context, path string) (git.ID, error) {
	full := strings.Trim(v.at.path+"/"+path, "/")
	before := v.before[path]
	for _, c := range v.exits {
		if c.keeps(full) {
			return c.files[path], nil
		}
	}
	i := slices.IndexFunc(v.exits, func(c exit) bool { return c.next })
	if i < 0 || slices.ContainsFunc(v.exits, func(c exit) bool { return c.topic() == full }) {
		return before, nil
	}
	next := v.exits[i].files[path]
	votes := 0 // for next
	for _, c := range v.exits {
		if c.next {
			continue
		}
		later, err := v.h.same(ctx, full, c.files[path], next)
		if err != nil {
			return "", err
		}
		earlier, err := v.h.same(ctx, full, c.files[path], before)
		if err != nil {
			return "", err
		}
		switch {
		case later && !earlier:
			votes++
		case earlier && !later:
			votes--
		}
	}
	if len(v.exits) == 1 || votes > 0 {
		return next, nil
	}
	return before, nil
}

// same reports whether two files of one path, "" for none, say the same: metadata.yaml, apart from what every commit changes and
// what belongs to one branch. One that cannot be parsed equals no other.
func (h *Holes) same(ctx context.Context, path string, a, b git.ID) (bool, error) {
	if a == b || a == "" || b == "" || path != doc.MetadataFile {
		return a == b, nil
	}
	var meta [2]*doc.Metadata
	for i, id := range []git.ID{a, b} {
		data, err := h.s.Repo().Blob(ctx, id)
		if err != nil {
			return false, ignoreLost(err)
		}
		if meta[i], err = doc.ParseMetadata(data); err != nil {
			return false, nil
		}
	}
	n, err := differingKeys(meta[0], meta[1])
	return err == nil && n == 0, nil
}

// covers reports whether a path is in a hole of a commit.
func (h *Holes) covers(id git.ID, path string) bool {
	return slices.ContainsFunc(h.holes[id], func(at hole) bool {
		return at.path == "" || at.path == path || strings.HasPrefix(path, at.path+"/")
	})
}

// isNext reports whether a commit goes on with the branch of its first parent: it does not begin another one there.
func (h *Holes) isNext(c, parent *git.Commit) bool {
	if parent == nil || store.BranchOf(c) == store.BranchOf(parent) {
		return parent != nil
	}
	_, from := store.ParseCreated(c.Trailer(store.TrailerCreated)) // a renamed branch began from another one
	return store.BranchOf(c) != "" && (from == nil || *from != store.BranchOf(parent))
}

// below returns the files of a tree at a path, by the rest of their paths, that are here.
func (h *Holes) below(ctx context.Context, tree git.ID, path string) (map[string]git.ID, error) {
	files := map[string]git.ID{}
	if tree == "" || tree.IsZero() {
		return files, nil
	}
	if path != "" {
		e, ok, err := h.s.Repo().Edit(tree).Entry(ctx, path)
		switch {
		case errors.Is(err, git.ErrNotFound) || err == nil && !ok:
			return files, nil
		case err != nil:
			return nil, err
		case !e.IsTree():
			infos, err := h.s.Repo().Infos(ctx, []git.ID{e.ID})
			if err == nil && infos[0].Type != "" {
				files[""] = e.ID
			}
			return files, err
		}
		tree = e.ID
	}
	left, err := Left(ctx, h.s.Repo(), tree)
	return left.Files, err
}
