package share

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// refusal is a ref that a remote does not let us push, and its reason in one line.
type refusal struct {
	ref, reason string
	full        string // its name here
	clashes     bool   // the remote has a branch beside which it cannot exist
}

// findBlockers looks for refs of the remote whose names begin with that of a refused ref, as `roadmap/x` beside
// `roadmap`, or the other way round, as `tags` beside `tags/x`: neither can exist beside the other, and most of them are
// not fetched. It costs one listing.
func (ex *exchanger) findBlockers(ctx context.Context) error {
	root := git.NameOn(git.Root, ex.peer.Heads)
	var patterns []string
	for _, r := range ex.refused {
		if r.clashes {
			continue
		}
		there := git.NameOn(r.full, ex.peer.Heads)
		patterns = append(patterns, there+"/*")
		for at := strings.LastIndexByte(there, '/'); at > 0; at = strings.LastIndexByte(there[:at], '/') {
			if strings.HasPrefix(there[:at+1], root) && (there[:at+1] != root || !ex.peer.Heads) { // else it may be a branch of the code
				patterns = append(patterns, there[:at])
			}
		}
	}
	if len(patterns) == 0 {
		return nil
	}
	list, err := ex.s.Repo().LsRemote(ctx, ex.peer.Name, patterns...)
	if errors.Is(err, git.ErrUnreachable) && ctx.Err() == nil { // the refusal says enough
		return nil
	}
	for _, r := range list {
		isBlocker := slices.ContainsFunc(patterns, func(p string) bool { return git.Matches(p, r.Name) }) // git also compares the ends of names
		if isBlocker && !slices.Contains(ex.blockers, r.Name) {
			ex.blockers = append(ex.blockers, r.Name)
		}
	}
	return err
}

// hear keeps what a remote said of a push, once: it says the same for all refs of one push, and of several.
func (ex *exchanger) hear(said []string) {
	if slices.ContainsFunc(said, func(line string) bool { return !slices.Contains(ex.said, line) }) {
		ex.said = slices.Concat(ex.said, said)
	}
}

// pushRefused returns the error of refs that the remote refuses, with the refs of each reason and all that
// the remote said.
func (ex *exchanger) pushRefused() error {
	var reasons []string
	refs := map[string][]string{}
	for _, r := range ex.refused {
		if refs[r.reason] == nil {
			reasons = append(reasons, r.reason)
		}
		refs[r.reason] = append(refs[r.reason], r.ref)
	}
	parts := make([]string, len(reasons))
	for i, reason := range reasons {
		parts[i] = prose.QuotedList(refs[reason]) + ": " + reason
	}
	hints := []string{"git remote -v"}
	notesAlone := !slices.ContainsFunc(ex.refused, func(r refusal) bool { return r.full != git.NotesRef })
	why := strings.Join(append(reasons, ex.said...), "\n")
	if !ex.peer.Heads && !notesAlone && namesRefused(why) {
		hints = []string{ex.otherMapping(remote.MappingHeads), "git context init"}
	}
	if ex.peer.Heads && strings.Contains(why, "'refs/heads/context' exists") {
		hints = []string{"a branch 'context' of the code has their place there: rename it, or use the other names:",
			ex.otherMapping(remote.MappingRefs), "git context init"}
	}
	if renames := ex.renames(); len(renames) > 0 {
		hints = renames
	}
	if len(ex.blockers) > 0 {
		hints = []string{"if it is not needed, delete what has its place there:", ex.deleteThere(ex.blockers)}
	}
	reason, said := remote.Explained(strings.Join(parts, "; "), ex.said)
	return &fail.Error{Code: fail.PushRefused, Kind: fail.ErrRefused, Hints: hints, Said: said,
		Message: fmt.Sprintf("'%s' refuses %s", ex.peer.Name, reason)}
}

// otherMapping returns the command that sets the names that memory has on the other side.
func (ex *exchanger) otherMapping(mapping string) string {
	return fmt.Sprintf("git config %s %s", prose.ShellWord("context."+ex.peer.Name+".mapping"), mapping)
}

// renames returns the commands that rename the refused branches whose refs the remote cannot have beside one of its own,
// as `x/y` beside `x`.
func (ex *exchanger) renames() []string {
	var hints []string
	for _, r := range ex.refused {
		if r.clashes {
			hints = append(hints, fmt.Sprintf("git context branch -m %s %s", r.ref, freeName(r.ref)))
		}
	}
	return hints
}

// freeName returns another name for a branch that clashes with one.
func freeName(name string) string {
	free := strings.ReplaceAll(name, "/", "-")
	if free == name { // the other one has it as a folder
		free += "-2"
	}
	return free
}

// clashes reports whether a ref is a branch that cannot exist beside one of a side.
func clashes(ref string, side *remote.RefSet) bool {
	name, ok := git.BranchName(ref)
	for have := range side.Branches {
		if ok && have != name && store.NameClash(have, name) != "" {
			return true
		}
	}
	return false
}

// namesRefused reports whether a remote's reason for a refusal speaks of the names of refs: a host
// that takes nothing but branches and tags. A quota or a missing right is another matter, and another
// mapping would only split the memory.
func namesRefused(reason string) bool {
	reason = strings.ToLower(reason)
	return slices.ContainsFunc([]string{"hidden ref", "refname", "ref name", "refs/heads", "branches and tags", "only branches",
		"invalid ref", "prohibited by gerrit"}, func(words string) bool { return strings.Contains(reason, words) })
}
