package history

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// LogOptions select the commits of a log.
type LogOptions struct {
	Revs   []string // REV, ^REV, A..B, A...B; empty: the current branch
	All    bool     // every memory branch and tag
	Filter Filter
	Agent  string // exact; empty: any
	Most   int    // the maximal number of commits that the rest selects; negative: no limit
	Topo   bool   // children before parents, and lines of work not mixed, as a graph needs
	Judged bool   // read the notes

	Arguments Arguments
}

// CommitLog is the result of Log.
type CommitLog struct {
	Revs    []string // for git: patterns of refs, --end-of-options, full hashes with ^ and ...
	Commits []Logged // in git log's order
}

// Logged is a commit of a log. If the log selects by paths or by changed text, it includes
// memory commits without an entry in commit.md.
type Logged struct {
	Commit    git.ID
	ID        string // of its entry in commit.md; "" without one
	Branch    string
	Code      git.ID          // "" for none
	By        store.Authored  // of the commit
	Judgement notes.Judgement // empty if notes were not read
}

// Log lists commits through git log, and ends git when it has o.Most of them. It returns an
// error of the kind fail.ErrInvalid for a revision of the code, and fail.ErrNotFound for an
// unknown one.
func Log(ctx context.Context, s *store.Store, o LogOptions) (CommitLog, error) {
	l := CommitLog{}
	if err := o.Filter.Check(); err != nil {
		return l, err
	}
	var err error
	if l.Revs, err = logRevs(ctx, s, o); err != nil || o.Most == 0 {
		return l, err
	}
	var tagged map[git.ID][]string
	if o.Filter.Outcome != "" {
		if tagged, err = TagNames(ctx, s); err != nil {
			return l, err
		}
	}
	args, note := o.selection(l.Revs)
	w := logWalk{list: &l, most: o.Most, whole: len(o.Arguments.Select) == 0 && len(o.Arguments.Paths) == 0}
	err = s.LogIDs(ctx, args, func(f [][]byte) error {
		m := loggedFrom(f)
		w.see(m, ParentsOf(f[8]), SecondsOf(f[9]))
		var err error
		if m.By, err = s.By(ctx, string(f[6]), string(f[7])); err != nil {
			return err
		}
		if m.Branch != "" && (m.ID != "" || o.Arguments.between()) && (o.Agent == "" || string(f[3]) == o.Agent) &&
			o.Filter.Matches(m.Judgement, tagged[m.Commit]) {
			l.Commits = append(l.Commits, m)
		}
		if w.enough(string(f[10])) {
			return git.ErrEnough
		}
		return nil
	}, store.TrailerValue(store.TrailerBranch), store.TrailerValue(store.TrailerAgent),
		store.TrailerValue(store.TrailerCode), note, "%an", "%ae", "%P", "%ct", w.newest())
	if err != nil {
		return l, err
	}
	if o.Most > 0 {
		l.Commits = l.Commits[:min(o.Most, len(l.Commits))]
	}
	if o.Arguments.Reverse {
		slices.Reverse(l.Commits)
	}
	return l, nil
}

// logWalk keeps commits out of a log that only name the entry of one in their history: they are no entries of
// their own. It sees them where the walk lists both, which it does without a selection by paths or by text.
type logWalk struct {
	list  *CommitLog
	most  int
	whole bool // nothing is selected by git
	added Adders
	rest  *wantedAdders // once the list is long enough
}

// see takes the next commit of the walk, and removes a listed one that names its entry after it. Both stay where neither is in the
// history of the other.
func (w *logWalk) see(m Logged, parents []git.ID, seconds int64) {
	w.added.List(m.Commit, parents, seconds)
	if m.ID == "" {
		return
	}
	if !w.added.Name(m.ID, m.Commit) {
		w.list.Commits = slices.DeleteFunc(w.list.Commits, func(l Logged) bool {
			return l.ID == m.ID && w.added.follows(l.Commit, m.Commit)
		})
		w.rest = nil
	}
}

// newest is the format for what enough reads.
func (w *logWalk) newest() string {
	if !w.whole || w.most < 0 {
		return ""
	}
	return store.TrailerValue(store.TrailerNewest)
}

