package expunge

import (
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

// HiddenName is the file of local state that says which texts this repository has replaced by "(expunged)" in which
// entries: on each line the id of an entry and the SHA-256 of a text, as a tombstone has it. When a text comes back
// because somebody refuses to forget it, no other may take its place: a tombstone of any text can be pushed.
const HiddenName = "hidden"

// HiddenTexts returns those texts as tombstones, by the id of the entry. fail.ErrInvalid: the file cannot be read.
func HiddenTexts(s *store.Store) (map[string]doc.Expunged, error) {
	path := s.StatePath(HiddenName)
	data, err := git.ReadStateFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list := map[string]doc.Expunged{}
	for line := range strings.Lines(string(data)) {
		id, hash, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		e := list[id]
		if err := e.AddTextHash(hash); err != nil || !doc.ValidID(id) {
			return nil, &fail.Error{Code: fail.ExpungeIntent, Kind: fail.ErrInvalid, Err: err, Hints: []string{"rm " + prose.ShellQuoted(path)},
				Message: fmt.Sprintf("'%s', the list of texts that were expunged in entries, cannot be read: '%s'", path, prose.OneLine(line, 100))}
		}
		list[id] = e
	}
	return list, nil
}

// keepHidden adds what a Rewriter has replaced to the list.
func keepHidden(s *store.Store, more map[string]doc.Expunged) error {
	if len(more) == 0 {
		return nil
	}
	list, err := HiddenTexts(s)
	if err != nil {
		return err
	}
	if list == nil {
		list = map[string]doc.Expunged{}
	}
	changed := false
	for id, e := range more {
		if !list[id].Contains(e) {
			list[id], changed = list[id].Union(e), true
		}
	}
	if !changed {
		return nil
	}
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(list)) {
		for _, hash := range list[id].TextHashes() {
			fmt.Fprintln(&b, id, hash)
		}
	}
	return s.Repo().WriteStateFile(HiddenName, []byte(b.String()))
}
