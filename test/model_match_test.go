//go:build unix

package test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// matching compares a repository with what its views say. What the model does not know
// yet is learnt: ids that no command answered with, and what a union of two texts reads.
type matching struct {
	m     *model
	r     *modelRepo
	seen  *modelSeen
	steps map[*modelStep]string // ids, to be kept once all of it fits
	marks map[*modelMark]string
	texts map[string]string // what unions became
}

// matches holds repositories of the model against what was seen of them, and keeps what
// it learns if all of it fits.
func (m *model) matches(all map[int]*modelSeen, names *modelHashes) error {
	x := &matching{m: m, steps: map[*modelStep]string{}, marks: map[*modelMark]string{}, texts: map[string]string{}}
	hashes := names.clone()
	for _, repo := range slices.Sorted(maps.Keys(all)) {
		x.r, x.seen = m.repos[repo], all[repo]
		if err := x.all(); err != nil {
			return fmt.Errorf("repository %d: %w", repo, err)
		}
		if err := hashes.same(x.r, x.seen); err != nil {
			return fmt.Errorf("repository %d: %w", repo, err)
		}
	}
	for s, id := range x.steps {
		s.id = id
	}
	for k, id := range x.marks {
		k.id = id
	}
	m.learn(x.texts)
	*names = *hashes
	return nil
}

func (x *matching) all() error {
	if !slices.Equal(x.r.current, x.seen.current) {
		return fmt.Errorf("current branches are %q, not %q", x.seen.current, x.r.current)
	}
	if got, want := slices.Sorted(maps.Keys(x.seen.branches)), slices.Sorted(maps.Keys(x.r.heads)); !slices.Equal(got, want) {
		return fmt.Errorf("branches are %q, not %q", got, want)
	}
	for name, b := range x.seen.branches {
		for _, check := range []func(string, *branchSeen) error{x.branch, x.trace, x.milestones, x.slots} {
			if err := check(name, b); err != nil {
				return fmt.Errorf("branch '%s': %w", name, err)
			}
		}
	}
	if err := x.roadmap(); err != nil {
		return fmt.Errorf("the roadmap: %w", err)
	}
	want := map[string]string{}
	for name, n := range x.r.tags {
		want[name] = x.markID(n.mark)
	}
	return same("tags", x.seen.tags, want)
}

// same compares two maps.
func same(what string, got, want map[string]string) error {
	if !maps.Equal(got, want) {
		return fmt.Errorf("%s are %q, not %q", what, got, want)
	}
	return nil
}

func (x *matching) branch(name string, b *branchSeen) error {
	f, from := x.r.heads[name].facts, ""
	if b.CreatedFrom != nil {
		from = *b.CreatedFrom
	}
	if b.Status != f.status || from != f.from {
		return fmt.Errorf("%s, created from '%s'; not %s, '%s'", b.Status, from, f.status, f.from)
	}
	if b.Pending != len(x.r.pending[name]) {
		return fmt.Errorf("%d steps are pending, not %d", b.Pending, len(x.r.pending[name]))
	}
	return x.text("purpose", b.Purpose, f.purpose)
}

// text compares one text, which may be a union.
func (x *matching) text(what, got, want string) error {
	if known, ok := x.texts[want]; ok {
		want = known
	}
	if strings.HasPrefix(want, unionMark) {
		if err := isUnion(want, got); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		x.texts[want] = got
		return nil
	}
	if got != want {
		return fmt.Errorf("%s is %q, not %q", what, got, want)
	}
	return nil
}

// trace compares the steps: the committed ones by id, then the pending ones as they were
// recorded.
func (x *matching) trace(name string, b *branchSeen) error {
	committed, pending := x.r.trace(name)
	taken, left := map[string]bool{}, []*modelStep{}
	want := map[string]string{}
	for i, s := range append(committed, pending...) {
		id := cmp.Or(s.id, x.steps[s]) // it may have been met on another branch
		if id == "" {
			left = append(left, s)
			continue
		}
		want[id] = fmt.Sprint(s.action, " of ", s.origin, ", pending: ", i >= len(committed))
	}
	got := map[string]string{}
	for _, s := range b.steps {
		if taken[s.ID] {
			return fmt.Errorf("step %s stands twice", s.ID)
		}
		taken[s.ID] = true
		if want[s.ID] == "" {
			i := slices.IndexFunc(left, func(l *modelStep) bool { return l.action == s.Action && l.origin == s.Origin })
			if i >= 0 && x.newID(s.ID) {
				want[s.ID] = fmt.Sprint(s.Action, " of ", s.Origin, ", pending: ", slices.Contains(pending, left[i]))
				x.steps[left[i]] = s.ID
				left = slices.Delete(left, i, i+1)
			}
		}
		got[s.ID] = fmt.Sprint(s.Action, " of ", s.Origin, ", pending: ", s.Pending)
	}
	if len(left) > 0 {
		return fmt.Errorf("%d steps are missing, one of them '%s'", len(left), left[0].action)
	}
	if !slices.IsSortedFunc(b.steps, stepSeen.compare) {
		return fmt.Errorf("steps are out of order: %v", b.steps)
	}
	return same("steps", got, want)
}