// enough reports whether the list is long enough, and no commit below the one whose Context-Newest is given can have
// added an entry of it.
func (w *logWalk) enough(newest string) bool {
	if w.most < 0 || len(w.list.Commits) < w.most || !w.whole {
		return len(w.list.Commits) == w.most
	}
	if w.rest == nil {
		w.rest = &wantedAdders{oldest: w.list.Commits[0].ID}
		for _, m := range w.list.Commits[:w.most] {
			w.rest.oldest = min(w.rest.oldest, m.ID)
		}
	}
	return w.rest.enough(newest)
}

// selection returns the arguments of the git log that lists memory commits, and the format
// of their notes. As in `git log --notes=context`, --grep searches notes even if they are
// not printed. Otherwise notes are read only if needed: they cost more than all the rest.
func (o LogOptions) selection(revs []string) (args []string, note string) {
	if o.Judged || !o.Filter.All() {
		note = "%N"
	}
	args = []string{"--no-color", "--no-ext-diff", "--no-textconv", "--text"}
	if note != "" || slices.ContainsFunc(o.Arguments.Select,
		func(word string) bool { return strings.HasPrefix(word, "--grep") }) {
		args = append(args, "--notes=context")
	} else {
		args = append(args, "--no-notes")
	}
	if o.Topo {
		args = append(args, "--topo-order")
	}
	args = append(args, o.Arguments.Select...)
	args = append(append(args, "-s"), revs...)
	return append(append(args, "--"), o.Arguments.Paths...), note
}

func loggedFrom(f [][]byte) Logged {
	return Logged{Commit: git.ID(f[0]), ID: string(f[1]), Branch: string(f[2]), Code: git.ID(f[4]),
		Judgement: notes.Judge(notes.Parse(f[5]))}
}

// logRevs resolves names and ranges to full hashes, which git cannot misread.
func logRevs(ctx context.Context, s *store.Store, o LogOptions) ([]string, error) {
	var revs []string
	if o.All {
		names, err := s.BranchNames(ctx)
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, s.NoSuchBranch(ctx, "")
		}
		revs = append(revs, "--glob="+git.BranchPrefix+"*", "--glob="+git.TagPrefix+"*")
	}
	revs = append(revs, store.EndOfOptions)
	for _, word := range o.Revs {
		named, err := logRev(ctx, s, word)
		if err != nil {
			return nil, err
		}
		revs = append(revs, named)
	}
	if o.All || len(o.Revs) > 0 {
		return revs, nil
	}
	branch, err := s.Current(ctx)
	if err != nil {
		return nil, err
	}
	id, err := s.Repo().Ref(ctx, git.BranchRef(branch)) // git log reads the commit anyway
	if errors.Is(err, git.ErrNotFound) {
		err = s.NoSuchBranch(ctx, branch)
	}
	return append(revs, string(id)), err
}

// logRev resolves one word: a revision, or a range of two.
func logRev(ctx context.Context, s *store.Store, word string) (string, error) {
	a, dots, b := SplitRange(word)
	if dots != "" {
		from, to, err := ends(ctx, s, a, b)
		if err != nil {
			return "", err
		}
		return string(from.ID) + dots + string(to.ID), nil
	}
	name, not := strings.CutPrefix(word, "^")
	c, err := s.Revision(ctx, name)
	if err != nil {
		return "", err
	}
	if not {
		return "^" + string(c.ID), nil
	}
	return string(c.ID), nil
}

// SplitRange splits A..B and A...B, as git does; dots is empty for a single revision. A
// name cannot contain two dots.
func SplitRange(word string) (a, dots, b string) {
	a, b, ok := strings.Cut(word, "..")
	if !ok {
		return word, "", ""
	}
	if rest, three := strings.CutPrefix(b, "."); three {
		return a, "...", rest
	}
	return a, "..", b
}

