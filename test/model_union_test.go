//go:build unix

package test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The model does not say in which order a union puts the lines of two texts; it says that
// all of them are there, and learns the text.

// unionSides are the two texts of a union, which may be unions again.
func unionSides(mark string) (ours, theirs string, err error) {
	d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(mark, unionMark)))
	if err = d.Decode(&ours); err == nil {
		err = d.Decode(&theirs)
	}
	return ours, theirs, err
}

// isUnion holds that a text is the union that a mark stands for: of topics and prose the
// lines of both, of the values of a key a list of both.
func isUnion(mark, got string) error {
	ours, theirs, err := unionSides(mark)
	if err != nil {
		return err
	}
	want := map[string]bool{}
	for _, part := range []string{ours, theirs} {
		if strings.HasPrefix(part, unionMark) {
			return fmt.Errorf("a union of a union that nobody has seen: %q", mark)
		}
		for _, p := range unionParts(part) {
			want[p] = true
		}
	}
	have := unionParts(got)
	for _, p := range have {
		if !want[p] {
			return fmt.Errorf("%q is in neither %q nor %q", p, ours, theirs)
		}
	}
	for p := range want {
		if !slices.Contains(have, p) {
			return fmt.Errorf("%q lacks %q", got, p)
		}
	}
	return nil
}

// unionParts are the values of a key's list, or its one value, else the lines of a text.
func unionParts(text string) []string {
	if !json.Valid([]byte(text)) {
		return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(text), &list) != nil {
		return []string{text}
	}
	parts := make([]string, len(list))
	for i, raw := range list {
		parts[i] = string(raw)
	}
	return parts
}

// learn puts the texts of unions in the place of what stood for them, everywhere.
func (m *model) learn(texts map[string]string) {
	if len(texts) == 0 {
		return
	}
	for n := range ancestors(m.allNodes()...) {
		for _, in := range []map[string]string{n.topics, n.keys} {
			replaceTexts(in, texts)
		}
		if text, ok := texts[n.facts.purpose]; ok {
			n.facts.purpose = text
		}
	}
	for r := range ancestors(m.allRoadmaps()...) {
		replaceTexts(r.sections, texts)
		if text, ok := texts[r.goal]; ok {
			r.goal = text
		}
	}
}

func replaceTexts(in, texts map[string]string) {
	for key, old := range in {
		if text, ok := texts[old]; ok {
			in[key] = text
		}
	}
}

// sides are all that the model knows of repositories.
func (m *model) sides() []modelSide {
	all := append([]modelSide{m.hub}, slices.Collect(maps.Values(m.bundles))...)
	for _, r := range m.repos {
		all = append(all, r.modelSide, r.remote, r.bundle)
	}
	return all
}

func (m *model) allNodes() []*modelNode {
	var all []*modelNode
	for _, s := range m.sides() {
		all = slices.AppendSeq(slices.AppendSeq(all, maps.Values(s.heads)), maps.Values(s.tags))
	}
	for _, r := range m.repos {
		for _, list := range r.deleted {
			all = append(all, list...)
		}
	}
	return all
}

func (m *model) allRoadmaps() []*modelRoadmap {
	var all []*modelRoadmap
	for _, s := range m.sides() {
		if s.roadmap != nil {
			all = append(all, s.roadmap)
		}
	}
	for n := range ancestors(m.allNodes()...) {
		all = append(all, n.roadmap)
	}
	return all
}

// unseenUnion reports whether a repository holds a union whose text nobody has seen.
func (r *modelRepo) unseenUnion() bool {
	texts := slices.Collect(maps.Values(r.roadmap.sections))
	texts = append(texts, r.roadmap.goal)
	for _, n := range r.heads {
		texts = append(texts, n.facts.purpose)
		texts = slices.AppendSeq(slices.AppendSeq(texts, maps.Values(n.topics)), maps.Values(n.keys))
	}
	return slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(text, unionMark) })
}
