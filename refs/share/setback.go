package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// A ref of the other side that is refused can be set back there, by a push with a lease that this exchange prints, to a valid commit below
// the refused one. What others have pushed must not be lost by that: it may be nowhere else. So it is the newest valid commit and, where a
// refused merge joins several histories, the others are taken in here before the push is printed; the next exchange pushes them again.

// setBackHints returns the command that sets a ref of the other side back to a commit, or deletes it there if that
// is "", unless it has moved; before it a line that says so.
func (ex *exchanger) setBackHints(r git.Ref, to git.ID) []string {
	there, name := git.NameOn(r.Name, ex.peer.Heads), displayRef(r.Name)
	what := fmt.Sprintf("this sets '%s' back to %s on '%s':", name, to.Short(), ex.peer.Name)
	if to == "" {
		what = fmt.Sprintf("this deletes '%s' on '%s':", name, ex.peer.Name)
	}
	has := r.ID
	if held := ex.dirty.Refs[r.Name]; held.Now == r.ID && r.ID != "" { // rewritten when it was fetched
		has = held.Old
	}
	return []string{what, fmt.Sprintf("%s %s %s %s", ex.peer.PushCommand(), prose.ShellWord("--force-with-lease="+there+":"+string(has)),
		prose.ShellWord(ex.peer.Name), prose.ShellWord(string(to)+":"+there))}
}

// setBack returns the hints for a refused ref of the other side that is here, of which sound are the newest valid commits: the first that
// has all that both sides have in common, else that; ours if nothing is related to it. Where the ref would lose other valid commits it
// returns none, and [exchanger.join] takes these in first.
func (ex *exchanger) setBack(ctx context.Context, r git.Ref, own git.ID, sound []git.ID, why *fail.Error) ([]string, error) {
	more := len(sound) > loss.MostSound // the next exchange looks at others
	sound, err := ex.distinct(ctx, sound[:min(len(sound), loss.MostSound)])
	if err != nil {
		return nil, err
	}
	common, err := ex.s.Repo().MergeBases(ctx, own, r.ID)
	if ctx.Err() != nil {
		return nil, err
	}
	j := &joining{ref: r, why: why, tried: map[git.ID]bool{}} // an error: the ref names no commit
	var rest []git.ID
	for _, id := range sound {
		bases, err := ex.s.Repo().MergeBases(ctx, own, id)
		if err != nil {
			return nil, err
		}
		hasAll := len(bases) > 0 && !slices.ContainsFunc(common, func(base git.ID) bool { return !slices.Contains(bases, base) })
		switch {
		case j.to == "" && !more && hasAll:
			if j.to = id; !slices.Contains(bases, id) {
				j.rest = append(j.rest, id) // before the others: where they conflict, this one counts
			}
		case len(bases) > 0 && !slices.Contains(bases, id):
			rest = append(rest, id)
		}
	}
	if j.to == "" && !more {
		j.to = own
		if len(common) == 1 && len(rest) > 0 {
			j.to = common[0]
		}
	}
	if more || len(rest) > 0 {
		j.rest = append(j.rest, rest...)
		ex.joining[r.Name] = j
		return nil, nil
	}
	return ex.setBackHints(r, j.to), nil
}

