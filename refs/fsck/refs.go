package fsck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// checkRefs checks every ref of memory:
//
//  1. its file names no object, after a power cut or an edit by hand;
//  2. its object does not exist here, has the wrong type, or lacks files: see [checker.lostRefs];
//  3. a file among the refs is no ref;
//  4. its name is no valid branch name, or differs from another one by case alone;
//  5. there are branches and no roadmap;
//  6. it fell back to an older value: see [checker.behindRefs].
//
// The first three keep git from reading all refs: nothing else can be checked until they are
// mended.
func checkRefs(ctx context.Context, c *checker) error {
	l, err := c.s.Repo().ListRefs(ctx, memoryPrefixes()...)
	if err != nil {
		return err
	}
	before := len(c.found)
	for _, name := range l.Broken {
		if err := c.brokenRef(ctx, name); err != nil {
			return err
		}
	}
	if err := c.lostRefs(ctx, l.Refs); err != nil {
		return err
	}
	for _, name := range l.Misfit {
		c.misfit(ctx, name)
	}
	for _, p := range c.found[before:] {
		c.blocked = c.blocked || !p.Fixed && p.Kind != mistyped
	}
	if c.blocked {
		return nil
	}
	if err := c.behindRefs(ctx, l.Refs); err != nil {
		return err
	}
	c.refNames(ctx, l)
	return c.roadmapGone(ctx, l.Refs)
}

// memoryPrefixes returns the prefixes of all refs of memory.
func memoryPrefixes() []string {
	return []string{strings.TrimSuffix(git.Root, "/"), git.NotesRef, strings.TrimSuffix(git.RemoteNotesPrefix, "/")}
}

// brokenRef reports a ref whose file names no object.
func (c *checker) brokenRef(ctx context.Context, name string) error {
	// To git's list a ref that is written, deleted or renamed at that moment is broken, too.
	if id, err := c.s.Repo().Ref(ctx, name); err == nil && !id.IsZero() {
		return nil
	}
	if file, ok := c.s.Repo().RefFile(name); ok && !exists(file) {
		return nil
	}
	p := Problem{Kind: "ref-broken", Object: name, Repair: FixCommand,
		Message: fmt.Sprintf("ref '%s' names no object", name)}
	past, err := c.formerly(ctx, name)
	if err != nil {
		return err
	}
	to := past.id
	if _, ok := c.s.Repo().RefFile(name); !ok {
		return nil // one that is no file is git's to mend
	}
	switch {
	case to != "":
		p.Message += fmt.Sprintf("; it was at %s", to.Short())
	case isWork(name):
	case tracking(name):
		p.Message += "; the next fetch creates it again"
	default:
		file, _ := c.s.Repo().RefFile(name)
		p.Message += ", and no reflog shows what it was"
		p.Repair = "rm " + prose.ShellQuoted(file)
		c.report(ctx, nil, p)
		return nil
	}
	c.report(ctx, func(ctx context.Context) error {
		if err := c.s.Repo().ReplaceBroken(name, to); err != nil {
			return err
		}
		return c.dropLostMoves(ctx, name)
	}, p)
	return nil
}

// tracking reports whether a ref is a copy of what a remote or a bundle has.
func tracking(name string) bool {
	known := append(git.BundleTracking().All(), git.RemotePrefix, git.OtherPrefix, git.SeenPrefix, git.RemoteNotesPrefix)
	return slices.ContainsFunc(known, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

func isWork(name string) bool { return strings.HasPrefix(name, git.WorkPrefix) }

// moveRefs moves refs in one transaction, without a commit.
func (c *checker) moveRefs(ctx context.Context, reason string, queue func(*git.Tx)) error {
	id, err := c.s.Repo().Committer(ctx)
	if err != nil {
		return err
	}
	tx, err := c.s.Repo().Begin(ctx, git.TxOptions{Message: "context fsck: " + reason,
		Committer: git.Identity{Name: id.Name, Email: id.Email}})
	if err != nil {
		return err
	}
	queue(tx)
	return errors.Join(tx.Commit(ctx), tx.Close())
}
