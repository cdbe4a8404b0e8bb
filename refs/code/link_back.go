package code

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// linksBack finds the code commits of the memory commit that rev names: the one that it was
// made on, and those whose notes name it. Absent ones are included.
func linksBack(ctx context.Context, s *store.Store, rev string) (Links, error) {
	_, err := s.ResolveAny(ctx, rev)
	if errors.Is(err, git.ErrNotFound) {
		return Links{}, noLink(ctx, s, rev)
	}
	c, err := s.NewestCommitAt(ctx, rev)
	if err != nil {
		return Links{}, err
	}
	m, err := history.CommitOf(ctx, s, nil, c)
	if err != nil {
		return Links{}, err
	}
	how := map[git.ID]*CodeLink{}
	if code := git.ID(c.Trailer(store.TrailerCode)); git.IsID(string(code)) {
		how[code] = &CodeLink{Commit: code, How: []string{LinkMadeOn}}
	}
	err = EachLink(ctx, s, []string{string(c.ID), m.ID}, func(code git.ID, f notes.Fact) {
		if f.Memory != c.ID && f.CommitID != m.ID {
			return
		}
		if how[code] == nil {
			how[code] = &CodeLink{Commit: code}
		}
		how[code].add(LinkNoted)
	})
	if err != nil {
		return Links{}, err
	}
	l := Links{MemoryCommit: &m, Commits: []CodeLink{}}
	for id, link := range how {
		code, err := s.Repo().Commit(ctx, id)
		if err == nil {
			found := codeLink(code)
			link.Subject, link.Time = found.Subject, found.Time
		} else if !errors.Is(err, git.ErrNotFound) {
			return Links{}, err
		}
		l.Commits = append(l.Commits, *link)
	}
	return l, arrange(ctx, s, l.Commits)
}

// arrange marks the code commits that no ref reaches and sorts: reached ones in git's
// topological order, newest first; then unreached ones; then absent ones.
func arrange(ctx context.Context, s *store.Store, list []CodeLink) error {
	slices.SortFunc(list, youngestFirst)
	var ids []git.ID
	var oldest time.Time
	for _, l := range list {
		if l.Time != nil {
			ids, oldest = append(ids, l.Commit), *l.Time
		}
	}
	if len(ids) == 0 {
		return nil
	}
	order := sync.OnceValues(func() (map[git.ID]int, error) { return topological(ctx, s, ids, oldest) })
	go order()
	lost, err := Unreached(ctx, s, ids, append(RefOptions(), "--remotes"))
	place, orderErr := order() // in any case: it must end before this function returns
	if err = errors.Join(err, orderErr); err != nil {
		return err
	}
	for i, l := range list {
		list[i].Unreachable = lost[l.Commit]
	}
	slices.SortStableFunc(list, func(a, b CodeLink) int {
		return cmp.Or(a.distance()-b.distance(), place[a.Commit]-place[b.Commit])
	})
	return nil
}

// distance is 0 for a reached commit, 1 for an unreached one, 2 for an absent one.
func (l CodeLink) distance() int {
	switch {
	case l.Time == nil:
		return 2
	case l.Unreachable:
		return 1
	}
	return 0
}

// topological returns the positions of commits in git's topological order. oldest is the
// time of the oldest.
func topological(ctx context.Context, s *store.Store, ids []git.ID, oldest time.Time) (map[git.ID]int, error) {
	place := map[git.ID]int{}
	if len(ids) < 2 {
		return place, nil
	}
	var in bytes.Buffer
	for _, id := range ids {
		fmt.Fprintln(&in, id)
	}
	out, err := s.Repo().RunInput(ctx, in.Bytes(), "rev-list", "--topo-order",
		"--max-age="+strconv.FormatInt(max(oldest.Unix(), 0), 10), "--stdin", "--")
	if collected(ctx, s, err) { // then the order is that of their times
		return place, nil
	}
	for id := range strings.FieldsSeq(string(out)) {
		place[git.ID(id)] = len(place)
	}
	return place, err
}

// EachLink calls each for the links in all note lines that contain one of the texts, with
// one git grep: 40 ms for ten thousand notes.
func EachLink(ctx context.Context, s *store.Store, texts []string, each func(code git.ID, f notes.Fact)) error {
	tip, err := s.NotesTip(ctx)
	if err != nil || tip == "" {
		return err
	}
	args := []string{"grep", "-z", "--full-name", "--no-color", "--no-textconv", "--no-recurse-submodules", "--text",
		"--no-line-number", "--no-column", "--fixed-strings"}
	for _, text := range texts {
		if text != "" {
			args = append(args, "-e", text)
		}
	}
	var out bytes.Buffer
	err = s.Repo().ViewTo(ctx, &out, nil, append(args, string(tip), "--")...)
	var failed *git.Error
	if errors.As(err, &failed) && failed.Code == 1 && !failed.Complained() { // there is no match
		return nil
	}
	if err != nil {
		return err
	}
	for line := range bytes.Lines(out.Bytes()) {
		path, text, ok := strings.Cut(strings.TrimPrefix(string(line), string(tip)+":"), "\x00")
		if !ok {
			return fmt.Errorf("git grep: cannot understand '%s'", prose.OneLine(string(line), 80))
		}
		code := notes.ObjectAt(path) // the fan-out of notes varies
		if !git.IsID(string(code)) {
			continue
		}
		for _, f := range links([]byte(text)) {
			each(code, f)
		}
	}
	return nil
}

// Unreached returns which of the commits exist here but are not reached by refs, which are
// options of rev-list.
func Unreached(ctx context.Context, s *store.Store, ids []git.ID, refs []string) (map[git.ID]bool, error) {
	asked := make(map[git.ID]bool, len(ids))
	var in bytes.Buffer
	for _, id := range ids {
		asked[id] = true
		fmt.Fprintln(&in, id)
	}
	out, err := s.Repo().RunInput(ctx, in.Bytes(),
		append([]string{"rev-list", "--ignore-missing", "--stdin", "--not"}, refs...)...)
	if collected(ctx, s, err) {
		return unreachedSlow(ctx, s, ids, refs)
	}
	if err != nil {
		return nil, err
	}
	var lost []git.ID
	for id := range strings.FieldsSeq(string(out)) {
		if asked[git.ID(id)] {
			lost = append(lost, git.ID(id))
		}
	}
	return existing(ctx, s, lost) // a commit-graph may name what is gone
}

// unreachedSlow is Unreached where a part of what no ref reaches is gone: it lists all that refs reach.
func unreachedSlow(ctx context.Context, s *store.Store, ids []git.ID, refs []string) (map[git.ID]bool, error) {
	out, err := s.Repo().RunInput(ctx, nil, append([]string{"rev-list"}, refs...)...)
	if err != nil {
		return nil, err
	}
	lost, err := existing(ctx, s, ids)
	for id := range strings.FieldsSeq(string(out)) {
		delete(lost, git.ID(id))
	}
	return lost, err
}

// RefOptions returns the options of rev-list for everything that the code reaches:
// branches, tags, the HEAD of each worktree.
func RefOptions() []string {
	var args []string
	for _, pattern := range notCode {
		args = append(args, "--exclude="+pattern)
	}
	return append(args, "--all")
}

// notCode are the refs that do not make a commit one of the code: those of memory, of
// remotes, and of git's own backups.
var notCode = [...]string{git.Root + "*", "refs/notes/*", "refs/remotes/*", "refs/original/*", "refs/replace/*",
	"refs/stash"}
