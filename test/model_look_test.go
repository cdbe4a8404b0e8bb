//go:build unix

package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// modelSeen is what the views of one repository say.
type modelSeen struct {
	current  []string // by worktree
	branches map[string]*branchSeen
	roadmap  roadmapSeen
	tags     map[string]string // ids
	refs     map[string]string // all refs of memory, tracking refs too: hashes
	history  modelHistory
}

type branchSeen struct {
	Name, Status, Purpose string
	CreatedFrom           *string `json:"created_from"`
	Commits, Pending      int
	Current               bool

	steps  []stepSeen
	marks  []markSeen // oldest first
	keys   map[string]string
	topics map[string]string
}

type stepSeen struct {
	ID, Action, Origin string
	Pending            bool
}

type markSeen struct {
	ID, Summary, Branch string
	Score               *json.Number
	Outcome             *string
	Tags                map[string]string
}

type roadmapSeen struct {
	Goal                           string
	Milestones, Todo               []modelItem
	Decisions, Questions, Outcomes []string
	Sections                       map[string]string
}

// look reads the whole state of a repository.
func (w *modelWorld) look(repo int) (*modelSeen, error) {
	seen := &modelSeen{branches: map[string]*branchSeen{}, tags: map[string]string{}}
	for _, p := range modelPlaces() {
		if p.repo == repo {
			if err := w.lookAtBranches(p, seen); err != nil {
				return nil, err
			}
		}
	}
	p := modelPlaces()[slices.IndexFunc(modelPlaces(), func(p modelPlace) bool { return p.repo == repo })]
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(seen.branches)) {
		errs = append(errs, w.lookAtBranch(p, seen.branches[name]))
	}
	var tags struct{ Tags []struct{ Name, ID string } }
	errs = append(errs, w.lookAtTopics(p, seen), w.json(p, &seen.roadmap, "roadmap", "--json"), w.json(p, &tags, "tag", "--json"))
	for _, t := range tags.Tags {
		seen.tags[t.Name] = t.ID
	}
	var err error
	seen.refs, seen.history, err = w.memoryRefs(p.dir)
	return seen, errors.Join(append(errs, err)...)
}

// modelHistory is what git says of the commits of memory, by their hashes.
type modelHistory struct {
	parents map[string][]string
	ids     map[string]string // of milestones
	roadmap map[string]string // the roadmap's commit, as it stood with a memory commit
}

// memoryRefs lists the refs of memory in a repository, and all that they go back to.
func (w *modelWorld) memoryRefs(dir string) (refs map[string]string, h modelHistory, err error) {
	out, err := w.git(dir, "", "for-each-ref", "--format=%(objectname) %(refname)", "refs/context")
	if err != nil {
		return nil, h, err
	}
	history, err := w.git(dir, "", "log", "--glob=refs/context/*", "--format=%H|%P|%(trailers:key=Context-Id,valueonly,separator=)|%(trailers:key=Context-Roadmap,valueonly,separator=)")
	refs, h = map[string]string{}, modelHistory{map[string][]string{}, map[string]string{}, map[string]string{}}
	for line := range strings.Lines(out) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[name] = hash
	}
	for line := range strings.Lines(history) {
		f := strings.Split(strings.TrimSpace(line), "|")
		h.parents[f[0]], h.ids[f[0]] = strings.Fields(f[1]), f[2]
		h.roadmap[f[0]], _, _ = strings.Cut(f[3], " ")
	}
	return refs, h, err
}

func (w *modelWorld) json(p modelPlace, v any, args ...string) error {
	out, err := w.view(p, args...)
	if err == nil {
		err = json.Unmarshal([]byte(out), v)
	}
	return err
}

func (w *modelWorld) lookAtBranches(p modelPlace, seen *modelSeen) error {
	var v struct{ Branches []*branchSeen }
	if err := w.json(p, &v, "branch", "--json"); err != nil {
		return err
	}
	current := ""
	for _, b := range v.Branches {
		if b.Current {
			current = b.Name
		}
		seen.branches[b.Name] = b
	}
	seen.current = append(seen.current, current)
	return nil
}

func (w *modelWorld) lookAtBranch(p modelPlace, b *branchSeen) error {
	var trace struct {
		Total int
		Steps []stepSeen
	}
	var view struct {
		Total   int
		Purpose string
		Commits []markSeen
	}
	var keys map[string]json.RawMessage
	err := errors.Join(w.json(p, &trace, "--log", "-b", b.Name, "--steps", "1000000", "--json"),
		w.json(p, &view, "--branch", b.Name, "--limit", "1000000", "--json"),
		w.json(p, &keys, "metadata", "get", strings.TrimSuffix(keyPrefix, "."), "-b", b.Name, "--json"))
	if err == nil && (trace.Total != len(trace.Steps) || view.Total != len(view.Commits) || b.Commits != view.Total) {
		err = fmt.Errorf("branch '%s': %d steps of %d, %d milestones of %d and %d", b.Name, len(trace.Steps), trace.Total, len(view.Commits), view.Total, b.Commits)
	}
	b.steps, b.marks, b.keys = trace.Steps, view.Commits, map[string]string{}
	slices.Reverse(b.marks)
	for key, value := range keys {
		b.keys[keyPrefix+key] = string(value)
	}
	return err
}

// lookAtTopics reads the files of all topics of all branches with one git.
func (w *modelWorld) lookAtTopics(p modelPlace, seen *modelSeen) error {
	var ask strings.Builder
	type place struct{ branch, key string }
	var places []place
	for name := range seen.branches {
		for _, key := range topicNames() {
			places = append(places, place{name, key})
			fmt.Fprintf(&ask, "refs/context/heads/%s:topics/%s.md\n", name, key)
		}
	}
	out, err := w.git(p.dir, ask.String(), "cat-file", "--batch")
	if err != nil {
		return err
	}
	for _, at := range places {
		head, rest, _ := strings.Cut(out, "\n")
		b := seen.branches[at.branch]
		if b.topics == nil {
			b.topics = map[string]string{}
		}
		if out = rest; strings.HasSuffix(head, " missing") {
			continue
		}
		var oid, kind string
		var size int
		if _, err := fmt.Sscan(head, &oid, &kind, &size); err != nil || size >= len(rest) {
			return fmt.Errorf("cat-file says %q: %w", head, err)
		}
		b.topics[at.key], out = rest[:size], rest[size+1:]
	}
	return nil
}
