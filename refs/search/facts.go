package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/cache"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/store"
	"github.com/oklog/ulid/v2"
)

// commitHashes maps the ids of entries to their memory commits. The cache contains:
//
//	"tip" SP BRANCH SP COMMIT LF ... [ID SP COMMIT LF]...       by id
type commitHashes struct{ lines string } // the lines of ids, all of one length

// commit returns the memory commit of an entry, by binary search in the text: to parse ten
// thousand lines took longer than the rest of a search.
func (m commitHashes) commit(id string) (git.ID, bool) {
	size := strings.IndexByte(m.lines, '\n') + 1
	if size == 0 {
		return "", false
	}
	i, found := sort.Find(len(m.lines)/size, func(i int) int {
		return strings.Compare(id, m.lines[i*size:i*size+len(id)])
	})
	if !found {
		return "", false
	}
	return git.ID(m.lines[i*size+len(id)+1 : (i+1)*size-1]), true
}

// each calls visit for all of them.
func (m commitHashes) each(visit func(id string, commit git.ID)) {
	for line := range strings.Lines(m.lines) {
		if id, commit, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok {
			visit(id, git.ID(commit))
		}
	}
}

// readCommitHashes returns the commits of the entries below tips: those of older tips from
// the cache, and newer ones from git log. An entry has the commit that added it, see [history.Adders].
func readCommitHashes(ctx context.Context, s *store.Store, tips map[string]git.ID) (commitHashes, error) {
	walked, rest := map[string]git.ID{}, cache.Read(s.Repo(), cacheCommits)
	for strings.HasPrefix(rest, "tip ") {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if f := strings.Fields(line); len(f) == 3 {
			walked[f[1]] = git.ID(f[2])
		}
	}
	known := commitHashes{rest}
	var revs bytes.Buffer
	for branch, tip := range tips {
		if walked[branch] != tip {
			fmt.Fprintln(&revs, tip)
		}
	}
	if revs.Len() == 0 {
		return known, nil
	}
	for _, tip := range walked {
		fmt.Fprintln(&revs, "^"+tip)
	}
	// Tips that git has collected do no harm: the cache contains their entries.
	commits, err := newCommitHashes(ctx, s, revs.Bytes())
	if err == nil {
		err = addKnown(ctx, s, commits, known, tips)
	}
	if err != nil {
		return known, err
	}
	var head, b strings.Builder
	forgetGone(ctx, s, walked)
	maps.Copy(walked, tips)
	for _, branch := range slices.Sorted(maps.Keys(walked)) {
		head.WriteString("tip " + branch + " " + string(walked[branch]) + "\n")
	}
	for _, id := range slices.Sorted(maps.Keys(commits)) {
		b.WriteString(id + " " + string(commits[id]) + "\n")
	}
	cache.Write(s.Repo(), cacheCommits, head.String()+b.String())
	return commitHashes{b.String()}, nil
}

// newCommitHashes reads the commits of entries from git log.
func newCommitHashes(ctx context.Context, s *store.Store, revs []byte) (map[string]git.ID, error) {
	var added history.Adders
	// Git takes twice as long where it looks for the trailer itself.
	read := &store.Records{Fields: 4, Each: func(f [][]byte) error {
		c := git.Commit{ID: git.ID(f[0]), Message: string(f[3])}
		added.List(c.ID, history.ParentsOf(f[1]), history.SecondsOf(f[2]))
		if id := c.Trailer(store.TrailerID); doc.ValidID(id) {
			added.Name(id, c.ID)
		}
		return nil
	}}
	err := s.Repo().ViewTo(ctx, read, revs, "log", "-z", "--format=%H%x00%P%x00%ct%x00%B", "--ignore-missing", "--stdin", "--")
	return added.All(), err
}

