package expunge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// expungeIntentName is the file of local state that stands while something is being
// forgotten: whoever finds it finishes that.
const ExpungeIntentName = "expunge.json"

// expungeIntent is what is to be forgotten, and the objects that are to be deleted in
// the end: without it nobody could find them any more once the refs have moved. It
// does not hold what was to be forgotten.
type expungeIntent struct {
	expunged doc.Expunged
	old      []git.ID
}

// expungeFile is an expungeIntent as it stands in its file.
type expungeFile struct {
	Version  int      `json:"version"`
	Expunged string   `json:"expunged"`
	Old      []git.ID `json:"old"`
}

const expungeVersion = 1

func (in *expungeIntent) addOld(ids ...git.ID) {
	for _, id := range ids {
		if !slices.Contains(in.old, id) {
			in.old = append(in.old, id)
		}
	}
}

// join adds what another one was to do; nil is nothing.
func (in *expungeIntent) join(left *expungeIntent) {
	if left != nil {
		in.expunged = in.expunged.Union(left.expunged)
		in.addOld(left.old...)
	}
}

// readExpungeIntent returns nil where nothing was left.
func ReadExpungeIntent(s *store.Store) (*expungeIntent, error) {
	path := s.StatePath(ExpungeIntentName)
	var f expungeFile
	found, bad, err := s.ReadState(ExpungeIntentName, &f)
	if err != nil || !found {
		return nil, err
	}
	if bad != nil || f.Version != expungeVersion {
		return nil, &fail.Error{Code: fail.ExpungeIntent, Kind: fail.ErrInvalid, Err: bad,
			Message: fmt.Sprintf("what '%s' says was to be forgotten cannot be read", path), Hints: []string{"git context fsck"}}
	}
	e, err := doc.ParseExpunged([]byte(f.Expunged))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &expungeIntent{e, f.Old}, nil
}

// spareTombstones is how much of the file of tombstones is kept for the commits that
// turn out to be replaced, in bytes.
const spareTombstones = 64 << 10

// addReplaced adds replaced commits. Where there is no room for all of them those that
// are left out are found by what they hold.
func (in *expungeIntent) addReplaced(ids []git.ID) error {
	room := (doc.MaxExpunged - len(in.expunged.Bytes())) / len("commit "+strings.Repeat("0", 64)+"\n")
	for _, id := range ids[:max(0, min(room, len(ids)))] {
		if err := in.expunged.AddCommit(string(id)); err != nil {
			return err
		}
	}
	return nil
}

// orTooMany refuses tombstones that no roadmap can hold. It has to be asked before an
// intent says that they are to be: nobody could ever finish that.
func orTooMany(e doc.Expunged) error {
	size := len(e.Bytes())
	if size <= doc.MaxExpunged-spareTombstones {
		return nil
	}
	return fail.New(fail.ErrRefused, fail.ExpungedFull, fmt.Sprintf("the text to forget occurs in too many places: %s would have %d bytes, at most %d are allowed",
		doc.ExpungedFile, size, doc.MaxExpunged-spareTombstones), "git context expunge --match LONGER-TEXT")
}

func writeExpungeIntent(s *store.Store, in *expungeIntent) error {
	data, err := json.Marshal(expungeFile{expungeVersion, string(in.expunged.Bytes()), in.old})
	if err != nil {
		return err
	}
	return s.Repo().WriteStateFile(ExpungeIntentName, append(data, '\n'))
}

