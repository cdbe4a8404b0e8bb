package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// send pushes a plan, with tags that the remote lacks and the notes. It reports whether another
// clone was faster.
//
// Branches and the roadmap go as one push, because a merge moves several of them. Every agent
// moves the notes, which must not delay the branches: they go along with a single ref, and
// otherwise apart.
func (ex *exchanger) send(ctx context.Context, plan []*refAction, ours, theirs *remote.RefSet) (late bool, err error) {
	if !ex.push {
		return false, nil
	}
	var updates []git.PushUpdate
	steps := map[string]*refAction{}
	for _, st := range plan {
		if st.push != "" {
			updates = append(updates, ex.update(st.ref, st.push))
			steps[git.NameOn(st.ref, ex.peer.Heads)] = st
		}
	}
	if len(ex.o.Branches) == 0 { // a tag may bring the history of another branch
		updates = append(updates, ex.newTags(plan, ours, theirs)...)
	}
	var notes []git.PushUpdate
	if ours.Notes != theirs.Notes && !ex.behind && !ex.isDirty(git.NotesRef) && ex.aside[git.NotesRef] == nil {
		notes = append(notes, ex.update(git.NotesRef, ours.Notes))
	}
	if len(updates)+len(notes) == 0 {
		return false, nil
	}
	if err := ex.checkSecrets(ctx, slices.Concat(updates, notes), theirs); err != nil {
		return false, err
	}
	ex.res.Attempts++
	ex.said, ex.stuck = nil, nil
	atomic := len(updates) > 1 && !ex.noAtomic
	if !atomic {
		updates, notes = append(updates, notes...), nil
	}
	for _, batch := range [][]git.PushUpdate{updates, notes} {
		again, err := ex.sendBatch(ctx, batch, atomic, steps, theirs)
		if errors.Is(err, git.ErrNoAtomic) || err == nil && atomic && len(ex.refused) > 0 {
			// A refused ref must not block the others.
			ex.noAtomic = true
			return true, nil
		}
		if err == nil && !atomic && ex.allRefused(batch) {
			refused, said := slices.Clone(ex.refused), slices.Clone(ex.said)
			again, err = ex.sendParts(ctx, batch, steps, theirs)
			if ex.allRefused(batch) { // as it was said at first
				ex.refused, ex.said = refused, said
			}
		}
		if late = late || again; late {
			ex.res.Lost++
		}
		if err != nil || late {
			return late, err
		}
	}
	return late, nil
}

// mostParts limits the pushes that look for the refs which a remote refuses. It finds one among a hundred; where all are
// refused, as without a right to write, it makes so many in vain.
const mostParts = 16

// sendParts pushes a list that a remote refused as a whole, as it does by a pre-receive hook or a limit of size for the sake of
// one ref, in parts, until it knows which: first the roadmap, the current branch and the notes, then the others in an order
// that differs each time, so that each sync gets further where many are refused.
func (ex *exchanger) sendParts(ctx context.Context, list []git.PushUpdate, steps map[string]*refAction, theirs *remote.RefSet) (late bool, err error) {
	var first, others []git.PushUpdate
	for _, u := range list {
		switch git.NameHere(u.Ref, ex.peer.Heads) {
		case git.RoadmapRef, git.BranchRef(ex.current), git.NotesRef:
			first = append(first, u)
		default:
			others = append(others, u)
		}
	}
	rand.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	if len(first) == 0 || len(others) == 0 {
		first, others = halves(list)
	}
	tries := mostParts
	for _, part := range [][]git.PushUpdate{first, others} {
		again, err := ex.sendPart(ctx, part, &tries, steps, theirs)
		if late = late || again; err != nil {
			return late, err
		}
	}
	return late, nil
}

// sendPart pushes a part, and its halves if it is refused as a whole.
func (ex *exchanger) sendPart(ctx context.Context, part []git.PushUpdate, tries *int, steps map[string]*refAction, theirs *remote.RefSet) (late bool, err error) {
	if *tries == 0 || len(part) == 0 {
		return false, nil
	}
	*tries--
	ex.refused = slices.DeleteFunc(ex.refused, func(r refusal) bool { return ex.isOf(r, part) })
	if late, err = ex.sendBatch(ctx, part, false, steps, theirs); err != nil || !ex.allRefused(part) {
		return late, err
	}
	left, right := halves(part)
	for _, half := range [][]git.PushUpdate{left, right} {
		again, err := ex.sendPart(ctx, half, tries, steps, theirs)
		if late = late || again; err != nil {
			return late, err
		}
	}
	return late, nil
}

func halves(list []git.PushUpdate) (left, right []git.PushUpdate) {
	return list[:len(list)/2], list[len(list)/2:]
}

