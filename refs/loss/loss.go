// Package loss finds what commits of memory lack of their parents, and brings it back.
//
// A commit of memory contains what its parents contain: every step and commit under its id,
// unchanged, every file that a step keeps, and every topic, key of metadata.yaml and item of the roadmap, with its outcome,
// that was not removed by an act with a record of its own, the trailer Context-Removes. Only the first commit of a branch begins anew. git's
// own commands keep none of these rules, so a commit of an empty tree is a fast-forward for git.
// What such a commit left out is a loss: [OfBranch] and [OfRoadmap] find it in the commits that a
// ref brings, and [Branch.Restore] and [Roadmap.Restore] make the commit that has it again. What
// was expunged is no loss; the caller gives the tombstones.
//
// The package writes objects and moves no ref. It reads commits, trees and documents; it is safe
// beside any other process. Errors are those of git, and of documents that cannot be read.
package loss

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Cause is a commit that lacks something of a parent.
type Cause struct {
	Commit git.ID
	Parent git.ID // its parent, or the commit of this repository that it would have replaced; "" for unknown
	By     string // who made it, as the commit says
	What   string // what it lacks: "12 steps, 3 commits and topic 'a'"
}

// String describes the loss in a sentence without an end.
func (c Cause) String() string {
	of := "its parent"
	if c.Parent != "" {
		of += " " + c.Parent.Short()
	}
	return fmt.Sprintf("commit %s by %s lacks %s of %s", c.Commit.Short(), prose.OneLine(c.By, 100), c.What, of)
}

// Author returns who made a commit, as it says.
func Author(c *git.Commit) string { return c.Author.Name + " <" + c.Author.Email + ">" }

// Range is the part of the history of a ref to look at.
type Range struct {
	Tip    git.ID
	Branch string                                       // whose history it is; "" for the roadmap
	Have   git.ID                                       // where this repository's ref is; "" for none
	News   map[git.ID]*incoming.Commit                  // the commits to look at, with their trees
	Gone   doc.Expunged                                 // what was expunged
	Judge  bool                                         // decides, too, what a merge lost of which that is not clear, instead of refusing it
	Keys   func(file string, blob git.ID) ([]Key, bool) // what is known of documents already; may be nil
	Fresh  func() map[git.ID]bool                       // the commits that this repository did not have before they came; nil: not known
}

// NewRange returns the range of what a ref brings.
func NewRange(tip git.ID, arrived []*incoming.Commit, gone doc.Expunged) Range {
	r := Range{Tip: tip, News: make(map[git.ID]*incoming.Commit, len(arrived)), Gone: gone}
	for _, c := range arrived {
		r.News[c.ID] = c
	}
	return r
}

// Add adds commits to look at.
func (r Range) Add(list []git.AheadCommit) {
	for _, c := range list {
		if r.News[c.ID] == nil {
			r.News[c.ID] = &incoming.Commit{ID: c.ID, Parents: c.Parents, Tree: c.Tree}
		}
	}
}

// finder is one search.
type finder struct {
	s *store.Store
	Range
	trees map[git.ID]git.ID        // of commits, by commit; "" for one that a shallow clone lacks
	metas map[git.ID]*doc.Metadata // by blob, the last few
	index map[git.ID]map[string]doc.MetadataKey
	docs  *recent[docKey, []Key] // what was read lately: of a commit and, a moment later, of its child's parent
	lists *recent[git.ID, map[string]git.TreeEntry]
	whole []contents // of the last few trees
	last  []texts    // of the last few documents

	lasts   map[docKey][26]byte             // the largest ids in folders
	births  map[git.ID]bool                 // by commit.md: whether its one entry is a birth
	bases   map[[2]git.ID][]git.ID          // best common ancestors, by two commits
	above   map[git.ID]bool                 // what follows what Have and Tip have in common; nil: not asked
	have    map[string]places               // of Have, by the name of the live file
	back    map[[26]byte]bool               // entries that are shown again, see shown
	hides   map[string]doc.HiddenLines      // of [expunge.HiddenTexts]; nil: not read
	looked  int                             // number of commits that cameAs looked at
	dispute *dispute                        // nil: not read
	made    map[git.ID]*git.Commit          // what madeHere returned; nil: not read
	wrotes  map[string]map[Key]bool         // see wrote
	fresh   map[git.ID]bool                 // what Fresh returned; nil: not asked
	hads    map[string]map[Key]bool         // see had
	born    map[git.ID]bool                 // by commit, see isBirth
	parts   map[git.ID]map[doc.Part]bool    // of the last few main.md
	same    map[[2]git.ID]map[doc.Part]bool // the sections and outcomes that two main.md have alike
}

