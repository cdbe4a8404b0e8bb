package fsck

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/share"
)

// checkDocuments checks the whole history of memory by the rules for incoming memory (see
// [incoming.Check]): commits, trees and documents exist and are valid. What a shallow or a
// partial clone leaves out is no problem. Lost objects may exist elsewhere: --fix mends only a branch that another
// program rewrote, see [checker.rewound], and ids that are ahead of the clock, see [checker.aheadBranches].
func checkDocuments(ctx context.Context, c *checker) error {
	v, err := c.memory(ctx)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	byRef := map[string][]Problem{}
	var refs []string
	c.blocked = c.blocked || len(c.holes) > 0 // other checks need what is lost, and would fail
	for _, f := range v.flaws {
		if c.holes[f.ID] {
			continue
		}
		if _, here := c.s.Repo().LooseFile(f.ID); here && f.Kind == incoming.FlawMissing {
			f.Kind, f.What = incoming.FlawDamaged, "it is damaged"
		}
		c.blocked = c.blocked || lost(f)
		keys := keys(f)
		if slices.ContainsFunc(keys, func(key string) bool { return seen[key] }) {
			continue
		}
		for _, key := range keys {
			seen[key] = true
		}
		p, err := v.problem(ctx, f)
		if err != nil {
			return err
		}
		if byRef[f.At.Ref] == nil {
			refs = append(refs, f.At.Ref)
		}
		byRef[f.At.Ref] = append(byRef[f.At.Ref], p)
	}
	if len(refs) > 0 && !c.blocked {
		if err := c.rewrittenBranches(ctx, v, byRef); err != nil {
			return err
		}
		if err := c.aheadBranches(ctx, v, byRef); err != nil {
			return err
		}
	}
	for _, ref := range refs {
		c.report(ctx, nil, byRef[ref]...)
	}
	return nil
}

// unsound reports whether memory contains something that cannot be read.
func (c *checker) unsound() bool { return c.loaded != nil && len(c.loaded.flaws) > 0 }

// lost reports whether the object cannot be read at all.
func lost(f incoming.Flaw) bool {
	return f.Kind == incoming.FlawMissing || f.Kind == incoming.FlawDamaged
}

// keys identify a flaw; two flaws that share a key are one problem. A lost object is one
// problem wherever it occurs; after one id ahead of the clock all later ones are; and an
// unknown folder may contain many unknown files.
func keys(f incoming.Flaw) []string {
	kind := string(f.Kind) + " "
	switch f.Kind {
	case incoming.FlawMissing, incoming.FlawDamaged:
		return []string{string(f.ID)}
	case incoming.FlawAhead:
		return []string{kind + f.At.Ref}
	case incoming.FlawTree:
		return []string{kind + f.Path + " " + string(f.ID), kind + path.Dir(f.Path) + " " + string(f.At.ID)}
	}
	return []string{kind + f.Path + " " + string(f.ID)}
}

func (v *memory) problem(ctx context.Context, f incoming.Flaw) (p Problem, err error) {
	p = Problem{Kind: string(f.Kind), Object: string(f.ID), Message: f.Error()}
	switch {
	case lost(f):
		p.Repair, err = v.bringBack(ctx, f)
		return p, err
	case f.Kind == incoming.FlawUnlisted:
		p.Object = string(f.At.ID)
	}
	p.Repair = v.repairWithout(f)
	if f.Kind == incoming.FlawAhead {
		p.Repair = "set the clock, if it is behind; else " + p.Repair
	}
	return p, nil
}

// bringBack returns how a lost object comes back: from a remote that has the memory. It must
// send everything again, because git assumes that what an existing commit leads to exists. Where the remote has no
// such commit either, git is told to leave it out, as at the edge of a shallow clone: the documents of newer commits
// have what it said, and sync finds the other clones' form of those.
func (v *memory) bringBack(ctx context.Context, f incoming.Flaw) (string, error) {
	remote, err := v.fetchedFrom(ctx)
	if err != nil {
		return "", err
	}
	if remote != "" {
		fetch, err := v.refetch(ctx, remote)
		return fetch + v.leaveOut(remote, f.ID), err
	}
	if _, here := v.s.Repo().LooseFile(f.ID); here || !v.fix { // see dropDamagedFiles and [checker.rebuild]
		return FixCommand, nil
	}
	return fetchFromClone, nil
}

// fetchFromClone is how an object comes back that no remote has.
var fetchFromClone = "git fetch --refetch PATH-OF-ANOTHER-CLONE " + prose.ShellQuoted(git.Root+"*:"+git.RemotePrefix+"clone/*")

