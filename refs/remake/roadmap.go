package remake

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

const (
	mostPast    = 200       // how many commits of the roadmap and of each branch tell who writes here
	mostWaited  = 60        // seconds between the time of a commit and that of its line in the reflog
	mostHashed  = 1_000_000 // how many forms of one commit are tried
	mostChanges = 8         // how many changes of one command are looked at
	mostLost    = 50        // how many commits of the roadmap are written again
	mostOld     = 20        // how many trees of commits that are here are tried
	mostRoadmap = 1000      // how many of its trees that no commit has are read
)

// initialSubject is the message of the first commit, and of what init adds.
const initialSubject = "Initialize the roadmap"

// roadmapCommits finds lost commits of the roadmap.
type roadmapCommits struct {
	s       *store.Store
	past    []*git.Commit     // of the roadmap and of branches, as far as they are here, the newest first
	loose   []planned         // with trees that nothing leads to
	old     []planned         // with trees of commits that are here
	dropped map[git.ID]bool   // trees of commits that nothing leads to
	texts   map[git.ID][]byte // of main.md, by tree
	by      []git.Signature   // who may have committed
	writers []string          // trailers that say which agent wrote
	remotes []string
	tried   int
}

// planned is a tree of the roadmap with its main.md.
type planned struct {
	tree git.ID
	at   time.Time // when its file was written; zero if that is not known
	text *doc.Roadmap
}

// Roadmap returns the lost newest commit of the roadmap, and those before it that are lost, too, as far as what is here tells all of them:
// the tree is here, though nothing may lead to it; the reflog tells the parent, who, when and why, and other commits who writes here. Where
// no reflog does, what differs from the parent tells why, and the file of the tree when. The hash proves a commit.
//
// If there is none, tree is one that extends what former has, a commit that is here, or "", see [roadmapCommits.extends]; "" for none.
func Roadmap(ctx context.Context, s *store.Store, lost, former git.ID) (list []*git.Commit, tree git.ID, err error) {
	f, err := readRoadmaps(ctx, s, lost)
	if err != nil {
		return nil, "", err
	}
	if list, err = f.line(ctx, lost); err == nil && len(list) == 0 {
		tree, err = f.extends(ctx, former)
	}
	return list, tree, err
}

// line returns a lost commit, and those before it that are lost.
func (f *roadmapCommits) line(ctx context.Context, lost git.ID) (list []*git.Commit, err error) {
	for id := lost; len(list) < mostLost; {
		c, err := f.find(ctx, id)
		if c == nil || err != nil {
			return list, err
		}
		list = append(list, c)
		if len(c.Parents) == 0 {
			return list, nil
		}
		id = c.Parents[0]
		if _, err := f.s.Repo().Commit(ctx, id); !errors.Is(err, git.ErrNotFound) {
			return list, err
		}
	}
	return list, nil
}

