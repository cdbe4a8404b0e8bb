package store

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// SegmentsBackwards hands a document's files to visit, the live one first and then the
// sealed segments from the newest to the oldest, until visit has enough. It
// opens only the directories that it needs.
func (t *Tip) SegmentsBackwards(ctx context.Context, live, dir string, visit func([]byte) (bool, error)) error {
	return t.FilesBackwards(ctx, live, dir, func(_ string, data []byte) (bool, error) { return visit(data) })
}

// FilesBackwards is [Tip.SegmentsBackwards] for a visit that needs to know which file it sees.
func (t *Tip) FilesBackwards(ctx context.Context, live, dir string, visit FileVisit) error {
	data, err := t.OptionalDocument(ctx, live)
	if err != nil {
		return err
	}
	more, err := visit(live, data)
	if err != nil {
		return fmt.Errorf("%s of branch '%s': %w", live, t.branch, err)
	}
	if !more {
		return nil
	}
	return t.segmentsFrom(ctx, dir, "", visit)
}

// FileVisit takes a file of a branch's tree and says whether it wants another one.
type FileVisit func(path string, data []byte) (more bool, err error)

// segmentsFrom hands sealed segments to visit, from the one at a path or the last
// before it (from the newest, if last is empty) to the oldest.
func (t *Tip) segmentsFrom(ctx context.Context, dir, last string, visit FileVisit) error {
	_, err := t.backwardsIn(ctx, dir, last, visit)
	return err
}

func (t *Tip) backwardsIn(ctx context.Context, dir, last string, visit FileVisit) (bool, error) {
	list, err := t.List(ctx, dir)
	if err != nil {
		return false, err
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b git.TreeEntry) int { return strings.Compare(b.Name, a.Name) })
	for _, e := range list {
		name := path.Join(dir, e.Name)
		if last != "" && name > last {
			continue
		}
		var more bool
		if e.Mode == git.ModeTree {
			more, err = t.backwardsIn(ctx, name, last, visit)
		} else {
			var data []byte
			if data, err = t.repo.Blob(ctx, e.ID); err == nil {
				if more, err = visit(name, data); err != nil {
					err = fmt.Errorf("%s of branch '%s': %w", name, t.branch, err)
				}
			}
		}
		if err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// EachLog hands every committed step of a branch to visit, a file at a time.
func (t *Tip) EachLog(ctx context.Context, visit func([]doc.Step)) error {
	return t.SegmentsBackwards(ctx, doc.LogFile, doc.LogDir, func(data []byte) (bool, error) {
		steps, err := doc.ParseLog(data)
		visit(steps)
		return true, err
	})
}

// ContainsEntry reports whether an entry is found in a tip's live file, or in the segment
// that it must be in unless segments of several branches overlap there.
func (t *Tip) ContainsEntry(ctx context.Context, k EntryKind, id string) (bool, error) {
	live, err := t.OptionalDocument(ctx, k.File)
	if err != nil {
		return false, err
	}
	found, err := hasEntry(k, live, id)
	if err != nil || found {
		return found, err
	}
	last := doc.SegmentPath(k.Dir, id)
	err = t.segmentsFrom(ctx, k.Dir, last, func(_ string, data []byte) (bool, error) {
		found, err = hasEntry(k, data, id)
		return false, err
	})
	return found, err
}

// LogEntries and CommitEntries are the two documents that are sets of entries.
var (
	LogEntries    = EntryKind{doc.LogFile, doc.LogDir, doc.UnionLog}
	CommitEntries = EntryKind{doc.CommitFile, doc.CommitDir, doc.UnionCommits}
)

// EntryKind is one of the two documents that are sets of entries.
type EntryKind struct {
	File, Dir string
	Union     func(ours, theirs doc.Entries) (doc.Union, error)
}

func hasEntry(k EntryKind, data []byte, id string) (bool, error) {
	heads, err := doc.EntryHeads(k.File, data)
	return slices.ContainsFunc(heads, func(h doc.EntryHead) bool { return h.ID == id }), err
}
