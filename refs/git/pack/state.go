package pack

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/git"
)

// StateName is the file of local state that lists the packs of ours. A wrong list does
// no harm: no two packs have one name, packs that do not exist are passed over, and a
// pack of the user's would be joined as losslessly as the others. Where the file is lost
// the packs are found again by what they contain. (A mark among the packs would be
// garbage for git, and some implementations do not read packs with other names.)
const StateName = "packs.json"

const stateVersion = 1

// state is the content of that file.
type state struct {
	Version int      `json:"version"`
	Packs   []string `json:"packs"` // "pack-<hash>"
	Tips    []git.ID `json:"tips"`  // whose history was packed: the next look stops there

	// Unfinished is set before new packs are moved to their place and until what they
	// replace is removed.
	Unfinished *unfinished `json:"unfinished,omitempty"`

	// Dropping is set while the files of a pack are removed that a [Purge] has replaced.
	Dropping *dropping `json:"dropping,omitempty"`
}

// dropping names a pack whose files are removed one by one.
type dropping struct {
	Pack  string `json:"pack"`
	Since int64  `json:"since"` // in nanoseconds: a pack that is newer is another one
}

// unfinished names new packs, and the packs that they replace.
type unfinished struct {
	New []string `json:"new"`
	Old []string `json:"old"`
}

// readState reads the state. One that cannot be understood counts as empty.
func readState(r *git.Repo) (state, error) {
	none := state{Version: stateVersion}
	data, err := git.ReadStateFile(filepath.Join(r.StateDir(), StateName))
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	var s state
	if json.Unmarshal(data, &s) != nil || s.Version != stateVersion || !s.sound(r) {
		return none, nil
	}
	return s, nil
}

// sound reports whether all of it can be names of packs and objects.
func (s *state) sound(r *git.Repo) bool {
	names := s.Packs
	if s.Unfinished != nil {
		names = slices.Concat(names, s.Unfinished.New, s.Unfinished.Old)
	}
	if s.Dropping != nil {
		names = slices.Concat(names, []string{s.Dropping.Pack})
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !isPackName(r, name) }) &&
		!slices.ContainsFunc(s.Tips, func(id git.ID) bool { return !r.IsID(string(id)) })
}

func isPackName(r *git.Repo, name string) bool {
	hash, ok := strings.CutPrefix(name, "pack-")
	return ok && r.IsID(hash)
}

// save writes the state, without packs that do not exist any more.
func (p *packer) save() error {
	s := &p.state
	var coming []string
	if s.Unfinished != nil {
		coming = s.Unfinished.New
	}
	slices.Sort(s.Packs)
	s.Packs = slices.DeleteFunc(slices.Compact(s.Packs), func(name string) bool {
		_, err := os.Stat(filepath.Join(p.packDir, name+".idx"))
		return errors.Is(err, fs.ErrNotExist) && !slices.Contains(coming, name)
	})
	return s.write(p.repo)
}

func (s *state) write(r *git.Repo) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return r.WriteStateFile(StateName, append(data, '\n'))
}

// inherit makes packs ours that replace the pack from, if that is ours. The caller has
// the lock.
func inherit(r *git.Repo, from packFile, names []string) error {
	s, err := readState(r)
	if err != nil || !slices.Contains(s.Packs, from.name()) {
		return err
	}
	s.Packs = append(s.Packs, names...)
	return s.write(r)
}

// drop removes the files of a pack. A process that is killed between two of them leaves one without an index: git does not
// see it, but what it contains is still on the disk. finishDrop removes the rest. The caller has the lock.
func (k packFile) drop(r *git.Repo, since time.Time) (size int64, err error) {
	s, err := readState(r)
	if err != nil {
		return 0, err
	}
	s.Dropping = &dropping{Pack: k.name(), Since: since.UnixNano()}
	if err := s.write(r); err != nil {
		return 0, err
	}
	size, err = removePack(k.base)
	if err != nil {
		return size, err
	}
	s.Dropping = nil
	return size, s.write(r)
}

// finishDrop removes what a killed process left of a pack that it removed. One that has an index again is looked at like any other.
func (p *packer) finishDrop() error {
	d := p.state.Dropping
	if d == nil {
		return nil
	}
	base := filepath.Join(p.packDir, d.Pack)
	info, err := os.Stat(base + ".pack")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	newer := err == nil && info.ModTime().UnixNano() > d.Since
	switch _, err := os.Stat(base + ".idx"); {
	case err == nil || newer:
	case !errors.Is(err, fs.ErrNotExist):
		return err
	default:
		if _, err := removePack(base); err != nil {
			return err
		}
	}
	p.state.Dropping = nil
	return p.save()
}
