package history

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Topics lists the topics of a tip by key, each with who wrote it and when, and of its text the beginning
// alone. Topics that a standing one supersedes are listed only with all.
func Topics(ctx context.Context, s *store.Store, tip *store.Tip, all bool) ([]store.Topic, error) {
	ids, err := store.TopicIDs(ctx, tip)
	if err != nil {
		return nil, err
	}
	list := []store.Topic{}
	superseded := map[string]bool{}
	err = eachTopic(ctx, s, tip, ids, listedText, func(name string, t doc.Topic) {
		superseded[t.Supersedes] = true
		list = append(list, topicFrom(strings.TrimSuffix(name, ".md"), t))
	})
	if err != nil {
		return nil, err
	}
	if !all {
		list = slices.DeleteFunc(list, func(t store.Topic) bool { return superseded[t.Key] })
	}
	slices.SortFunc(list, func(a, b store.Topic) int { return strings.Compare(a.Key, b.Key) })
	return list, dateTopics(ctx, s, tip, list)
}

// listedText is how many bytes of a topic's text a list of topics contains.
const listedText = 4 << 10

// eachTopic reads topics, given by the names of their files, in any order: of each text at most size bytes, and of all no more
// paths than mostListed.
func eachTopic(ctx context.Context, s *store.Store, tip *store.Tip, ids map[string]git.ID, size int,
	each func(name string, t doc.Topic)) error {
	names := make(map[git.ID][]string, len(ids))
	for name, id := range ids {
		names[id] = append(names[id], name)
	}
	var list topicList
	err := EachTopicStart(ctx, s, slices.Collect(maps.Keys(names)), size, doc.PlainTopic, func(id git.ID, t doc.Topic, err error) error {
		for _, name := range names[id] {
			if err != nil {
				return fmt.Errorf("topic '%s' of branch '%s': %w", strings.TrimSuffix(name, ".md"), tip.Name(), err)
			}
			list.add(name, t)
		}
		return nil
	})
	for _, x := range list.topics {
		each(x.name, x.t)
	}
	return err
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
	return topicFrom(key, t), nil
}

// topicFrom returns a topic as its file describes it, without its commit.
func topicFrom(key string, t doc.Topic) store.Topic {
	return store.Topic{Key: key, Paths: append([]string{}, t.Paths...), Pinned: t.Pinned, Text: t.Text,
		Supersedes: t.Supersedes, Edited: t.Edited}
}

// dateTopics fills in the commit that wrote or confirmed the current text of each topic, which a merge
// or a rollback may have brought here. A commit that only pinned or restored it is passed over. One git log
// over these paths answers for all of them. It walks the whole history: a topic may be as old as the
// branch. What was restored and has no writer in the history that git log simplifies, as where a merge took it away, is
// looked for in all of it.
func dateTopics(ctx context.Context, s *store.Store, tip *store.Tip, topics []store.Topic) error {
	all := make([]*store.Topic, len(topics))
	for i := range topics {
		all[i] = &topics[i]
	}
	restored, err := dateIn(ctx, s, tip, all)
	if err == nil && len(restored) > 0 {
		_, err = dateIn(ctx, s, tip, restored, "--full-history")
	}
	return err
}

