package code

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// How a milestone belongs to a code commit.
const (
	LinkNoted  = "link"    // the code commit's note says so
	LinkMadeOn = "made-on" // it was made while that was the code's HEAD, by its Code-Commit trailer
)

// Links is what belongs together, asked for from one of its sides.
type Links struct {
	Code   string         // the code commit's hash, or the range as it was asked for; "" where a milestone was
	Memory []LinkedCommit // its milestones, newest first; never nil

	MemoryCommit *store.Commit // what was asked for; nil where it was code
	Commits      []CodeLink    // the code commits of the milestone, or the one that was asked for; newest first
}

// LinkedCommit is a milestone and the code commits that it belongs to, newest first;
// only those that were asked for.
type LinkedCommit struct {
	store.Commit
	Links []CodeLink `json:"links"`
}

// CodeLink is a code commit that a milestone belongs to.
type CodeLink struct {
	Commit  git.ID     `json:"commit"`
	Subject *string    `json:"subject"` // nil, as Time is, for a commit that is not here (any more)
	Time    *time.Time `json:"time"`
	How     []string   `json:"how"` // of the Link constants, in their order, at least one; none in Links of code

	// Unreachable is looked for in Links of a milestone: no branch or tag of the code or of a
	// remote reaches the commit any more. It was rewritten, or dropped.
	Unreachable bool `json:"-"`
}

// FindLinks finds what belongs together. What rev names, in this order:
//
//  1. a range of code, A..B or A...B: every milestone that belongs to a commit of it;
//  2. a code commit, by any git revision: its milestones; a code branch wins over a
//     memory branch of the same name, unlike in all other commands;
//  3. a milestone, by whatever names one: its code commits;
//  4. a code commit that is gone from here, by the beginning of its hash: its milestones.
//
// Milestones of all memory branches count, or those that one holds where branch is not
// empty. Nothing is no error. A name that means nothing is fail.ErrNotFound.
func FindLinks(ctx context.Context, s *store.Store, branch, rev string) (Links, error) {
	made := sync.OnceValues(func() (*Index, error) { return ReadIndex(ctx, s) })
	go made()    // the child that lists the refs starts while git looks the revision up
	defer made() // and must not outlive us
	rev = blamed(rev)
	if a, dots, b := history.SplitRange(rev); dots != "" && !isSearch(rev) {
		return linksOfRange(ctx, s, branch, made, a, dots, b)
	}
	c, err := codeCommit(ctx, s, rev)
	switch {
	case err != nil:
		return Links{}, err
	case c != nil && store.BranchOf(c) == "":
		note, err := LinksOf(ctx, s, c.ID)
		if err != nil {
			return Links{}, err
		}
		return linksOfCode(ctx, s, branch, made, linkedCode{CodeLink: codeLink(c), facts: note})
	case c != nil && isSearch(rev):
		rev = string(c.ID)
	case c == nil:
		gone, err := goneCode(ctx, s, made, rev)
		if err != nil {
			return Links{}, err
		}
		if gone != nil {
			return linksOfCode(ctx, s, branch, made, *gone)
		}
	}
	return linksBack(ctx, s, rev)
}

// linksOfCode finds the milestones of one code commit.
func linksOfCode(ctx context.Context, s *store.Store, branch string, made laterIndex, code linkedCode) (l Links, err error) {
	l = Links{Code: string(code.Commit), Commits: []CodeLink{code.CodeLink}}
	l.Memory, err = memoryOf(ctx, s, branch, made, []linkedCode{code})
	return l, err
}

// blamed is the commit of a line of `git blame`, the whole of which may be pasted; any
// other words as they are.
func blamed(line string) string {
	first, _, more := strings.Cut(line, " ")
	if more && isShortHash(strings.TrimPrefix(first, "^")) {
		return first
	}
	return line
}

// isSearch reports whether a revision is words that git looks for, up to its end.
func isSearch(rev string) bool { return strings.HasPrefix(rev, ":/") }

