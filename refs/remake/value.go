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

// value returns what takes the place of a hole of a commit: files by their paths below it. All commits with the same hole get the
// same, so that nothing seems to change between them: a merge would take that for a change of one side. The first of these
// commits, c, decides, by the first of its parents, before.
//
// What the next commits have there tells of a topic that they did not change, by their subjects. Else, where only one line of commits
// goes on, what is there next was there, so that the records of removals agree with it; where other lines went on from there, too, what
// was before, unless they agree with what is next.
func (h *Holes) value(ctx context.Context, at hole, before git.ID) (map[string]git.ID, error) {
	if files, known := h.values[at]; known {
		return files, nil
	}
	v := values{h: h, at: at}
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
	next   map[string]git.ID   // of the same branch; nil: no commit tells
	others []map[string]git.ID // of other branches that began there
	exits  []exit
}

// exit is a commit that has something else in the place of a hole than its parent.
type exit struct {
	*git.Commit
	files map[string]git.ID
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

// keeps reports whether a commit has a topic as its parent has it: it is one that changes another one.
func (c exit) keeps(path string) bool {
	topic := c.topic()
	return topic != "" && path != topic && strings.HasPrefix(path, doc.TopicDir+"/")
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
	v.exits = append(v.exits, exit{h.commits[id], files})
	switch {
	case !h.isNext(h.commits[id], h.commits[h.resolved(id, nil)[0]]):
		v.others = append(v.others, files)
	case v.next == nil:
		v.next = files
	default:
		v.others = append(v.others, files)
	}
	return nil
}

func (v *values) choose(ctx context.Context) (map[string]git.ID, error) {
	paths := maps.Clone(v.before)
	for _, c := range v.exits {
		maps.Copy(paths, c.files)
	}
	files := map[string]git.ID{}
	for path := range paths {
		if v.at.path == "" && isDocument(path) {
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
	for _, c := range v.exits {
		if c.keeps(full) {
			return c.files[path], nil
		}
	}
	if slices.ContainsFunc(v.exits, func(c exit) bool { return c.topic() == full }) { // what it says is new
		return v.before[path], nil
	}
	if v.next == nil {
		return v.before[path], nil
	}
	later := 0 // how many more of the others agree with what is next
	for _, files := range v.others {
		is, err := v.h.same(ctx, files[path], v.next[path])
		if err != nil {
			return "", err
		}
		was, err := v.h.same(ctx, files[path], v.before[path])
		if err != nil {
			return "", err
		}
		if is {
			later++
		}
		if was {
			later--
		}
	}
	if len(v.others) == 0 || later > 0 {
		return v.next[path], nil
	}
	return v.before[path], nil
}

// same reports whether two files, "" for none, say the same: of metadata, apart from what every commit changes and what
// belongs to one branch.
func (h *Holes) same(ctx context.Context, a, b git.ID) (bool, error) {
	if a == b || a == "" || b == "" {
		return a == b, nil
	}
	var meta [2]*doc.Metadata
	for i, id := range []git.ID{a, b} {
		data, err := h.s.Repo().Blob(ctx, id)
		if err != nil {
			return false, ignoreLost(err)
		}
		if meta[i], err = doc.ParseMetadata(data); err != nil {
			return false, nil // no metadata
		}
	}
	n, err := differingKeys(meta[0], meta[1])
	return n == 0 && err == nil, nil
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
