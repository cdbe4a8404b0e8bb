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
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// linksOfRange finds the memory of a range of code, with one git log for the code.
func linksOfRange(ctx context.Context, s *store.Store, branch string, made laterIndex,
	a, dots, b string) (Links, error) {
	l := Links{Code: a + dots + b}
	var ends [2]git.ID
	for i, name := range []string{a, b} {
		if name == "" {
			name = "HEAD" // as in git
		}
		var err error
		if ends[i], err = codeEnd(ctx, s, name, l.Code); err != nil {
			return l, err
		}
	}
	codes, err := codeRange(ctx, s, string(ends[0])+dots+string(ends[1]))
	if err != nil {
		return l, err
	}
	l.Memory, err = memoryOf(ctx, s, branch, made, codes)
	return l, err
}

// codeEnd resolves one end of a range.
func codeEnd(ctx context.Context, s *store.Store, name, asked string) (git.ID, error) {
	c, err := codeCommit(ctx, s, name)
	if err != nil {
		return "", err
	}
	if c == nil {
		if c, err = s.ResolveAny(ctx, name); errors.Is(err, git.ErrNotFound) {
			err = noLink(ctx, s, name)
		}
		if err != nil {
			return "", err
		}
	}
	if store.BranchOf(c) != "" {
		return "", fail.New(fail.ErrInvalid, fail.NotCode,
			fmt.Sprintf("'%s' is a memory commit, but a range needs code commits", prose.OneLine(name, 100)),
			"git context log "+prose.OneLine(asked, 200))
	}
	return c.ID, nil
}

// codeRange reads the code commits of a range with their notes.
func codeRange(ctx context.Context, s *store.Store, revs string) ([]linkedCode, error) {
	var codes []linkedCode
	read := &store.Records{Fields: 4, Each: func(f [][]byte) error {
		at, err := strconv.ParseInt(string(f[1]), 10, 64)
		if err != nil {
			return fmt.Errorf("git log: no date for %s", f[0])
		}
		subject, when := string(f[2]), time.Unix(at, 0).UTC()
		codes = append(codes, linkedCode{CodeLink{Commit: git.ID(f[0]), Subject: &subject, Time: &when}, links(f[3])})
		return nil
	}}
	return codes, s.Repo().ViewTo(ctx, read, nil, "log", "-z", "--topo-order", "--notes=context",
		"--format=%H%x00%ct%x00%s%x00%N", store.EndOfOptions, revs, "--")
}

// linkQuery collects the memory commits of code commits, each once.
type linkQuery struct {
	s       *store.Store
	list    []*linkedMemory
	byName  map[string]*linkedMemory // by Context-Id, or by hash without one
	missing map[string][]CodeLink
	place   map[git.ID]int // of the code commits in git's order
	asked   int            // by older
}

// linkedMemory is a memory commit and its code commits.
type linkedMemory struct {
	c     *git.Commit
	links []CodeLink
}

// memoryOf finds the memory commits that belong to code commits: those that were made on
// them, and those that their notes name. A link is resolved by its Context-Id among what
// was found, because that survives a rewrite; else by its hash; else by its Context-Id
// among all memory. A link to absent memory is ignored.
func memoryOf(ctx context.Context, s *store.Store, branch string, later laterIndex,
	codes []linkedCode) ([]LinkedCommit, error) {
	made, err := later()
	if err != nil {
		return nil, err
	}
	b := &linkQuery{s: s, byName: map[string]*linkedMemory{}, missing: map[string][]CodeLink{}, place: map[git.ID]int{}}
	for i, code := range codes {
		b.place[code.Commit] = i
	}
	if err := b.addMade(ctx, made, codes); err != nil {
		return nil, err
	}
	// after the others: a hash from before a rewrite must not take precedence over the present one
	for _, code := range codes {
		for _, f := range code.facts {
			if err := b.follow(ctx, code.CodeLink, f); err != nil {
				return nil, err
			}
		}
	}
	if err := b.findMissing(ctx); err != nil {
		return nil, err
	}
	if err := b.narrow(ctx, branch); err != nil {
		return nil, err
	}
	return b.commits(ctx)
}

