package history

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/cache"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// topicMark is what a reader of some topics has to know of all.
type topicMark struct {
	Pinned     bool   `json:"pinned"`
	Supersedes string `json:"supersedes"` // key of another topic
}

// cacheMarks contains the marks of a tree of many topics: to read 50,000 of them takes a second.
const cacheMarks = "topics"

// markedTopics is that file.
type markedTopics struct {
	Tree  git.ID               `json:"tree"`
	Marks map[string]topicMark `json:"marks"` // by file name, of the topics that have any
}

// topicMarks returns the marks of a tip's topics by file name; one without marks is not among them. It
// reads the topics that differ from those of the cache.
func topicMarks(ctx context.Context, s *store.Store, t *store.Tip, ids map[string]git.ID) (map[string]topicMark, error) {
	tree, _, err := t.Entry(ctx, doc.TopicDir)
	if err != nil {
		return nil, err
	}
	var known markedTopics
	if text := cache.Read(s.Repo(), cacheMarks); text == "" || json.Unmarshal([]byte(text), &known) != nil {
		known = markedTopics{}
	}
	if known.Tree == tree.ID {
		return known.Marks, nil
	}
	now := markedTopics{tree.ID, map[string]topicMark{}}
	same := map[string]bool{}
	if known.Tree != "" {
		before, err := s.Repo().Tree(ctx, known.Tree)
		if err != nil {
			before = nil // gc may have removed it: all topics are read
		}
		for _, e := range before {
			if e.Mode != git.ModeBlob || ids[e.Name] != e.ID {
				continue
			}
			same[e.Name] = true
			if m, ok := known.Marks[e.Name]; ok {
				now.Marks[e.Name] = m
			}
		}
	}
	fresh := map[git.ID][]string{} // file names by blob
	for name, id := range ids {
		if !same[name] {
			fresh[id] = append(fresh[id], name)
		}
	}
	if err := readMarks(ctx, s, t, fresh, now.Marks); err != nil {
		return nil, err
	}
	if text, err := json.Marshal(now); err == nil {
		cache.Write(s.Repo(), cacheMarks, string(text))
	}
	return now.Marks, nil
}

// readMarks reads topics, given as file names by their blobs, and adds their marks.
func readMarks(ctx context.Context, s *store.Store, t *store.Tip, names map[git.ID][]string, marks map[string]topicMark) error {
	wanted := make([]git.ID, 0, len(names))
	for id := range names {
		wanted = append(wanted, id)
	}
	return EachTopicStart(ctx, s, wanted, 0, doc.PlainMarks, func(id git.ID, topic doc.Topic, err error) error {
		for _, name := range names[id] {
			if err != nil {
				return fmt.Errorf("topic '%s' of branch '%s': %w", strings.TrimSuffix(name, ".md"), t.Name(), err)
			}
			if topic.Pinned || topic.Supersedes != "" {
				marks[name] = topicMark{topic.Pinned, topic.Supersedes}
			}
		}
		return nil
	})
}
