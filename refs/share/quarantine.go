package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// A ref of the other side that cannot be fetched, or that is refused, harms only itself: it is set
// aside for this exchange, which goes on with the others and says at its end which and why.

// setAside makes both sides look alike in what is set aside, so that it is neither merged, nor
// taken, nor pushed.
func (ex *exchanger) setAside(ours, theirs *remote.RefSet) {
	for ref := range ex.aside {
		set(theirs, git.Ref{Name: ref, ID: expunge.RefID(ours, ref)})
	}
	none := func(_ string, id git.ID) bool { return id == "" }
	maps.DeleteFunc(theirs.Branches, none)
	maps.DeleteFunc(theirs.Tags, none)
	maps.DeleteFunc(theirs.Works, none)
}

// mostAside is how many reasons are given why refs are set aside.
const mostAside = 10

// asideErrors returns why refs are set aside, sorted by name with the tags at the end, each reason once. After mostAside
// reasons one error names the other refs.
func (ex *exchanger) asideErrors() []error {
	var errs []error
	var others []string
	refs := slices.Sorted(maps.Keys(ex.aside))
	isTag := func(ref string) bool { return (&refAction{ref: ref}).isTag() }
	refs = append(slices.DeleteFunc(slices.Clone(refs), isTag), slices.DeleteFunc(refs, func(r string) bool { return !isTag(r) })...)
	for _, ref := range refs {
		switch why := ex.aside[ref]; {
		case slices.Contains(errs, why):
		case len(errs) < mostAside:
			errs = append(errs, why)
		default:
			others = append(others, git.DisplayName(ref))
		}
	}
	if len(others) > 0 {
		errs = append(errs, fail.New(fail.ErrRefused, fail.IncomingInvalid, fmt.Sprintf("%s of '%s' are set aside, too: %s",
			prose.Count(len(others), "more ref"), ex.peer.Name, prose.Clip(prose.QuotedList(others), 500))))
	}
	return errs
}

// refsOf lists the refs of a side, by their names here.
func refsOf(v *remote.RefSet) []git.Ref {
	var list []git.Ref
	for _, of := range []struct {
		ids  map[string]git.ID
		name func(string) string
	}{{v.Branches, git.BranchRef}, {v.Tags, git.TagRef}, {v.Works, git.WorkRef}} {
		for _, name := range slices.Sorted(maps.Keys(of.ids)) {
			list = append(list, git.Ref{Name: of.name(name), ID: of.ids[name]})
		}
	}
	return append(list, git.Ref{Name: git.RoadmapRef, ID: v.Roadmap}, git.Ref{Name: git.NotesRef, ID: v.Notes})
}

// findRefused sets aside the refs of the other side that are refused, after err said that one is.
// It reports whether it found any; else err remains.
func (ex *exchanger) findRefused(ctx context.Context, err error) (bool, error) {
	var refusal *fail.Error
	if !ex.merge || !errors.As(err, &refusal) || refusal.Code != fail.IncomingInvalid {
		return false, err
	}
	ours, theirs, surveyErr := remote.Survey(ctx, ex.s, ex.peer)
	if surveyErr != nil {
		return false, errors.Join(err, surveyErr)
	}
	p := apart{ex: ex, ours: &ours, refused: map[tipRole]*fail.Error{}, more: map[*fail.Error]int{}, until: time.Now().Add(mostApart)}
	for _, r := range refsOf(&theirs) {
		if r.ID == "" || r.ID == expunge.RefID(&ours, r.Name) || ex.aside[r.Name] != nil {
			continue
		}
		if err := p.check(ctx, r); err != nil {
			return false, err
		}
	}
	if p.end() {
		return true, nil
	}
	// None alone: they are too much together. Those go first that other refs depend on, tags last.
	slices.SortStableFunc(p.sound, func(a, b git.Ref) int { return cmp.Compare(ex.rank(&ours, a), ex.rank(&ours, b)) })
	before := len(ex.aside)
	if err := ex.fill(ctx, &incoming.Refs{}, p.sound); err != nil {
		return false, err
	}
	if len(ex.aside) == before {
		return false, err
	}
	return true, nil
}

// rank orders refs by how much others need them: the roadmap and the notes, branches that are here, other branches, tags
// and handed over code. Below leastNeeded they are waited for, however long that takes.
func (ex *exchanger) rank(ours *remote.RefSet, r git.Ref) int {
	switch _, isBranch := git.BranchName(r.Name); {
	case r.Name == git.RoadmapRef || r.Name == git.NotesRef:
		return 0
	case isBranch && expunge.RefID(ours, r.Name) != "":
		return 1
	case isBranch:
		return leastNeeded
	}
	return leastNeeded + 1
}

const leastNeeded = 2

