package expunge

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/store"
)

// FindUnsound returns why [incoming.Check] refuses some of a list of tracking refs, by name. roadmaps names the refs that
// are roadmaps.
func FindUnsound(ctx context.Context, s *store.Store, list []git.Ref, roadmaps []string) (map[string]error, error) {
	var all incoming.Refs
	for _, r := range list {
		all.Add(r, slices.Contains(roadmaps, r.Name))
	}
	if err := incoming.Check(ctx, s, all); err == nil || !unsound(err) { // mostly one look does
		return nil, err
	} else if len(list) == 1 {
		return map[string]error{list[0].Name: err}, nil
	}
	type tip struct {
		id      git.ID
		roadmap bool
	}
	bad, known := map[string]error{}, map[tip]error{} // one commit may have many names
	for _, r := range list {
		at := tip{r.ID, slices.Contains(roadmaps, r.Name)}
		err, had := known[at]
		if !had {
			var in incoming.Refs
			in.Add(r, at.roadmap)
			err = incoming.Check(ctx, s, in)
			known[at] = err
		}
		if unsound(err) {
			bad[r.Name] = err
		} else if err != nil {
			return nil, err
		}
	}
	return bad, nil
}

// findUnsoundNotes adds those tracking refs of notes that are refused: to rewrite a note that is far beyond its limit takes
// very long, each time.
func findUnsoundNotes(ctx context.Context, s *store.Store, list []git.Ref, bad map[string]error) error {
	for _, r := range list {
		if err := incoming.Check(ctx, s, incoming.Refs{Notes: []git.Ref{r}}); unsound(err) {
			bad[r.Name] = err
		} else if err != nil {
			return err
		}
	}
	return nil
}

// DropUnsound deletes tracking refs that are refused, with their objects. What cannot be read cannot be rewritten, and must
// not block an expunge. A fetch that asks for the refs makes them again.
func DropUnsound(ctx context.Context, s *store.Store, w store.Writer, list []git.Ref) error {
	if len(list) == 0 {
		return nil
	}
	ses, err := s.BeginLocked(ctx, w, "expunge: what is refused")
	if err != nil {
		return err
	}
	defer ses.Close()
	ids := make([]git.ID, len(list))
	for i, r := range list {
		ses.Refs.Delete(r.Name, r.ID)
		ids[i] = r.ID
	}
	if err := ses.Commit(ctx); err != nil {
		return err
	}
	_, err = pack.Purge(ctx, s.Repo(), ids) // a deleted ref has no reflog
	return err
}

// UnsoundReason returns why a ref is refused, without the words of it that are quoted: it is printed and kept where
// something was expunged, and these may be that.
func UnsoundReason(err error) string {
	var refused *fail.Error
	if !errors.As(err, &refused) || refused.Err == nil {
		return err.Error()
	}
	quoted := regexp.MustCompile("(?s)'.*'|\".*\"|`.*`")
	return refused.Message + ": " + quoted.ReplaceAllString(refused.Err.Error(), "'…'")
}

// UnsoundText returns what a warning says of a tracking ref that was dropped because it is refused.
func UnsoundText(why string) string { return "tracking ref dropped: " + why }

// unsound reports whether an error is a refusal of [incoming.Check].
func unsound(err error) bool {
	var e *fail.Error
	return errors.As(err, &e) && e.Code == fail.IncomingInvalid
}

// DropUnsoundTracking drops the tracking refs that are refused, those of notes too, and returns a warning for each.
func DropUnsoundTracking(ctx context.Context, s *store.Store, w store.Writer) ([]string, error) {
	v, err := ListRefs(ctx, s)
	if err != nil || len(v.tracking)+len(v.TrackingNotes) == 0 {
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
	bad := map[string]error{}
	if len(v.tracking) > 0 {
		found, err := FindUnsound(ctx, s, v.tracking, roadmaps)
		if err != nil {
			return nil, err
		}
		maps.Copy(bad, found)
	}
	if err := findUnsoundNotes(ctx, s, v.TrackingNotes, bad); err != nil {
		return nil, err
	}
	dropped := slices.DeleteFunc(slices.Concat(v.tracking, v.TrackingNotes), func(r git.Ref) bool { return bad[r.Name] == nil })
	if err := DropUnsound(ctx, s, w, dropped); err != nil {
		return nil, err
	}
	var why []string
	for _, r := range dropped {
		why = append(why, UnsoundText(UnsoundReason(bad[r.Name])))
	}
	return why, nil
}
