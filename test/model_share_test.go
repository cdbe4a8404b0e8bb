//go:build unix

package test

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// modelExchange is one exchange with the hub, or with a bundle.
type modelExchange struct {
	merge, push, first, adopt bool
	bundle                    string   // the file; empty: the hub
	only                      []string // branches; none: all
	prefer                    string
	target                    string // where conflicts wait
}

// exchangeForetold is what it will come to.
type exchangeForetold struct {
	exits []int // any of these
	slots map[string]modelSlot
	early bool // refused before anything was looked at
	late  bool // one of the refs has moved since, there or here: it would ask again
}

// fetch brings what is known of the hub up to date. What is gone there was shared.
func (m *model) fetch(r *modelRepo) {
	for name := range r.remote.heads {
		if m.hub.heads[name] == nil {
			r.shared[name] = true
		}
	}
	for name := range r.remote.tags {
		if m.hub.tags[name] == nil {
			r.shared[tagName(name)] = true
		}
	}
	r.remote = m.hub.clone()
}

func tagName(name string) string { return "tags/" + name }

// noteShared keeps what both sides have, so that nobody brings back what was deleted.
// heads are the branches here.
func (r *modelRepo) noteShared(heads map[string]*modelNode) {
	shared := map[string]bool{}
	for name := range heads {
		if r.remote.heads[name] != nil || r.shared[name] {
			shared[name] = true
		}
	}
	for name := range union(r.tags, r.remote.tags) {
		if r.tags[name] != nil && r.remote.tags[name] != nil || r.shared[tagName(name)] {
			shared[tagName(name)] = true
		}
	}
	r.shared = shared
}

// exchange foretells a fetch's second half: what is merged, pushed and taken. theirs is
// what the other side has.
func (m *model) exchange(r *modelRepo, x modelExchange, theirs *modelSide) exchangeForetold {
	ours := &r.modelSide
	if r.asked != nil && x.bundle == "" {
		ours = &r.asked.ours
	}
	for _, name := range x.only {
		if ours.heads[name] == nil && !x.adopt {
			return exchangeForetold{exits: []int{exitRefused}, early: true}
		}
	}
	p := &sharing{m: m, r: r, x: x, ours: ours, theirs: theirs, slots: &openSlots{prefer: x.prefer, found: map[string]modelSlot{}},
		push: map[string]*modelNode{}, take: map[string]*modelNode{}}
	if h := r.held[x.target]; x.merge && h != nil && h.merge == nil && h.from == x.bundle {
		p.slots.held = h
	}
	if !p.plan() {
		return exchangeForetold{exits: []int{exitRefused}, early: true} // diverged, where nothing is merged
	}
	f := exchangeForetold{slots: p.slots.found, late: p.late()}
	open := p.slots.open > 0
	blocked := open && !p.hold()
	p.do()
	if x.bundle == "" {
		r.noteShared(p.standing())
	}
	switch {
	case open || blocked:
		f.exits = []int{exitConflict}
	case !p.deleted:
		f.exits = []int{exitDone}
	}
	if p.deleted {
		f.exits = append(f.exits, exitRefused)
	}
	return f
}

// sharing is an exchange under way.
type sharing struct {
	m           *model
	r           *modelRepo
	x           modelExchange
	ours        *modelSide // when the other side was asked
	theirs      *modelSide
	slots       *openSlots
	push, take  map[string]*modelNode // branches
	pushRoadmap *modelRoadmap
	takeRoadmap *modelRoadmap
	deleted     bool
}