// compare puts pending steps last, whatever their ids.
func (s stepSeen) compare(o stepSeen) int {
	if s.Pending != o.Pending {
		if s.Pending {
			return 1
		}
		return -1
	}
	return cmp.Compare(s.ID, o.ID)
}

// newID reports whether the model has not heard of an id yet.
func (x *matching) newID(id string) bool {
	for _, known := range x.steps {
		if known == id {
			return false
		}
	}
	return true
}

func (x *matching) markID(m *modelMark) string { return cmp.Or(m.id, x.marks[m]) }

func (x *matching) milestones(name string, b *branchSeen) error {
	want, left := map[string]string{}, []*modelMark{}
	for m := range x.r.heads[name].marks {
		if x.markID(m) == "" {
			left = append(left, m)
			continue
		}
		want[x.markID(m)] = x.describe(m)
	}
	got := map[string]string{}
	for _, m := range b.marks {
		if got[m.ID] != "" {
			return fmt.Errorf("milestone %s stands twice", m.ID)
		}
		if want[m.ID] == "" {
			i := slices.IndexFunc(left, func(l *modelMark) bool { return l.summary == m.Summary && l.origin == m.Branch })
			if i >= 0 {
				x.marks[left[i]], want[m.ID] = m.ID, x.describe(left[i])
				left = slices.Delete(left, i, i+1)
			}
		}
		got[m.ID] = m.describe()
	}
	if len(left) > 0 {
		return fmt.Errorf("milestone '%s' is missing", left[0].summary)
	}
	if !slices.IsSortedFunc(b.marks, func(a, b markSeen) int { return cmp.Compare(a.ID, b.ID) }) {
		return fmt.Errorf("milestones are out of order: %v", b.marks)
	}
	return same("milestones", got, want)
}

func (x *matching) describe(m *modelMark) string {
	return fmt.Sprintf("%s of %s, score %s, outcome %s, %s", m.summary, m.origin, x.r.inForce(m, "score"), x.r.inForce(m, "outcome"), x.r.inForce(m, "tag"))
}

func (m *markSeen) describe() string {
	score, outcome, tag := "", "", ""
	if m.Score != nil {
		score = m.Score.String()
	}
	if m.Outcome != nil {
		outcome = *m.Outcome
	}
	for key, value := range m.Tags {
		tag = key + "=" + value
	}
	return fmt.Sprintf("%s of %s, score %s, outcome %s, %s", m.Summary, m.Branch, score, outcome, tag)
}

// slots compares topics and people's metadata.
func (x *matching) slots(name string, b *branchSeen) error {
	tip := x.r.heads[name]
	for _, kind := range []struct{ got, want map[string]string }{{b.topics, tip.topics}, {b.keys, tip.keys}} {
		for key := range union(kind.got, kind.want) {
			got, want := entry(kind.got, key), entry(kind.want, key)
			if got == nil || want == nil {
				return fmt.Errorf("'%s' is there: %t, not %t", key, got != nil, want != nil)
			}
			if err := x.text("'"+key+"'", *got, *want); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *matching) roadmap() error {
	got, want := x.seen.roadmap, x.r.roadmap
	if err := x.text("the goal", got.Goal, want.goal); err != nil {
		return err
	}
	for key := range union(got.Sections, want.sections) {
		if err := x.text("section '"+key+"'", got.Sections[key], want.sections[key]); err != nil {
			return err
		}
	}
	lists := map[string][]modelItem{}
	for _, list := range []struct {
		name  string
		items []modelItem
	}{{listMilestones, got.Milestones}, {listTodo, got.Todo}, {listDecisions, textItems(got.Decisions)},
		{listQuestions, textItems(got.Questions)}, {listOutcomes, textItems(got.Outcomes)}} {
		lists[list.name] = list.items
		if !slices.Equal(list.items, want.lists[list.name]) {
			return fmt.Errorf("%s are %v, not %v", list.name, list.items, want.lists[list.name])
		}
	}
	return nil
}

func textItems(texts []string) []modelItem {
	var items []modelItem
	for _, text := range texts {
		items = append(items, modelItem{Text: text})
	}
	return items
}