func readRoadmaps(ctx context.Context, s *store.Store, lost git.ID) (*roadmapCommits, error) {
	f := &roadmapCommits{s: s, texts: map[git.ID][]byte{}, dropped: map[git.ID]bool{}}
	starts, err := f.readLoose(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.readPast(ctx, lost, starts); err != nil {
		return nil, err
	}
	if err := f.readOld(ctx); err != nil {
		return nil, err
	}
	if f.remotes, err = s.Repo().Remotes(ctx); err != nil {
		return nil, err
	}
	if ident, err := s.Identity(ctx); err == nil {
		f.addWriter(git.Signature{Name: ident.Name, Email: ident.Email}, "")
	}
	for _, c := range f.past {
		var t strings.Builder
		for _, key := range []string{store.TrailerAgent, store.TrailerSession, store.TrailerModel} {
			if value := c.Trailer(key); value != "" {
				t.WriteString(key + ": " + value + "\n")
			}
		}
		f.addWriter(c.Committer, t.String())
	}
	return f, nil
}

// addWriter adds who may have written the lost commit. Without trailers the agent has the committer's name.
func (f *roadmapCommits) addWriter(by git.Signature, trailers string) {
	by.When = time.Time{}
	if !slices.Contains(f.by, by) {
		f.by = append(f.by, by)
	}
	for _, t := range []string{trailers, store.TrailerAgent + ": " + cmp.Or(doc.AgentName(by.Name), "unknown") + "\n"} {
		if t != "" && !slices.Contains(f.writers, t) {
			f.writers = append(f.writers, t)
		}
	}
}

// readPast reads the newest commits of the roadmap and of branches: some, what reflogs and branches name, and those before. What is lost
// or damaged ends a line of history.
func (f *roadmapCommits) readPast(ctx context.Context, lost git.ID, starts []git.ID) error {
	refs, err := f.s.Repo().Refs(ctx, git.BranchPrefix, git.TagPrefix, git.RemotePrefix)
	if err != nil {
		return err
	}
	past, err := f.s.Repo().RefPast(ctx, git.RoadmapRef)
	if err != nil {
		return err
	}
	starts = slices.Concat(starts, past, expunge.UniqueIDs(refs))
	seen := map[git.ID]bool{lost: true}
	for at := 0; at < len(starts); at++ {
		for n, id := 0, starts[at]; n < mostPast && !seen[id]; n++ {
			seen[id] = true
			c, err := f.s.Repo().Commit(ctx, id)
			if err != nil {
				break
			}
			f.past = append(f.past, c)
			if roadmap, _ := store.ParseRoadmap(c.Trailer(store.TrailerRoadmap)); f.s.Repo().IsID(string(roadmap)) && !seen[roadmap] {
				starts = append(starts, roadmap)
			}
			if len(c.Parents) == 0 {
				break
			}
			id = c.Parents[0]
		}
	}
	slices.SortStableFunc(f.past, func(a, b *git.Commit) int { return b.Committer.When.Compare(a.Committer.When) })
	return ctx.Err()
}

// readLoose reads the trees that nothing leads to and no commit has, and lists the commits that nothing leads to: also those of the roadmap,
// whose newest one is lost.
func (f *roadmapCommits) readLoose(ctx context.Context) (commits []git.ID, err error) {
	infos, err := f.s.Repo().UnreachableInfos(ctx)
	if err != nil {
		return nil, err
	}
	for _, info := range infos {
		if info.Type != "commit" {
			continue
		}
		if c, err := f.s.Repo().Commit(ctx, info.ID); err == nil {
			f.dropped[c.Tree], commits = true, append(commits, info.ID)
		}
	}
	for _, info := range infos {
		if info.Type != "tree" || f.dropped[info.ID] || len(f.loose) == mostRoadmap {
			continue
		}
		p, ok, err := f.plan(ctx, info.ID)
		if err != nil {
			return nil, err
		}
		if ok {
			f.loose = append(f.loose, p)
		}
	}
	return commits, nil
}

// readOld reads the trees of the roadmap's commits.
func (f *roadmapCommits) readOld(ctx context.Context) error {
	for _, c := range f.past {
		if _, known := f.texts[c.Tree]; known || store.BranchOf(c) != "" {
			continue
		}
		p, ok, err := f.plan(ctx, c.Tree)
		if err != nil {
			return err
		}
		if ok {
			f.old = append(f.old, p)
		}
	}
	return nil
}

// plan reads a tree of the roadmap; false for another one, and for one whose text is lost or damaged.
func (f *roadmapCommits) plan(ctx context.Context, tree git.ID) (p planned, ok bool, err error) {
	list, err := f.s.Repo().Tree(ctx, tree)
	if err != nil {
		return p, false, ctx.Err()
	}
	p.tree = tree
	for _, e := range list {
		if e.IsTree() || e.Name != doc.RoadmapFile && e.Name != doc.ExpungedFile {
			return p, false, nil
		}
		if e.Name != doc.RoadmapFile {
			continue
		}
		data, err := f.s.Repo().Blob(ctx, e.ID)
		if err != nil {
			return p, false, ctx.Err()
		}
		f.texts[tree], p.text = data, doc.ParseRoadmap(data)
	}
	if file, here := f.s.Repo().LooseFile(tree); here {
		if info, err := os.Stat(file); err == nil {
			p.at = info.ModTime()
		}
	}
	return p, p.text != nil, nil
}

// find returns one lost commit; nil for none that has the hash.
func (f *roadmapCommits) find(ctx context.Context, id git.ID) (*git.Commit, error) {
	m, who, logged, err := f.s.Repo().MoveTo(ctx, git.RoadmapRef, id)
	if err != nil {
		return nil, err
	}
	logged = logged && (who.Name != "" || !m.Old.IsZero()) // git makes a first line of an empty reflog
	f.tried = 0
	for _, trees := range [][]planned{f.loose, f.old[:min(len(f.old), mostOld)]} {
		for _, parents := range f.mayFollow(m, logged) {
			before, err := f.textsOf(ctx, parents)
			if err != nil {
				return nil, err
			}
			for _, p := range trees {
				var subjects []string
				switch len(parents) {
				case 0:
					subjects = []string{initialSubject}
				case 1:
					subjects = f.subjects(m.Reason, before, p.text, id)
				default:
					subjects = f.merges()
				}
				c := f.match(id, git.Commit{Tree: p.tree, Parents: parents}, subjects, f.signed(who, p, id))
				if c != nil || f.tried > mostHashed || ctx.Err() != nil {
					return c, ctx.Err()
				}
			}
		}
	}
	return nil, nil
}

// textsOf returns the roadmap that the first of some parents had, or each that it may have had if it is lost.
func (f *roadmapCommits) textsOf(ctx context.Context, parents []git.ID) (list []*doc.Roadmap, err error) {
	if len(parents) == 0 {
		return nil, nil
	}
	c, err := f.s.Repo().Commit(ctx, parents[0])
	if err == nil {
		return append(list, doc.ParseRoadmap(f.texts[c.Tree])), nil
	}
	for _, p := range slices.Concat(f.loose, f.old[:min(len(f.old), mostOld)]) {
		list = append(list, p.text)
	}
	return list, ctx.Err()
}

// mayFollow lists the parents that a commit may have: what the ref named before, with what was merged if a remote has it, or one of
// the commits that are here.
func (f *roadmapCommits) mayFollow(m git.RefMove, logged bool) (list [][]git.ID) {
	if logged && m.Old.IsZero() {
		return [][]git.ID{nil}
	}
	var roadmaps []git.ID
	for _, c := range f.past {
		if store.BranchOf(c) == "" && len(roadmaps) < 10 {
			roadmaps = append(roadmaps, c.ID)
		}
	}
	if !logged {
		for _, id := range roadmaps {
			list = append(list, []git.ID{id})
		}
		return append(list, nil)
	}
	list = append(list, []git.ID{m.Old})
	for _, id := range roadmaps {
		if id != m.Old {
			list = append(list, []git.ID{m.Old, id})
		}
	}
	return list
}

// signed lists who may have committed a tree, and when.
func (f *roadmapCommits) signed(who git.Signature, p planned, id git.ID) (list []git.Signature) {
	by, last := f.by, who.When
	if who.Name != "" {
		by = []git.Signature{who}
	}
	var times []time.Time
	for _, c := range f.past {
		if roadmap, _ := store.ParseRoadmap(c.Trailer(store.TrailerRoadmap)); roadmap == id {
			times = append(times, c.Committer.When)
		}
	}
	if last.IsZero() {
		for _, c := range f.past[:min(len(f.past), mostOld)] { // one after another, or with the same date
			times = append(times, c.Committer.When, c.Committer.When.Add(time.Second))
		}
		slices.SortFunc(times, time.Time.Compare)
		times = slices.CompactFunc(times, time.Time.Equal)
		if !p.at.IsZero() {
			last = p.at.Add(2 * time.Second)
		}
	}
	if !last.IsZero() {
		for n := range mostWaited {
			times = append(times, last.Add(-time.Duration(n)*time.Second))
		}
	}
	for _, s := range by {
		for _, at := range times {
			s.When = at.UTC().Truncate(time.Second)
			list = append(list, s)
		}
	}
	return list
}

// match returns the commit that has the hash.
func (f *roadmapCommits) match(id git.ID, c git.Commit, subjects []string, signed []git.Signature) *git.Commit {
	for _, subject := range subjects {
		for _, removes := range []string{"", store.TrailerRemoves + ": " + doc.RoadmapFile + "\n"} {
			for _, by := range f.writers {
				c.Message = store.RoadmapSubject(subject) + "\n\n" + removes + by
				for _, s := range signed {
					c.Author, c.Committer = s, s
					if f.tried++; f.s.Repo().CommitID(&c) == id {
						c.ID = id
						return &c
					}
				}
			}
		}
	}
	return nil
}

// subjects lists what the message of a commit may say: what the reflog does; the COMMIT that was made with it; and the change that was made.
func (f *roadmapCommits) subjects(reason string, before []*doc.Roadmap, now *doc.Roadmap, id git.ID) (list []string) {
	add := func(text string) {
		if text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if _, text, ok := strings.Cut(reason, ": "); ok {
		add(text)
	}
	for _, c := range f.past {
		if roadmap, _ := store.ParseRoadmap(c.Trailer(store.TrailerRoadmap)); roadmap == id && store.BranchOf(c) != "" {
			add(c.Subject())
		}
	}
	add(initialSubject)
	for _, was := range before {
		if made := changes(was, now); len(made) <= mostChanges {
			for _, text := range made {
				add(text)
			}
		}
	}
	return list
}

// merges lists what the message of a merge may say.
func (f *roadmapCommits) merges() (list []string) {
	for _, name := range f.remotes {
		list = append(list, "Merge the roadmap of "+name)
	}
	return list
}

// changes lists the summaries that one change of a roadmap may have.
func changes(before, now *doc.Roadmap) (list []string) {
	for verb, lists := range map[string][2][]doc.Item{
		"todo": {before.Todo(), now.Todo()}, "milestone": {before.Milestones(), now.Milestones()},
	} {
		for _, it := range lists[1] {
			switch at := slices.IndexFunc(lists[0], func(o doc.Item) bool { return o.Text == it.Text }); {
			case at < 0:
				list = append(list, doc.RevisionSubject(verb+" add", it.Text))
			case it.Done != lists[0][at].Done || it.Outcome != lists[0][at].Outcome:
				list = append(list, doc.RevisionSubject(verb+" done", it.Text), doc.RevisionSubject(verb+" undo", it.Text))
			}
		}
		for _, it := range lists[0] {
			if !slices.ContainsFunc(lists[1], func(o doc.Item) bool { return o.Text == it.Text }) {
				list = append(list, doc.RevisionSubject(verb+" remove", it.Text))
			}
		}
	}
	for verb, lists := range map[string][2][]string{
		"decide": {before.Decisions(), now.Decisions()}, "ask": {before.Questions(), now.Questions()},
		"answer": {now.Questions(), before.Questions()}, "": {before.Outcomes(), now.Outcomes()},
	} {
		for _, text := range lists[1] {
			switch {
			case slices.Contains(lists[0], text):
			case verb == "": // of a branch, see package merge
				list = append(list, text)
			default:
				list = append(list, doc.RevisionSubject(verb, text))
			}
		}
	}
	if now.Goal() != before.Goal() {
		list = append(list, doc.RevisionSubject("goal", now.Goal()))
	}
	return list
}