// ends resolves both commits of a range. An empty side is the current branch, as git reads
// it as HEAD.
func ends(ctx context.Context, s *store.Store, a, b string) (from, to *git.Commit, err error) {
	var found [2]*git.Commit
	for i, name := range []string{a, b} {
		if name != "" {
			found[i], err = s.Revision(ctx, name)
		} else {
			var tip *store.Tip
			if tip, err = s.Tip(ctx, ""); err == nil {
				found[i] = tip.Commit()
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return found[0], found[1], nil
}

// LogCommits reads the commits of a log in full, in its order. The entry of a commit is in
// its own commit.md and in those of its descendants, so that one walk over the segments of
// the newest finds the entries of the whole branch. For a memory commit without an entry it
// returns what the message contains, see [ReadCommit].
func LogCommits(ctx context.Context, s *store.Store, list []Logged) ([]store.Commit, error) {
	entries := make(map[string]*doc.Commit, len(list)) // nil: not found yet
	for _, m := range list {
		entries[m.ID] = nil
	}
	commits := make([]store.Commit, len(list))
	for i, m := range list {
		if m.ID != "" && entries[m.ID] == nil {
			if err := entriesAt(ctx, s, m, entries); err != nil {
				return nil, err
			}
		}
		if entry := entries[m.ID]; entry != nil {
			commits[i] = CommitFrom(*entry)
			commits[i].Hash = &list[i].Commit
			if m.Code != "" {
				commits[i].Code = &list[i].Code
			}
		} else {
			c, err := s.Repo().Commit(ctx, m.Commit)
			if err != nil {
				return nil, err
			}
			commits[i] = BetweenCommits(c)
		}
		commits[i].Authored = m.By
		commits[i].Judge(m.Judgement)
	}
	return commits, nil
}

// entriesAt fills in the wanted entries from the commit.md of a commit, newest first, until
// a segment contains another entry: if few of many are wanted, the commit.md of the next is
// nearer than the segments between.
func entriesAt(ctx context.Context, s *store.Store, at Logged, wanted map[string]*doc.Commit) error {
	tip, err := s.TipAt(ctx, at.Branch, at.Commit)
	if err != nil {
		return err
	}
	return tip.SegmentsBackwards(ctx, doc.CommitFile, doc.CommitDir, func(data []byte) (bool, error) {
		ms, err := doc.ParseCommits(data)
		all := true
		for i, m := range ms {
			if _, ok := wanted[m.ID]; ok {
				wanted[m.ID] = &ms[i]
			} else if m.Kind != doc.KindBirth {
				all = false
			}
		}
		return all, err
	})
}

// Filter selects commits by their outcome and score. The zero Filter selects all.
type Filter struct {
	Outcome  string   // success, failed or abandoned; empty: any, or none
	MinScore *float64 // 0 to 1; nil: any, or none
}

// Check returns an error of the kind fail.ErrInvalid for an unknown outcome and a score out
// of range.
func (f Filter) Check() error {
	if f.Outcome != "" {
		if err := store.CheckOutcome(f.Outcome); err != nil {
			return err
		}
	}
	if f.MinScore != nil {
		return store.CheckScore(*f.MinScore)
	}
	return nil
}

// All reports whether the Filter selects all commits.
func (f Filter) All() bool { return f.Outcome == "" && f.MinScore == nil }

// Matches reports whether the Filter selects a commit, given its note and the memory tags
// that name it. The first part of a tag's name can be an outcome, as in "success" and
// "success/best", see [notes.OutcomeOf].
func (f Filter) Matches(j notes.Judgement, tags []string) bool {
	if f.MinScore != nil && (j.Score == nil || *j.Score < *f.MinScore) {
		return false
	}
	wanted, _ := notes.OutcomeOf(f.Outcome)
	if f.Outcome == "" || j.Outcome != nil && *j.Outcome == wanted {
		return true
	}
	return slices.ContainsFunc(tags, func(name string) bool {
		first, _, _ := strings.Cut(name, "/")
		outcome, ok := notes.OutcomeOf(first)
		return ok && outcome == wanted
	})
}

// TagNames returns the names of the memory tags by the commit that they name.
func TagNames(ctx context.Context, s *store.Store) (map[git.ID][]string, error) {
	tags, err := s.TagRefs(ctx)
	if err != nil {
		return nil, err
	}
	names := make(map[git.ID][]string, len(tags))
	for _, t := range tags {
		names[t.ID] = append(names[t.ID], t.Name)
	}
	return names, nil
}
