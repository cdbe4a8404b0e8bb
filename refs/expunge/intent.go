package expunge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Intent is an expunge that is under way: its tombstones, and the objects to delete at its end.
// Once the refs have moved nothing else names those objects. It does not contain the removed
// text.
type Intent struct {
	expunged doc.Expunged
	added    doc.Expunged // those of them that this run adds: kept history has no others, see [Request]
	old      []git.ID
	drop     []string     // refs to kept history that go
	pending  doc.Expunged // those that somebody here asked for: steps in no commit yet lose no others
}

func (in *Intent) addOld(ids ...git.ID) {
	for _, id := range ids {
		if !slices.Contains(in.old, id) {
			in.old = append(in.old, id)
		}
	}
}

// join adds what another intent contains; nil adds nothing.
func (in *Intent) join(left *Intent) {
	if left != nil {
		in.expunged, in.added = in.expunged.Union(left.expunged), in.added.Union(left.added)
		in.addOld(left.old...)
		in.drop = append(in.drop, left.drop...)
		in.pending = in.pending.Union(left.pending)
	}
}

// addReplaced adds replaced commits as far as there is room. Those that it leaves out are found
// by their contents.
func (in *Intent) addReplaced(ids []git.ID) error {
	room := (doc.MaxExpunged - len(in.expunged.Bytes())) / len("commit "+strings.Repeat("0", 64)+"\n")
	for _, id := range ids[:max(0, min(room, len(ids)))] {
		if err := in.expunged.AddCommit(string(id)); err != nil {
			return err
		}
	}
	return nil
}

// intentFile is the JSON form of an Intent.
type intentFile struct {
	Version  int      `json:"version"`
	Expunged string   `json:"expunged"`
	Added    string   `json:"added,omitempty"`
	Old      []git.ID `json:"old"`
	Drop     []string `json:"drop,omitempty"`
	Pending  string   `json:"pending,omitempty"`
}

const intentVersion = 1

// IntentName is the file of local state that exists while an expunge is under way.
const IntentName = "expunge.json"

// ReadIntent reads the intent that an interrupted or running expunge left; nil if there is
// none. fail.ErrInvalid: the file cannot be read.
func ReadIntent(s *store.Store) (*Intent, error) {
	path := s.StatePath(IntentName)
	var f intentFile
	found, bad, err := s.ReadState(IntentName, &f)
	if err != nil || !found {
		return nil, err
	}
	if bad != nil || f.Version != intentVersion {
		return nil, &fail.Error{Code: fail.ExpungeIntent, Kind: fail.ErrInvalid, Err: bad,
			Message: fmt.Sprintf("'%s', the record of an interrupted expunge, cannot be read", path),
			Hints:   []string{"git context fsck"}}
	}
	e, err := doc.ParseExpunged([]byte(f.Expunged))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	added, err := doc.ParseExpunged([]byte(f.Added))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	pending, err := doc.ParseExpunged([]byte(f.Pending))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Intent{e, added, f.Old, f.Drop, pending}, nil
}

func writeIntent(s *store.Store, in *Intent) error {
	data, err := json.Marshal(intentFile{intentVersion, string(in.expunged.Bytes()), string(in.added.Bytes()), in.old, in.drop,
		string(in.pending.Bytes())})
	if err != nil {
		return err
	}
	return s.Repo().WriteStateFile(IntentName, append(data, '\n'))
}

func dropIntent(s *store.Store) error {
	if err := os.Remove(s.StatePath(IntentName)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// spareTombstones is the part of expunged.txt, in bytes, that is reserved for replaced commits.
const spareTombstones = 64 << 10

// MostTombstones is how large expunged.txt may become by an expunge, in bytes.
const MostTombstones = doc.MaxExpunged - spareTombstones

// checkSize refuses tombstones that do not fit into a roadmap. It must run before the intent is
// written: no process could finish such an intent.
func checkSize(e doc.Expunged) error {
	size := len(e.Bytes())
	switch {
	case !e.WordsFit(1):
		return tooManyWords()
	case size > MostTombstones:
		return fail.New(fail.ErrRefused, fail.ExpungedFull,
			fmt.Sprintf("the text to forget occurs in too many places: %s would have %d bytes, at most %d are allowed",
				doc.ExpungedFile, size, MostTombstones), partHint)
	}
	return nil
}

// Finish completes an interrupted expunge, or waits for a running one. Without an intent it
// costs one stat. If it cannot finish now (a pack cannot be written) it warns and leaves the
// work to the next writer, because memory is consistent at every point of it.
func Finish(ctx context.Context, s *store.Store, w store.Writer) error {
	_, err := os.Stat(s.StatePath(IntentName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := Complete(ctx, s, w); err != nil {
		s.Warn("an interrupted expunge is not finished yet: " + err.Error())
		return ctx.Err()
	}
	return nil
}

// Complete completes an interrupted expunge, or waits for a running one, like [Finish]. It returns an
// error where it cannot.
func Complete(ctx context.Context, s *store.Store, w store.Writer) error {
	op := &Operation{Store: s, Writer: w}
	if err := op.Run(ctx, doc.Expunged{}); err != nil {
		return err
	}
	if op.finished {
		s.Warn("an interrupted expunge is finished now")
	}
	for _, text := range op.Result.Warnings {
		s.Warn(text)
	}
	return nil
}
