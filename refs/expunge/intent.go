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

// Intent is what is to be forgotten, and the objects that are to be deleted in
// the end: without it nobody could find them any more once the refs have moved. It
// does not hold what was to be forgotten.
type Intent struct {
	expunged doc.Expunged
	old      []git.ID
}

func (in *Intent) addOld(ids ...git.ID) {
	for _, id := range ids {
		if !slices.Contains(in.old, id) {
			in.old = append(in.old, id)
		}
	}
}

// join adds what another one was to do; nil is nothing.
func (in *Intent) join(left *Intent) {
	if left != nil {
		in.expunged = in.expunged.Union(left.expunged)
		in.addOld(left.old...)
	}
}

// addReplaced adds replaced commits. Where there is no room for all of them those that
// are left out are found by what they hold.
func (in *Intent) addReplaced(ids []git.ID) error {
	room := (doc.MaxExpunged - len(in.expunged.Bytes())) / len("commit "+strings.Repeat("0", 64)+"\n")
	for _, id := range ids[:max(0, min(room, len(ids)))] {
		if err := in.expunged.AddCommit(string(id)); err != nil {
			return err
		}
	}
	return nil
}

// intentFile is an Intent as it stands in its file.
type intentFile struct {
	Version  int      `json:"version"`
	Expunged string   `json:"expunged"`
	Old      []git.ID `json:"old"`
}

const intentVersion = 1

// expungeIntentName is the file of local state that stands while something is being
// forgotten: whoever finds it finishes that.
const IntentName = "expunge.json"

// readExpungeIntent returns nil where nothing was left.
func ReadIntent(s *store.Store) (*Intent, error) {
	path := s.StatePath(IntentName)
	var f intentFile
	found, bad, err := s.ReadState(IntentName, &f)
	if err != nil || !found {
		return nil, err
	}
	if bad != nil || f.Version != intentVersion {
		return nil, &fail.Error{Code: fail.ExpungeIntent, Kind: fail.ErrInvalid, Err: bad,
			Message: fmt.Sprintf("what '%s' says was to be forgotten cannot be read", path), Hints: []string{"git context fsck"}}
	}
	e, err := doc.ParseExpunged([]byte(f.Expunged))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Intent{e, f.Old}, nil
}

func writeIntent(s *store.Store, in *Intent) error {
	data, err := json.Marshal(intentFile{intentVersion, string(in.expunged.Bytes()), in.old})
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

// spareTombstones is how much of the file of tombstones is kept for the commits that
// turn out to be replaced, in bytes.
const spareTombstones = 64 << 10

// checkSize refuses tombstones that no roadmap can hold. It has to be asked before an
// intent says that they are to be: nobody could ever finish that.
func checkSize(e doc.Expunged) error {
	size := len(e.Bytes())
	if size <= doc.MaxExpunged-spareTombstones {
		return nil
	}
	return fail.New(fail.ErrRefused, fail.ExpungedFull, fmt.Sprintf("what is to be forgotten stands in too many places: %s would have %d bytes, at most %d are allowed",
		doc.ExpungedFile, size, doc.MaxExpunged-spareTombstones), "git context expunge --match LONGER-TEXT")
}

// finishExpunge ends what a killed process was forgetting, or waits for one that is at
// it. It is one stat where there is nothing. What cannot be finished now (a pack that
// cannot be written) is told, and tried again by the next writer: memory is whole at
// any point of it, and must not be out of use for that.
func Finish(ctx context.Context, s *store.Store, w store.Writer) error {
	_, err := os.Stat(s.StatePath(IntentName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	x := &Operation{Store: s, Writer: w}
	if err := x.Run(ctx, doc.Expunged{}); err != nil {
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
