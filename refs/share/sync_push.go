package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// send pushes what a plan says, with tags that the remote lacks and the notes. It
// reports whether somebody else was faster with one of them.
//
// Branches and the roadmap go as one: a merge moves several of them. Notes are
// moved by every agent, and must not make the branches of one wait for another's:
// they go along with a single ref, and else apart.
func (y *syncing) send(ctx context.Context, plan []*step, ours, theirs *store.Survey) (late bool, err error) {
	if !y.push {
		return false, nil
	}
	var updates []git.PushUpdate
	steps := map[string]*step{}
	for _, st := range plan {
		if st.push != "" {
			updates = append(updates, y.update(st.ref, st.push))
			steps[git.NameOn(st.ref, y.peer.Heads)] = st
		}
	}
	if len(y.o.Branches) == 0 { // a tag may name another branch's milestone, and would take its history along
		updates = append(updates, y.newTags(ours, theirs)...)
	}
	var notes []git.PushUpdate
	if ours.Notes != theirs.Notes && !y.isHeld(git.NotesRef) {
		notes = append(notes, y.update(git.NotesRef, ours.Notes))
	}
	if len(updates)+len(notes) == 0 {
		return false, nil
	}
	y.res.Attempts++
	atomic := len(updates) > 1 && !y.noAtomic
	if !atomic {
		updates, notes = append(updates, notes...), nil
	}
	for _, batch := range [][]git.PushUpdate{updates, notes} {
		again, err := y.sendBatch(ctx, batch, atomic, steps, theirs)
		if errors.Is(err, git.ErrNoAtomic) || err == nil && atomic && len(y.refused) > 0 {
			// What one ref is refused for must not keep the others back.
			y.noAtomic = true
			return true, nil
		}
		if late = late || again; late {
			y.res.Lost++
		}
		if err != nil || late {
			return late, err
		}
	}
	return late, nil
}

func (y *syncing) update(ref string, id git.ID) git.PushUpdate {
	return git.PushUpdate{ID: id, Ref: git.NameOn(ref, y.peer.Heads)}
}

// newTags are the tags that the remote lacks. One that names something else there
// is left to people.
func (y *syncing) newTags(ours, theirs *store.Survey) []git.PushUpdate {
	var updates []git.PushUpdate
	for _, name := range slices.Sorted(maps.Keys(ours.Tags)) {
		switch theirs.Tags[name] {
		case ours.Tags[name]:
		case "":
			if clash := tagClash(theirs, name); clash != "" {
				y.warn(fmt.Sprintf("tag '%s' stays here: on '%s' it %s", name, y.peer.Name, clash))
			} else if !y.shared[git.TagRef(name)] || y.first {
				updates = append(updates, y.update(git.TagRef(name), ours.Tags[name]))
			}
		default:
			y.warn(fmt.Sprintf("tag '%s' names another milestone on '%s'", name, y.peer.Name))
		}
	}
	return updates
}

// tagClash says why a tag cannot stand beside one of a side.
func tagClash(v *store.Survey, name string) string {
	for _, have := range slices.Sorted(maps.Keys(v.Tags)) {
		if clash := store.NameClash(have, name); clash != "" {
			return clash
		}
	}
	return ""
}

func (y *syncing) warn(text string) {
	if !slices.Contains(y.res.Warnings, text) {
		y.res.Warnings = append(y.res.Warnings, text)
	}
}

// sendBatch makes one push and notes what became of each ref.
func (y *syncing) sendBatch(ctx context.Context, updates []git.PushUpdate, atomic bool, steps map[string]*step, theirs *store.Survey) (late bool, err error) {
	if len(updates) == 0 {
		return false, nil
	}
	results, err := y.s.Repo().Push(ctx, git.PushOptions{Remote: y.peer.Name, Updates: updates, Absent: y.absent(updates),
		Atomic: atomic, Progress: y.o.Progress})
	if errors.Is(err, git.ErrUnreachable) {
		return false, unreachable(y.peer.Name, err)
	}
	if err != nil {
		return false, err
	}
	fault.Point("after-push")
	var track []git.Ref
	for i, r := range results {
		ref := git.NameHere(r.Ref, y.peer.Heads)
		switch r.Status {
		case git.PushStale:
			late = true
			y.reason = prose.OneLine(r.Reason, 300)
			if st := steps[r.Ref]; st != nil {
				st.late = true
				y.beaten[st.branch] = true
			}
		case git.PushRefused:
			y.refused = append(y.refused, displayRef(ref))
			y.reason = prose.OneLine(r.Reason, 300) // the others' nearly always is the same
		default:
			if r.Status == git.PushDone && !slices.Contains(y.res.Pushed, ref) {
				y.res.Pushed = append(y.res.Pushed, ref)
			}
			track = append(track, git.Ref{Name: ref, ID: updates[i].ID})
		}
	}
	return late, y.track(ctx, track, theirs)
}

