package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
)

// DropMerge removes the merge that waits on a branch, if one does.
func (s *Store) DropMerge(target string) error {
	if err := os.Remove(s.StatePath(MergeStateName(target))); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// copyMerge lets a merge that waits on a branch wait under another name too; nil, with
// what may stand there, is none.
func (s *Store) copyMerge(h *WaitingMerge, name string) error {
	if h == nil {
		return s.DropMerge(name)
	}
	h.Target, h.Merge.Into = name, name
	return s.WriteHeld(h)
}

// FinishMerge removes the merge that waits on a branch, once it is done, see SetUnusedAside.
func (s *Store) FinishMerge(target string, used *WaitingMerge) error {
	if aside, err := s.SetUnusedAside(target, used); aside || err != nil {
		return err
	}
	return s.DropMerge(target)
}

// SetUnusedAside renames the file of the merge that waits on a branch, with a warning, if it has a resolution that is the text of
// neither side and that no merge used, because the conflict changed or is gone. It reports whether it did. used is the merge
// as the caller read it, with Used set.
func (s *Store) SetUnusedAside(target string, used *WaitingMerge) (bool, error) {
	now, err := s.ReadMerge(target)
	if err != nil || now == nil {
		return false, err
	}
	path := now.unused(used)
	if path == "" {
		return false, nil
	}
	aside, err := s.SetAside(MergeStateName(target))
	if err == nil {
		s.Warn(fmt.Sprintf("the answer to '%s' was not used, because the conflict is another one now; it is in '%s' until gc removes it", path, aside))
	}
	return err == nil, err
}

// unused is the path of a resolution that is the text of neither side and was not used; "" for none.
func (h *WaitingMerge) unused(used *WaitingMerge) string {
	for _, c := range h.Conflicts {
		if !c.Resolved || c.Text == nil || sameText(c.Text, c.Ours) || sameText(c.Text, c.Theirs) {
			continue
		}
		if used == nil || !used.took(&c) {
			return c.Path
		}
	}
	return ""
}

// took reports whether a merge used the resolution of a conflict.
func (h *WaitingMerge) took(c *HeldConflict) bool {
	return slices.ContainsFunc(h.Conflicts, func(u HeldConflict) bool { return u.Used && u.Path == c.Path && sameText(u.Text, c.Text) })
}

// MarkUsed sets Used where an earlier reading of the same file has it.
func (h *WaitingMerge) MarkUsed(earlier *WaitingMerge) {
	for i := range h.Conflicts {
		h.Conflicts[i].Used = earlier.took(&h.Conflicts[i])
	}
}

// RefOf returns the ref that a conflict of a sync is about, by its path.
func (h *WaitingMerge) RefOf(path string) string {
	branch, _, _ := strings.Cut(path, ":")
	switch ref := git.BranchRef(branch); {
	case h.Theirs[ref] != "":
		return ref
	case strings.HasPrefix(path, doc.RoadmapFile+"#"):
		return git.RoadmapRef
	}
	return git.BranchRef(h.Target)
}

// ReadMerge reads the merge that waits on a branch; nil where none does.
func (s *Store) ReadMerge(target string) (*WaitingMerge, error) {
	h := new(WaitingMerge)
	found, bad, err := s.ReadState(MergeStateName(target), h)
	if err != nil || !found {
		return nil, err
	}
	if bad != nil || h.Version != MergeStateVersion {
		return nil, &fail.Error{Code: fail.MergeState, Kind: fail.ErrInvalid, Err: bad,
			Message: fmt.Sprintf("the merge that waits on '%s' cannot be read", target), Hints: []string{"git context merge --abort"}}
	}
	return h, nil
}

// WaitingMerge is a merge or a sync that waits until its conflicts are resolved: one file of
// local state for a target branch. No ref has moved for it, so removing the file aborts it.
type WaitingMerge struct {
	Version int    `json:"version"`
	Target  string `json:"target"`
	Remote  string `json:"remote,omitempty"` // of a sync; its conflicts may lie on several refs
	Bundle  bool   `json:"bundle,omitempty"` // the remote is a bundle file
	// Theirs is what the other side of a sync had of the refs in conflict.
	Theirs map[string]git.ID `json:"theirs,omitempty"`
	// Tip is the commit of a merge's source.
	Tip       git.ID         `json:"tip,omitempty"`
	Merge     *MergeOptions  `json:"merge,omitempty"` // of a merge: what it was told
	Conflicts []HeldConflict `json:"conflicts"`       // sorted by path
}

// HeldConflict is one conflict and its resolution.
type HeldConflict struct {
	Conflict
	Text *string `json:"text"` // nil: nothing at all
	// Before are the sides as they were before a request of a remote hid words of them; nil if none did.
	Before *ConflictSides `json:"before,omitempty"`
	Used   bool           `json:"-"` // a merge took the resolution
}

// ConflictSides are the texts that a conflict is about; nil where absent.
type ConflictSides struct {
	Ours   *string `json:"ours"`
	Theirs *string `json:"theirs"`
}

// About reports whether the resolution is about these two texts, or was before words of them were hidden.
func (h *HeldConflict) About(c *Conflict) bool {
	same := func(ours, theirs *string) bool { return sameText(ours, c.Ours) && sameText(theirs, c.Theirs) }
	return h.Path == c.Path && (same(h.Ours, h.Theirs) || h.Before != nil && same(h.Before.Ours, h.Before.Theirs))
}

func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// MergeStateName returns the name of the local state of the merge that waits on a branch.
func MergeStateName(target string) string {
	return MergeDir + "/" + git.FileName(target, ".json")
}

// MergeStateVersion is the version of that file that this program reads and writes.
const MergeStateVersion = 1

// mayMoveMerge is what waits on a branch that is to get another name. A sync's
// conflicts are about what the remote has under the old one, and are settled first.
func (s *Store) mayMoveMerge(branch string) (*WaitingMerge, error) {
	h, err := s.ReadMerge(branch)
	if err == nil && h != nil && h.Merge == nil {
		err = fail.New(fail.ErrRefused, fail.MergeWaiting, fmt.Sprintf("conflicts with '%s' wait on '%s'", h.Source(), branch),
			"git context merge --status --into "+branch, "git context merge --continue --into "+branch, "git context merge --abort --into "+branch)
	}
	return h, err
}

// Source returns the other side: a branch, or the remote of a sync.
func (h *WaitingMerge) Source() string {
	if h.Merge != nil {
		return h.Merge.Source
	}
	return h.Remote
}

// WriteHeld replaces the merge that waits on h.Target.
func (s *Store) WriteHeld(h *WaitingMerge) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return s.repo.WriteStateFile(MergeStateName(h.Target), append(data, '\n'))
}

// MergeOptions are one MERGE.
type MergeOptions struct {
	Writer
	Source       string
	Into         string // empty: the current branch
	Summary      string
	Contribution string
	Purpose      string // revises the target's purpose
	RoadmapChange
	Keep    bool // leave the source open
	Abandon bool // close the source as abandoned, merge nothing
	DryRun  bool
	Prefer  string // settles every conflict: SettleOurs, SettleTheirs, SettleUnion; empty: none
}

// Conflict is one slot that both sides filled differently; null where absent. Its
// path is topics/KEY.md, metadata.yaml#KEY.PATH or main.md#SECTION; after a sync
// those of other branches than the current one begin with "BRANCH:".
type Conflict struct {
	Path     string  `json:"path"`
	Kind     string  `json:"kind"` // content, add/add, modify/delete, key, prose
	Base     *string `json:"base"`
	Ours     *string `json:"ours"`
	Theirs   *string `json:"theirs"`
	Resolved bool    `json:"resolved"`
}
