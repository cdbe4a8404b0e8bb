package merge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// prepare reads what waits on the target. A merge that waits is gone on with when
// it is tried again; another one has to wait for it.
func (m *operation) prepare(ctx context.Context) error {
	var err error
	if m.held, err = m.Store.ReadMerge(m.target); err != nil {
		return err
	}
	if h := m.held; h != nil && (h.Merge == nil || h.Merge.Source != m.o.Source) {
		if !m.o.DryRun && !m.o.Abandon {
			return fail.New(fail.ErrRefused, fail.MergeWaiting, fmt.Sprintf("the merge of '%s' into '%s' is not finished", h.Source(), m.target),
				"git context merge --status", "git context merge --continue", "git context merge --abort")
		}
		m.held = nil
	}
	if m.held != nil {
		if err := m.goOn(ctx); err != nil {
			return err
		}
	}
	m.settle = Resolved(m.held, "", Preferring(m.Transaction, m.o.Prefer))
	return nil
}

// goOn takes the message from the merge that waits, unless there is a new one, and
// holds that its source still is that branch, and not another one of its name.
func (m *operation) goOn(ctx context.Context) error {
	if m.o.Summary == "" && m.o.Contribution == "" {
		m.o.Summary, m.o.Contribution = m.held.Merge.Summary, m.held.Merge.Contribution
	}
	grown, err := m.Store.Repo().IsAncestor(ctx, m.held.Tip, m.tip)
	if err == nil && !grown {
		err = fail.New(fail.ErrStale, fail.MergeStale, fmt.Sprintf("branch '%s' is not the one whose merge into '%s' was begun", m.o.Source, m.target),
			"git context merge --abort")
	}
	return err
}

// wait keeps a merge in conflict for Resolve, and returns the refusal.
func (m *operation) wait(refusal error) error {
	if !errors.Is(refusal, fail.ErrConflict) || m.o.DryRun {
		return refusal
	}
	o := m.o
	o.Into = m.target
	h := &store.WaitingMerge{Target: m.target, Merge: &o, Tip: m.tip}
	return errors.Join(refusal, HoldMerge(m.Store, h, m.held, m.res.Conflicts))
}

// Waiting returns what waits on a branch; the current one for "". fail.ErrNotFound if
// nothing does.
func Waiting(ctx context.Context, s *store.Store, target string) (Status, error) {
	target, err := OrCurrent(ctx, s, target)
	if err != nil {
		return Status{}, err
	}
	h, err := WaitingMerge(ctx, s, target)
	if err != nil {
		return Status{}, err
	}
	return status(h), nil
}

// Abort removes what waits on a branch. Nothing has moved for it: every ref
// is as it was before the merge, but for what others did since.
func Abort(ctx context.Context, s *store.Store, target string) (Status, error) {
	target, lock, err := lockTarget(ctx, s, target)
	if err != nil {
		return Status{}, err
	}
	defer lock.Unlock()
	h, err := WaitingMerge(ctx, s, target)
	if errors.Is(err, fail.ErrInvalid) { // not to be read, and so all the more to be dropped
		h = &store.WaitingMerge{Target: target}
	} else if err != nil {
		return Status{}, err
	}
	return status(h), s.DropMerge(target)
}

// ContinueMerge finishes a merge that waits, on the present tips. Conflicts that a later
// change of either side brought are returned as new ones.
func ContinueMerge(ctx context.Context, s *store.Store, w store.Writer, h *store.WaitingMerge) (Result, error) {
	o, target := *h.Merge, h.Target
	o.Writer = w
	res, err := Merge(ctx, s, o)
	var gone *fail.Error
	if errors.As(err, &gone) && gone.Code == fail.BranchNotFound {
		gone.Hints = append(gone.Hints, "git context branch --restore "+o.Source, "git context merge --abort --into "+target)
	}
	return res, err
}

