package code

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Work is uncommitted code that is handed over.
type Work struct {
	Commit git.ID `json:"commit"` // in the form of an entry of git stash
	Base   git.ID `json:"base"`   // the code commit that it was made on
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"` // of their contents
}

func newWork(st *git.Stash, c *git.StashContent) *Work {
	return &Work{Commit: st.ID, Base: st.Base, Files: c.Files(), Bytes: c.Bytes}
}

// SaveWork stores what of the code is not committed, untracked files included and ignored ones not. It
// changes neither the worktree nor the index, and moves no ref. It returns nil if everything is committed.
// Repositories and submodules inside of the worktree stay out.
func SaveWork(ctx context.Context, s *store.Store) (*Work, error) {
	if err := maySaveWork(ctx, s); err != nil {
		return nil, err
	}
	untracked, err := s.Repo().UntrackedFiles(ctx)
	if err != nil {
		return nil, err
	}
	edited, err := s.Repo().Edited(ctx, false)
	if err != nil {
		return nil, err
	}
	// Before anything is stored: objects that are too large would stay until git's gc.
	if err := checkSizes(s, append(edited, untracked...)); err != nil {
		return nil, err
	}
	ident, err := s.Identity(ctx)
	if err != nil {
		return nil, err
	}
	now, err := s.Stamp()
	if err != nil {
		return nil, err
	}
	st, err := s.Repo().CreateStash(ctx, store.WorkMessage(), git.Signature{Name: ident.Name, Email: ident.Email, When: now}, untracked)
	if git.ExitCode(err) > 0 {
		return nil, &fail.Error{Code: fail.WorkRefused, Kind: fail.ErrRefused, Err: err, Hints: []string{"git status"},
			Message: "git does not save the uncommitted code"}
	}
	if err != nil || st == nil {
		return nil, err
	}
	c, err := s.Repo().StashContent(ctx, st)
	if errors.Is(err, git.ErrStashTooLarge) {
		err = &fail.Error{Code: fail.WorkTooLarge, Kind: fail.ErrRefused, Err: err, Message: "the uncommitted code cannot be handed over",
			Hints: []string{"git commit", "git context handover"}}
	}
	if err == nil && c.Bytes > store.MaxWork {
		err = tooLarge(c.Bytes, c.Largest)
	}
	if err != nil {
		return nil, err
	}
	return newWork(st, c), nil
}

// maySaveWork refuses states of the code of which git makes no stash, or half of one.
func maySaveWork(ctx context.Context, s *store.Store) error {
	if s.Repo().WorkTree() == "" {
		return fail.New(fail.ErrRefused, fail.NoWorktree, "there is no worktree here whose code could be handed over", "git context handover")
	}
	head, err := s.CodeHead(ctx)
	if err != nil {
		return err
	}
	if head == "" {
		return fail.New(fail.ErrRefused, fail.CodeUnborn,
			"the code has no commit on this branch yet, on which uncommitted code could be handed over",
			"git add FILE... && git commit", "git context handover")
	}
	switch doing, err := s.Repo().InProgress(ctx); {
	case err != nil:
		return err
	case doing != "" && doing != "bisect":
		return fail.New(fail.ErrRefused, fail.CodeBusy, fmt.Sprintf("a %s of the code is in progress", doing),
			"git "+doing+" --continue", "git "+doing+" --abort")
	}
	return checkMerged(ctx, s)
}

// checkMerged refuses an index with conflicts.
func checkMerged(ctx context.Context, s *store.Store) error {
	open, err := s.Repo().Unmerged(ctx)
	if err != nil || len(open) == 0 {
		return err
	}
	return fail.New(fail.ErrRefused, fail.CodeBusy, "the code has conflicts that are not resolved: "+quoteSome(open), "git status")
}

// checkSizes refuses files of the worktree that are too large together.
func checkSizes(s *store.Store, paths []string) error {
	var sum, most int64
	largest := ""
	for _, path := range paths {
		info, err := os.Lstat(filepath.Join(s.Repo().WorkTree(), filepath.FromSlash(path)))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // deleted, maybe because a file has replaced its directory
			continue
		}
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		if sum += info.Size(); info.Size() > most {
			most, largest = info.Size(), path
		}
	}
	if sum > store.MaxWork {
		return tooLarge(sum, largest)
	}
	return nil
}

func tooLarge(size int64, largest string) error {
	name := prose.OneLine(largest, 200)
	return fail.New(fail.ErrRefused, fail.WorkTooLarge,
		fmt.Sprintf("the uncommitted code has %d bytes; at most %d can be handed over, and '%s' is the largest file", size, store.MaxWork, name),
		"let git ignore '"+name+"', in .gitignore", "git commit", "git context handover")
}

