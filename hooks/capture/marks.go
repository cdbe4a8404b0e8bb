package capture

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Marks tell what hooks had recorded of each session when they were read.
type Marks map[string][sha256.Size]byte // hashes of the files of state, by key

// ReadMarks reads the marks of all sessions that hooks know.
func ReadMarks(s *store.Store) (Marks, error) {
	files, err := os.ReadDir(s.StatePath(Dir))
	if err != nil {
		return nil, ignoreMissing(err)
	}
	m := Marks{}
	for _, f := range files {
		key, isState := strings.CutSuffix(f.Name(), ".json")
		if !isState {
			continue
		}
		mark, known, err := readMark(s, key)
		if err != nil {
			return nil, err
		}
		if known {
			m[key] = mark
		}
	}
	return m, nil
}

func readMark(s *store.Store, key string) (mark [sha256.Size]byte, known bool, err error) {
	data, err := git.ReadStateFile(s.StatePath(stateName(key)))
	if errors.Is(err, fs.ErrNotExist) {
		return mark, false, nil
	}
	return sha256.Sum256(data), err == nil, err
}

// Hold keeps hooks from recording a session until its result is called. It returns nil, and holds nothing,
// where a hook of the session was called after the marks were read, or runs now: memory may have more of it than then.
// What no hook knows needs no lock: Begin passes over what its transcript has already.
func (m Marks) Hold(s *store.Store, t Turn) (release func(), err error) {
	before, knew := m[t.key()]
	if _, known, err := readMark(s, t.key()); err != nil || known != knew {
		return nil, err
	}
	if !knew {
		return func() {}, nil
	}
	lock, free, err := s.Repo().TryLock(store.CaptureLock(t.key()))
	if err != nil || !free {
		return nil, err
	}
	now, known, err := readMark(s, t.key())
	if err != nil || !known || now != before {
		return nil, errors.Join(err, lock.Unlock())
	}
	return func() { _ = lock.Unlock() }, nil // the end of the process releases it in any case
}
