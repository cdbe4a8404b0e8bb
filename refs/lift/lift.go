// Package lift brings back what requests to forget have hidden here, once the request is refused or withdrawn.
//
// It moves branches, the roadmap, tags, notes and tracking refs in one transaction, makes branches again that only a remote had, and
// marks journals. What was changed while it was hidden stays as it is, with a warning.
//
// Errors are those of packages store, expunge and replica.
package lift

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/replica"
	"github.com/git-context/git-context/refs/store"
)

// Refuse brings back what a remote asked to forget: here at once, in other clones once they sync.
// Of the requests it refuses the tombstones in what; the rest of what they ask stays hidden. Warnings name documents that
// were changed while they were hidden, and that stay as they are. All refs move in one transaction.
func Refuse(ctx context.Context, s *store.Store, w store.Writer, list []expunge.Request,
	what doc.Expunged) (warnings []string, err error) {
	known, err := expunge.Tombstones(ctx, s)
	if err != nil {
		return nil, err
	}
	warnings, err = Run(ctx, s, w, list, known.Refuse(what), "Refuse to forget "+expunge.AskedText(what))
	return warnings, errors.Join(err, expunge.RefreshHere(ctx, s))
}

// lifter brings hidden history back.
type lifter struct {
	s        *store.Store
	ses      *store.Transaction
	list     []expunge.Request
	after    doc.Expunged // the tombstones from now on
	reason   string
	warnings []string

	shown, hidden *expunge.Rewriter // by after, and by the tombstones until now
	now           map[string]git.ID // refs
	had           map[string]git.ID // their commits before
	made          []string          // branches
	pending       map[string]store.Pending
	came          map[string][]git.ID           // what requests kept, by the branch that gets it
	dirty         map[string]expunge.DirtyState // by remote, as it was first read; nil: it is not kept
}

// Run brings back what requests hide, as far as tombstones allow, and makes them the tombstones of
// this repository. A request of which nothing is in force any more ends.
func Run(ctx context.Context, s *store.Store, w store.Writer, list []expunge.Request, after doc.Expunged, reason string) (warnings []string, err error) {
	known, err := expunge.Tombstones(ctx, s)
	if err != nil {
		return nil, err
	}
	l := &lifter{s: s, list: list, after: after, reason: reason, dirty: map[string]expunge.DirtyState{},
		shown: expunge.NewRewriter(s, after), hidden: expunge.NewRewriter(s, known)}
	names, err := l.branchNames(ctx)
	if err != nil {
		return nil, err
	}
	if l.ses, err = s.Begin(ctx, w, "expunge: refuse", names...); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.ses.Close()) }()
	if err := l.notes(ctx); err != nil {
		return nil, err
	}
	err = l.ses.Swap(ctx, func(ctx context.Context) error {
		if err := l.build(ctx); err != nil {
			return err
		}
		return expunge.ForgetHeld(l.s) // first: once the requests are gone, nothing finishes it
	})
	if err != nil {
		return nil, err
	}
	if err := l.mark(ctx); err != nil {
		l.warnings = append(l.warnings, l.ses.LateWarnings(err, nil)...)
	}
	return l.warnings, expunge.DoneWaiting(ctx, s)
}

