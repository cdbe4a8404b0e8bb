package cmd

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/store"
)

// How much is offered: the newest milestones, the branches and tags of the code, and how
// many topics are opened for their first lines.
const (
	offeredMilestones = 20
	offeredCode       = 1000
	describedTopics   = 100
)

// memory opens the memory that the command line is about, for reading alone.
func (o *offers) memory(ctx context.Context) (*refs.Store, error) {
	if o.store != nil {
		return o.store, nil
	}
	branch := append(o.typed.values("branch"), o.typed.values("b")...)
	if len(branch) == 0 {
		branch = []string{o.env.getenv("GIT_CONTEXT_BRANCH")}
	}
	var err error
	o.store, err = refs.Open(ctx, store.Options{
		Dir: o.env.in(o.typed.values("C")).Dir,
		// A clone that lacks objects would ask its remote for them, at each TAB.
		Env:      append(slices.Clip(o.env.Environ), "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"),
		Now:      o.env.Now,
		Branch:   branch[len(branch)-1],
		Trace:    o.env.trace,
		ReadOnly: true,
	})
	return o.store, err
}

func (o *offers) close() error {
	if o.store == nil {
		return nil
	}
	return o.store.Close()
}

// named offers what a Store lists, which is asked once: an argument may mean the same
// in several forms.
func (o *offers) named(ctx context.Context, kind string, list func(context.Context, *refs.Store) ([]history.Named, error)) error {
	s, err := o.memory(ctx)
	if err != nil {
		return err
	}
	names, known := o.known[kind]
	if !known {
		names, err = list(ctx, s)
		o.known[kind] = names
	}
	for _, n := range names {
		o.add(kind, n.About, n.Name)
	}
	return err
}

func (o *offers) branches(ctx context.Context) error {
	return o.named(ctx, "branches", func(ctx context.Context, s *refs.Store) ([]history.Named, error) {
		return history.NamedBranches(ctx, s, !o.bare)
	})
}

func (o *offers) tags(ctx context.Context) error {
	return o.named(ctx, "tags", func(ctx context.Context, s *refs.Store) ([]history.Named, error) {
		return history.NamedTags(ctx, s, !o.bare)
	})
}

func (o *offers) deleted(ctx context.Context) error {
	return o.named(ctx, "deleted branches", func(ctx context.Context, s *refs.Store) ([]history.Named, error) {
		return history.NamedDeleted(ctx, s, !o.bare)
	})
}

// onRemote offers what may be deleted on the remote that the line names.
func (o *offers) onRemote(ctx context.Context) error {
	return o.named(ctx, "on the remote", func(ctx context.Context, s *refs.Store) ([]history.Named, error) {
		return history.NamedAt(ctx, s, o.typed.args[0], !o.bare)
	})
}

// switchable offers branches, those too that only a remote has: switch makes them.
func (o *offers) switchable(ctx context.Context) error {
	err := o.branches(ctx)
	return cmp.Or(err, o.named(ctx, "branches of remotes", func(ctx context.Context, s *refs.Store) (all []history.Named, err error) {
		remotes, err := s.Repo().Remotes(ctx)
		for _, remote := range remotes {
			var list []history.Named
			if list, err = history.NamedAt(ctx, s, remote, !o.bare); err != nil {
				break
			}
			all = append(all, list...)
		}
		return slices.DeleteFunc(all, func(n history.Named) bool { return strings.HasPrefix(n.Name, "tags/") }), err
	}))
}

func (o *offers) remotes(ctx context.Context) error {
	s, err := o.memory(ctx)
	if err != nil {
		return err
	}
	names, err := s.Repo().Remotes(ctx)
	o.add("remotes", "", names...)
	return err
}

// tracked offers the branches of remotes, once something is typed: before that they would
// be the branches once more.
func (o *offers) tracked(ctx context.Context) error {
	if o.word == "" {
		return nil
	}
	return o.named(ctx, "tracked branches", func(ctx context.Context, s *refs.Store) ([]history.Named, error) {
		return history.NamedTracked(ctx, s, !o.bare)
	})
}

// revision offers what names a milestone: branches, tags, the hashes of the newest.
func (o *offers) revision(ctx context.Context) error {
	if strings.Contains(o.word, "..") {
		return nil // a range is typed, which is another argument than this
	}
	if rest, ok := strings.CutPrefix(o.word, "^"); ok {
		o.lead, o.word = o.lead+"^", rest
	}
	err := cmp.Or(o.branches(ctx), o.tags(ctx), o.tracked(ctx))
	// A hash without what it is says nothing to people, until they have begun one.
	if err != nil || o.bare && o.word == "" {
		return err
	}
	return o.recent(ctx, func(m history.RecentCommit) { o.add("milestones", m.Summary, m.Commit.Short()) })
}

// revisionRange offers the same for each end of a range.
func (o *offers) revisionRange(ctx context.Context) error {
	o.cutRange()
	return o.revision(ctx)
}

func (o *offers) cutRange() {
	if a, dots, b := history.SplitRange(o.word); dots != "" {
		o.lead, o.word = o.lead+a+dots, b
	}
}

// code offers the branches and tags of the code.
func (o *offers) code(ctx context.Context) error {
	o.add("code", "", "HEAD")
	return o.named(ctx, "code", func(ctx context.Context, s *refs.Store) ([]history.Named, error) {
		return history.NamedCode(ctx, s, offeredCode)
	})
}

func (o *offers) codeRange(ctx context.Context) error {
	o.cutRange()
	return o.code(ctx)
}