// addMade adds the memory that was made on the code commits, all read with one child: a
// question and its answer in turn take 40 µs.
func (b *linkQuery) addMade(ctx context.Context, made *Index, codes []linkedCode) error {
	var ids []git.ID
	var on []CodeLink
	for _, code := range codes {
		for _, id := range made.On(code.Commit) {
			ids, on = append(ids, id), append(on, code.CodeLink)
		}
	}
	return b.s.Repo().ReadAll(ctx, ids, func(o git.Object) error {
		c, err := git.ParseCommit(o.ID, bytes.Clone(o.Data))
		if err != nil {
			return err
		}
		code := on[0]
		on = on[1:]
		return b.add(ctx, c, code, LinkMadeOn)
	})
}

// add records a memory commit as one of a code commit: of several that name an entry the one that added it.
func (b *linkQuery) add(ctx context.Context, c *git.Commit, code CodeLink, how string) error {
	name := cmp.Or(c.Trailer(store.TrailerID), string(c.ID))
	m := b.byName[name]
	if m == nil {
		m = &linkedMemory{c: c}
		b.list, b.byName[name] = append(b.list, m), m
	} else if m.c.ID != c.ID {
		older, err := b.older(ctx, name, c, m.c)
		if err != nil {
			return err
		}
		if older {
			m.c = c
		}
	}
	i := slices.IndexFunc(m.links, func(l CodeLink) bool { return l.Commit == code.Commit })
	if i < 0 {
		i, m.links = len(m.links), append(m.links, code)
	}
	m.links[i].add(how)
	return nil
}

// mostOlder is how often older asks git. An entry has a second commit only where git's own commands copied its message.
const mostOlder = 16

// older reports which of two commits that name an entry added it: the one in the other's history. Where thousands name entries, a
// child for each takes minutes; beyond a few, the dates tell.
func (b *linkQuery) older(ctx context.Context, name string, c, than *git.Commit) (bool, error) {
	if b.asked++; b.asked > mostOlder {
		return store.Original(name, c.ID, c.Committer.When.Unix(), than.ID, than.Committer.When.Unix()), nil
	}
	return b.s.Repo().IsAncestor(ctx, c.ID, than.ID)
}

// follow resolves a link of a note.
func (b *linkQuery) follow(ctx context.Context, code CodeLink, f notes.Fact) error {
	if m := b.byName[f.CommitID]; m != nil {
		return b.add(ctx, m.c, code, LinkNoted)
	}
	c, err := memoryCommit(ctx, b.s, f.Memory)
	switch {
	case err != nil:
		return err
	case c != nil:
		return b.add(ctx, c, code, LinkNoted)
	case doc.ValidID(f.CommitID):
		b.missing[f.CommitID] = append(b.missing[f.CommitID], code)
	}
	return nil
}

