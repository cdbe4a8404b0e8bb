package store

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"slices"
	"strconv"

	"github.com/git-context/git-context/refs/git"
)

// forgottenFile is the file of local state with a line for each step that was expunged and had a source: the SourceHash of it, in hex.
// Memory has no trace of that source any more, and what its client wrote still has the step.
const forgottenFile = "forgotten"

// SourceHash is a short form of the source of a step, by which many can be compared.
func SourceHash(source string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(source)) // never fails
	return h.Sum64()
}

// ForgetSources notes the sources of steps that are expunged, so that no import and no hook brings them back. The caller holds the
// lock of expunge.
func (s *Store) ForgetSources(sources []string) error {
	had, err := s.ForgottenSources()
	if err != nil {
		return err
	}
	if had == nil {
		had = map[uint64]bool{}
	}
	before := len(had)
	for _, source := range sources {
		if source != "" {
			had[SourceHash(source)] = true
		}
	}
	if len(had) == before {
		return nil
	}
	all := make([]uint64, 0, len(had))
	for sum := range had {
		all = append(all, sum)
	}
	slices.Sort(all)
	var b bytes.Buffer
	for _, sum := range all {
		fmt.Fprintf(&b, "%016x\n", sum)
	}
	return s.repo.WriteStateFile(forgottenFile, b.Bytes())
}

// ForgottenSources returns the SourceHash of each step that was expunged here; nil if there is none.
func (s *Store) ForgottenSources() (map[uint64]bool, error) {
	data, err := git.ReadStateFile(s.StatePath(forgottenFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := map[uint64]bool{}
	for line := range bytes.Lines(data) {
		sum, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 64)
		if err != nil {
			return nil, fmt.Errorf("'%s': '%s' is no hash of a source", s.StatePath(forgottenFile), git.Shown(string(bytes.TrimSpace(line))))
		}
		all[sum] = true
	}
	return all, nil
}