// allRefused reports whether each ref of several is refused.
func (ex *exchanger) allRefused(list []git.PushUpdate) bool {
	n := 0
	for _, r := range ex.refused {
		if ex.isOf(r, list) {
			n++
		}
	}
	return n > 1 && n == len(list)
}

func (ex *exchanger) isOf(r refusal, list []git.PushUpdate) bool {
	return slices.ContainsFunc(list, func(u git.PushUpdate) bool { return git.NameHere(u.Ref, ex.peer.Heads) == r.full })
}

func (ex *exchanger) update(ref string, id git.ID) git.PushUpdate {
	return git.PushUpdate{ID: id, Ref: git.NameOn(ref, ex.peer.Heads)}
}

// newTags returns the tags that the remote lacks. People decide about one that names another
// commit there, unless the plan does.
func (ex *exchanger) newTags(plan []*refAction, ours, theirs *remote.RefSet) []git.PushUpdate {
	var updates []git.PushUpdate
	planned := map[string]bool{}
	for _, st := range plan {
		planned[st.ref] = true
	}
	for _, name := range slices.Sorted(maps.Keys(ours.Tags)) {
		if planned[git.TagRef(name)] {
			continue
		}
		switch theirs.Tags[name] {
		case ours.Tags[name]:
		case "":
			if clash := tagClash(theirs, name); clash != "" {
				ex.warn(fmt.Sprintf("tag '%s' stays here: on '%s' it %s", name, ex.peer.Name, clash))
			} else if !ex.shared[git.TagRef(name)] || ex.first {
				updates = append(updates, ex.update(git.TagRef(name), ours.Tags[name]))
			}
		default:
			ref := git.TagRef(name)
			ex.warn(fmt.Sprintf("tag '%s' names another commit on '%s'; to have that here: git update-ref %s %s %s", name, ex.peer.Name,
				prose.ShellWord(ref), theirs.Tags[name], ours.Tags[name]))
		}
	}
	return updates
}

// tagClash returns why a tag cannot exist beside one of a side; "" if it can.
func tagClash(v *remote.RefSet, name string) string {
	for _, have := range slices.Sorted(maps.Keys(v.Tags)) {
		if clash := store.NameClash(have, name); clash != "" {
			return clash
		}
	}
	return ""
}

func (ex *exchanger) warn(text string) {
	if !slices.Contains(ex.res.Warnings, text) {
		ex.res.Warnings = append(ex.res.Warnings, text)
	}
}

// sendBatch makes one push and records the result of each ref.
func (ex *exchanger) sendBatch(ctx context.Context, updates []git.PushUpdate, atomic bool,
	steps map[string]*refAction, theirs *remote.RefSet) (late bool, err error) {
	if len(updates) == 0 {
		return false, nil
	}
	cfg, err := ex.s.Repo().Config(ctx)
	if err != nil {
		return false, err
	}
	// For git push a branch here that a fetch refspec writes to is a tracking ref. It would move it back to what was
	// pushed, although another process has committed since.
	results, err := ex.s.Repo().Push(ctx, git.PushOptions{Remote: ex.peer.Name, Updates: updates,
		Expected: ex.expected(updates, steps), Untracked: len(remote.Overwriting(cfg, ex.peer.Name)) > 0,
		Atomic: atomic, Progress: ex.o.Progress})
	if errors.Is(err, git.ErrUnreachable) {
		return false, unreachable(ex.peer.Name, err)
	}
	if err != nil {
		return false, err
	}
	fault.Point("after-push")
	var track []git.Ref
	for i, r := range results {
		ref := git.NameHere(r.Ref, ex.peer.Heads)
		if st := steps[r.Ref]; st != nil && (st.isWork() || st.isTag()) && r.Reason == "non-fast-forward" {
			// Its lease held: the remote lets no branch be replaced, and will not next time.
			r.Status = git.PushRefused
			ex.blockers = append(ex.blockers, r.Ref)
		}
		switch r.Status {
		case git.PushStale:
			late = true
			ex.reason = prose.OneLine(r.Reason, 300)
			ex.stuck = append(ex.stuck, git.DisplayName(ref))
			ex.hear(r.Said)
			if st := steps[r.Ref]; st != nil {
				st.late = true
				ex.beaten[st.branch] = true
			}
		case git.PushRefused:
			ex.refused = append(ex.refused, refusal{ref: git.DisplayName(ref), full: ref, reason: prose.OneLine(r.Reason, 300), clashes: clashes(ref, theirs)})
			ex.hear(r.Said)
		default:
			if r.Status == git.PushDone && !slices.Contains(ex.res.Pushed, ref) {
				ex.res.Pushed = append(ex.res.Pushed, ref)
			}
			track = append(track, git.Ref{Name: ref, ID: updates[i].ID})
		}
	}
	return late, ex.track(ctx, track, theirs)
}

