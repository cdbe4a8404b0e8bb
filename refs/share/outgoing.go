package share

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/remake"
	"github.com/git-context/git-context/refs/remote"
)

// checkOutgoing sets aside what would be pushed and every other clone would refuse: another program has made it, as
// git filter-branch does. Pushed, it would keep all others from the branch until somebody forces it back.
func (ex *exchanger) checkOutgoing(ctx context.Context, ours, theirs *remote.RefSet) error {
	if !ex.push {
		return nil
	}
	var in incoming.Refs
	for _, name := range slices.Sorted(maps.Keys(ours.Branches)) {
		r := git.Ref{Name: git.BranchRef(name), ID: ours.Branches[name]}
		if ex.wants(name) && theirs.Branches[name] != r.ID && !ex.isDirty(r.Name) {
			in.Branches = append(in.Branches, r)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ours.Tags)) {
		if len(ex.o.Branches) == 0 && theirs.Tags[name] == "" {
			in.Tags = append(in.Tags, git.Ref{Name: git.TagRef(name), ID: ours.Tags[name]})
		}
	}
	if theirs.Roadmap != ours.Roadmap && !ex.isDirty(git.RoadmapRef) {
		in.Roadmap = []git.Ref{{Name: git.RoadmapRef, ID: ours.Roadmap}}
	}
	if theirs.Notes != ours.Notes && !ex.isDirty(git.NotesRef) {
		in.Notes = []git.Ref{{Name: git.NotesRef, ID: ours.Notes}}
	}
	flaws, err := incoming.Outgoing(ctx, ex.s, in, idsOf(theirs))
	if err != nil {
		return err
	}
	what := "not pushed"
	if ex.merge {
		what = "neither merged nor pushed"
	}
	for ref, flaw := range flaws {
		hint, err := ex.repairHint(ctx, flaw)
		if err != nil {
			return err
		}
		ex.aside[ref] = fail.New(fail.ErrRefused, fail.OutgoingInvalid,
			fmt.Sprintf("'%s' was %s: %s", git.DisplayName(ref), what, flaw.Error()), hint)
	}
	ex.setAside(ours, theirs)
	return nil
}

// repairHint returns the command that mends a flaw, or says how: ids that another repository has stay, even if
// they are ahead of the clock.
func (ex *exchanger) repairHint(ctx context.Context, flaw incoming.Flaw) (string, error) {
	if flaw.Kind == incoming.FlawAhead {
		latest, err := incoming.Latest(ex.s)
		if err != nil {
			return "", err
		}
		if stays, err := remake.Stays(ctx, ex.s, flaw.At, latest); err != nil || stays {
			return "git context fsck", err
		}
	}
	return "git context fsck --fix", nil
}

// idsOf lists the commits that the refs of a side name.
func idsOf(v *remote.RefSet) []git.ID {
	var ids []git.ID
	for _, r := range refsOf(v) {
		if r.ID != "" {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