// distinct returns those of some commits that no other of them leads to, each without what changes nothing on top of it.
func (ex *exchanger) distinct(ctx context.Context, ids []git.ID) (list []git.ID, err error) {
	if len(ids) < 2 {
		return ids, nil
	}
	for _, id := range ids {
		for range fewCommits {
			c, err := ex.s.Repo().Commit(ctx, id)
			if err != nil {
				return nil, err
			}
			if len(c.Parents) != 1 {
				break
			}
			p, err := ex.s.Repo().Commit(ctx, c.Parents[0])
			if errors.Is(err, git.ErrNotFound) || err == nil && p.Tree != c.Tree { // not found: the edge of a shallow clone
				break
			}
			if err != nil {
				return nil, err
			}
			id = p.ID
		}
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return ex.s.Repo().Independent(ctx, list)
}

// lacking returns those of some commits that a commit does not lead to.
func (ex *exchanger) lacking(ctx context.Context, tip git.ID, ids []git.ID) (list []git.ID, err error) {
	for _, id := range ids {
		has, err := ex.s.Repo().IsAncestor(ctx, id, tip)
		if err != nil {
			return nil, err
		}
		if !has {
			list = append(list, id)
		}
	}
	return list, nil
}

// below returns the newest commits that a ref of the other side leads to, ours does not, and that are not bad: the first on every way
// down, of more than loss.MostSound one more than that. If there are none, they are those that ours leads to.
func (ex *exchanger) below(ctx context.Context, tip, own git.ID, bad func(git.AheadCommit) (bool, error)) (sound []git.ID, err error) {
	list, err := ex.s.Repo().Ahead(ctx, tip, own)
	if err != nil {
		return nil, err
	}
	by := make(map[git.ID]git.AheadCommit, len(list))
	for _, c := range list {
		by[c.ID] = c
	}
	var both []git.ID
	seen := map[git.ID]bool{tip: true}
	for queue := []git.ID{tip}; len(queue) > 0 && len(sound) <= loss.MostSound; queue = queue[1:] {
		c, ahead := by[queue[0]]
		if !ahead {
			both = append(both, queue[0])
			continue
		}
		is, err := bad(c)
		if err != nil {
			return nil, err
		}
		if !is {
			sound = append(sound, c.ID)
			continue
		}
		for _, p := range c.Parents {
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	if len(sound) == 0 {
		return both[:min(len(both), loss.MostSound)], nil
	}
	return sound, nil
}

// joining is a refused ref that has several valid commits below it, none of which leads to all others, or too many to look at.
type joining struct {
	ref   git.Ref         // as the other side has it, by its name here
	to    git.ID          // the commit to set it back to; "" for too many
	rest  []git.ID        // that and the others, if our ref lacks them
	tried map[git.ID]bool // those of them that this exchange has tried to take in
	now   git.ID          // that this round takes in; "" for none
	why   *fail.Error     // why it is refused
}

// mostJoined is how many commits of one ref an exchange tries to take in so: the next one goes on.
const mostJoined = 16

// join makes this round take in, of each ref that is joined, one commit in place of what the other side has.
func (ex *exchanger) join(ctx context.Context, ours, theirs *remote.RefSet) error {
	for _, ref := range slices.Sorted(maps.Keys(ex.joining)) {
		j, own := ex.joining[ref], expunge.RefID(ours, ref)
		j.now = ""
		var err error
		if j.rest, err = ex.lacking(ctx, own, j.rest); err != nil {
			return err
		}
		if name, isBranch := git.BranchName(ref); !ex.merge || ex.peer.Bundle || isBranch && !ex.wants(name) || len(j.tried) >= mostJoined {
			continue
		}
		for _, id := range j.rest {
			if j.tried[id] {
				continue
			}
			j.tried[id] = true
			may, err := ex.mayJoin(ctx, git.Ref{Name: ref, ID: id}, ours)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				ex.warn(fmt.Sprintf("'%s' of '%s': %v", displayRef(ref), ex.peer.Name, err))
			}
			if may {
				j.now = id
				break
			}
		}
	}
	ex.setAside(ours, theirs)
	return nil
}

// mayJoin reports whether a commit below a refused ref asks to forget nothing, contains nothing that was expunged, and is signed as the
// remote's commits have to be: it enters memory without what filterExpunged does about that.
func (ex *exchanger) mayJoin(ctx context.Context, r git.Ref, ours *remote.RefSet) (bool, error) {
	known, err := tombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil {
		return false, err
	}
	if r.Name == git.RoadmapRef {
		e, err := tombstonesAt(ctx, ex.s, r.ID)
		if err != nil {
			return false, err
		}
		if err := addReplaced(&known, e); err != nil || !known.Contains(e) {
			return false, err
		}
	}
	if !known.Empty() {
		if clean, err := ex.isClean(ctx, known, r, ours); err != nil || !clean {
			return false, err
		}
	}
	demand, err := remote.VerifyOf(ctx, ex.s, ex.peer)
	if err != nil || demand == remote.VerifyOff {
		return err == nil, err
	}
	err = incoming.CheckSigned(ctx, ex.s, r.ID, fmt.Sprintf("'%s' of '%s'", displayRef(r.Name), ex.peer.Name), demand == remote.VerifyWarn, ex.unasked(ours))
	var unsigned *fail.Error
	if errors.As(err, &unsigned) && unsigned.Code == fail.NotVerified {
		return false, nil
	}
	return err == nil, err
}

// isClean reports whether a commit leads to nothing that was expunged.
func (ex *exchanger) isClean(ctx context.Context, known doc.Expunged, r git.Ref, ours *remote.RefSet) (bool, error) {
	w := expunge.NewRewriter(ex.s, known)
	if r.Name == git.NotesRef {
		now, err := w.CleanNotes(ctx, r.ID, ours.Notes)
		return now == r.ID, err
	}
	now, err := w.RewriteNew(ctx, []git.ID{r.ID})
	return now[r.ID] == r.ID, err
}

// joined ends the decision about a commit that is joined, with its error: it is taken here, and pushed once the ref is set back.
func (ex *exchanger) joined(ctx context.Context, st *refAction, err error) error {
	st.push = ""
	if err == nil {
		return nil
	}
	why := ex.aside[st.ref]
	if err := ex.setAsideOne(ctx, st.ref, err); err != nil {
		return err
	}
	ex.warn(ex.aside[st.ref].Error())
	ex.aside[st.ref] = why
	if err := ex.joining[st.ref].descend(ctx, ex.s.Repo()); err != nil {
		return err
	}
	*st = refAction{ref: st.ref, branch: st.branch, ours: st.ours, theirs: st.ours}
	return nil
}

// descend puts the parents of a commit that cannot be merged in its place: what others have pushed may be below it.
func (j *joining) descend(ctx context.Context, repo *git.Repo) error {
	c, err := repo.Commit(ctx, j.now)
	if err == nil && len(c.Parents) > 0 {
		j.rest = append(slices.DeleteFunc(j.rest, func(id git.ID) bool { return id == j.now }), c.Parents...)
	}
	return err
}

// keepApart keeps a commit that conflicts with what is here as a deleted branch, since the push that is printed drops it. Of the roadmap there
// is no such thing: the hint names the commit.
func (ex *exchanger) keepApart(ctx context.Context, ses *store.Transaction, branch string, j *joining) error {
	if branch == "" {
		return nil
	}
	prefix := git.DeletedRef(branch, "")
	list, err := ex.s.Repo().Refs(ctx, git.DeletedPrefix)
	if err != nil {
		return err
	}
	kept := slices.IndexFunc(list, func(r git.Ref) bool { return r.ID == j.now && strings.HasPrefix(r.Name, prefix) })
	if kept < 0 {
		id, err := ex.s.NewID("")
		if err != nil {
			return err
		}
		kept, list = len(list), append(list, git.Ref{Name: prefix + id, ID: j.now})
		ses.Refs.Update(prefix+id, j.now, "")
	}
	c, err := ex.s.Repo().Commit(ctx, j.now)
	if err != nil {
		return err
	}
	j.rest = slices.DeleteFunc(j.rest, func(id git.ID) bool { return id == j.now })
	ex.note(fmt.Sprintf("commit %s by %s of '%s' conflicts with what is here and is kept as a deleted branch; this brings back what '%s' lacks of it: git context restore %s",
		j.now.Short(), prose.OneLine(loss.Author(c), 100), ex.peer.Name, branch, list[kept].Name))
	return nil
}

// joinsMore reports whether another round has something to join, or to see what this one has joined.
func (ex *exchanger) joinsMore() bool {
	for _, j := range ex.joining {
		if j.now != "" || len(j.tried) < mostJoined && slices.ContainsFunc(j.rest, func(id git.ID) bool { return !j.tried[id] }) {
			return true
		}
	}
	return false
}

// stopJoining ends what a round tries to join, and reports whether it tried anything.
func (ex *exchanger) stopJoining() (tried bool) {
	for _, j := range ex.joining {
		tried = tried || j.now != ""
		j.now = ""
		for _, id := range j.rest {
			j.tried[id] = true
		}
	}
	return tried
}

// joinHints adds to the refusals of what was joined the commands that set the refs back or, while there is more to take in, the next sync. What
// cannot be taken in, for a conflict as a rule, they name.
func (ex *exchanger) joinHints() {
	for _, ref := range slices.Sorted(maps.Keys(ex.joining)) {
		j := ex.joining[ref]
		if j.to == "" || slices.ContainsFunc(j.rest, func(id git.ID) bool { return !j.tried[id] }) {
			j.why.Hints = append(j.why.Hints, "below it are valid commits that are not here yet; this takes them in:", SyncCommand(prose.ShellWord(ex.peer.Name)))
			continue
		}
		if len(j.rest) > 0 {
			list := fmt.Sprint(j.rest)
			j.why.Hints = append(j.why.Hints, "the next push drops these commits, which cannot be taken in here:",
				"git log "+list[1:len(list)-1]+" --not "+ref)
		}
		j.why.Hints = append(j.why.Hints, ex.setBackHints(j.ref, j.to)...)
	}
	clear(ex.joining)
}

// noCommand is the hint where no command is known that mends it.
const noCommand = "who has pushed it must replace it there"

// mostListed is how many bytes of tombstones setRoadmapBack reads.
const mostListed = 64 << 20

// setRoadmapBack adds to the refusal of the other side's roadmap for its tombstones the command that sets it back there to its newest
// commits of which the tombstones are taken over: who pushes such tombstones must not keep the roadmap from everybody.
func (ex *exchanger) setRoadmapBack(ctx context.Context, why *fail.Error, ours, theirs git.ID, accepts func(doc.Expunged) bool) error {
	if ex.peer.Bundle || ours == "" {
		why.Hints = append(why.Hints, noCommand)
		return nil
	}
	bytes, bad := 0, map[git.ID]bool{} // by the file
	sound, err := ex.below(ctx, theirs, ours, func(c git.AheadCommit) (bool, error) {
		file, has, err := ex.s.Repo().Edit(c.Tree).Entry(ctx, doc.ExpungedFile)
		if _, seen := bad[file.ID]; seen || !has || err != nil || bytes > mostListed {
			return bad[file.ID] || bytes > mostListed, err
		}
		data, err := ex.s.Repo().Blob(ctx, file.ID)
		if err != nil {
			return false, err
		}
		bytes += len(data)
		e, err := doc.ParseExpunged(data)
		bad[file.ID] = err != nil || !accepts(e) // an error is of the data
		return bad[file.ID], nil
	})
	if err != nil {
		return err
	}
	if bytes > mostListed {
		why.Hints = append(why.Hints, noCommand, "git log "+prose.ShellWord(ex.peer.Tracking.Roadmap()))
		return nil
	}
	hints, err := ex.setBack(ctx, git.Ref{Name: git.RoadmapRef, ID: theirs}, ours, sound, why)
	why.Hints = append(why.Hints, hints...)
	return err
}
