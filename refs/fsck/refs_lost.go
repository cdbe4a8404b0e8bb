package fsck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remake"
	"github.com/git-context/git-context/refs/store"
)

// lostRef is a ref that cannot be read.
type lostRef struct {
	git.Ref
	kind  string   // the type of the object that it names; "" for none
	parts []git.ID // files and trees of its commit that are not here
}

// lacks says what is not here of the commit of a ref.
func (r lostRef) lacks() string {
	return fmt.Sprintf("ref '%s' names %s, of which %s not here", r.Name, r.ID.Short(), countAre(len(r.parts), "file or tree"))
}

// lostRefs reports refs whose commits are not here, or lack files: git deletes objects that no ref
// leads to yet, where gc --prune=now or --cruft-expiration=now run beside a writer. The repair
// sets the ref back to the newest commit that is whole. Then it makes the commits of a branch
// again, and the notes that were written with them, as far as its journal tells of them.
//
// It costs one child for the files of all refs, and more only where some are missing.
func (c *checker) lostRefs(ctx context.Context, list []git.Ref) error {
	ids := make([]git.ID, len(list))
	for i, r := range list {
		ids[i] = r.ID
	}
	infos, err := c.s.Repo().Infos(ctx, ids)
	if err != nil {
		return err
	}
	if split, err := c.splitTips(ctx, infos); err != nil {
		return err
	} else if split || c.blocked {
		return c.unlessBlocked(ctx, list)
	}
	var lost []lostRef
	var own, theirs []git.Ref
	for i, r := range list {
		switch {
		case infos[i].Type != "commit":
			if _, err := c.s.Repo().Commit(ctx, r.ID); err != nil {
				c.dropDamaged(ctx, err)
			}
			lost = append(lost, lostRef{Ref: r, kind: infos[i].Type})
		case tracking(r.Name):
			theirs = append(theirs, r)
		case !isWork(r.Name): // whose files are code
			own = append(own, r)
		}
	}
	hollow, err := c.hollow(ctx, own, theirs)
	if errors.Is(err, errSplit) {
		return c.unlessBlocked(ctx, list)
	}
	if err != nil {
		return err
	}
	lost = append(lost, hollow...)
	mistyped := func(r lostRef) bool { return r.kind != "" && r.kind != "commit" } // of which no history can be read
	if len(lost) > 0 && !slices.ContainsFunc(lost, mistyped) {
		if back, err := c.rebuild(ctx); err != nil {
			return err
		} else if len(back) > 0 {
			return errors.Join(c.rebuiltRefs(ctx, lost, back), c.lostRefs(ctx, list))
		}
	}
	if err := c.reportLost(ctx, c.withoutFetched(lost)); err != nil {
		return err
	}
	return c.notesAgain(ctx)
}

// reportLost reports refs that cannot be read, or not in whole.
func (c *checker) reportLost(ctx context.Context, lost []lostRef) error {
	// A branch needs the roadmap, and notes are added to what is left of them.
	slices.SortStableFunc(lost, func(a, b lostRef) int { return rank(a.Name) - rank(b.Name) })
	for _, r := range lost {
		now, err := c.s.Repo().Ref(ctx, r.Name)
		mended := r.kind == "commit" && c.whole(ctx, r.ID) // with another one
		if err == nil && now == r.ID && !mended {          // else it has moved, and gc has removed the old commit
			if waits, failed := c.waitsForRoadmap(ctx, r); waits || failed != nil {
				c.deferred = c.deferred || waits
				err = failed
			} else {
				err = c.lostRef(ctx, r)
			}
		}
		if err != nil && !errors.Is(err, git.ErrNotFound) {
			return err
		}
	}
	return nil
}

// errSplit ends a check because packs were damaged.
var errSplit = errors.New("a pack is damaged")

// unlessBlocked looks for lost refs again after packs were damaged: what seemed to be here may be lost now.
func (c *checker) unlessBlocked(ctx context.Context, list []git.Ref) error {
	if c.blocked {
		return nil
	}
	return c.lostRefs(ctx, list)
}

