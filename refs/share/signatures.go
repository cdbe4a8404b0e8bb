package share

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// checkSignatures asks for the signatures of what the other side brings, if
// context.<remote>.verify is set, before anything of it enters memory. Refs with a commit that no
// known signer has signed are set aside (require), or named in warnings (warn).
//
// It looks at the refs that an exchange takes in; AdoptBranch does so for a branch that is only
// there. The code that is handed over with a branch needs no signature of its own: the commit of
// the branch names it by its hash.
func (ex *exchanger) checkSignatures(ctx context.Context, ours, theirs *remote.RefSet) error {
	demand, err := remote.VerifyOf(ctx, ex.s, ex.peer)
	if err != nil || demand == remote.VerifyOff {
		return err
	}
	if file, err := ex.s.Repo().TrackedSigners(ctx); err != nil {
		return err
	} else if file != "" {
		ex.warn(fmt.Sprintf("gpg.ssh.allowedSignersFile names '%s', which git tracks: whoever changes the code that is checked out here "+
			"says whose signatures count; keep the file elsewhere", git.Shown(file)))
	}
	list := ex.toVerify(ours, theirs)
	found := ex.signed
	if list, err = ex.verify(ctx, list, ours, demand == remote.VerifyWarn); err != nil {
		return ex.orInvalid(ctx, list, err)
	}
	if demand == remote.VerifyWarn {
		for _, text := range found.Warnings() {
			ex.warn(fmt.Sprintf("from '%s': %s", ex.peer.Name, text))
		}
		return nil
	}
	for _, r := range list {
		if c := found.First(r.ID); c != nil {
			why := incoming.Unverified(fmt.Sprintf("'%s' of '%s'", git.DisplayName(r.Name), ex.peer.Name), c, ex.unasked(ours))
			ex.aside[r.Name] = why
			if err := ex.beforeUnsigned(ctx, r, expunge.RefID(ours, r.Name), why); err != nil {
				return err
			}
			if err := ex.unsignedTag(ctx, r, ours, why); err != nil {
				return err
			}
		}
	}
	ex.setAside(ours, theirs)
	return nil
}

// verifiedAtOnce is how many refs are verified between two looks at the clock.
const verifiedAtOnce = 64

// verify checks the signatures of what refs bring, and returns those that it has looked at. Tags, and branches that are not
// here, have a limited time, because each may have a bad signature of its own: then the others are set aside. They are in no
// order, so that the time that they have is not always that of the same ones.
func (ex *exchanger) verify(ctx context.Context, list []git.Ref, ours *remote.RefSet, all bool) (looked []git.Ref, err error) {
	var others []git.Ref
	for _, r := range list {
		if all || ex.rank(ours, r) < leastNeeded {
			looked = append(looked, r)
		} else {
			others = append(others, r)
		}
	}
	if err := ex.signed.Check(ctx, ex.s, expunge.UniqueIDs(looked), all); err != nil {
		return looked, err
	}
	rand.Shuffle(len(others), func(a, b int) { others[a], others[b] = others[b], others[a] })
	for until := time.Now().Add(mostApart); len(others) > 0; {
		if time.Now().After(until) {
			ex.leaveUnverified(others)
			break
		}
		n := min(verifiedAtOnce, len(others))
		looked = append(looked, others[:n]...)
		if err := ex.signed.Check(ctx, ex.s, expunge.UniqueIDs(others[:n]), false); err != nil {
			return looked, err
		}
		others = others[n:]
	}
	return looked, nil
}

// leaveUnverified sets refs aside that were not verified in time.
func (ex *exchanger) leaveUnverified(refs []git.Ref) {
	late := fail.New(fail.ErrRefused, fail.NotVerified, fmt.Sprintf(
		"the signatures of %s of '%s' were not looked at, because those of others took too long: '%s' and so on; the next sync goes on",
		prose.Count(len(refs), "ref"), ex.peer.Name, git.DisplayName(refs[0].Name)))
	for _, r := range refs {
		ex.aside[r.Name] = late
	}
}

