package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remake"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// checkOutgoing sets aside what would be pushed and every other clone would refuse: another program has made it, as
// git filter-branch does. Pushed, it would keep all others from the branch until somebody forces it back.
func (ex *exchanger) checkOutgoing(ctx context.Context, ours, theirs *remote.RefSet) error {
	if !ex.push {
		return nil
	}
	var in incoming.Refs
	for _, name := range slices.Sorted(maps.Keys(ours.Branches)) {
		r := git.Ref{Name: git.BranchRef(name), ID: ours.Branches[name]}
		if ex.wants(name) && theirs.Branches[name] != r.ID && !ex.isDirty(r.Name) {
			in.Branches = append(in.Branches, r)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ours.Tags)) {
		if len(ex.o.Branches) == 0 && theirs.Tags[name] == "" {
			in.Tags = append(in.Tags, git.Ref{Name: git.TagRef(name), ID: ours.Tags[name]})
		}
	}
	if theirs.Roadmap != ours.Roadmap && !ex.isDirty(git.RoadmapRef) {
		in.Roadmap = []git.Ref{{Name: git.RoadmapRef, ID: ours.Roadmap}}
	}
	if theirs.Notes != ours.Notes && !ex.isDirty(git.NotesRef) {
		in.Notes = []git.Ref{{Name: git.NotesRef, ID: ours.Notes}}
	}
	flaws, err := incoming.Outgoing(ctx, ex.s, in, idsOf(theirs))
	if err != nil {
		return err
	}
	what := "not pushed"
	if ex.merge {
		what = "neither merged nor pushed"
	}
	for ref, flaw := range flaws {
		hint, err := ex.repairHint(ctx, flaw)
		if err != nil {
			return err
		}
		ex.aside[ref] = fail.New(fail.ErrRefused, fail.OutgoingInvalid,
			fmt.Sprintf("'%s' was %s: %s", git.DisplayName(ref), what, flaw.Error()), hint)
	}
	ex.setAside(ours, theirs)
	return nil
}

// checkMade sets aside what this exchange has merged or restored and every other clone would refuse, as they would all of the branch then.
// Both sides are valid; together they may exceed a limit that nothing else has asked about.
func (ex *exchanger) checkMade(ctx context.Context, plan []*refAction, ours, theirs *remote.RefSet) error {
	var in incoming.Refs
	made := map[string]*refAction{}
	for _, st := range plan {
		if st.merged != nil || st.healed != "" {
			made[st.ref] = st
			in.Add(git.Ref{Name: st.ref, ID: cmp.Or(st.take, st.push)}, st.ref == git.RoadmapRef)
		}
	}
	flaws, err := incoming.Outgoing(ctx, ex.s, in, append(idsOf(ours), idsOf(theirs)...))
	if err != nil {
		return err
	}
	for ref, flaw := range flaws {
		st, there := made[ref], expunge.RefID(theirs, ref)
		why, failed := ex.withSetBack(ctx, st, there, fail.New(fail.ErrRefused, fail.OutgoingInvalid,
			fmt.Sprintf("'%s' was neither merged nor pushed, because what both sides have together is refused: %s", git.DisplayName(ref), flaw.Error())))
		if failed != nil {
			return failed
		}
		ex.aside[ref] = why
		*st = refAction{ref: st.ref, branch: st.branch, ours: st.ours, theirs: st.ours}
		for _, w := range plan {
			if w.of == st {
				w.push, w.take = "", ""
			}
		}
	}
	return nil
}

// repairHint returns the command that mends a flaw, or says how: ids that another repository has stay, even if
// they are ahead of the clock.
func (ex *exchanger) repairHint(ctx context.Context, flaw incoming.Flaw) (string, error) {
	if flaw.Kind == incoming.FlawAhead {
		latest, err := incoming.Latest(ex.s)
		if err != nil {
			return "", err
		}
		if stays, err := remake.Stays(ctx, ex.s, flaw.At, latest); err != nil || stays {
			return "git context fsck", err
		}
	}
	return "git context fsck --fix", nil
}

