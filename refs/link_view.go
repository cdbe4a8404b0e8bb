package refs

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
	"github.com/git-context/git-context/refs/git"
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

	Milestone *Commit    // what was asked for; nil where it was code
	Commits   []CodeLink // the code commits of the milestone, or the one that was asked for; newest first
}

// LinkedCommit is a milestone and the code commits that it belongs to, newest first;
// only those that were asked for.
type LinkedCommit struct {
	Commit
	Links []CodeLink `json:"links"`
}

// CodeLink is a code commit that a milestone belongs to.
type CodeLink struct {
	Commit  git.ID     `json:"commit"`
	Subject *string    `json:"subject"` // nil, as Time is, for a commit that is not here (any more)
	Time    *time.Time `json:"time"`
	How     []string   `json:"how"` // of the Link constants, at least one; none in Links of code

	// Unreachable is looked for in Links of a milestone: no branch or tag of the code or of a
	// remote reaches the commit any more. It was rewritten, or dropped.
	Unreachable bool `json:"-"`
}

// Links finds what belongs together. What rev names, in this order:
//
//  1. a range of code, A..B or A...B: every milestone that belongs to a commit of it;
//  2. a code commit, by any git revision: its milestones; a code branch wins over a
//     memory branch of the same name, unlike in all other commands;
//  3. a milestone, by whatever names one: its code commits.
//
// Milestones of all memory branches count, or those that one holds where branch is not
// empty. Nothing is no error. A name that means nothing is ErrNotFound.
func (s *Store) Links(ctx context.Context, branch, rev string) (Links, error) {
	made := sync.OnceValues(func() (*madeOn, error) { return s.madeOn(ctx) })
	go made()    // the child that lists the refs starts while git looks the revision up
	defer made() // and must not outlive us
	if a, dots, b := SplitRange(rev); dots != "" {
		return s.linksOfRange(ctx, branch, made, a, dots, b)
	}
	c, err := s.codeCommit(ctx, rev)
	if err != nil {
		return Links{}, err
	}
	if c == nil || branchOf(c) != "" {
		return s.linksBack(ctx, rev)
	}
	note, err := s.linksOf(ctx, c.ID)
	if err != nil {
		return Links{}, err
	}
	code := linkedCode{CodeLink: codeLink(c), facts: note}
	l := Links{Code: string(c.ID), Commits: []CodeLink{code.CodeLink}}
	l.Memory, err = s.memoryOf(ctx, branch, made, []linkedCode{code})
	return l, err
}

// codeCommit finds the commit that git takes a name for; nil where that is none, which
// memory may know. What `git blame` prints is taken as it stands: a commit that the
// blame did not look behind is marked by a caret.
func (s *Store) codeCommit(ctx context.Context, rev string) (*git.Commit, error) {
	name := rev
	if marked, ok := strings.CutPrefix(rev, "^"); ok && isShortHash(marked) {
		name = marked
	}
	if isShortHash(name) && strings.Trim(name, "0") == "" {
		return nil, fail(ErrNotFound, "not-committed", "a line that is not committed yet has no milestone", "git context --log")
	}
	id, err := s.repo.Peel(ctx, name+"^{commit}")
	if errors.Is(err, git.ErrAmbiguous) {
		return nil, fail(ErrInvalid, "ambiguous", fmt.Sprintf("'%s' is ambiguous", oneLine(rev, 100)), "use more digits")
	}
	if errors.Is(err, git.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.repo.Commit(ctx, id)
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
func (s *Store) noLink(ctx context.Context, rev string) error {
	names, err := s.branchNames(ctx)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return s.noBranch(ctx, "")
	}
	if rev == "HEAD" {
		return fail(ErrNotFound, "commit-not-found", "the code has no commit yet", "git context log")
	}
	hints := []string{"git log --oneline", "git context log --oneline"}
	if near := doc.Nearest(rev, names); near != "" {
		hints = append([]string{fmt.Sprintf("did you mean '%s'?", near)}, hints...)
	}
	return fail(ErrNotFound, "commit-not-found", fmt.Sprintf("no commit '%s', of code or of memory", oneLine(rev, 100)), hints...)
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

func (l *CodeLink) add(how string) {
	if !slices.Contains(l.How, how) {
		l.How = append(l.How, how)
	}
}
