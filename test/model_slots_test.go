//go:build unix

package test

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// The commands that fill slots: topics, people's metadata, the roadmap.

// change is a command that makes one memory commit on a branch, unless edit changes
// nothing; edit reports false where it is refused.
func (k player) change(branch string, args []string, edit func(c *modelNode) (ok bool)) modelCommand {
	return k.command(func(m *model, a *answer) error {
		r, b := m.at(k.place, branch)
		if r.heads[b] == nil {
			return a.is(exitRefused)
		}
		c := r.next(b)
		if !edit(c) {
			return a.is(exitRefused)
		}
		if !c.sameSlots(r.heads[b]) {
			r.heads[b] = c
		}
		return a.is(exitDone)
	}, args...)
}

func (n *modelNode) sameSlots(o *modelNode) bool {
	mine, other := n.slots(), o.slots()
	for path := range union(mine, other) {
		if !sameSlot(entry(mine, path), entry(other, path)) {
			return false
		}
	}
	return n.facts == o.facts
}

func (k player) remember() modelCommand {
	branch, args := k.on(k.op.a)
	key, text := pick(topicNames(), k.op.b), pick(slotTexts(), k.op.c)
	return k.change(branch, append(args, "remember", key, text, "--json"), func(c *modelNode) bool {
		c.topics[key] = text
		return true
	})
}

func (k player) forget() modelCommand {
	branch, args := k.on(k.op.a)
	key := pick(topicNames(), k.op.b)
	return k.change(branch, append(args, "forget", key, "--json"), func(c *modelNode) bool {
		_, there := c.topics[key]
		delete(c.topics, key)
		return there
	})
}

// keyPrefix is the segment of metadata that people's keys stand in; it always holds one
// more, so that it never goes.
const keyPrefix = "interfaces."

func (k player) setKey() modelCommand {
	branch, args := k.on(k.op.a)
	key, text := keyPrefix+pick(topicNames(), k.op.b), pick(slotTexts(), k.op.c)
	return k.change(branch, append(args, "metadata", "set", key, strconv.Quote(text), "--json"), func(c *modelNode) bool {
		c.keys[key] = quoted(text)
		return true
	})
}

func (k player) unsetKey() modelCommand {
	branch, args := k.on(k.op.a)
	key := keyPrefix + pick(topicNames(), k.op.b)
	return k.change(branch, append(args, "metadata", "unset", key, "--json"), func(c *modelNode) bool {
		_, there := c.keys[key]
		delete(c.keys, key)
		return there
	})
}

func (k player) setPurpose() modelCommand {
	branch, args := k.on(k.op.a)
	text := "to " + pick(slotTexts(), k.op.b)
	return k.change(branch, append(args, "metadata", "set", "branch.purpose", text, "--json"), func(c *modelNode) bool {
		c.facts.purpose = text
		return true
	})
}

func (k player) reviseRoadmap() modelCommand {
	list, item := listMilestones, pick(itemTexts(), k.op.b)
	if k.op.c%2 == 1 {
		list = listTodo
	}
	word := map[string]string{listMilestones: "milestone", listTodo: "todo"}[list]
	edits := []struct {
		args []string
		edit func(r *modelRoadmap) bool
	}{
		{[]string{word, "add", item}, func(r *modelRoadmap) bool { r.add(list, item); return true }},
		{[]string{word, "done", item}, func(r *modelRoadmap) bool { return r.mark(list, item, true) }},
		{[]string{word, "undo", item}, func(r *modelRoadmap) bool { return r.mark(list, item, false) }},
		{[]string{word, "remove", item}, func(r *modelRoadmap) bool { return r.remove(list, item) }},
		{[]string{"decide", item}, func(r *modelRoadmap) bool { r.add(listDecisions, item); return true }},
		{[]string{"ask", item}, func(r *modelRoadmap) bool { r.add(listQuestions, item); return true }},
		{[]string{"goal", pick(slotTexts(), k.op.b)}, func(r *modelRoadmap) bool { r.goal = pick(slotTexts(), k.op.b); return true }},
	}
	e := edits[k.op.a%len(edits)]
	return k.editRoadmap(e.edit, append([]string{"roadmap"}, append(e.args, "--json")...)...)
}

func (k player) editRoadmap(edit func(r *modelRoadmap) bool, args ...string) modelCommand {
	return k.command(func(m *model, a *answer) error {
		r := m.repos[k.place.repo]
		next := r.roadmap.follow()
		if !edit(next) {
			return a.is(exitRefused)
		}
		r.roadmap = next.or(r.roadmap)
		return a.is(exitDone)
	}, args...)
}

func (k player) section() modelCommand {
	name, text := pick([]string{"Style", "Hosts"}, k.op.a), pick(append(slotTexts(), ""), k.op.b)
	c := k.editRoadmap(func(r *modelRoadmap) bool { r.section(name, text); return true },
		"roadmap", "section", name, "-F", "-", "--json")
	c.stdin = text
	return c
}

func (k player) tag() modelCommand {
	name, id := pick([]string{"best", "v1"}, k.op.a), k.milestone(k.op.b)
	return k.command(func(m *model, a *answer) error {
		r := m.repos[k.place.repo]
		n := r.named(id)
		if n == nil || r.tags[name] != nil && r.tags[name] != n {
			return a.is(exitRefused)
		}
		r.tags[name] = n
		return a.is(exitDone)
	}, "tag", name, id, "--json")
}

func (k player) untag() modelCommand {
	name := pick([]string{"best", "v1"}, k.op.a)
	return k.command(func(m *model, a *answer) error {
		r := m.repos[k.place.repo]
		if r.tags[name] == nil {
			return a.is(exitRefused)
		}
		delete(r.tags, name)
		return a.is(exitDone)
	}, "tag", "-d", name, "--json")
}

func (k player) note() modelCommand {
	id := k.milestone(k.op.b)
	said := [][2]string{{"score", "0." + strconv.Itoa(1+k.n%9)}, {"outcome", "success"}, {"outcome", "failed"}, {"tag", "area=" + pick(slotTexts(), k.op.c)}}[k.op.a%4]
	return k.command(func(m *model, a *answer) error {
		r := m.repos[k.place.repo]
		n := r.named(id)
		if n == nil {
			return a.is(exitRefused)
		}
		facts, err := noteFacts(a)
		if err != nil {
			return err
		}
		newest := modelFact{}
		for _, f := range facts {
			if f.kind == said[0] && f.id > newest.id {
				newest = f
			}
		}
		if newest.value != said[1] {
			return fmt.Errorf("%s is %q, not %q", said[0], newest.value, said[1])
		}
		r.note(n.mark, newest)
		return a.is(exitDone)
	}, "note", id, "--"+said[0], said[1], "--json")
}

// noteFacts reads what people said from the JSON of a note.
func noteFacts(a *answer) ([]modelFact, error) {
	var v struct {
		Facts []struct {
			ID, Kind, Outcome, Key, Value string
			Score                         json.Number
		}
	}
	if err := a.said(&v); err != nil {
		return nil, err
	}
	var facts []modelFact
	for _, f := range v.Facts {
		switch f.Kind {
		case "score":
			facts = append(facts, modelFact{f.ID, f.Kind, f.Score.String()})
		case "outcome":
			facts = append(facts, modelFact{f.ID, f.Kind, f.Outcome})
		case "tag":
			facts = append(facts, modelFact{f.ID, f.Kind, f.Key + "=" + f.Value})
		}
	}
	return facts, nil
}
