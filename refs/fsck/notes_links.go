package fsck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// lostLinks reports milestones that were made together with a code commit, as they say
// themselves, and whose link has gone from its note. A code commit that was collected, or
// never fetched, has none to lose, and a command that was interrupted still makes it; what
// came from a remote gets it with a sync.
func (c *checker) lostLinks(ctx context.Context, v *memory) error {
	left, err := os.ReadDir(c.s.StatePath(store.IntentDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) || len(left) > 0 {
		return err
	}
	shared := v.below(false)
	var made []*statement
	var codes []git.ID
	for _, n := range v.commits {
		if x := v.said[n.Id]; x != nil && git.IsID(string(x.link)) && len(x.link) == len(n.Id) && own(n.Ref) && !shared[n.Id] {
			made, codes = append(made, x), append(codes, x.link)
		}
	}
	infos, err := c.s.Repo().Infos(ctx, codes)
	if err != nil {
		return err
	}
	for i, x := range made {
		linked := slices.ContainsFunc(v.noted[x.link], func(f notes.Fact) bool {
			return f.Kind == notes.KindLink && (f.CommitID == x.at.Milestone || f.Memory == x.at.Id)
		})
		if linked || infos[i].Type != "commit" || c.restores[x.link] || v.unread[x.link] {
			continue
		}
		c.report(ctx, func(ctx context.Context) error { return relinkMade(ctx, c.s, c.w, x.link, x.at.Id) }, Problem{
			Kind: "link-lost", Object: string(x.link), Repair: FsckFix,
			Message: fmt.Sprintf("code commit %s was made together with memory commit %s, and its note does not say so", x.link.Short(), x.at.Milestone)})
	}
	return nil
}

// relinkMade notes a link again.
func relinkMade(ctx context.Context, s *store.Store, w store.Writer, made, milestone git.ID) error {
	ses, err := s.Begin(ctx, w, "fsck: link "+made.Short())
	if err != nil {
		return err
	}
	defer ses.Close()
	m, err := s.Repo().Commit(ctx, milestone)
	if err != nil {
		return err
	}
	return code.WriteLink(ctx, ses, made, m)
}