// Resolve settles one conflict of what waits on a branch: in one of the three
// ways, or, if how is empty, with a text of the caller's, which replaces it whole.
func Resolve(ctx context.Context, s *store.Store, target, path, how, text string) (Status, error) {
	target, lock, err := lockTarget(ctx, s, target)
	if err != nil {
		return Status{}, err
	}
	defer lock.Unlock()
	h, err := WaitingMerge(ctx, s, target)
	if err != nil {
		return Status{}, err
	}
	place, err := find(h, path)
	if err != nil {
		return Status{}, err
	}
	c, replaced := place.Conflict, false
	c.Path = unqualified(c.Path)
	if how != "" {
		place.Text, err = settled(ctx, s, &c, how, newLineBudget())
	} else {
		if replaced, err = s.CleanDocument(ctx, &text); err != nil {
			return Status{}, err
		}
		place.Text, err = &text, checkResolution(c.Path, text)
	}
	if err != nil {
		return Status{}, err
	}
	place.Resolved = true
	st := status(h)
	st.Replaced = replaced
	return st, s.WriteHeld(h)
}

// WaitingMerge reads the merge that waits on a branch; fail.ErrNotFound where none does.
func WaitingMerge(ctx context.Context, s *store.Store, target string) (*store.WaitingMerge, error) {
	h, err := s.ReadMerge(target)
	if err == nil && h == nil {
		names, listErr := s.BranchNames(ctx)
		if listErr != nil || len(names) == 0 {
			return nil, errors.Join(listErr, fail.New(fail.ErrNoMemory, fail.NoMemory, fail.ErrNoMemory.Error(), "git context init"))
		}
		err = noMerge(s, target, names)
	}
	return h, err
}

// noMerge is the error where no merge waits on a branch. Its hint names the branches on which one does.
func noMerge(s *store.Store, target string, names []string) error {
	var hints []string
	for _, name := range names {
		h, err := s.ReadMerge(name)
		if err != nil {
			return err
		}
		if h != nil {
			hints = append(hints, "git context merge --status --into "+name)
		}
	}
	if hints == nil {
		hints = []string{"git context merge NAME", "git context sync"}
	}
	return fail.New(fail.ErrNotFound, fail.NoMerge, fmt.Sprintf("no merge into '%s' is in progress", target), hints...)
}

// find looks a conflict up by its path. A topic may also be named by its key.
func find(h *store.WaitingMerge, path string) (*store.HeldConflict, error) {
	names := make([]string, len(h.Conflicts))
	for i := range h.Conflicts {
		p := &h.Conflicts[i]
		if names[i] = p.Path; p.Path == path || p.Path == doc.TopicPath(path) {
			return p, nil
		}
	}
	hints := []string{"git context merge --status"}
	if near := doc.Nearest(path, names); near != "" {
		hints = append(hints, fmt.Sprintf("did you mean '%s'?", near))
	}
	return nil, fail.New(fail.ErrNotFound, fail.ConflictNotFound, fmt.Sprintf("'%s' is not in conflict", prose.OneLine(path, 100)), hints...)
}

// Qualified returns the path of a conflict with its branch in front, where that is not the
// branch that the sync began on.
func Qualified(branch, current, path string) string {
	if branch == current || branch == "" {
		return path
	}
	return branch + ":" + path
}

// unqualified is the path alone.
func unqualified(path string) string {
	branch, rest, _ := strings.Cut(path, ":")
	if (strings.HasPrefix(rest, doc.TopicDir+"/") || strings.HasPrefix(rest, doc.MetadataFile+"#")) && store.CheckBranchName(branch) == nil {
		return rest
	}
	return path
}

// lockTarget keeps others from what waits on a branch.
func lockTarget(ctx context.Context, s *store.Store, target string) (string, *git.Lock, error) {
	target, err := OrCurrent(ctx, s, target)
	if err != nil {
		return "", nil, err
	}
	lock, err := s.Repo().Lock(ctx, store.BranchLock(target))
	return target, lock, err
}

// OrCurrent returns branch, or the current branch for "".
func OrCurrent(ctx context.Context, s *store.Store, branch string) (string, error) {
	if branch != "" {
		return branch, store.CheckBranchName(branch)
	}
	return s.Current(ctx)
}
