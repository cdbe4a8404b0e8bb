package expunge

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/store"
)

// ErrUnlooked is what FindUnsound says of a ref for which there was no time.
var ErrUnlooked = errors.New("it was not looked at")

// FindUnsound returns why [incoming.Check] refuses some of a list of tracking refs, by name. roadmaps names the refs that
// are roadmaps. Once one is refused, each is checked by itself, until late, which may be nil: those that are left then have ErrUnlooked.
func FindUnsound(ctx context.Context, s *store.Store, list []git.Ref, roadmaps []string, late func() bool) (map[string]error, error) {
	var all incoming.Refs
	for _, r := range list {
		all.Add(r, slices.Contains(roadmaps, r.Name))
	}
	if err := incoming.Check(ctx, s, all); err == nil || !IsUnsound(err) { // mostly one look does
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
		if !had && late != nil && late() {
			bad[r.Name] = ErrUnlooked
			continue
		}
		if !had {
			var in incoming.Refs
			in.Add(r, at.roadmap)
			err = incoming.Check(ctx, s, in)
			known[at] = err
		}
		if IsUnsound(err) {
			bad[r.Name] = err
		} else if err != nil {
			return nil, err
		}
	}
	return bad, nil
}

// DropUnsound deletes tracking refs that are refused, with their objects. What cannot be read cannot be rewritten, and must
// not block an expunge. A fetch that asks for the refs makes them again. What keep leads to stays, though no ref leads to it.
func DropUnsound(ctx context.Context, s *store.Store, w store.Writer, list []git.Ref, keep ...git.ID) error {
	return ReplaceUnsound(ctx, s, w, list, nil, keep...)
}

// ReplaceUnsound is DropUnsound, but it moves those tracking refs to the commits in to that have one there.
func ReplaceUnsound(ctx context.Context, s *store.Store, w store.Writer, list []git.Ref, to map[string]git.ID, keep ...git.ID) error {
	if len(list) == 0 {
		return nil
	}
	ses, err := s.BeginLocked(ctx, w, "expunge: what is refused")
	if err != nil {
		return err
	}
	defer ses.Close()
	ids := make([]git.ID, len(list))
	var moved []string
	for i, r := range list {
		if at := to[r.Name]; at != "" {
			ses.Refs.Update(r.Name, at, r.ID)
			moved = append(moved, r.Name)
		} else {
			ses.Refs.Delete(r.Name, r.ID)
		}
		ids[i] = r.ID
	}
	if err := ses.Commit(ctx); err != nil {
		return err
	}
	if err := DropReflogs(ctx, s, moved); err != nil { // a deleted ref has none
		return err
	}
	keep = slices.DeleteFunc(slices.Clone(keep), func(id git.ID) bool { return slices.Contains(ids, id) })
	_, err = pack.Purge(ctx, s.Repo(), ids, keep...)
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

// IsUnsound reports whether an error is a refusal of [incoming.Check].
func IsUnsound(err error) bool {
	var e *fail.Error
	return errors.As(err, &e) && e.Code == fail.IncomingInvalid
}

// unsoundTracking returns why tracking refs are refused, by name, those of notes and of handed over code too: to rewrite a note that is far
// beyond its limit takes very long, and what is no such code cannot be searched.
func (v *Refs) unsoundTracking(ctx context.Context, s *store.Store) (map[string]error, error) {
	bad := map[string]error{}
	if len(v.tracking) > 0 {
		remotes, err := s.Repo().Remotes(ctx)
		if err != nil {
			return nil, err
		}
		found, err := FindUnsound(ctx, s, v.tracking, v.trackedRoadmaps(remotes), nil)
		if err != nil {
			return nil, err
		}
		maps.Copy(bad, found)
	}
	for _, r := range v.TrackingNotes {
		if err := incoming.Check(ctx, s, incoming.Refs{Notes: []git.Ref{r}}); IsUnsound(err) {
			bad[r.Name] = err
		} else if err != nil {
			return nil, err
		}
	}
	for _, r := range v.trackedWorks() {
		if err := incoming.CheckWork(ctx, s, r); IsUnsound(err) {
			bad[r.Name] = err
		} else if err != nil {
			return nil, err
		}
	}
	return bad, nil
}

// trackedRoadmaps returns the names of those tracking refs that are roadmaps.
func (v *Refs) trackedRoadmaps(remotes []string) []string {
	roadmaps := []string{git.BundleTracking().Roadmap()}
	for _, name := range remotes {
		roadmaps = append(roadmaps, git.RemoteTracking(name).Roadmap(), git.MappedRoadmap(name))
	}
	for _, r := range v.tracking {
		if _, rest := git.GoneTracking(r.Name); rest == "roadmap" {
			roadmaps = append(roadmaps, r.Name)
		}
	}
	return roadmaps
}

func (v *Refs) trackedWorks() []git.Ref {
	return slices.DeleteFunc(slices.Clone(v.Works), func(r git.Ref) bool { return strings.HasPrefix(r.Name, git.WorkPrefix) })
}

// listSound is ListRefs without the tracking refs that are refused, and returns these.
func listSound(ctx context.Context, s *store.Store) (v *Refs, refused map[string]error, err error) {
	if v, err = ListRefs(ctx, s); err != nil {
		return nil, nil, err
	}
	if refused, err = v.unsoundTracking(ctx, s); err != nil {
		return nil, nil, err
	}
	for _, list := range []*[]git.Ref{&v.tracking, &v.TrackingNotes, &v.Works} {
		*list = slices.DeleteFunc(*list, func(r git.Ref) bool { return refused[r.Name] != nil })
	}
	return v, refused, nil
}

// DropUnsoundTracking drops the tracking refs that are refused, see [DropUnsound], and returns a warning for each.
func DropUnsoundTracking(ctx context.Context, s *store.Store, w store.Writer, keep ...git.ID) ([]string, error) {
	v, err := ListRefs(ctx, s)
	if err != nil {
		return nil, err
	}
	bad, err := v.unsoundTracking(ctx, s)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(v.tracking, v.TrackingNotes, v.trackedWorks())
	dropped := slices.DeleteFunc(all, func(r git.Ref) bool { return bad[r.Name] == nil })
	if err := DropUnsound(ctx, s, w, dropped, keep...); err != nil {
		return nil, err
	}
	var why []string
	for _, r := range dropped {
		why = append(why, UnsoundText(UnsoundReason(bad[r.Name])))
	}
	return why, nil
}
