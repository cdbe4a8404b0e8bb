package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/index"
)

// dropSuperseded leaves out the topics that another topic of their branch supersedes: what
// somebody took back is not known. A topic that stands on several branches stays with
// those where it is in force.
func (c *corpus) dropSuperseded(ctx context.Context, cases []pastCase) ([]pastCase, error) {
	branches := map[string]bool{}
	for _, p := range cases {
		if p.key.Kind == index.Topics {
			for _, b := range c.places[p.key].branches {
				branches[b] = true
			}
		}
	}
	if len(branches) == 0 {
		return cases, nil // most recalls find no topic, and read none
	}
	superseded, err := c.superseded(ctx, branches)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(cases, func(p pastCase) bool {
		if p.key.Kind != index.Topics {
			return false
		}
		place := c.places[p.key]
		place.branches = slices.DeleteFunc(slices.Clone(place.branches), func(b string) bool {
			return superseded[topicOf{b, topicName(place.path)}]
		})
		return len(place.branches) == 0
	}), nil
}

// topicOf is a topic by its branch and key.
type topicOf struct{ branch, key string }

// superseded reads the topics of branches and gives those that another one supersedes.
func (c *corpus) superseded(ctx context.Context, branches map[string]bool) (map[topicOf]bool, error) {
	at := map[git.ID][]topicOf{}
	var blobs []git.ID
	for _, b := range c.branches {
		if !branches[b.branch] {
			continue
		}
		for _, f := range b.files {
			if !strings.HasPrefix(f.path, doc.TopicDir+"/") {
				continue
			}
			if at[f.id] == nil {
				blobs = append(blobs, f.id)
			}
			at[f.id] = append(at[f.id], topicOf{b.branch, topicName(f.path)})
		}
	}
	gone := map[topicOf]bool{}
	err := c.s.Repo().ReadAll(ctx, blobs, func(o git.Object) error {
		for _, by := range at[o.ID] {
			topic, err := doc.ParseTopic(o.Data)
			if err != nil {
				return fmt.Errorf("topic '%s' of branch '%s': %w", by.key, by.branch, err)
			}
			if topic.Supersedes != "" && topic.Supersedes != by.key {
				gone[topicOf{by.branch, topic.Supersedes}] = true
			}
		}
		return nil
	})
	return gone, err
}
