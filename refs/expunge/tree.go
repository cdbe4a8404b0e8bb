package expunge

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// dirKey is a tree or a blob at a path.
type dirKey struct {
	path string // of a blob: that of its kind
	id   git.ID
}

// dirChange is a folder without what was expunged.
type dirChange struct {
	id      git.ID // "" where nothing is left
	removed removals
	files   []fileChange // of a folder of segments: what changes below it
}

// fileChange is a segment that changes.
type fileChange struct {
	old, now string // its path; now is "" where nothing is left
	blob     git.ID
}

// removals counts the removed entries by origin.
type removals struct{ steps, commits map[string]int }

func (r *removals) add(o removals) {
	for _, m := range []struct {
		to   *map[string]int
		from map[string]int
	}{{&r.steps, o.steps}, {&r.commits, o.commits}} {
		for origin, n := range m.from {
			if *m.to == nil {
				*m.to = map[string]int{}
			}
			(*m.to)[origin] += n
		}
	}
}

func (r removals) none() bool { return len(r.steps) == 0 && len(r.commits) == 0 }

// rootChange is the tree of a commit without what was expunged.
type rootChange struct {
	id          git.ID
	commitCount int // in its totals; -1 where they are as they were
	commitFile  git.ID
}

// root rewrites the tree of a commit of a branch or of the roadmap. It keeps unknown files and
// the tombstones.
func (w *Rewriter) root(ctx context.Context, tree git.ID) (rootChange, error) {
	if done, ok := w.roots[tree]; ok {
		return done, nil
	}
	list, err := w.s.Repo().Tree(ctx, tree)
	if err != nil {
		return rootChange{}, err
	}
	var gone removals
	meta := -1
	var now []git.TreeEntry
	done := rootChange{id: tree, commitCount: -1}
	for _, e := range list {
		switch {
		case e.IsTree():
			d, err := w.dir(ctx, e.Name, e.ID)
			if err != nil {
				return done, err
			}
			e.ID = d.id
			gone.add(d.removed)
		case e.Name == doc.MetadataFile:
			meta = len(now) // last: it counts what went
		case doc.KindOf(e.Name) != doc.FileUnknown || e.Name == doc.RoadmapFile:
			b, err := w.blob(ctx, e.Name, e.ID)
			if err != nil {
				return done, err
			}
			e.ID = b.id
			gone.add(b.removed)
		}
		if e.Name == doc.CommitFile {
			done.commitFile = e.ID
		}
		if e.ID != "" {
			now = append(now, e)
		}
	}
	if meta >= 0 {
		if now[meta].ID, done.commitCount, err = w.metadata(ctx, now[meta].ID, gone); err != nil {
			return done, err
		}
	}
	if !slices.Equal(list, now) {
		if done.id, err = w.s.Repo().WriteTree(ctx, now); err != nil {
			return done, err
		}
	}
	w.roots[tree] = done
	return done, nil
}

// blobChange is a file without what was expunged.
type blobChange struct {
	id      git.ID
	first   string // the id of its first entry
	removed removals
}

// blob redacts a file.
func (w *Rewriter) blob(ctx context.Context, path string, id git.ID) (blobChange, error) {
	key := dirKey{kindPath(path), id}
	if b, ok := w.blobs[key]; ok {
		return b, nil
	}
	data, err := w.s.Repo().Blob(ctx, id)
	if err != nil {
		return blobChange{}, err
	}
	r, err := w.e.Redact(path, data)
	if err != nil {
		return blobChange{}, fmt.Errorf("blob %s: %w", id, err)
	}
	w.sources = append(w.sources, r.Sources...)
	b := blobChange{id: id, first: r.First, removed: removals{r.Steps, r.Commits}}
	if r.Gone {
		b.id = ""
	} else if !bytes.Equal(r.Data, data) {
		if b.id, err = w.s.Repo().WriteBlob(ctx, r.Data); err != nil {
			return b, err
		}
	}
	w.blobs[key] = b
	return b, nil
}

// kindPath returns one path for all files of a kind.
func kindPath(path string) string {
	switch doc.KindOf(path) {
	case doc.FileLog:
		return doc.LogFile
	case doc.FileCommits:
		return doc.CommitFile
	case doc.FileTopic:
		return doc.TopicDir
	case doc.FileArtifact:
		return doc.ArtifactDir
	}
	return path
}

