package expunge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// Refs are all refs of memory, as one listing found them.
type Refs struct {
	Branches, tags, deleted []git.Ref
	Roadmap, Notes          git.ID
	tracking, TrackingNotes []git.Ref // of remotes and bundles

	kept []git.Ref // to hidden history, see Request

	// Works lead to code, ours and those of remotes and bundles: no walk over memory begins there.
	Works []git.Ref
}

// ListRefs lists all refs of memory: our own, the tracking refs of remotes and bundles, and
// git's own tracking refs of remotes that keep memory among their branches.
func ListRefs(ctx context.Context, s *store.Store) (*Refs, error) {
	bundle := git.BundleTracking()
	list, err := s.Repo().Refs(ctx, append(bundle.All(), git.Root, git.NotesRef, git.RemoteNotesPrefix)...)
	if err != nil {
		return nil, err
	}
	names, err := s.Repo().Remotes(ctx)
	if err != nil {
		return nil, err
	}
	v := &Refs{}
	for _, r := range list {
		switch {
		case strings.HasPrefix(r.Name, git.WorkPrefix), git.TrackedWork(r.Name, names):
			v.Works = append(v.Works, r)
		case r.Name == git.RoadmapRef:
			v.Roadmap = r.ID
		case r.Name == git.NotesRef:
			v.Notes = r.ID
		case strings.HasPrefix(r.Name, git.BranchPrefix):
			v.Branches = append(v.Branches, r)
		case strings.HasPrefix(r.Name, git.TagPrefix):
			v.tags = append(v.tags, r)
		case strings.HasPrefix(r.Name, git.KeptPrefix):
			v.kept = append(v.kept, r)
		case strings.HasPrefix(r.Name, git.DeletedPrefix):
			v.deleted = append(v.deleted, r)
		case strings.HasPrefix(r.Name, git.Root):
			v.tracking = append(v.tracking, r)
		default:
			v.TrackingNotes = append(v.TrackingNotes, r)
		}
	}
	return v, mappedRefs(ctx, s, v, names)
}

// mappedRefs adds git's tracking refs of remotes that have memory among their branches.
func mappedRefs(ctx context.Context, s *store.Store, v *Refs, names []string) error {
	for _, name := range names {
		p, err := remote.Find(ctx, s, name)
		if err != nil {
			return err
		}
		if !p.Heads {
			continue
		}
		list, err := s.Repo().Refs(ctx, git.MappedTracking(name))
		if err != nil {
			return err
		}
		for _, r := range list {
			switch {
			case git.MappedNotes(r.Name, name):
				v.TrackingNotes = append(v.TrackingNotes, r)
			case strings.HasPrefix(r.Name, git.MappedWorks(name)):
				v.Works = append(v.Works, r)
			default:
				v.tracking = append(v.tracking, r)
			}
		}
	}
	return nil
}

// Own returns the refs that belong to this repository, except the notes.
func (v *Refs) Own() []git.Ref {
	list := slices.Concat(v.Branches, v.tags, v.deleted)
	if v.Roadmap != "" {
		list = append(list, git.Ref{Name: git.RoadmapRef, ID: v.Roadmap})
	}
	return list
}

// Tracking returns the tracking refs of remotes and bundles, without notes and code.
func (v *Refs) Tracking() []git.Ref { return v.tracking }

// All returns our own refs and the tracking refs, without notes and code.
func (v *Refs) All() []git.Ref { return append(v.Own(), v.tracking...) }

// Every returns all refs, those of notes and of handed over code too.
func (v *Refs) Every() []git.Ref {
	list := slices.Concat(v.All(), v.Works, v.TrackingNotes)
	if v.Notes != "" {
		list = append(list, git.Ref{Name: git.NotesRef, ID: v.Notes})
	}
	return list
}

// Tips returns the commits that All names, each once.
func (v *Refs) Tips() []git.ID { return UniqueIDs(v.All()) }

// UniqueIDs returns the ids of refs, sorted, each once.
func UniqueIDs(list []git.Ref) []git.ID {
	ids := make([]git.ID, len(list))
	for i, r := range list {
		ids[i] = r.ID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// RefID returns the id of a ref of a set by the ref's name here; "" if the set does not contain
// it.
func RefID(v *remote.RefSet, ref string) git.ID {
	if name, ok := git.BranchName(ref); ok {
		return v.Branches[name]
	}
	if name, ok := strings.CutPrefix(ref, git.TagPrefix); ok {
		return v.Tags[name]
	}
	if name, ok := git.WorkBranch(ref); ok {
		return v.Works[name]
	}
	switch ref {
	case git.RoadmapRef:
		return v.Roadmap
	case git.NotesRef:
		return v.Notes
	}
	for _, r := range v.Odd {
		if r.Name == ref {
			return r.ID
		}
	}
	return ""
}

// keptTips returns the commits of kept history, and of its notes, except handed over code.
func keptTips(ctx context.Context, s *store.Store, v *Refs) (tips, notes []git.ID, err error) {
	for _, ref := range v.kept {
		req, err := ReadRequest(ctx, s, ref)
		if err != nil {
			return nil, nil, fmt.Errorf("'%s': %w", ref.Name, err)
		}
		for _, r := range req.Refs {
			switch _, work := git.WorkBranch(r.Name); {
			case work:
			case r.Name == git.NotesRef:
				notes = append(notes, r.ID)
			default:
				tips = append(tips, r.ID)
			}
		}
	}
	return tips, notes, nil
}