// fetchedFrom returns the first remote that has memory; "" for none.
func (v *memory) fetchedFrom(ctx context.Context) (string, error) {
	remotes, err := v.s.Repo().Remotes(ctx)
	for _, remote := range remotes {
		of := func(t incoming.Tip) bool { return strings.HasPrefix(t.Name, git.RemotePrefix+remote+"/") }
		if slices.ContainsFunc(v.tips, of) {
			return remote, nil
		}
	}
	return "", err
}

// refetch returns the command that fetches all memory of a remote again. A partial clone gets texts with it, and nothing but memory.
func (v *memory) refetch(ctx context.Context, remote string) (string, error) {
	if v.clean == nil {
		clean, err := withoutDamaged(ctx, v.s)
		if err != nil {
			return "", err
		}
		v.clean = &clean
	}
	if partial, err := v.s.Repo().Partial(); partial || err != nil {
		return *v.clean + fetchRest(ctx, v.s, remote), err
	}
	return *v.clean + "git fetch --refetch " + prose.ShellQuoted(remote) + v.refspecs(ctx, remote), nil
}

// refspecs returns the arguments for a remote that a plain fetch brings no memory of: one that was added after init.
func (v *memory) refspecs(ctx context.Context, name string) (args string) {
	cfg, err := v.s.Repo().Config(ctx)
	if err != nil {
		return ""
	}
	wanted := share.WantedRefspecs(cfg, name)
	has := func(spec string) bool { return slices.Contains(cfg.All("remote."+name+".fetch"), spec) }
	if slices.ContainsFunc(wanted, has) {
		return ""
	}
	for _, spec := range wanted {
		args += " " + prose.ShellQuoted(spec)
	}
	return args
}

// leaveOut returns the end of a command line that leaves a parent out of history if it is still not here after the fetch. It is "" for the
// parent of a commit that no remote has: the repair that follows makes more of it.
func (v *memory) leaveOut(remote string, id git.ID) string {
	child := v.childOf[id]
	if child == "" || !v.isTracked(child) {
		return ""
	}
	return ifStillLost(remote, id, fmt.Sprintf(`echo %s >> "$(git rev-parse --git-path shallow)"`, child))
}

// ifStillLost returns the end of a command line that runs a command if an object is still not here after the fetch, and the remote can
// be reached; a fetch may fail over what is missing here.
func ifStillLost(remote string, id git.ID, command string) string {
	return fmt.Sprintf(`; git ls-remote -q %s >/dev/null && { git cat-file -e %s 2>/dev/null || %s; }`, prose.ShellQuoted(remote), id, command)
}

// repairWithout returns how to go on without a commit that contains something invalid:
//
//  1. what only a remote has is not taken in, and must be mended there: a sync says how, for a branch that is not here git context switch;
//  2. a deleted branch and a tag can be removed;
//  3. the newest commit of a branch can be taken off it;
//  4. an older commit stays: a new branch can start before it.
func (v *memory) repairWithout(f incoming.Flaw) string {
	ref, bad := f.At.Ref, f.At
	switch branch := v.onlyThere(ref); {
	case branch != "":
		return fmt.Sprintf("git context switch %s, which is refused, and says how to repair it on its remote", prose.ShellWord(branch))
	case !isOwn(ref):
		return fmt.Sprintf("repair '%s' on its remote, by the command that a sync prints; nothing of it is merged here", incoming.Printable(ref))
	case strings.HasPrefix(ref, git.DeletedPrefix):
		return fmt.Sprintf("git update-ref -d %s %s", ref, v.tipOf(ref))
	case strings.HasPrefix(ref, git.TagPrefix):
		return "git context tag -d " + strings.TrimPrefix(ref, git.TagPrefix)
	case bad.Roles == incoming.RoleNotes:
		return "git notes --ref=context prune, or remove by hand what is not a note"
	case len(bad.Parents) == 0:
		return "git log --stat " + string(v.tipOf(ref)) + ", then start again from a valid commit"
	case v.tipOf(ref) == bad.ID:
		return fmt.Sprintf("git update-ref %s %s %s", ref, bad.Parents[0], bad.ID)
	case bad.Roles&incoming.RoleRoadmap != 0:
		return fmt.Sprintf("git update-ref %s %s %s also removes all later commits", ref, bad.Parents[0], v.tipOf(ref))
	}
	name, _ := git.BranchName(ref)
	return fmt.Sprintf("git context branch %s-sound --from %s", name, bad.Parents[0].Short())
}

// onlyThere returns the branch of a tracking ref that is not here, so that no sync looks at it; "" for any other ref.
func (v *memory) onlyThere(ref string) string {
	_, branch, ok := git.TrackedBranch(ref)
	if !ok || v.tipOf(git.BranchRef(branch)) != "" {
		return ""
	}
	return branch
}

// tipOf returns the commit of a ref.
func (v *memory) tipOf(ref string) git.ID {
	for _, t := range v.tips {
		if t.Name == ref {
			return t.ID
		}
	}
	return ""
}
