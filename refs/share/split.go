package share

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/replica"
)

// Split says that a remote has memory under two sets of names.
type Split struct {
	Names    string   `json:"names"`    // what those begin with that are not in use here
	Mapping  string   `json:"mapping"`  // what every clone should set
	Commands []string `json:"commands"` // what to run here, at the time that the message says
	Message  string   `json:"-"`
}

// mostDeleted limits how many refs one command of a Split names.
const mostDeleted = 50

// split decides which names win, from what every clone can see. The memory's own names win: the remote has
// them, so that it takes them.
//
//  1. They are in use here: the others can go once no clone uses them.
//  2. The others are in use here, and the memory's own names have all of that: a clone that uses them has
//     pushed the union, so that they work. They are to be set here.
//  3. They lack something: a clone that uses them has to sync first. If none can push to them any more, the
//     mapping stays as it is.
func (ex *exchanger) split(ctx context.Context, named, there *remote.RefSet) (*Split, error) {
	p, o := ex.peer, ex.peer.Other()
	own, heads := git.NameOn(git.Root, false), git.NameOn(git.Root, true)
	sp := &Split{Names: git.NameOn(git.Root, o.Heads), Mapping: remote.MappingRefs, Commands: []string{},
		Message: fmt.Sprintf("'%s' has memory under two sets of names, %s and %s; ", p.Name, own, heads)}
	switch {
	case p.Heads:
	case ex.rehearsal:
		sp.Message += fmt.Sprintf("a sync unites them under %s", own)
		return sp, nil
	case ex.peer.Follows != nil || len(ex.o.Branches) > 0:
		sp.Message += fmt.Sprintf("sync unites the branches that it exchanges under %s. Sync all branches to see how to remove the others", own)
		return sp, nil
	case len(ex.other.back) > 0:
		var refs []string
		for r := range ex.other.back {
			refs = append(refs, git.DisplayName(r.Name))
		}
		slices.Sort(refs)
		sp.Message += fmt.Sprintf("sync unites them under %s, but could not take in all that is valid in %s under the others", own, prose.QuotedList(refs))
		sp.Commands = ex.backCommands()
		return sp, nil
	default:
		sp.Message += fmt.Sprintf("sync unites them under %s. Once every clone uses these, remove the others:", own)
		followed, err := ex.followedAskers(ctx)
		sp.Commands = append(lookFirst(followed), deleteCommands(p, o.Heads, there)...)
		return sp, err
	}
	sp.Message += fmt.Sprintf("sync unites them here under %s. ", heads)
	complete, err := ex.contains(ctx, there, named)
	switch {
	case err != nil:
		return nil, err
	case complete:
		sp.Message += fmt.Sprintf("%s has all of it, and is what every clone should use:", own)
		sp.Commands = []string{ex.mappingCommand(false), "git context init"}
	default:
		sp.Message += fmt.Sprintf("A clone that uses %s gets the union when it syncs; then this one should use these names too", own)
	}
	return sp, nil
}

// holdSplit takes back the commands that remove the other names, unless all that is valid there is under the names in use by now.
func (ex *exchanger) holdSplit(ctx context.Context) error {
	sp := ex.res.Split
	if sp == nil || ex.peer.Heads || len(sp.Commands) == 0 || len(ex.other.back) > 0 && len(ex.refused) == 0 && !ex.late {
		return nil
	}
	lacks, err := ex.notUnited(ctx)
	if err != nil || len(lacks) == 0 && len(ex.refused) == 0 && !ex.late {
		return err
	}
	sp.Commands = []string{}
	sp.Message = fmt.Sprintf("'%s' has memory under two sets of names; not all of it was pushed to %s", ex.peer.Name, git.NameOn(git.Root, false))
	if len(lacks) > 0 {
		sp.Message += ": " + prose.QuotedList(lacks)
	}
	return nil
}

// notUnited lists what the other names have of memory and the names in use lack, as both were when the remote was last asked or pushed to.
func (ex *exchanger) notUnited(ctx context.Context) (lacks []string, err error) {
	named, err := remote.Tracked(ctx, ex.s, ex.peer)
	if err != nil {
		return nil, err
	}
	there, err := remote.Tracked(ctx, ex.s, ex.peer.Other())
	if err != nil {
		return nil, err
	}
	for _, r := range refsOf(&there) {
		has := expunge.RefID(&named, r.Name)
		st := &refAction{ref: r.Name}
		switch {
		case r.ID == "" || r.ID == has || ex.other.below[r.Name] || r.Name == git.NotesRef:
			continue
		case st.isWork(): // what the names in use have is newer, or has been taken
			if has != "" || expunge.IsUnsound(incoming.CheckWork(ctx, ex.s, git.Ref{Name: ex.peer.Other().Tracking.Of(r.Name), ID: r.ID})) {
				continue
			}
		case ex.other.aside[r.Name]: // it may be a branch of the code
			if is, err := ex.isMemory(ctx, r.ID); err == nil && !is { // what cannot be read may be memory
				continue
			}
		case has != "":
			if how, _, err := replica.Compare(ctx, ex.s, r.ID, has); err != nil {
				return nil, err
			} else if how == replica.Behind {
				continue
			}
		}
		lacks = append(lacks, git.DisplayName(r.Name))
	}
	return lacks, nil
}

// backCommands set what is refused under the other names back to what this exchange could not take in.
func (ex *exchanger) backCommands() []string {
	p := ex.peer
	p.Heads = !p.Heads
	commands, unclear := []string{}, false
	for r, to := range ex.other.back {
		if unclear = unclear || to == ""; to != "" {
			commands = append(commands, setBackCommand(p, r, to))
		}
	}
	if unclear && ex.other.late() {
		commands = append(commands, ex.wholeSearch())
	}
	slices.Sort(commands)
	return commands
}

// contains reports whether one set of names has all branches of the other one, and its roadmap.
func (ex *exchanger) contains(ctx context.Context, all, part *remote.RefSet) (bool, error) {
	for _, r := range refsOf(&remote.RefSet{Branches: part.Branches, Roadmap: part.Roadmap}) {
		has := expunge.RefID(all, r.Name)
		if r.ID == "" || has == r.ID {
			continue
		}
		if has == "" {
			return false, nil
		}
		how, _, err := replica.Compare(ctx, ex.s, r.ID, has)
		if err != nil || how != replica.Behind {
			return false, err
		}
	}
	return true, nil
}

// mappingCommand is the command that chooses the names on a remote.
func (ex *exchanger) mappingCommand(heads bool) string {
	mapping := remote.MappingRefs
	if heads {
		mapping = remote.MappingHeads
	}
	return "git config " + prose.ShellWord("context."+ex.peer.Name+".mapping") + " " + mapping
}

// deleteCommands remove a set of refs from a remote. They name each ref: a pattern could match branches of
// the code.
func deleteCommands(p remote.Remote, heads bool, v *remote.RefSet) []string {
	var refs []string
	for _, r := range refsOf(v) {
		if r.ID != "" {
			refs = append(refs, prose.ShellWord(git.NameOn(r.Name, heads)))
		}
	}
	var commands []string
	for part := range slices.Chunk(refs, mostDeleted) {
		commands = append(commands, p.PushCommand()+" "+prose.ShellWord(p.Name)+" --delete "+strings.Join(part, " "))
	}
	return commands
}
