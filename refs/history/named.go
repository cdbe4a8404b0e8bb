package history

import (
	"bytes"
	"cmp"
	"context"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Named is a name that a command accepts, with one line that describes it, or "". Both come
// from other people: neither is safe to print on a terminal.
type Named struct{ Name, About string }

// NamedBranches lists the memory branches, newest first, each with its purpose or else the
// summary of its newest commit, with one for-each-ref. Without about it reads no commit and
// sorts by name.
func NamedBranches(ctx context.Context, s *store.Store, about bool) ([]Named, error) {
	return namedRefs(ctx, s, git.BranchPrefix, about, aboutBranch)
}

// NamedTags lists the memory tags as NamedBranches does, each with its commit's summary.
func NamedTags(ctx context.Context, s *store.Store, about bool) ([]Named, error) {
	return namedRefs(ctx, s, git.TagPrefix, about, aboutTag)
}

func aboutTag(c *git.Commit) string { return c.Subject() }

func aboutBranch(c *git.Commit) string {
	return cmp.Or(c.Trailer(store.TrailerPurpose), c.Trailer(store.TrailerLast), c.Subject())
}

// namedRefs lists the refs below a prefix, without the prefix.
func namedRefs(ctx context.Context, s *store.Store, prefix string, about bool,
	say func(*git.Commit) string) ([]Named, error) {
	args := []string{"for-each-ref", "--format=%(refname)%00%00"}
	if about {
		// The trailer formats of git take twice as long.
		args = []string{"for-each-ref", "--sort=-committerdate", "--format=%(refname)%00%(contents)%00"}
	}
	out, err := s.Repo().View(ctx, append(args, prefix)...)
	if err != nil {
		return nil, err
	}
	var list []Named
	for f := bytes.Split(out, []byte{0}); len(f) >= 2; f = f[2:] {
		ref := strings.TrimPrefix(string(f[0]), "\n")
		list = append(list, Named{strings.TrimPrefix(ref, prefix), say(&git.Commit{Message: string(f[1])})})
	}
	return list, nil
}

// NamedCommits lists the newest n commits of a branch, newest first, by short hash with
// their summaries. It reads no document.
func NamedCommits(ctx context.Context, s *store.Store, t *store.Tip, n int) ([]Named, error) {
	var list []Named
	args := store.EntriesOf([]string{"--no-notes"}, store.EndOfOptions, string(t.Commit().ID))
	err := s.LogIDs(ctx, args, func(f [][]byte) error {
		if len(f[1]) == 0 { // the birth of the branch, or an edit
			return nil
		}
		list = append(list, Named{git.ID(f[0]).Short(), string(f[2])})
		if len(list) == n {
			return git.ErrEnough
		}
		return nil
	}, "%s")
	return list, err
}

// TopicKeys lists the keys of a tip's topics, sorted, superseded ones included. It reads no
// topic.
func TopicKeys(ctx context.Context, s *store.Store, t *store.Tip) ([]string, error) {
	list, err := t.List(ctx, doc.TopicDir)
	var keys []string
	for _, e := range list {
		if key, ok := strings.CutSuffix(e.Name, ".md"); ok && e.Mode == git.ModeBlob {
			keys = append(keys, key)
		}
	}
	return keys, err
}
