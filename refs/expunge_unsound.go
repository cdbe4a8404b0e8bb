package refs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
)

// dropUnsound deletes those of some tracking refs that bring what is refused anyway, and
// says why: what cannot be read cannot be rewritten either, and must not keep anybody
// from forgetting. Nobody can tell what it holds, so its objects go too. The next fetch
// makes them anew. Which of them are roadmaps is given.
func (s *Store) dropUnsound(ctx context.Context, w Writer, list []git.Ref, roadmaps []string) (dropped []git.Ref, why []string, err error) {
	var all incoming
	for _, r := range list {
		all.add(r, slices.Contains(roadmaps, r.Name))
	}
	if err := s.checkIncoming(ctx, all); err == nil || !unsound(err) { // mostly one look does
		return nil, nil, err
	}
	for _, r := range list {
		var in incoming
		in.add(r, slices.Contains(roadmaps, r.Name))
		err := s.checkIncoming(ctx, in)
		switch {
		case err == nil:
		case unsound(err):
			dropped = append(dropped, r)
			why = append(why, fmt.Sprintf("tracking ref dropped: %v", err))
		default:
			return nil, nil, err
		}
	}
	if len(dropped) == 0 {
		return nil, nil, nil
	}
	ses, err := s.beginLocked(ctx, w, "expunge: what is refused")
	if err != nil {
		return nil, nil, err
	}
	defer ses.close()
	var ids []git.ID
	for _, r := range dropped {
		ses.tx.Delete(r.Name, r.ID)
		ids = append(ids, r.ID)
	}
	if err := ses.tx.Commit(ctx); err != nil {
		return nil, nil, err
	}
	_, err = pack.Purge(ctx, s.repo, ids) // a deleted ref has no reflog
	return dropped, why, err
}

// add adds a tracking ref by what it must be: tags are on branches. Its name alone does
// not tell, for a remote may be called 'heads'.
func (in *incoming) add(r git.Ref, roadmap bool) {
	if roadmap {
		in.roadmap = append(in.roadmap, r)
	} else {
		in.branches = append(in.branches, r)
	}
}

// unsound reports whether an error is checkIncoming's refusal.
func unsound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == "incoming-invalid"
}

// dropUnsoundTracking does so with all tracking refs.
func (s *Store) dropUnsoundTracking(ctx context.Context, w Writer) ([]string, error) {
	v, err := s.memoryRefs(ctx)
	if err != nil || len(v.tracking) == 0 {
		return nil, err
	}
	remotes, err := s.repo.Remotes(ctx)
	if err != nil {
		return nil, err
	}
	roadmaps := []string{git.BundleTracking().Roadmap()}
	for _, name := range remotes {
		roadmaps = append(roadmaps, git.RemoteTracking(name).Roadmap(), git.MappedRoadmap(name))
	}
	_, why, err := s.dropUnsound(ctx, w, v.tracking, roadmaps)
	return why, err
}
