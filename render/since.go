package render

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Since is what came to a branch since a commit: `git context --since C`. The commits are those of
// git log, the changes of topics and of the roadmap those of git diff.
type Since struct {
	Branch  string             `json:"branch"`
	From    git.ID             `json:"from"`
	Head    git.ID             `json:"head"`
	Commits []store.Commit     `json:"commits"` // newest first
	Files   []history.FileDiff `json:"files"`   // topics, and main.md of the roadmap
	Patch   string             `json:"patch"`   // of these files
}

// NewSince reads what came to a branch since a commit, or since a time in git's words for dates. It
// returns fail.ErrNotFound if the branch has no commit as old as that.
func NewSince(ctx context.Context, s *refs.Store, branch, since string) (v Since, err error) {
	tip, err := Where{Branch: branch}.tip(ctx, s)
	if err != nil {
		return v, err
	}
	from, err := sinceCommit(ctx, s, tip, since)
	if err != nil {
		return v, err
	}
	v = Since{Branch: tip.Name(), From: from.ID, Head: tip.Commit().ID}
	err = concurrently(ctx,
		func(ctx context.Context) error {
			log, err := history.Log(ctx, s, history.LogOptions{Revs: []string{"^" + string(from.ID), string(v.Head)}, Most: -1, Judged: true})
			if err != nil {
				return err
			}
			added, err := notIn(ctx, s, from, log.Commits)
			if err != nil {
				return err
			}
			commits, err := history.LogCommits(ctx, s, added)
			v.Commits = withTags(commits)
			return err
		},
		func(ctx context.Context) error { return v.compare(ctx, s, from, tip) })
	return v, err
}

// notIn returns the commits whose entry a commit does not have yet: others only name it.
func notIn(ctx context.Context, s *refs.Store, from *git.Commit, list []history.Logged) (added []history.Logged, err error) {
	was, newest := s.TipOf(store.BranchOf(from), from), from.Trailer(store.TrailerNewest)
	for _, m := range list {
		had := false
		if m.ID <= newest {
			if had, err = was.ContainsEntry(ctx, store.CommitEntries, m.ID); err != nil {
				return nil, err
			}
		}
		if !had {
			added = append(added, m)
		}
	}
	return added, nil
}

// sinceCommit finds the commit that a word names; else the newest one that is not younger than the
// time that it names. A tag, which a sync brings, or a name in the code changes no date.
func sinceCommit(ctx context.Context, s *refs.Store, tip *store.Tip, word string) (*git.Commit, error) {
	c, named := s.Revision(ctx, word)
	date := errors.Is(named, fail.ErrNotFound)
	if !date && isDate(word) {
		var err error
		if date, err = otherwiseNamed(ctx, s, word, named); err != nil {
			return nil, err
		}
	}
	// git reads a date out of any word with a digit, and out of main~2 the second of a month.
	if !date || strings.ContainsAny(word, "~^{") || !strings.ContainsAny(word, "0123456789 .:") && !isDay(word) {
		return c, named
	}
	t, err := s.Repo().Date(ctx, word)
	if err != nil {
		return nil, err
	}
	c, err = history.NewestAt(ctx, s, tip.Commit(), t)
	if err != nil || c != nil {
		return c, err
	}
	var missing *fail.Error
	if errors.As(named, &missing) && missing.Code == fail.Shallow {
		return nil, named
	}
	return nil, fail.New(fail.ErrNotFound, fail.MemoryCommitNotFound,
		fmt.Sprintf("branch '%s' has no commit as old as '%s'", tip.Name(), prose.OneLine(word, 100)), "git context log")
}

// isDay reports whether a word without digits names a time to git.
func isDay(word string) bool { return word == "yesterday" || word == "midnight" || word == "noon" }

// otherwiseNamed reports whether a word names a tag, or a commit of the code by the error of [store.Store.Revision]; digits alone
// may begin the hash of one.
func otherwiseNamed(ctx context.Context, s *refs.Store, word string, named error) (bool, error) {
	if named == nil {
		return s.NamesTag(ctx, word)
	}
	var not *fail.Error
	return !isNumber(word) && errors.As(named, &not) && not.Code == fail.NotMemory, nil
}

// isDate reports whether a word that may be a name as well is a date above all: a day, seconds since 1970, or words for times. A version
// such as 1.2.3 is none.
func isDate(word string) bool {
	date := regexp.MustCompile(`^(\d{4}[-/]\d\d?[-/]\d\d?|\d\d?/\d\d?/\d{4}|\d\d?-[A-Z][a-z]+-\d{4})([ T].*)?$|[ .]ago$`) // compiled here: other commands do not need it
	return isDay(word) || isNumber(word) && len(word) > 8 || date.MatchString(word)
}

// isNumber reports whether a text is digits alone.
func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// compare reads the changes of topics and of the roadmap.
func (v *Since) compare(ctx context.Context, s *refs.Store, from *git.Commit, tip *store.Tip) error {
	v.Files = []history.FileDiff{}
	then, _ := store.ParseRoadmap(from.Trailer(store.TrailerRoadmap))
	now, err := s.RoadmapTip(ctx)
	if err != nil {
		return err
	}
	pairs := []struct {
		from, to *git.Commit
		path     string
	}{{from, tip.Commit(), "topics"}}
	if then != "" && now != "" && then != now {
		old, err := s.Repo().Commit(ctx, then)
		if err == nil {
			var new *git.Commit
			if new, err = s.Repo().Commit(ctx, now); err == nil {
				pairs = append(pairs, struct {
					from, to *git.Commit
					path     string
				}{old, new, "main.md"})
			}
		}
		if err != nil && !errors.Is(err, git.ErrNotFound) { // a shallow clone may lack it
			return err
		}
	}
	for _, p := range pairs {
		d, err := history.Diff(ctx, s, p.from, p.to, history.Arguments{Paths: []string{p.path}})
		if err != nil {
			return err
		}
		v.Files = append(v.Files, d.Files...)
		v.Patch += d.Patch
	}
	return nil
}

// Text shows the commits, newest first, and what topics and the roadmap say now that they did not.
func (v Since) Text(p *Printer) {
	p.line(bold("# "+v.Branch+" since "), hash(v.From))
	p.blank()
	if len(v.Commits) == 0 && len(v.Files) == 0 {
		p.line(plain("Nothing new"))
		return
	}
	for _, c := range v.Commits {
		e := entry{label: p.time(c.Time) + " by " + prose.Fold(c.Name(c.Agent)) + ": ", text: c.Summary}
		if rest := strings.TrimSpace(strings.TrimPrefix(c.Contribution, c.Summary)); rest != "" {
			e.text += "\n" + rest
		}
		p.write(e.write(e.text))
	}
	p.changedLines(v.Patch)
}

// changedLines writes the lines that a patch adds and removes, below the name of each file. The
// headers of a patch precede its first hunk.
func (p *Printer) changedLines(patch string) {
	hunk := false
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\n")
		rest, file := strings.CutPrefix(line, "diff --git a/")
		switch {
		case file:
			name, _, _ := strings.Cut(rest, " b/")
			p.heading("## ", name)
			hunk = false
		case strings.HasPrefix(line, "@@ "):
			hunk = true
		case hunk && len(line) > 1 && (line[0] == '+' || line[0] == '-'):
			p.block("", line)
		}
	}
}
