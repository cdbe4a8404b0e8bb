package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
)

// Remember writes a topic of the current branch, as a memory commit of its own. A path
// that is none is fail.ErrInvalid; one that the code does not have makes a warning.
func (s *Store) Remember(ctx context.Context, o TopicOptions) (Change, error) {
	if err := CheckTopic(o.Key); err != nil {
		return Change{}, err
	}
	if err := checkTopicPaths(o.Paths); err != nil {
		return Change{}, err
	}
	replaced := Clean(&o.Text)
	if o.Supersedes != "" {
		if err := CheckTopic(o.Supersedes); err != nil {
			return Change{}, err
		}
		if o.Supersedes == o.Key {
			return Change{}, fail.New(fail.ErrInvalid, fail.TopicKey, fmt.Sprintf("topic '%s' cannot supersede itself", o.Key),
				"git context remember NEWKEY --supersedes "+o.Key)
		}
	}
	if size := len(o.Text); size > MaxStep {
		return Change{}, fail.New(fail.ErrInvalid, fail.TopicTooLarge, fmt.Sprintf("the topic has %d bytes; at most %d are allowed", size, MaxStep))
	}
	data := doc.Topic{Paths: o.Paths, Supersedes: o.Supersedes, Text: o.Text}.Bytes()
	ch, err := s.changeBranch(ctx, o.Writer, o.Key, func(ctx context.Context, ses *Transaction, tip *Tip) (*Draft, error) {
		if o.Supersedes != "" {
			if _, err := tip.TopicBlob(ctx, o.Supersedes); err != nil {
				return nil, err
			}
		}
		c, err := ses.Follow(ctx, tip, "Remember "+o.Key)
		if err != nil {
			return nil, err
		}
		if err := ses.Put(ctx, c.Tree, doc.TopicPath(o.Key), data); err != nil {
			return nil, err
		}
		if !c.Tree.Changed() {
			return nil, nil
		}
		return c, nil
	})
	if ch.Replaced = replaced; err == nil {
		ch.Warnings = append(ch.Warnings, s.lackOf(ctx, o.Paths)...)
	}
	return ch, err
}

// Forget removes a topic of the current branch. Its history stays.
func (s *Store) Forget(ctx context.Context, w Writer, key string) (Change, error) {
	if err := CheckTopic(key); err != nil {
		return Change{}, err
	}
	return s.changeBranch(ctx, w, key, func(ctx context.Context, ses *Transaction, tip *Tip) (*Draft, error) {
		if _, err := tip.TopicBlob(ctx, key); err != nil {
			return nil, err
		}
		c, err := ses.Follow(ctx, tip, "Forget "+key)
		if err != nil {
			return nil, err
		}
		return c, c.Tree.Remove(ctx, doc.TopicPath(key))
	})
}

func CheckTopic(key string) error {
	if err := doc.CheckTopicKey(key); err != nil {
		return fail.New(fail.ErrInvalid, fail.TopicKey, err.Error(), "git context topics")
	}
	return nil
}

// topicBlob reads a topic's file; fail.ErrNotFound names the nearest key.
func (tip *Tip) TopicBlob(ctx context.Context, key string) ([]byte, error) {
	data, err := tip.Document(ctx, doc.TopicPath(key))
	if !errors.Is(err, fail.ErrNotFound) {
		return data, err
	}
	ids, err := TopicIDs(ctx, tip)
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(ids))
	for name := range ids {
		keys = append(keys, strings.TrimSuffix(name, ".md"))
	}
	slices.Sort(keys)
	hint, where := "git context topics", fmt.Sprintf("branch '%s'", tip.branch)
	if at := tip.At(); at != nil {
		hint, where = hint+" --at "+at.Commit.Short(), where+" at "+at.Commit.Short()
	}
	if near := doc.Nearest(key, keys); near != "" {
		hint = fmt.Sprintf("did you mean '%s'?", near)
	}
	return nil, fail.New(fail.ErrNotFound, fail.TopicNotFound, fmt.Sprintf("topic '%s' not found in %s", key, where), hint)
}

