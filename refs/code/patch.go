package code

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// The limits of the search for commits that replaced others. It looks at commits that are
// not older than the oldest of the replaced, less the difference of two clocks, and prefers
// those of the same author and second. A patch-id costs git a whole diff.
const (
	replacedSlack = 24 * time.Hour
	mostOthers    = 1000     // candidates of another second, the newest
	patchChunk    = 16 << 20 // bytes of diffs that are passed on at once
	mostPatch     = 64 << 20 // of one commit; a larger one gets no patch-id
)

// Candidate is a commit that may have replaced another one.
type Candidate struct {
	ID     git.ID
	Author string // name, address and time
	Title  string
}

func candidateOf(c *git.Commit) Candidate {
	return Candidate{ID: c.ID, Title: c.Subject(),
		Author: authorKey(c.Author.Name, c.Author.Email, c.Author.When.Unix())}
}

func authorKey(name, email string, at int64) string {
	return fmt.Sprintf("%s <%s> %d", name, email, at)
}

// same reports whether both have the same author, second and subject.
func (c Candidate) same(d Candidate) bool { return c.Author == d.Author && c.Title == d.Title }

// Replacements finds the commits that replaced those of left, among what the revisions of
// among reach: the one with the same patch-id, author, second and subject; else those with
// the same patch-id; else those with the same author, second and subject.
func Replacements(ctx context.Context, s *store.Store, left []*git.Commit,
	among ...string) (map[git.ID][]git.ID, error) {
	list, err := candidates(ctx, s, left, among)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	ids := make([]git.ID, 0, len(left)+len(list))
	for _, c := range left {
		ids = append(ids, c.ID)
	}
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	patches, err := PatchIDs(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	found := map[git.ID][]git.ID{}
	for _, c := range left {
		found[c.ID] = replacing(candidateOf(c), list, patches)
	}
	return found, nil
}

// replacing selects the candidates for one commit.
func replacing(old Candidate, list []Candidate, patches map[git.ID]string) []git.ID {
	var equal, both, alike []git.ID
	for _, c := range list {
		patch := patches[old.ID] != "" && patches[c.ID] == patches[old.ID]
		if patch {
			equal = append(equal, c.ID)
		}
		if c.same(old) {
			alike = append(alike, c.ID)
			if patch {
				both = append(both, c.ID)
			}
		}
	}
	switch {
	case len(both) == 1:
		return both
	case len(equal) > 0:
		return equal
	}
	return alike
}

// candidates lists the commits that some revisions reach and that may have replaced others,
// newest first.
func candidates(ctx context.Context, s *store.Store, left []*git.Commit, among []string) ([]Candidate, error) {
	since, seconds := int64(math.MaxInt64), map[int64]bool{}
	for _, c := range left {
		at := c.Author.When.Unix()
		since = min(since, at, c.Committer.When.Unix())
		seconds[at] = true
	}
	since -= int64(replacedSlack / time.Second)
	var list []Candidate
	others := 0
	err := EachCandidate(ctx, s, nil, func(c Candidate, at int64) {
		if !seconds[at] {
			others++
		}
		if seconds[at] || others <= mostOthers {
			list = append(list, c)
		}
	}, append([]string{"--max-age=" + strconv.FormatInt(max(since, 0), 10)}, among...)...)
	return list, err
}

// EachCandidate calls each for the commits that git log lists for the arguments and the
// input in, with their author's time in seconds since 1970.
func EachCandidate(ctx context.Context, s *store.Store, in []byte, each func(c Candidate, at int64),
	args ...string) error {
	read := &store.Records{Fields: 5, Each: func(f [][]byte) error {
		at, err := strconv.ParseInt(string(f[1]), 10, 64)
		if err != nil {
			return fmt.Errorf("git log: no date for %s", f[0])
		}
		each(Candidate{ID: git.ID(f[0]), Title: string(f[4]), Author: authorKey(string(f[2]), string(f[3]), at)}, at)
		return nil
	}}
	list := []string{"log", "-z", "--no-notes", "--no-mailmap", "--format=%H%x00%at%x00%an%x00%ae%x00%s"}
	return s.Repo().ViewTo(ctx, read, in, append(append(list, args...), "--")...)
}

// PatchIDs returns the patch-ids of commits. A merge has none, nor does a commit without
// changes, or one of which git has collected a part.
func PatchIDs(ctx context.Context, s *store.Store, ids []git.ID) (map[git.ID]string, error) {
	found, err := patchIDs(ctx, s, ids)
	if !collected(ctx, s, err) {
		return found, err
	}
	found = map[git.ID]string{}
	for _, id := range ids {
		one, err := patchIDs(ctx, s, []git.ID{id})
		if err != nil && !collected(ctx, s, err) {
			return nil, err
		}
		maps.Copy(found, one)
	}
	return found, nil
}

func patchIDs(ctx context.Context, s *store.Store, ids []git.ID) (map[git.ID]string, error) {
	found := map[git.ID]string{}
	p := &patches{chunk: patchChunk, most: mostPatch, ask: func(diffs []byte) error {
		out, err := s.Repo().RunInput(ctx, diffs, "patch-id", "--stable")
		for line := range strings.Lines(string(out)) {
			if patch, id, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
				found[git.ID(id)] = patch
			}
		}
		return err
	}}
	var in bytes.Buffer
	for _, id := range ids {
		fmt.Fprintln(&in, id)
	}
	err := s.Repo().ViewTo(ctx, p, in.Bytes(), "diff-tree", "--stdin", "-p", "--root", "--full-index", "--no-renames",
		"--no-ext-diff", "--no-textconv", "--text", "--no-color", "--diff-algorithm=myers", "--unified=3")
	if err == nil {
		err = p.hand(len(p.held))
	}
	return found, err
}

// patches passes the diffs that git prints on to ask, cut between commits.
type patches struct {
	chunk, most int // bytes, see patchChunk and mostPatch
	ask         func(diffs []byte) error

	held   []byte
	looked int  // how much of held was searched for names of commits
	last   int  // the position of the last of them
	skip   bool // the present commit is too large
}

// Write reads whole lines: before each diff, and nowhere in it, there is a line with the
// commit's name.
func (p *patches) Write(data []byte) (int, error) {
	p.held = append(p.held, data...)
	for {
		end := bytes.IndexByte(p.held[p.looked:], '\n')
		if end < 0 {
			break
		}
		if git.IsID(string(p.held[p.looked : p.looked+end])) {
			if p.last = p.looked; p.skip {
				p.forget(p.last)
			}
			p.skip = false
		}
		p.looked += end + 1
	}
	switch {
	case p.skip:
		p.forget(p.looked)
	case len(p.held) > p.chunk && p.last > 0:
		return len(data), p.hand(p.last)
	case len(p.held) > p.most:
		p.skip = true
		p.forget(p.looked)
	}
	return len(data), nil
}

// forget drops the first n bytes.
func (p *patches) forget(n int) {
	p.held = append(p.held[:0], p.held[n:]...)
	p.looked, p.last = p.looked-n, max(p.last-n, 0)
}

// hand passes the first n bytes on.
func (p *patches) hand(n int) error {
	if n == 0 || p.skip {
		return nil
	}
	if err := p.ask(p.held[:n]); err != nil {
		return err
	}
	p.forget(n)
	return nil
}
