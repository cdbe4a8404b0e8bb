package expunge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// RoadmapsName is the file of local state with a line "OLD NEW" for each commit of the roadmap that an expunge replaced. Commits of
// branches name commits of the roadmap. Another clone may still push ones that name an old one, which is not here any more: these
// must be rewritten as ours were, or the two have nothing in common since, and what we have removed since comes back with theirs.
const RoadmapsName = "roadmaps"

// ReplacedRoadmaps reads what commits of the roadmap were replaced by. fail.ErrInvalid: the file cannot be read.
func ReplacedRoadmaps(s *store.Store) (map[git.ID]git.ID, error) {
	path := s.StatePath(RoadmapsName)
	data, err := git.ReadStateFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	list := map[git.ID]git.ID{}
	for line := range bytes.Lines(data) {
		old, now, ok := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		if !ok || !s.Repo().IsID(string(old)) || !s.Repo().IsID(string(now)) {
			return nil, fail.New(fail.ErrInvalid, fail.ExpungeIntent, fmt.Sprintf("'%s', the list of replaced commits of the roadmap, cannot be read: '%s'",
				path, prose.OneLine(string(line), 100)), "rm "+prose.ShellQuoted(path))
		}
		list[git.ID(old)] = git.ID(now)
	}
	return list, nil
}

// mostRoadmaps is how many lines the file may have with those that are learnt from others. What others can make up must not
// keep out what is learnt later, so that some of the lines before it go, whichever: they are needed where a clone still pushes
// what they replace.
const mostRoadmaps = 5_000

// FollowRoadmaps is Follow for tombstones in force, after others have replaced commits of the roadmap that were never here: it writes down by
// what, where nothing is known of that yet, and rewrites our refs as they have. The commits that this replaces contain nothing that is
// expunged, and so get no tombstones: else each clone would add some. It reports whether refs have moved. Where a process is killed before, the
// next one that learns the same goes on.
func (op *Operation) FollowRoadmaps(ctx context.Context, learnt map[git.ID]git.ID) (moved bool, err error) {
	lock, err := op.Store.Repo().Lock(ctx, LockName)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	list, err := ReplacedRoadmaps(op.Store)
	if err != nil {
		return false, err
	}
	fresh := map[git.ID]git.ID{}
	for _, old := range slices.Sorted(maps.Keys(learnt)) {
		if now := learnt[old]; list[old] == "" && list[now] == "" && fresh[now] == "" && len(fresh) < mostRoadmaps { // no circle
			fresh[old] = now
		}
	}
	if len(fresh) > 0 {
		before := slices.Sorted(maps.Keys(list))
		for _, old := range before[:min(len(before), max(0, len(before)+len(fresh)-mostRoadmaps))] {
			delete(list, old)
		}
		maps.Copy(list, fresh)
		if err := writeRoadmaps(op.Store, list); err != nil {
			return false, err
		}
	}
	fault.Point("expunge-roadmaps")
	op.unlisted = true
	err = op.runLocked(ctx, doc.Expunged{})
	return op.moved, err
}

func (w *Rewriter) readRoadmaps() (_ map[git.ID]git.ID, err error) {
	if w.replacedRoadmaps == nil {
		w.replacedRoadmaps, err = ReplacedRoadmaps(w.s)
	}
	return w.replacedRoadmaps, err
}

// keepRoadmaps writes down what the rewritten commits of the roadmap were replaced by, before refs move. The caller holds
// the lock of expunge.
func (w *Rewriter) keepRoadmaps() error {
	list, err := w.readRoadmaps()
	if err != nil {
		return err
	}
	changed := false
	for _, old := range w.ofRoadmap {
		if now := w.commits[old]; now != "" && now != old && list[old] != now {
			list[old], changed = now, true
		}
	}
	if !changed {
		return nil
	}
	return writeRoadmaps(w.s, list)
}

func writeRoadmaps(s *store.Store, list map[git.ID]git.ID) error {
	var b bytes.Buffer
	for _, old := range slices.Sorted(maps.Keys(list)) {
		fmt.Fprintf(&b, "%s %s\n", old, list[old])
	}
	return s.Repo().WriteStateFile(RoadmapsName, b.Bytes())
}

// roadmaps first rewrites the commits of the roadmap that memory commits name; a branch may
// name one that no ref leads to.
func (w *Rewriter) roadmaps(ctx context.Context, list []git.NewCommit) error {
	named, err := w.namedRoadmaps(ctx, list)
	if err != nil {
		return err
	}
	here, gone, err := w.here(ctx, named)
	if err != nil {
		return err
	}
	if len(gone) == 0 { // a clone without the roadmap has none of them
		return w.roadmapHistory(ctx, here)
	}
	replaced, err := w.readRoadmaps()
	if err != nil {
		return err
	}
	now := map[git.ID]git.ID{}
	for _, id := range gone {
		last := id
		for range len(replaced) { // an expunge may have followed
			if replaced[last] == "" {
				break
			}
			last = replaced[last]
		}
		if last != id {
			now[id] = last
		}
	}
	more, _, err := w.here(ctx, slices.Sorted(maps.Values(now)))
	if err != nil {
		return err
	}
	if err := w.roadmapHistory(ctx, append(here, more...)); err != nil {
		return err
	}
	for old, id := range now {
		if w.commits[old] = id; w.commits[id] != "" {
			w.commits[old] = w.commits[id]
		}
	}
	return nil
}

// namedRoadmaps returns the commits of the roadmap that commits name and that are not rewritten yet.
func (w *Rewriter) namedRoadmaps(ctx context.Context, list []git.NewCommit) ([]git.ID, error) {
	ids := make([]git.ID, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	named, err := roadmapsOf(ctx, w.s, ids)
	return slices.DeleteFunc(named, func(id git.ID) bool { return w.commits[id] != "" }), err
}

// roadmapsOf returns the commits of the roadmap that commits name, sorted.
func roadmapsOf(ctx context.Context, s *store.Store, of []git.ID) ([]git.ID, error) {
	named := map[git.ID]bool{}
	for chunk := range slices.Chunk(of, incoming.ChunkSize) {
		err := s.Repo().ReadAll(ctx, chunk, func(o git.Object) error {
			c, err := git.ParseCommit(o.ID, o.Data)
			if err != nil {
				return err
			}
			if id, _ := store.ParseRoadmap(c.Trailer(store.TrailerRoadmap)); git.IsID(string(id)) {
				named[id] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(named)), nil
}

// here divides commits into those that are here and others.
func (w *Rewriter) here(ctx context.Context, ids []git.ID) (here, gone []git.ID, err error) {
	infos, err := w.s.Repo().InfosHere(ctx, ids)
	for _, info := range infos {
		switch info.Type {
		case "commit":
			here = append(here, info.ID)
		case "":
			gone = append(gone, info.ID)
		}
	}
	return here, gone, err
}

// roadmapHistory rewrites commits of the roadmap with their history.
func (w *Rewriter) roadmapHistory(ctx context.Context, tips []git.ID) error {
	history, err := w.s.Repo().History(ctx, tips)
	if err != nil {
		return err
	}
	for _, c := range history {
		if err := w.commit(ctx, c.ID); err != nil {
			return err
		}
		w.ofRoadmap = append(w.ofRoadmap, c.ID)
	}
	return nil
}
