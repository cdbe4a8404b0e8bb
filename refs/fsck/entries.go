package fsck

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/prose"
)

// checkContents looks for entries with two contents under one id. Only people know which was meant, unless a commit changed
// an entry of its parent, or one is the other with an expunged text, which is in the history of a branch where that was refused.
func checkContents(ctx context.Context, c *checker) error {
	v, err := c.memory(ctx)
	if err != nil || len(v.twice) == 0 {
		return err
	}
	j, err := c.judges(ctx, v)
	if err != nil {
		return err
	}
	for _, at := range v.twice {
		e := v.entries[at]
		if c.original[e.id] || j.settled(at) {
			continue
		}
		if hidden, err := c.onlyHidden(ctx, v, at); err != nil {
			return err
		} else if hidden {
			continue
		}
		p := Problem{Kind: "entry-differs", Object: e.id, Message: fmt.Sprintf("%s %s of branch '%s' has two contents, one of them in %s",
			e.what(), e.id, e.origin, e.file.Short())}
		if j.judge(&p, j.held[at]) {
			c.report(ctx, nil, p)
		}
	}
	return nil
}

// onlyHidden reports whether the contents of an entry differ in expunged texts alone.
func (c *checker) onlyHidden(ctx context.Context, v *memory, at int32) (bool, error) {
	e := v.entries[at]
	if c.forgotten == nil || !c.forgotten.HasTexts() || len(v.others[at]) > mostVariants {
		return false, nil
	}
	first, err := c.entryText(ctx, e, variant{e.sum, e.file, e.origin})
	if err != nil {
		return false, err
	}
	for _, other := range v.others[at] {
		text, err := c.entryText(ctx, e, other)
		if err != nil || !c.forgotten.Hides(text, first) && !c.forgotten.Hides(first, text) {
			return false, err
		}
	}
	return true, nil
}

// entryText reads one content of an entry.
func (c *checker) entryText(ctx context.Context, e memoryEntry, of variant) (found []byte, err error) {
	data, err := c.s.Repo().Blob(ctx, of.file)
	if err != nil {
		return nil, err
	}
	kind := doc.CommitFile
	if e.step {
		kind = doc.LogFile
	}
	err = doc.EachEntry(kind, data, func(h doc.EntryHead, text []byte) {
		if h.ID == e.id && loss.SumOf(h, text) == of.sum {
			found = bytes.Clone(text)
		}
	})
	return found, err
}

func (e *memoryEntry) what() string {
	if e.step {
		return "step"
	}
	return "commit"
}

// branchEntries are the entries in a tree of a branch.
type branchEntries struct {
	steps, records []int32
	twice          []string // ids that occur twice
	files          []git.ID
	origins        map[int32]string // of the entries that have another content elsewhere, as it is here
	totals         doc.Totals
}

// entriesOf counts the entries in a tree of a branch. It reports false if not all of it was
// read, because that is reported already or a partial clone lacks it.
func (v *memory) entriesOf(ctx context.Context, tree git.ID) (*branchEntries, bool, error) {
	top, ok := v.in.Roots[tree]
	if !ok || top.Bad {
		return nil, false, nil
	}
	b := &branchEntries{origins: map[int32]string{}}
	if top.Log != "" && !v.take(b, top.Log, true) || top.Commits != "" && !v.take(b, top.Commits, false) {
		return nil, false, nil
	}
	list, err := v.s.Repo().Tree(ctx, tree)
	if err != nil {
		return nil, false, err
	}
	for _, e := range list {
		if e.Name == doc.LogDir || e.Name == doc.CommitDir {
			if ok, err := v.segments(ctx, b, e.ID, e.Name == doc.LogDir); err != nil || !ok {
				return nil, false, err
			}
		}
	}
	b.count(v)
	return b, true, nil
}

// segments adds the entries of the segments below a folder.
func (v *memory) segments(ctx context.Context, b *branchEntries, tree git.ID, log bool) (bool, error) {
	if v.in.Absent[tree] {
		return false, nil
	}
	list, err := v.s.Repo().Tree(ctx, tree)
	if err != nil {
		return false, err
	}
	for _, e := range list {
		ok := true
		if e.IsTree() {
			ok, err = v.segments(ctx, b, e.ID, log)
		} else {
			ok = v.take(b, e.ID, log)
		}
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func (v *memory) take(b *branchEntries, file git.ID, log bool) bool {
	b.files = append(b.files, file)
	ids, ok := v.logs[file]
	if log {
		b.steps = append(b.steps, ids...)
	} else {
		var r record
		r, ok = v.records[file]
		ids = r.entries
		b.records = append(b.records, ids...)
	}
	for i, sum := range v.sums[file] {
		if i < len(ids) && v.entries[ids[i]].differs {
			b.origins[ids[i]] = v.variant(ids[i], sum).origin
		}
	}
	return ok
}

// count sorts the entries by id, and counts them.
func (b *branchEntries) count(v *memory) {
	b.totals.Origins = map[string]doc.OriginTotals{}
	for _, list := range []*[]int32{&b.steps, &b.records} {
		slices.SortFunc(*list, func(x, y int32) int { return strings.Compare(v.entries[x].id, v.entries[y].id) })
		all := *list
		for i, at := range all {
			e := &v.entries[at]
			if i > 0 && all[i-1] == at {
				b.twice = append(b.twice, e.id)
				continue
			}
			origin := cmp.Or(b.origins[at], e.origin)
			t := b.totals.Origins[origin]
			switch {
			case e.step:
				t.Steps++
				b.totals.Steps++
			case !e.birth:
				t.Commits++
				b.totals.Commits++
			}
			b.totals.Origins[origin] = t
		}
		*list = slices.Compact(all)
	}
}

// totalsFault returns how the totals of metadata.yaml differ from the entries; "" if they
// agree.
func (b *branchEntries) totalsFault(said doc.Totals) string {
	if said.Steps != b.totals.Steps || said.Commits != b.totals.Commits {
		return fmt.Sprintf("%s counts %s and %s, but the branch contains %d and %d", doc.MetadataFile,
			prose.Count(said.Steps, "step"), prose.Count(said.Commits, "commit"), b.totals.Steps, b.totals.Commits)
	}
	_, folded := said.Origins[doc.OtherOrigins]
	for _, origin := range slices.Sorted(maps.Keys(b.totals.Origins)) {
		have, told := said.Origins[origin]
		if !told && folded {
			continue
		}
		if now := b.totals.Origins[origin]; have != now {
			return fmt.Sprintf("%s counts %s and %s of branch '%s', but the branch contains %d and %d", doc.MetadataFile,
				prose.Count(have.Steps, "step"), prose.Count(have.Commits, "commit"), origin, now.Steps, now.Commits)
		}
	}
	for _, origin := range slices.Sorted(maps.Keys(said.Origins)) {
		if have := said.Origins[origin]; origin != doc.OtherOrigins && have != b.totals.Origins[origin] {
			return fmt.Sprintf("%s counts %s and %s of branch '%s', but the branch contains none", doc.MetadataFile,
				prose.Count(have.Steps, "step"), prose.Count(have.Commits, "commit"), origin)
		}
	}
	return ""
}
