package merge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

func status(h *store.WaitingMerge) Status {
	st := Status{Source: h.Source(), Target: h.Target, Conflicts: make([]store.Conflict, len(h.Conflicts))}
	for i, p := range h.Conflicts {
		st.Conflicts[i] = p.Conflict
	}
	return st
}

// HoldMerge keeps conflicts for Resolve. What was settled before stays settled
// where it still is about the same two texts.
func HoldMerge(s *store.Store, h, before *store.WaitingMerge, list []store.Conflict) error {
	h.Version, h.Conflicts = store.MergeStateVersion, make([]store.HeldConflict, len(list))
	for i, c := range list {
		h.Conflicts[i] = store.HeldConflict{Conflict: c}
		h.Conflicts[i].Resolved = false // by a preference, which the next try follows again
		if p := resolution(before, &c); p != nil {
			p.Used = true
			h.Conflicts[i].Text, h.Conflicts[i].Resolved, h.Conflicts[i].Before = p.Text, true, p.Before
		}
	}
	slices.SortFunc(h.Conflicts, func(a, b store.HeldConflict) int { return strings.Compare(a.Path, b.Path) })
	if before != nil {
		if _, err := s.SetUnusedAside(h.Target, before); err != nil {
			return err
		}
	}
	return s.WriteHeld(h)
}

// resolution is what a conflict was settled with, if it was and both sides still say
// the same; nil if not. h may be nil.
func resolution(h *store.WaitingMerge, c *store.Conflict) *store.HeldConflict {
	if h == nil {
		return nil
	}
	i := slices.IndexFunc(h.Conflicts, func(p store.HeldConflict) bool { return p.Resolved && p.About(c) })
	if i < 0 {
		return nil
	}
	return &h.Conflicts[i]
}

// Resolved takes what was resolved, and asks next for the rest. prefix is what the
// paths of the ref begin with.
func Resolved(h *store.WaitingMerge, prefix string, next Settler) Settler {
	return func(ctx context.Context, c *store.Conflict) (*string, bool, error) {
		named := *c
		named.Path = prefix + c.Path
		if p := resolution(h, &named); p != nil {
			p.Used = true
			return p.Text, true, nil
		}
		return next(ctx, c)
	}
}

// SortConflicts sorts conflicts by path.
func SortConflicts(list []store.Conflict) {
	slices.SortFunc(list, func(a, b store.Conflict) int { return strings.Compare(a.Path, b.Path) })
}

// conflictError is the refusal of a merge that cannot be clean.
func conflictError(open int, target string, o store.MergeOptions) error {
	message := fmt.Sprintf("merging '%s' into '%s' has %s; nothing was changed", o.Source, target, prose.Count(open, "conflict"))
	if o.DryRun {
		return fail.New(fail.ErrConflict, fail.MergeConflict, message)
	}
	into := ""
	if o.Into != "" {
		into = " --into " + target
	}
	return fail.New(fail.ErrConflict, fail.MergeConflict, message, "git context resolve PATH --ours|--theirs|--union|-F FILE"+into,
		"git context merge --continue"+into, "git context merge --abort"+into)
}

// checkResolution refuses a text that a path cannot contain.
func checkResolution(path, text string) error {
	var err error
	switch {
	case len(text) > store.MaxStep:
		err = fmt.Errorf("%d bytes; at most %d are allowed", len(text), store.MaxStep)
	case strings.HasPrefix(path, doc.TopicDir+"/"):
		_, err = doc.ParseTopic([]byte(text))
	case strings.HasPrefix(path, doc.MetadataFile+"#"):
		err = doc.NewMetadata().Resolve(doc.Conflict{Path: path}, &text)
	}
	if err != nil {
		return &fail.Error{Code: fail.ResolutionInvalid, Kind: fail.ErrInvalid, Err: err, Message: fmt.Sprintf("the text is invalid in '%s'", path)}
	}
	return nil
}
