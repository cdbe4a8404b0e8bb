package code

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/git-context/git-context/refs/cache"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Index maps code commits to the memory commits that were made on them, by the Code-Commit
// trailers of all memory commits below branches and tags. To read ten thousand of them
// takes 60 ms; therefore they are cached, and a moved ref costs only its new commits. The
// cache contains:
//
//	"tip" SP REF SP COMMIT LF ... [CODE SP COMMIT LF]...       by code; all of one length
type Index struct {
	lines string
	fresh map[git.ID][]git.ID // those that are not in lines, by code
}

// laterIndex waits for an Index that is read concurrently.
type laterIndex func() (*Index, error)

// cacheIndex is the name of the cache file.
const cacheIndex = "made"

// fewCommits is how many commits a walk may read before they are cached: to write the file
// takes longer than to read that many.
const fewCommits = 256

// On returns the memory commits that were made on a code commit.
func (m *Index) On(code git.ID) []git.ID {
	var found []git.ID
	size := strings.IndexByte(m.lines, '\n') + 1
	if size > 0 {
		n := len(m.lines) / size
		at, _ := sort.Find(n, func(i int) int { return strings.Compare(string(code), m.lines[i*size:i*size+len(code)]) })
		for ; at < n && strings.HasPrefix(m.lines[at*size:], string(code)+" "); at++ {
			found = append(found, git.ID(m.lines[at*size+len(code)+1:(at+1)*size-1]))
		}
	}
	return append(found, m.fresh[code]...)
}

// Codes calls each for every code commit that memory was made on.
func (m *Index) Codes(each func(git.ID)) {
	last := ""
	for line := range strings.Lines(m.lines) {
		if code, _, _ := strings.Cut(line, " "); code != last {
			last = code
			each(git.ID(code))
		}
	}
	for code := range m.fresh {
		each(code)
	}
}

// ReadIndex returns the Index of the present refs. The cache is exact for the tips that it
// names:
//
//  1. the refs are the same: the cache is complete;
//  2. some moved forward, or are new: their commits are added;
//  3. one is gone, or moved elsewhere: everything is read again.
//
// With other prefixes of refs, memory that these reach is read too, and nothing is cached. It
// returns an error of the kind fail.ErrNoMemory without a memory branch.
func ReadIndex(ctx context.Context, s *store.Store, others ...string) (*Index, error) {
	refs, err := s.Repo().Refs(ctx, append([]string{git.BranchPrefix, git.TagPrefix}, others...)...)
	if err != nil {
		return nil, err
	}
	if len(refs) == 0 || !strings.HasPrefix(refs[0].Name, git.BranchPrefix) { // branches sort before tags
		return nil, s.NoSuchBranch(ctx, "")
	}
	tips := map[string]git.ID{}
	for _, r := range refs {
		tips[r.Name] = r.ID
	}
	walked, rest := map[string]git.ID{}, ""
	if len(others) == 0 {
		rest = cache.Read(s.Repo(), cacheIndex)
	}
	for strings.HasPrefix(rest, "tip ") {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if f := strings.Fields(line); len(f) == 3 {
			walked[f[1]] = git.ID(f[2])
		}
	}
	m := &Index{lines: rest}
	if maps.Equal(tips, walked) {
		return m, nil
	}
	w, err := walkIndex(ctx, s, tips, walked)
	if err != nil {
		return nil, err
	}
	if !w.forward(tips, walked) {
		m.lines = ""
		if w, err = walkIndex(ctx, s, tips, nil); err != nil {
			return nil, err
		}
	}
	if m.fresh = w.made; w.commits >= fewCommits && len(others) == 0 {
		m.lines, m.fresh = m.joined(len(refs[0].ID)), nil
		writeIndex(s, tips, m.lines)
	}
	return m, nil
}

// indexWalk is the result of a walk over memory commits.
type indexWalk struct {
	commits int
	parents map[git.ID]bool // of all of them
	made    map[git.ID][]git.ID
}

// walkIndex reads the commits that tips reach and those walked before do not, with whole
// messages: to find a trailer takes git 20 µs a commit.
func walkIndex(ctx context.Context, s *store.Store, tips, walked map[string]git.ID) (*indexWalk, error) {
	w := &indexWalk{parents: map[git.ID]bool{}, made: map[git.ID][]git.ID{}}
	var revs bytes.Buffer
	for ref, tip := range tips {
		if walked[ref] != tip {
			fmt.Fprintln(&revs, tip)
		}
	}
	if revs.Len() == 0 {
		return w, nil
	}
	for _, tip := range walked {
		fmt.Fprintln(&revs, "^"+tip)
	}
	read := &store.Records{Fields: 3, Each: func(f [][]byte) error {
		w.add(git.ID(f[0]), string(f[1]), string(f[2]))
		return nil
	}}
	err := s.Repo().ViewTo(ctx, read, revs.Bytes(), "log", "-z", "--no-notes", "--format=%H%x00%P%x00%B",
		"--ignore-missing", "--stdin", "--")
	return w, err
}

// add stores what one commit contains.
func (w *indexWalk) add(id git.ID, parents, message string) {
	w.commits++
	for p := range strings.FieldsSeq(parents) {
		w.parents[git.ID(p)] = true
	}
	c := &git.Commit{ID: id, Message: message}
	code := git.ID(c.Trailer(store.TrailerCode))
	if len(code) == len(id) && git.IsID(string(code)) && c.Trailer(store.TrailerID) != "" {
		w.made[code] = append(w.made[code], id)
	}
}

// forward reports whether every ref of an earlier walk is unchanged or has moved to
// descendants.
func (w *indexWalk) forward(tips, walked map[string]git.ID) bool {
	for ref, old := range walked {
		if tips[ref] != old && (tips[ref] == "" || !w.parents[old]) {
			return false
		}
	}
	return true
}

// joined returns the lines together with those of fresh, whose names have the given length.
func (m *Index) joined(hexLen int) string {
	lines := slices.Collect(strings.Lines(m.lines))
	for code, list := range m.fresh {
		for _, id := range list {
			if len(id) == hexLen {
				lines = append(lines, string(code)+" "+string(id)+"\n")
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "")
}

// writeIndex writes the cache.
func writeIndex(s *store.Store, tips map[string]git.ID, lines string) {
	var head strings.Builder
	for _, ref := range slices.Sorted(maps.Keys(tips)) {
		head.WriteString("tip " + ref + " " + string(tips[ref]) + "\n")
	}
	cache.Write(s.Repo(), cacheIndex, head.String()+lines)
}