// absent are the tags that are to be made: a tag that another clone has made
// meanwhile must not move, not even forward.
func (y *syncing) absent(updates []git.PushUpdate) []string {
	var refs []string
	for _, u := range updates {
		if u.ID != "" && strings.HasPrefix(git.NameHere(u.Ref, y.peer.Heads), git.TagPrefix) {
			refs = append(refs, u.Ref)
		}
	}
	return refs
}

// track says in the tracking refs what the remote has now. A configured refspec
// has made git do so already; where that is missing nobody else does.
func (y *syncing) track(ctx context.Context, pushed []git.Ref, theirs *store.Survey) error {
	tx, err := y.s.Begin(ctx, y.o.Writer, "push: "+prose.OneLine(y.peer.Name, 100))
	if err != nil {
		return err
	}
	defer tx.Close()
	return tx.Swap(ctx, func(ctx context.Context) error {
		for _, r := range pushed {
			set(theirs, r)
			ref := y.peer.Tracking.Of(r.Name)
			have, err := y.s.Repo().Ref(ctx, ref)
			if err != nil && !errors.Is(err, git.ErrNotFound) {
				return err
			}
			switch {
			case have == r.ID:
			case r.ID == "":
				tx.Tx.Delete(ref, have)
			default:
				tx.Tx.Update(ref, r.ID, have)
			}
		}
		return nil
	})
}

// set notes what a ref, by its name here, is now.
func set(v *store.Survey, r git.Ref) {
	if name, ok := git.BranchName(r.Name); ok {
		v.Branches[name] = r.ID
		return
	}
	if name, ok := strings.CutPrefix(r.Name, git.TagPrefix); ok {
		v.Tags[name] = r.ID
	}
	switch r.Name {
	case git.RoadmapRef:
		v.Roadmap = r.ID
	case git.NotesRef:
		v.Notes = r.ID
	}
}

// DeleteRemote deletes branches on a remote, and tags, as tags/NAME. Here they stay,
// and no Sync makes them there again.
func DeleteRemote(ctx context.Context, s *store.Store, o SyncOptions) (SyncResult, error) {
	return exchange(ctx, s, o, func(y *syncing) { y.remove = true })
}

// refNamed finds the branch of a side, or the tag, that a name for DeleteRemote
// means: a branch may be called tags/x too, and wins.
func refNamed(v *store.Survey, name, remote string) (string, error) {
	tag, isTag := strings.CutPrefix(name, store.RemoteTagPrefix)
	switch {
	case v.Branches[name] != "":
		return git.BranchRef(name), nil
	case isTag && v.Tags[tag] != "":
		return git.TagRef(tag), nil
	case isTag:
		return "", fail.New(fail.ErrNotFound, fail.TagNotFound, fmt.Sprintf("'%s' has no tag '%s'", remote, prose.OneLine(tag, 100)), "git context tag")
	}
	hint := "git context branch --all"
	if v.Tags[name] != "" {
		hint = fmt.Sprintf("git context push --delete %s %s%s", remote, store.RemoteTagPrefix, name)
	}
	return "", fail.New(fail.ErrNotFound, fail.BranchNotFound, fmt.Sprintf("'%s' has no branch '%s'", remote, prose.OneLine(name, 100)), hint)
}

// removeBranches sends the deletions.
func (y *syncing) removeBranches(ctx context.Context, ours, theirs *store.Survey) error {
	var updates []git.PushUpdate
	for _, name := range y.o.Branches {
		ref, err := refNamed(theirs, name, y.peer.Name)
		if err != nil {
			return err
		}
		updates = append(updates, y.update(ref, ""))
	}
	if err := y.noteShared(ours, theirs); err != nil { // a later sync is to find them deleted
		return err
	}
	y.res.Attempts++
	late, err := y.sendBatch(ctx, updates, len(updates) > 1, nil, theirs)
	if err == nil && late {
		err = &fail.Error{Code: fail.Busy, Kind: fail.ErrStale, Message: fmt.Sprintf("somebody pushes to '%s' just now", y.peer.Name),
			Hints: []string{"run the command again"}}
	}
	return err
}