// mostLooks bounds what one search looks for the first content of entries, which hostile commits may
// ask for again and again.
const mostLooks = 5_000

func newFinder(s *store.Store, r Range) *finder {
	return &finder{s: s, Range: r, trees: map[git.ID]git.ID{}, back: map[[26]byte]bool{}, have: map[string]places{},
		wrotes: map[string]map[Key]bool{}, hads: map[string]map[Key]bool{},
		docs:  newRecent[docKey](keptKeys, func(keys []Key) int { return len(keys) + ofEach }),
		lists: newRecent[git.ID](keptNames, func(list map[string]git.TreeEntry) int { return len(list) + ofEach }),
		metas: map[git.ID]*doc.Metadata{}, index: map[git.ID]map[string]doc.MetadataKey{}, bases: map[[2]git.ID][]git.ID{}, lasts: map[docKey][26]byte{}, births: map[git.ID]bool{},
		born: map[git.ID]bool{}, parts: map[git.ID]map[doc.Part]bool{}, same: map[[2]git.ID]map[doc.Part]bool{}}
}

// tree returns the tree of a commit; "" if the commit is behind the edge of a shallow clone.
func (f *finder) tree(ctx context.Context, id git.ID) (git.ID, error) {
	if n := f.News[id]; n != nil && n.Tree != "" {
		return n.Tree, nil
	}
	if tree, ok := f.trees[id]; ok {
		return tree, nil
	}
	c, err := f.s.Repo().Commit(ctx, id)
	switch {
	case err == nil:
		f.trees[id] = c.Tree
		return c.Tree, nil
	case errors.Is(err, git.ErrNotFound):
		f.trees[id] = ""
		return "", nil
	}
	return "", err
}

// aheadOf is how many commits one look ahead reads.
const aheadOf = 256

// listed reports whether a tree was read lately.
func (f *finder) listed(tree git.ID) bool {
	_, ok := f.lists.get(tree)
	return ok
}

