package remake

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
	"github.com/git-context/git-context/refs/store"
)

// Holes are commits, trees and files that are lost below tips of our own that are whole, and that nobody else is known
// to have: git does not flush loose objects by default, and disks fail. Nothing above them can be pushed. The tips say
// what the lost ones said, so that history can be made again without them:
//
//   - a commit of which the journal of its branch tells is written again;
//   - the lost first commit of a branch that began from another one is made of what the next one says;
//   - one from which several others come is made of what these agree on, see lostFork;
//   - another lost commit is left out. What follows it has the parent that reflogs tell of, or the newest commit of
//     its branch that nothing leads to and whose entry it has, with those that were merged, or one that a remote has and of which
//     it has everything. What these have and it lacks, the lost one removed: it gets a record of that;
//   - a commit without its commit.md or log.md gets those of the next one of the branch, without the entries that are newer;
//     for other files see [Holes.value]. Its message stays;
//   - the last commit of a branch without these two is left out, unless a ref names it, whose repair is another one.
//
// The history that requests keep is made again, too, see [expunge.Request].
type Holes struct {
	Refs     []git.Ref          // that lead to a hole, or name a commit above one: the roadmap first, then branches, tags and deleted branches
	Notes    *git.Ref           // nil if they lead to none
	Objects  map[git.ID]bool    // that are lost
	Requests []*expunge.Request // that keep hidden history with a hole
	Gone     []git.Ref          // of requests: they name a lost commit that is in no journal, and are left out

	s        *store.Store
	own      []git.Ref // the roadmap first, the notes last
	requests []*expunge.Request
	kept     []git.Ref                  // of requests
	theirs   []git.ID                   // the commits of tracking refs
	commits  map[git.ID]*git.Commit     // that are here or that journals tell of
	told     map[git.ID]*git.Commit     // that journals tell of; nil: not read yet
	before   map[git.ID]before          // by commit; nil: not read yet
	insteads map[git.ID][]git.ID        // of lost commits: what takes their place as a parent
	shared   map[git.ID]bool            // commits that a remote has
	edge     map[git.ID]bool            // of a shallow clone
	closed   map[git.ID]bool            // commits whose parents are in order
	hidden   map[git.ID]bool            // commits that only requests lead to
	led      map[git.ID]git.ID          // by what the walk came to a commit from
	children map[git.ID][]*git.Commit   // that are here, by parent; nil: not read yet
	loose    []*git.Commit              // that nothing leads to; nil: not looked for
	order    []git.ID                   // parents first
	roadmaps int                        // how many of order are of the roadmap: the first ones
	holes    map[git.ID][]hole          // by commit
	values   map[hole]map[string]git.ID // what takes their place
	exits    map[hole][]git.ID          // see readExits; nil: not read yet
	empty    map[git.ID][]byte          // the log.md of branches without steps
	docs     map[git.ID]git.ID          // the trees of which commits get their documents
	cuts     map[git.ID][]cut           // how these documents differ from those
	made     map[git.ID]bool            // commits that get the documents of their parents and messages
	tx       *store.Transaction         // that moves the refs
	given    map[git.ID]bool            // commits that stay as they are: no later one has their documents
	again    map[git.ID]bool            // commits that are made again
	trees    map[git.ID]git.ID          // what those got
}

// FindHoles looks for holes below all refs of our own. It returns nil if there are none, and if a command other than
// this repair can bring the lost objects back: a remote has them, or they are borrowed from another repository, or only
// tips have lost them. What a remote has promised is not lost.
func FindHoles(ctx context.Context, s *store.Store) (*Holes, error) {
	if elsewhere, err := mayBeElsewhere(ctx, s); elsewhere || err != nil {
		return nil, err
	}
	h, err := findHoles(ctx, s, true)
	if h == nil || err != nil {
		return nil, err
	}
	if err := h.fill(ctx); err != nil {
		return nil, err
	}
	if shared, err := h.isShared(ctx); shared || err != nil {
		return nil, err
	}
	h.follow()
	h.list()
	if h.Notes == nil && len(h.Refs)+len(h.Requests) == 0 { // only tips are lost
		return nil, nil
	}
	return h, nil
}

