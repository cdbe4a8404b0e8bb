package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// WrittenName is the file of local state that lists the memory commits that this repository made
// itself, a hash on a line. The names in a commit are no proof: anybody can write them. The file
// may list commits that no ref ever led to.
const WrittenName = "written"

// HiddenName is the file of local state that says which texts this repository has replaced by "(expunged)" in which
// entries: the id of an entry, the number of its line and the SHA-256 of the text, as a tombstone has it, or "-" if no other text may come. When a
// text comes back because somebody refuses to forget it, no other may take its place: a tombstone of any text can be
// pushed. Where a line is not in the list, any text that has a tombstone may come, unless the entry is there with "-".
const HiddenName = "hidden"

// NoneHidden says that no other text of an entry may come back: it was written with "(expunged)" in it, or not all texts are known.
const NoneHidden = "-"

// reflogPrefix begins what this program writes into reflogs.
const reflogPrefix = "context "

// foreignReasons begin the entries of reflogs for moves to commits that others may have made.
var foreignReasons = []string{"sync: ", "fetch: ", "push: ", "expunge", "init", "branch: "}

// Commit moves the queued refs. It first lists the commits that were made, so that a killed
// process leaves none out.
func (tx *Transaction) Commit(ctx context.Context) error {
	if err := tx.noteWritten(); err != nil {
		return fmt.Errorf("list what was written here: %w", err)
	}
	return tx.Refs.Commit(ctx)
}

func (tx *Transaction) noteWritten() (err error) {
	if len(tx.made) == 0 {
		return nil
	}
	f, err := tx.Store.repo.OpenState(WrittenName, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var lines strings.Builder
	for _, id := range tx.made {
		lines.WriteString(string(id) + "\n")
	}
	if _, err = f.WriteString(lines.String()); err == nil {
		tx.made = nil
	}
	return errors.Join(err, tx.noteQuoting())
}

// quotes remembers an entry that is written with "(expunged)" in it, as a summary of the progress has it: no text was there.
func (tx *Transaction) quotes(id string, texts ...string) {
	if slices.ContainsFunc(texts, doc.HasMark) {
		tx.quoting = append(tx.quoting, id)
	}
}

func (tx *Transaction) quotesIn(steps []doc.Step) {
	for i := range steps {
		s := &steps[i]
		tx.quotes(s.ID, s.Observation, s.Thought, s.Action, s.Session, s.Model, s.Source)
	}
}

// noteQuoting lists them.
func (tx *Transaction) noteQuoting() (err error) {
	if len(tx.quoting) == 0 {
		return nil
	}
	f, err := tx.Store.repo.OpenState(HiddenName, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var lines strings.Builder
	for _, id := range tx.quoting {
		fmt.Fprintln(&lines, id, NoneHidden)
	}
	if _, err = f.WriteString(lines.String()); err == nil {
		tx.quoting = nil
	}
	return err
}

// Adopt lists the replacements of commits that this repository made as made by it. now contains
// new commits by old ones. It also lists what only reflogs know: whoever replaces commits empties
// them.
func (tx *Transaction) Adopt(ctx context.Context, now map[git.ID]git.ID) error {
	list, _, err := tx.Store.WrittenSince(0)
	if err != nil {
		return err
	}
	mine, err := tx.Store.Written(ctx)
	if err != nil {
		return err
	}
	for old, id := range now {
		if mine[old] {
			mine[id] = true
		}
	}
	for _, id := range list {
		delete(mine, id)
	}
	tx.made = slices.AppendSeq(tx.made, maps.Keys(mine))
	return nil
}

// Written returns the memory commits that this repository made itself. What an earlier version
// made is known from the reflogs, for as long as git keeps them.
func (s *Store) Written(ctx context.Context) (map[git.ID]bool, error) {
	list, _, err := s.WrittenSince(0)
	if err != nil {
		return nil, err
	}
	mine := map[git.ID]bool{}
	for _, id := range list {
		mine[id] = true
	}
	moves, err := s.repo.Logged(ctx, git.BranchPrefix+"*", git.RoadmapRef+"*")
	if err != nil {
		return nil, err
	}
	for _, m := range moves {
		if ownReason(m.Reason) {
			mine[m.New] = true
		}
	}
	return mine, nil
}

// WrittenSince returns the memory commits that were listed behind the first offset bytes of the list, and the
// length of the list. A commit is listed before a ref moves to it. An offset beyond the end counts as 0: somebody
// has replaced the list.
func (s *Store) WrittenSince(offset int64) (commits []git.ID, end int64, err error) {
	f, err := s.repo.OpenState(WrittenName, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if offset < 0 || offset > info.Size() {
		offset = 0
	}
	commits, read, err := s.listed(io.NewSectionReader(f, offset, info.Size()-offset))
	if err != nil {
		return nil, 0, fmt.Errorf("cannot read '%s': %w", f.Name(), err)
	}
	return commits, offset + read, nil
}

// listed returns the hashes that lines end with, and how many bytes the whole lines have: the last line may be in the making.
// A line may begin with what a crash left, a part of a hash or a hole of any size, which is not kept in memory.
func (s *Store) listed(from io.Reader) (commits []git.ID, end int64, err error) {
	r := bufio.NewReader(from)
	var last []byte // the end of the line so far
	for at := int64(0); ; {
		piece, err := r.ReadSlice('\n')
		at += int64(len(piece))
		last = append(last, piece...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			last = last[max(0, len(last)-64):]
			continue
		case errors.Is(err, io.EOF):
			return commits, end, nil
		case err != nil:
			return nil, 0, err
		}
		line := string(last[:len(last)-1])
		for _, n := range []int{40, 64} { // SHA-1 and SHA-256; the repository has one of them
			if len(line) >= n && s.repo.IsID(line[len(line)-n:]) {
				commits = append(commits, git.ID(line[len(line)-n:]))
			}
		}
		end, last = at, last[:0]
	}
}

func ownReason(reason string) bool {
	reason, ours := strings.CutPrefix(reason, reflogPrefix)
	for _, foreign := range foreignReasons {
		ours = ours && !strings.HasPrefix(reason, foreign)
	}
	return ours
}
