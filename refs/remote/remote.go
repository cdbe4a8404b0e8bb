package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Remote is another repository: a remote, or a bundle file.
type Remote struct {
	Name     string // as git takes it
	Heads    bool   // the memory is below refs/heads/context/ there
	Bundle   bool
	Tracking git.Tracking
	Follows  []string // the branches that a fetch brings; nil for all
	Accepts  bool     // what it asks to forget is forgotten here, however much it is
	Mirror   bool     // remote.<name>.mirror is set, as git clone --mirror does

	OtherNames bool // what [Remote.Other] returns
}

// IsFile reports whether it is a bundle file, which is read once.
func (r Remote) IsFile() bool { return r.Bundle && !r.OtherNames }

// PushCommand is how a command begins by which a user pushes single refs there: with a mirror, git takes none.
func (r Remote) PushCommand() string {
	if !r.Mirror || strings.Contains(r.Name, "=") { // -c ends a key at the first
		return "git push"
	}
	return "git -c " + prose.ShellWord("remote."+r.Name+".mirror=false") + " push"
}

// The values of context.<remote>.expunge.
const (
	expungeAsk    = "ask"
	expungeAccept = "accept"
)

// Other is what the remote has under the names that are not in use here: a side of its own, to which nothing
// is pushed, so that it is read as a bundle is.
func (r Remote) Other() Remote {
	return Remote{Name: r.Name + " under " + git.NameOn(git.Root, !r.Heads), Heads: !r.Heads,
		Bundle: true, OtherNames: true, Accepts: r.Accepts, Tracking: git.OtherTracking(r.Name)}
}

// NameOf returns the remote's name for that of what it has under its other names; any other name is returned as it is.
func NameOf(name string) string {
	for _, heads := range []bool{false, true} {
		if r, ok := strings.CutSuffix(name, Remote{Heads: heads}.Other().Name); ok {
			return r
		}
	}
	return name
}

// The values of context.<remote>.mapping.
const (
	// MappingHeads is for a host that accepts only branches and tags.
	MappingHeads = "heads"
	// MappingRefs, the default, keeps memory under its own names.
	MappingRefs = "refs"
)

// Find returns a remote by name, or the default one for "": context.remote, else the only one,
// else origin. fail.ErrNotFound where there is none, fail.ErrInvalid for settings that cannot
// be understood.
func Find(ctx context.Context, s *store.Store, name string) (Remote, error) {
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return Remote{}, err
	}
	names, err := s.Repo().Remotes(ctx)
	if err != nil {
		return Remote{}, err
	}
	if name == "" {
		name, _ = cfg.String(store.KeyRemote)
	}
	switch {
	case name != "":
	case len(names) == 0:
		return Remote{}, fail.New(fail.ErrNotFound, fail.NoRemote, "this repository has no remote", "git remote add origin URL")
	case len(names) == 1:
		name = names[0]
	case slices.Contains(names, "origin"):
		name = "origin"
	default:
		return Remote{}, fail.New(fail.ErrNotFound, fail.RemoteNotFound, "there are several remotes, and none is chosen: "+prose.QuotedList(names),
			"git config "+store.KeyRemote+" "+names[0])
	}
	if err := checkName(ctx, s, cfg, names, name); err != nil {
		return Remote{}, err
	}
	mapping, ok := cfg.String("context." + name + ".mapping")
	if ok && mapping != MappingHeads && mapping != MappingRefs {
		return Remote{}, fail.New(fail.ErrInvalid, fail.ConfigInvalid, fmt.Sprintf("context.%s.mapping is '%s'; it must be heads or refs", name, mapping),
			"git config context."+name+".mapping heads")
	}
	answer, ok := cfg.String("context." + name + ".expunge")
	if ok && answer != expungeAsk && answer != expungeAccept {
		return Remote{}, fail.New(fail.ErrInvalid, fail.ConfigInvalid,
			fmt.Sprintf("context.%s.expunge is '%s'; it must be ask or accept", name, answer),
			"git config context."+name+".expunge "+expungeAsk)
	}
	follows := Followed(cfg, name)
	for _, f := range follows {
		if f == "" {
			continue
		}
		if err := git.CheckBranchName(strings.Replace(f, "*", "x", 1)); err != nil {
			return Remote{}, fail.New(fail.ErrInvalid, fail.ConfigInvalid, fmt.Sprintf("context.%s.branches: %v", name, err),
				"git config --get-all context."+name+".branches")
		}
	}
	if _, err := verifySetting(cfg, name); err != nil { // before the network is asked
		return Remote{}, err
	}
	_, mirror := cfg.String("remote." + name + ".mirror")
	return Remote{Name: name, Heads: mapping == MappingHeads, Tracking: git.RemoteTracking(name), Follows: follows,
		Accepts: answer == expungeAccept, Mirror: mirror}, nil
}