// beforeUnsigned adds to the refusal of a ref of the other side the command that sets it back to its newest commits that are signed, as all
// that they bring is; none for what is not here, which stops nothing.
func (ex *exchanger) beforeUnsigned(ctx context.Context, r git.Ref, own git.ID, why *fail.Error) error {
	if own == "" || ex.peer.Bundle {
		return nil
	}
	unsigned := func(c git.AheadCommit) (bool, error) { return ex.signed.First(c.ID) != nil, nil }
	flawed := func(id git.ID) bool { return ex.signed.First(id) != nil }
	late, err := ex.searchUntil(ctx)
	if err != nil {
		return err
	}
	var sound []git.ID
	for found := false; !found; {
		if sound, err = ex.below(ctx, r.ID, own, unsigned); err != nil {
			return err
		}
		found = true
		for chunk := range slices.Chunk(sound, verifiedAtOnce) { // what only commits without a signature lead to was not looked at
			if late() {
				why.Hints = append(why.Hints, ex.cutHints()...)
				return nil
			}
			if err := ex.signed.Check(ctx, ex.s, chunk, false); err != nil {
				return err
			}
			found = found && !slices.ContainsFunc(chunk, flawed)
		}
		found = found || len(sound) == 0
	}
	hints, err := ex.setBack(ctx, r, own, sound, why)
	if err != nil {
		return err
	}
	takes, err := ex.takesAway(ctx, r, append(sound, own))
	why.Hints = append(append(why.Hints, takes), hints...)
	return err
}

// mostTaken is how many authors and commits the hint of takesAway tells.
const mostTaken = 3

// takesAway says whose commits go when a ref is set back: some may be signed, on top of one without a signature, or have lost theirs when
// their author expunged something below.
func (ex *exchanger) takesAway(ctx context.Context, r git.Ref, but []git.ID) (string, error) {
	args := []string{"log", "--format=%an <%ae>", "-n1000", store.EndOfOptions, string(r.ID)}
	for _, id := range but {
		args = append(args, "^"+string(id))
	}
	out, err := ex.s.Repo().View(ctx, append(args, "--")...)
	if err != nil {
		return "", err
	}
	count := map[string]int{}
	for line := range strings.Lines(string(out)) {
		count[strings.TrimSpace(line)]++
	}
	authors := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	var who []string
	for _, author := range authors[:min(mostTaken, len(authors))] {
		who = append(who, fmt.Sprintf("%d of '%s'", count[author], incoming.Printable(author)))
	}
	if more := len(authors) - len(who); more > 0 {
		who = append(who, "those of "+prose.Count(more, "other"))
	}
	return fmt.Sprintf("to set '%s' back takes these commits away from all, which may be nowhere else: %s; ask their authors first, "+
		"since an expunge removes signatures, too", git.DisplayName(r.Name), strings.Join(who, ", ")), nil
}

// unsignedTag adds to the refusal of a tag that is not here the command that deletes it there. One that leads to what was expunged is dropped, which
// findDirty does not see.
func (ex *exchanger) unsignedTag(ctx context.Context, r git.Ref, ours *remote.RefSet, why *fail.Error) error {
	if !(&refAction{ref: r.Name}).isTag() || ex.peer.Bundle {
		return nil
	}
	why.Hints = append(why.Hints, ex.setBackHints(r, "")...)
	e, err := expunge.TombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil || e.Empty() || ex.rehearsal {
		return err
	}
	has, err := ex.hasOldHistory(ctx, expunge.NewRewriter(ex.s, e), r)
	if err != nil || !has {
		return err
	}
	why.Message = fmt.Sprintf("'%s' still contains what was expunged, in '%s'; ", ex.peer.Name, git.DisplayName(r.Name)) + why.Message
	at := git.Ref{Name: ex.peer.Tracking.Of(r.Name), ID: r.ID}
	return expunge.DropUnsound(ctx, ex.s, ex.o.Writer, []git.Ref{at}, ex.needed()...)
}

