package remake

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// cut is what one document of a tree was when an earlier commit was made.
type cut struct {
	file string   // the live file
	live []byte   // its text
	drop []string // segments that begin later, or are the live file again
}

// cutsOf returns how a tree differs from what it was at a commit of the same branch, as far as entries are concerned: those with
// larger ids than the commit's Context-Newest came later. git.ErrNotFound: commit.md does not end with the entry of the commit.
func (h *Holes) cutsOf(ctx context.Context, c *git.Commit, tree git.ID) ([]cut, error) {
	entry, newest := c.Trailer(store.TrailerID), c.Trailer(store.TrailerNewest)
	if !doc.ValidID(newest) { // of the roadmap
		return nil, nil
	}
	left, err := Left(ctx, h.s.Repo(), tree)
	if err != nil {
		return nil, err
	}
	var cuts []cut
	for _, at := range []struct{ file, dir string }{{doc.CommitFile, doc.CommitDir}, {doc.LogFile, doc.LogDir}} {
		now, changed, err := h.cutOf(ctx, left.Files, at.file, at.dir, newest)
		if err != nil {
			return nil, err
		}
		if at.file == doc.CommitFile && doc.ValidID(entry) {
			heads, err := doc.EntryHeads(at.file, now.live)
			if err != nil {
				return nil, err
			}
			if n := len(heads); n == 0 || heads[n-1].ID != entry {
				return nil, fmt.Errorf("entry '%s': %w", entry, git.ErrNotFound)
			}
		}
		if now.live == nil && at.file == doc.LogFile {
			now.live = doc.EmptyLog(store.BranchOf(c))
		}
		if changed {
			cuts = append(cuts, now)
		}
	}
	return cuts, nil
}

// cutOf returns a document with the entries up to an id: the live file, or, if that has none, the segment that has the last of
// them.
func (h *Holes) cutOf(ctx context.Context, files map[string]git.ID, file, dir, newest string) (now cut, changed bool, err error) {
	now.file = file
	data, heads, err := h.entries(ctx, files, file, file)
	if err != nil {
		return now, false, err
	}
	var segments []string
	for name := range files {
		if strings.HasPrefix(name, dir+"/") {
			segments = append(segments, name)
		}
	}
	slices.SortFunc(segments, func(a, b string) int { return strings.Compare(path.Base(a), path.Base(b)) })
	n := len(segments)
	for n > 0 && strings.TrimSuffix(path.Base(segments[n-1]), ".md") > newest {
		n--
	}
	isLater := func(e doc.EntryHead) bool { return e.ID > newest }
	changed = n < len(segments) || slices.ContainsFunc(heads, isLater)
	if changed && !slices.ContainsFunc(heads, func(e doc.EntryHead) bool { return !isLater(e) }) { // all are later
		now.drop = segments[max(n-1, 0):]
		if n > 0 {
			if data, heads, err = h.entries(ctx, files, segments[n-1], file); err != nil {
				return now, false, err
			}
		}
	}
	later := map[string]bool{}
	for _, e := range heads {
		later[e.ID] = isLater(e)
	}
	left, err := doc.RemoveEntries(file, doc.Entries{Live: data}, later)
	now.live = left.Live
	return now, changed, err
}

// entries reads a file and the heads of its entries.
func (h *Holes) entries(ctx context.Context, files map[string]git.ID, name, kind string) ([]byte, []doc.EntryHead, error) {
	if files[name] == "" {
		return nil, nil, fmt.Errorf("%s: %w", name, git.ErrNotFound)
	}
	data, err := h.s.Repo().Blob(ctx, files[name])
	if err != nil {
		return nil, nil, err
	}
	heads, err := doc.EntryHeads(kind, data)
	return data, heads, err
}
