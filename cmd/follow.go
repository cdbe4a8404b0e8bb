package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

// followWait is the time between two looks at the files of a branch. A look takes four calls of stat.
const followWait = 200 * time.Millisecond

// followed is the number of the newest steps among which follow looks for new ones. Until all of them are new it
// looks at twice as many.
const followed = 64

// follow prints the newest steps of a branch, and then each step that is recorded or that comes with a merge or a
// sync, until the branch is deleted. It starts git only when the branch has changed.
type follow struct {
	*contextOptions
	env    *Env
	branch string          // pinned: a switch does not change what is followed
	seen   map[string]bool // ids of the newest steps, printed ones
}

func runFollow(ctx context.Context, env *Env, o *contextOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.view != "" {
		o.branch = o.view
	}
	f := &follow{contextOptions: o, env: env, branch: o.branch}
	state, err := f.look(ctx, o.wholeSteps())
	for err == nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(followWait):
		}
		if now := state.read(); now != state.text {
			state, err = f.look(ctx, 0)
		}
	}
	if errors.Is(err, fail.ErrNotFound) && f.seen != nil {
		return fmt.Errorf("branch '%s' was deleted or renamed: %w", f.branch, err)
	}
	return err
}

// look prints what is new; at first, the newest n steps. It opens the repository anew, because a process of git that
// stays open does not see every repack. What changes after the state was read is found by the next look.
func (f *follow) look(ctx context.Context, n int) (state branchState, err error) {
	f.globals.branch = f.branch
	s, err := f.open(ctx, f.env)
	if err != nil {
		return state, err
	}
	defer closing(s, &err)
	if f.branch == "" {
		if f.branch, err = s.Current(ctx); err != nil {
			return state, err
		}
	}
	state = newBranchState(s, f.branch)
	first := f.seen == nil
	for ask := max(n, followed); ; ask *= 2 {
		v, err := render.NewLog(ctx, s, render.Where{Branch: f.branch}, 0, ask, f.json)
		if err != nil {
			return state, err
		}
		fresh := v.Steps[:0:0]
		for i, step := range v.Steps {
			if !f.seen[step.ID] && (!first || i >= len(v.Steps)-n) {
				fresh = append(fresh, step)
			}
		}
		if !first && len(fresh) == len(v.Steps) && len(v.Steps) < v.Total {
			continue // older ones may be new, too
		}
		f.seen = make(map[string]bool, len(v.Steps))
		for _, step := range v.Steps {
			f.seen[step.ID] = true
		}
		return state, f.print(fresh)
	}
}

func (f *follow) print(steps []store.Step) error {
	var b bytes.Buffer
	if f.json {
		for _, step := range steps {
			if err := render.WriteJSON(&b, step); err != nil {
				return err
			}
		}
	} else if len(steps) > 0 {
		render.StepsText(&render.Printer{W: &b, Width: f.env.Term.Width, Now: f.env.Now(), Self: self}, steps)
	}
	if b.Len() == 0 {
		return nil
	}
	return f.env.write(b.String())
}

// branchState is what the files say that change when a branch gets a step: its journal, and those that contain the
// ref, loose, packed or in a reftable.
type branchState struct {
	files []string
	text  string
}

func newBranchState(s *refs.Store, branch string) branchState {
	common := s.Repo().CommonDir()
	b := branchState{files: []string{
		s.JournalPath(branch),
		filepath.Join(common, "packed-refs"),
		filepath.Join(common, "reftable", "tables.list"),
	}}
	if path, ok := s.Repo().RefFile(git.BranchRef(branch)); ok {
		b.files = append(b.files, path)
	}
	b.text = b.read()
	return b
}

func (b branchState) read() string {
	var text strings.Builder
	for _, path := range b.files {
		if info, err := os.Stat(path); err == nil { // a file that cannot be read is read by git, which reports it
			fmt.Fprintf(&text, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return text.String()
}
