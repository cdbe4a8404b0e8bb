//go:build unix

package test

import (
	"maps"
	"slices"
)

// modelItem is a line of a check list; of the other lists only the text counts.
type modelItem struct {
	Text string
	Done bool
}

// modelRoadmap is a commit of the roadmap.
type modelRoadmap struct {
	parents  []*modelRoadmap
	lists    map[string][]modelItem // by section, in their order
	goal     string
	sections map[string]string
}

// The lists of a roadmap, as its JSON calls them.
const (
	listMilestones = "milestones"
	listTodo       = "todo"
	listDecisions  = "decisions"
	listQuestions  = "questions"
	listOutcomes   = "outcomes"
)

func (r *modelRoadmap) before() []*modelRoadmap    { return r.parents }
func (r *modelRoadmap) milestoneID() string        { return "" }
func (r *modelRoadmap) roadmapThen() *modelRoadmap { return nil }

func (r *modelRoadmap) follow() *modelRoadmap {
	c := &modelRoadmap{parents: []*modelRoadmap{r}, goal: r.goal, sections: maps.Clone(r.sections), lists: map[string][]modelItem{}}
	for name, list := range r.lists {
		c.lists[name] = slices.Clone(list)
	}
	return c
}

// same reports whether two roadmaps say the same, in the same order.
func (r *modelRoadmap) same(o *modelRoadmap) bool {
	for _, name := range []string{listMilestones, listTodo, listDecisions, listQuestions, listOutcomes} {
		if !slices.Equal(r.lists[name], o.lists[name]) {
			return false
		}
	}
	return r.goal == o.goal && maps.Equal(r.sections, o.sections)
}

// or is what stands after an edit: the old commit, if it changed nothing.
func (r *modelRoadmap) or(old *modelRoadmap) *modelRoadmap {
	if r.same(old) {
		return old
	}
	return r
}

func (r *modelRoadmap) find(list, text string) int {
	return slices.IndexFunc(r.lists[list], func(i modelItem) bool { return i.Text == text })
}

// add puts an item at the end of a list, where it is not there yet.
func (r *modelRoadmap) add(list, text string) {
	if r.find(list, text) < 0 {
		r.lists[list] = append(r.lists[list], modelItem{Text: text})
	}
}

// mark ticks an item; false: there is none.
func (r *modelRoadmap) mark(list, text string, done bool) bool {
	i := r.find(list, text)
	if i >= 0 {
		r.lists[list][i].Done = done
	}
	return i >= 0
}

func (r *modelRoadmap) remove(list, text string) bool {
	i := r.find(list, text)
	if i >= 0 {
		r.lists[list] = slices.Delete(r.lists[list], i, i+1)
	}
	return i >= 0
}

// section sets a section of people's own; an empty text removes it.
func (r *modelRoadmap) section(name, text string) {
	if r.sections[name] = text; text == "" {
		delete(r.sections, name)
	}
}

// settleFunc says what is to stand where two sides differ; false leaves it open.
type settleFunc func(path, kind string, base, ours, theirs *string) (*string, bool)

// mergeRoadmaps merges what two clones made of the roadmap; b may be nil.
func mergeRoadmaps(b, o, t *modelRoadmap, settle settleFunc) *modelRoadmap {
	if b == nil {
		b = &modelRoadmap{lists: map[string][]modelItem{}, sections: map[string]string{}}
	}
	m := o.follow()
	m.parents = []*modelRoadmap{o, t}
	for _, name := range []string{listMilestones, listTodo, listDecisions, listQuestions, listOutcomes} {
		switch was, our, their := b.lists[name], o.lists[name], t.lists[name]; {
		case slices.Equal(our, their), slices.Equal(was, their):
		case slices.Equal(was, our):
			m.lists[name] = slices.Clone(their)
		default:
			m.lists[name] = mergeLists(was, our, their)
		}
	}
	if v := mergeSlot("main.md#Goal", "prose", present(b.goal), present(o.goal), present(t.goal), settle); v != nil {
		m.goal = *v
	}
	for name := range union(b.sections, o.sections, t.sections) {
		v := mergeSlot("main.md#"+name, "prose", entry(b.sections, name), entry(o.sections, name), entry(t.sections, name), settle)
		m.section(name, "")
		if v != nil {
			m.section(name, *v)
		}
	}
	return m
}

func present(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// entry is a value of a map; nil: absent.
func entry(m map[string]string, key string) *string {
	if v, ok := m[key]; ok {
		return &v
	}
	return nil
}

// union are the keys of several maps.
func union[V any](all ...map[string]V) map[string]bool {
	keys := map[string]bool{}
	for _, m := range all {
		for k := range m {
			keys[k] = true
		}
	}
	return keys
}

// mergeLists merges lists as sets: what a side added stays, what a side removed goes
// unless the other ticked or unticked it meanwhile, and a box is as the side says that
// changed it.
func mergeLists(base, ours, theirs []modelItem) []modelItem {
	index := func(list []modelItem) map[string]modelItem {
		m := map[string]modelItem{}
		for _, i := range list {
			m[i.Text] = i
		}
		return m
	}
	was, our, their := index(base), index(ours), index(theirs)
	var merged []modelItem
	for _, o := range ours {
		b, old := was[o.Text]
		t, both := their[o.Text]
		switch {
		case both && !old:
			o.Done = o.Done || t.Done
		case both && b.Done == o.Done:
			o.Done = t.Done
		case !both && old && b.Done == o.Done:
			continue
		}
		merged = append(merged, o)
	}
	for _, t := range theirs {
		b, old := was[t.Text]
		if _, both := our[t.Text]; !both && (!old || b.Done != t.Done) {
			merged = append(merged, t)
		}
	}
	return merged
}