// readAhead reads the trees of a commit and of those that it leads to, in one request, if its own
// is not there.
func (f *finder) readAhead(ctx context.Context, id git.ID) error {
	if n := f.News[id]; n == nil || n.Tree == "" || f.listed(n.Tree) {
		return nil
	}
	var trees []git.ID
	seen := map[git.ID]bool{id: true}
	for queue := []git.ID{id}; len(queue) > 0 && len(trees) < aheadOf; queue = queue[1:] {
		n := f.News[queue[0]]
		if n == nil || n.Tree == "" {
			continue
		}
		if !f.listed(n.Tree) {
			trees = append(trees, n.Tree)
		}
		for _, p := range n.Parents {
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	return f.s.Repo().ReadAll(ctx, trees, func(o git.Object) error {
		entries, err := git.ParseTree(o.Data, len(o.ID)/2)
		if err == nil {
			f.keepList(o.ID, entries)
		}
		return err
	})
}

// order lists the commits of the range that the tip leads to, children before their parents, also where what
// lies between them is not listed. through reports whether to go on to the parents of a commit.
func (f *finder) order(ctx context.Context, through func(context.Context, git.ID) (bool, error)) ([]git.ID, error) {
	all := true
	some, err := f.walk(ctx, func(ctx context.Context, id git.ID) (bool, error) {
		on, err := through(ctx, id)
		all = all && on
		return on, err
	})
	if err != nil || all {
		return some, err
	}
	listed := make(map[git.ID]bool, len(some))
	for _, id := range some {
		listed[id] = true
	}
	list, err := f.walk(ctx, func(context.Context, git.ID) (bool, error) { return true, nil })
	return slices.DeleteFunc(list, func(id git.ID) bool { return !listed[id] }), err
}

// walk is order without regard to what is not listed.
func (f *finder) walk(ctx context.Context, through func(context.Context, git.ID) (bool, error)) ([]git.ID, error) {
	state := map[git.ID]int{} // 1: its parents come first, 2: done
	var list []git.ID
	for stack := []git.ID{f.Tip}; len(stack) > 0; {
		id := stack[len(stack)-1]
		if f.News[id] == nil || state[id] == 2 {
			stack = stack[:len(stack)-1]
			continue
		}
		if state[id] == 1 {
			state[id] = 2
			list = append(list, id)
			stack = stack[:len(stack)-1]
			continue
		}
		state[id] = 1
		on, err := through(ctx, id)
		if err != nil {
			return nil, err
		}
		if !on {
			continue
		}
		for _, p := range f.News[id].Parents {
			if state[p] == 0 {
				stack = append(stack, p)
			}
		}
	}
	slices.Reverse(list)
	return list, nil
}

func (f *finder) removed(ctx context.Context, id git.ID) (map[string]bool, error) {
	c, err := f.s.Repo().Commit(ctx, id)
	if err != nil {
		return nil, err
	}
	return Removed(c), nil
}

// Removed returns what the record of a commit says that it removed: the values of its trailers.
// Before there was a record, the subject of a commit named the topic that it removed.
func Removed(c *git.Commit) map[string]bool {
	names := map[string]bool{}
	for _, name := range c.Trailers(store.TrailerRemoves) {
		names[name] = true
	}
	if key, ok := strings.CutPrefix(c.Subject(), store.SubjectForget); ok {
		names[doc.TopicPath(key)] = true
	}
	return names
}

// cause describes a commit that lost something.
func (f *finder) cause(ctx context.Context, id, parent git.ID, what []string) (Cause, error) {
	c, err := f.s.Repo().Commit(ctx, id)
	if err != nil {
		return Cause{}, err
	}
	return Cause{Commit: id, Parent: parent, By: Author(c), What: strings.Join(what, ", ")}, nil
}

// refuses returns the error that refuses a ref for a merge of which it is not clear what it lost.
func (f *finder) refuses(ctx context.Context, id git.ID) (unclear, err error) {
	c, err := f.s.Repo().Commit(ctx, id)
	if err != nil {
		return nil, err
	}
	return fail.New(fail.ErrInvalid, fail.MergeUnclear, fmt.Sprintf("merge %s by %s lacks what its parents have, and it is not clear what to restore", id.Short(),
		prose.OneLine(Author(c), 100))), nil
}

// mostBases is for how many pairs of commits one search asks git for common ancestors, at 3 ms each. Beyond that, records
// and what this repository lacks take their place (ledger.removedHere).
const mostBases = 256

// mostWalked is how many commits git may walk for these questions: each may need a walk over all that came.
const mostWalked = 300_000

// mayAsk reports whether git may be asked for common ancestors once more.
func (f *finder) mayAsk() bool {
	return len(f.bases) < min(mostBases, max(16, mostWalked/max(1, len(f.News))))
}

// mergeBases returns the best common ancestors of two commits.
func (f *finder) mergeBases(ctx context.Context, a, b git.ID) ([]git.ID, error) {
	at := [2]git.ID{min(a, b), max(a, b)}
	if bases, known := f.bases[at]; known {
		return bases, nil
	}
	bases, err := f.s.Repo().MergeBases(ctx, a, b)
	if err == nil {
		f.bases[at] = bases
	}
	return bases, err
}
