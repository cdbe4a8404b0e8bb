package folder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/detect"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/prose"

	dialect "github.com/git-context/git-context/refs/peer"
)

// keyImported contains the metadata of a branch in a folder that has no other place here,
// and segments whose place is taken. An import may replace it.
const keyImported = doc.KeyImported

// finish imports what follows the last entry: the steps after it, the metadata, and the
// status of the branch. Without any of that it makes no commit.
func (i *branchImport) finish(ctx context.Context) error {
	steps := i.Waiting()
	c, err := i.Next(ctx, "")
	if err != nil {
		return err
	}
	before, err := c.Meta.Bytes()
	if err != nil {
		return err
	}
	i.putSegments(c.Meta)
	closed, err := i.putFacts(c.Meta)
	if err != nil {
		return err
	}
	after, err := c.Meta.Bytes()
	if err != nil {
		return err
	}
	if steps == 0 && string(before) == string(after) {
		return nil
	}
	c.Subject = "Import " + prose.Count(steps, "step") + " and metadata"
	switch {
	case closed != "":
		c.Subject = fmt.Sprintf("Import branch '%s' as %s", i.b.name, closed)
	case steps == 0:
		c.Subject = "Import metadata"
	case string(before) == string(after):
		c.Subject = "Import " + prose.Count(steps, "step")
	}
	was, err := doc.ParseMetadata(before)
	if err != nil {
		return err
	}
	if err := c.RecordRemovedKeys(was); err != nil {
		return err
	}
	at := i.b.peer.CreatedAt
	if n := len(i.b.entries); n > 0 {
		at = i.b.entries[n-1].at
	}
	return i.commit(ctx, c, at)
}

// putFacts imports the facts about the branch: the purpose if there is none, and the status
// if the branch contains only imported entries.
func (i *branchImport) putFacts(meta *doc.Metadata) (closed string, err error) {
	facts, from := meta.Branch(), i.b.peer
	if facts.Purpose == "" {
		facts.Purpose = from.Purpose
	}
	if facts.Status == doc.StatusActive && (from.Status == dialect.Merged || from.Status == dialect.Abandoned) &&
		i.onlyImported() {
		facts.Status, facts.MergedInto, facts.MergedAt = from.Status, i.m.name(from.MergedInto), from.MergedAt
		closed = facts.Status
	}
	return closed, meta.SetBranch(facts)
}

// onlyImported reports whether all entries of the branch come from the folder.
func (i *branchImport) onlyImported() bool {
	ours := map[string]bool{}
	for _, e := range i.b.entries {
		ours[e.key] = true
	}
	for _, keys := range i.known.entries {
		if !slices.ContainsFunc(keys, func(key string) bool { return ours[key] }) {
			return false
		}
	}
	return !i.known.pending
}

// putSegments imports structured memory. A segment that differs from the one here is stored
// below "imported". A value that the document refuses is reported.
func (i *branchImport) putSegments(meta *doc.Metadata) {
	imported, _, _ := meta.Get(keyImported) // a value that is not a map is replaced
	kept, _ := imported.(map[string]any)
	kept = maps.Clone(kept)
	if kept == nil {
		kept = map[string]any{}
	}
	from := i.b.peer
	for _, key := range slices.Sorted(maps.Keys(from.Segments)) {
		value := from.Segments[key]
		have, stands, err := meta.Get(quotePath(key))
		switch {
		case saysNothing(value), err == nil && stands && sameValue(have, value):
		case key == keyImported && isMap(value):
			maps.Copy(kept, value.(map[string]any))
		case err == nil && !stands && !i.reserved(key):
			i.set(meta, quotePath(key), value)
		default:
			kept[key] = value
		}
	}
	if from.Purpose != "" && meta.Branch().Purpose != "" && from.Purpose != meta.Branch().Purpose {
		kept["purpose"] = from.Purpose
	}
	if len(from.Facts) > 0 {
		kept["branch"] = from.Facts
	}
	if from.Name == i.m.f.Default && len(i.m.f.Facts) > 0 {
		kept["folder"] = i.m.f.Facts
	}
	if len(kept) > 0 && !sameValue(imported, kept) {
		i.set(meta, keyImported, kept)
	}
}

// reserved reports whether the program writes a segment itself.
func (i *branchImport) reserved(key string) bool {
	switch key {
	case "version", "branch", "totals", detect.KeyFrom, "file_structure", "env_config", "dependencies":
		return true
	}
	return false
}

// set sets a value; if the document refuses it, it is removed again and reported.
func (i *branchImport) set(meta *doc.Metadata, path string, value any) {
	before, stood, err := meta.Get(path)
	if err == nil {
		err = meta.SetValue(path, value)
	}
	if err == nil {
		if _, err = meta.Bytes(); err == nil {
			return
		}
		undo := meta.SetValue(path, before)
		if !stood {
			_, undo = meta.Unset(path)
		}
		err = errors.Join(err, undo)
	}
	i.left = append(i.left, fmt.Sprintf("metadata '%s' of branch '%s' was left out: %v", prose.OneLine(path, 100),
		i.b.name, err))
}

// saysNothing reports whether a value is empty, as tools write it that found nothing.
func saysNothing(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

func isMap(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// sameValue compares a value of a document with another, as the document would return it.
func sameValue(have, value any) bool {
	scratch := doc.NewMetadata()
	if scratch.SetValue("value", value) != nil {
		return false
	}
	stored, _, err := scratch.Get("value")
	return err == nil && reflect.DeepEqual(have, stored)
}

// quotePath returns the path of one key.
func quotePath(key string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
}
