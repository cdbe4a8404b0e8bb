package fsck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

// checkTracking looks for refs and local state of remotes that are gone. It does not drop
// commits that only those refs reach.
func checkTracking(ctx context.Context, c *checker) error {
	list, err := c.s.Repo().Refs(ctx, strings.TrimSuffix(git.RemotePrefix, "/"),
		strings.TrimSuffix(git.OtherPrefix, "/"), strings.TrimSuffix(git.SeenPrefix, "/"), strings.TrimSuffix(git.RemoteNotesPrefix, "/"))
	if err != nil {
		return err
	}
	var states []string
	for _, dir := range remoteStates {
		names, err := c.stateNames(dir)
		if err != nil {
			return err
		}
		states = append(states, names...)
	}
	// Read after the refs: a remote may have been added meanwhile.
	c.s.Repo().InvalidateConfig()
	cfg, err := c.s.Repo().Config(ctx)
	if err != nil {
		return err
	}
	remotes := cfg.Subsections("remote")
	if err := c.splitRemotes(ctx, remotes); err != nil {
		return err
	}
	gone := map[string][]git.Ref{}
	for _, r := range list {
		if from := remoteOf(r.Name, remotes); from != "" && !slices.Contains(remotes, from) {
			gone[from] = append(gone[from], r)
		}
	}
	for _, name := range states {
		name = remote.NameOf(name)
		if !slices.Contains(remotes, name) {
			gone[name] = gone[name][:len(gone[name]):len(gone[name])]
		}
	}
	for _, from := range slices.Sorted(maps.Keys(gone)) {
		if c.renamed[from] {
			continue
		}
		if err := c.goneRemote(ctx, from, gone[from]); err != nil {
			return err
		}
	}
	return nil
}

// remoteStates are the folders of local state with a file for each remote.
var remoteStates = [...]string{"shared", "seen", "held", "clean"}

// stateNames returns the remotes that have a file in such a folder, if the file's name tells.
func (c *checker) stateNames(dir string) ([]string, error) {
	files, err := os.ReadDir(c.s.StatePath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, f := range files {
		name := strings.ReplaceAll(f.Name(), "%2F", "/")
		if git.FileName(name, "") == f.Name() && !strings.Contains(name, "~") {
			names = append(names, name)
		}
	}
	return names, err
}

// remoteOf returns the remote of a tracking ref; "" if unknown. Names may contain slashes: the
// longest configured one counts, else what precedes the parts that every memory has.
func remoteOf(ref string, remotes []string) string {
	found := ""
	for _, remote := range remotes {
		known := append(git.RemoteTracking(remote).All(), git.OtherTracking(remote).All()...)
		if slices.ContainsFunc(known, func(prefix string) bool { return strings.HasPrefix(ref, prefix) }) &&
			len(remote) > len(found) {
			found = remote
		}
	}
	if found != "" {
		return found
	}
	if found, ok := git.OtherNotesRemote(ref); ok {
		return found
	}
	if found, _, ok := git.OtherRef(ref); ok {
		return found
	}
	if found, ok := git.SeenRemote(ref); ok {
		return found
	}
	if rest, ok := strings.CutPrefix(ref, git.RemoteNotesPrefix); ok {
		found, _ = strings.CutSuffix(rest, "/context")
		return found
	}
	found, rest := git.GoneTracking(ref)
	if rest == "" {
		found = strings.TrimPrefix(ref, git.RemotePrefix)
	}
	return found
}

// goneRemote reports what is left of a remote. Branches that only it had become deleted
// branches, which can be restored; people decide on other refs.
func (c *checker) goneRemote(ctx context.Context, remote string, list []git.Ref) error {
	alone, err := c.aloneIn(ctx, list)
	if err != nil {
		return err
	}
	p := Problem{Kind: "remote-gone", Object: git.RemoteTracking(remote).All()[0], Repair: FixCommand,
		Message: fmt.Sprintf("remote '%s' no longer exists, but its tracking refs remain", git.Shown(remote))}
	for _, r := range alone {
		if _, ok := c.deletedName(remote, r); !ok {
			p.Message += fmt.Sprintf("; '%s' has commits that exist nowhere else", git.Shown(r.Name))
			p.Object, p.Repair = r.Name, fmt.Sprintf("git update-ref --no-deref -d %s %s",
				prose.ShellQuoted(r.Name), r.ID)
			c.report(ctx, nil, p)
			return nil
		}
	}
	if len(alone) > 0 {
		p.Message += fmt.Sprintf(", with %s that nothing else has: git context branch --restore restores them",
			prose.Count(len(alone), "branch"))
	}
	c.report(ctx, func(ctx context.Context) error { return c.dropRemote(ctx, remote, list, alone) }, p)
	if len(alone) == 0 || !c.found[len(c.found)-1].Fixed {
		return nil
	}
	c.loaded = nil
	return checkHoles(ctx, c) // what is lost of them is ours now
}

// aloneIn returns those refs whose commits nothing else reaches.
func (c *checker) aloneIn(ctx context.Context, list []git.Ref) ([]git.Ref, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var options []string
	ids := make([]git.ID, len(list))
	for i, r := range list {
		ids[i] = r.ID
		options = append(options, "--exclude="+r.Name)
	}
	lost, err := code.Unreached(ctx, c.s, ids, append(options, "--all"))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(list), func(r git.Ref) bool { return !lost[r.ID] }), nil
}