// expected returns what the remote must have of the tags and of handed over code. A tag that another clone
// made meanwhile must not move, not even forward, and one that comes back replaces what was seen; handed over code
// replaces that of the former hand-over, which it does not contain.
func (ex *exchanger) expected(updates []git.PushUpdate, steps map[string]*refAction) map[string]git.ID {
	refs := map[string]git.ID{}
	for _, u := range updates {
		if st := steps[u.Ref]; st != nil && (st.isWork() || st.isTag()) {
			refs[u.Ref] = st.theirs
		} else if u.ID != "" && strings.HasPrefix(git.NameHere(u.Ref, ex.peer.Heads), git.TagPrefix) {
			refs[u.Ref] = ""
		}
	}
	return refs
}

// track updates the tracking refs of what was pushed. git has done so already if a refspec is
// configured.
func (ex *exchanger) track(ctx context.Context, pushed []git.Ref, theirs *remote.RefSet) error {
	tx, err := ex.s.Begin(ctx, ex.o.Writer, "push: "+prose.OneLine(ex.peer.Name, 100))
	if err != nil {
		return err
	}
	defer tx.Close()
	return tx.Swap(ctx, func(ctx context.Context) error {
		for _, r := range pushed {
			set(theirs, r)
			ref := ex.peer.Tracking.Of(r.Name)
			have, err := ex.s.Repo().Ref(ctx, ref)
			if err != nil && !errors.Is(err, git.ErrNotFound) {
				return err
			}
			switch {
			case have == r.ID:
			case r.ID == "":
				tx.Refs.Delete(ref, have)
			default:
				tx.Refs.Update(ref, r.ID, have)
			}
		}
		return nil
	})
}

// set records the new value of a ref, by its name here.
func set(v *remote.RefSet, r git.Ref) {
	if name, ok := git.BranchName(r.Name); ok {
		v.Branches[name] = r.ID
		return
	}
	if name, ok := strings.CutPrefix(r.Name, git.TagPrefix); ok {
		v.Tags[name] = r.ID
	}
	if name, ok := git.WorkBranch(r.Name); ok {
		v.Works[name] = r.ID
	}
	switch r.Name {
	case git.RoadmapRef:
		v.Roadmap = r.ID
	case git.NotesRef:
		v.Notes = r.ID
	}
}

// refNamed finds the branch of a side, or the tag, that a name for DeleteRemote means. A branch
// may be called tags/x too, and comes first.
func refNamed(v *remote.RefSet, name, remote string) (string, error) {
	tag, isTag := strings.CutPrefix(name, store.RemoteTagPrefix)
	switch {
	case v.Branches[name] != "":
		return git.BranchRef(name), nil
	case isTag && v.Tags[tag] != "":
		return git.TagRef(tag), nil
	case isTag:
		return "", fail.New(fail.ErrNotFound, fail.TagNotFound,
			fmt.Sprintf("'%s' has no tag '%s'", remote, prose.OneLine(tag, 100)), "git context tag")
	}
	hint := "git context branch --all"
	if v.Tags[name] != "" {
		hint = fmt.Sprintf("git context push --delete %s %s%s", remote, store.RemoteTagPrefix, name)
	}
	return "", fail.New(fail.ErrNotFound, fail.BranchNotFound,
		fmt.Sprintf("'%s' has no branch '%s'", remote, prose.OneLine(name, 100)), hint)
}

// removeBranches sends the deletions.
func (ex *exchanger) removeBranches(ctx context.Context, ours, theirs *remote.RefSet) error {
	var updates []git.PushUpdate
	for _, name := range ex.o.Branches {
		ref, err := refNamed(theirs, name, ex.peer.Name)
		if err != nil {
			return err
		}
		updates = append(updates, ex.update(ref, ""))
		if name, _ := git.BranchName(ref); theirs.Works[name] != "" {
			updates = append(updates, ex.update(git.WorkRef(name), ""))
		}
	}
	if err := ex.noteShared(ours, theirs); err != nil { // a later sync must see that they were deleted
		return err
	}
	ex.res.Attempts++
	late, err := ex.sendBatch(ctx, updates, len(updates) > 1, nil, theirs)
	if err == nil && late {
		err = &fail.Error{Code: fail.Busy, Kind: fail.ErrStale,
			Message: fmt.Sprintf("another push to '%s' is in progress", ex.peer.Name),
			Hints:   []string{"run the command again"}}
	}
	return err
}