// goneCode finds a code commit that is not here any more, but of which memory knows; nil
// for none. Names of memory go first.
func goneCode(ctx context.Context, s *store.Store, later laterIndex, rev string) (*linkedCode, error) {
	if !isShortHash(rev) {
		return nil, nil
	}
	if _, err := s.ResolveAny(ctx, rev); !errors.Is(err, git.ErrNotFound) {
		return nil, nil // which linksBack tells
	}
	found := map[git.ID][]notes.Fact{}
	err := EachLink(ctx, s, []string{LinkMarker}, func(code git.ID, f notes.Fact) {
		if strings.HasPrefix(string(code), rev) {
			found[code] = append(found[code], f)
		}
	})
	if err != nil {
		return nil, err
	}
	made, err := later()
	if err != nil {
		return nil, err
	}
	made.Codes(func(code git.ID) {
		if strings.HasPrefix(string(code), rev) && found[code] == nil {
			found[code] = nil
		}
	})
	if len(found) > 1 {
		return nil, fail.New(fail.ErrInvalid, fail.Ambiguous, fmt.Sprintf("'%s' is ambiguous", rev), "use more digits")
	}
	for code, facts := range found {
		return &linkedCode{CodeLink{Commit: code}, facts}, nil
	}
	return nil, nil
}

// codeCommit finds the commit that git takes a name for; nil where that is none, which
// memory may know. What `git blame` prints is taken as it stands: a commit that the
// blame did not look behind is marked by a caret.
func codeCommit(ctx context.Context, s *store.Store, rev string) (*git.Commit, error) {
	name := rev
	if marked, ok := strings.CutPrefix(rev, "^"); ok && isShortHash(marked) {
		name = marked
	}
	if isShortHash(name) && strings.Trim(name, "0") == "" {
		return nil, fail.New(fail.ErrNotFound, fail.NotCommitted, "a line that is not committed yet has no milestone", "git context --log")
	}
	if !isSearch(name) { // which is of commits
		name += "^{commit}"
	}
	id, err := s.Repo().Peel(ctx, name)
	if errors.Is(err, git.ErrAmbiguous) {
		return nil, fail.New(fail.ErrInvalid, fail.Ambiguous, fmt.Sprintf("'%s' is ambiguous", prose.OneLine(rev, 100)), "use more digits")
	}
	if errors.Is(err, git.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.Repo().Commit(ctx, id)
}

// isShortHash reports whether a word may be what git shortened a hash to.
func isShortHash(word string) bool {
	return len(word) >= 4 && len(word) <= 64 && strings.Trim(word, "0123456789abcdef") == ""
}

// linkedCode is a code commit with the links of its note.
type linkedCode struct {
	CodeLink
	facts []notes.Fact
}

func codeLink(c *git.Commit) CodeLink {
	subject, at := c.Subject(), c.Committer.When.UTC()
	return CodeLink{Commit: c.ID, Subject: &subject, Time: &at}
}

// noLink says that a name means neither code nor memory.
func noLink(ctx context.Context, s *store.Store, rev string) error {
	names, err := s.BranchNames(ctx)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return s.NoSuchBranch(ctx, "")
	}
	if rev == "HEAD" {
		head, err := s.CodeHead(ctx)
		if err == nil && head != "" {
			_, err = s.Repo().Commit(ctx, head) // it has one, which is not here
		}
		if err != nil {
			return fmt.Errorf("read the code's HEAD: %w", err)
		}
		return fail.New(fail.ErrNotFound, fail.CommitNotFound, "the code has no commit yet", "git context commit --code -m SUMMARY")
	}
	hints := []string{"git log --oneline", "git context log --oneline"}
	if near := doc.Nearest(rev, names); near != "" {
		hints = append([]string{fmt.Sprintf("did you mean '%s'?", near)}, hints...)
	}
	return fail.New(fail.ErrNotFound, fail.CommitNotFound, fmt.Sprintf("no commit '%s', of code or of memory", prose.OneLine(rev, 100)), hints...)
}

// byNewestID orders milestones by their ids; what has none is older.
func byNewestID(a, b LinkedCommit) int {
	return cmp.Or(strings.Compare(b.ID, a.ID), b.Time.Compare(a.Time), cmp.Compare(*a.Hash, *b.Hash))
}

// youngestFirst orders code commits by their time, those that are gone behind.
func youngestFirst(a, b CodeLink) int {
	return cmp.Or(b.when().Compare(a.when()), cmp.Compare(a.Commit, b.Commit))
}

// when is the commit's time, zero for one that is gone.
func (l CodeLink) when() time.Time {
	if l.Time == nil {
		return time.Time{}
	}
	return *l.Time
}

// add keeps the order of the constants.
func (l *CodeLink) add(how string) {
	switch {
	case slices.Contains(l.How, how):
	case how == LinkNoted:
		l.How = slices.Insert(l.How, 0, how)
	default:
		l.How = append(l.How, how)
	}
}
