package complete

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/history"
)

// How many of the newest commits are offered, and up to how many topics each is opened for
// its first line.
const (
	newestCommits   = 20
	describedTopics = 100
)

func (f *finder) named(kind string, names []history.Named, err error) error {
	for _, n := range names {
		f.add(kind, n.About, n.Name)
	}
	return err
}

func (f *finder) branches(ctx context.Context, s *refs.Store) error {
	names, err := history.NamedBranches(ctx, s, f.Describe)
	return f.named("branches", names, err)
}

func (f *finder) tags(ctx context.Context, s *refs.Store) error {
	names, err := history.NamedTags(ctx, s, f.Describe)
	return f.named("tags", names, err)
}

func (f *finder) remotes(ctx context.Context, s *refs.Store) error {
	names, err := s.Repo().Remotes(ctx)
	f.add("remotes", "", names...)
	return err
}

// commits offers what names a commit or the end of a range: branches, tags, the hashes of
// the newest commits. Bash shows a hash without its subject: it gets none until something
// is typed.
func (f *finder) commits(ctx context.Context, s *refs.Store) error {
	if a, dots, b := history.SplitRange(f.Word); dots != "" {
		f.Lead, f.Word = f.Lead+a+dots, b
	} else if rest, ok := strings.CutPrefix(f.Word, "^"); ok {
		f.Lead, f.Word = f.Lead+"^", rest
	}
	err := cmp.Or(f.branches(ctx, s), f.tags(ctx, s))
	if err != nil || f.Word == "" && !f.Describe {
		return err
	}
	tip, err := s.Tip(ctx, "")
	if err != nil {
		return err
	}
	newest, err := history.NamedCommits(ctx, s, tip, newestCommits)
	return f.named("commits", newest, err)
}

func (f *finder) attachments(ctx context.Context, s *refs.Store) error {
	tip, err := s.Tip(ctx, "")
	if err != nil {
		return err
	}
	names, err := history.NamedAttachments(ctx, s, tip)
	f.add("attachments", "", names...)
	return err
}

func (f *finder) topics(ctx context.Context, s *refs.Store) error {
	tip, err := s.Tip(ctx, "")
	if err != nil {
		return err
	}
	keys, err := history.TopicKeys(ctx, s, tip)
	if !f.Describe || len(keys) > describedTopics {
		f.add("topics", "", keys...)
		return err
	}
	for _, key := range keys {
		data, err := tip.Document(ctx, doc.TopicPath(key))
		if err != nil {
			return err
		}
		topic, _ := doc.ParseTopic(data) // one that cannot be read has a key, and no text
		first, _, _ := strings.Cut(strings.TrimSpace(topic.Text), "\n")
		f.add("topics", first, key)
	}
	return err
}

// questions offers the open questions of the roadmap, to answer one.
func (f *finder) questions(ctx context.Context, s *refs.Store) error {
	v, _, err := s.Roadmap(ctx, nil)
	for _, question := range v.Questions {
		f.add("roadmap", "", question)
	}
	return err
}

// items offers items of the roadmap: open ones to tick, ticked ones to open again.
func (f *finder) items(ctx context.Context, s *refs.Store) error {
	v, _, err := s.Roadmap(ctx, nil)
	items, verb := slices.Concat(v.Milestones, v.Todo), "done" // --done
	if f.Args[0] == "roadmap" {
		if items, verb = v.Milestones, f.Args[2]; f.Args[1] == "todo" {
			items = v.Todo
		}
	}
	for _, item := range items {
		if verb == "remove" || verb != "add" && item.Done == (verb == "undo") {
			f.add("roadmap", "", item.Text)
		}
	}
	return err
}
