package fsck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remake"
)

// checkHoles reports objects that are lost below tips that are whole, where no fetch can bring them back, see
// [remake.Holes]. What is lost elsewhere, checkDocuments reports.
func checkHoles(ctx context.Context, c *checker) error {
	v, err := c.memory(ctx)
	if err != nil {
		return err
	}
	isHole := func(f incoming.Flaw) bool { return f.Kind == incoming.FlawMissing && v.isOwnFlaw(f) }
	if !slices.ContainsFunc(v.flaws, isHole) {
		if whole, err := c.notesWhole(ctx); whole || err != nil {
			return err
		}
	}
	h, err := remake.FindHoles(ctx, c.s)
	if h == nil || err != nil {
		return err
	}
	c.holes = h.Objects
	refs := h.Refs
	if h.Notes != nil {
		refs = append(slices.Clone(refs), *h.Notes)
	}
	var names []string
	for _, r := range refs {
		names = append(names, "'"+incoming.Printable(r.Name)+"'")
	}
	if n := len(names); n > maxNamed {
		names = append(names[:maxNamed], fmt.Sprintf("%d more", n-maxNamed))
	}
	c.report(ctx, func(ctx context.Context) error {
		replaced, err := h.Mend(ctx, c.w)
		if err != nil {
			return err
		}
		c.loaded, c.holes = nil, nil // the checks that follow read what is there now
		for _, r := range refs {
			if err := c.dropLostMoves(ctx, r.Name, replaced...); err != nil {
				return err
			}
		}
		return nil
	}, Problem{Kind: "history-lost", Object: refs[0].Name, Repair: FixCommand,
		Message: fmt.Sprintf("the history of %s lacks %s, which no remote is known to have; newer documents have what was said there, and the repair makes the commits since again",
			strings.Join(names, ", "), prose.Count(len(h.Objects), "object"))})
	return nil
}

// isOwnFlaw reports whether a flaw is in what a ref of our own leads to.
func (v *memory) isOwnFlaw(f incoming.Flaw) bool {
	at := f.At
	if child := v.in.ByID[v.childOf[at.ID]]; child != nil {
		at = child
	}
	return isOwn(at.Ref)
}

// notesWhole reports whether the history of the notes is here, apart from what remotes have.
func (c *checker) notesWhole(ctx context.Context) (bool, error) {
	tip, err := c.s.NotesTip(ctx)
	if err != nil || tip == "" {
		return true, err
	}
	lost, err := c.s.Repo().Lost(ctx, []git.ID{tip})
	if git.ExitCode(err) > 0 {
		return false, nil
	}
	return len(lost) == 0, err
}
