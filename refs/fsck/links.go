package fsck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// links reads the links of all notes, by code commit.
func (c *checker) links(ctx context.Context) (map[git.ID][]notes.Fact, error) {
	if c.noted != nil {
		return c.noted, nil
	}
	all := map[git.ID][]notes.Fact{}
	err := code.EachLink(ctx, c.s, []string{code.LinkMarker}, func(code git.ID, f notes.Fact) {
		all[code] = append(all[code], f)
	})
	if err == nil {
		c.noted = all
	}
	return all, err
}

// movedLink is a link to a commit whose hash has changed.
type movedLink struct {
	code git.ID
	fact notes.Fact
	now  git.ID
}

// checkLinks looks for links that name a commit by an old hash. Mending adds a new line; the
// old one stays, because a union of notes would bring it back. A link to a commit that is not
// here is no problem: it may be elsewhere.
func checkLinks(ctx context.Context, c *checker) error {
	all, err := c.links(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	now, here, err := code.CommitHashes(ctx, c.s, git.DeletedPrefix)
	if err != nil {
		return err
	}
	var moved []movedLink
	for _, code := range slices.Sorted(maps.Keys(all)) {
		for _, f := range all[code] {
			m := now[f.CommitID]
			if m == "" || here[f.Memory] || slices.ContainsFunc(all[code],
				func(g notes.Fact) bool { return g.Memory == m }) {
				continue
			}
			moved = append(moved, movedLink{code, f, m})
		}
	}
	problems := make([]Problem, len(moved))
	for i, l := range moved {
		problems[i] = Problem{Kind: "link-moved", Object: string(l.code), Repair: FixCommand, Message: fmt.Sprintf(
			"code commit %s is linked to memory commit %s by its old hash: %s is %s now",
			l.code.Short(), l.fact.CommitID, prose.OneLine(cmp.Or(shorten(l.fact.Memory), "none"), 20), l.now.Short())}
	}
	c.report(ctx, func(ctx context.Context) error { return relink(ctx, c.s, c.w, moved) }, problems...)
	return nil
}

// shorten shortens a hash, and returns any other text as it is.
func shorten(id git.ID) string {
	if !git.IsID(string(id)) {
		return string(id)
	}
	return id.Short()
}

// relink links code commits to commits by their present hashes.
func relink(ctx context.Context, s *store.Store, w store.Writer, moved []movedLink) error {
	ses, err := s.Begin(ctx, w, "fsck: links")
	if err != nil {
		return err
	}
	defer ses.Close()
	return code.UpdateNotes(ctx, ses, "context: link by present hashes", func(u *notes.Update) error {
		for _, l := range moved {
			m, err := s.Repo().Commit(ctx, l.now)
			if err != nil {
				return err
			}
			if _, err := code.AddLink(ctx, ses, u, l.code, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// lostLinks reports commits that name the code commit that was made with them, and whose link
// is missing from its note. A code commit that does not exist here has no note to lose, an
// interrupted command still makes the link, and a sync brings those of a remote.
func (c *checker) lostLinks(ctx context.Context, v *memory) error {
	left, err := os.ReadDir(c.s.StatePath(store.IntentDir))
	left = slices.DeleteFunc(left, func(e fs.DirEntry) bool { return store.IsAside(e.Name()) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) || len(left) > 0 {
		return err
	}
	shared := v.reachedBy(false)
	var made []*statement
	var codes []git.ID
	for _, n := range v.commits {
		if x := v.statements[n.ID]; x != nil && git.IsID(string(x.link)) && len(x.link) == len(n.ID) &&
			isOwn(n.Ref) && !shared[n.ID] {
			made, codes = append(made, x), append(codes, x.link)
		}
	}
	infos, err := c.s.Repo().Infos(ctx, codes)
	if err != nil {
		return err
	}
	for i, x := range made {
		linked := slices.ContainsFunc(v.noted[x.link], func(f notes.Fact) bool {
			return f.Kind == notes.KindLink && (f.CommitID == x.at.EntryID || f.Memory == x.at.ID)
		})
		if linked || infos[i].Type != "commit" || c.restores[x.link] || v.unread[x.link] {
			continue
		}
		c.report(ctx, func(ctx context.Context) error { return relinkMade(ctx, c.s, c.w, x.link, x.at.ID) }, Problem{
			Kind: "link-lost", Object: string(x.link), Repair: FixCommand,
			Message: fmt.Sprintf("code commit %s was made together with memory commit %s, but its note has no link",
				x.link.Short(), x.at.EntryID)})
	}
	return nil
}

// relinkMade makes a link again.
func relinkMade(ctx context.Context, s *store.Store, w store.Writer, made, memoryID git.ID) error {
	ses, err := s.Begin(ctx, w, "fsck: link "+made.Short())
	if err != nil {
		return err
	}
	defer ses.Close()
	m, err := s.Repo().Commit(ctx, memoryID)
	if err != nil {
		return err
	}
	return code.WriteLink(ctx, ses, made, m)
}
