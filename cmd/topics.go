package cmd

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type topicsOptions struct {
	*globals
	all, stale bool
	at         string
}

// topicList is the topics of a branch.
type topicList struct {
	Topics []store.Topic `json:"topics"`
	At     *store.At     `json:"at"` // nil: now
}

func newTopics(g *globals) *command {
	o := &topicsOptions{globals: g}
	own := []cli.Flag{
		toggle(&o.all, "--all", "list topics that another one supersedes, too"),
		toggle(&o.stale, "--stale", "list only topics whose files have changed in the code since"),
		atFlag(&o.at),
	}
	return &command{
		name:  "topics",
		usage: []string{"topics [--all] [--stale] [--at C]"},
		about: "Lists the topics of the branch: key, who wrote it and when, in parentheses the files it speaks of, and " +
			"behind 'stale:' those that have changed: they are not at the code's HEAD what they were in the code " +
			"commit that the topic was written on. Edits that are not committed do not count. What was stale in " +
			"the past is not known.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"topics",
			"topics --stale",
			"topics --json",
		},
		globals: g,
		flags:   join(own, g.flags()),
		action: func(ctx context.Context, env *Env, _ []string) error {
			list, err := runTopics(ctx, env, o)
			if err != nil {
				return err
			}
			return o.view(ctx, env, list, func(p *render.Printer) { printTopics(p, list) })
		},
	}
}

func runTopics(ctx context.Context, env *Env, o *topicsOptions) (list topicList, err error) {
	if o.stale && o.at != "" {
		return list, usagef("--stale is about the code as it is now; it cannot be given with --at").
			hint("git context topics --stale")
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return list, err
	}
	defer closing(s, &err)
	tip, err := history.At(ctx, s, o.branch, o.at)
	if err != nil {
		return list, err
	}
	list.At = tip.At()
	list.Topics, err = code.Topics(ctx, s, tip, o.all)
	if o.stale {
		list.Topics = slices.DeleteFunc(list.Topics, func(t store.Topic) bool { return !isStale(t) })
	}
	return list, err
}

func isStale(t store.Topic) bool { return t.Stale != nil && *t.Stale }

func printTopics(p *render.Printer, v topicList) {
	if v.At != nil {
		line(p, "# %s", render.AtLine(v.At))
	}
	render.TopicsText(p, v.Topics)
}

// topicDetail is one topic with its exact text.
type topicDetail struct {
	store.Topic
	Text       string    `json:"text"`
	Supersedes string    `json:"supersedes"`
	Code       *git.ID   `json:"code"`    // the code HEAD that it was written on
	Changed    []string  `json:"changed"` // the paths that changed since; nil: unknown
	At         *store.At `json:"at"`      // nil: now
}

func newTopic(g *globals) *command {
	at := ""
	return &command{
		name:  "topic",
		usage: []string{"topic KEY [--at C]"},
		about: "Shows the text of one topic, and on standard error which of its files have changed since it was " +
			"written. With --json the text is exact to the byte.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"topic db-pool",
		},
		globals: g,
		flags:   join([]cli.Flag{atFlag(&at)}, g.flags()),
		least:   1, most: 1, needs: "a topic's key",
		action: func(ctx context.Context, env *Env, args []string) error {
			t, err := runTopic(ctx, env, g, at, args[0])
			if err != nil {
				return err
			}
			if t.At != nil && !g.json { // on standard error: scripts compare the text
				env.say("", render.AtLine(t.At))
			}
			if isStale(t.Topic) && !g.json {
				env.say("stale: ", render.StaleLine(t.Staleness))
			}
			return g.view(ctx, env, t, func(p *render.Printer) { block(p, t.Text) })
		},
	}
}

func runTopic(ctx context.Context, env *Env, g *globals, at, key string) (t topicDetail, err error) {
	s, err := g.open(ctx, env)
	if err != nil {
		return t, err
	}
	defer closing(s, &err)
	tip, err := history.At(ctx, s, g.branch, at)
	if err != nil {
		return t, err
	}
	topic, err := code.Topic(ctx, s, tip, key)
	t = topicDetail{Topic: topic, Text: topic.Text, Supersedes: topic.Supersedes, Code: topic.Base, At: tip.At()}
	if topic.Stale != nil {
		t.Changed = append([]string{}, topic.Changed...)
	}
	return t, err
}
