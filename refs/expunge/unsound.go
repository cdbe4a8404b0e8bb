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
	bad, err := unsoundOf(ctx, s, list, roadmaps)
	if err != nil || len(bad) == 0 {
		return nil, nil, err
	}
	ses, err := s.BeginLocked(ctx, w, "expunge: what is refused")
	if err != nil {
		return nil, nil, err
	}
	defer ses.Close()
	var ids []git.ID
	for _, r := range list {
		if bad[r.Name] == nil {
			continue
		}
		dropped = append(dropped, r)
		why = append(why, fmt.Sprintf("tracking ref dropped: %v", bad[r.Name]))
		ses.Refs.Delete(r.Name, r.ID)
		ids = append(ids, r.ID)
	}
	if err := ses.Commit(ctx); err != nil {
		return nil, nil, err
	}
	_, err = pack.Purge(ctx, s.Repo(), ids) // a deleted ref has no reflog
	return dropped, why, err
}

// unsoundOf returns why [incoming.Check] refuses some of a list of refs, by name.
func unsoundOf(ctx context.Context, s *store.Store, list []git.Ref, roadmaps []string) (map[string]error, error) {
	var all incoming.Refs
	for _, r := range list {
		all.Add(r, slices.Contains(roadmaps, r.Name))
	}
	if err := incoming.Check(ctx, s, all); err == nil || !unsound(err) { // mostly one look does
		return nil, err
	}
	bad := map[string]error{}
	for _, r := range list {
		var in incoming.Refs
		in.Add(r, slices.Contains(roadmaps, r.Name))
		if err := incoming.Check(ctx, s, in); unsound(err) {
			bad[r.Name] = err
		} else if err != nil {
			return nil, err
		}
	}
	return bad, nil
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
	for _, r := range v.tracking {
		if _, rest := git.GoneTracking(r.Name); rest == "roadmap" {
			roadmaps = append(roadmaps, r.Name)
		}
	}
	_, why, err := DropUnsound(ctx, s, w, v.tracking, roadmaps)
	return why, err
}
