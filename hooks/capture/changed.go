package capture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/refs/code"
)

// Bounds of what git is asked about the code.
const (
	codeWait  = 40 * time.Millisecond // unless context.codeWait is set; the client waits for it
	afterTurn = time.Minute           // a command that was killed wrote no record of its end
)

// codeState is what git says of the code at the end of turns.
type codeState struct {
	head  string   // the code's commit
	files []string // that are not committed and were written during the turns, relative to the session's directory
}

// code asks git for the code's state. The tools of an agent name the files that they write, its
// shell commands do not: those are the files that git lists as changed and whose time is within
// the turns. Another program that writes in the same worktree meanwhile cannot be told apart.
func (c *capturing) code(ctx context.Context, turns []agent.Turn) (codeState, error) {
	from, until := worked(turns)
	wait := c.policy.codeWait
	if from.IsZero() || c.policy.commit == commitOff || c.turn.Subagent != "" {
		wait = 0
	}
	st, err := code.ReadState(ctx, c.s, wait)
	if err != nil && wait > 0 { // a broken index, for one, must not keep the turn from being recorded
		c.incomplete = fmt.Errorf("the files that the turn changed are not known: %w", err)
		st, err = code.ReadState(ctx, c.s, 0)
	}
	if err != nil {
		return codeState{}, err
	}
	if st.Lacking {
		c.incomplete = errors.New("the files that the turn changed are not known: objects of the code are not here")
	}
	var now codeState
	if st.Commit != nil {
		now.head = string(*st.Commit)
	}
	top, dir := c.s.Repo().WorkTree(), resolved(c.turn.Dir)
	for _, edit := range st.Uncommitted {
		path := filepath.Join(top, filepath.FromSlash(edit.Path))
		info, err := os.Lstat(path)
		// A file that was removed, or cannot be looked at, has no time that says when.
		if err != nil || !during(info.ModTime(), from, until) {
			continue
		}
		name := edit.Path
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			name = filepath.ToSlash(rel)
			if strings.HasSuffix(edit.Path, "/") { // an untracked folder
				name += "/"
			}
		}
		if c.ignore == nil || !c.ignore.path(edit.Path) && !c.ignore.path(name) {
			now.files = append(now.files, name)
		}
	}
	return now, nil
}

// worked returns from when to when tools may have written files in turns; the zero time if no
// tool was called.
func worked(turns []agent.Turn) (from, until time.Time) {
	for _, t := range turns {
		if t.Calls == 0 {
			continue
		}
		if from.IsZero() || t.Begin.Before(from) {
			from = t.Begin
		}
		if end := t.End.Add(afterTurn); end.After(until) {
			until = end
		}
	}
	return from, until
}

// during reports whether a file's time is within turns. Some file systems have whole seconds.
func during(at, from, until time.Time) bool {
	if at.Nanosecond() == 0 {
		from = from.Truncate(time.Second)
	}
	return !at.Before(from) && !at.After(until)
}
