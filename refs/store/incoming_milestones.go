package store

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// trailers holds what the message of a commit on a branch says of it: others' views,
// and commands that are pasted, build on it.
func (c *inspection) trailers(n *newCommit, parsed *git.Commit) error {
	if id := parsed.Trailer(trailerNewest); id != "" {
		if fault := c.idFault(id); fault != "" {
			kind := flawAhead
			if !doc.ValidID(id) {
				kind = flawTrailer
			}
			return c.wrong(kind, n, trailerNewest+": "+fault, nil)
		}
	}
	for _, name := range parsed.Trailers(trailerBranch) {
		if err := git.CheckBranchName(name); err != nil {
			return c.wrong(flawTrailer, n, trailerBranch+": "+err.Error(), nil)
		}
	}
	if code := parsed.Trailer(trailerCode); code != "" && !git.IsID(code) {
		return c.wrong(flawTrailer, n, trailerCode+": '"+git.Shown(code)+"' is not a full hash", nil)
	}
	n.milestone = strings.Clone(parsed.Trailer(trailerID)) // the message itself need not stay
	return nil
}

// milestones holds that the commit.md of every milestone ends with its entry, whose id
// was the largest when it was made. All trees were checked, and so nearly all of these
// files; one that a parent of our own has too was not.
func (c *inspection) milestones(ctx context.Context, commits []*newCommit) error {
	var list, unread []file
	for _, n := range commits {
		top, read := c.roots[n.tree]
		f := file{at: n, path: doc.CommitFile, id: top.commits, kind: kindCommits}
		if n.milestone == "" || !read || top.bad || c.absent[f.id] {
			continue
		}
		if f.id == "" {
			if err := c.wrong(flawUnlisted, n, trailerID+": it has no "+doc.CommitFile, nil); err != nil {
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
		if read := c.files[seenFile{f.kind, f.id}]; read.bad || read.last == f.at.milestone {
			continue
		}
		if err := c.wrong(flawUnlisted, f, "it does not end with the entry '"+git.Shown(f.at.milestone)+"' that the commit's "+trailerID+" names", nil); err != nil {
			return err
		}
	}
	return nil
}

func (c *inspection) wasRead(f file) bool {
	_, seen := c.files[seenFile{f.kind, f.id}]
	return seen
}
