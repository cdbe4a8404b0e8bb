package expunge

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/store"
)

// waitingMerges redacts the two sides of each conflict that waits to be resolved, as the refs are redacted, where a request of
// a remote hides them. It keeps the answers, which were written here, and the sides as they were, in case the request is
// refused. Where words are deleted, it removes these former sides.
func (op *Operation) waitingMerges() error {
	return op.eachFile(store.MergeDir, func(path string, data []byte) error {
		if store.IsAside(filepath.Base(path)) {
			return nil
		}
		var h store.WaitingMerge
		broken := json.Unmarshal(data, &h) != nil || op.Store.StatePath(store.MergeStateName(h.Target)) != path
		switch {
		case op.hide == nil && (broken || !dropBefore(&h)):
			return nil // see eachQuotingFile
		case op.hide == nil:
			return op.Store.WriteHeld(&h)
		case broken:
			return op.dropQuoting(lostMerge, path, data)
		case slices.ContainsFunc(h.Conflicts, op.namesExpunged) || !op.redactWaiting(&h):
			return op.drop(lostMerge, path)
		}
		now, err := json.Marshal(&h)
		if err != nil || bytes.Equal(now, bytes.TrimSpace(data)) {
			return err
		}
		return op.Store.WriteHeld(&h)
	})
}

// dropBefore removes the sides that conflicts had before words of them were hidden. It reports whether there were any.
func dropBefore(h *store.WaitingMerge) bool {
	had := false
	for i := range h.Conflicts {
		had = had || h.Conflicts[i].Before != nil
		h.Conflicts[i].Before = nil
	}
	return had
}

// namesExpunged reports whether a conflict is about a key or a section whose name is redacted.
func (op *Operation) namesExpunged(c store.HeldConflict) bool {
	_, name, _ := strings.Cut(c.Path, "#")
	return slices.ContainsFunc(append(doc.PathKeys(name), name), op.Rewriter.e.HasText)
}

// redactWaiting reports whether the sides could be redacted: tombstones of others may make a topic larger than its limit.
func (op *Operation) redactWaiting(h *store.WaitingMerge) bool {
	h.Tip = op.Rewriter.now(h.Tip)
	for ref, id := range h.Theirs {
		h.Theirs[ref] = op.Rewriter.now(id)
	}
	for i := range h.Conflicts {
		if op.redactConflict(&h.Conflicts[i]) != nil {
			return false
		}
	}
	return true
}

// redactConflict redacts the sides of a conflict as their documents are, so that they stay equal to what the refs have.
func (op *Operation) redactConflict(c *store.HeldConflict) error {
	was, changed := store.ConflictSides{Ours: c.Ours, Theirs: c.Theirs}, false
	for _, side := range []**string{&c.Base, &c.Ours, &c.Theirs} {
		if *side == nil {
			continue
		}
		now, err := op.redactSide(c.Path, **side)
		if err != nil {
			return err
		}
		changed = changed || now != **side
		*side = &now
	}
	if changed && c.Before == nil {
		c.Before = &was
	}
	return nil
}

func (op *Operation) redactSide(path, text string) (string, error) {
	path = path[strings.LastIndexByte(path, ':')+1:] // it may begin with a branch
	if doc.KindOf(path) != doc.FileTopic {
		return op.Rewriter.e.RedactText(text), nil
	}
	r, err := op.Rewriter.e.Redact(path, []byte(text))
	return string(r.Data), err
}
