package incoming

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// hasDates reports whether JSON can say the dates of a commit: else no note of it could be written, nor a list that has it.
func hasDates(c *git.Commit) bool {
	_, author := c.Author.When.MarshalText()
	_, committer := c.Committer.When.MarshalText()
	return author == nil && committer == nil
}

// utf8 checks the encoding that a commit of a branch or of the roadmap names.
func (c *Inspection) utf8(n *Commit, parsed *git.Commit) error {
	name := encoding(parsed)
	if n.Roles&(RoleBranch|RoleRoadmap) == 0 || strings.EqualFold(name, "UTF-8") || strings.EqualFold(name, "utf8") {
		return nil
	}
	return c.wrong(FlawTrailer, n, "encoding: '"+git.Shown(name)+"' is not UTF-8; git would show another message", nil)
}

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
	if work := parsed.Trailer(store.TrailerWork); work != "" && !git.IsID(work) && !doc.IsMark(work) {
		return c.wrong(FlawTrailer, n, store.TrailerWork+": '"+git.Shown(work)+"' is not a full hash", nil)
	}
	n.EntryID = strings.Clone(parsed.Trailer(store.TrailerID)) // the message itself need not stay
	return nil
}

// The bounds of the trailers of a message. git reads them for each view, and for each line that continues another one all
// of that again. Ours have at most one line for each topic that a commit removes, and none that continues another.
const (
	maxTrailers     = 20_000 // lines
	maxTrailerBytes = 1 << 20
	maxFolded       = 1_000    // lines that continue others,
	maxFoldedBytes  = 64 << 10 // and bytes where there are such
)

// BlockFault returns the size of the paragraph that git takes for the trailers of a message, the last one but for lines
// that it ignores, and what is wrong with it.
func BlockFault(message string) (sum int64, fault string) {
	lines, folded, size, counts := 0, 0, 0, false
	for rest := message; rest != ""; {
		at := strings.LastIndexByte(strings.TrimSuffix(rest, "\n"), '\n') + 1
		line := rest[at:]
		rest = rest[:at]
		switch {
		case strings.TrimSpace(line) != "":
			counts = counts || line[0] != '#' && line[0] != '\t' && !strings.HasPrefix(line, "Conflicts:")
			lines, size = lines+1, size+len(line)
			if line[0] == ' ' || line[0] == '\t' {
				folded++
			}
		case counts:
			rest = ""
		default:
			lines, folded, size = 0, 0, 0
		}
		switch {
		case lines > maxTrailers:
			return 0, fmt.Sprintf("its trailers have more than %d lines", maxTrailers)
		case size > maxTrailerBytes:
			return 0, fmt.Sprintf("its trailers have more than %d bytes", maxTrailerBytes)
		case folded > maxFolded:
			return 0, fmt.Sprintf("its trailers have more than %d lines that continue others", maxFolded)
		case folded > 0 && size > maxFoldedBytes:
			return 0, fmt.Sprintf("its trailers have more than %d bytes and a line that continues another one", maxFoldedBytes)
		}
	}
	return int64(size), ""
}

// commitEntries checks that the commit.md of every commit ends with the commit's own entry,
// which had the largest id when it was made and no parent has, unless the commit left it out with others, see leftOut.
// It reads those files that were not checked because a parent of our own has them too.
func (c *Inspection) commitEntries(ctx context.Context, commits []*Commit) error {
	var list, unread []File
	for _, n := range commits {
		top, read := c.Roots[n.Tree]
		f := File{at: n, path: doc.CommitFile, ID: top.Commits, kind: KindCommits}
		if n.EntryID == "" || !read || top.Bad || c.Absent[f.ID] {
			continue
		}
		if f.ID == "" {
			left, err := c.leftOut(ctx, n, "")
			if err == nil && !left {
				err = c.wrong(FlawUnlisted, n, store.TrailerID+": it has no "+doc.CommitFile, nil)
			}
			if err != nil {
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
	if err := c.reach(ctx, commits); err != nil {
		return err
	}
	for _, f := range list {
		read := c.Files[FileKey{f.kind, f.ID}]
		if read.Bad {
			continue
		}
		if read.Last == f.at.EntryID {
			if err := c.notRepeated(ctx, f); err != nil {
				return err
			}
			continue
		}
		if left, err := c.leftOut(ctx, f.at, read.Last); left || err != nil {
			if err != nil {
				return err
			}
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

// encoding returns the encoding that a commit says its message has. git converts from it, so that a text in
// UTF-16 hides the commit from a log and its date from views. Memory is UTF-8 and says nothing.
func encoding(c *git.Commit) string {
	for line := range strings.Lines(string(c.Extra)) {
		if name, ok := strings.CutPrefix(line, "encoding "); ok {
			return strings.TrimSuffix(name, "\n")
		}
	}
	return "UTF-8"
}
