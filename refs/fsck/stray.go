package fsck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
	"github.com/git-context/git-context/refs/maintain"
	"github.com/git-context/git-context/refs/prose"
)

// strayJournal checks a journal of no branch. gc removes an empty one. A file with a shortened
// name does not tell its branch.
func (c *checker) strayJournal(ctx context.Context, path string, branches map[string]string) error {
	file := filepath.Base(path)
	name := strings.ReplaceAll(strings.TrimSuffix(file, ".jsonl"), "%2F", "/")
	if git.CheckBranchName(name) != nil || journal.FileName(name) != file {
		return nil
	}
	// A branch gets its journal after its ref, except in a rename, which has the lock.
	if gone, err := c.branchGone(ctx, name); err != nil || !gone {
		return err
	}
	twin, err := maintain.TwinOf(path, branches)
	if err != nil {
		return err
	}
	if twin != "" {
		c.report(ctx, func(ctx context.Context) error { return c.dropTwin(ctx, name, twin) },
			Problem{Kind: "journal-renamed", Object: path, Repair: FixCommand,
				Message: fmt.Sprintf("the journal of branch '%s' is also that of '%s', which does not exist: a rename was interrupted",
					twin, name)})
		return nil
	}
	return c.lostSteps(ctx, path, name, "")
}

// setAside checks a journal that was put aside for a new branch of its name.
func (c *checker) setAside(ctx context.Context, path string, names []string) error {
	file, _, _ := strings.Cut(filepath.Base(path), ".orphan-")
	name := strings.ReplaceAll(strings.TrimSuffix(file, ".jsonl"), "%2F", "/")
	if git.CheckBranchName(name) != nil || journal.FileName(name) != file {
		return nil
	}
	used := append(names[:len(names):len(names)], name)
	to := fitName(name, used)
	for exists(c.s.JournalPath(to)) { // a missing branch may have one
		used = append(used, to)
		to = fitName(name, used)
	}
	return c.lostSteps(ctx, path, name, to)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// lostSteps reports steps in a journal of no branch that exist nowhere else. The repair makes
// the branch again at its old commit, under another name if that one is used.
func (c *checker) lostSteps(ctx context.Context, path, name, to string) error {
	data, err := readJournal(path)
	if err != nil || data == nil {
		return err
	}
	content, err := journal.Parse(data)
	if err != nil { // not a journal
		return nil
	}
	var at *git.Commit // nil: not here, or never known
	if git.IsID(content.Mark.Committed) {
		if at, err = c.s.Repo().Commit(ctx, git.ID(content.Mark.Committed)); err != nil &&
			!errors.Is(err, git.ErrNotFound) {
			return err
		}
	}
	from := content.Mark.Upto
	if at != nil {
		if from, err = c.s.CommittedUpTo(ctx, content, at); err != nil {
			return err
		}
	}
	held := map[string]bool{}
	for _, l := range content.After(from) {
		held[l.ID] = false
	}
	if err := maintain.FindSteps(ctx, c.s, held); err != nil {
		return err
	}
	maps.DeleteFunc(held, func(_ string, held bool) bool { return held })
	if len(held) == 0 {
		if to != "" { // a new branch of its name was made since
			return nil
		}
		return c.lostBranch(ctx, path, name, data)
	}
	p := Problem{Kind: "journal-lost", Object: path,
		Message: fmt.Sprintf("branch '%s' does not exist, and its journal contains %s that no branch contains", name,
			prose.Count(len(held), "step"))}
	switch {
	case at == nil:
		p.Repair = "record again what you need from '" + path + "', and remove it"
	case to == "":
		p.Repair = makeAt(name, at.ID)
		c.lost[name] = true
	default:
		p.Repair = fmt.Sprintf("mv %s %s && %s && %s", prose.ShellQuoted(path),
			prose.ShellQuoted(c.s.JournalPath(to)), makeAt(to, at.ID), FixCommand)
	}
	c.report(ctx, nil, p)
	return nil
}

// lostBranch reports a branch that was removed past this program, as `git fetch --prune` with the refspec
// of a mirror does, and whose commits no other ref has. Somebody may have meant that, so that people
// must decide.
func (c *checker) lostBranch(ctx context.Context, path, name string, data []byte) error {
	tip, err := maintain.LostTip(ctx, c.s, data)
	if err != nil || tip == "" || !c.whole(ctx, tip) {
		return err
	}
	if err := expunge.RefuseExpunged(ctx, c.s, tip, name, ""); errors.Is(err, fail.ErrRefused) {
		return nil
	} else if err != nil {
		return err
	}
	c.lost[name] = true
	c.report(ctx, nil, Problem{Kind: "branch-lost", Object: git.BranchRef(name), Repair: makeAt(name, tip),
		Message: fmt.Sprintf("branch '%s' does not exist, and no ref leads to the newest commit in its journal, %s; git gc will delete it. "+
			"If it may go: rm %s", name, tip.Short(), prose.ShellQuoted(path))})
	return nil
}

// makeAt returns the command that makes a branch at a commit unless it exists by then.
func makeAt(branch string, id git.ID) string {
	return fmt.Sprintf("git update-ref --create-reflog %s %s ''", git.BranchRef(branch), id)
}

// dropTwin removes the name of a journal that no branch has any more.
func (c *checker) dropTwin(ctx context.Context, gone, stays string) error {
	return c.s.WhileLocked(ctx, func() error {
		if _, err := c.s.Repo().Ref(ctx, git.BranchRef(gone)); !errors.Is(err, git.ErrNotFound) {
			return err
		}
		twin, err := maintain.TwinOf(c.s.JournalPath(gone), map[string]string{journal.FileName(stays): stays})
		if err != nil || twin == "" {
			return err
		}
		return os.Remove(c.s.JournalPath(gone))
	}, gone, stays)
}
