package refs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
)

// heldState is what a peer held of old history when it was last asked, and what is
// left to be deleted of it here. It stands in local state, a ref on a line:
//
//	held <ref> <what the peer has> <what that is without what was forgotten>
//	purge <id>
//
// A ref whose tracking ref is at the latter is not fetched again while the peer has the
// former: nothing old comes here just to be deleted.
type heldState struct {
	refs  map[string]heldRef // by the names that they have here
	purge []git.ID
}

func (p peer) heldName() string { return "held/" + git.FileName(p.name, "") }

func (s *Store) readHeldState(p peer) (heldState, error) {
	h := heldState{refs: map[string]heldRef{}}
	data, err := os.ReadFile(s.statePath(p.heldName()))
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 4 && f[0] == "held":
			h.refs[f[1]] = heldRef{f[1], git.ID(f[2]), git.ID(strings.TrimPrefix(f[3], "-"))}
		case len(f) == 2 && f[0] == "purge":
			h.purge = append(h.purge, git.ID(f[1]))
		default:
			return h, fmt.Errorf("'%s': cannot understand '%s'", s.statePath(p.heldName()), oneLine(line, 100))
		}
	}
	return h, nil
}

func (s *Store) writeHeldState(p peer, h heldState) error {
	if len(h.refs)+len(h.purge) == 0 {
		err := os.Remove(s.statePath(p.heldName()))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	var b strings.Builder
	for _, r := range h.list() {
		fmt.Fprintf(&b, "held %s %s %s\n", r.ref, r.old, cmp.Or(r.now, "-"))
	}
	for _, id := range h.purge {
		fmt.Fprintf(&b, "purge %s\n", id)
	}
	return s.repo.WriteStateFile(p.heldName(), []byte(b.String()))
}

// rememberHeld writes down what the remotes had that lead to old history, and returns
// where their tracking refs go.
func (x *expunging) rememberHeld(ctx context.Context) (map[string]git.ID, error) {
	to := map[string]git.ID{}
	for name, held := range x.held {
		p, err := x.s.remote(ctx, name)
		if err != nil {
			return nil, err
		}
		state, err := x.s.readHeldState(p)
		if err != nil {
			return nil, err
		}
		for _, h := range held {
			state.refs[h.ref] = h
			to[p.tracking.Of(h.ref)] = h.now
		}
		if err := x.s.writeHeldState(p, state); err != nil {
			return nil, err
		}
	}
	return to, nil
}

// list are the refs by name.
func (h *heldState) list() []heldRef {
	var list []heldRef
	for _, ref := range slices.Sorted(maps.Keys(h.refs)) {
		list = append(list, h.refs[ref])
	}
	return list
}

// recall reads what the peer held when it was last asked, and finishes what was to be
// deleted of it.
func (y *syncing) recall(ctx context.Context) (err error) {
	if y.old, err = y.s.readHeldState(y.peer); err != nil || len(y.old.purge) == 0 {
		return err
	}
	_, err = y.deleteOld(ctx) // what is still in tracking refs is found again
	return err
}

// stillHeld asks the peer for its refs where it held old history, and forgets of
// which it does not any more. It returns refspecs that leave out the others.
func (y *syncing) stillHeld(ctx context.Context, tracked *survey) ([]string, error) {
	before := len(y.old.refs)
	for ref, h := range y.old.refs {
		if tracked.at(ref) != h.now { // fetched by plain git, or dropped, since
			delete(y.old.refs, ref)
		}
	}
	if len(y.old.refs) == 0 || y.peer.bundle {
		return nil, y.saveHeld(before)
	}
	var names []string
	for ref := range y.old.refs {
		names = append(names, git.NameOn(ref, y.peer.heads))
	}
	list, err := y.s.repo.LsRemote(ctx, y.peer.name, names...)
	if errors.Is(err, git.ErrUnreachable) {
		err = unreachable(y.peer.name, err)
	}
	if err != nil {
		return nil, err
	}
	there := map[string]git.ID{}
	for _, r := range list {
		there[git.NameHere(r.Name, y.peer.heads)] = r.ID
	}
	var not []string
	for _, h := range y.old.list() {
		if there[h.ref] != h.old {
			delete(y.old.refs, h.ref)
			continue
		}
		not = append(not, "^"+git.NameOn(h.ref, y.peer.heads))
	}
	return not, y.saveHeld(before)
}

// saveHeld writes the state where refs went from it.
func (y *syncing) saveHeld(before int) error {
	if len(y.old.refs) == before {
		return nil
	}
	return y.s.writeHeldState(y.peer, y.old)
}

// at is where a ref stands, by its name here; "" where it does not exist.
func (v *survey) at(ref string) git.ID {
	if name, ok := git.BranchName(ref); ok {
		return v.branches[name]
	}
	if name, ok := strings.CutPrefix(ref, git.TagPrefix); ok {
		return v.tags[name]
	}
	switch ref {
	case git.RoadmapRef:
		return v.roadmap
	case git.NotesRef:
		return v.notes
	}
	return ""
}

// replaceTracking puts tracking refs to what they are without what was forgotten, and
// deletes what they held: a kill in between is made up for by recall.
func (y *syncing) replaceTracking(ctx context.Context, held []heldRef, theirs *survey) error {
	for _, h := range held {
		y.old.refs[h.ref] = h
		y.old.purge = append(y.old.purge, h.old)
	}
	if err := y.s.writeHeldState(y.peer, y.old); err != nil {
		return err
	}
	ses, err := y.s.begin(ctx, y.o.Writer, "expunge: "+oneLine(y.peer.name, 100))
	if err != nil {
		return err
	}
	defer ses.close()
	mapped, err := y.mapped(ctx)
	if err != nil {
		return err
	}
	for _, r := range mapped { // the next `git fetch` makes them anew
		if slices.ContainsFunc(held, func(h heldRef) bool { return h.old == r.ID }) {
			ses.tx.Delete(r.Name, r.ID)
		}
	}
	for _, h := range held {
		if h.now == "" { // of notes nothing may be left
			ses.tx.Delete(y.peer.tracking.Of(h.ref), h.old)
		} else {
			ses.tx.Update(y.peer.tracking.Of(h.ref), h.now, h.old)
		}
		theirs.set(git.Ref{Name: h.ref, ID: h.now})
	}
	if err := ses.tx.Commit(ctx); err != nil {
		return err
	}
	fault.Point("held-replaced")
	kept, err := y.deleteOld(ctx)
	for _, k := range kept {
		y.warn(fmt.Sprintf("%s of what '%s' still holds cannot be deleted here: %s", count(len(k.Objects), "object"), y.peer.name, keptBy(k)))
	}
	return err
}

// deleteOld deletes the objects of old history that were fetched, and says what could
// not be.
func (y *syncing) deleteOld(ctx context.Context) ([]pack.Kept, error) {
	var logs []string
	for ref := range y.old.refs {
		logs = append(logs, y.peer.tracking.Of(ref))
	}
	mapped, err := y.mapped(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range mapped {
		logs = append(logs, r.Name)
	}
	if err := y.s.repo.DropReflogs(ctx, logs); err != nil {
		return nil, err
	}
	res, err := pack.Purge(ctx, y.s.repo, y.old.purge)
	if err != nil {
		return nil, err
	}
	y.old.purge = nil
	return res.Kept, y.s.writeHeldState(y.peer, y.old)
}

// mapped are the refs in which git itself keeps the memory of a peer that has it among
// its branches.
func (y *syncing) mapped(ctx context.Context) ([]git.Ref, error) {
	if !y.peer.heads || y.peer.bundle {
		return nil, nil
	}
	return y.s.repo.Refs(ctx, git.MappedTracking(y.peer.name))
}
