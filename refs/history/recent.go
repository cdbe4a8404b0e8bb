package history

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// RecentCommit is a memory commit as a git log lists it: a COMMIT, or a change of a topic or
// of metadata.
type RecentCommit struct {
	Hash    git.ID
	Tree    git.ID
	Parents []git.ID
	ID      string // of its entry in commit.md; "" without one
	Agent   string
	By      store.Authored
	Code    git.ID // the code's HEAD at that time; "" if there was none
	Time    time.Time
	Subject string
}

// Recent lists at most n memory commits of a tip, merged ones included, newest first, with one
// git log. It reads no notes.
func Recent(ctx context.Context, s *store.Store, t *store.Tip, n int) ([]RecentCommit, error) {
	return recentFrom(ctx, s, string(t.Commit().ID), n)
}

// RecentSoon starts the git log of [Recent] for the tip that [At] returns for a branch and a revision, before
// that tip is known: to find it in packs takes as long as git's start. wait returns the result once the tip
// is known; it runs another git log if the first one began elsewhere. stop ends the first one, and must be
// called.
func RecentSoon(ctx context.Context, s *store.Store, branch, rev string, n int) (wait func(*store.Tip) ([]RecentCommit, error), stop func()) {
	soon, cancel := context.WithCancel(ctx)
	var list []RecentCommit
	var done sync.WaitGroup
	done.Go(func() {
		if from := s.Foresee(soon, branch, rev); from != "" {
			list, _ = recentFrom(soon, s, from, n) // after an error the tip's own log is asked
		}
	})
	wait = func(t *store.Tip) ([]RecentCommit, error) {
		if done.Wait(); len(list) > 0 && list[0].Hash == t.Commit().ID {
			return list, nil
		}
		return Recent(ctx, s, t, n)
	}
	return wait, func() { cancel(); done.Wait() }
}

// recentFrom asks for whole messages: to find three trailers takes git 20 µs a commit. Of a large one it keeps both ends.
func recentFrom(ctx context.Context, s *store.Store, rev string, n int) ([]RecentCommit, error) {
	var list []RecentCommit
	records := &records{each: func(f [][]byte) error {
		c, err := recentOf(ctx, s, f)
		list = append(list, c)
		return err
	}}
	err := s.Repo().ViewTo(ctx, records, nil, "log", "-z", "--format=%H%x00%T %P%x00%ct%x00%an%x00%ae%x00%B", "--no-notes",
		fmt.Sprintf("--max-count=%d", n), store.EndOfOptions, rev, "--")
	if err != nil {
		return nil, err // a part of it would pass for all
	}
	return list, nil
}

// recentOf reads the fields of one commit.
func recentOf(ctx context.Context, s *store.Store, f [][]byte) (RecentCommit, error) {
	tree, parents, _ := bytes.Cut(f[1], []byte{' '})
	c := &git.Commit{ID: git.ID(f[0]), Tree: git.ID(tree), Parents: ParentsOf(parents), Message: string(f[5]), Author: git.Signature{Name: string(f[3]), Email: string(f[4])}}
	if seconds, err := strconv.ParseInt(string(f[2]), 10, 64); err == nil {
		c.Committer.When = time.Unix(seconds, 0)
	} else if c, err = s.Repo().Commit(ctx, c.ID); err != nil { // git converts all of one that names a foreign encoding
		return RecentCommit{}, err
	}
	by, err := s.By(ctx, c.Author.Name, c.Author.Email)
	return RecentCommit{Hash: c.ID, Tree: c.Tree, Parents: c.Parents, ID: c.Trailer(store.TrailerID),
		Agent: c.Trailer(store.TrailerAgent), By: by, Code: git.ID(c.Trailer(store.TrailerCode)),
		Time: c.Committer.When.UTC(), Subject: c.Subject()}, err
}

// fieldsOf is how many fields a record has.
const fieldsOf = 6

// What is kept of a field that is larger than both together: its beginning and its end, which are the subject and the
// trailers of a message.
const (
	keptHead = 64 << 10
	keptTail = 1 << 20
)

// records cuts what is written to it into records of fields that end with NUL.
type records struct {
	each   func(fields [][]byte) error // must keep none of them
	fields [][]byte
	field  []byte // the one that has no end yet
}

func (r *records) Write(data []byte) (int, error) {
	n := len(data)
	for len(data) > 0 {
		part, rest, ended := bytes.Cut(data, []byte{0})
		data = rest
		if r.field = append(r.field, part...); len(r.field) > keptHead+2*keptTail {
			r.shorten()
		}
		if !ended {
			break
		}
		if r.fields, r.field = append(r.fields, r.field), nil; len(r.fields) == fieldsOf {
			if err := r.each(r.fields); err != nil {
				return 0, err
			}
			r.fields = r.fields[:0]
		}
	}
	return n, nil
}

// shorten drops the middle of the field, whole lines of it, and leaves an empty line there.
func (r *records) shorten() {
	tail := r.field[len(r.field)-keptTail:]
	if _, after, ok := bytes.Cut(tail, []byte{'\n'}); ok {
		tail = after
	}
	r.field = append(append(r.field[:keptHead], "\n\n"...), tail...)
}

