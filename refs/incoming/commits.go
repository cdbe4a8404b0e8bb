package incoming

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// trailers checks the trailers of a commit on a branch, because views and pasted commands use
// them.
func (c *Inspection) trailers(n *Commit, parsed *git.Commit) error {
	if id := parsed.Trailer(store.TrailerNewest); id != "" {
		if fault := c.idFault(id); fault != "" {
			kind := FlawAhead
			if !doc.ValidID(id) {
				kind = FlawTrailer
			}
			return c.wrong(kind, n, store.TrailerNewest+": "+fault, nil)
		}
	}
	for _, name := range parsed.Trailers(store.TrailerBranch) {
		if err := git.CheckBranchName(name); err != nil {
			return c.wrong(FlawTrailer, n, store.TrailerBranch+": "+err.Error(), nil)
		}
	}
	if code := parsed.Trailer(store.TrailerCode); code != "" && !git.IsID(code) {
		return c.wrong(FlawTrailer, n, store.TrailerCode+": '"+git.Shown(code)+"' is not a full hash", nil)
	}
	if work := parsed.Trailer(store.TrailerWork); work != "" && !git.IsID(work) && work != doc.Redaction {
		return c.wrong(FlawTrailer, n, store.TrailerWork+": '"+git.Shown(work)+"' is not a full hash", nil)
	}
	n.EntryID = strings.Clone(parsed.Trailer(store.TrailerID)) // the message itself need not stay
	return nil
}

// commitEntries checks that the commit.md of every commit ends with the commit's own entry,
// which had the largest id when it was made. It reads those files that were not checked because
// a parent of our own has them too.
func (c *Inspection) commitEntries(ctx context.Context, commits []*Commit) error {
	var list, unread []File
	for _, n := range commits {
		top, read := c.Roots[n.Tree]
		f := File{at: n, path: doc.CommitFile, ID: top.Commits, kind: KindCommits}
		if n.EntryID == "" || !read || top.Bad || c.Absent[f.ID] {
			continue
		}
		if f.ID == "" {
			if err := c.wrong(FlawUnlisted, n, store.TrailerID+": it has no "+doc.CommitFile, nil); err != nil {
				return err
			}
			continue
		}
		if list = append(list, f); !c.wasRead(f) {
			unread = append(unread, f)
		}
	}
	if err := c.checkFiles(ctx, unread); err != nil {
		return err
	}
	for _, f := range list {
		if read := c.Files[FileKey{f.kind, f.ID}]; read.Bad || read.Last == f.at.EntryID {
			continue
		}
		what := "it does not end with the entry '" + git.Shown(f.at.EntryID) + "' that the commit's " + store.TrailerID + " names"
		if err := c.wrong(FlawUnlisted, f, what, nil); err != nil {
			return err
		}
	}
	return nil
}

func (c *Inspection) wasRead(f File) bool {
	_, seen := c.Files[FileKey{f.kind, f.ID}]
	return seen
}
