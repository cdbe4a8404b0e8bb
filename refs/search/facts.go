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
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/store"
	"github.com/oklog/ulid/v2"
)

// commitHashes says which commit made a milestone.
//
//	"tip" SP BRANCH SP COMMIT LF ... [ID SP COMMIT LF]...       by id
type commitHashes struct{ lines string } // those of ids; all of one length

// commit finds the commit of a milestone. It is found among ten thousand without looking
// at more than fourteen: to read them all took longer than the rest of a search.
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

// each hands out all of them.
func (m commitHashes) each(visit func(id string, commit git.ID)) {
	for line := range strings.Lines(m.lines) {
		if id, commit, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok {
			visit(id, git.ID(commit))
		}
	}
}

// readCommitHashes finds the commits of the milestones below tips. The cache says those
// of older tips, and git log those since. A milestone that was written anew has its newest
// commit.
func readCommitHashes(ctx context.Context, s *store.Store, tips map[string]git.ID) (commitHashes, error) {
	walked, rest := map[string]git.ID{}, s.ReadCache(cacheCommits)
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
	// Tips that a gc took since are no harm: what they had stands in the cache.
	commits := map[string]git.ID{} // the newest first
	err := s.LogIDsFrom(ctx, revs.Bytes(), []string{"--ignore-missing", "--stdin", "--"}, func(f [][]byte) error {
		if id := string(f[1]); doc.ValidID(id) && commits[id] == "" {
			commits[id] = git.ID(f[0])
		}
		return nil
	})
	if err != nil {
		return known, err
	}
	known.each(func(id string, commit git.ID) {
		if commits[id] == "" {
			commits[id] = commit
		}
	})
	var head, b strings.Builder
	forgetGone(ctx, s, walked)
	maps.Copy(walked, tips)
	for _, branch := range slices.Sorted(maps.Keys(walked)) {
		head.WriteString("tip " + branch + " " + string(walked[branch]) + "\n")
	}
	for _, id := range slices.Sorted(maps.Keys(commits)) {
		b.WriteString(id + " " + string(commits[id]) + "\n")
	}
	s.WriteCache(cacheCommits, head.String()+b.String())
	return commitHashes{b.String()}, nil
}

// forgetGone takes branches out that are no more: their number has no bound.
func forgetGone(ctx context.Context, s *store.Store, tips map[string]git.ID) {
	for branch := range tips {
		// A ref that cannot be read is as good as none, for what is only spared a walk.
		if _, err := s.Repo().Ref(ctx, git.BranchRef(branch)); err != nil {
			delete(tips, branch)
		}
	}
}

// noted is what weighs milestones: their commits, and what was noted of these.
type noted struct {
	commits commitHashes
	judged  map[git.ID]notes.Judgement
	tags    map[git.ID][]string // names
}

// judge fills in what is known of a hit, and returns what its note says.
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

// outcomeOf says what became of a milestone: by its note, else by a tag that names it
// success, failed or abandoned.
func outcomeOf(j notes.Judgement, tags []string) *string {
	for _, outcome := range notes.Outcomes() {
		if j.Outcome == nil && (history.Filter{Outcome: outcome}).Matches(j, tags) {
			return &outcome
		}
	}
	return j.Outcome
}

// facts begins to read what weighs milestones, which takes a child of git's for tags and
// one where something is new, and returns what waits for it. wg knows when it is done.
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

// judgements reads the scores and outcomes of all notes, by the commit. The cache says
// those of an older notes tree, and git which notes are different.
//
//	"tree" SP TREE LF [COMMIT SP SCORE SP OUTCOME LF]...       "-" for none
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
	for line := range strings.Lines(s.ReadCache(cacheNotes)) {
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
	if err := judgeChanged(ctx, s, judged, diffs[pair].Changes); err != nil {
		return nil, err
	}
	s.WriteCache(cacheNotes, formatJudgements(c.Tree, judged))
	return judged, nil
}

// judgeChanged reads the notes that are new or different.
func judgeChanged(ctx context.Context, s *store.Store, judged map[git.ID]notes.Judgement, changes []history.TreeChange) error {
	of := map[git.ID][]git.ID{} // the objects that have a note, by its blob
	var blobs []git.ID
	for _, c := range changes {
		object := git.ID(strings.ReplaceAll(c.Path, "/", "")) // in whatever fan-out
		delete(judged, object)
		if !c.Blob {
			continue
		}
		if of[c.ID] == nil {
			blobs = append(blobs, c.ID)
		}
		of[c.ID] = append(of[c.ID], object)
	}
	return s.Repo().ReadAll(ctx, blobs, func(o git.Object) error {
		// Most notes are no judgement: to see that is a tenth of parsing them.
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

// none is a score or outcome that a note does not give.
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
