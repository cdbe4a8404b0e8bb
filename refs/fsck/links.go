package fsck

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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

// movedLink is a link whose milestone has another hash now.
type movedLink struct {
	code git.ID
	fact notes.Fact
	now  git.ID
}

// checkLinks looks for links that name a milestone by a hash that it has no more: they
// are written anew, beside the old line, which a union of notes would bring back. A
// milestone that is not here may be elsewhere: a link to it is no problem.
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
			if m == "" || here[f.Memory] || slices.ContainsFunc(all[code], func(g notes.Fact) bool { return g.Memory == m }) {
				continue
			}
			moved = append(moved, movedLink{code, f, m})
		}
	}
	problems := make([]Problem, len(moved))
	for i, l := range moved {
		problems[i] = Problem{Kind: "link-moved", Object: string(l.code), Repair: FsckFix, Message: fmt.Sprintf(
			"code commit %s is linked to memory commit %s by a hash that it has no more: %s is %s now",
			l.code.Short(), l.fact.CommitID, prose.OneLine(cmp.Or(f10(l.fact.Memory), "none"), 20), l.now.Short())}
	}
	c.report(ctx, func(ctx context.Context) error { return relink(ctx, c.s, c.w, moved) }, problems...)
	return nil
}

// f10 shortens what may be no hash.
func f10(id git.ID) string {
	if !git.IsID(string(id)) {
		return string(id)
	}
	return id.Short()
}

// relink links code commits to milestones by their present hashes.
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