// addKnown adds the commits of the cache. One whose entry a new commit names as well stands for it if it is in the history of
// that, or if tips still reach it and [store.Original] takes it; else the entry was rewritten.
func addKnown(ctx context.Context, s *store.Store, commits map[string]git.ID, known commitHashes, tips map[string]git.ID) error {
	var before, after []git.ID
	twice := map[string]git.ID{}
	known.each(func(id string, commit git.ID) {
		switch again := commits[id]; again {
		case "", commit:
			commits[id] = commit
		default:
			twice[id], before, after = commit, append(before, commit), append(after, again)
		}
	})
	if len(twice) == 0 {
		return nil
	}
	here, err := s.Repo().InfosHere(ctx, before)
	if err != nil {
		return err
	}
	beyond, err := s.Repo().Beyond(ctx, before, after)
	var gone map[git.ID]bool
	if err == nil {
		gone, err = s.Repo().Beyond(ctx, before, slices.Collect(maps.Values(tips)))
	}
	if err != nil {
		return ctx.Err() // git has collected a part of what the cache names, which is in no history then
	}
	for i, info := range here {
		if info.Type == "" {
			gone[before[i]] = true
		}
	}
	for id, commit := range twice {
		stands := !gone[commit]
		if stands && beyond[commit] {
			if stands, err = isOriginal(ctx, s, id, commit, commits[id]); err != nil {
				return err
			}
		}
		if stands {
			commits[id] = commit
		}
	}
	return nil
}

// isOriginal is [store.Original] for commits of this repository.
func isOriginal(ctx context.Context, s *store.Store, entry string, a, b git.ID) (bool, error) {
	var seconds [2]int64
	for i, id := range []git.ID{a, b} {
		c, err := s.Repo().Commit(ctx, id)
		if err != nil {
			return false, err
		}
		seconds[i] = c.Committer.When.Unix()
	}
	return store.Original(entry, a, seconds[0], b, seconds[1]), nil
}

// forgetGone removes deleted branches, whose number has no limit.
func forgetGone(ctx context.Context, s *store.Store, tips map[string]git.ID) {
	for branch := range tips {
		// An unreadable ref counts as absent, because this only saves a walk.
		if _, err := s.Repo().Ref(ctx, git.BranchRef(branch)); err != nil {
			delete(tips, branch)
		}
	}
}

// noted is what weighs commits: their hashes, and their notes and tags.
type noted struct {
	commits commitHashes
	judged  map[git.ID]notes.Judgement
	tags    map[git.ID][]string // names
}

// judge fills in the commit of a hit, and returns the judgement in its note.
func (n noted) judge(r *ranked) notes.Judgement {
	if r.key.Kind != index.Commits {
		return notes.Judgement{}
	}
	commit, ok := n.commits.commit(ulid.ULID(r.ID).String())
	if !ok {
		return notes.Judgement{}
	}
	j := n.judged[commit]
	r.commit, r.outcome, r.noted = &commit, outcomeOf(j, n.tags[commit]), j.Score
	return j
}

// outcomeOf returns the outcome of a commit: by its note, else by a tag that names it
// success, failed or abandoned.
func outcomeOf(j notes.Judgement, tags []string) *string {
	for _, outcome := range notes.Outcomes() {
		if j.Outcome == nil && (history.Filter{Outcome: outcome}).Matches(j, tags) {
			return &outcome
		}
	}
	return j.Outcome
}

// facts starts to read what weighs commits, with one child for tags and one for new
// commits, and returns a function that waits for it. wg is done when both are.
func facts(ctx context.Context, s *store.Store, tips map[string]git.ID, wg *sync.WaitGroup) func() (noted, error) {
	var n noted
	var commits, tags error
	var both sync.WaitGroup
	both.Go(func() { n.commits, commits = readCommitHashes(ctx, s, tips) })
	both.Go(func() { n.tags, tags = history.TagNames(ctx, s) })
	wg.Go(both.Wait)
	return sync.OnceValues(func() (noted, error) {
		both.Wait()
		if err := errors.Join(commits, tags); err != nil {
			return noted{}, err
		}
		var err error
		n.judged, err = judgements(ctx, s)
		return n, err
	})
}

