package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// How much one commit removes. Nobody takes in a commit with more than 20,000 trailers, or 1 MiB of them.
const (
	mostRemoved  = 5000      // topics
	mostKeys     = 1000      // keys of metadata.yaml,
	mostKeyBytes = 256 << 10 // and bytes of their records
)

// removedKeys lists the records of the keys of metadata.yaml that before has and now lacks, each once. Of very many it names the segments: a
// record counts for each key below its path that is missing.
func removedKeys(before, now *doc.Metadata) ([]string, error) {
	lost, err := now.Lost(before, before.Branch().Name == now.Branch().Name)
	if err != nil {
		return nil, err
	}
	records := func(path func(doc.MetadataKey) string) (names []string, size int) {
		seen := map[string]bool{}
		for _, key := range lost {
			if name := KeyRecord(path(key)); !seen[name] {
				seen[name], size = true, size+len(name)
				names = append(names, name)
			}
		}
		return names, size
	}
	names, size := records(doc.MetadataKey.Missing)
	if len(names) > mostKeys || size > mostKeyBytes {
		names, _ = records(func(key doc.MetadataKey) string { return key.Above()[0] })
	}
	return names, nil
}

// partSubject is the subject of a commit that removes the first topics of a change of very many.
const partSubject = "Remove %d topics"

// beforeRemovals returns the commit before those that removeBefore has made for the change on top of a tip. Beyond what can be read it
// stops: it is for a hint.
func (t *Tip) beforeRemovals(ctx context.Context) git.ID {
	c := t.commit
	for n := 0; len(c.Parents) == 1 && c.Trailer(TrailerID) == ""; {
		if _, err := fmt.Sscanf(c.Subject(), partSubject, &n); err != nil {
			break
		}
		p, err := t.repo.Commit(ctx, c.Parents[0])
		if err != nil {
			break
		}
		c = p
	}
	return c.ID
}

// removeBefore makes commits of their own, before a draft, that remove the first of very many topics.
func (tx *Transaction) removeBefore(ctx context.Context, c *Draft) error {
	if len(c.removes) <= mostKeys || c.Parent == nil || len(c.Parents) != 1 {
		return nil
	}
	var topics, keys []string
	for _, path := range c.removes {
		if doc.KindOf(path) == doc.FileTopic {
			topics = append(topics, path)
		} else {
			keys = append(keys, path)
		}
	}
	slices.Sort(topics)
	topics = slices.Compact(topics)
	most := mostRemoved
	if len(keys) > mostKeys {
		most = 0 // the names of as many segments leave no room
	}
	for len(topics) > most {
		part := topics[:min(len(topics), mostRemoved)]
		before, err := tx.Follow(ctx, tx.Store.TipOf(c.branch, c.Parent), fmt.Sprintf(partSubject, len(part)))
		if err != nil {
			return err
		}
		before.removes = part
		for _, path := range part {
			if err := before.Tree.Remove(ctx, path); err != nil {
				return err
			}
		}
		if c.Parent, err = tx.WriteObjects(ctx, before); err != nil {
			return err
		}
		c.Parents = []git.ID{c.Parent.ID}
		topics = topics[len(part):]
	}
	c.removes = append(topics, keys...)
	return nil
}
