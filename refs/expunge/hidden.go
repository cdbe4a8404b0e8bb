package expunge

import (
	"bytes"
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

const (
	mostHidden      = 64       // texts of one entry that are listed; of more none comes back
	mostHiddenBytes = 64 << 20 // of the list; it does not grow beyond
)

// HiddenTexts returns those texts as tombstones, by the id of the entry. fail.ErrInvalid: the file cannot be read.
func HiddenTexts(s *store.Store) (map[string]doc.Expunged, error) {
	list := map[string]doc.Expunged{}
	path := s.StatePath(store.HiddenName)
	data, err := git.ReadStateFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		id, hash, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		e := list[id]
		var err error
		if hash != store.NoneHidden {
			err = e.AddTextHash(hash)
		}
		if err != nil || !doc.ValidID(id) {
			return nil, &fail.Error{Code: fail.ExpungeIntent, Kind: fail.ErrInvalid, Err: err, Hints: []string{"rm " + prose.ShellQuoted(path)},
				Message: fmt.Sprintf("'%s', the list of texts that were expunged in entries, cannot be read: '%s'", path, prose.OneLine(line, 100))}
		}
		list[id] = e
	}
	return list, nil
}

// listHidden adds to the list what the entries of our own refs lose. What remotes have does not count: a remote may have
// our entries with other words.
func (op *Operation) listHidden(ctx context.Context, v *Refs, now map[git.ID]git.ID) error {
	own := v.own()
	if op.Rewriter.e.OnlyTexts().Empty() || !slices.ContainsFunc(own, func(r git.Ref) bool { return now[r.ID] != r.ID }) {
		return nil
	}
	more, err := op.hiddenIn(ctx, own)
	if err != nil || len(more) == 0 {
		return err
	}
	list, err := HiddenTexts(op.Store)
	if err != nil {
		return err
	}
	for id, e := range more {
		list[id] = list[id].Union(e)
	}
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(list)) {
		hashes := list[id].TextHashes()
		if len(hashes) == 0 || len(hashes) > mostHidden {
			hashes = []string{store.NoneHidden}
		}
		for _, hash := range hashes {
			fmt.Fprintln(&b, id, hash)
		}
		if b.Len() > mostHiddenBytes {
			return nil
		}
	}
	return op.Store.Repo().WriteStateFile(store.HiddenName, []byte(b.String()))
}

// hiddenEntry is what an entry loses in all files that have it.
type hiddenEntry struct {
	texts doc.Expunged
	seen  bool
	some  bool // it loses something in one of them
}

// hiddenIn returns the texts that entries lose in all refs that have them, by id; none where they differ: one of the refs
// may be a branch that somebody else made, in which an entry of ours has other words.
func (op *Operation) hiddenIn(ctx context.Context, refs []git.Ref) (map[string]doc.Expunged, error) {
	files, seen := map[git.ID]string{}, map[git.ID]bool{}
	for _, r := range refs {
		c, err := op.Store.Repo().Commit(ctx, r.ID)
		if err == nil {
			err = entryFiles(ctx, op.Store, "", c.Tree, files, seen)
		}
		if err != nil {
			return nil, err
		}
	}
	entries := map[string]hiddenEntry{}
	err := ReadObjects(ctx, op.Store, slices.Sorted(maps.Keys(files)), func(o git.Object) error {
		hidden, err := op.Rewriter.e.HiddenBy(files[o.ID], o.Data)
		if err != nil {
			return err
		}
		return doc.EachEntry(files[o.ID], o.Data, func(h doc.EntryHead, _ []byte) {
			e, texts := entries[h.ID], hidden[h.ID]
			e.some = e.some || !texts.Empty()
			if e.seen {
				texts = texts.Except(texts.Except(e.texts))
			}
			e.texts, e.seen = texts, true
			entries[h.ID] = e
		})
	})
	lost := map[string]doc.Expunged{}
	for id, e := range entries {
		if e.some {
			lost[id] = e.texts
		}
	}
	return lost, err
}

// entryFiles adds the files of entries in a tree, each with the name of its kind.
func entryFiles(ctx context.Context, s *store.Store, kind string, tree git.ID, files map[git.ID]string, seen map[git.ID]bool) error {
	if seen[tree] {
		return nil
	}
	seen[tree] = true
	list, err := s.Repo().Tree(ctx, tree)
	if err != nil {
		return err
	}
	for _, e := range list {
		of := kind
		if kind == "" {
			of = map[string]string{doc.LogFile: doc.LogFile, doc.LogDir: doc.LogFile, doc.CommitFile: doc.CommitFile, doc.CommitDir: doc.CommitFile}[e.Name]
		}
		switch {
		case of == "":
		case e.IsTree():
			err = entryFiles(ctx, s, of, e.ID, files, seen)
		default:
			files[e.ID] = of
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Forges reports whether a commit has an entry of ours, another commit, with words that do not come from an expunge: neither
// is the other one with texts that were replaced. What it has of an entry may be anybody's words.
func Forges(ctx context.Context, s *store.Store, e doc.Expunged, ours, theirs git.ID) (bool, error) {
	list, err := HiddenTexts(s)
	if err != nil {
		return false, err
	}
	own, other, err := apart(ctx, s, ours, theirs)
	if err != nil {
		return false, err
	}
	texts := map[string][]byte{}
	err = eachEntryOf(ctx, s, own, func(id string, text []byte) { texts[id] = bytes.Clone(text) })
	if err != nil {
		return false, err
	}
	forged := false
	err = eachEntryOf(ctx, s, other, func(id string, text []byte) {
		by, listed := list[id]
		if !listed {
			by = e
		}
		if have, both := texts[id]; both && !bytes.Equal(have, text) && !by.Hides(have, text) && !e.Hides(text, have) {
			forged = true
		}
	})
	return forged, err
}

// apart returns the files of entries that only one of two commits has, with the names of their kinds.
func apart(ctx context.Context, s *store.Store, a, b git.ID) (onlyA, onlyB map[git.ID]string, err error) {
	of := [2]map[git.ID]string{{}, {}}
	for i, id := range []git.ID{a, b} {
		c, err := s.Repo().Commit(ctx, id)
		if err == nil {
			err = entryFiles(ctx, s, "", c.Tree, of[i], map[git.ID]bool{})
		}
		if err != nil {
			return nil, nil, err
		}
	}
	for id := range of[0] {
		if of[1][id] != "" {
			delete(of[0], id)
			delete(of[1], id)
		}
	}
	return of[0], of[1], nil
}

// eachEntryOf visits the entries of files.
func eachEntryOf(ctx context.Context, s *store.Store, files map[git.ID]string, visit func(id string, text []byte)) error {
	return ReadObjects(ctx, s, slices.Sorted(maps.Keys(files)), func(o git.Object) error {
		return doc.EachEntry(files[o.ID], o.Data, func(h doc.EntryHead, text []byte) { visit(h.ID, text) })
	})
}