// fill adds refs to those that are checked together, as many as the bounds for one exchange allow, and sets the others
// aside: the next exchange takes some of them.
func (ex *exchanger) fill(ctx context.Context, all *incoming.Refs, refs []git.Ref) error {
	if len(refs) == 0 {
		return nil
	}
	more := *all
	for _, r := range refs {
		in, _ := ex.refsToCheck(r)
		more.Branches = append(slices.Clip(more.Branches), in.Branches...)
		more.Tags = append(slices.Clip(more.Tags), in.Tags...)
		more.Roadmap = append(slices.Clip(more.Roadmap), in.Roadmap...)
		more.Notes = append(slices.Clip(more.Notes), in.Notes...)
	}
	var refusal *fail.Error
	switch err := incoming.Check(ctx, ex.s, more); {
	case err == nil:
		*all = more
		return nil
	case !errors.As(err, &refusal) || refusal.Code != fail.IncomingInvalid:
		return err
	case len(refs) == 1:
		ex.aside[refs[0].Name] = err
		return nil
	}
	half := len(refs) / 2
	if err := ex.fill(ctx, all, refs[:half]); err != nil {
		return err
	}
	return ex.fill(ctx, all, refs[half:])
}

// refsToCheck returns a ref of the other side as it is checked, and the role of its commit; 0 for handed over code, which
// is not memory.
func (ex *exchanger) refsToCheck(r git.Ref) (in incoming.Refs, role incoming.Role) {
	at := []git.Ref{{Name: ex.peer.Tracking.Of(r.Name), ID: r.ID}}
	switch _, isBranch := git.BranchName(r.Name); {
	case isBranch:
		in.Branches, role = at, incoming.RoleBranch
	case r.Name == git.RoadmapRef:
		in.Roadmap, role = at, incoming.RoleRoadmap
	case r.Name == git.NotesRef:
		in.Notes, role = at, incoming.RoleNotes
	case (&refAction{ref: r.Name}).isTag():
		in.Tags, role = at, incoming.RoleBranch
	}
	return in, role
}

// mendThere returns hints with the command that sets a refused ref back on the other side, unless it has moved: to its
// newest valid commit, so that what others have added there stays; of a ref that is here see setBack. A
// tag, which never moves, and a branch without any valid commit is deleted there. It returns none where this repository
// cannot tell what is valid: an object is missing or damaged here, the ref is refused for its size, which a setting
// allows, or the ref is not here and there are several such commits that cannot be united. Where several have to be joined first, why gets the hints.
func (ex *exchanger) mendThere(ctx context.Context, r git.Ref, role incoming.Role, ours *remote.RefSet, why *fail.Error) ([]string, error) {
	if ex.peer.Bundle {
		return nil, nil
	}
	sound, err := ex.soundBelow(ctx, r, role, ours)
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil || slices.Contains(sound.Tips, r.ID) {
		return nil, nil
	}
	return ex.mendTo(ctx, r, sound, ours, why)
}

// mendTo is mendThere of a ref below which the valid commits are known.
func (ex *exchanger) mendTo(ctx context.Context, r git.Ref, sound incoming.Sound, ours *remote.RefSet, why *fail.Error) (hints []string, err error) {
	_, isBranch := git.BranchName(r.Name)
	switch own := expunge.RefID(ours, r.Name); {
	case (&refAction{ref: r.Name}).isTag() || own == "" && len(sound.Tips) == 0:
		hints = ex.setBackHints(r, "")
	case own != "":
		hints, err = ex.setBack(ctx, r, own, sound.Tips, why)
	case len(sound.Tips) == 1:
		hints = ex.setBackHints(r, sound.Tips[0])
	case isBranch && ex.merge && !ex.rehearsal:
		to, failed := ex.unite(ctx, r.Name, sound.Tips, ours)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if failed == nil && to != "" {
			hints = ex.setBackHints(r, to)
		}
	}
	switch {
	case sound.Ahead && len(hints) > 0:
		hints[0] = "set the clock, if it is behind; else " + hints[0]
	case sound.Ahead:
		hints = []string{"set the clock, if it is behind"}
	}
	return hints, err
}

// SetBack returns what an exchange prints of a ref of a remote that names no commit: what the command does that sets it back
// there, or deletes it if it is a tag, handed over code or a branch with nothing valid below it, and that command. r has its name
// here, ours are the refs here. It returns none where an exchange prints none, and without look for a branch that is not here.
func SetBack(ctx context.Context, s *store.Store, p remote.Remote, ours *remote.RefSet, r git.Ref, look bool) ([]string, error) {
	res := newResult(p.Name)
	ex := newExchanger(s, Options{}, p, &res)
	switch _, role := ex.refsToCheck(r); {
	case role == 0 || (&refAction{ref: r.Name}).isTag():
		return ex.setBackHints(r, ""), nil
	case look || expunge.RefID(ours, r.Name) != "":
		var why fail.Error
		hints, err := ex.mendThere(ctx, r, role, ours, &why)
		err = errors.Join(err, ex.joinHints(ctx))
		return append(hints, why.Hints...), err
	}
	return nil, nil
}