// waitsForRoadmap reports whether a lost branch can only be mended after the roadmap, of which something is lost: what is to be forgotten is not
// known. Then checkHoles goes first.
func (c *checker) waitsForRoadmap(ctx context.Context, r lostRef) (bool, error) {
	if _, ok := git.BranchName(r.Name); !c.fix || !ok {
		return false, nil
	}
	_, err := expunge.Tombstones(ctx, c.s)
	if errors.Is(err, git.ErrNotFound) {
		return true, nil
	}
	return false, err
}

// rank orders lost refs for their repair.
func rank(name string) int {
	switch name {
	case git.RoadmapRef:
		return 0
	case git.NotesRef:
		return 1
	}
	return 2
}

// hollow returns the refs whose commits are here and lack files, but not those that a remote has:
// checkDocuments says how its files come back, and then nothing is lost.
func (c *checker) hollow(ctx context.Context, refs, theirs []git.Ref) ([]lostRef, error) {
	ids := make([]git.ID, len(refs))
	for i, r := range refs {
		ids[i] = r.ID
	}
	missing, err := c.s.Repo().Hollow(ctx, ids)
	if len(missing) > 0 || git.ExitCode(err) > 0 {
		if split, failed := c.splitPacksOf(ctx, missing, err); failed != nil {
			return nil, failed
		} else if split || c.blocked {
			return nil, errSplit
		}
	}
	if git.ExitCode(err) > 0 {
		return nil, nil // something is damaged: checkDocuments says what
	}
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	var lost []lostRef
	for _, r := range refs {
		parts, err := c.s.Repo().Hollow(ctx, []git.ID{r.ID})
		if err != nil {
			return nil, err
		}
		if len(parts) == 0 {
			continue
		}
		commit, err := c.s.Repo().Commit(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		left, err := remake.Left(ctx, c.s.Repo(), commit.Tree)
		if err != nil {
			return nil, err
		}
		if !left.Needed() { // checkHoles makes the tip again without them
			continue
		}
		if stays, err := c.stays(ctx, r, parts, refs); err != nil {
			return nil, err
		} else if stays { // as above
			continue
		}
		shared, err := c.shared(ctx, r.ID, theirs)
		if err != nil {
			return nil, err
		}
		if !shared {
			lost = append(lost, lostRef{Ref: r, kind: "commit", parts: slices.Sorted(maps.Keys(parts))})
		}
	}
	return c.notElsewhere(ctx, lost, theirs)
}

// stays reports whether a ref goes on with its commit though some documents of that are lost: the commits of others come from it, or there is
// nothing to set it back to.
func (c *checker) stays(ctx context.Context, r git.Ref, parts map[git.ID]bool, own []git.Ref) (bool, error) {
	branch, ok := git.BranchName(r.Name)
	switch {
	case r.Name == git.RoadmapRef || r.Name == git.NotesRef:
		return false, nil
	case !ok:
		return true, nil
	case len(parts) == 1 && parts[c.s.Repo().BlobID(doc.EmptyLog(branch))]: // see emptyLog
		return false, nil
	}
	for _, o := range own {
		if o.ID == r.ID {
			continue
		}
		has, err := c.s.Repo().IsAncestor(ctx, r.ID, o.ID)
		if git.ExitCode(err) > 0 { // the other history has a hole
			continue
		}
		if has || err != nil {
			return has, err
		}
	}
	f, err := c.formerly(ctx, r.Name)
	return f.id == "", err
}

// notElsewhere leaves out the refs of whose lost files and trees a remote has some: checkDocuments says how these come
// back.
func (c *checker) notElsewhere(ctx context.Context, lost []lostRef, theirs []git.Ref) ([]lostRef, error) {
	if len(lost) == 0 || len(theirs) == 0 {
		return lost, nil
	}
	var tips []git.ID
	for _, r := range theirs {
		tips = append(tips, r.ID)
	}
	there, err := c.s.Repo().Lost(ctx, tips)
	if git.ExitCode(err) > 0 { // they have holes of their own, which come first
		return nil, nil
	}
	return slices.DeleteFunc(lost, func(r lostRef) bool {
		return slices.ContainsFunc(r.parts, func(id git.ID) bool { return there[id] })
	}), err
}

// shared reports whether a ref of a remote leads to a commit.
func (c *checker) shared(ctx context.Context, id git.ID, theirs []git.Ref) (bool, error) {
	for _, r := range theirs {
		has, err := c.s.Repo().IsAncestor(ctx, id, r.ID)
		if git.ExitCode(err) > 0 { // their history has a hole
			continue
		}
		if err != nil || has {
			return has, err
		}
	}
	return false, nil
}

// lostRef reports one ref.
func (c *checker) lostRef(ctx context.Context, r lostRef) error {
	p := Problem{Kind: "ref-lost", Object: r.Name, Repair: FixCommand}
	switch r.kind {
	case "":
		p.Message = fmt.Sprintf("ref '%s' names %s, which is not here", r.Name, r.ID.Short())
	case "commit":
		p.Message = r.lacks()
	default:
		p.Message = fmt.Sprintf("ref '%s' names a %s, %s, and must name a commit", r.Name, r.kind, r.ID.Short())
		if there, err := c.mistypedThere(ctx, r, p); there || err != nil {
			return err
		}
	}
	if r.kind == "" {
		if there, err := c.toldTip(ctx, &r, p); there || err != nil {
			return err
		}
		if there, err := c.fetchTip(ctx, r, p); there || err != nil {
			return err
		}
	}
	if c.emptyLog(ctx, r, p) {
		return nil
	}
	f, err := c.formerly(ctx, r.Name)
	if err != nil {
		return err
	}
	f.hollow = append(f.hollow, r.ID)
	if r.kind == "" && r.Name == git.RoadmapRef {
		if there, err := c.roadmapTip(ctx, r, f, p); there || err != nil {
			return err
		}
	}
	switch {
	case f.id != "":
		p.Message += fmt.Sprintf("; the newest of its commits that is here is %s", f.id.Short())
		since, err := c.lostSince(ctx, r, f)
		if err != nil {
			return err
		}
		p.Message += since
	case isWork(r.Name):
	case tracking(r.Name):
		p.Message += "; the next fetch creates it again"
	case r.Name == git.NotesRef && r.kind == "":
		p.Message += "; what commits and journals say is noted again"
	case r.kind == "commit":
		return nil // checkDocuments reports what is missing, and where it may be found
	default:
		if p.Repair, err = c.bringBackTip(ctx, r.Ref); err == nil {
			c.report(ctx, nil, p)
		}
		return err
	}
	c.report(ctx, func(ctx context.Context) error { return c.setBack(ctx, r, f) }, p)
	return nil
}

// emptyLog reports a branch of which only the log.md is lost, if that has no steps: then it has no other text. All commits of such
// a branch have that file, so that none of them is whole.
func (c *checker) emptyLog(ctx context.Context, r lostRef, p Problem) bool {
	branch, ok := git.BranchName(r.Name)
	text := doc.EmptyLog(branch)
	if !ok || len(r.parts) != 1 || r.parts[0] != c.s.Repo().BlobID(text) {
		return false
	}
	p.Message += "; it is the log.md of a branch without steps, and the repair writes it again"
	c.report(ctx, func(ctx context.Context) error {
		_, err := c.s.Repo().WriteBlob(ctx, text)
		return err
	}, p)
	return true
}

// toldTip reports the lost tip of a branch whose journal has that commit, with its trees and files. If these are lost, too,
// the repair goes on with the commit, so that what is here of them is known.
func (c *checker) toldTip(ctx context.Context, r *lostRef, p Problem) (bool, error) {
	branch, ok := git.BranchName(r.Name)
	if !ok {
		return false, nil
	}
	content, err := c.readContent(branch)
	if content == nil || err != nil {
		return false, err
	}
	tip := store.ToldCommits(content)[r.ID]
	if tip == nil {
		return false, nil
	}
	left, err := remake.Left(ctx, c.s.Repo(), tip.Tree)
	if err != nil {
		return false, err
	}
	write := func(ctx context.Context) error {
		id, err := c.s.Repo().WriteCommit(ctx, tip)
		if err == nil && id != r.ID {
			err = fmt.Errorf("the journal has another commit, %s", id.Short())
		}
		if err != nil {
			return err
		}
		return c.dropLostMoves(ctx, r.Name)
	}
	if len(left.Lost) > 0 && left.Needed() {
		if !c.fix || len(left.Files) == 0 {
			return false, nil
		}
		r.kind = "commit"
		return false, write(ctx)
	}
	p.Message += "; its journal has that commit, and the repair writes it again"
	c.report(ctx, write, p)
	return true, nil
}

// lostSince says what becomes of the changes since the commit that a ref is set back to.
func (c *checker) lostSince(ctx context.Context, r lostRef, f former) (string, error) {
	branch, ok := git.BranchName(r.Name)
	if !ok {
		if f.newer > 0 {
			return fmt.Sprintf("; what %s since said may be missing", prose.Count(f.newer, "change")), nil
		}
		return "", nil
	}
	t, err := c.toldSince(ctx, branch, f.id, r.ID)
	if err != nil {
		return "", err
	}
	t.hollow = r.kind == "commit"
	return t.String(), nil
}

// setBack moves a ref to what it was, or deletes it where that is of no use.
func (c *checker) setBack(ctx context.Context, r lostRef, f former) error {
	if r.Name == git.NotesRef {
		c.notesWere = r.ID
	}
	branch, ok := git.BranchName(r.Name)
	var failed error
	if ok && f.id != "" {
		if failed = c.commitAgain(ctx, branch, r.ID, f.id); failed == nil {
			return c.dropLostMoves(ctx, r.Name, c.stillHollow(ctx, f.hollow)...)
		}
		failed = fmt.Errorf("the commits since cannot be made again: %w", failed)
	}
	err := c.moveRefs(ctx, "restore what is here", func(tx *git.Tx) {
		if f.id == "" {
			tx.Delete(r.Name, r.ID)
		} else {
			tx.Update(r.Name, f.id, r.ID)
		}
	})
	if err == nil {
		err = c.dropLostMoves(ctx, r.Name, f.hollow...)
	}
	return errors.Join(failed, err)
}

// stillHollow leaves out the commits that are whole by now.
func (c *checker) stillHollow(ctx context.Context, ids []git.ID) []git.ID {
	return slices.DeleteFunc(ids, func(id git.ID) bool { return c.whole(ctx, id) })
}

// dropLostMoves cleans a ref's reflog while its branch is locked: git deletes the lines by
// their number.
func (c *checker) dropLostMoves(ctx context.Context, name string, hollow ...git.ID) error {
	var held []string
	if branch, ok := git.BranchName(name); ok && git.CheckBranchName(branch) == nil {
		held = append(held, branch)
	}
	return c.s.WhileLocked(ctx, func() error { return c.s.Repo().DropLostMoves(ctx, name, hollow...) }, held...)
}

// whole reports whether a commit, its trees and its files are here.
func (c *checker) whole(ctx context.Context, id git.ID) bool {
	commit, err := c.s.Repo().Commit(ctx, id)
	if err != nil {
		return false
	}
	if _, err = c.s.Repo().Tree(ctx, commit.Tree); err != nil && !errors.Is(err, git.ErrNotFetched) {
		return false
	}
	missing, err := c.s.Repo().Hollow(ctx, []git.ID{id})
	return err == nil && len(missing) == 0
}

// usable reports whether a commit is whole, or lacks only what history goes on without.
func (c *checker) usable(ctx context.Context, id git.ID) bool {
	commit, err := c.s.Repo().Commit(ctx, id)
	if err != nil {
		return false
	}
	left, err := remake.Left(ctx, c.s.Repo(), commit.Tree)
	return err == nil && !left.Needed() && !slices.Contains(left.Lost, doc.MetadataFile)
}