// plan compares every ref, and reports false where a push is refused.
func (p *sharing) plan() bool {
	if !p.planRoadmap() {
		return false
	}
	roadmap := p.ours.roadmap
	if p.takeRoadmap != nil {
		roadmap = p.takeRoadmap
	}
	for _, name := range slices.Sorted(maps.Keys(p.ours.heads)) {
		if len(p.x.only) > 0 && !slices.Contains(p.x.only, name) {
			continue
		}
		ours, theirs := p.ours.heads[name], p.theirs.heads[name]
		switch {
		case ours == theirs:
		case theirs == nil && p.r.shared[name] && !p.x.first && p.x.bundle == "":
			p.deleted = true
		case theirs == nil, holds(ours, theirs):
			p.push[name] = ours
		case holds(theirs, ours):
			p.take[name] = theirs
		case !p.x.merge:
			return false
		default:
			p.mergeHead(name, ours, theirs, roadmap)
		}
	}
	for name, theirs := range p.theirs.heads {
		if p.x.adopt && p.ours.heads[name] == nil {
			p.take[name] = theirs
		}
	}
	return true
}

func (p *sharing) planRoadmap() bool {
	ours, theirs := p.ours.roadmap, p.theirs.roadmap
	switch {
	case ours == theirs:
	case theirs == nil || holds(ours, theirs):
		p.pushRoadmap = ours
	case holds(theirs, ours):
		p.takeRoadmap = theirs
	case !p.x.merge:
		return false
	default:
		open := p.slots.open
		p.slots.prefix = ""
		merged := mergeRoadmaps(roadmapBaseOf(ours, theirs), ours, theirs, p.slots.settle)
		if p.slots.open == open {
			p.pushRoadmap, p.takeRoadmap = merged, merged
		}
	}
	return true
}

// mergeHead merges a branch that went two ways.
func (p *sharing) mergeHead(name string, ours, theirs *modelNode, roadmap *modelRoadmap) {
	if p.slots.prefix = ""; name != p.x.target {
		p.slots.prefix = name + ":"
	}
	open := p.slots.open
	c := ours.follow()
	c.parents = append(c.parents, theirs)
	c.roadmap = roadmap
	c.mergeSlots(baseOf(ours, theirs, true), theirs, true, p.slots.settle)
	c.unite(theirs)
	if p.slots.open > open {
		return
	}
	c.reopen(ours, theirs)
	p.push[name], p.take[name] = c, c
}

// reopen makes a branch active again that one side closed without knowing all
// milestones of the other.
func (c *modelNode) reopen(ours, theirs *modelNode) {
	if c.facts.status == "active" {
		return
	}
	closed := 0
	for _, side := range []*modelNode{ours, theirs} {
		if side.facts.status == "active" {
			continue
		}
		if closed++; closed == 2 || len(side.marks) == len(c.marks) {
			return
		}
	}
	c.facts.status, c.facts.into, c.facts.closed = "active", "", 0
}

// hold keeps open conflicts, and reports false where another merge waits there.
func (p *sharing) hold() bool {
	if h := p.r.held[p.x.target]; h != nil && (h.merge != nil || h.from != p.x.bundle) {
		return false
	}
	h := &modelHeld{from: p.x.bundle, heads: map[string]*modelNode{}}
	slots := map[string]modelSlot{}
	for path, s := range p.slots.found { // all of a ref's conflicts wait, if one does
		branch, _, other := strings.Cut(path, ":")
		switch {
		case strings.HasPrefix(path, "main.md#"):
			if p.takeRoadmap == nil {
				slots[path], h.roadmap = s, p.theirs.roadmap
			}
			continue
		case !other:
			branch = p.x.target
		}
		if p.take[branch] == nil {
			slots[path], h.heads[branch] = s, p.theirs.heads[branch]
		}
	}
	p.r.hold(p.x.target, h, slots)
	return true
}

// standing are the branches that were here, or are taken.
func (p *sharing) standing() map[string]*modelNode {
	heads := maps.Clone(p.ours.heads)
	maps.Copy(heads, p.take)
	return heads
}

// do pushes and takes what the plan says, with tags and notes.
func (p *sharing) do() {
	r := p.r
	r.uniteNotes(*p.theirs)
	if p.x.push {
		p.send()
	}
	if p.x.merge {
		maps.Copy(r.heads, p.take)
		if p.takeRoadmap != nil {
			r.roadmap = p.takeRoadmap
		}
		for name, c := range p.theirs.tags {
			if r.tags[name] == nil && (p.x.bundle != "" || !r.shared[tagName(name)]) {
				r.tags[name] = c
			}
		}
	}
	if h := r.held[p.x.target]; p.slots.open == 0 && p.slots.held != nil && p.slots.held == h {
		delete(r.held, p.x.target)
	}
}