// OfferedWork returns the code that was handed over with the newest COMMIT of a branch, unless it is not here or
// the worktree has it; nil for none. It costs nothing where the newest COMMIT handed no code over. Git
// gets the time of wait to say whether the worktree has it; if that is not known, it is offered. Where objects of it or
// of its base are not here, as in a treeless clone, it counts as not here.
func OfferedWork(ctx context.Context, s *store.Store, tip *store.Tip, wait time.Duration) (*Work, error) {
	if s.Repo().WorkTree() == "" || store.WorkOf(tip.Commit()) == "" {
		return nil, nil
	}
	st, c, err := workHere(ctx, s, tip)
	if git.NotHere(err) {
		return nil, nil
	}
	if st == nil || err != nil {
		return nil, err
	}
	if wait > 0 {
		limited, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		state, err := s.Repo().StashState(limited, st, c)
		unknown := limited.Err() != nil && ctx.Err() == nil || git.NotHere(err)
		if !unknown && (err != nil || state.Whole()) {
			return nil, err
		}
	}
	return newWork(st, c), nil
}

// workHere returns what the newest COMMIT handed over, if the branch's ref keeps it here; else nil. Code that no
// such ref names was not checked.
func workHere(ctx context.Context, s *store.Store, tip *store.Tip) (st *git.Stash, c *git.StashContent, err error) {
	have, err := s.Repo().Ref(ctx, git.WorkRef(tip.Name()))
	if err == nil && have == store.WorkOf(tip.Commit()) {
		if st, err = s.Repo().ReadStash(ctx, have); err == nil {
			c, err = s.Repo().StashContent(ctx, st)
		}
	}
	if errors.Is(err, git.ErrNotFound) {
		return nil, nil, nil
	}
	return st, c, err
}

// TakeResult is what Take did.
type TakeResult struct {
	Branch    store.Branch `json:"branch"`
	Work      *Work        `json:"work"`
	Head      git.ID       `json:"head"`      // the code commit that it was applied on
	Index     bool         `json:"index"`     // what was staged is staged again
	Unchanged bool         `json:"unchanged"` // the worktree had it already
	Conflicts []string     `json:"conflicts"` // files with conflict markers
}

// Take switches to a branch ("": the current one) and applies the uncommitted code that was handed over with its
// newest COMMIT, as `git stash apply --index` does. fail.ErrConflict: git has put conflict markers into
// files; the result names them. fail.ErrRefused: git would overwrite something; nothing was changed, and the
// branch is the former one. fail.ErrNotFound: there is no such code, or it is not here.
func Take(ctx context.Context, s *store.Store, name string) (TakeResult, error) {
	res := TakeResult{Conflicts: []string{}}
	if name == "" {
		err := take(ctx, s, name, &res)
		return res, err
	}
	former, err := s.Repo().SymbolicRef(ctx, git.HeadName)
	if err != nil && !errors.Is(err, git.ErrNotFound) {
		return res, err
	}
	if _, err = s.Switch(ctx, name); err != nil {
		return res, err
	}
	err = take(ctx, s, name, &res)
	if was, ok := git.BranchName(former); ok && was != name && err != nil && !errors.Is(err, fail.ErrConflict) {
		_, back := s.Switch(context.WithoutCancel(ctx), was)
		err = errors.Join(err, back)
	}
	return res, err
}

func take(ctx context.Context, s *store.Store, name string, res *TakeResult) (err error) {
	if s.Repo().WorkTree() == "" {
		return fail.New(fail.ErrRefused, fail.NoWorktree, "there is no worktree here that could take code", "git context switch NAME")
	}
	if res.Head, err = s.CodeHead(ctx); err != nil {
		return err
	}
	if res.Head == "" {
		return fail.New(fail.ErrRefused, fail.CodeUnborn, "the code has no commit on this branch yet", "git pull")
	}
	tip, err := s.Tip(ctx, name)
	if err != nil {
		return err
	}
	if res.Branch, err = s.BranchOf(ctx, tip); err != nil {
		return err
	}
	st, c, err := workHere(ctx, s, tip)
	switch {
	case err != nil:
		return err
	case st == nil && store.WorkOf(tip.Commit()) == "":
		return fail.New(fail.ErrNotFound, fail.WorkNone,
			fmt.Sprintf("the newest commit of branch '%s' handed over no uncommitted code", tip.Name()),
			"git context", "git context handover --with-changes")
	case st == nil:
		return fail.New(fail.ErrNotFound, fail.WorkNotHere,
			fmt.Sprintf("the uncommitted code of branch '%s' is not here", tip.Name()), "git context sync")
	}
	res.Work = newWork(st, c)
	state, err := s.Repo().StashState(ctx, st, c)
	if err != nil {
		return err
	}
	if res.Index, res.Unchanged = state.Tracked, state.Whole(); res.Unchanged {
		return nil
	}
	if err := checkMerged(ctx, s); err != nil {
		return err
	}
	return res.takeAll(ctx, s, st, c, state)
}