// judgements reads the scores and outcomes of all notes, by commit: those of an older notes
// tree from the cache, and notes that differ from git. The cache contains, with "-" for
// none:
//
//	"tree" SP TREE LF [COMMIT SP SCORE SP OUTCOME LF]...
func judgements(ctx context.Context, s *store.Store) (map[git.ID]notes.Judgement, error) {
	tip, err := s.NotesTip(ctx)
	if err != nil || tip == "" {
		return nil, err
	}
	c, err := s.Repo().Commit(ctx, tip)
	if err != nil {
		return nil, err
	}
	judged := map[git.ID]notes.Judgement{}
	tree := s.Repo().EmptyTree()
	for line := range strings.Lines(cache.Read(s.Repo(), cacheNotes)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "tree" {
			tree = git.ID(f[1])
		} else if len(f) == 3 {
			judged[git.ID(f[0])] = parseJudgement(f[1], f[2])
		}
	}
	if tree == c.Tree {
		return judged, nil
	}
	pair := history.TreePair{Old: tree, Now: c.Tree}
	diffs, err := history.DiffTrees(ctx, s, []history.TreePair{pair})
	if err != nil {
		return nil, err
	}
	if diffs[pair].Anew {
		clear(judged)
	}
	if err := judgeChanged(ctx, s, judged, c.Tree, diffs[pair].Changes); err != nil {
		return nil, err
	}
	cache.Write(s.Repo(), cacheNotes, formatJudgements(c.Tree, judged))
	return judged, nil
}

// judgeChanged reads the notes that differ, from a tree of notes.
func judgeChanged(ctx context.Context, s *store.Store, judged map[git.ID]notes.Judgement, tree git.ID,
	changes []history.TreeChange) error {
	of := map[git.ID][]git.ID{} // the objects with a note, by its blob
	var blobs []git.ID
	r := notes.At(s.Repo(), tree)
	for _, c := range changes {
		object := notes.ObjectAt(c.Path)
		delete(judged, object)
		if !git.IsID(string(object)) {
			continue
		}
		blob, err := r.Blob(ctx, object) // of two notes of one object, the one that is read elsewhere
		if err != nil {
			return err
		}
		if blob == "" {
			continue
		}
		if of[blob] == nil {
			blobs = append(blobs, blob)
		}
		of[blob] = append(of[blob], object)
	}
	return s.Repo().ReadAll(ctx, blobs, func(o git.Object) error {
		// Most notes contain no judgement: this test takes a tenth of the time of parsing.
		if !bytes.Contains(o.Data, []byte(notes.KindScore)) && !bytes.Contains(o.Data, []byte(notes.KindOutcome)) {
			return nil
		}
		j := notes.Judge(notes.Parse(o.Data))
		if j.Score == nil && j.Outcome == nil {
			return nil
		}
		for _, object := range of[o.ID] {
			judged[object] = notes.Judgement{Score: j.Score, Outcome: j.Outcome}
		}
		return nil
	})
}

// none is a score or outcome that a note does not contain.
const none = "-"

func parseJudgement(score, outcome string) (j notes.Judgement) {
	if x, err := strconv.ParseFloat(score, 64); err == nil {
		j.Score = &x
	}
	if outcome != none {
		j.Outcome = &outcome
	}
	return j
}

func formatJudgements(tree git.ID, judged map[git.ID]notes.Judgement) string {
	var b strings.Builder
	b.WriteString("tree " + string(tree) + "\n")
	for _, id := range slices.Sorted(maps.Keys(judged)) {
		score, outcome := none, none
		if j := judged[id]; j.Score != nil {
			score = strconv.FormatFloat(*j.Score, 'g', -1, 64)
		}
		if j := judged[id]; j.Outcome != nil { // one of a few words, see notes.Judge
			outcome = *j.Outcome
		}
		b.WriteString(string(id) + " " + score + " " + outcome + "\n")
	}
	return b.String()
}