// dir rewrites a folder of the root.
func (w *Rewriter) dir(ctx context.Context, path string, id git.ID) (dirChange, error) {
	d, err := w.below(ctx, path, id)
	if err != nil || path != doc.LogDir && path != doc.CommitDir || len(d.files) == 0 || d.id != id {
		return d, err
	}
	tree := w.s.Repo().Edit(id)
	for _, f := range d.files {
		if err := tree.Remove(ctx, strings.TrimPrefix(f.old, path+"/")); err != nil {
			return d, err
		}
	}
	for _, f := range d.files {
		if f.now == "" {
			continue
		}
		if err := tree.Put(ctx, strings.TrimPrefix(f.now, path+"/"), f.blob); err != nil {
			return d, err
		}
	}
	left, err := tree.List(ctx, "")
	if err != nil {
		return d, err
	}
	if d.id = ""; len(left) > 0 {
		if d.id, err = tree.Write(ctx); err != nil {
			return d, err
		}
	}
	w.dirs[dirKey{path, id}] = d
	return d, nil
}

// below finds what changes in a folder: the tree of a folder of topics, but the files of a
// folder of segments, since a renamed segment belongs into another folder.
func (w *Rewriter) below(ctx context.Context, path string, id git.ID) (dirChange, error) {
	if d, ok := w.dirs[dirKey{path, id}]; ok {
		return d, nil
	}
	list, err := w.s.Repo().Tree(ctx, id)
	if err != nil {
		return dirChange{}, err
	}
	d := dirChange{id: id}
	now := slices.Clone(list)
	for i, e := range list {
		at := path + "/" + e.Name
		switch {
		case e.IsTree():
			sub, err := w.below(ctx, at, e.ID)
			if err != nil {
				return d, err
			}
			d.removed.add(sub.removed)
			d.files = append(d.files, sub.files...)
			now[i].ID = sub.id
		case doc.KindOf(at) == doc.FileTopic, doc.KindOf(at) == doc.FileArtifact:
			b, err := w.blob(ctx, at, e.ID)
			if err != nil {
				return d, err
			}
			now[i].ID = b.id
		case doc.KindOf(at) != doc.FileUnknown:
			if err := w.segment(ctx, &d, at, e.ID); err != nil {
				return d, err
			}
		}
	}
	now = slices.DeleteFunc(now, func(e git.TreeEntry) bool { return e.ID == "" })
	if len(now) == 0 {
		d.id = ""
	} else if !slices.Equal(list, now) {
		if d.id, err = w.s.Repo().WriteTree(ctx, now); err != nil {
			return d, err
		}
	}
	w.dirs[dirKey{path, id}] = d
	return d, nil
}

// segment adds a segment to the changes of its folder.
func (w *Rewriter) segment(ctx context.Context, d *dirChange, path string, id git.ID) error {
	b, err := w.blob(ctx, path, id)
	if err != nil || b.id == id {
		return err
	}
	d.removed.add(b.removed)
	f := fileChange{old: path, blob: b.id}
	if b.first != "" {
		dir, _, _ := strings.Cut(path, "/")
		f.now = doc.SegmentPath(dir, b.first)
	}
	d.files = append(d.files, f)
	return nil
}

// metadata redacts metadata.yaml and recounts. It returns the number of commits, -1 if no entry
// was removed.
func (w *Rewriter) metadata(ctx context.Context, id git.ID, gone removals) (git.ID, int, error) {
	b, err := w.blob(ctx, doc.MetadataFile, id)
	if err != nil || gone.none() {
		return b.id, -1, err
	}
	data, err := w.s.Repo().Blob(ctx, b.id)
	if err != nil {
		return "", 0, err
	}
	m, err := doc.ParseMetadata(data)
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w", doc.MetadataFile, err)
	}
	t := subtract(m.Totals(), gone)
	if err := m.SetTotals(t); err != nil {
		return "", 0, err
	}
	if data, err = m.Bytes(); err != nil {
		return "", 0, err
	}
	id, err = w.s.Repo().WriteBlob(ctx, data)
	return id, t.Commits, err
}

// subtract removes what went from a branch's totals. An origin with nothing left stays known,
// and no count falls below zero.
func subtract(t doc.Totals, gone removals) doc.Totals {
	t.Origins = maps.Clone(t.Origins)
	take := func(of map[string]int, all *int, part func(*doc.OriginTotals) *int) {
		for origin, n := range of {
			*all = max(*all-n, 0)
			if _, told := t.Origins[origin]; !told {
				origin = doc.OtherOrigins
			}
			if o, ok := t.Origins[origin]; ok {
				p := part(&o)
				*p = max(*p-n, 0)
				t.Origins[origin] = o
			}
		}
	}
	take(gone.steps, &t.Steps, func(o *doc.OriginTotals) *int { return &o.Steps })
	take(gone.commits, &t.Commits, func(o *doc.OriginTotals) *int { return &o.Commits })
	return t
}