func dropExpungeIntent(s *store.Store) error {
	if err := os.Remove(s.StatePath(ExpungeIntentName)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// finishExpunge ends what a killed process was forgetting, or waits for one that is at
// it. It is one stat where there is nothing. What cannot be finished now (a pack that
// cannot be written) is told, and tried again by the next writer: memory is whole at
// any point of it, and must not be out of use for that.
func FinishExpunge(ctx context.Context, s *store.Store, w store.Writer) error {
	_, err := os.Stat(s.StatePath(ExpungeIntentName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	x := &Operation{Store: s, Writer: w}
	if err := x.Begin(ctx, doc.Expunged{}); err != nil {
		s.Warn("what an interrupted command was to forget is not forgotten yet: " + err.Error())
		return ctx.Err()
	}
	if x.finished {
		s.Warn("an interrupted command has now forgotten what it was to forget")
	}
	for _, text := range x.Result.Warnings {
		s.Warn(text)
	}
	return nil
}

// tombstones are those that the roadmap holds.
func Tombstones(ctx context.Context, s *store.Store) (doc.Expunged, error) {
	tip, err := s.RoadmapTip(ctx)
	if err != nil || tip == "" {
		return doc.Expunged{}, err
	}
	c, err := s.Repo().Commit(ctx, tip)
	if err != nil {
		return doc.Expunged{}, err
	}
	return TombstonesIn(ctx, s, s.Repo().Edit(c.Tree))
}

// tombstonesIn are those in a tree of the roadmap.
func TombstonesIn(ctx context.Context, s *store.Store, tree *git.Edit) (doc.Expunged, error) {
	e, ok, err := tree.Entry(ctx, doc.ExpungedFile)
	if err != nil || !ok {
		return doc.Expunged{}, err
	}
	data, err := s.Repo().Blob(ctx, e.ID)
	if err != nil {
		return doc.Expunged{}, err
	}
	parsed, err := doc.ParseExpunged(data)
	if err != nil {
		return doc.Expunged{}, fmt.Errorf("%s: %w", doc.ExpungedFile, err)
	}
	return parsed, nil
}

// memoryRefs are all refs of memory, as one listing found them.
type memoryRefs struct {
	Branches, tags, deleted []git.Ref
	Roadmap, Notes          git.ID
	tracking, TrackingNotes []git.Ref // of remotes and bundles
}

// memoryRefs lists them.
func MemoryRefs(ctx context.Context, s *store.Store) (*memoryRefs, error) {
	bundle := git.BundleTracking()
	list, err := s.Repo().Refs(ctx, append(bundle.All(), git.Root, git.NotesRef, git.RemoteNotesPrefix)...)
	if err != nil {
		return nil, err
	}
	v := &memoryRefs{}
	for _, r := range list {
		switch {
		case r.Name == git.RoadmapRef:
			v.Roadmap = r.ID
		case r.Name == git.NotesRef:
			v.Notes = r.ID
		case strings.HasPrefix(r.Name, git.BranchPrefix):
			v.Branches = append(v.Branches, r)
		case strings.HasPrefix(r.Name, git.TagPrefix):
			v.tags = append(v.tags, r)
		case strings.HasPrefix(r.Name, git.DeletedPrefix):
			v.deleted = append(v.deleted, r)
		case strings.HasPrefix(r.Name, git.Root):
			v.tracking = append(v.tracking, r)
		default:
			v.TrackingNotes = append(v.TrackingNotes, r)
		}
	}
	return v, mappedRefs(ctx, s, v)
}

// mappedRefs adds what git keeps of remotes that have the memory among their branches.
func mappedRefs(ctx context.Context, s *store.Store, v *memoryRefs) error {
	names, err := s.Repo().Remotes(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		p, err := remote.Find(ctx, s, name)
		if err != nil {
			return err
		}
		if !p.Heads {
			continue
		}
		list, err := s.Repo().Refs(ctx, git.MappedTracking(name))
		if err != nil {
			return err
		}
		for _, r := range list {
			if git.MappedNotes(r.Name, name) {
				v.TrackingNotes = append(v.TrackingNotes, r)
			} else {
				v.tracking = append(v.tracking, r)
			}
		}
	}
	return nil
}

// own are the refs that this repository moves itself, but for the notes.
func (v *memoryRefs) own() []git.Ref {
	list := slices.Concat(v.Branches, v.tags, v.deleted)
	if v.Roadmap != "" {
		list = append(list, git.Ref{Name: git.RoadmapRef, ID: v.Roadmap})
	}
	return list
}

// all are those and the tracking refs, without notes of either.
func (v *memoryRefs) All() []git.Ref { return append(v.own(), v.tracking...) }

// tips are what they name, each once.
func (v *memoryRefs) Tips() []git.ID { return TipsOf(v.All()) }

func TipsOf(list []git.Ref) []git.ID {
	ids := make([]git.ID, len(list))
	for i, r := range list {
		ids[i] = r.ID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func ReadHeldState(s *store.Store, p remote.Remote) (HeldState, error) {
	h := HeldState{Refs: map[string]HeldRef{}}
	data, err := os.ReadFile(s.StatePath(HeldName(p)))
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 4 && f[0] == "held":
			h.Refs[f[1]] = HeldRef{f[1], git.ID(f[2]), git.ID(strings.TrimPrefix(f[3], "-"))}
		case len(f) == 2 && f[0] == "purge":
			h.Purge = append(h.Purge, git.ID(f[1]))
		default:
			return h, fmt.Errorf("'%s': cannot understand '%s'", s.StatePath(HeldName(p)), prose.OneLine(line, 100))
		}
	}
	return h, nil
}

func WriteHeldState(s *store.Store, p remote.Remote, h HeldState) error {
	if len(h.Refs)+len(h.Purge) == 0 {
		err := os.Remove(s.StatePath(HeldName(p)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	var b strings.Builder
	for _, r := range h.List() {
		fmt.Fprintf(&b, "held %s %s %s\n", r.Ref, r.Old, cmp.Or(r.Now, "-"))
	}
	for _, id := range h.Purge {
		fmt.Fprintf(&b, "purge %s\n", id)
	}
	return s.Repo().WriteStateFile(HeldName(p), []byte(b.String()))
}

// heldState is what a peer held of old history when it was last asked, and what is
// left to be deleted of it here. It stands in local state, a ref on a line:
//
//	held <ref> <what the peer has> <what that is without what was forgotten>
//	purge <id>
//
// A ref whose tracking ref is at the latter is not fetched again while the peer has the
// former: nothing old comes here just to be deleted.
type HeldState struct {
	Refs  map[string]HeldRef // by the names that they have here
	Purge []git.ID
}

// heldRef is a ref that a remote had, and what it is to have.
type HeldRef struct {
	Ref      string // by the name that it has here
	Old, Now git.ID // now is "" of notes of which nothing is left
}

func HeldName(p remote.Remote) string { return "held/" + git.FileName(p.Name, "") }

// list are the refs by name.
func (h *HeldState) List() []HeldRef {
	var list []HeldRef
	for _, ref := range slices.Sorted(maps.Keys(h.Refs)) {
		list = append(list, h.Refs[ref])
	}
	return list
}
