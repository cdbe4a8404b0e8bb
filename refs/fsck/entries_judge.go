package fsck

import (
	"cmp"
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
	held    map[int32][]holder        // by entry
	written map[git.ID]bool           // see [store.Store.Written]
	repairs map[[2]git.Ref]string     // what repair returned
	own     map[int32]map[uint64]bool // by entry, the contents that commits of the branch have that they say they are of
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
	j := &judges{v: v, held: map[int32][]holder{}, written: written, repairs: map[[2]git.Ref]string{}, own: map[int32]map[uint64]bool{}}
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
	for _, x := range v.statements {
		root := v.in.Roots[x.at.Tree] // zero for one that was not read
		j.addOwn(x.branch, root.Log)
		j.addOwn(x.branch, root.Commits)
	}
	return j, nil
}

// addOwn adds what a live file at a commit of a branch has of entries with several contents. Each entry is in it at first.
func (j *judges) addOwn(branch string, file git.ID) {
	sums := j.v.sums[file]
	for i, at := range slices.Concat(j.v.logs[file], j.v.records[file].entries) {
		if !j.v.entries[at].differs || i >= len(sums) || j.v.variant(at, sums[i]).origin != branch {
			continue
		}
		if j.own[at] == nil {
			j.own[at] = map[uint64]bool{}
		}
		j.own[at][sums[i]] = true
	}
}

// settled reports whether all branches and tags have the one content that commits of its branch have: others are in history alone.
func (j *judges) settled(at int32) bool {
	all := slices.DeleteFunc(slices.Clone(j.held[at]), func(h holder) bool { return strings.HasPrefix(h.Name, git.DeletedPrefix) })
	return len(all) > 0 && len(j.own[at]) == 1 && !slices.ContainsFunc(all, func(h holder) bool { return !j.own[at][h.sum] })
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
//  3. a branch that was never written on here, or a tag, has other contents. It may go if what was written here is in the first alone;
//  4. the branch that the first was made from has other contents, and the first was written here: it takes those of the first.
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
	p.Message += fmt.Sprintf("; '%s' has its own, but '%s' has another", own[0].Name, others[0].Name)
	pair := [2]git.Ref{own[0].Ref, others[0].Ref}
	repair, known := j.repairs[pair]
	if !known { // very many entries may differ
		repair = j.repair(own[0], others[0])
		j.repairs[pair] = repair
	}
	p.Repair = cmp.Or(repair, p.Repair)
	return true
}

// repair returns the command that leaves a branch's own content of an entry; "" where people must decide.
func (j *judges) repair(own, other holder) string {
	branch, isBranch := git.BranchName(other.Name)
	alone := j.onlyOurs(own.ID, other.ID)
	switch tag, isTag := strings.CutPrefix(other.Name, git.TagPrefix); {
	case alone && isTag:
		return "git context tag -d " + prose.ShellWord(tag)
	case alone && isBranch && !j.wroteOn(branch, other.ID, ""):
		return "git context branch -D " + prose.ShellWord(branch)
	case isBranch && j.wroteOn(own.origin, own.ID, other.ID) && j.wroteOn(branch, own.ID, "") && j.wroteOn(branch, other.ID, ""):
		return "git context merge " + prose.ShellWord(own.origin) + " --into " + prose.ShellWord(branch) + " --keep -X theirs"
	}
	return ""
}

// wroteOn reports whether a commit of a branch that was written here is in the history of a tip, and not in that of another one, if any.
func (j *judges) wroteOn(branch string, tip, not git.ID) bool {
	var beside map[git.ID]bool
	if not != "" {
		beside = j.v.reach(not)
	}
	for id := range j.v.reach(tip) {
		if x := j.v.statements[id]; j.written[id] && !beside[id] && x != nil && x.branch == branch {
			return true
		}
	}
	return false
}

// onlyOurs reports whether a tip has commits that were written here, beyond another one, which has none beyond it.
func (j *judges) onlyOurs(tip, other git.ID) bool {
	a, b := j.v.reach(tip), j.v.reach(other)
	beyond := func(these, those map[git.ID]bool) bool {
		for id := range these {
			if j.written[id] && !those[id] {
				return true
			}
		}
		return false
	}
	return beyond(a, b) && !beyond(b, a)
}
