package history

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

const (
	mostWriters  = 4    // commits of which one is looked for that wrote a topic
	mostVerified = 5000 // topics in a folder: of more, git or this program needs too long to find one in older folders
)

// writtenTopics returns the commits whose subjects say that they wrote or confirmed a topic, newest first, by key.
func writtenTopics(recent []RecentCommit) map[string][]*RecentCommit {
	written := map[string][]*RecentCommit{}
	for i, c := range recent {
		key, wrote := strings.CutPrefix(c.Subject, store.SubjectRemember)
		if !wrote {
			key, wrote = strings.CutPrefix(c.Subject, store.SubjectConfirm)
		}
		if wrote && c.ID == "" && len(written[key]) < mostWriters {
			written[key] = append(written[key], &recent[i])
		}
	}
	return written
}

// writers returns the newest commit that wrote the present text of each topic, by key. A subject alone says nothing: another
// program can change a topic under any subject, and a rollback brings an older text back. texts are those of the tip by
// blob, as topicTexts returns them for size. Where all recent commits are of one person, none is looked into.
func writers(ctx context.Context, s *store.Store, t *store.Tip, recent []RecentCommit, written map[string][]*RecentCommit, ids map[string]git.ID,
	keys []string, texts map[git.ID]doc.Topic, size int) (map[string]*RecentCommit, error) {
	found := map[string]*RecentCommit{}
	alone := !slices.ContainsFunc(recent, func(c RecentCommit) bool { return !c.By.Same(recent[0].By) })
	folders := map[git.ID]*git.Edit{}
	for _, key := range keys {
		for _, c := range written[key] {
			same := alone || c.Hash == t.Commit().ID
			if !same && len(ids) <= mostVerified {
				if folders[c.Tree] == nil {
					folders[c.Tree] = s.Repo().Edit(c.Tree)
				}
				var err error
				if same, err = hasText(ctx, s, t, folders[c.Tree], key, ids[key+".md"], texts, size); err != nil {
					return nil, err
				}
			}
			if same {
				found[key] = c
				break
			}
		}
	}
	return found, nil
}

// hasText reports whether a tree has the present text of a topic. Its file may differ, as by a pin.
func hasText(ctx context.Context, s *store.Store, t *store.Tip, tree *git.Edit, key string, now git.ID, texts map[git.ID]doc.Topic, size int) (bool, error) {
	e, ok, err := tree.Entry(ctx, doc.TopicPath(key))
	if errors.Is(err, git.ErrNotFound) { // a partial or shallow clone lacks it
		return false, nil
	}
	if err != nil || !ok || e.ID == now {
		return ok && e.ID == now, err
	}
	then, err := topicTexts(ctx, s, t, map[string]git.ID{key + ".md": e.ID}, []string{key}, size)
	if errors.Is(err, git.ErrNotFound) {
		return false, nil
	}
	return err == nil && then[e.ID].Text == texts[now].Text, err
}
