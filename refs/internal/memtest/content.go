package memtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// Content is what a branch contains, without the order of its entries and the names of its
// files: branches with equal Content have the same memory. Steps and Commits are sorted lines
// "ID text"; the last line of Plan is the goal.
type Content struct {
	Steps, Commits []string
	Topics         map[string]string
	Metadata       any
	Plan           []string
}

// Content reads a branch and the roadmap. An entry that occurs twice, or a total that does not
// match, is an error of the test.
func (r *Repo) Content(branch string) Content {
	r.T.Helper()
	s, ctx := r.Open(branch), r.T.Context()
	tip, err := s.Tip(ctx, branch)
	r.Must(err)
	c := Content{Topics: map[string]string{}}
	steps, total, err := history.Steps(ctx, s, tip, 0, 1_000_000)
	r.Must(err)
	for _, st := range steps {
		c.Steps = append(c.Steps, st.ID+" "+st.Action)
	}
	marks, most, err := history.Commits(ctx, s, tip, 0, 1_000_000)
	r.Must(err)
	for _, m := range marks {
		c.Commits = append(c.Commits, m.ID+" "+m.Summary)
	}
	for what, list := range map[string][]string{"step": c.Steps, "commit": c.Commits} {
		slices.Sort(list)
		if len(slices.Compact(slices.Clone(list))) != len(list) {
			r.T.Errorf("branch %s: a %s occurs twice: %v", branch, what, list)
		}
	}
	if total != len(steps) || most != len(marks) {
		r.T.Errorf("branch %s: %d steps, %d commits, but its totals are %d, %d",
			branch, len(steps), len(marks), total, most)
	}
	topics, err := history.Topics(ctx, s, tip, true)
	r.Must(err)
	for _, t := range topics {
		whole, err := history.Topic(ctx, s, tip, t.Key)
		r.Must(err)
		c.Topics[t.Key] = whole.Text
	}
	meta, err := tip.Metadata(ctx)
	r.Must(err)
	c.Metadata, _, err = meta.Get("")
	r.Must(err)
	view, _, err := s.Roadmap(ctx, nil)
	r.Must(err)
	for _, list := range [][]store.Item{view.Milestones, view.Todo} {
		for _, it := range list {
			c.Plan = append(c.Plan, PlanLine(it))
		}
	}
	c.Plan = append(append(c.Plan, view.Decisions...), view.Outcomes...)
	slices.Sort(c.Plan)
	c.Plan = append(c.Plan, view.Goal)
	return c
}

// Files lists the files of a branch as `git ls-tree -r` does, without metadata.yaml: the order
// of its keys depends on the side that merged them.
func (r *Repo) Files(branch string) string {
	r.T.Helper()
	var out []string
	for line := range strings.Lines(r.Git("ls-tree", "-r", "refs/context/heads/"+branch)) {
		if !strings.HasSuffix(line, "\tmetadata.yaml\n") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// PlanLine is an item of a check list as Content.Plan has it.
func PlanLine(i store.Item) string {
	return strings.TrimRight(fmt.Sprintf("{%s %t} %s", i.Text, i.Done, i.Outcome), " ")
}