// toVerify lists the refs of the other side, by their names here, that bring something to take in.
func (ex *exchanger) toVerify(ours, theirs *remote.RefSet) []git.Ref {
	return slices.DeleteFunc(refsOf(theirs), func(r git.Ref) bool {
		have := expunge.RefID(ours, r.Name)
		name, isBranch := git.BranchName(r.Name)
		_, isWork := git.WorkBranch(r.Name)
		switch {
		case r.ID == "" || r.ID == have || ex.aside[r.Name] != nil || isWork:
			return true
		case ex.dirty.Refs[r.Name].Now == r.ID: // made here, of what was checked
			return true
		case ex.expunge:
			return r.Name != git.RoadmapRef
		case ex.push && !ex.merge: // notes alone are united
			return r.Name != git.NotesRef
		case isBranch && have == "":
			return !(ex.adopt && ex.wants(name)) && !slices.Contains(ex.o.Branches, name)
		}
		return (&refAction{ref: r.Name}).isTag() && have != "" // a tag never moves
	})
}

// orInvalid returns why git cannot list what came: mostly because it is invalid.
func (ex *exchanger) orInvalid(ctx context.Context, list []git.Ref, err error) error {
	var in incoming.Refs
	for _, r := range list {
		at := git.Ref{Name: ex.peer.Tracking.Of(r.Name), ID: r.ID}
		if r.Name == git.NotesRef {
			in.Notes = append(in.Notes, at)
		} else {
			in.Add(at, r.Name == git.RoadmapRef)
		}
	}
	if invalid := incoming.Check(ctx, ex.s, in); invalid != nil {
		return invalid
	}
	return err
}

// vouched reports whether a commit of the other side's roadmap may bring tombstones: a known
// signer has signed it, and so the whole list of them. Its history is no condition: the commits
// that an expunge rewrites lose their signatures, and become our own by expunging the same here.
func (ex *exchanger) vouched(ctx context.Context, roadmap git.ID) (bool, error) {
	demand, err := remote.VerifyOf(ctx, ex.s, ex.peer)
	if err != nil || demand != remote.VerifyRequire {
		return true, err
	}
	infos, err := ex.s.Repo().Infos(ctx, []git.ID{roadmap})
	if err != nil || infos[0].Type != "commit" { // the check of what came says so
		return false, err
	}
	checked, err := ex.s.Repo().VerifyCommits(ctx, []git.ID{roadmap})
	return err == nil && checked[0].Known, err
}

// refuseUnverified refuses a branch that is made from a tracking ref, or warns.
func (ex *exchanger) refuseUnverified(ctx context.Context, name string, id git.ID) error {
	demand, err := remote.VerifyOf(ctx, ex.s, ex.peer)
	if err != nil || demand == remote.VerifyOff {
		return err
	}
	return incoming.CheckSigned(ctx, ex.s, id, fmt.Sprintf("'%s' of '%s'", name, ex.peer.Name), demand == remote.VerifyWarn,
		takeUnasked(ex.peer.Name, "switch "+name))
}

// asideAsWarnings makes warnings of what was set aside besides the branch and the roadmap: init
// succeeds without it, and the next sync says so again.
func (ex *exchanger) asideAsWarnings() {
	for _, err := range ex.asideErrors() {
		ex.warn(err.Error())
	}
	clear(ex.aside)
}

// unasked is the command that takes in once what context.<remote>.verify refuses; "" for a bundle,
// to which the settings of all remotes apply.
func (ex *exchanger) unasked(ours *remote.RefSet) string {
	if ex.peer.Bundle {
		return ""
	}
	command := "sync " + prose.ShellWord(ex.peer.Name)
	if ours.Empty() {
		command = "init"
	}
	return takeUnasked(ex.peer.Name, command)
}

func takeUnasked(remoteName, command string) string {
	return "git -c " + prose.ShellWord(remote.VerifyKey(remoteName)+"=warn") + " context " + command
}