// dateIn is dateTopics by one git log. It returns the topics of which it found only a commit that restored them.
func dateIn(ctx context.Context, s *store.Store, tip *store.Tip, topics []*store.Topic, walk ...string) (restored []*store.Topic, err error) {
	if len(topics) == 0 {
		return nil, nil
	}
	ids, err := store.TopicIDs(ctx, tip)
	if err != nil {
		return nil, err
	}
	left := map[string]*store.Topic{}
	wanted := map[string]git.ID{} // by key
	for _, t := range topics {
		wanted[t.Key] = ids[t.Key+".md"]
		left[doc.TopicPath(t.Key)] = t
	}
	out, err := topicLog(ctx, s, tip, slices.Collect(maps.Keys(left)), walk)
	if err != nil {
		return nil, err
	}
	again := map[*store.Topic]bool{}
	for record := range logRecords(strings.Split(string(out), "\x00")) {
		seconds, err := strconv.ParseInt(record[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("git log: no date for %s", record[0])
		}
		for path, c := range rawChanges(record[8:]) {
			t := left[path]
			if t == nil || c.after != wanted[t.Key] {
				continue // on a side that a merge did not take
			}
			t.Commit, t.UpdatedAt, t.Agent = git.ID(record[0]), time.Unix(seconds, 0).UTC(), record[2]
			if t.Authored, err = s.By(ctx, record[4], record[5]); err != nil {
				return nil, err
			}
			if code := git.ID(record[3]); git.IsID(string(code)) {
				t.Base = &code
			}
			pinned, err := onlyPinned(ctx, s, tip, t.Key, record[6], c)
			switch {
			case err != nil:
				return nil, err
			case pinned:
				wanted[t.Key] = c.before
			case record[7] != "": // it restored what an older commit wrote, if history has that
				again[t] = true
			default:
				delete(again, t)
				delete(left, path)
			}
		}
	}
	return slices.Collect(maps.Keys(again)), nil
}

// topicLog asks git for the commits that changed some paths, or any topic if they are many, for logRecords. A merge is
// among them for the files that it took from none of its parents.
func topicLog(ctx context.Context, s *store.Store, tip *store.Tip, paths, walk []string) ([]byte, error) {
	trailer := func(key string) string { return "%(trailers:key=" + key + ",valueonly,separator=)" }
	args := slices.Concat([]string{"log", "-z"}, walk, []string{"--no-renames", "--raw", "--no-abbrev", "--diff-merges=combined",
		"--format=%x01%x00%H%x00%ct%x00" + trailer(store.TrailerAgent) + "%x00" + trailer(store.TrailerCode) + "%x00%an%x00%ae%x00%s%x00" + trailer(store.TrailerRestores),
		"--end-of-options", string(tip.Commit().ID), "--"})
	if len(paths) > mostPaths {
		paths = []string{doc.TopicDir}
	}
	return s.Repo().View(ctx, append(args, paths...)...)
}

// onlyPinned reports whether a commit with this subject pinned or unpinned a topic, and left its text: another program can
// write any subject.
func onlyPinned(ctx context.Context, s *store.Store, tip *store.Tip, key, subject string, c rawChange) (bool, error) {
	if subject != store.SubjectPin+key && subject != store.SubjectUnpin+key || c.before.IsZero() {
		return false, nil
	}
	var texts []string
	for _, id := range []git.ID{c.before, c.after} {
		err := eachTopic(ctx, s, tip, map[string]git.ID{key + ".md": id}, store.MaxFile, func(_ string, t doc.Topic) { texts = append(texts, t.Text) })
		if err != nil {
			return false, err
		}
	}
	return len(texts) == 2 && texts[0] == texts[1], nil
}

// mostPaths is how many paths git is given for a log. It compares each with each file that a commit changed,
// and a command line has no room for many.
const mostPaths = 64

// logRecords reads what `git log -z` prints of each commit behind a field that is "\x01" alone: eight
// fields, of which the subject may be anything, and the changes.
func logRecords(fields []string) iter.Seq[[]string] {
	starts := func(f string) bool { return strings.Trim(f, "\n") == "\x01" }
	return func(yield func([]string) bool) {
		for i := 0; i < len(fields); {
			if !starts(fields[i]) || i+9 > len(fields) {
				i++
				continue
			}
			end := i + 9
			for end < len(fields) && !starts(fields[end]) {
				end++
			}
			if !yield(fields[i+1 : end]) {
				return
			}
			i = end
		}
	}
}

// rawChange is what a commit made of a file.
type rawChange struct{ before, after git.ID }

// rawChanges reads pairs of what `git log --raw -z` says of a file and its path: the last but one word is
// the blob that came about, and the word before it one that was there, of
//
//	:100644 100644 <old> <new> M
//	::100644 100644 100644 <old> <old> <new> MM
func rawChanges(f []string) iter.Seq2[string, rawChange] {
	return func(yield func(string, rawChange) bool) {
		for len(f) >= 2 {
			words := strings.Fields(f[0])
			if len(words) < 3 { // a merge puts an empty line before its own
				f = f[1:]
				continue
			}
			if !yield(f[1], rawChange{git.ID(words[len(words)-3]), git.ID(words[len(words)-2])}) {
				return
			}
			f = f[2:]
		}
	}
}
