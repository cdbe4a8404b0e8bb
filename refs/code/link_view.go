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

// How a memory commit belongs to a code commit.
const (
	LinkNoted  = "link"    // the code commit's note names it
	LinkMadeOn = "made-on" // it was made while HEAD was the code commit, by its Code-Commit trailer
)

// Links is the result of FindLinks: memory commits of code, or code commits of memory.
type Links struct {
	Code   string         // the code commit's hash, or the range as given; "" if rev names memory
	Memory []LinkedCommit // the memory commits of Code, newest first; never nil

	MemoryCommit *store.Commit // the commit that rev names; nil if rev names code
	Commits      []CodeLink    // the code commits of MemoryCommit, or the one that rev names; newest first
}

// LinkedCommit is a memory commit and those of the requested code commits that it belongs
// to, newest first.
type LinkedCommit struct {
	store.Commit
	Links []CodeLink `json:"links"`
}

// CodeLink is a code commit that a memory commit belongs to.
type CodeLink struct {
	Commit  git.ID     `json:"commit"`
	Subject *string    `json:"subject"` // nil, as Time is, for a commit that is absent
	Time    *time.Time `json:"time"`
	How     []string   `json:"how"` // Link constants, in their order; empty in the Commits of Code

	// Unreachable is set only for a MemoryCommit: no branch or tag of the code or of a
	// remote reaches the code commit. It was rewritten or dropped.
	Unreachable bool `json:"-"`
}

