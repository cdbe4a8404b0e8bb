package cmd

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/render"
)

type topicsOptions struct {
	*globals
	all bool
}

func newTopics(g *globals) *command {
	o := &topicsOptions{globals: g}
	own := []cli.Flag{
		toggle(&o.all, "--all", "list topics that another one supersedes, too"),
	}
	return &command{
		name:  "topics",
		usage: []string{"topics [--all]"},
		about: "Lists the topics of the branch: key, who wrote it last and when, the files it speaks of.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"topics",
			"topics --json",
		},
		globals: g,
		flags:   join(own, g.flags()),
		action: func(ctx context.Context, env *Env, _ []string) error {
			list, err := runTopics(ctx, env, o)
			if err != nil {
				return err
			}
			value := struct {
				Topics []refs.Topic `json:"topics"`
			}{list}
			return o.view(ctx, env, value, func(p *render.Printer) { printTopics(p, list) })
		},
	}
}

func runTopics(ctx context.Context, env *Env, o *topicsOptions) (list []refs.Topic, err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return nil, err
	}
	defer closing(s, &err)
	return s.Topics(ctx, o.all)
}

func printTopics(p *render.Printer, list []refs.Topic) {
	width := 0
	for _, t := range list {
		width = max(width, len(t.Key))
	}
	for _, t := range list {
		paths := ""
		if len(t.Paths) > 0 {
			paths = " (" + strings.Join(t.Paths, ", ") + ")"
		}
		line(p, "%-*s %s %s%s", width, t.Key, t.UpdatedAt.UTC().Format("2006-01-02"), t.Agent, paths)
	}
}

// topicDetail is one topic with its text, exact.
type topicDetail struct {
	refs.Topic
	Text       string `json:"text"`
	Supersedes string `json:"supersedes"`
}

func newTopic(g *globals) *command {
	return &command{
		name:  "topic",
		usage: []string{"topic KEY"},
		about: "Shows the text of one topic. With --json it is exact to the byte.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"topic db-pool",
		},
		globals: g,
		flags:   g.flags(),
		least:   1, most: 1, needs: "a topic's key",
		action: func(ctx context.Context, env *Env, args []string) error {
			t, err := runTopic(ctx, env, g, args[0])
			if err != nil {
				return err
			}
			return g.view(ctx, env, t, func(p *render.Printer) { block(p, t.Text) })
		},
	}
}

func runTopic(ctx context.Context, env *Env, g *globals, key string) (t topicDetail, err error) {
	s, err := g.open(ctx, env)
	if err != nil {
		return t, err
	}
	defer closing(s, &err)
	topic, err := s.Topic(ctx, key)
	return topicDetail{Topic: topic, Text: topic.Text, Supersedes: topic.Supersedes}, err
}