// deletedName returns the ref of a deleted branch that keeps a branch of a removed remote.
func (c *checker) deletedName(remote string, r git.Ref) (string, bool) {
	name, ok := "", false
	for _, t := range []git.Tracking{git.RemoteTracking(remote), git.OtherTracking(remote), git.SeenTracking(remote)} {
		if !ok {
			name, ok = strings.CutPrefix(r.Name, t.Branches())
		}
	}
	if !ok || git.CheckBranchName(name) != nil {
		return "", false
	}
	id, err := c.s.NewID("")
	return git.DeletedRef(name, id), err == nil
}

// dropRemote removes everything that is kept of a remote.
func (c *checker) dropRemote(ctx context.Context, from string, list, alone []git.Ref) error {
	p := remote.Remote{Name: from, Tracking: git.RemoteTracking(from)}
	lock, err := remote.Lock(ctx, c.s, p)
	if err != nil {
		return err
	}
	held, err := expunge.ReadDirtyState(c.s, p)
	if err != nil {
		return errors.Join(err, lock.Unlock())
	}
	err = c.moveRefs(ctx, "forget from "+prose.OneLine(from, 100), func(tx *git.Tx) {
		for _, r := range alone {
			if to, ok := c.deletedName(from, r); ok {
				tx.Update(to, r.ID, "")
			}
		}
		for _, r := range list {
			tx.Delete(r.Name, r.ID)
		}
	})
	if err == nil && len(held.Purge) > 0 { // its expunged objects still have to go
		_, err = pack.Purge(ctx, c.s.Repo(), held.Purge)
	}
	for _, p := range []remote.Remote{p, p.Other(), (remote.Remote{Name: from, Heads: true}).Other()} { // which names were in use is not known any more
		for _, name := range []string{p.SharedName(), p.SeenName(), expunge.DirtyStateName(p), expunge.CleanStateName(p)} {
			if err == nil {
				err = removeFile(c.s.StatePath(name))
			}
		}
	}
	return errors.Join(err, lock.Unlock())
}

// removeFile removes a file that may be gone.
func removeFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// checkBundle looks for the tracking refs of a bundle that no unbundle takes in any more.
func checkBundle(ctx context.Context, c *checker) error {
	left, err := expunge.LeftOfBundle(ctx, c.s)
	if err != nil || len(left) == 0 {
		return err
	}
	c.report(ctx, func(ctx context.Context) error {
		_, err := expunge.DropBundle(ctx, c.s, c.w)
		return err
	}, Problem{Kind: "bundle-left", Object: left[0].Name, Repair: FixCommand,
		Message: fmt.Sprintf("an interrupted unbundle left %s, such as '%s': what was expunged since the bundle was made may be there",
			prose.Count(len(left), "ref"), git.Shown(left[0].Name))})
	return nil
}