// Topics lists the topics of a tip by key, each with who wrote it and when. Topics that a standing one supersedes are listed
// only with all.
func (s *Store) Topics(ctx context.Context, tip *Tip, all bool) ([]Topic, error) {
	ids, err := TopicIDs(ctx, tip)
	if err != nil {
		return nil, err
	}
	list := []Topic{}
	superseded := map[string]bool{}
	for name := range ids {
		t, err := s.ReadTopic(ctx, tip, strings.TrimSuffix(name, ".md"))
		if err != nil {
			return nil, err
		}
		superseded[t.Supersedes] = true
		list = append(list, t)
	}
	if !all {
		list = slices.DeleteFunc(list, func(t Topic) bool { return superseded[t.Key] })
	}
	slices.SortFunc(list, func(a, b Topic) int { return strings.Compare(a.Key, b.Key) })
	return list, s.dateTopics(ctx, tip, list)
}

// Topic reads one topic of a tip.
func (s *Store) Topic(ctx context.Context, tip *Tip, key string) (Topic, error) {
	if err := CheckTopic(key); err != nil {
		return Topic{}, err
	}
	t, err := s.ReadTopic(ctx, tip, key)
	if err != nil {
		return Topic{}, err
	}
	one := []Topic{t}
	err = s.dateTopics(ctx, tip, one)
	return one[0], err
}

func (s *Store) ReadTopic(ctx context.Context, tip *Tip, key string) (Topic, error) {
	data, err := tip.TopicBlob(ctx, key)
	if err != nil {
		return Topic{}, err
	}
	t, err := doc.ParseTopic(data)
	if err != nil {
		return Topic{}, fmt.Errorf("topic '%s' of branch '%s': %w", key, tip.branch, err)
	}
	return Topic{Key: key, Paths: list(t.Paths), Text: t.Text, Supersedes: t.Supersedes}, nil
}

// dateTopics fills in the commit that wrote each topic as it stands, which a merge or
// a rollback may have brought here. One git log over these paths answers for all of them. It
// walks the whole history: a topic may have stood since its beginning.
func (s *Store) dateTopics(ctx context.Context, tip *Tip, topics []Topic) error {
	if len(topics) == 0 {
		return nil
	}
	ids, err := TopicIDs(ctx, tip)
	if err != nil {
		return err
	}
	// A merge is among them for the files that it took from none of its parents.
	args := []string{"log", "-z", "--no-renames", "--raw", "--no-abbrev", "--diff-merges=combined",
		"--format=%x01%H%x00%ct%x00%(trailers:key=" + TrailerAgent + ",valueonly,separator=)%x00%(trailers:key=" + TrailerCode + ",valueonly,separator=)",
		"--end-of-options", string(tip.commit.ID), "--"}
	left := map[string]*Topic{}
	for i := range topics {
		left[doc.TopicPath(topics[i].Key)] = &topics[i]
		args = append(args, doc.TopicPath(topics[i].Key))
	}
	out, err := s.repo.View(ctx, args...)
	if err != nil {
		return err
	}
	for _, record := range bytes.Split(out, []byte{1})[1:] {
		f := strings.Split(string(record), "\x00")
		if len(f) < 4 {
			continue
		}
		seconds, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return fmt.Errorf("git log: no date for %s", f[0])
		}
		for blob, path := range rawChanges(f[4:]) {
			t := left[path]
			if t == nil || blob != ids[t.Key+".md"] {
				continue // on a side that a merge did not take
			}
			t.Commit, t.UpdatedAt, t.Agent = git.ID(f[0]), time.Unix(seconds, 0).UTC(), f[2]
			if code := git.ID(f[3]); git.IsID(string(code)) {
				t.Base = &code
			}
			delete(left, path)
		}
	}
	return nil
}

// rawChanges reads pairs of what `git log --raw -z` says of a file and its path: the blob
// that came about is the last but one word of
//
//	:100644 100644 <old> <new> M
//	::100644 100644 100644 <old> <old> <new> MM
func rawChanges(f []string) iter.Seq2[git.ID, string] {
	return func(yield func(git.ID, string) bool) {
		for len(f) >= 2 {
			words := strings.Fields(f[0])
			if len(words) < 2 { // a merge puts an empty line before its own
				f = f[1:]
				continue
			}
			if !yield(git.ID(words[len(words)-2]), f[1]) {
				return
			}
			f = f[2:]
		}
	}
}