// findHoles finds what is lost; nil for nothing. With apart, it leaves out what remotes have, and returns nil where that has holes.
func findHoles(ctx context.Context, s *store.Store, apart bool) (*Holes, error) {
	v, err := expunge.ListRefs(ctx, s)
	if err != nil {
		return nil, err
	}
	h := &Holes{s: s, Objects: map[git.ID]bool{}, commits: map[git.ID]*git.Commit{}, insteads: map[git.ID][]git.ID{},
		closed: map[git.ID]bool{}, hidden: map[git.ID]bool{}, led: map[git.ID]git.ID{}, holes: map[git.ID][]hole{}, values: map[hole]map[string]git.ID{},
		empty: map[git.ID][]byte{}, docs: map[git.ID]git.ID{}, cuts: map[git.ID][]cut{}, made: map[git.ID]bool{}, given: map[git.ID]bool{}, again: map[git.ID]bool{}, trees: map[git.ID]git.ID{}}
	if h.edge, err = s.Repo().Shallow(); err != nil {
		return nil, err
	}
	if !apart {
		h.shared = map[git.ID]bool{}
	} else if whole, err := h.readTheirs(ctx, v); !whole || err != nil {
		return nil, err
	}
	h.own = v.Own()
	slices.SortStableFunc(h.own, func(a, b git.Ref) int { return rank(a) - rank(b) }) // branches name commits of the roadmap
	if v.Notes != "" {
		h.own = append(h.own, git.Ref{Name: git.NotesRef, ID: v.Notes})
	}
	if h.requests, err = expunge.ReadableRequests(ctx, s); err != nil {
		return nil, err
	}
	for _, r := range h.requests {
		h.kept = append(h.kept, r.Memory()...)
	}
	slices.SortStableFunc(h.kept, func(a, b git.Ref) int { return rank(a) - rank(b) })
	for _, r := range h.own {
		if err := h.walk(ctx, r); err != nil {
			return nil, err
		}
		if r.Name == git.RoadmapRef {
			h.roadmaps = len(h.order)
		}
	}
	if err := h.walkKept(ctx); err != nil {
		return nil, err
	}
	if err := h.readHollow(ctx); err != nil || len(h.Objects) == 0 {
		return nil, err
	}
	return h, nil
}

// Paths returns what lost files and folders are called, "" for the tree of a commit.
func (h *Holes) Paths() map[git.ID]string {
	paths := map[git.ID]string{}
	for _, holes := range h.holes {
		for _, at := range holes {
			paths[at.id] = max(paths[at.id], at.path)
		}
	}
	return paths
}

// list lists what is to be made again.
func (h *Holes) list() {
	for _, r := range h.own {
		switch {
		case !h.again[r.ID]:
		case r.Name == git.NotesRef:
			h.Notes = &r
		default:
			h.Refs = append(h.Refs, r)
		}
	}
	for _, r := range h.requests {
		isGone := func(r git.Ref) bool { return h.Objects[r.ID] && h.commits[r.ID] == nil }
		again := func(r git.Ref) bool { return h.again[r.ID] }
		if gone := slices.DeleteFunc(r.Memory(), func(r git.Ref) bool { return !isGone(r) }); len(gone) > 0 || slices.ContainsFunc(r.Memory(), again) {
			h.Requests, h.Gone = append(h.Requests, r), append(h.Gone, gone...)
		}
	}
}

func rank(r git.Ref) int {
	if r.Name == git.RoadmapRef {
		return 0
	}
	return 1
}

// walkKept lists the commits that only requests keep.
func (h *Holes) walkKept(ctx context.Context) error {
	from := len(h.order)
	for _, kept := range h.kept {
		if err := h.walk(ctx, kept); err != nil {
			return err
		}
	}
	for _, id := range h.order[from:] {
		h.hidden[id] = true
	}
	return nil
}

// mayBeElsewhere reports whether another repository that this one borrows from may have what is not here.
func mayBeElsewhere(ctx context.Context, s *store.Store) (bool, error) {
	dirs, lost, err := s.Repo().Alternates(ctx)
	return err != nil || len(dirs) > 0 || lost != "", err
}