// notes adds the lines of kept notes, and what was noted of commits while they were hidden. Lines too many do no harm, should the
// rest fail. A note moves with its commit, where something else is still expunged from that: so the commits are rewritten first.
func (l *lifter) notes(ctx context.Context) error {
	for _, r := range l.list {
		var tips, kept []git.ID
		for _, ref := range r.Refs {
			if ref.Name == git.NotesRef {
				kept = append(kept, ref.ID)
			} else if _, work := git.WorkBranch(ref.Name); !work {
				tips = append(tips, ref.ID)
			}
		}
		for _, w := range []*expunge.Rewriter{l.shown, l.hidden} {
			if _, err := w.Rewrite(ctx, tips); err != nil {
				return err
			}
		}
		for i, id := range kept {
			var err error
			if kept[i], err = l.shown.CleanNotes(ctx, id, ""); err != nil {
				return err
			}
		}
		since, err := l.shown.NotedSince(ctx, l.hidden)
		if err != nil {
			return err
		}
		for _, id := range append(kept, since) {
			if id == "" { // nothing of this one comes back, but of a later one
				continue
			}
			if _, err := l.ses.FoldAll(ctx, nil, id, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// build makes one try to move all refs.
func (l *lifter) build(ctx context.Context) error {
	l.now, l.had, l.pending, l.made, l.warnings = map[string]git.ID{}, map[string]git.ID{}, map[string]store.Pending{}, nil, nil
	l.came = map[string][]git.ID{}
	for _, r := range l.list { // oldest first: a later one was hidden on top of it
		for _, ref := range r.Refs {
			if err := l.ref(ctx, r, ref); err != nil {
				return fmt.Errorf("bring back '%s': %w", git.DisplayName(ref.Name), err)
			}
		}
		if err := r.Rest(ctx, l.ses, r.Asked.Without(r.Asked.Without(l.after))); err != nil {
			return err
		}
	}
	if err := errors.Join(l.warnCopies(ctx), l.roadmap(ctx), l.tracking(ctx), l.shown.Adopt(ctx, l.ses)); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(l.now)) {
		if l.now[name] == l.had[name] {
			continue
		}
		l.ses.Refs.Update(name, l.now[name], l.had[name])
		branch, ok := git.BranchName(name)
		if !ok {
			continue
		}
		if l.had[name] == "" {
			if err := l.s.DropLeftovers(ctx, branch); err != nil {
				return err
			}
			l.made = append(l.made, branch)
			continue
		}
		tip, err := l.s.TipAt(ctx, branch, l.had[name])
		if err != nil {
			return err
		}
		if l.pending[branch], err = l.s.Pending(ctx, tip); err != nil {
			return err
		}
	}
	return nil
}

// at returns where a ref is, or will be; "" if it does not exist.
func (l *lifter) at(ctx context.Context, name string) (git.ID, error) {
	if id, ok := l.now[name]; ok {
		return id, nil
	}
	id, err := l.s.Repo().Ref(ctx, name)
	if errors.Is(err, git.ErrNotFound) {
		id, err = "", nil
	}
	if err == nil {
		l.now[name], l.had[name] = id, id
	}
	return id, err
}

// ref brings one ref back: to its kept commit if nobody has built on what replaced it, else by a merge.
func (l *lifter) ref(ctx context.Context, r expunge.Request, ref git.Ref) error {
	if ref.Name == git.NotesRef {
		return nil
	}
	have, err := l.at(ctx, ref.Name)
	if err != nil {
		return err
	}
	if _, work := git.WorkBranch(ref.Name); work {
		if have == "" {
			l.now[ref.Name] = ref.ID
		}
		return nil
	}
	to, base, err := l.forms(ctx, ref.ID)
	if err != nil {
		return err
	}
	if ref.Name, have, err = l.renamed(ctx, ref.Name, have, base); err != nil {
		return err
	}
	tracking := ref.Name
	_, branch, tracked := git.TrackedBranch(tracking)
	if tracked {
		had := git.Ref{Name: ref.Name, ID: have}
		if have == base {
			l.now[ref.Name] = to
		}
		if have, err = l.at(ctx, git.BranchRef(branch)); err != nil {
			return err
		}
		if have == "" {
			return l.make(ctx, r, had, branch, to, base)
		}
		ref.Name = git.BranchRef(branch)
		if may, err := l.mayMerge(ctx, r, tracking, branch, have, to); !may || err != nil {
			return err
		}
	}
	branch, isBranch := git.BranchName(ref.Name)
	if isBranch {
		l.came[branch] = append(l.came[branch], ref.ID)
	}
	shared, err := l.shared(ctx, ref.Name, base, to)
	if err != nil {
		return err
	}
	switch {
	case have == base && (!shared || strings.HasPrefix(ref.Name, git.TagPrefix)): // a tag may be replaced there, see tagsToBringBack
		l.now[ref.Name] = to
	case isBranch && have == "": // deleted meanwhile
		l.warnings = append(l.warnings, fmt.Sprintf("branch '%s' was deleted while it was hidden; all of it is back with: git context branch --restore %s",
			branch, prose.ShellWord(branch)))
		return l.deleted(ctx, branch, to)
	case have == "":
		l.now[ref.Name] = to
	case isBranch, ref.Name == git.RoadmapRef:
		return l.merge(ctx, r, ref.Name, have, to, base, tracked)
	}
	return nil // a tag or a deleted branch that is another one now
}

// forms returns what a kept commit is from now on, and its hidden form.
func (l *lifter) forms(ctx context.Context, id git.ID) (to, base git.ID, err error) {
	kept, err := l.shown.Rewrite(ctx, []git.ID{id})
	if err != nil {
		return "", "", err
	}
	gone, err := l.hidden.Rewrite(ctx, []git.ID{id})
	return kept[id], gone[id], err
}

// mayMerge reports whether what a remote had may be merged into a branch here without the checks of an exchange, and warns if it may not: it has to be
// signed where that is asked for, and must not have entries of ours with other words.
func (l *lifter) mayMerge(ctx context.Context, r expunge.Request, tracking, branch string, have, kept git.ID) (bool, error) {
	why, err := l.unsigned(ctx, r, tracking, kept)
	if err != nil {
		return false, err
	}
	if why != "" {
		l.warnings = append(l.warnings, fmt.Sprintf("what '%s' had of branch '%s' does not come back: %s; look at %s", r.Remote, branch, why, kept.Short()))
		return false, nil
	}
	forged, err := expunge.Forges(ctx, l.s, l.after, have, kept)
	if forged {
		l.warnings = append(l.warnings, fmt.Sprintf("'%s' had entries of branch '%s' with other words, which do not come back; look at %s",
			r.Remote, branch, kept.Short()))
	}
	return !forged, err
}

// shared reports whether a remote has commits that replaced hidden ones, so that it takes only what
// descends from them.
func (l *lifter) shared(ctx context.Context, ref string, base, to git.ID) (found bool, err error) {
	err = l.eachRemote(ctx, func(p remote.Remote, dirty expunge.DirtyState) error {
		theirs, err := l.s.Repo().Ref(ctx, p.Tracking.Of(ref))
		if _, old := dirty.Refs[ref]; old || found || errors.Is(err, git.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		bases, err := l.s.Repo().MergeBases(ctx, base, theirs)
		for _, b := range bases {
			if err != nil || found {
				break
			}
			var before bool
			before, err = l.s.Repo().IsAncestor(ctx, b, to)
			found = err == nil && !before
		}
		return err
	})
	return found, err
}

// merge merges kept history into what was made since it was hidden. tracked: it is a remote's.
func (l *lifter) merge(ctx context.Context, r expunge.Request, ref string, have, kept, base git.ID, tracked bool) error {
	if is, err := l.s.Repo().IsAncestor(ctx, kept, have); is || err != nil {
		return err
	}
	var c *git.Commit
	var conflicts []store.Conflict
	settle := merge.Preferring(l.ses, "ours")
	if branch, ok := git.BranchName(ref); !ok {
		var err error
		if c, conflicts, err = replica.MergeRoadmaps(ctx, l.ses, have, kept, []git.ID{base}, r.Remote, settle, true); err != nil {
			return err
		}
	} else {
		ours, err := l.s.TipAt(ctx, branch, have)
		if err != nil {
			return err
		}
		theirs, err := l.s.TipAt(ctx, branch, kept)
		if err != nil {
			return err
		}
		m, u, err := replica.Merge(ctx, l.ses, replica.Branch{Ours: ours, Theirs: theirs, Bases: []git.ID{base}, From: r.Remote,
			Settle: settle, Show: true})
		if err != nil {
			return err
		}
		c, conflicts = m, u.Conflicts
	}
	if tracked && len(conflicts) > 0 { // the next exchange asks for answers
		return nil
	}
	for _, conflict := range conflicts {
		l.warnings = append(l.warnings, fmt.Sprintf("'%s' of '%s' was changed while it was hidden, and stays so; git show %s:%s", conflict.Path,
			git.DisplayName(ref), kept.Short(), prose.ShellWord(conflict.Path)))
	}
	l.now[ref] = c.ID
	return nil
}

// roadmap puts a commit with the tombstones on top of the roadmap.
func (l *lifter) roadmap(ctx context.Context) error {
	have, err := l.at(ctx, git.RoadmapRef)
	if err != nil {
		return err
	}
	if have == "" {
		return nil // nothing was expunged then
	}
	c, err := l.s.Repo().Commit(ctx, have)
	if err != nil {
		return err
	}
	tree := l.s.Repo().Edit(c.Tree)
	known, err := expunge.TombstonesIn(ctx, l.s, tree)
	if err != nil || known.Contains(l.after) {
		return err
	}
	if err := expunge.PutTombstones(ctx, l.ses, tree, known.Union(l.after)); err != nil {
		return err
	}
	c, err = l.ses.RoadmapCommit(ctx, tree, []git.ID{have}, store.RoadmapRecord{Reason: l.reason})
	if err == nil {
		l.now[git.RoadmapRef] = c.ID
	}
	return err
}

// tracking sets tracking refs to what the remotes really have, as far as it is here.
func (l *lifter) tracking(ctx context.Context) error {
	return l.eachRemote(ctx, func(p remote.Remote, dirty expunge.DirtyState) error {
		for _, h := range dirty.List() {
			infos, err := l.s.Repo().Infos(ctx, []git.ID{h.Old})
			if err != nil {
				return err
			}
			name := p.Tracking.Of(h.Ref)
			if have, err := l.at(ctx, name); err != nil {
				return err
			} else if have == h.Now && infos[0].Type == "commit" {
				l.now[name] = h.Old
			}
		}
		return nil
	})
}

func (l *lifter) eachRemote(ctx context.Context, visit func(remote.Remote, expunge.DirtyState) error) error {
	names, err := l.s.Repo().Remotes(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		p, err := remote.Find(ctx, l.s, name)
		if err != nil {
			return err
		}
		dirty, known := l.dirty[name]
		if !known {
			if dirty, err = expunge.ReadDirtyState(l.s, p); err != nil {
				return err
			}
			if l.dirty != nil {
				l.dirty[name] = dirty
			}
		}
		if err := visit(p, dirty); err != nil {
			return err
		}
	}
	return nil
}

// mark notes in the journals of the branches where they are.
func (l *lifter) mark(ctx context.Context) error {
	var errs []error
	for _, branch := range l.made {
		errs = append(errs, l.s.MakeJournal(ctx, branch))
	}
	for branch, pending := range l.pending {
		tip, err := l.s.TipAt(ctx, branch, l.now[git.BranchRef(branch)])
		if err != nil {
			return err
		}
		newest, err := tip.NewestEntry(ctx)
		if err != nil {
			return err
		}
		errs = append(errs, l.ses.Mark(ctx, branch, pending.Untouched(), tip.Commit().ID, 0, newest))
	}
	return errors.Join(errs...)
}
