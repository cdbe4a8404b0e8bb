package remote

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Overwrites is what a fetch refspec of a remote does to memory: a plain `git fetch` moves refs of this
// repository's own to what the remote has, backwards too, and with --prune deletes them. A refspec for
// them needs no "+": git forces all but branches and tags of the code.
type Overwrites struct {
	Key, Refspec string
	// Exclude are the negative refspecs (git 2.29 and newer) that spare memory.
	Exclude []string
	// Alone says that the refspec brings nothing but memory, and should go. A refspec that is neither is
	// left to people.
	Alone bool
}

// SpareMemory are those refspecs.
var SpareMemory = []string{"^" + git.Root + "*", "^" + git.NotesRef}

// String says it.
func (o Overwrites) String() string {
	return fmt.Sprintf("a plain fetch overwrites memory of this repository: %s has '%s'", o.Key, git.Shown(o.Refspec))
}

// OverwritingRefspecs returns the fetch refspecs of a remote that write to memory. A mirror that memory is
// not written in, because no worktree has a CONTEXT_HEAD, has every ref in its own place.
func OverwritingRefspecs(ctx context.Context, s *store.Store, name string) ([]Overwrites, error) {
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return nil, err
	}
	list := Overwriting(cfg, name)
	if len(list) == 0 {
		return nil, nil
	}
	if has, err := s.Repo().HasHead(ctx); err != nil || !has {
		return nil, err
	}
	return list, nil
}

// Overwriting returns them whether memory is written here or not.
func Overwriting(cfg *git.Config, name string) []Overwrites {
	key := "remote." + name + ".fetch"
	specs := cfg.All(key)
	var list []Overwrites
	for _, spec := range specs {
		if o := (Overwrites{Key: key, Refspec: spec}); o.find(specs) {
			list = append(list, o)
		}
	}
	return list
}

// find looks for the refs that a refspec writes and the negative ones among specs do not spare.
func (o *Overwrites) find(specs []string) bool {
	src, dst, ok := strings.Cut(strings.TrimPrefix(o.Refspec, "+"), ":")
	if !ok || strings.HasPrefix(o.Refspec, "^") {
		return false
	}
	found := false
	o.Alone = strings.HasPrefix(dst, git.Root) || strings.HasPrefix(dst, git.NotesRef)
	for _, area := range []string{git.BranchPrefix + "*", git.RoadmapRef, git.TagPrefix + "*", git.NotesRef} {
		middle, writes := writesTo(dst, area)
		if !writes || spared(specs, strings.Replace(src, "*", middle, 1)) {
			continue
		}
		found = true
		exclude := SpareMemory[0]
		if area == git.NotesRef {
			exclude = SpareMemory[1]
		}
		if src == dst && !o.Alone && !slices.Contains(o.Exclude, exclude) {
			o.Exclude = append(o.Exclude, exclude)
		}
	}
	return found
}

// writesTo reports whether a destination, which may be a pattern, has a ref of an area, and what its "*" is then.
func writesTo(dst, area string) (middle string, ok bool) {
	ref, within := strings.CutSuffix(area, "*")
	before, after, pattern := strings.Cut(dst, "*")
	switch {
	case !pattern:
		return "", dst == ref || within && strings.HasPrefix(dst, ref)
	case within && strings.HasPrefix(before, ref):
		return "x", true
	case within:
		ref += "x" + after // a branch that the pattern has
	}
	if len(ref) < len(before)+len(after) || !strings.HasPrefix(ref, before) || !strings.HasSuffix(ref, after) {
		return "", false
	}
	return ref[len(before) : len(ref)-len(after)], true
}

// spared reports whether a negative refspec leaves a ref of the remote out.
func spared(specs []string, ref string) bool {
	return slices.ContainsFunc(specs, func(spec string) bool {
		negative, ok := strings.CutPrefix(spec, "^")
		before, after, pattern := strings.Cut(negative, "*")
		if !pattern {
			return ok && ref == negative
		}
		return ok && len(ref) >= len(before)+len(after) && strings.HasPrefix(ref, before) && strings.HasSuffix(ref, after)
	})
}