// theirTips returns the commits of tracking refs, without those of remotes that no longer exist.
func (h *Holes) theirTips(ctx context.Context, tracking []git.Ref) ([]git.ID, error) {
	names, err := h.s.Repo().Remotes(ctx)
	if err != nil {
		return nil, err
	}
	return expunge.UniqueIDs(slices.DeleteFunc(tracking, func(r git.Ref) bool {
		has := func(name string) bool { return git.RemoteTracking(name).Has(r.Name) }
		of := strings.HasPrefix(r.Name, git.RemotePrefix) || strings.HasPrefix(r.Name, git.RemoteNotesPrefix)
		return of && !slices.ContainsFunc(names, has)
	})), nil
}

// readTheirs reads what remotes have; false if that has holes itself.
func (h *Holes) readTheirs(ctx context.Context, v *expunge.Refs) (whole bool, err error) {
	if h.theirs, err = h.theirTips(ctx, slices.Concat(v.Tracking(), v.TrackingNotes)); err != nil {
		return false, err
	}
	return h.readShared(ctx)
}

// readShared reads what tracking refs lead to; false if that has holes itself.
func (h *Holes) readShared(ctx context.Context) (whole bool, err error) {
	h.shared = map[git.ID]bool{}
	if len(h.theirs) == 0 {
		return true, nil
	}
	list, err := h.s.Repo().History(ctx, h.theirs)
	if git.ExitCode(err) > 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, n := range list {
		h.shared[n.ID] = true
	}
	for _, n := range list {
		if slices.ContainsFunc(n.Parents, func(p git.ID) bool { return !h.shared[p] }) {
			return false, nil
		}
	}
	return true, nil
}

// walk lists the commits that a ref leads to and no remote has, parents first.
func (h *Holes) walk(ctx context.Context, r git.Ref) error {
	stack := []git.ID{r.ID}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		switch opened := h.commits[id] != nil || h.Objects[id]; {
		case h.shared[id] || h.closed[id]:
			stack = stack[:len(stack)-1]
			continue
		case opened:
			stack = stack[:len(stack)-1]
			h.closed[id] = true
			if h.commits[id] != nil {
				h.order = append(h.order, id)
			}
			continue
		}
		if err := h.open(ctx, id, r); err != nil {
			return err
		}
		for _, p := range h.parents(id) {
			if h.commits[p] == nil && !h.Objects[p] {
				h.led[p] = id
				stack = append(stack, p)
			}
		}
	}
	return nil
}

// open reads a commit, from a journal if it is lost.
func (h *Holes) open(ctx context.Context, id git.ID, r git.Ref) error {
	c, err := h.s.Repo().Commit(ctx, id)
	if errors.Is(err, git.ErrNotFound) {
		h.Objects[id] = true
		if c, err = h.tell(ctx, id); c == nil && err == nil {
			var list []git.ID
			switch list, err = h.instead(ctx, id, r); {
			case err != nil:
			case len(list) == 0:
				c, err = h.lostBirth(ctx, id)
			default:
				c, err = h.lostFork(ctx, id, list)
			}
			if c == nil {
				h.insteads[id] = list
				return err
			}
		}
	}
	h.commits[id] = c
	return err
}

// parents returns the parents of a commit as history has them.
func (h *Holes) parents(id git.ID) []git.ID {
	switch c := h.commits[id]; {
	case h.edge[id]:
		return nil
	case c == nil:
		return h.insteads[id]
	default:
		return c.Parents
	}
}

// tell returns a lost commit of which a journal tells; nil for none.
func (h *Holes) tell(ctx context.Context, id git.ID) (*git.Commit, error) {
	if h.told == nil {
		h.told = map[git.ID]*git.Commit{}
		names, err := h.s.BranchNames(ctx)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			content, err := journal.Read(h.s.JournalPath(name))
			if errors.Is(err, journal.ErrMissing) || errors.Is(err, git.ErrBroken) {
				continue
			}
			if err != nil {
				return nil, err
			}
			maps.Copy(h.told, store.ToldCommits(content))
		}
	}
	return h.told[id], nil
}

// before is what a ref named before a commit, by its reflog.
type before struct {
	id   git.ID
	step bool // the commit was made on that; else the ref may have moved by several
}

// stepReasons are how the reasons of moves by one commit begin.
var stepReasons = []string{"context commit: ", "context change: ", "context roadmap: "}

