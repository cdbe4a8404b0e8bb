package share

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// A remote can have refs whose names are too long for this repository, see [git.Repo.CanHold]: packed refs have no limit,
// and those of a reftable and of files differ. git fetches nothing at all beside such a ref, or reports a failure.

const (
	mostNamesShown = 5    // of such refs in a message
	mostNameBytes  = 4000 // of names in a command, but one name at least: terminals cut longer lines
)

// fetchHeld fetches by refspecs, and by negative ones. Refs whose names are too long here are left out: they are looked for once
// a fetch has failed, because that costs a listing of the remote.
func (ex *exchanger) fetchHeld(ctx context.Context, refspecs, not []string) error {
	fetch := func() error {
		return ex.s.Repo().Fetch(ctx, git.FetchOptions{Remote: ex.peer.Name, Prune: true, Progress: ex.o.Progress,
			Refspecs: slices.Concat(refspecs, not, ex.unheld)})
	}
	err := fetch()
	for _, other := range []error{git.ErrUnreachable, git.ErrNotFound, git.ErrBadObject, git.ErrStale} {
		if errors.Is(err, other) {
			return err
		}
	}
	if err == nil || ctx.Err() != nil || !ex.s.Repo().CanHold(ctx, ex.peer.Tracking.Roadmap()) { // the remote's name is too long
		return err
	}
	list, listErr := ex.s.Repo().LsRemote(ctx, ex.peer.Name)
	if listErr != nil {
		return errors.Join(err, listErr)
	}
	long := slices.DeleteFunc(ex.s.Repo().LongNames(ctx, list, refspecs), func(n git.LongName) bool { return slices.Contains(ex.unheld, "^"+n.There) })
	if len(long) == 0 {
		return err
	}
	ex.leaveOut(long)
	for _, n := range long {
		ex.s.Repo().RemoveEmptyDirs(n.Here)
	}
	return fetch()
}

// leaveOut sets aside refs of the other side whose names are too long here. What is not memory under the names
// in use, or is none at all, only causes a warning.
func (ex *exchanger) leaveOut(long []git.LongName) {
	memory := memoryPatterns(ex.peer.Heads)
	var ours, others []string
	for _, n := range long {
		ex.unheld = append(ex.unheld, "^"+n.There)
		if slices.ContainsFunc(memory, func(p string) bool { return git.Matches(p, n.There) }) {
			ours = append(ours, n.There)
		} else {
			others = append(others, n.There)
		}
	}
	if len(others) > 0 {
		ex.warn(ex.tooLong(others).Error() + "; to delete them there: " + ex.deleteThere(others))
	}
	if len(ours) == 0 {
		return
	}
	why := ex.tooLong(ours)
	for _, name := range ours {
		ex.aside[git.NameHere(name, ex.peer.Heads)] = why
	}
}

// tooLong returns the error of refs of the other side whose names are too long.
func (ex *exchanger) tooLong(names []string) error {
	shown := make([]string, 0, mostNamesShown)
	for _, name := range names[:min(mostNamesShown, len(names))] {
		shown = append(shown, git.Shown(name))
	}
	list := prose.QuotedList(shown)
	if more := len(names) - len(shown); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	message := fmt.Sprintf("%s of '%s' cannot be fetched, because their names are too long for this repository: %s",
		prose.Count(len(names), "ref"), ex.peer.Name, list)
	if len(names) == 1 {
		message = fmt.Sprintf("%s of '%s' was not fetched: its name has %d bytes, which is too long for this repository",
			list, ex.peer.Name, len(names[0]))
	}
	return &fail.Error{Code: fail.IncomingInvalid, Kind: fail.ErrRefused, Message: message, Hints: ex.longHints(names)}
}

// longHints returns the commands that give a ref a name that is not too long, and that delete such refs.
func (ex *exchanger) longHints(names []string) []string {
	if ex.peer.Bundle {
		return []string{"delete or rename them where the bundle was made, and make it again"}
	}
	from, first := prose.ShellWord(ex.peer.Name), prose.ShellWord(names[0])
	for _, prefix := range []string{git.BranchPrefix, git.TagPrefix} {
		if prefix = git.NameOn(prefix, ex.peer.Heads); strings.HasPrefix(names[0], prefix) {
			return []string{"to rename it, before you delete it: git fetch --refmap= " + from + " " + first + " && " + ex.peer.PushCommand() + " " + from + " FETCH_HEAD:" + prefix + "NAME",
				ex.deleteThere(names)}
		}
	}
	return []string{ex.deleteThere(names)}
}

// deleteThere returns the command that deletes refs of the remote. Where there are many, the next exchange names the others.
func (ex *exchanger) deleteThere(names []string) string {
	command, size := ex.peer.PushCommand()+" "+prose.ShellWord(ex.peer.Name)+" --delete", 0
	for i, name := range names {
		if size += len(name); i > 0 && size > mostNameBytes {
			break
		}
		command += " " + prose.ShellWord(name)
	}
	return command
}