// checkName refuses a name that is no remote's, or whose tracking refs could not be told from others.
func checkName(ctx context.Context, s *store.Store, cfg *git.Config, names []string, name string) error {
	if _, there := cfg.String("remote." + name + ".url"); there && !git.IsRemoteName(name) {
		return fail.New(fail.ErrInvalid, fail.ConfigInvalid,
			fmt.Sprintf("the name of remote '%s' cannot be a part of a ref's name", prose.OneLine(name, 100)),
			"git remote rename OLD NEW")
	}
	if !slices.Contains(names, name) {
		hints := []string{"git remote -v"}
		if _, err := s.Repo().Ref(ctx, git.BranchRef(name)); err == nil && git.CheckBranchName(name) == nil && len(names) > 0 {
			hints = []string{"git context push " + names[0] + " " + name}
		}
		if near := doc.Nearest(name, names); near != "" {
			hints = append(hints, fmt.Sprintf("did you mean '%s'?", near))
		}
		return fail.New(fail.ErrNotFound, fail.RemoteNotFound, fmt.Sprintf("remote '%s' not found", prose.OneLine(name, 100)), hints...)
	}
	for _, other := range names {
		if git.SharesTracking(name, other) {
			return fail.New(fail.ErrInvalid, fail.ConfigInvalid,
				fmt.Sprintf("remotes '%s' and '%s' would have the same tracking refs", name, other), "git remote rename OLD NEW")
		}
	}
	return nil
}

// Followed returns context.<remote>.branches: names, patterns, or "" for only those that are
// here; nil where it is not set.
func Followed(cfg *git.Config, remote string) []string {
	return cfg.All("context." + remote + ".branches")
}

// lockName returns the lock that a process holds while it moves the remote's tracking refs.
func (r Remote) lockName() string {
	if r.Bundle {
		return "bundle"
	}
	return "remote-" + r.Name
}

// Lock keeps two exchanges with one remote apart. fail.ErrStale where the lock does not become
// free.
func Lock(ctx context.Context, s *store.Store, r Remote) (*git.Lock, error) {
	lock, err := s.Repo().Lock(ctx, r.lockName())
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = &fail.Error{Code: fail.Busy, Kind: fail.ErrStale, Err: err, Hints: []string{"run the command again"},
			Message: fmt.Sprintf("another exchange with '%s' is in progress", prose.OneLine(r.Name, 100))}
	}
	return lock, err
}

// TryLock is Lock without a wait: false where an exchange with the remote is in progress.
func TryLock(s *store.Store, r Remote) (*git.Lock, bool, error) {
	return s.Repo().TryLock(r.lockName())
}

// SharedName returns the name of the file of local state with the branches and tags that were
// once on both sides, a ref on a line. One that is missing on a side was deleted there and is
// not made again. Tracking refs do not show that after `git fetch --prune`.
func (r Remote) SharedName() string {
	return "shared/" + git.FileName(r.Name, "")
}

// ReadShared returns the branches and tags that were once on both sides, as full ref names;
// empty where nothing was shared yet.
func ReadShared(s *store.Store, r Remote) (map[string]bool, error) {
	data, err := git.ReadStateFile(s.StatePath(r.SharedName()))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]bool{}, nil
	}
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, name := range strings.Fields(string(data)) {
		names[name] = true
	}
	return names, nil
}

// WriteShared replaces the names that ReadShared returns.
func WriteShared(s *store.Store, r Remote, names map[string]bool) error {
	list := slices.Sorted(maps.Keys(names))
	return s.Repo().WriteStateFile(r.SharedName(), []byte(strings.Join(list, "\n")+"\n"))
}

// RefSet is the memory of one repository at one time: branches, tags and the code that was handed over
// with branches by name, "" for a missing roadmap or notes.
type RefSet struct {
	Branches, Tags, Works map[string]git.ID
	Roadmap, Notes        git.ID
	Odd                   []git.Ref // what the patterns for these two bring besides, by the names that it has here
}

// Survey reads the refs of this repository, and those of r as they were when it was last
// asked, from one listing.
func Survey(ctx context.Context, s *store.Store, r Remote) (ours, theirs RefSet, err error) {
	list, err := s.Repo().Refs(ctx, append(r.Tracking.All(), git.BranchPrefix, git.TagPrefix, git.WorkPrefix,
		git.RoadmapRef, git.NotesRef)...)
	if err != nil {
		return ours, theirs, err
	}
	ours.read(list, git.BranchPrefix, git.TagPrefix, git.WorkPrefix, git.RoadmapRef, git.NotesRef)
	t := r.Tracking
	theirs.read(list, t.Branches(), t.Tags(), t.Works(), t.Roadmap(), t.Notes())
	return ours, theirs, nil
}

// Tracked reads the refs of r alone, as they were when it was last asked.
func Tracked(ctx context.Context, s *store.Store, r Remote) (theirs RefSet, err error) {
	t := r.Tracking
	list, err := s.Repo().Refs(ctx, t.All()...)
	theirs.read(list, t.Branches(), t.Tags(), t.Works(), t.Roadmap(), t.Notes())
	return theirs, err
}

