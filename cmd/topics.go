package cmd

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs"
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

// topicDetails are topics with their texts.
type topicDetails struct {
	Topics []topicDetail `json:"topics"`
	At     *store.At     `json:"at"`
}

// topicDetail is one topic with its exact text.
type topicDetail struct {
	store.Topic
	Text       string    `json:"text"`
	Supersedes string    `json:"supersedes"`
	Code       *git.ID   `json:"code"`    // the code HEAD that it was written on or confirmed for
	Changed    []string  `json:"changed"` // the paths that changed since; nil: unknown
	At         *store.At `json:"at"`      // nil: now
}

func newTopics(g *globals) *command { return topicsCommand(g, "topics") }

// newTopic is the same command under the name that suits one topic.
func newTopic(g *globals) *command { return topicsCommand(g, "topic") }

func topicsCommand(g *globals, name string) *command {
	o := &topicsOptions{globals: g}
	g.offline = true
	own := []cli.Flag{
		toggle(&o.all, "--all", "also list topics that another one supersedes"),
		toggle(&o.stale, "--stale", "list only topics whose files have changed in the code since"),
		atFlag(&o.at),
	}
	return &command{
		name:  name,
		usage: []string{name + " [--all] [--stale] [--at C]", name + " KEY... [--at C]"},
		about: "Lists the topics of the branch: key, who wrote it and when, whether it is pinned, in " +
			"parentheses the files that it describes, after 'stale:' those that have changed, and the first " +
			"line of the text. With KEYs it shows their texts, and on standard error which files have changed; " +
			"with --json a text is exact to the byte. A file has changed if it differs between the code's HEAD " +
			"and the code commit that the topic was written on or confirmed for. Edits that are not committed " +
			"do not count; nor does the first commit of a file that had such edits when the topic was written. " +
			"Views of the past do not show what was stale. 'topic' and 'topics' are the same command.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			name,
			name + " --stale",
			name + " db-pool",
		},
		globals: g,
		flags:   join(own, g.flags()),
		most:    unlimited,
		action: func(ctx context.Context, env *Env, keys []string) error {
			if len(keys) > 0 {
				return showTopics(ctx, env, o, keys)
			}
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

// showTopics shows the texts of topics: one as it is, several each under its key.
func showTopics(ctx context.Context, env *Env, o *topicsOptions, keys []string) error {
	d, err := readTopics(ctx, env, o, keys)
	if err != nil {
		return err
	}
	if !o.json { // on standard error: scripts compare the text
		o.sayState(env, d)
	}
	if len(keys) == 1 {
		return o.view(ctx, env, d.Topics[0], func(p *render.Printer) { block(p, d.Topics[0].Text) })
	}
	return o.view(ctx, env, d, func(p *render.Printer) {
		for i, t := range d.Topics {
			if i > 0 {
				line(p, "")
			}
			line(p, "## %s", t.Key)
			line(p, "")
			block(p, t.Text)
		}
	})
}

// sayState says as of when the topics are, and which are stale.
func (o *topicsOptions) sayState(env *Env, d topicDetails) {
	if d.At != nil {
		env.say("", render.AtLine(d.At))
	}
	for _, t := range d.Topics {
		if !isStale(t.Topic) {
			continue
		}
		about := render.StaleLine(t.Staleness)
		if len(d.Topics) > 1 {
			about = t.Key + ": " + about
		}
		env.say("stale: ", about)
	}
}

func readTopics(ctx context.Context, env *Env, o *topicsOptions, keys []string) (d topicDetails, err error) {
	if o.all || o.stale {
		return d, usagef("--all and --stale list topics; they cannot be given with a key").
			hint("git context topics")
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return d, err
	}
	defer closing(s, &err)
	tip, err := history.At(ctx, s, o.branch, o.at)
	if err != nil {
		return d, err
	}
	d.At = tip.At()
	for _, key := range keys {
		t, err := readTopic(ctx, s, tip, key)
		if err != nil {
			return d, err
		}
		d.Topics = append(d.Topics, t)
	}
	return d, nil
}

func readTopic(ctx context.Context, s *refs.Store, tip *store.Tip, key string) (topicDetail, error) {
	topic, err := code.Topic(ctx, s, tip, topicKey(key))
	t := topicDetail{Topic: topic, Text: topic.Text, Supersedes: topic.Supersedes, Code: topic.Base, At: tip.At()}
	if topic.Stale != nil {
		t.Changed = append([]string{}, topic.Changed...)
	}
	return t, err
}
