package incoming

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// mostLooks and mostLooksEach bound how many commits leftOut looks at in one inspection, and for one commit, which
// hostile commits may ask for again and again.
const mostLooks, mostLooksEach = 5_000, 256

// leftOut reports whether a commit lacks the entry that its Context-Id names because it left out entries of its
// history: that has a commit.md whose last entry is newer than last, which is the commit's own last one, "" for none.
// That is a loss, which package loss restores on top of the commit. Refused, the commit would keep everybody from the
// branch: git's own commands make it of an empty tree and the message of a tip, and for git it is a fast-forward.
// The id is valid, and none that the commit has elsewhere in its commit.md.
func (c *Inspection) leftOut(ctx context.Context, n *Commit, last string) (bool, error) {
	if n.EntryID <= last || c.idFault(n.EntryID) != "" {
		return false, nil
	}
	seen := map[git.ID]bool{}
	for queue := []*Commit{n}; len(queue) > 0 && len(seen) < mostLooksEach && c.looked < mostLooks; queue = queue[1:] {
		for _, id := range queue[0].Parents {
			if seen[id] {
				continue
			}
			seen[id] = true
			c.looked++
			parent, newest, err := c.lastOf(ctx, id, n.Ref)
			if err != nil {
				return false, err
			}
			if newest > last {
				c.newer[n.ID] = newest
				return true, nil
			}
			queue = append(queue, parent)
		}
	}
	return false, nil
}

// reach sets the largest id that commits and their history have in a commit.md. Of history that is here that is the last one
// of the commit at its edge.
func (c *Inspection) reach(ctx context.Context, commits []*Commit) error {
	for _, n := range commits {
		if n.Roles&RoleBranch == 0 {
			continue
		}
		newest := c.Files[FileKey{KindCommits, c.Roots[n.Tree].Commits}].Last
		for _, id := range n.Parents {
			if _, known := c.reached[id]; !known {
				_, last, err := c.ownLast(ctx, id, n.Ref)
				if err != nil {
					return err
				}
				c.reached[id] = last
			}
			newest = max(newest, c.reached[id])
		}
		c.reached[n.ID] = newest
	}
	return nil
}

// notRepeated reports a commit whose entry is not new, because views would take it for the commit of that entry, with its message
// and without its score. None of our commands makes one where
//
//  1. a parent has the entry as its last one, too, and the commit that names it has another message: with the same one it is what git's own
//     commands make of a tip, as for leftOut. An older entry is the last one once those between were expunged, and is as valid as before; or
//  2. it is the newest entry of a parent's history, and the parent has left it out.
func (c *Inspection) notRepeated(ctx context.Context, f File) error {
	for _, id := range f.at.Parents {
		if c.reached[id] != f.at.EntryID {
			continue
		}
		_, last, err := c.ownLast(ctx, id, f.at.Ref)
		who, same := "an older commit", false
		if last == f.at.EntryID && err == nil {
			who = "a parent"
			var by naming
			if by, err = c.namedBy(ctx, id); err == nil && by.id != "" && !by.expunged {
				same, err = c.saysTheSame(ctx, f.at.ID, by.id)
			}
			same = same || by.expunged
		}
		if err == nil && !same {
			err = c.wrong(FlawUnlisted, f, who+" has the entry '"+git.Shown(f.at.EntryID)+"' that the commit's "+store.TrailerID+" names", nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// naming is the nearest commit by first parents that names an entry.
type naming struct {
	id       git.ID // "" for none
	expunged bool   // one that lost its entry is between
}

// namedBy returns the naming commit of a commit. It looks at each once, however many ask, and has no other limit: what is valid must not depend on what
// else is checked.
func (c *Inspection) namedBy(ctx context.Context, id git.ID) (by naming, err error) {
	type step struct {
		id       git.ID
		expunged bool
	}
	var path []step
	for {
		known := false
		if by, known = c.naming[id]; known {
			break
		}
		commit, err := c.repo.Commit(ctx, id)
		if errors.Is(err, git.ErrNotFound) { // the edge of a shallow clone
			break
		}
		if err != nil {
			return by, err
		}
		if commit.Trailer(store.TrailerID) != "" {
			by = naming{id: id}
			c.naming[id] = by
			break
		}
		path = append(path, step{id, commit.Subject() == store.SubjectExpunged})
		if len(commit.Parents) == 0 {
			break
		}
		id = commit.Parents[0]
	}
	for _, s := range slices.Backward(path) {
		by.expunged = by.expunged || s.expunged
		c.naming[s.id] = by
	}
	return by, nil
}

// saysTheSame reports whether two commits have the same message, but for what an expunge makes of each one's documents anew.
func (c *Inspection) saysTheSame(ctx context.Context, a, b git.ID) (bool, error) {
	var messages [2]string
	for i, id := range []git.ID{a, b} {
		commit, err := c.repo.Commit(ctx, id)
		if err != nil {
			return false, err
		}
		for line := range strings.Lines(strings.TrimSpace(commit.Message) + "\n") {
			if key, _, _ := strings.Cut(line, ": "); key != store.TrailerCommits && key != store.TrailerLast {
				messages[i] += line
			}
		}
	}
	return messages[0] == messages[1], nil
}

// unknownLast is larger than every id: a partial clone lacks the commit.md.
const unknownLast = "~"

// lastOf is ownLast, or an id that the commit left out itself.
func (c *Inspection) lastOf(ctx context.Context, id git.ID, ref string) (*Commit, string, error) {
	n, last, err := c.ownLast(ctx, id, ref)
	return n, cmp.Or(c.newer[id], last), err
}

// ownLast returns a commit and the last id in its commit.md. A commit behind the edge
// of a shallow clone has neither parents nor entries. ref brought the commit that is compared with it.
func (c *Inspection) ownLast(ctx context.Context, id git.ID, ref string) (*Commit, string, error) {
	n, file, err := c.commitFile(ctx, id, ref)
	switch {
	case err != nil:
		return nil, "", err
	case file == "":
		return n, "", nil
	case c.Absent[file]:
		return n, unknownLast, nil
	}
	f := File{at: n, path: doc.CommitFile, ID: file, kind: KindCommits}
	err = c.checkFiles(ctx, []File{f})
	return n, c.Files[FileKey{f.kind, f.ID}].Last, err
}

// commitFile returns a commit and its commit.md; "" for none.
func (c *Inspection) commitFile(ctx context.Context, id git.ID, ref string) (*Commit, git.ID, error) {
	if n := c.ByID[id]; n != nil {
		return n, c.Roots[n.Tree].Commits, nil
	}
	n := &Commit{ID: id, Ref: ref}
	commit, err := c.repo.Commit(ctx, id)
	if errors.Is(err, git.ErrNotFound) {
		return n, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	n.Parents, n.Tree = commit.Parents, commit.Tree
	e, _, err := c.repo.Edit(commit.Tree).Entry(ctx, doc.CommitFile)
	if err != nil || e.IsTree() {
		return n, "", err
	}
	return n, e.ID, nil
}