// NewestOf reads a branch's newest n commits in full, newest first. wait returns the result of
// [Recent], which saves the git log that finds them; what does not need it is read before. cut is
// what a view takes of each text.
func NewestOf(ctx context.Context, s *store.Store, t *store.Tip, n int, cut Cut, wait func() ([]RecentCommit, error)) ([]store.Commit, error) {
	commits, err := readEntries(ctx, t, 0, n, cut)
	if err != nil {
		return nil, err
	}
	judged, err := notes.Open(ctx, s.Repo())
	if err != nil {
		return nil, err
	}
	recent, err := wait()
	if err != nil {
		return nil, err
	}
	known := map[git.ID]*RecentCommit{}
	var added Adders
	for i, c := range recent {
		known[c.Hash] = &recent[i]
		if added.List(c.Hash, c.Parents, c.Time.Unix()); c.ID != "" {
			added.Name(c.ID, c.Hash)
		}
	}
	if slices.ContainsFunc(commits, func(c store.Commit) bool { return added.Of(c.ID) == "" }) {
		return commits, locate(ctx, s, t, commits) // all: what names the others may be copies
	}
	for i := range commits {
		c := &commits[i]
		found := known[added.Of(c.ID)]
		c.Hash, c.Authored = &found.Hash, found.By
		if found.Code != "" {
			c.Code = &found.Code
		}
		note, err := judged.Read(ctx, found.Hash)
		if err != nil {
			return nil, err
		}
		c.Judge(judgedAt(t.At(), note))
	}
	return commits, nil
}

// ReadTopics reads the topics of a tip, by key, without the ones that another replaces: all, or
// at most most of them if there are more: all that are pinned, then those that recent changed first. more
// is the number of topics that it did not read. Of a topic that recent does not name, the writer and the
// time are unknown. Of each text it returns at most size bytes. wait returns the result of [Recent].
func ReadTopics(ctx context.Context, s *store.Store, t *store.Tip, most, size int, wait func() ([]RecentCommit, error)) (list []store.Topic, more int, err error) {
	ids, err := store.TopicIDs(ctx, t)
	if err != nil {
		return nil, 0, err
	}
	var texts map[git.ID]doc.Topic
	var marks map[string]topicMark
	if len(ids) <= most { // all of them are read, in any order
		keys, _ := topicKeys(ids, nil, nil)
		texts, err = topicTexts(ctx, s, t, ids, keys, size)
	} else {
		marks, err = topicMarks(ctx, s, t, ids)
	}
	if err != nil {
		return nil, 0, err
	}
	recent, err := wait()
	if err != nil {
		return nil, 0, err
	}
	written := writtenTopics(recent)
	keys, pins := topicKeys(ids, written, marks)
	if most = max(most, pins); len(keys) > most {
		keys, more = keys[:most], len(keys)-most
	}
	if texts == nil {
		if texts, err = topicTexts(ctx, s, t, ids, keys, size); err != nil {
			return nil, 0, err
		}
	}
	by, err := writers(ctx, s, t, recent, written, ids, keys, texts, size)
	if err != nil {
		return nil, 0, err
	}
	superseded := map[string]bool{}
	for _, m := range marks {
		superseded[m.Supersedes] = true
	}
	for _, key := range keys {
		d := texts[ids[key+".md"]]
		topic := topicFrom(key, d)
		if c := by[key]; c != nil {
			topic.Commit, topic.UpdatedAt, topic.Agent, topic.Authored = c.Hash, c.Time, c.Agent, c.By
			if git.IsID(string(c.Code)) {
				topic.Base = &c.Code
			}
		}
		superseded[d.Supersedes] = true
		list = append(list, topic)
	}
	list = slices.DeleteFunc(list, func(t store.Topic) bool { return superseded[t.Key] })
	slices.SortFunc(list, func(a, b store.Topic) int { return strings.Compare(a.Key, b.Key) })
	return list, more, nil
}

// topicKeys sorts the keys of topics: pinned ones, of which it returns the number, then recently written
// ones, then the others by key.
func topicKeys(ids map[string]git.ID, written map[string][]*RecentCommit, marks map[string]topicMark) (keys []string, pins int) {
	var pinned, recent, others []string
	for name := range ids {
		key := strings.TrimSuffix(name, ".md")
		switch {
		case marks[name].Pinned:
			pinned = append(pinned, key)
		case written[key] != nil:
			recent = append(recent, key)
		default:
			others = append(others, key)
		}
	}
	slices.Sort(pinned)
	slices.SortFunc(recent, func(a, b string) int {
		return cmp.Or(written[b][0].Time.Compare(written[a][0].Time), strings.Compare(a, b))
	})
	slices.Sort(others)
	return slices.Concat(pinned, recent, others), len(pinned)
}

// topicTexts reads the files of topics, of each text at most size bytes.
func topicTexts(ctx context.Context, s *store.Store, t *store.Tip, ids map[string]git.ID, keys []string, size int) (map[git.ID]doc.Topic, error) {
	texts := make(map[git.ID]doc.Topic, len(keys))
	named := make(map[string]git.ID, len(keys))
	for _, key := range keys {
		named[key+".md"] = ids[key+".md"]
	}
	err := eachTopic(ctx, s, t, named, size, func(name string, d doc.Topic) { texts[ids[name]] = d })
	return texts, err
}

// Apart counts the memory commits that only a reaches, and those that only b reaches.
func Apart(ctx context.Context, s *store.Store, a, b git.ID) (left, right int, err error) {
	if a == b {
		return 0, 0, nil
	}
	out, err := s.Repo().View(ctx, "rev-list", "--left-right", "--count", store.EndOfOptions, string(a)+"..."+string(b), "--")
	if err != nil {
		return 0, 0, err
	}
	if _, err := fmt.Sscan(string(out), &left, &right); err != nil {
		return 0, 0, fmt.Errorf("git rev-list: cannot understand '%s': %w", strings.TrimSpace(string(out)), err)
	}
	return left, right, nil
}
