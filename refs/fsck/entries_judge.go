package fsck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
)

// judges tells which content of an entry is a branch's own. Anybody can push a branch in which an entry of another one has other
// words, so that no repair may remove both where one of them is known.
type judges struct {
	v       *memory
	held    map[int32][]holder // by entry
	written map[git.ID]bool    // see [store.Store.Written]
	ours    map[[2]git.ID]bool // whether of two tips only the first has commits of ours, see onlyOurs
}

// holder is a ref of our own whose tip has some content of an entry.
type holder struct {
	git.Ref
	variant
}

func (c *checker) judges(ctx context.Context, v *memory) (*judges, error) {
	written, err := c.s.Written(ctx)
	if err != nil {
		return nil, err
	}
	j := &judges{v: v, held: map[int32][]holder{}, written: written, ours: map[[2]git.ID]bool{}}
	for _, t := range v.tips {
		x := v.statements[t.ID]
		if t.Role != incoming.RoleBranch || !isOwn(t.Name) || x == nil {
			continue
		}
		b, read, err := v.entriesOf(ctx, x.at.Tree)
		if err != nil {
			return nil, err
		}
		if !read { // another check reports it
			continue
		}
		for _, file := range b.files {
			j.add(t.Ref, file)
		}
	}
	return j, nil
}

// add adds what a file at a ref's tip has of entries with several contents.
func (j *judges) add(ref git.Ref, file git.ID) {
	sums := j.v.sums[file]
	for i, at := range slices.Concat(j.v.logs[file], j.v.records[file].entries) {
		if j.v.entries[at].differs && i < len(sums) {
			j.held[at] = append(j.held[at], holder{ref, j.v.variant(at, sums[i])})
		}
	}
}

// variant returns a content of an entry; without a file if it is not among those that are compared.
func (v *memory) variant(at int32, sum uint64) variant {
	e := v.entries[at]
	for _, o := range append(v.others[at], variant{e.sum, e.file, e.origin}) {
		if o.sum == sum {
			return o
		}
	}
	return variant{sum: sum}
}

// judge completes the problem of an entry that some refs have. The cases:
//
//  1. no branch has it as its own, or several have: people must decide;
//  2. one has, and only deleted branches have other contents: no problem, since gc removes them;
//  3. another branch or a tag has other contents. It may go if what was written here is in the first alone.
func (j *judges) judge(p *Problem, all []holder) (problem bool) {
	var own, others []holder
	for _, h := range all {
		if name, ok := git.BranchName(h.Name); ok && name == h.origin {
			own = append(own, h)
		}
	}
	p.Repair = "git context search --all " + p.Object + " shows them; remove the branch or tag that should not have it"
	if len(own) == 0 {
		p.Repair += ", or both contents: git context expunge --id " + p.Object
	}
	if len(own) != 1 {
		return true
	}
	deleted := false
	for _, h := range all {
		switch {
		case h.sum == own[0].sum:
		case strings.HasPrefix(h.Name, git.DeletedPrefix):
			deleted = true
		default:
			others = append(others, h)
		}
	}
	if len(others) == 0 {
		return !deleted
	}
	p.Message += fmt.Sprintf("; '%s' has its own, and a merge into it keeps that, but '%s' has another", own[0].Name, others[0].Name)
	if !j.onlyOurs(own[0].ID, others[0].ID) {
		return true
	}
	if name, ok := git.BranchName(others[0].Name); ok {
		p.Repair = "git context branch -D " + prose.ShellWord(name)
	} else if name, ok := strings.CutPrefix(others[0].Name, git.TagPrefix); ok {
		p.Repair = "git context tag -d " + prose.ShellWord(name)
	}
	return true
}

// onlyOurs reports whether a tip has commits that were written here, beyond another one, which has none beyond it.
func (j *judges) onlyOurs(tip, other git.ID) bool {
	pair := [2]git.ID{tip, other}
	if known, ok := j.ours[pair]; ok {
		return known
	}
	a, b := j.v.reach(tip), j.v.reach(other)
	beyond := func(these, those map[git.ID]bool) bool {
		for id := range these {
			if j.written[id] && !those[id] {
				return true
			}
		}
		return false
	}
	j.ours[pair] = beyond(a, b) && !beyond(b, a)
	return j.ours[pair]
}
