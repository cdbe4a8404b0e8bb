//go:build unix

package test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// modelMerge is what a MERGE was told.
type modelMerge struct {
	source, target, summary, prefer string
	keep, abandon                   bool
	into                            bool // the target was named
}

// slots of a commit of memory, by the paths that conflicts have.
func (n *modelNode) slots() map[string]string {
	all := map[string]string{}
	for key, text := range n.topics {
		all["topics/"+key+".md"] = text
	}
	for key, value := range n.keys {
		all["metadata.yaml#"+key] = value
	}
	return all
}

func (n *modelNode) setSlot(path string, text *string) {
	in, key := n.keys, strings.TrimPrefix(path, "metadata.yaml#")
	if topic, ok := strings.CutPrefix(path, "topics/"); ok {
		in, key = n.topics, strings.TrimSuffix(topic, ".md")
	}
	if delete(in, key); text != nil {
		in[key] = *text
	}
}

// mergeSlot merges one slot three ways.
func mergeSlot(path, kind string, b, o, t *string, settle settleFunc) *string {
	switch {
	case sameSlot(o, t), sameSlot(b, t):
		return o
	case sameSlot(b, o):
		return t
	case kind == "key" || kind == "prose":
	case b == nil:
		kind = "add/add"
	case o == nil || t == nil:
		kind = "modify/delete"
	default:
		if merged, clean := mergeLines(*b, *o, *t); clean {
			return &merged
		}
	}
	if text, ok := settle(path, kind, b, o, t); ok {
		return text
	}
	return o
}

func sameSlot(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

const purposePath = "metadata.yaml#branch.purpose"

// mergeSlots merges into ours what theirs holds in named slots. base may be nil. replica
// says that the two are one branch in two repositories: then its facts are merged too.
func (c *modelNode) mergeSlots(base, theirs *modelNode, replica bool, settle settleFunc) {
	if base == nil {
		base = &modelNode{}
	}
	b, o, t := base.slots(), c.slots(), theirs.slots()
	for _, path := range slices.Sorted(maps.Keys(union(b, o, t))) {
		kind := "content"
		if strings.HasPrefix(path, "metadata.yaml#") {
			kind = "key"
		}
		c.setSlot(path, mergeSlot(path, kind, entry(b, path), entry(o, path), entry(t, path), settle))
	}
	if !replica {
		return
	}
	mine := c.facts
	c.facts = mergeModelFacts(base.facts, mine, theirs.facts)
	c.facts.purpose = ""
	if v := mergeSlot(purposePath, "key", present(base.facts.purpose), present(mine.purpose), present(theirs.facts.purpose), settle); v != nil {
		c.facts.purpose = *v
	}
}

// mergeModelFacts is the birth and the end that one side changed, else the earlier of two.
func mergeModelFacts(base, ours, theirs modelFacts) modelFacts {
	m := ours
	birth := func(f modelFacts) modelFacts { return modelFacts{created: f.created, from: f.from} }
	switch {
	case birth(ours) == birth(theirs), birth(base) == birth(theirs):
	case birth(base) == birth(ours), theirs.created < ours.created, theirs.created == ours.created && theirs.from < ours.from:
		m.created, m.from = theirs.created, theirs.from
	}
	end := func(f modelFacts) modelFacts { return modelFacts{status: f.status, into: f.into, closed: f.closed} }
	later := func(f modelFacts) bool { // than ours
		if open := f.status == "active"; open != (ours.status == "active") {
			return open
		}
		return f.closed >= ours.closed // no two commands have one time
	}
	switch {
	case end(ours) == end(theirs), end(base) == end(theirs):
	case end(base) == end(ours), !later(theirs):
		m.status, m.into, m.closed = theirs.status, theirs.into, theirs.closed
	}
	return m
}

// disagree is what stands in a virtual base where its parts differ.
func disagree(path, kind string, _, o, t *string) (*string, bool) {
	part := func(s *string) string {
		if s == nil {
			return ""
		}
		return strings.TrimSuffix(*s, "\n") + "\n"
	}
	text := "<<<<<<< ours\n" + part(o) + "=======\n" + part(t) + ">>>>>>> theirs\n"
	return &text, true
}

// baseOf is what the slots of two commits come from; nil for nothing.
func baseOf(a, b *modelNode, replica bool) *modelNode {
	base := virtualBase(bestBases(a, b), func(n *modelNode) *modelNode { return n }, func(below **modelNode, x, y *modelNode) *modelNode {
		c := x.follow()
		var from *modelNode
		if below != nil {
			from = *below
		}
		c.mergeSlots(from, y, replica, disagree)
		return c
	})
	if base == nil {
		return nil
	}
	return *base
}

func roadmapBaseOf(a, b *modelRoadmap) *modelRoadmap {
	base := virtualBase(bestBases(a, b), func(r *modelRoadmap) *modelRoadmap { return r }, func(below **modelRoadmap, x, y *modelRoadmap) *modelRoadmap {
		var from *modelRoadmap
		if below != nil {
			from = *below
		}
		return mergeRoadmaps(from, x, y, disagree)
	})
	if base == nil {
		return nil
	}
	return *base
}

// unite adds the entries of another commit, and returns how many steps came.
func (c *modelNode) unite(theirs *modelNode) int {
	before := len(c.steps)
	maps.Copy(c.steps, theirs.steps)
	maps.Copy(c.marks, theirs.marks)
	return len(c.steps) - before
}

// openSlots collects what a merge leaves open, and settles what can be.
type openSlots struct {
	prefix string
	prefer string
	held   *modelHeld // what was resolved before; may be nil
	found  map[string]modelSlot
	open   int
}

func (s *openSlots) settle(path, kind string, _, o, t *string) (*string, bool) {
	path = s.prefix + path
	slot := modelSlot{kind: kind, ours: o, theirs: t}
	if s.held != nil {
		if was := s.held.slots[path]; was.settled && sameSlot(was.ours, o) && sameSlot(was.theirs, t) {
			slot.settled, slot.text = true, was.text
		}
	}
	text, ok := slot.text, slot.settled
	if !ok && s.prefer != "" {
		text, ok = settledBy(s.prefer, o, t), true
	}
	if s.found[path] = slot; !ok {
		s.open++
	}
	return text, ok
}

// settledBy settles a slot in one of the three ways. What a union of two texts is the
// real side says; see learnUnions.
func settledBy(how string, o, t *string) *string {
	switch {
	case how == "ours", how == "union" && t == nil:
		return o
	case how == "theirs", how == "union" && o == nil:
		return t
	}
	text := unionMark + quoted(*o) + quoted(*t)
	return &text
}

// unionMark begins a text that is both of two others, which follow as JSON.
const unionMark = "\x00union"

func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Sprintf("a text that JSON cannot hold: %q", text))
	}
	return string(data)
}

