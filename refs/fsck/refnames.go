package fsck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// refNames reports branches and tags with invalid names: commands refuse them, and other
// systems cannot store them.
func (c *checker) refNames(ctx context.Context, l git.Listed) {
	for _, prefix := range []string{git.BranchPrefix, git.TagPrefix} {
		var names []string
		first := map[string]string{} // by what those that differ by case alone have in common
		for _, r := range l.Refs {
			if name, ok := strings.CutPrefix(r.Name, prefix); ok {
				names = append(names, name)
				if key := strings.ToLower(name); first[key] == "" {
					first[key] = name
				}
			}
		}
		for _, r := range l.Refs {
			name, ok := strings.CutPrefix(r.Name, prefix)
			if !ok {
				continue
			}
			if err := git.CheckBranchName(name); err != nil {
				c.misnamed(ctx, r, prefix, names, strings.TrimPrefix(err.Error(), "branch name "))
				continue
			}
			// Of two that clash, report the later one by name.
			if have := first[strings.ToLower(name)]; have != name {
				c.misnamed(ctx, r, prefix, names, fmt.Sprintf("'%s' differs only by case from '%s'", name, have))
			}
		}
	}
}

// misnamed reports a ref with an invalid name. People choose names, so the repair is a command
// with a valid one.
func (c *checker) misnamed(ctx context.Context, r git.Ref, prefix string, names []string, why string) {
	name := strings.TrimPrefix(r.Name, prefix)
	to := fitName(name, names)
	repair := fmt.Sprintf("git update-ref --create-reflog %s %s '' && git update-ref --no-deref -d %s %s",
		prefix+to, r.ID, prose.ShellQuoted(r.Name), r.ID)
	if prefix == git.BranchPrefix && git.CheckBranchName(name) == nil {
		repair = fmt.Sprintf("git context branch -m %s %s", name, to)
	}
	c.report(ctx, nil, Problem{Kind: "ref-name", Object: r.Name, Message: "the name of ref " + why, Repair: repair})
}

// fitName makes a valid branch name from one that is invalid or clashes with used ones.
func fitName(name string, used []string) string {
	fit := strings.Map(func(r rune) rune {
		if r < 0x80 && (strings.ContainsRune("._-/", r) || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' ||
			r >= 'a' && r <= 'z') {
			return r
		}
		return '-'
	}, name)
	if git.CheckBranchName(fit) != nil {
		fit = "branch-" + strings.Trim(strings.NewReplacer("..", "-", "//", "/", "/.", "/-", ".lock",
			"-lock").Replace(fit), "./-")
	}
	if len(fit) > 100 || git.CheckBranchName(fit) != nil {
		fit = "branch"
	}
	for n := 2; ; n++ {
		try := fit
		if n > 2 || slices.ContainsFunc(used, func(have string) bool { return strings.EqualFold(have, fit) }) {
			try = fmt.Sprintf("%s-%d", fit, n)
		}
		if !slices.ContainsFunc(used, func(have string) bool {
			return have == try || store.NameClash(have, try) != ""
		}) {
			return try
		}
	}
}

// misfit reports a file among the refs that is no ref, as programs that copy folders leave
// them. git's lists leave it out, and a walk from all refs fails there.
func (c *checker) misfit(ctx context.Context, name string) {
	path := filepath.Join(c.s.Repo().CommonDir(), filepath.FromSlash(name))
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) || strings.HasSuffix(name, ".lock") {
		return
	}
	c.report(ctx, nil, Problem{Kind: "ref-name", Object: path, Repair: "rm " + prose.ShellQuoted(path),
		Message: fmt.Sprintf("'%s' is among the refs, but its name is invalid for a ref", git.Shown(name))})
}

// roadmapGone reports a memory without a roadmap. The newest commit made under one names it. What only a remote has may
// have been left out of what was taken in, and a sync says why.
func (c *checker) roadmapGone(ctx context.Context, list []git.Ref) error {
	there := func(r git.Ref) bool { return r.Name == git.RoadmapRef }
	branch := func(r git.Ref) bool { return strings.HasPrefix(r.Name, git.BranchPrefix) }
	if slices.ContainsFunc(list, there) || !slices.ContainsFunc(list, branch) {
		return nil
	}
	// Init moves several refs at once, and a list may show one of them without the others.
	if _, err := c.s.Repo().Ref(ctx, git.RoadmapRef); !errors.Is(err, git.ErrNotFound) {
		return err
	}
	to, err := c.newestRoadmap(ctx, list)
	if err != nil {
		return err
	}
	p := Problem{Kind: "roadmap-missing", Object: git.RoadmapRef, Message: "there are branches and no roadmap",
		Repair: FixCommand}
	if to == "" {
		p.Message += ", and no reflog shows what it was"
		p.Repair = "git context init"
		for _, r := range list {
			if name, ok := strings.CutSuffix(r.Name, "/roadmap"); ok && strings.HasPrefix(name, git.RemotePrefix) {
				name = strings.TrimPrefix(name, git.RemotePrefix)
				p.Message = fmt.Sprintf("there are branches and no roadmap; that of '%s' was not taken in", git.Shown(name))
				p.Repair = "git context sync " + prose.ShellWord(name)
			}
		}
		c.report(ctx, nil, p)
		return nil
	}
	p.Message += fmt.Sprintf("; the newest that is known is %s", to.Short())
	c.report(ctx, func(ctx context.Context) error {
		return c.moveRefs(ctx, "restore the roadmap", func(tx *git.Tx) { tx.Update(git.RoadmapRef, to, "") })
	}, p)
	return nil
}

// newestRoadmap returns the newest existing roadmap that a branch names.
func (c *checker) newestRoadmap(ctx context.Context, list []git.Ref) (git.ID, error) {
	var newest *git.Commit
	for _, r := range list {
		if !strings.HasPrefix(r.Name, git.BranchPrefix) {
			continue
		}
		tip, err := c.s.Repo().Commit(ctx, r.ID)
		if err != nil {
			return "", err
		}
		id, _ := store.ParseRoadmap(tip.Trailer(store.TrailerRoadmap))
		if !git.IsID(string(id)) || !c.whole(ctx, id) {
			continue
		}
		if found, err := c.s.Repo().Commit(ctx, id); err == nil &&
			(newest == nil || found.Committer.When.After(newest.Committer.When)) {
			newest = found
		}
	}
	if newest == nil {
		return "", nil
	}
	return newest.ID, nil
}