// idsOf lists the commits that the refs of a side name.
func idsOf(v *remote.RefSet) []git.ID {
	var ids []git.ID
	for _, r := range refsOf(v) {
		if r.ID != "" {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// secret is a place in memory that contains a secret.
type secret struct {
	kind, place string
	repair      string // a command that removes it
}

// mostSecrets is how many places an error names; the scan ends with the first that it does not name.
const mostSecrets = 5

// checkSecrets refuses to push texts that contain a secret. What this program writes has none, so that these
// were written by an older version, by another program, or before context.redact had its patterns.
func (ex *exchanger) checkSecrets(ctx context.Context, updates []git.PushUpdate, theirs *remote.RefSet) error {
	if ex.o.NoScan || len(updates) == 0 {
		return nil
	}
	rules, err := ex.s.Redaction(ctx)
	if err != nil {
		return err
	}
	var tips, known []git.ID
	for _, u := range updates {
		tips = append(tips, u.ID)
		if !strings.HasPrefix(git.NameHere(u.Ref, ex.peer.Heads), git.WorkPrefix) {
			continue
		}
		c, err := ex.s.Repo().Commit(ctx, u.ID) // of the code, whose own history is no memory
		if err != nil {
			return err
		}
		known = append(known, c.Parents[:min(1, len(c.Parents))]...)
	}
	objects, err := ex.s.Repo().NewObjects(ctx, tips, append(known, idsOf(theirs)...))
	if err != nil {
		return err
	}
	var found []secret
	err = ex.s.Repo().ReadAll(ctx, slices.Sorted(maps.Keys(objects)), func(o git.Object) error {
		if o.Type == "tree" {
			return nil
		}
		_, list := rules.Text(scanned(o))
		for _, f := range list {
			found = append(found, placed(f.Kind, objects[o.ID], o, f.Start))
			if len(found) > mostSecrets {
				return git.ErrEnough
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, git.ErrEnough) || len(found) == 0 {
		return err
	}
	return ex.secretsFound(found)
}

// scanned returns what of an object is text: of a commit its message and who made it. Its signature is no text,
// and its random letters can look like a token.
func scanned(o git.Object) string {
	if o.Type != "commit" {
		return string(o.Data)
	}
	c, err := git.ParseCommit(o.ID, o.Data)
	if err != nil { // the check of memory says so
		return string(o.Data)
	}
	who := []string{c.Author.Name, c.Author.Email, c.Committer.Name, c.Committer.Email}
	return strings.Join(who, "\n") + "\n\n" + c.Message
}

// placed says where in memory a text is. Entries are expunged by their ids, attachments by their hashes, other
// texts by the secret.
func placed(kind, path string, o git.Object, at int) secret {
	s := secret{kind: kind, place: "'" + prose.OneLine(path, 100) + "'", repair: "git context expunge --match - < FILE-WITH-THE-SECRET"}
	if hash, name, ok := doc.AttachmentAt(path); ok {
		s.place, s.repair = "attachment '"+name+"'", "git context expunge --id "+doc.ArtifactDir+"/"+hash
		return s
	}
	id := ""
	if o.Type == "commit" {
		c := git.Commit{Message: string(o.Data)}
		s.place, id = "the message of commit "+o.ID.Short(), c.Trailer(store.TrailerID)
	} else {
		id = doc.EntryAt(o.Data, at)
	}
	if doc.ValidID(id) {
		s.place, s.repair = "entry "+id, "git context expunge --id "+id
	}
	return s
}

// secretsFound is the error for secrets that would be pushed.
func (ex *exchanger) secretsFound(found []secret) error {
	var places, hints []string
	for _, f := range found[:min(len(found), mostSecrets)] {
		place := f.kind + " in " + f.place
		if !slices.Contains(places, place) {
			places = append(places, place)
		}
		if !slices.Contains(hints, f.repair) {
			hints = append(hints, f.repair)
		}
	}
	if len(found) > mostSecrets {
		places = append(places, "and more")
	}
	command := "sync"
	if ex.first {
		command = "push"
	}
	hints = append(hints, fmt.Sprintf("git context %s %s --no-scan", command, prose.ShellWord(ex.peer.Name)))
	return fail.New(fail.ErrRefused, fail.SecretFound, "memory contains secrets, and was not pushed: "+strings.Join(places, ", "), hints...)
}
