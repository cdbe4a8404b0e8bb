package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// topics restores all topics, including the absence of newer ones.
func (r *rollback) topics(ctx context.Context, c *store.Draft, tip *store.Tip) error {
	now, err := store.TopicIDs(ctx, tip)
	if err != nil {
		return err
	}
	then, err := store.TopicIDs(ctx, r.to)
	if err != nil {
		return err
	}
	var changed, back, gone []string
	for name, id := range then {
		switch have, ok := now[name]; {
		case !ok:
			back = append(back, name)
		case have != id:
			changed = append(changed, name)
		default:
			continue
		}
		if err := c.Tree.Put(ctx, doc.TopicDir+"/"+name, id); err != nil {
			return err
		}
	}
	for name := range now {
		if _, ok := then[name]; ok {
			continue
		}
		gone = append(gone, name)
		if err := c.RemoveTopic(ctx, strings.TrimSuffix(name, ".md")); err != nil {
			return err
		}
	}
	r.note("Topics that changed back", topicKeys(changed))
	r.note("Topics that came back", topicKeys(back))
	r.note("Topics that went away", topicKeys(gone))
	return nil
}

func topicKeys(files []string) []string {
	for i := range files {
		files[i] = strings.TrimSuffix(files[i], ".md")
	}
	slices.Sort(files)
	return files
}

// maxListed is how many names a rollback lists of each kind.
const maxListed = 20

// note records what was restored, for the contribution.
func (r *rollback) note(what string, names []string) {
	if len(names) == 0 {
		return
	}
	more := ""
	if n := len(names) - maxListed; n > 0 {
		names, more = names[:maxListed], fmt.Sprintf(" and %d more", n)
	}
	r.changed = append(r.changed, what+": "+strings.Join(names, ", ")+more+".")
}

// metadata restores people's segments and keys. That is a merge in which only the old side
// has changes: there, too, the detected keys are the present ones.
func (r *rollback) metadata(ctx context.Context, c *store.Draft, tip *store.Tip) error {
	now, err := tip.OptionalDocument(ctx, doc.MetadataFile)
	if err != nil {
		return err
	}
	then, err := r.to.OptionalDocument(ctx, doc.MetadataFile)
	if err != nil || then == nil { // written by another tool: there is nothing to restore
		return err
	}
	merged, _, err := doc.MergeMetadata(now, now, then)
	if err != nil {
		return err
	}
	before := c.Meta
	if c.Meta, err = doc.ParseMetadata(merged); err != nil {
		return err
	}
	keys := before.Keys()
	for _, key := range c.Meta.Keys() {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if err := c.RecordRemovedKeys(before); err != nil {
		return err
	}
	var changed []string
	for _, key := range keys {
		same, err := sameSegment(before, c.Meta, key)
		if err != nil {
			return err
		}
		if !same {
			changed = append(changed, key)
		}
	}
	r.note(doc.MetadataBack, changed)
	return nil
}

func sameSegment(a, b *doc.Metadata, key string) (bool, error) {
	path := doc.JoinPath(key)
	was, had, err := a.YAML(path)
	if err != nil {
		return false, err
	}
	is, has, err := b.YAML(path)
	return had == has && bytes.Equal(was, is), err
}

// roadmap restores main.md except for the outcomes of branches, and returns the resulting
// goal.
func (r *rollback) roadmap(ctx context.Context, c *store.Draft) (goal string, err error) {
	old, data, err := r.Store.ReadRoadmap(ctx)
	if err != nil || old == "" {
		return "", err
	}
	now := doc.ParseRoadmap(data)
	was, _ := store.ParseRoadmap(r.to.Commit().Trailer(store.TrailerRoadmap))
	if was == "" || was == old { // it had none: there is nothing to restore
		c.RoadmapAge++
		return now.Goal(), nil
	}
	text, err := r.Store.RoadmapAt(ctx, was)
	if errors.Is(err, git.ErrNotFound) { // a shallow clone; without it, only half of the request would be done
		return "", fail.New(fail.ErrNotFound, fail.RoadmapNotFound,
			fmt.Sprintf("the roadmap as it was at %s is not in this repository", r.to.Commit().ID.Short()),
			"git fetch --unshallow")
	}
	if err != nil {
		return "", err
	}
	if text, err = r.sinceIntent(ctx, old, data, text); err != nil {
		return "", err
	}
	then := doc.ParseRoadmap(text)
	then.CopySection(now, doc.SectionOutcomes)
	if c.Roadmap, err = r.WriteRoadmap(ctx, old, data, then, r.o.Summary); err != nil {
		return "", err
	}
	if c.Roadmap == old {
		c.RoadmapAge++
		return now.Goal(), nil
	}
	c.RoadmapAge, r.revised = 0, true
	changed := doc.ChangedSections(now, then)
	if len(changed) == 0 {
		changed = []string{was.Short()} // only blank lines differ
	}
	r.note("Roadmap that changed back", changed)
	return then.Goal(), nil
}

// sinceIntent adds to the roadmap to restore what others changed after the code was moved: they wrote it knowing nothing of a rollback
// that a killed process left to the next writer of the branch. Where the roadmap of that time is gone, the present one stays.
func (r *rollback) sinceIntent(ctx context.Context, old git.ID, now, then []byte) ([]byte, error) {
	if r.intent == nil || r.intent.Rollback.Roadmap == old {
		return then, nil
	}
	if r.intent.Rollback.Roadmap == "" { // of an older version
		return now, nil
	}
	base, err := r.Store.RoadmapAt(ctx, r.intent.Rollback.Roadmap)
	if errors.Is(err, git.ErrNotFound) {
		return now, nil
	}
	if err != nil {
		return nil, err
	}
	ours := func(_, ours, _ []byte) ([]byte, bool, error) { return ours, true, nil }
	merged, _, err := doc.MergeRoadmap(base, now, then, ours)
	return merged, err
}
