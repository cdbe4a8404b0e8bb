package git

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// packStateName is the file of local state that says which packs are ours. It cannot do
// harm by being wrong: no two packs have one name, those that are gone are passed over,
// and one that is none of ours would be joined as losslessly as the others. Where the file
// is lost the packs are found again, by what they hold. (A mark among the packs would be
// garbage for git, and names of another form than git's are not read by all
// implementations.)
const packStateName = "packs.json"

const packStateVersion = 1

// packState is that file.
type packState struct {
	Version int      `json:"version"`
	Packs   []string `json:"packs"` // "pack-<hash>"
	Tips    []ID     `json:"tips"`  // whose history was packed: where the next look may stop

	// Unfinished stands there before new packs are put in their place and until what
	// they stand for is gone.
	Unfinished *unfinishedPacks `json:"unfinished,omitempty"`
}

// unfinishedPacks are new packs, and the packs that they hold.
type unfinishedPacks struct {
	New []string `json:"new"`
	Old []string `json:"old"`
}

// readPackState reads it. One that cannot be understood is as good as none.
func (r *Repo) readPackState() (packState, error) {
	none := packState{Version: packStateVersion}
	data, err := os.ReadFile(r.statePath(packStateName))
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	var s packState
	if json.Unmarshal(data, &s) != nil || s.Version != packStateVersion || !s.sound(r.hexLen()) {
		return none, nil
	}
	return s, nil
}

// sound reports whether all of it can be names of packs and objects.
func (s *packState) sound(hexLen int) bool {
	names := s.Packs
	if s.Unfinished != nil {
		names = slices.Concat(names, s.Unfinished.New, s.Unfinished.Old)
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !isPackName(name, hexLen) }) &&
		!slices.ContainsFunc(s.Tips, func(id ID) bool { return !isHex(string(id), hexLen) })
}

func isPackName(name string, hexLen int) bool {
	const prefix = "pack-"
	return len(name) == len(prefix)+hexLen && name[:len(prefix)] == prefix && isHex(name[len(prefix):], hexLen)
}

// save writes the state, without packs that are gone.
func (p *packing) save() error {
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
	return p.repo.writePackState(*s)
}

func (r *Repo) writePackState(s packState) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return r.WriteStateFile(packStateName, append(data, '\n'))
}

// inheritPack says that packs are ours if the one is that they are written for. Who
// calls it holds the lock of Purge.
func (r *Repo) inheritPack(from pack, names []string) error {
	s, err := r.readPackState()
	if err != nil || !slices.Contains(s.Packs, from.name()) {
		return err
	}
	s.Packs = append(s.Packs, names...)
	return r.writePackState(s)
}