// takeAll refuses what would overwrite something, then applies the tracked files and writes the others.
func (res *TakeResult) takeAll(ctx context.Context, s *store.Store, st *git.Stash, c *git.StashContent, state *git.StashState) error {
	if err := checkFree(state.Blocked); err != nil {
		return err
	}
	if !state.Tracked {
		lost, err := s.Repo().StashInTheWay(ctx, st)
		if err != nil {
			return err
		}
		if len(lost) > 0 {
			return fail.New(fail.ErrRefused, fail.WorkRefused,
				"the code that was handed over would overwrite files that git does not track: "+quoteSome(lost), "move or remove them")
		}
	}
	if err := checkApart(ctx, s, st, c); err != nil {
		return err
	}
	// A process that was killed between the two has applied the tracked files.
	var conflict error
	if !state.Tracked {
		conflict = res.apply(ctx, s, st)
	}
	if conflict != nil && !errors.Is(conflict, fail.ErrConflict) {
		return conflict
	}
	fault.Point("work-applied")
	if conflict != nil { // which may have kept a file that others were to replace
		var err error
		if state, err = s.Repo().StashState(ctx, st, c); err != nil {
			return errors.Join(conflict, err)
		}
		return errors.Join(conflict, checkFree(append(state.Blocked, state.Waiting...)), s.Repo().RestoreUntracked(ctx, st, state.Absent))
	}
	return s.Repo().RestoreUntracked(ctx, st, append(state.Absent, state.Waiting...))
}

// checkFree refuses untracked files in whose place there is something else.
func checkFree(blocked []string) error {
	if len(blocked) == 0 {
		return nil
	}
	return fail.New(fail.ErrRefused, fail.WorkRefused,
		"untracked files are handed over that exist here: "+quoteSome(blocked), "move or remove them")
}

// checkApart refuses untracked files below a tracked file, such as a symbolic link. git makes no such entry, and
// would apply the tracked files before it refuses the others.
func checkApart(ctx context.Context, s *store.Store, st *git.Stash, c *git.StashContent) error {
	w, err := s.Repo().Commit(ctx, st.ID)
	if err != nil {
		return err
	}
	tree := s.Repo().Edit(w.Tree)
	for untracked := range c.Untracked {
		for i := strings.LastIndexByte(untracked, '/'); i > 0; i = strings.LastIndexByte(untracked[:i], '/') {
			at := untracked[:i]
			if _, changed := slices.BinarySearch(c.Paths, at); !changed {
				continue
			}
			e, exists, err := tree.Entry(ctx, at)
			if err != nil {
				return err
			}
			if exists && e.Mode != git.ModeTree { // else a folder has replaced it
				return fail.New(fail.ErrRefused, fail.WorkRefused,
					fmt.Sprintf("the code that was handed over has both '%s' and '%s'", git.Shown(at), git.Shown(untracked)), "git context show")
			}
		}
	}
	return nil
}

// apply has git apply the tracked files: with what was staged, else without.
func (res *TakeResult) apply(ctx context.Context, s *store.Store, st *git.Stash) error {
	var failed error
	for _, index := range []bool{true, false} {
		failed = s.Repo().ApplyStash(ctx, st, index)
		if failed == nil {
			res.Index = index
			return nil
		}
		if git.ExitCode(failed) < 0 {
			return failed
		}
		open, err := s.Repo().Unmerged(ctx)
		if err != nil {
			return err
		}
		if len(open) > 0 {
			res.Conflicts = open
			return fail.New(fail.ErrConflict, fail.WorkConflict,
				"the code that was handed over conflicts with the code here in "+quoteSome(open),
				"git status", "git add FILE... once the conflict markers are gone")
		}
	}
	return &fail.Error{Code: fail.WorkRefused, Kind: fail.ErrRefused, Err: failed, Hints: []string{"git stash", "git status"},
		Message: "git does not apply the code that was handed over"}
}
