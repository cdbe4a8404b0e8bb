package history

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
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
	err = s.LogIDs(ctx, args, func(f [][]byte) error {
		m := loggedFrom(f)
		if m.Branch == "" || m.ID == "" && !o.Arguments.between() || o.Agent != "" && string(f[3]) != o.Agent ||
			!o.Filter.Matches(m.Judgement, tagged[m.Commit]) {
			return nil
		}
		if l.Commits = append(l.Commits, m); len(l.Commits) == o.Most {
			return git.ErrEnough
		}
		return nil
	}, store.TrailerValue(store.TrailerBranch), store.TrailerValue(store.TrailerAgent), store.TrailerValue(store.TrailerCode), note)
	if err != nil {
		return l, err
	}
	if o.Arguments.Reverse {
		slices.Reverse(l.Commits)
	}
	return l, nil
}

// selection returns the arguments of the git log that lists memory commits, and the format
// of their notes. As in `git log --notes=context`, --grep searches notes even if they are
// not printed. Otherwise notes are read only if needed: they cost more than all the rest.
func (o LogOptions) selection(revs []string) (args []string, note string) {
	if o.Judged || !o.Filter.All() {
		note = "%N"
	}
	args = []string{"--no-color", "--no-ext-diff", "--no-textconv", "--text"}
	if note != "" || slices.ContainsFunc(o.Arguments.Select, func(word string) bool { return strings.HasPrefix(word, "--grep") }) {
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
