package refs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
)

// heldMerge is a merge or a sync that waits for its conflicts to be settled, as
// it stands in local state: one file for a target. Nothing has moved for it, so
// that to forget it is to abort it.
type heldMerge struct {
	Version int    `json:"version"`
	Target  string `json:"target"`
	Remote  string `json:"remote,omitempty"` // of a sync; its conflicts may lie on several refs
	Bundle  bool   `json:"bundle,omitempty"` // the remote is a bundle file
	// Theirs is what the other side of a sync had of the refs in conflict.
	Theirs map[string]git.ID `json:"theirs,omitempty"`
	// Tip is where the source of a merge stood.
	Tip       git.ID        `json:"tip,omitempty"`
	Merge     *MergeOptions `json:"merge,omitempty"` // of a merge: what it was told
	Conflicts []heldPlace   `json:"conflicts"`       // sorted by path
}

// heldPlace is one conflict and what it was settled with.
type heldPlace struct {
	Conflict
	Text *string `json:"text"` // nil: nothing at all
}

const heldVersion = 1

// mergeDir is the folder of local state that holds them.
const mergeDir = "merge"

func heldName(target string) string {
	return mergeDir + "/" + git.FileName(target, ".json")
}

// branchLock is the lock that whoever changes a branch, or what waits on it, holds.
func branchLock(branch string) string { return journalLock(journal.FileName(branch)) }

// source is the other side.
func (h *heldMerge) source() string {
	if h.Merge != nil {
		return h.Merge.Source
	}
	return h.Remote
}

func (h *heldMerge) status() MergeStatus {
	st := MergeStatus{Source: h.source(), Target: h.Target, Conflicts: make([]Conflict, len(h.Conflicts))}
	for i, p := range h.Conflicts {
		st.Conflicts[i] = p.Conflict
	}
	return st
}

// heldMerge reads what waits on a branch; nil if nothing does.
func (s *Store) heldMerge(target string) (*heldMerge, error) {
	h := new(heldMerge)
	found, bad, err := s.readState(heldName(target), h)
	if err != nil || !found {
		return nil, err
	}
	if bad != nil || h.Version != heldVersion {
		return nil, &Error{Code: "merge-state", Kind: ErrInvalid, Err: bad,
			Message: fmt.Sprintf("the merge that waits on '%s' cannot be read", target), Hints: []string{"git context merge --abort"}}
	}
	return h, nil
}

// holdMerge keeps conflicts for Resolve. What was settled before stays settled
// where it still is about the same two texts.
func (s *Store) holdMerge(h, before *heldMerge, list []Conflict) error {
	h.Version, h.Conflicts = heldVersion, make([]heldPlace, len(list))
	for i, c := range list {
		h.Conflicts[i] = heldPlace{Conflict: c}
		if text, ok := before.settled(&c); ok {
			h.Conflicts[i].Text, h.Conflicts[i].Resolved = text, true
		} else {
			h.Conflicts[i].Resolved = false // by a preference, which the next try follows again
		}
	}
	slices.SortFunc(h.Conflicts, func(a, b heldPlace) int { return strings.Compare(a.Path, b.Path) })
	return s.writeHeld(h)
}

func (s *Store) writeHeld(h *heldMerge) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return s.repo.WriteStateFile(heldName(h.Target), append(data, '\n'))
}

// dropMerge forgets what waits on a branch.
func (s *Store) dropMerge(target string) error {
	if err := os.Remove(s.statePath(heldName(target))); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// mayMoveMerge is what waits on a branch that is to get another name. A sync's
// conflicts are about what the remote has under the old one, and are settled first.
func (s *Store) mayMoveMerge(branch string) (*heldMerge, error) {
	h, err := s.heldMerge(branch)
	if err == nil && h != nil && h.Merge == nil {
		err = fail(ErrRefused, "merge-waiting", fmt.Sprintf("conflicts with '%s' wait on '%s'", h.source(), branch),
			"git context merge --status --into "+branch, "git context merge --continue --into "+branch, "git context merge --abort --into "+branch)
	}
	return h, err
}

// copyMerge lets a merge that waits on a branch wait under another name too; nil, with
// what may stand there, is none.
func (s *Store) copyMerge(h *heldMerge, name string) error {
	if h == nil {
		return s.dropMerge(name)
	}
	h.Target, h.Merge.Into = name, name
	return s.writeHeld(h)
}

// settled is what a conflict was settled with, if it was and both sides still say
// the same. h may be nil.
func (h *heldMerge) settled(c *Conflict) (*string, bool) {
	if h == nil {
		return nil, false
	}
	for _, p := range h.Conflicts {
		if p.Resolved && p.Path == c.Path && sameText(p.Ours, c.Ours) && sameText(p.Theirs, c.Theirs) {
			return p.Text, true
		}
	}
	return nil, false
}

func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// settler takes what was resolved, and asks next for the rest. prefix is what the
// paths of the ref begin with.
func (h *heldMerge) settler(prefix string, next settler) settler {
	return func(ctx context.Context, c *Conflict) (*string, bool, error) {
		named := *c
		named.Path = prefix + c.Path
		if text, ok := h.settled(&named); ok {
			return text, true, nil
		}
		return next(ctx, c)
	}
}

func sortConflicts(list []Conflict) {
	slices.SortFunc(list, func(a, b Conflict) int { return strings.Compare(a.Path, b.Path) })
}

// conflictError is the refusal of a merge that cannot be clean.
func conflictError(open int, target string, o MergeOptions) error {
	message := fmt.Sprintf("merging '%s' into '%s' has %s; nothing was changed", o.Source, target, count(open, "conflict"))
	if o.DryRun {
		return fail(ErrConflict, "merge-conflict", message)
	}
	into := ""
	if o.Into != "" {
		into = " --into " + target
	}
	return fail(ErrConflict, "merge-conflict", message, "git context resolve PATH --ours|--theirs|--union|-F FILE"+into,
		"git context merge --continue"+into, "git context merge --abort"+into)
}

// checkResolution refuses a text that cannot stand at a path.
func checkResolution(path, text string) error {
	var err error
	switch {
	case len(text) > maxStep:
		err = fmt.Errorf("%d bytes; at most %d are allowed", len(text), maxStep)
	case strings.HasPrefix(path, doc.TopicDir+"/"):
		_, err = doc.ParseTopic([]byte(text))
	case strings.HasPrefix(path, doc.MetadataFile+"#"):
		err = doc.NewMetadata().Settle(doc.Conflict{Path: path}, &text)
	}
	if err != nil {
		return &Error{Code: "resolution-invalid", Kind: ErrInvalid, Err: err, Message: fmt.Sprintf("this cannot stand in '%s'", path)}
	}
	return nil
}
