package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// mostRemoved is how many topics one commit removes. Nobody takes in a commit with more than 20,000 trailers, or 1 MiB of them.
const mostRemoved = 5000

// removeBefore makes commits of their own, before a draft, that remove topics as long as the draft would remove more than mostRemoved.
func (tx *Transaction) removeBefore(ctx context.Context, c *Draft) error {
	if len(c.removes) <= mostRemoved || c.Parent == nil || len(c.Parents) != 1 {
		return nil
	}
	var topics, others []string
	for _, path := range c.removes {
		if doc.KindOf(path) == doc.FileTopic {
			topics = append(topics, path)
		} else {
			others = append(others, path)
		}
	}
	slices.Sort(topics)
	topics = slices.Compact(topics)
	for len(topics) > mostRemoved {
		part, err := tx.Follow(ctx, tx.Store.TipOf(c.branch, c.Parent), fmt.Sprintf("Remove %d topics", mostRemoved))
		if err != nil {
			return err
		}
		part.removes = topics[:mostRemoved]
		for _, path := range part.removes {
			if err := part.Tree.Remove(ctx, path); err != nil {
				return err
			}
		}
		if c.Parent, err = tx.WriteObjects(ctx, part); err != nil {
			return err
		}
		c.Parents = []git.ID{c.Parent.ID}
		topics = topics[mostRemoved:]
	}
	c.removes = append(topics, others...)
	return nil
}
