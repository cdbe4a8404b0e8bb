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

// Named is something by the name that a command takes, with one line that says what it
// is, "" where nothing does or nobody asked. Neither is made safe to show.
type Named struct{ Name, About string }

// NamedBranches lists the memory branches, the newest first, each with its purpose, or
// with what its newest milestone says. One for-each-ref answers it. Without about no
// commit is opened, and the list is sorted by name; likewise below.
func NamedBranches(ctx context.Context, s *store.Store, about bool) ([]Named, error) {
	return namedRefs(ctx, s, git.BranchPrefix, about, aboutBranch)
}

// NamedTags lists the memory tags, of the newest milestone first, each with what its
// milestone says.
func NamedTags(ctx context.Context, s *store.Store, about bool) ([]Named, error) {
	return namedRefs(ctx, s, git.TagPrefix, about, aboutTag)
}

// NamedDeleted lists the deleted branches that RestoreBranch knows, the newest first,
// each as NamedBranches does.
func NamedDeleted(ctx context.Context, s *store.Store, about bool) ([]Named, error) {
	list, err := namedRefs(ctx, s, git.DeletedPrefix, about, aboutBranch)
	seen := map[string]bool{}
	var names []Named
	for _, d := range list {
		i := strings.LastIndexByte(d.Name, '-')
		if i < 0 || !doc.ValidID(d.Name[i+1:]) || seen[d.Name[:i]] {
			continue
		}
		seen[d.Name[:i]] = true
		names = append(names, Named{d.Name[:i], d.About})
	}
	return names, err
}

// NamedAt lists what a remote had when it was last asked, as DeleteRemote takes it:
// branches by their names, tags as tags/NAME.
func NamedAt(ctx context.Context, s *store.Store, remote string, about bool) ([]Named, error) {
	t := git.RemoteTracking(remote)
	list, err := namedRefs(ctx, s, t.Branches(), about, aboutBranch)
	if err != nil {
		return nil, err
	}
	tags, err := namedRefs(ctx, s, t.Tags(), about, aboutTag)
	for _, tag := range tags {
		list = append(list, Named{store.RemoteTagPrefix + tag.Name, tag.About})
	}
	return list, err
}

// NamedTracked lists the memory branches that remotes had when they were last asked, the
// newest first, as Revision takes them: REMOTE/BRANCH.
func NamedTracked(ctx context.Context, s *store.Store, about bool) ([]Named, error) {
	list, err := namedRefs(ctx, s, git.RemotePrefix, about, aboutBranch)
	var branches []Named
	for _, n := range list {
		if remote, branch, ok := git.TrackedBranch(git.RemotePrefix + n.Name); ok {
			branches = append(branches, Named{remote + "/" + branch, n.About})
		}
	}
	return branches, err
}

// NamedCode lists the branches and tags of the code, by name, at most so many of each.
func NamedCode(ctx context.Context, s *store.Store, most int) ([]Named, error) {
	var list []Named
	for _, prefix := range git.CodePrefixes() {
		// Neither sorted by date nor described: a repository of code may have a
		// hundred thousand, and each would be opened for that.
		names, err := s.Repo().Refs(ctx, prefix)
		if err != nil {
			return nil, err
		}
		for _, r := range names[:min(most, len(names))] {
			list = append(list, Named{Name: r.Name[len(prefix):]})
		}
	}
	return list, nil
}

// aboutTag and aboutBranch say what a ref is: a tag names a milestone, a branch has a
// purpose, or else a newest milestone.
func aboutTag(c *git.Commit) string { return c.Subject() }

func aboutBranch(c *git.Commit) string {
	return cmp.Or(c.Trailer(store.TrailerPurpose), c.Trailer(store.TrailerLast), c.Subject())
}

// namedRefs lists what stands behind a prefix of ref names.
func namedRefs(ctx context.Context, s *store.Store, prefix string, about bool, say func(*git.Commit) string) ([]Named, error) {
	args := []string{"for-each-ref", "--format=%(refname)%00%00"}
	if about {
		// git takes twice as long where it looks for the trailers itself.
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

// Recent is one of the newest milestones: what lists of many need of it.
type RecentCommit struct {
	Commit             git.ID
	ID, Agent, Summary string
}

// Recent lists the newest n milestones of a branch, the newest first, from git log
// alone: no document is opened.
func Recent(ctx context.Context, s *store.Store, t *store.Tip, n int) ([]RecentCommit, error) {
	var list []RecentCommit
	args := []string{"--no-notes", store.EndOfOptions, string(t.Commit().ID)}
	err := s.LogIDs(ctx, args, func(f [][]byte) error {
		if len(f[1]) == 0 {
			return nil
		}
		list = append(list, RecentCommit{Commit: git.ID(f[0]), ID: string(f[1]), Agent: string(f[2]), Summary: string(f[3])})
		if len(list) == n {
			return git.ErrEnough
		}
		return nil
	}, store.Value(store.TrailerAgent), "%s")
	return list, err
}

// TopicKeys lists the keys of a tip's topics, sorted, those too that another one
// supersedes. No topic is opened.
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
