//go:build unix

package test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// end brings all clones together, and holds all views of them, and of the hub, against the
// model.
func (g *game) end() error {
	for round := range 2 { // the second brings the first ones what the last one had left
		for _, place := range modelPlaces() {
			if place.worktree > 0 {
				continue
			}
			if err := g.last(place, round > 0); err != nil {
				return err
			}
		}
	}
	if g.forgets {
		if err := g.forgetAll(); err != nil {
			return err
		}
		g.stage = "at the end"
	}
	for _, place := range modelPlaces() {
		if err := g.codeOf(place); err != nil {
			return err
		}
		if place.worktree == 0 {
			if err := g.views(place); err != nil {
				return fmt.Errorf("at the end, in %s: %w", place.dir, err)
			}
		}
	}
	return g.hub()
}

// last forgets what waits and syncs.
func (g *game) last(place modelPlace, view bool) error {
	k := func() player {
		g.n++
		return player{m: g.m, n: g.n, place: place, at: int64(g.n)}
	}
	if r, b := g.m.at(place, ""); r.held[b] != nil {
		if err := g.run([]modelCommand{k().abort()}, false); err != nil {
			return err
		}
	}
	return g.run([]modelCommand{k().prefer()}, view)
}

// hub holds that what the hub has is what the model says, and sound.
func (g *game) hub() error {
	refs, history, err := g.w.memoryRefs("hub.git")
	if err != nil {
		return err
	}
	if err := g.hashes.side(g.m.hub, "refs/context/heads/", "refs/context/tags/", "refs/context/roadmap", refs, history); err != nil {
		return fmt.Errorf("the hub: %w", err)
	}
	for ref := range refs {
		return fmt.Errorf("the hub: %s should not be there", ref)
	}
	return g.sound("hub.git")
}

// sound holds that git finds nothing wrong.
func (g *game) sound(dir string) error {
	out, err := g.w.git(dir, "", "fsck", "--strict", "--no-dangling")
	if err == nil && out != "" {
		err = fmt.Errorf("git fsck of %s: %s", dir, out)
	}
	return err
}

// views compares what is looked at at the end alone.
func (g *game) views(p modelPlace) error {
	r := g.m.repos[p.repo]
	if _, err := g.w.view(p, "fsck"); err != nil {
		return err
	}
	if err := g.sound(p.dir); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.heads)) {
		if err := g.logOf(p, r, name); err != nil {
			return err
		}
		if err := g.topicsOf(p, r.heads[name], "-b", name); err != nil {
			return err
		}
		if err := g.found(p, r, name); err != nil {
			return err
		}
	}
	list := r.milestones()
	for _, n := range list[max(0, len(list)-2):] {
		if err := g.stoodSo(p, n); err != nil {
			return fmt.Errorf("--at %s: %w", n.mark.id, err)
		}
	}
	return nil
}

// logOf compares git's own history of milestones.
func (g *game) logOf(p modelPlace, r *modelRepo, branch string) error {
	var v struct{ Commits []struct{ ID string } }
	if err := g.w.json(p, &v, "log", branch, "-n", "100000", "--json"); err != nil {
		return err
	}
	got, want := map[string]string{}, map[string]string{}
	for _, c := range v.Commits {
		got[c.ID] = branch
	}
	for n := range ancestors(r.heads[branch]) {
		if n.mark != nil {
			want[n.mark.id] = branch
		}
	}
	return same("milestones of the log", got, want)
}

// topicsOf compares the views of topics of a branch, or of a moment.
func (g *game) topicsOf(p modelPlace, n *modelNode, which ...string) error {
	var v struct{ Topics []struct{ Key string } }
	if err := g.w.json(p, &v, append([]string{"topics", "--all", "--json"}, which...)...); err != nil {
		return err
	}
	var got []string
	for _, t := range v.Topics {
		got = append(got, t.Key)
	}
	want := slices.Sorted(maps.Keys(n.topics))
	if !slices.Equal(got, want) {
		return fmt.Errorf("topics are %q, not %q", got, want)
	}
	for _, key := range want[:min(1, len(want))] {
		var t struct{ Text string }
		if err := g.w.json(p, &t, append([]string{"topic", key, "--json"}, which...)...); err != nil {
			return err
		}
		if t.Text != n.topics[key] {
			return fmt.Errorf("topic '%s' is %q, not %q", key, t.Text, n.topics[key])
		}
	}
	return nil
}

// found holds that search finds the newest recorded step of a branch.
func (g *game) found(p modelPlace, r *modelRepo, branch string) error {
	committed, _ := r.trace(branch)
	for _, s := range slices.Backward(committed) {
		word, job := strings.CutPrefix(s.action, "did ")
		if !job {
			continue
		}
		var v struct{ Hits []struct{ ID string } }
		if err := g.w.json(p, &v, "search", word, "-b", branch, "--json"); err != nil {
			return err
		}
		for _, h := range v.Hits {
			if h.ID == s.id {
				return nil
			}
		}
		return fmt.Errorf("search does not find '%s' on '%s': %v", word, branch, v.Hits)
	}
	return nil
}

// stoodSo compares views of a moment of the past.
func (g *game) stoodSo(p modelPlace, n *modelNode) error {
	at := []string{"--at", n.mark.id}
	var trace struct{ Steps []stepSeen }
	if err := g.w.json(p, &trace, append(at, "--log", "--steps", "1000000", "--json")...); err != nil {
		return err
	}
	got, want := map[string]string{}, map[string]string{}
	for _, s := range trace.Steps {
		got[s.ID] = s.Action
	}
	for s := range n.steps {
		want[s.id] = s.action
	}
	if err := same("steps", got, want); err != nil {
		return err
	}
	x := &matching{r: &modelRepo{modelSide: modelSide{roadmap: n.roadmap}}, seen: &modelSeen{}, texts: map[string]string{}}
	if err := g.w.json(p, &x.seen.roadmap, append([]string{"roadmap", "--json"}, at...)...); err != nil {
		return err
	}
	if err := x.roadmap(); err != nil {
		return fmt.Errorf("the roadmap: %w", err)
	}
	return g.topicsOf(p, n, at...)
}