// moment offers what --at takes: memory's past, or the code's.
func (o *offers) moment(ctx context.Context) error {
	return cmp.Or(o.revision(ctx), o.code(ctx))
}

func (o *offers) ids(ctx context.Context) error {
	return o.recent(ctx, func(m history.RecentCommit) { o.add("milestones", m.Summary, m.ID) })
}

func (o *offers) agents(ctx context.Context) error {
	return o.recent(ctx, func(m history.RecentCommit) { o.add("agents", "", m.Agent) })
}

// recent looks at the newest milestones, which are asked for once.
func (o *offers) recent(ctx context.Context, each func(history.RecentCommit)) error {
	return o.atTip(ctx, func(s *refs.Store, tip *store.Tip) (err error) {
		if o.newest == nil {
			o.newest, err = history.Recent(ctx, s, tip, offeredMilestones)
		}
		for _, m := range o.newest {
			each(m)
		}
		return err
	})
}

// atTip looks at the branch that the command line is about.
func (o *offers) atTip(ctx context.Context, look func(*refs.Store, *store.Tip) error) error {
	s, err := o.memory(ctx)
	if err != nil {
		return err
	}
	tip, err := s.Tip(ctx, "")
	if err != nil {
		return err
	}
	return look(s, tip)
}

func (o *offers) topics(ctx context.Context) error {
	return o.atTip(ctx, func(s *refs.Store, tip *store.Tip) error {
		keys, err := history.TopicKeys(ctx, s, tip)
		if o.bare || len(keys) > describedTopics {
			o.add("topics", "", keys...)
			return err
		}
		for _, key := range keys {
			data, err := s.Document(ctx, tip, doc.TopicPath(key))
			if err != nil {
				return err
			}
			about, _ := doc.ParseTopic(data) // one that cannot be read has no text, but its key
			text, _, _ := strings.Cut(strings.TrimSpace(about.Text), "\n")
			o.add("topics", text, key)
		}
		return err
	})
}

// blamed offers what blame knows beside topics, too.
func (o *offers) blamed(ctx context.Context) error {
	err := o.topics(ctx)
	o.add("documents", "", doc.MetadataFile, doc.RoadmapFile)
	return err
}

// documents offers paths of a memory branch's tree.
func (o *offers) documents(ctx context.Context) error {
	o.add("documents", "", doc.CommitFile, doc.CommitDir, doc.LogFile, doc.LogDir, doc.MetadataFile, doc.TopicDir)
	return o.atTip(ctx, func(s *refs.Store, tip *store.Tip) error {
		keys, err := history.TopicKeys(ctx, s, tip)
		for _, key := range keys {
			o.add("documents", "", doc.TopicPath(key))
		}
		return err
	})
}

// segments offers paths of metadata.yaml: one key more than the word has.
func (o *offers) segments(ctx context.Context) error {
	return o.atTip(ctx, func(s *refs.Store, tip *store.Tip) error {
		m, err := s.Metadata(ctx, tip)
		if err != nil {
			return err
		}
		for _, key := range m.Keys() {
			path := doc.JoinPath(key)
			value, _, err := m.Get(path)
			if err != nil {
				return err
			}
			o.paths(value, strings.Count(o.word, ".")+1, key)
		}
		return nil
	})
}

// paths offers a path, and those below it that are so much deeper.
func (o *offers) paths(value any, deeper int, keys ...string) {
	o.add("segments", "", doc.JoinPath(keys...))
	below, ok := value.(map[string]any)
	if !ok || deeper == 0 {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(below)) {
		o.paths(below[key], deeper-1, append(slices.Clip(keys), key)...)
	}
}

// items offers those of the roadmap that the command line can be about: what is to be
// ticked is open, what is to be opened again is not.
func (o *offers) items(ctx context.Context) error {
	list, verb := o.typed.args[0], o.typed.args[1]
	if verb == "add" {
		return nil
	}
	return o.roadmap(ctx, func(v store.RoadmapView) {
		items := v.Milestones
		if list == "todo" {
			items = v.Todo
		}
		for _, item := range items {
			if verb == "remove" || item.Done == (verb == "undo") {
				o.add("roadmap", "", item.Text)
			}
		}
	})
}

// open offers what the roadmap has open.
func (o *offers) open(ctx context.Context) error {
	return o.roadmap(ctx, func(v store.RoadmapView) {
		for _, item := range slices.Concat(v.Milestones, v.Todo) {
			if !item.Done {
				o.add("roadmap", "", item.Text)
			}
		}
	})
}

func (o *offers) sections(ctx context.Context) error {
	return o.roadmap(ctx, func(v store.RoadmapView) { o.add("sections", "", slices.Sorted(maps.Keys(v.Sections))...) })
}

func (o *offers) roadmap(ctx context.Context, look func(store.RoadmapView)) error {
	s, err := o.memory(ctx)
	if err != nil {
		return err
	}
	v, _, err := s.Roadmap(ctx, nil)
	if err == nil {
		look(v)
	}
	return err
}

// conflicts offers what waits to be resolved.
func (o *offers) conflicts(ctx context.Context) error {
	s, err := o.memory(ctx)
	if err != nil {
		return err
	}
	into := append([]string{""}, o.typed.values("into")...)
	waits, err := merge.Waiting(ctx, s, into[len(into)-1])
	for _, c := range waits.Conflicts {
		if !c.Resolved {
			o.add("conflicts", c.Kind, c.Path)
		}
	}
	return err
}