// soundBelow is incoming.SoundBelow for a ref that may name no commit: there is nothing below a blob or a tree, and below
// a tag what it names, if that is memory.
func (ex *exchanger) soundBelow(ctx context.Context, r git.Ref, role incoming.Role, ours *remote.RefSet) (incoming.Sound, error) {
	repo := ex.s.Repo()
	infos, err := repo.Infos(ctx, []git.ID{r.ID})
	if err != nil {
		return incoming.Sound{}, err
	}
	switch infos[0].Type {
	case "blob", "tree":
		return incoming.Sound{}, nil
	case "tag":
		c, err := repo.Object(ctx, string(r.ID)+"^{}")
		if err != nil || c.Type != "commit" {
			return incoming.Sound{}, err
		}
		parsed, err := git.ParseCommit(c.ID, c.Data)
		if err != nil {
			return incoming.Sound{}, err
		}
		if file := map[incoming.Role]string{incoming.RoleBranch: doc.MetadataFile, incoming.RoleRoadmap: doc.RoadmapFile}[role]; file != "" {
			if _, has, err := repo.Edit(parsed.Tree).Entry(ctx, file); err != nil || !has {
				return incoming.Sound{}, err
			}
		}
		r.ID = c.ID
	}
	return incoming.SoundBelow(ctx, ex.s, incoming.Tip{Ref: r, Role: role}, idsOf(ours))
}

// withMend adds mendThere to the refusal of a branch that is not here.
func (ex *exchanger) withMend(ctx context.Context, branch git.Ref, err error) error {
	var refusal *fail.Error
	if !errors.As(err, &refusal) || refusal.Code != fail.IncomingInvalid {
		return err
	}
	p, found := remote.Find(ctx, ex.s, ex.peer.Name)
	if found != nil {
		return errors.Join(err, found)
	}
	ex.peer = p
	ours, _, found := remote.Survey(ctx, ex.s, p)
	if found != nil {
		return errors.Join(err, found)
	}
	mend, found := ex.mendThere(ctx, branch, incoming.RoleBranch, &ours, refusal)
	refusal.Hints = append(refusal.Hints, mend...)
	return errors.Join(err, found)
}

const (
	// mostApart is how long tags, and branches that are not here, are checked one by one after one ref was refused. The
	// others are set aside without: who pushes thousands of bad refs must not keep the good ones of others from coming.
	mostApart = 10 * time.Second
	mostNames = expunge.MostNames // of one refused object, for which a command is printed
)

// apart checks refs of the other side one by one, and each commit once: anybody can give thousands of names to one.
type apart struct {
	ex    *exchanger
	ours  *remote.RefSet
	until time.Time

	refused   map[tipRole]*fail.Error // nil: it is sound
	more      map[*fail.Error]int     // further names of a commit
	sound     []git.Ref
	unchecked []git.Ref
}

type tipRole struct {
	id   git.ID
	role incoming.Role
	tag  bool // it is said of a branch and of the tags apart
}

// check sets a ref aside if it is refused.
func (p *apart) check(ctx context.Context, r git.Ref) error {
	in, role := p.ex.refsToCheck(r)
	if role == 0 {
		return nil
	}
	needed := p.ex.rank(p.ours, r) < leastNeeded
	at := tipRole{r.ID, role, (&refAction{ref: r.Name}).isTag()}
	why, known := p.refused[at]
	if !known {
		if !needed && time.Now().After(p.until) {
			p.unchecked = append(p.unchecked, r)
			return nil
		}
		if err := incoming.Check(ctx, p.ex.s, in); err != nil && (!errors.As(err, &why) || why.Code != fail.IncomingInvalid) {
			return err
		}
		p.refused[at] = why
	}
	if why == nil {
		p.sound = append(p.sound, r)
		return nil
	}
	p.ex.aside[r.Name] = why
	return p.mend(ctx, r, role, why, needed || !known)
}

// mend adds the hint with the command that repairs a ref on the remote. Of the further names of one commit that nothing here needs it does so for the
// first few, and counts the others.
func (p *apart) mend(ctx context.Context, r git.Ref, role incoming.Role, why *fail.Error, first bool) error {
	if !first {
		if p.more[why]++; p.more[why] >= mostNames {
			return nil
		}
	}
	hints, err := p.ex.mendThere(ctx, r, role, p.ours, why)
	why.Hints = append(why.Hints, hints...)
	return err
}

// end sets aside what was not checked, and reports whether any ref was refused.
func (p *apart) end() (found bool) {
	for _, why := range p.refused {
		found = found || why != nil
		if n := p.more[why] - mostNames + 1; why != nil && n > 0 {
			why.Hints = append(why.Hints, fmt.Sprintf("the same commit has %s there", prose.Count(n, "more name")))
		}
	}
	if len(p.unchecked) == 0 || !found {
		p.sound = append(p.sound, p.unchecked...)
		return found
	}
	late := fail.New(fail.ErrRefused, fail.IncomingInvalid, fmt.Sprintf("%s of '%s' were not looked at, because others are refused: '%s' and so on",
		prose.Count(len(p.unchecked), "ref"), p.ex.peer.Name, git.DisplayName(p.unchecked[0].Name)))
	for _, r := range p.unchecked {
		p.ex.aside[r.Name] = late
	}
	return true
}
