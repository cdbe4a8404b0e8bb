package share

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remote"
)

// dropStray drops what came from under the other names and is no memory there, because they have no roadmap, if that leads to what was expunged.
// Nothing else looks at it, and it stays on the remote until somebody deletes it there.
func (ex *exchanger) dropStray(ctx context.Context, there *remote.RefSet) error {
	ours, _, err := remote.Survey(ctx, ex.s, ex.peer)
	if err != nil {
		return err
	}
	e, err := tombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil || e.Empty() {
		return err
	}
	p := ex.peer.Other()
	var list []git.Ref // tracking refs
	for _, r := range refsOf(&remote.RefSet{Branches: there.Branches, Tags: there.Tags}) {
		if r.ID != "" {
			list = append(list, git.Ref{Name: p.Tracking.Of(r.Name), ID: r.ID})
		}
	}
	old, err := ex.strayOld(ctx, e, list)
	if err != nil || len(old) == 0 {
		return err
	}
	if err := expunge.DropUnsound(ctx, ex.s, ex.o.Writer, old, ex.needed()...); err != nil {
		return err
	}
	gone := remote.RefSet{Branches: map[string]git.ID{}, Tags: map[string]git.ID{}, Works: map[string]git.ID{}}
	for _, r := range old {
		name, isBranch := strings.CutPrefix(r.Name, p.Tracking.Branches())
		if isBranch {
			gone.Branches[name] = r.ID
		} else {
			gone.Tags[strings.TrimPrefix(r.Name, p.Tracking.Tags())] = r.ID
		}
	}
	ex.warn(fmt.Sprintf("'%s' still contains what was expunged, beside the memory; this deletes it there: %s", ex.peer.Name,
		strings.Join(deleteCommands(ex.peer, p.Heads, &gone), "; ")))
	return nil
}

// strayOld returns those of some tracking refs that lead to what was expunged. What is no memory cannot be told.
func (ex *exchanger) strayOld(ctx context.Context, e doc.Expunged, list []git.Ref) (old []git.Ref, err error) {
	late, err := ex.searchUntil(ctx)
	if err != nil {
		return nil, err
	}
	bad, err := expunge.FindUnsound(ctx, ex.s, list, nil, late)
	if err != nil {
		return nil, err
	}
	w := expunge.NewRewriter(ex.s, e)
	for _, r := range list {
		if bad[r.Name] != nil {
			continue
		}
		now, err := w.RewriteNew(ctx, []git.ID{r.ID})
		if cannotRedact(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if now[r.ID] != r.ID {
			old = append(old, r)
		}
	}
	return old, nil
}