// memoryCommit reads a memory commit by its hash; nil if it is absent or not memory.
func memoryCommit(ctx context.Context, s *store.Store, id git.ID) (*git.Commit, error) {
	if !git.IsID(string(id)) {
		return nil, nil
	}
	id, err := s.Repo().Peel(ctx, string(id)+"^{commit}")
	if errors.Is(err, git.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c, err := s.Repo().Commit(ctx, id)
	if err != nil || store.BranchOf(c) == "" {
		return nil, err
	}
	return c, nil
}

// findMissing finds memory commits by their ids: a single one among the newest first,
// several with one walk.
func (b *linkQuery) findMissing(ctx context.Context) error {
	found := map[string]git.ID{}
	var err error
	if len(b.missing) == 1 {
		for id := range b.missing {
			found[id], err = b.s.ByID(ctx, id)
		}
	} else if len(b.missing) > 1 {
		found, _, err = CommitHashes(ctx, b.s)
	}
	if err != nil {
		return err
	}
	for id, codes := range b.missing {
		if found[id] == "" {
			continue
		}
		c, err := b.s.Repo().Commit(ctx, found[id])
		if err != nil {
			return err
		}
		for _, code := range codes {
			if err := b.add(ctx, c, code, LinkNoted); err != nil {
				return err
			}
		}
	}
	return nil
}

// narrow removes memory commits that a branch does not reach.
func (b *linkQuery) narrow(ctx context.Context, branch string) error {
	if branch == "" {
		return nil
	}
	tip, err := b.s.Tip(ctx, branch)
	if err != nil || len(b.list) == 0 {
		return err
	}
	var revs bytes.Buffer
	for _, m := range b.list {
		fmt.Fprintln(&revs, m.c.ID)
	}
	fmt.Fprintln(&revs, "^"+tip.Commit().ID)
	out, err := b.s.Repo().RunInput(ctx, revs.Bytes(), "rev-list", "--stdin", "--")
	if err != nil {
		return err
	}
	beyond := map[git.ID]bool{}
	for id := range strings.FieldsSeq(string(out)) {
		beyond[git.ID(id)] = true
	}
	b.list = slices.DeleteFunc(b.list, func(m *linkedMemory) bool { return beyond[m.c.ID] })
	return nil
}

// commits reads the memory commits in full, newest first.
func (b *linkQuery) commits(ctx context.Context) ([]LinkedCommit, error) {
	judged, err := b.judged(ctx)
	if err != nil {
		return nil, err
	}
	logged := make([]history.Logged, len(b.list))
	for i, m := range b.list {
		by, err := b.s.ByCommit(ctx, m.c)
		if err != nil {
			return nil, err
		}
		logged[i] = history.Logged{By: by, Commit: m.c.ID, ID: m.c.Trailer(store.TrailerID), Branch: store.BranchOf(m.c),
			Code: git.ID(m.c.Trailer(store.TrailerCode)), Judgement: judged[m.c.ID]}
	}
	full, err := history.LogCommits(ctx, b.s, logged)
	if err != nil {
		return nil, err
	}
	out := make([]LinkedCommit, len(full))
	for i, c := range full {
		slices.SortFunc(b.list[i].links, func(x, y CodeLink) int { return b.place[x.Commit] - b.place[y.Commit] })
		out[i] = LinkedCommit{Commit: c, Links: b.list[i].links}
	}
	slices.SortFunc(out, byNewestID)
	return out, nil
}

// fewNotes is how many notes are read one by one; more are read by one child.
const fewNotes = 16

// judged returns the judgements in the notes of the memory commits.
func (b *linkQuery) judged(ctx context.Context) (map[git.ID]notes.Judgement, error) {
	judged := map[git.ID]notes.Judgement{}
	if len(b.list) <= fewNotes {
		for _, m := range b.list {
			note, err := notes.Read(ctx, b.s.Repo(), m.c.ID)
			if err != nil {
				return nil, err
			}
			judged[m.c.ID] = notes.Judge(notes.Parse(note))
		}
		return judged, nil
	}
	var ids bytes.Buffer
	for _, m := range b.list {
		fmt.Fprintln(&ids, m.c.ID)
	}
	read := &store.Records{Fields: 2, Each: func(f [][]byte) error {
		judged[git.ID(f[0])] = notes.Judge(notes.Parse(f[1]))
		return nil
	}}
	return judged, b.s.Repo().ViewTo(ctx, read, ids.Bytes(), "log", "-z", "--no-walk=unsorted", "--notes=context",
		"--format=%H%x00%N", "--stdin", "--")
}

// CommitHashes returns the hash of each memory commit by its Context-Id, see [history.Adders], and the set of
// memory commits that branches, tags and the other prefixes of refs reach.
func CommitHashes(ctx context.Context, s *store.Store,
	others ...string) (now map[string]git.ID, here map[git.ID]bool, err error) {
	here = map[git.ID]bool{}
	var added history.Adders
	read := &store.Records{Fields: 4, Each: func(f [][]byte) error {
		c := &git.Commit{ID: git.ID(f[0]), Message: string(f[3])}
		here[c.ID] = true
		added.List(c.ID, history.ParentsOf(f[1]), history.SecondsOf(f[2]))
		if id := c.Trailer(store.TrailerID); id != "" {
			added.Name(id, c.ID)
		}
		return nil
	}}
	args := []string{"log", "-z", "--no-notes", "--format=%H%x00%P%x00%ct%x00%B"}
	for _, prefix := range append([]string{git.BranchPrefix, git.TagPrefix}, others...) {
		args = append(args, "--glob="+prefix+"*")
	}
	err = s.Repo().ViewTo(ctx, read, nil, append(args, "--")...)
	return added.All(), here, err
}

// LinkMarker is a text that the line of every link contains.
const LinkMarker = `"` + notes.KindLink + `"`