func (v *RefSet) read(list []git.Ref, branches, tags, works, roadmap, notes string) {
	v.Branches, v.Tags, v.Works = map[string]git.ID{}, map[string]git.ID{}, map[string]git.ID{}
	for _, r := range list {
		if name, ok := strings.CutPrefix(r.Name, branches); ok {
			v.Branches[name] = r.ID
		} else if name, ok := strings.CutPrefix(r.Name, tags); ok {
			v.Tags[name] = r.ID
		} else if name, ok := strings.CutPrefix(r.Name, works); ok {
			v.Works[name] = r.ID
		}
		if rest, ok := strings.CutPrefix(r.Name, roadmap); ok && rest == "" {
			v.Roadmap = r.ID
		} else if ok {
			v.Odd = append(v.Odd, git.Ref{Name: git.RoadmapRef + rest, ID: r.ID})
		}
		if rest, ok := strings.CutPrefix(r.Name, notes); ok && rest == "" {
			v.Notes = r.ID
		} else if ok {
			v.Odd = append(v.Odd, git.Ref{Name: git.NotesRef + rest, ID: r.ID})
		}
	}
}

// RefSetOf returns the refs of a list that are memory's, by their names here.
func RefSetOf(list []git.Ref) (v RefSet) {
	v.read(list, git.BranchPrefix, git.TagPrefix, git.WorkPrefix, git.RoadmapRef, git.NotesRef)
	return v
}

// Empty reports whether a set has neither a branch nor a roadmap.
func (v *RefSet) Empty() bool { return len(v.Branches) == 0 && v.Roadmap == "" }

// Whole reports whether a set has a branch and a roadmap, which every memory has: branches of the code may have
// some names of mapped memory by chance.
func (v *RefSet) Whole() bool { return len(v.Branches) > 0 && v.Roadmap != "" }

// Equal reports whether two sets name the same refs at the same objects.
func (v *RefSet) Equal(w *RefSet) bool {
	return v.Roadmap == w.Roadmap && v.Notes == w.Notes && maps.Equal(v.Branches, w.Branches) && maps.Equal(v.Tags, w.Tags) &&
		maps.Equal(v.Works, w.Works)
}

// Changes lists the refs that v has at another object than before, and those that it has no
// more, by their names here, sorted.
func (v *RefSet) Changes(before *RefSet) (moved, gone []string) {
	for _, m := range []struct {
		now, then map[string]git.ID
		prefix    string
	}{
		{v.Branches, before.Branches, git.BranchPrefix},
		{v.Tags, before.Tags, git.TagPrefix},
		{v.Works, before.Works, git.WorkPrefix},
		{map[string]git.ID{git.RoadmapRef: v.Roadmap}, map[string]git.ID{git.RoadmapRef: before.Roadmap}, ""},
		{map[string]git.ID{git.NotesRef: v.Notes}, map[string]git.ID{git.NotesRef: before.Notes}, ""},
	} {
		for name, id := range m.now {
			if m.then[name] != id && id != "" {
				moved = append(moved, m.prefix+name)
			}
		}
		for name, id := range m.then {
			if m.now[name] == "" && id != "" {
				gone = append(gone, m.prefix+name)
			}
		}
	}
	slices.Sort(moved)
	slices.Sort(gone)
	return moved, gone
}

// WithTag lists the remotes that had a tag when they were last asked.
func WithTag(ctx context.Context, s *store.Store, name string) ([]string, error) {
	remotes, err := s.Repo().Remotes(ctx)
	if err != nil {
		return nil, err
	}
	var have []string
	for _, r := range remotes {
		_, err := s.Repo().Ref(ctx, git.RemoteTracking(r).Of(git.TagRef(name)))
		switch {
		case err == nil:
			have = append(have, r)
		case !errors.Is(err, git.ErrNotFound):
			return nil, err
		}
	}
	return have, nil
}

// FetchHint returns the command that may bring a branch that no remote is known to have,
// for a hint; "" where the repository has no remote.
func FetchHint(ctx context.Context, s *store.Store, branch string) string {
	if r, err := Find(ctx, s, ""); err == nil && r.Follows != nil {
		return "git context fetch " + r.Name + " " + branch
	}
	if names, err := s.Repo().Remotes(ctx); err == nil && len(names) > 0 {
		return "git context fetch"
	}
	return ""
}

// SyncCommand returns the command that syncs with a remote, given as a shell takes it.
func SyncCommand(name string) string { return "git context sync " + name }

// Explained adds to a reason what the remote said, if that is one line; else it returns that beside it.
func Explained(reason string, said []string) (string, []string) {
	if len(said) == 1 {
		return reason + ": " + said[0], nil
	}
	return reason, said
}