// readBefore reads the reflogs.
func (h *Holes) readBefore(ctx context.Context) error {
	if h.before != nil {
		return nil
	}
	h.before = map[git.ID]before{}
	for _, ref := range h.own {
		moves, err := h.s.Repo().Moves(ctx, ref.Name)
		if err != nil {
			return err
		}
		line, err := Line(ctx, h.s.Repo(), moves, func(id git.ID) *git.Commit { return h.told[id] })
		if err != nil {
			return err
		}
		step := map[git.ID]bool{}
		for _, m := range moves {
			step[m.New] = slices.ContainsFunc(stepReasons, func(s string) bool { return strings.HasPrefix(m.Reason, s) })
		}
		for i := 1; i < len(line); i++ {
			if _, known := h.before[line[i]]; !known {
				h.before[line[i]] = before{line[i-1], step[line[i]]}
			}
		}
	}
	return nil
}

// instead returns what takes the place of a lost commit of a ref: what the ref named before it, by the reflog; else commits that
// nothing leads to, or the one of its branch that is most like a branch that began there, or one that a remote has.
func (h *Holes) instead(ctx context.Context, id git.ID, r git.Ref) ([]git.ID, error) {
	if err := h.readBefore(ctx); err != nil {
		return nil, err
	}
	was := h.before[id]
	if was.step {
		return []git.ID{was.id}, nil
	}
	list, err := h.unreached(ctx, id, r, was.id)
	if len(list) > 0 || err != nil {
		return list, err
	}
	if was.id != "" {
		return []git.ID{was.id}, nil
	}
	found, err := h.bornFrom(ctx, id)
	if found == "" && err == nil {
		found, err = h.fetched(ctx, id, r)
	}
	if found == "" || err != nil {
		return nil, err
	}
	return []git.ID{found}, nil
}

// readHollow finds the commits of which trees or files are lost.
func (h *Holes) readHollow(ctx context.Context) error {
	var here, trees []git.ID
	for _, id := range h.order {
		if h.Objects[id] {
			trees = append(trees, h.commits[id].Tree)
		} else {
			here = append(here, id)
		}
	}
	infos, err := h.s.Repo().Infos(ctx, trees)
	if err != nil {
		return err
	}
	for _, id := range h.order {
		if !h.Objects[id] {
			continue
		}
		switch tree := infos[0]; {
		case tree.Type != "":
			here = append(here, tree.ID)
		case tree.ID.IsZero(): // see lostBirth and lostFork
			h.holes[id] = []hole{{id: id}}
		default:
			h.Objects[tree.ID] = true
		}
		infos = infos[1:]
	}
	lost, err := h.s.Repo().Hollow(ctx, here)
	if err != nil || len(lost)+len(h.Objects) == 0 {
		return err
	}
	maps.Copy(h.Objects, lost)
	known := map[git.ID][]hole{}
	for _, id := range h.order {
		if h.holes[id] != nil {
			continue
		}
		if h.holes[id], err = h.holesOf(ctx, h.commits[id].Tree, known); err != nil {
			return err
		}
		empty := doc.EmptyLog(store.BranchOf(h.commits[id]))
		if at := (hole{doc.LogFile, h.s.Repo().BlobID(empty)}); slices.Contains(h.holes[id], at) {
			h.empty[at.id], h.values[at] = empty, map[string]git.ID{"": at.id}
		}
	}
	return nil
}

// holesOf lists what is lost of a tree. It looks at each tree once.
func (h *Holes) holesOf(ctx context.Context, tree git.ID, known map[git.ID][]hole) ([]hole, error) {
	if h.Objects[tree] {
		return []hole{{id: tree}}, nil
	}
	if holes, looked := known[tree]; looked {
		return holes, nil
	}
	list, err := h.s.Repo().Tree(ctx, tree)
	if errors.Is(err, git.ErrNotFetched) {
		known[tree] = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var holes []hole
	for _, e := range list {
		if !e.IsTree() {
			if h.Objects[e.ID] {
				holes = append(holes, hole{e.Name, e.ID})
			}
			continue
		}
		below, err := h.holesOf(ctx, e.ID, known)
		if err != nil {
			return nil, err
		}
		for _, at := range below {
			holes = append(holes, hole{strings.TrimSuffix(e.Name+"/"+at.path, "/"), at.id})
		}
	}
	known[tree] = holes
	return holes, nil
}
