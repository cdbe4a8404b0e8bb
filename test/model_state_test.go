//go:build unix

package test

import (
	"cmp"
	"maps"
	"slices"
)

// The model is GCC without git: a graph of immutable commits in memory, and names for
// some of them. It is told what the real side calls things (ids), and foretells all else.

// modelStep is a recorded step. One step is one pointer, wherever it stands.
type modelStep struct{ id, action, origin, source string }

// modelMark is a milestone. Its id is empty until the real side has shown it: some
// commands make a milestone and do not say which.
type modelMark struct{ id, summary, origin string }

// modelFacts are what metadata.yaml says of its branch.
type modelFacts struct {
	purpose, from, status, into string
	created, closed             int64 // seconds; 0: never
}

// modelNode is a memory commit.
type modelNode struct {
	parents []*modelNode
	branch  string     // that it was made on
	mark    *modelMark // nil: no milestone
	steps   map[*modelStep]bool
	marks   map[*modelMark]bool
	topics  map[string]string // the files, to the byte
	keys    map[string]string // of people's metadata, as JSON
	facts   modelFacts
	roadmap *modelRoadmap // as it stood
}

// follow is a commit on top of n in which nothing has changed yet.
func (n *modelNode) follow() *modelNode {
	c := *n
	c.parents, c.mark = []*modelNode{n}, nil
	c.steps, c.marks = maps.Clone(n.steps), maps.Clone(n.marks)
	c.topics, c.keys = maps.Clone(n.topics), maps.Clone(n.keys)
	return &c
}

// modelFact is a line of a note that somebody wrote.
type modelFact struct{ id, kind, value string }

// modelSide is what one repository has, or had when it was last asked.
type modelSide struct {
	heads, tags map[string]*modelNode
	roadmap     *modelRoadmap
	notes       map[*modelMark]map[modelFact]bool
}

func newModelSide() modelSide {
	return modelSide{heads: map[string]*modelNode{}, tags: map[string]*modelNode{}, notes: map[*modelMark]map[modelFact]bool{}}
}

func (s modelSide) clone() modelSide {
	c := modelSide{heads: maps.Clone(s.heads), tags: maps.Clone(s.tags), roadmap: s.roadmap, notes: map[*modelMark]map[modelFact]bool{}}
	for m, facts := range s.notes {
		c.notes[m] = maps.Clone(facts)
	}
	return c
}

// uniteNotes adds the lines of another side.
func (s modelSide) uniteNotes(other modelSide) {
	for m, facts := range other.notes {
		for f := range facts {
			s.note(m, f)
		}
	}
}

func (s modelSide) note(m *modelMark, f modelFact) {
	if s.notes[m] == nil {
		s.notes[m] = map[modelFact]bool{}
	}
	s.notes[m][f] = true
}

// inForce is the value of a kind of fact, or of a tag's key.
func (s modelSide) inForce(m *modelMark, kind string) string {
	var newest modelFact
	for f := range s.notes[m] {
		if f.kind == kind && f.id > newest.id {
			newest = f
		}
	}
	return newest.value
}

// modelSlot is a place in conflict, and what it was settled with.
type modelSlot struct {
	kind         string
	ours, theirs *string // nil: absent
	settled      bool
	text         *string
}

// modelHeld is a merge, or a sync, that waits on a branch.
type modelHeld struct {
	merge *modelMerge          // nil: a sync
	tip   *modelNode           // of the source of a merge
	slots map[string]modelSlot // by path

	// Of a sync: the bundle, "" for the hub, and what that had of the refs in conflict.
	from    string
	heads   map[string]*modelNode
	roadmap *modelRoadmap
}

// modelRepo is a repository, with its worktrees.
type modelRepo struct {
	modelSide
	pending map[string][]*modelStep
	deleted map[string][]*modelNode // the newest last
	held    map[string]*modelHeld   // by target
	current []string                // by worktree
	remote  modelSide               // as it was last asked
	bundle  modelSide               // that was last taken in
	shared  map[string]bool         // branches, and tags as tags/NAME, that both sides had
	asked   *modelAsked             // of an exchange that is under way
}

func (r *modelRepo) clone() *modelRepo {
	c := *r
	c.modelSide, c.remote, c.bundle = r.modelSide.clone(), r.remote.clone(), r.bundle.clone()
	c.pending, c.deleted = maps.Clone(r.pending), maps.Clone(r.deleted)
	for name, list := range c.pending {
		c.pending[name] = slices.Clip(list)
	}
	for name, list := range c.deleted {
		c.deleted[name] = slices.Clip(list)
	}
	c.held, c.shared, c.current = maps.Clone(r.held), maps.Clone(r.shared), slices.Clone(r.current)
	return &c
}

// modelPlace is a worktree of a repository.
type modelPlace struct {
	repo, worktree int
	dir            string
}

// modelPlaces are two worktrees of one clone, and two more clones.
func modelPlaces() []modelPlace {
	return []modelPlace{{0, 0, "ann"}, {0, 1, "ann2"}, {1, 0, "bob"}, {2, 0, "cat"}}
}

// model is all of it.
type model struct {
	repos   []*modelRepo
	hub     modelSide
	bundles map[string]modelSide // by file
	code    map[string][]string  // subjects of the code's commits since the beginning, by worktree
}

func (m *model) clone() *model {
	c := &model{hub: m.hub.clone(), bundles: maps.Clone(m.bundles), code: maps.Clone(m.code)}
	for _, r := range m.repos {
		c.repos = append(c.repos, r.clone())
	}
	return c
}

// at is the repository of a place, and the branch that a command there acts on.
func (m *model) at(p modelPlace, branch string) (*modelRepo, string) {
	r := m.repos[p.repo]
	if branch == "" {
		branch = r.current[p.worktree]
	}
	return r, branch
}

// steps are those of a branch, by id, the pending ones last.
func (r *modelRepo) trace(branch string) (committed, pending []*modelStep) {
	committed = slices.SortedFunc(maps.Keys(r.heads[branch].steps), func(a, b *modelStep) int { return cmp.Compare(a.id, b.id) })
	return committed, r.pending[branch]
}

// drain takes the pending steps of a branch into a commit that is being made on it.
func (r *modelRepo) drain(branch string, c *modelNode) int {
	n := len(r.pending[branch])
	for _, s := range r.pending[branch] {
		c.steps[s] = true
	}
	delete(r.pending, branch)
	return n
}

// milestone makes a commit one, which opens a branch that was closed.
func (c *modelNode) milestone(m *modelMark) {
	c.mark = m
	c.marks[m] = true
	if c.facts.status != "active" {
		c.facts.status, c.facts.into, c.facts.closed = "active", "", 0
	}
}

// keepPending makes a milestone of what is pending, as deleting and abandoning do.
func (r *modelRepo) keepPending(branch string) {
	n := len(r.pending[branch])
	if n == 0 {
		return
	}
	c := r.heads[branch].follow()
	c.roadmap = r.roadmap
	r.drain(branch, c)
	c.milestone(&modelMark{summary: keepSummary(n, branch), origin: branch})
	r.heads[branch] = c
}
