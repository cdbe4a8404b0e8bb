package expunge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
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

// HiddenTexts reads the file [store.HiddenName], by the id of the entry. fail.ErrInvalid: the file cannot be read.
func HiddenTexts(s *store.Store) (map[string]doc.HiddenLines, error) {
	list, err := readHidden(s)
	if err != nil {
		return nil, err
	}
	hidden := map[string]doc.HiddenLines{}
	for id, texts := range list {
		h := doc.HiddenLines{Texts: map[int]doc.Expunged{}, Only: texts[store.NoneHidden]}
		for text := range texts {
			if text == store.NoneHidden {
				continue
			}
			line, hash, _ := strings.Cut(text, " ")
			n, err := strconv.Atoi(line)
			e := h.Texts[n]
			if err == nil {
				err = e.AddTextHash(hash)
			}
			if err != nil {
				return nil, badHidden(s, id+" "+text)
			}
			h.Texts[n] = e
		}
		hidden[id] = h
	}
	return hidden, nil
}

// hiddenTexts are the texts of an entry as they are in the list: the number of the line and the hash, or [store.NoneHidden].
type hiddenTexts map[string]bool

func readHidden(s *store.Store) (map[string]hiddenTexts, error) {
	list := map[string]hiddenTexts{}
	data, err := git.ReadStateFile(s.StatePath(store.HiddenName))
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		id, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !doc.ValidID(id) {
			return nil, badHidden(s, line)
		}
		if list[id] == nil {
			list[id] = hiddenTexts{}
		}
		list[id][text] = true
	}
	return list, nil
}

func badHidden(s *store.Store, line string) error {
	path := s.StatePath(store.HiddenName)
	return fail.New(fail.ErrInvalid, fail.ExpungeIntent, fmt.Sprintf("'%s', the list of texts that were expunged in entries, cannot be read: '%s'",
		path, prose.OneLine(line, 100)), "rm "+prose.ShellQuoted(path))
}

// listHidden adds to the list what the entries of our own refs lose. What remotes have does not count: a remote may have
// our entries with other words.
func (op *Operation) listHidden(ctx context.Context, v *Refs, now map[git.ID]git.ID) error {
	own := v.Own()
	if !op.Rewriter.e.HasTexts() || !slices.ContainsFunc(own, func(r git.Ref) bool { return now[r.ID] != r.ID }) {
		return nil
	}
	more, err := op.hiddenIn(ctx, own)
	if err != nil || len(more) == 0 {
		return err
	}
	list, err := readHidden(op.Store)
	if err != nil {
		return err
	}
	for id, texts := range more {
		if list[id] == nil {
			list[id] = hiddenTexts{}
		}
		maps.Copy(list[id], texts)
	}
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(list)) {
		texts := slices.Sorted(maps.Keys(list[id]))
		if len(texts) > mostHidden {
			texts = []string{store.NoneHidden}
		}
		for _, text := range texts {
			fmt.Fprintln(&b, id, text)
		}
		if b.Len() > mostHiddenBytes {
			return nil
		}
	}
	return op.Store.Repo().WriteStateFile(store.HiddenName, []byte(b.String()))
}

// hiddenEntry is what an entry loses in all files that have it.
type hiddenEntry struct {
	texts hiddenTexts
	seen  bool
	some  bool // it loses something in one of them
}

// hiddenIn returns the texts that entries lose in all refs that have them, by id; where they differ, that nothing else comes back: one of
// the refs may be a branch of another writer, in which an entry of ours has other words.
func (op *Operation) hiddenIn(ctx context.Context, refs []git.Ref) (map[string]hiddenTexts, error) {
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
	err := eachEntryOf(ctx, op.Store, files, func(id string, text []byte) {
		e, texts := entries[id], hiddenTexts{}
		for line, of := range op.Rewriter.e.HiddenIn(text) {
			for _, hash := range of.TextHashes() {
				texts[fmt.Sprint(line, " ", hash)] = true
			}
		}
		e.some = e.some || len(texts) > 0
		if e.seen && !maps.Equal(texts, e.texts) {
			maps.DeleteFunc(texts, func(text string, _ bool) bool { return !e.texts[text] })
			texts[store.NoneHidden] = true
		}
		e.texts, e.seen = texts, true
		entries[id] = e
	})
	lost := map[string]hiddenTexts{}
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
		have, both := texts[id]
		if !both || bytes.Equal(have, text) || e.Hides(text, have) {
			return
		}
		if by, listed := list[id]; listed {
			forged = forged || !by.CameBack(have, text, e)
		} else {
			forged = forged || !e.Hides(have, text)
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