func (p *sharing) send() {
	r := p.r
	for _, side := range []*modelSide{&p.m.hub, &r.remote} {
		maps.Copy(side.heads, p.push)
		if p.pushRoadmap != nil {
			side.roadmap = p.pushRoadmap
		}
		side.uniteNotes(*p.ours)
		for name, c := range p.ours.tags {
			if len(p.x.only) == 0 && side.tags[name] == nil && (p.x.first || !r.shared[tagName(name)]) {
				side.tags[name] = c
			}
		}
	}
}

// continueSync is merge --continue of a sync: from what the other side had when it was
// last asked. A bundle that another one took the place of is not known any more.
func (m *model) continueSync(r *modelRepo, target string) exchangeForetold {
	h, theirs := r.held[target], &r.remote
	if h.from != "" {
		theirs = &r.bundle
	}
	for name, was := range h.heads {
		if now := theirs.heads[name]; now != was && (now == nil || h.from != "") {
			return exchangeForetold{exits: []int{exitRefused}, early: true}
		}
	}
	if h.roadmap != nil && h.roadmap != theirs.roadmap && h.from != "" {
		return exchangeForetold{exits: []int{exitRefused}, early: true}
	}
	return m.exchange(r, modelExchange{merge: true, bundle: h.from, target: target}, theirs)
}

// withHub is an exchange with the hub. What is refused early remembers nothing of what
// was deleted there.
func (m *model) withHub(r *modelRepo, x modelExchange) exchangeForetold {
	if r.asked == nil {
		if err := m.ask(r); err != nil {
			panic(err)
		}
	}
	f := m.exchange(r, x, &r.remote)
	if f.early {
		r.shared = r.asked.shared
	}
	r.asked = nil
	return f
}

// modelAsked is what the hub and the repository had when an exchange that is under way
// asked, and what the repository knew before.
type modelAsked struct {
	hub, ours modelSide
	shared    map[string]bool
}

// ask is the first half of an exchange. Those of one repository wait for each other.
func (m *model) ask(r *modelRepo) error {
	if r.asked != nil {
		return errors.New("another exchange is under way")
	}
	r.asked = &modelAsked{m.hub.clone(), r.modelSide.clone(), maps.Clone(r.shared)}
	m.fetch(r)
	return nil
}

// late reports whether, since it was asked, the hub has moved what is to be pushed, or the
// repository what is to be taken.
func (p *sharing) late() bool {
	if p.r.asked == nil || p.x.bundle != "" {
		return false
	}
	for name := range p.take {
		if p.r.heads[name] != p.ours.heads[name] {
			return true
		}
	}
	if p.takeRoadmap != nil && p.r.roadmap != p.ours.roadmap {
		return true
	}
	if !p.x.push {
		return false
	}
	now, then := p.m.hub, p.r.asked.hub
	for name := range p.push {
		if now.heads[name] != then.heads[name] {
			return true
		}
	}
	for name := range p.ours.tags {
		if now.tags[name] != then.tags[name] {
			return true
		}
	}
	return p.pushRoadmap != nil && now.roadmap != then.roadmap
}

// deleteOnHub takes a branch away there, or a tag as tags/NAME.
func (m *model) deleteOnHub(r *modelRepo, name string) int {
	before := maps.Clone(r.shared)
	m.fetch(r)
	tag, isTag := strings.CutPrefix(name, "tags/")
	if isTag && m.hub.tags[tag] == nil || !isTag && m.hub.heads[name] == nil {
		r.shared = before
		return exitRefused
	}
	r.noteShared(r.heads)
	for _, side := range []*modelSide{&m.hub, &r.remote} {
		if isTag {
			delete(side.tags, tag)
		} else {
			delete(side.heads, name)
		}
	}
	return exitDone
}