// FindLinks finds the memory of code, or the code of memory. rev names, in this order:
//
//  1. a range of code, A..B or A...B: its result is the memory of all its commits;
//  2. a code commit, by any git revision: its memory; of a merge, also that of the commits that it
//     brought. A code branch wins over a memory
//     branch of the same name, unlike in all other commands;
//  3. a memory commit, by any of its names: its code commits;
//  4. a code commit that is absent, by the beginning of its hash: its memory.
//
// Memory of all branches counts or, if branch is not empty, memory that this branch
// reaches; with other prefixes of refs, such as git.RemotePrefix, also what these reach. An
// empty result is no error. It returns an error of the kind fail.ErrNotFound for an unknown
// name, and fail.ErrInvalid for an ambiguous one.
func FindLinks(ctx context.Context, s *store.Store, branch, rev string, others ...string) (Links, error) {
	made := sync.OnceValues(func() (*Index, error) { return ReadIndex(ctx, s, others...) })
	go made()    // the child that lists the refs starts while git resolves the revision
	defer made() // it must end before this function returns
	rev = blamed(rev)
	if a, dots, b := history.SplitRange(rev); dots != "" && !isSearch(rev) {
		return linksOfRange(ctx, s, branch, made, a, dots, b)
	}
	c, err := codeCommit(ctx, s, rev)
	switch {
	case err != nil:
		return Links{}, err
	case c != nil && store.BranchOf(c) == "" && len(c.Parents) > 1:
		return linksOfMerge(ctx, s, branch, made, c)
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

// linksOfCode finds the memory of one code commit.
func linksOfCode(ctx context.Context, s *store.Store, branch string, made laterIndex,
	code linkedCode) (l Links, err error) {
	l = Links{Code: string(code.Commit), Commits: []CodeLink{code.CodeLink}}
	l.Memory, err = memoryOf(ctx, s, branch, made, []linkedCode{code})
	return l, err
}

// linksOfMerge finds the memory of a merge of code and of the commits that it brought.
func linksOfMerge(ctx context.Context, s *store.Store, branch string, made laterIndex, c *git.Commit) (l Links, err error) {
	l = Links{Code: string(c.ID), Commits: []CodeLink{codeLink(c)}}
	codes, err := codeRange(ctx, s, string(c.Parents[0])+".."+string(c.ID))
	if err != nil {
		return l, err
	}
	l.Memory, err = memoryOf(ctx, s, branch, made, codes)
	return l, err
}

// blamed returns the commit of a pasted line of `git blame`, and any other text unchanged.
func blamed(line string) string {
	first, _, more := strings.Cut(line, " ")
	if more && isShortHash(strings.TrimPrefix(first, "^")) {
		return first
	}
	return line
}

// isSearch reports whether a revision is a text that git searches for, which may contain
// any characters.
func isSearch(rev string) bool { return strings.HasPrefix(rev, ":/") }

// goneCode finds a code commit that is absent but that memory names; nil for none. Names of
// memory take precedence.
func goneCode(ctx context.Context, s *store.Store, later laterIndex, rev string) (*linkedCode, error) {
	if !isShortHash(rev) {
		return nil, nil
	}
	if _, err := s.ResolveAny(ctx, rev); !errors.Is(err, git.ErrNotFound) {
		return nil, nil // linksBack handles it
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

// codeCommit resolves a git revision; nil if git knows none, in which case it may be one of
// memory. It accepts the output of `git blame`, in which a caret marks a boundary commit.
func codeCommit(ctx context.Context, s *store.Store, rev string) (*git.Commit, error) {
	name := rev
	if marked, ok := strings.CutPrefix(rev, "^"); ok && isShortHash(marked) {
		name = marked
	}
	if isShortHash(name) && strings.Trim(name, "0") == "" {
		return nil, fail.New(fail.ErrNotFound, fail.NotCommitted, "a line that is not committed yet has no memory commit",
			"git context --log")
	}
	if !isSearch(name) { // a search finds only commits
		name += "^{commit}"
	}
	id, err := s.Repo().Peel(ctx, name)
	if errors.Is(err, git.ErrAmbiguous) {
		return nil, fail.New(fail.ErrInvalid, fail.Ambiguous, fmt.Sprintf("'%s' is ambiguous", prose.OneLine(rev, 100)),
			"use more digits")
	}
	if errors.Is(err, git.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.Repo().Commit(ctx, id)
}

// isShortHash reports whether a word may be an abbreviated hash.
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

// noLink is the error for a name of neither code nor memory.
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
			_, err = s.Repo().Commit(ctx, head) // HEAD has a commit, which is absent
		}
		if err != nil {
			return fmt.Errorf("read the code's HEAD: %w", err)
		}
		return fail.New(fail.ErrNotFound, fail.CommitNotFound, "the code has no commit yet",
			"git context commit --code -m SUMMARY")
	}
	if err := s.CutBefore(ctx, rev); err != nil {
		return err
	}
	hints := []string{"git log --oneline", "git context log --oneline"}
	if near := doc.Nearest(rev, names); near != "" {
		hints = append([]string{fmt.Sprintf("did you mean '%s'?", near)}, hints...)
	}
	return fail.New(fail.ErrNotFound, fail.CommitNotFound,
		fmt.Sprintf("no commit '%s', of code or of memory", prose.OneLine(rev, 100)), hints...)
}

// byNewestID orders memory commits by id, newest first; those without an id are last.
func byNewestID(a, b LinkedCommit) int {
	return cmp.Or(strings.Compare(b.ID, a.ID), b.Time.Compare(a.Time), cmp.Compare(*a.Hash, *b.Hash))
}

// youngestFirst orders code commits by time, absent ones last.
func youngestFirst(a, b CodeLink) int {
	return cmp.Or(b.when().Compare(a.when()), cmp.Compare(a.Commit, b.Commit))
}

// when returns the commit's time, zero for an absent one.
func (l CodeLink) when() time.Time {
	if l.Time == nil {
		return time.Time{}
	}
	return *l.Time
}

// add adds how, in the order of the constants.
func (l *CodeLink) add(how string) {
	switch {
	case slices.Contains(l.How, how):
	case how == LinkNoted:
		l.How = slices.Insert(l.How, 0, how)
	default:
		l.How = append(l.How, how)
	}
}