// hold keeps what is open for resolve.
func (r *modelRepo) hold(target string, h *modelHeld, found map[string]modelSlot) {
	h.slots = found
	r.held[target] = h
}

// merge foretells MERGE. The error is a refusal, by its exit code.
func (m *model) merge(r *modelRepo, o modelMerge, now int64) mergeForetold {
	if o.source == o.target {
		return mergeForetold{exit: exitRefused}
	}
	if o.abandon && r.heads[o.source] != nil {
		r.keepPending(o.source)
	}
	source, target := r.heads[o.source], r.heads[o.target]
	if source == nil {
		return mergeForetold{exit: exitRefused}
	}
	held := r.held[o.target]
	if held != nil && (held.merge == nil || held.merge.source != o.source) {
		if !o.abandon {
			return mergeForetold{exit: exitRefused}
		}
		held = nil
	}
	if held != nil {
		if !holds(source, held.tip) || target == nil {
			return mergeForetold{exit: exitRefused}
		}
		if o.summary == "" {
			o.summary = held.merge.summary
		}
	}
	if target == nil || o.abandon && source.facts.status != "active" && len(r.pending[o.source]) == 0 {
		return mergeForetold{exit: exitRefused}
	}
	f := r.mergeInto(o, source, target, held, now)
	if f.exit == exitDone && held != nil {
		delete(r.held, o.target)
	}
	return f
}

// mergeForetold is what a MERGE will come to.
type mergeForetold struct {
	exit     int
	upToDate bool
	steps    int
	slots    map[string]modelSlot
	mark     *modelMark
}

func (r *modelRepo) mergeInto(o modelMerge, source, target *modelNode, held *modelHeld, now int64) mergeForetold {
	if !o.abandon && len(r.pending[o.source]) == 0 && holds(target, source) {
		return mergeForetold{upToDate: true}
	}
	closing := r.closing(o, source, now)
	if o.abandon {
		r.roadmap = r.outcome(o.source+" abandoned", o.summary, source)
		r.drain(o.source, closing)
		closing.roadmap = r.roadmap
		r.heads[o.source] = closing
		return mergeForetold{}
	}
	c := target.follow()
	slots := &openSlots{prefer: o.prefer, held: held, found: map[string]modelSlot{}}
	c.mergeSlots(baseOf(target, source, false), source, false, slots.settle)
	for _, s := range r.pending[o.source] {
		closing.steps[s] = true
	}
	steps := c.unite(closing)
	if slots.open > 0 {
		r.hold(o.target, &modelHeld{merge: &o, tip: source}, slots.found)
		return mergeForetold{exit: exitConflict, slots: slots.found}
	}
	delete(r.pending, o.source)
	if closing != source {
		r.heads[o.source] = closing
		closing.roadmap = r.roadmap
	}
	summary := o.summary
	if summary == "" {
		summary = "Merge branch '" + o.source + "'"
	}
	f := mergeForetold{steps: steps, slots: slots.found, mark: &modelMark{summary: summary, origin: o.target}}
	c.parents = append(c.parents, closing)
	c.milestone(f.mark)
	r.roadmap = r.outcome(o.source+" merged into "+o.target, o.summary, source)
	c.roadmap = r.roadmap
	r.heads[o.target] = c
	return f
}

// closing is the source with the commit that ends it, if the merge does.
func (r *modelRepo) closing(o modelMerge, source *modelNode, now int64) *modelNode {
	closes := o.abandon || !o.keep && r.descends(source, o.target)
	if !closes && len(r.pending[o.source]) == 0 {
		return source
	}
	c := source.follow()
	if !closes {
		return c
	}
	c.facts.status, c.facts.into, c.facts.closed = "merged", o.target, now
	if o.abandon {
		c.facts.status, c.facts.into = "abandoned", ""
	}
	return c
}

// descends reports whether a branch goes back to another one by created_from.
func (r *modelRepo) descends(tip *modelNode, from string) bool {
	for seen := map[string]bool{}; tip != nil; tip = r.heads[tip.facts.from] {
		parent := tip.facts.from
		if parent == from {
			return true
		}
		if parent == "" || seen[parent] {
			return false
		}
		seen[parent] = true
	}
	return false
}

// outcome is the roadmap with a branch's end.
func (r *modelRepo) outcome(line, summary string, source *modelNode) *modelRoadmap {
	if summary == "" {
		summary = source.facts.purpose
	}
	if summary != "" {
		line += ": " + summary
	}
	next := r.roadmap.follow()
	next.add(listOutcomes, line)
	return next.or(r.roadmap)
}
