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
//  2. its object does not exist here, or has the wrong type;
//  3. a file among the refs is no ref;
//  4. its name is no valid branch name, or differs from another one by case alone;
//  5. there are branches and no roadmap.
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
		c.blocked = c.blocked || !p.Fixed
	}
	if c.blocked {
		return nil
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
	to, err := c.formerly(ctx, name)
	if err != nil {
		return err
	}
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

// dropLostMoves cleans a ref's reflog while its branch is locked: git deletes the lines by
// their number.
func (c *checker) dropLostMoves(ctx context.Context, name string) error {
	var held []string
	if branch, ok := git.BranchName(name); ok && git.CheckBranchName(branch) == nil {
		held = append(held, branch)
	}
	return c.s.WhileLocked(ctx, func() error { return c.s.Repo().DropLostMoves(ctx, name) }, held...)
}

// tracking reports whether a ref is a copy of what a remote or a bundle has.
func tracking(name string) bool {
	known := append(git.BundleTracking().All(), git.RemotePrefix, git.OtherPrefix, git.RemoteNotesPrefix)
	return slices.ContainsFunc(known, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

func isWork(name string) bool { return strings.HasPrefix(name, git.WorkPrefix) }

// formerly returns the newest existing commit that a ref is known to have named: by its reflog,
// else as a remote has it; "" for a tracking ref and for handed
// over code, of which an older one is of no use.
func (c *checker) formerly(ctx context.Context, name string) (git.ID, error) {
	if tracking(name) || isWork(name) {
		return "", nil
	}
	past, err := c.s.Repo().RefPast(name)
	if err != nil {
		return "", err
	}
	remotes, err := c.s.Repo().Remotes(ctx)
	if err != nil {
		return "", err
	}
	for _, remote := range remotes {
		id, err := c.s.Repo().Ref(ctx, git.RemoteTracking(remote).Of(name))
		if err == nil {
			past = append(past, id)
		}
	}
	if len(past) == 0 {
		return "", nil
	}
	infos, err := c.s.Repo().Infos(ctx, past)
	if err != nil {
		return "", err
	}
	for _, info := range infos {
		if info.Type == "commit" && c.whole(ctx, info.ID) {
			return info.ID, nil
		}
	}
	return "", nil
}

// whole reports whether a commit and its tree can be read.
func (c *checker) whole(ctx context.Context, id git.ID) bool {
	commit, err := c.s.Repo().Commit(ctx, id)
	if err != nil {
		return false
	}
	_, err = c.s.Repo().Tree(ctx, commit.Tree)
	return err == nil
}

// lostRefs reports refs whose commits are not here.
func (c *checker) lostRefs(ctx context.Context, list []git.Ref) error {
	ids := make([]git.ID, len(list))
	for i, r := range list {
		ids[i] = r.ID
	}
	infos, err := c.s.Repo().Infos(ctx, ids)
	if err != nil {
		return err
	}
	for i, r := range list {
		if infos[i].Type == "commit" {
			continue
		}
		now, err := c.s.Repo().Ref(ctx, r.Name)
		if err == nil && now == r.ID { // else it has moved, and gc has removed the old commit
			err = c.lostRef(ctx, r, infos[i].Type)
		}
		if err != nil && !errors.Is(err, git.ErrNotFound) {
			return err
		}
	}
	return nil
}

// lostRef reports one ref, by the type of the object that it names; "" for none.
func (c *checker) lostRef(ctx context.Context, r git.Ref, kind string) error {
	p := Problem{Kind: "ref-lost", Object: r.Name, Repair: FixCommand,
		Message: fmt.Sprintf("ref '%s' names %s, which is not here", r.Name, r.ID.Short())}
	if kind != "" {
		p.Message = fmt.Sprintf("ref '%s' names a %s, %s, and must name a commit", r.Name, kind, r.ID.Short())
	}
	to, err := c.formerly(ctx, r.Name)
	if err != nil {
		return err
	}
	switch {
	case to != "":
		p.Message += fmt.Sprintf("; the newest of its commits that is here is %s", to.Short())
	case isWork(r.Name):
	case tracking(r.Name):
		p.Message += "; the next fetch creates it again"
	default:
		p.Repair = fmt.Sprintf("git update-ref --no-deref -d %s %s", prose.ShellQuoted(r.Name), r.ID)
		c.report(ctx, nil, p)
		return nil
	}
	c.report(ctx, func(ctx context.Context) error {
		if err := c.moveRefs(ctx, "restore what is here", func(tx *git.Tx) {
			if to == "" {
				tx.Delete(r.Name, r.ID)
			} else {
				tx.Update(r.Name, to, r.ID)
			}
		}); err != nil {
			return err
		}
		return c.dropLostMoves(ctx, r.Name)
	}, p)
	return nil
}

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
