package expunge

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/store"
)

// DropUnsound deletes those of some tracking refs that [incoming.Check] refuses, with their
// objects, and returns why. What cannot be read cannot be rewritten, and must not block an
// expunge. The next fetch makes the refs again. roadmaps names the refs that are roadmaps.
func DropUnsound(ctx context.Context, s *store.Store, w store.Writer, list []git.Ref,
	roadmaps []string) (dropped []git.Ref, why []string, err error) {
	var all incoming.Refs
	for _, r := range list {
		all.Add(r, slices.Contains(roadmaps, r.Name))
	}
	if err := incoming.Check(ctx, s, all); err == nil || !unsound(err) { // mostly one look does
		return nil, nil, err
	}
	for _, r := range list {
		var in incoming.Refs
		in.Add(r, slices.Contains(roadmaps, r.Name))
		err := incoming.Check(ctx, s, in)
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
	ses, err := s.BeginLocked(ctx, w, "expunge: what is refused")
	if err != nil {
		return nil, nil, err
	}
	defer ses.Close()
	var ids []git.ID
	for _, r := range dropped {
		ses.Refs.Delete(r.Name, r.ID)
		ids = append(ids, r.ID)
	}
	if err := ses.Commit(ctx); err != nil {
		return nil, nil, err
	}
	_, err = pack.Purge(ctx, s.Repo(), ids) // a deleted ref has no reflog
	return dropped, why, err
}

// unsound reports whether an error is a refusal of [incoming.Check].
func unsound(err error) bool {
	var e *fail.Error
	return errors.As(err, &e) && e.Code == fail.IncomingInvalid
}

// DropUnsoundTracking is DropUnsound for all tracking refs.
func DropUnsoundTracking(ctx context.Context, s *store.Store, w store.Writer) ([]string, error) {
	v, err := ListRefs(ctx, s)
	if err != nil || len(v.tracking) == 0 {
		return nil, err
	}
	remotes, err := s.Repo().Remotes(ctx)
	if err != nil {
		return nil, err
	}
	roadmaps := []string{git.BundleTracking().Roadmap()}
	for _, name := range remotes {
		roadmaps = append(roadmaps, git.RemoteTracking(name).Roadmap(), git.MappedRoadmap(name))
	}
	_, why, err := DropUnsound(ctx, s, w, v.tracking, roadmaps)
	return why, err
}
