package history

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Topics lists the topics of a tip by key, each with who wrote it and when. Topics that a standing one supersedes are listed
// only with all.
func Topics(ctx context.Context, s *store.Store, tip *store.Tip, all bool) ([]store.Topic, error) {
	ids, err := store.TopicIDs(ctx, tip)
	if err != nil {
		return nil, err
	}
	list := []store.Topic{}
	superseded := map[string]bool{}
	for name := range ids {
		t, err := readTopic(ctx, s, tip, strings.TrimSuffix(name, ".md"))
		if err != nil {
			return nil, err
		}
		superseded[t.Supersedes] = true
		list = append(list, t)
	}
	if !all {
		list = slices.DeleteFunc(list, func(t store.Topic) bool { return superseded[t.Key] })
	}
	slices.SortFunc(list, func(a, b store.Topic) int { return strings.Compare(a.Key, b.Key) })
	return list, dateTopics(ctx, s, tip, list)
}

// Topic reads one topic of a tip.
func Topic(ctx context.Context, s *store.Store, tip *store.Tip, key string) (store.Topic, error) {
	if err := store.CheckTopic(key); err != nil {
		return store.Topic{}, err
	}
	t, err := readTopic(ctx, s, tip, key)
	if err != nil {
		return store.Topic{}, err
	}
	one := []store.Topic{t}
	err = dateTopics(ctx, s, tip, one)
	return one[0], err
}

func readTopic(ctx context.Context, s *store.Store, tip *store.Tip, key string) (store.Topic, error) {
	data, err := tip.TopicBlob(ctx, key)
	if err != nil {
		return store.Topic{}, err
	}
	t, err := doc.ParseTopic(data)
	if err != nil {
		return store.Topic{}, fmt.Errorf("topic '%s' of branch '%s': %w", key, tip.Name(), err)
	}
	return store.Topic{Key: key, Paths: append([]string{}, t.Paths...), Text: t.Text, Supersedes: t.Supersedes}, nil
}

// dateTopics fills in the commit that wrote the current text of each topic, which a merge or
// a rollback may have brought here. One git log over these paths answers for all of them. It
// walks the whole history: a topic may be as old as the branch.
func dateTopics(ctx context.Context, s *store.Store, tip *store.Tip, topics []store.Topic) error {
	if len(topics) == 0 {
		return nil
	}
	ids, err := store.TopicIDs(ctx, tip)
	if err != nil {
		return err
	}
	// A merge is among them for the files that it took from none of its parents.
	args := []string{"log", "-z", "--no-renames", "--raw", "--no-abbrev", "--diff-merges=combined",
		"--format=%x01%H%x00%ct%x00%(trailers:key=" + store.TrailerAgent + ",valueonly,separator=)%x00%(trailers:key=" + store.TrailerCode + ",valueonly,separator=)",
		"--end-of-options", string(tip.Commit().ID), "--"}
	left := map[string]*store.Topic{}
	for i := range topics {
		left[doc.TopicPath(topics[i].Key)] = &topics[i]
		args = append(args, doc.TopicPath(topics[i].Key))
	}
	out, err := s.Repo().View(ctx, args...)
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
