package refs

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
)

// Staleness says whether the code that a topic or a milestone names is still what it
// was written against. It compares commits, that one and the code's HEAD in this worktree, by the
// ids of files and folders: an edit that is not committed is no change, neither then nor
// now.
type Staleness struct {
	// Stale is nil where it is not known: no path is named or none was ever there, HEAD is
	// unborn, or the code commit is not here (any more).
	Stale   *bool    `json:"stale"`
	Base    *git.ID  `json:"-"` // the code HEAD that it was written on; nil while that was unborn
	Changed []string `json:"-"` // the named paths that changed, in the order of the text; removed ones too
}

// set makes an answer of what is known of the paths.
func (st *Staleness) set(known bool, changed []string) {
	if stale := len(changed) > 0; known || stale {
		st.Stale, st.Changed = &stale, changed
	}
}

// staleTopics fills in the Staleness of topics, whose Base is filled in. A path of the front matter may
// be a folder; it changed when anything did in it, and when it came, went, or stands
// where it did not stand. All are asked for together.
func (s *Store) staleTopics(ctx context.Context, topics []Topic) error {
	v := codeView{s: s}
	for _, t := range topics {
		v.ask(codes(t.Base), t.Paths)
	}
	if err := v.look(ctx); err != nil {
		return err
	}
	for i := range topics {
		t := &topics[i]
		if t.Base == nil || !v.here[*t.Base] {
			continue
		}
		known := false
		var changed []string
		for _, p := range t.Paths {
			then, was := v.entry(*t.Base, p)
			now, is := v.entry(v.head, p)
			known = known || was || is
			if was != is || then.ID != now.ID {
				changed = append(changed, p)
			}
		}
		t.set(known, changed)
	}
	return nil
}

// Staleness compares the files that a milestone names with those that it was written
// against: as they were in the code commit that it was made on, or in one that is linked
// to it, for people often commit the code right behind its milestone. It names a file by
// a word of its summary or contribution that is the path of one in such a commit. Where no word looks
// like a path, nothing is read.
func (s *Store) Staleness(ctx context.Context, m Commit) (Staleness, error) {
	st := Staleness{Base: m.Code}
	words := pathWords(m.Summary + "\n" + m.Contribution)
	if len(words) == 0 {
		return st, nil
	}
	bases := codes(m.Code)
	fits, err := s.fit(ctx, &st, bases, words)
	if err != nil || fits {
		return st, err
	}
	linked, err := s.linkedTo(ctx, m)
	if err != nil || len(linked) == 0 {
		return st, err
	}
	_, err = s.fit(ctx, &st, append(bases, linked...), words)
	return st, err
}

// fit fills in the Staleness of a text by its words. It reports whether no other code
// commit could say otherwise: each word is an unchanged file, or none at all.
func (s *Store) fit(ctx context.Context, st *Staleness, bases []git.ID, words []string) (bool, error) {
	v := codeView{s: s}
	v.ask(bases, words)
	if err := v.look(ctx); err != nil {
		return false, err
	}
	known, fits := false, true
	var changed []string
	for _, w := range words {
		now, is := v.entry(v.head, w)
		named, same := false, false
		for _, base := range bases {
			then, was := v.entry(base, w)
			if was && !then.IsTree() {
				named, same = true, same || is && then.ID == now.ID
			}
		}
		switch {
		case named && !same:
			changed = append(changed, w)
		case !named && is && !now.IsTree():
			fits = false // a file that came since: with the linked commit?
		}
		known = known || named
	}
	if v.head != "" {
		st.set(known, changed)
	}
	return fits && len(changed) == 0, nil
}

// linkedTo is the code commits whose notes link a milestone.
func (s *Store) linkedTo(ctx context.Context, m Commit) ([]git.ID, error) {
	var hash git.ID
	if m.Hash != nil {
		hash = *m.Hash
	}
	var linked []git.ID
	err := s.eachLink(ctx, []string{string(hash), m.ID}, func(code git.ID, f notes.Fact) {
		if (f.Memory == hash || f.Milestone == m.ID) && !slices.Contains(linked, code) {
			linked = append(linked, code)
		}
	})
	return linked, err
}

func codes(code *git.ID) []git.ID {
	if code == nil {
		return nil
	}
	return []git.ID{*code}
}

// codeView answers what stands at paths of code commits and of HEAD.
type codeView struct {
	s       *Store
	head    git.ID // "" while it is unborn
	asked   map[git.ID][]string
	here    map[git.ID]bool // the commits that exist
	entries map[git.CommitPath]git.TreeEntry
}

// ask notes that paths of commits will be wanted.
func (v *codeView) ask(commits []git.ID, paths []string) {
	if v.asked == nil {
		v.asked = make(map[git.ID][]string)
	}
	for _, c := range commits {
		v.asked[c] = append(v.asked[c], paths...)
	}
}

// look reads the answers, in two questions to git however many they are.
func (v *codeView) look(ctx context.Context) error {
	var ids []git.ID
	for id, paths := range v.asked {
		if len(paths) > 0 {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var err error
	if v.head, err = v.s.codeHead(ctx); err != nil || v.head == "" {
		return err
	}
	infos, err := v.s.repo.Infos(ctx, ids)
	if err != nil {
		return err
	}
	v.here = make(map[git.ID]bool, len(infos))
	var wanted []git.CommitPath
	for i, info := range infos {
		if info.Type != "commit" { // it is gone, or was never fetched
			continue
		}
		v.here[ids[i]] = true
		for _, p := range v.asked[ids[i]] {
			wanted = append(wanted, git.CommitPath{Commit: ids[i], Path: codePath(p)}, git.CommitPath{Commit: v.head, Path: codePath(p)})
		}
	}
	v.entries, err = v.s.repo.Paths(ctx, wanted)
	return err
}

func (v *codeView) entry(commit git.ID, p string) (git.TreeEntry, bool) {
	e, ok := v.entries[git.CommitPath{Commit: commit, Path: codePath(p)}]
	return e, ok
}

// codePath is a path as people write it, as trees have it: "./a/" is a. What leads out of
// the code stands in no tree.
func codePath(p string) string { return path.Clean(p) }

// around is what may stand around a path: Markdown, quotes, punctuation.
const around = "`'\"“”‘’()[]{}<>,;:!?*_…、。，"

// maxPathWords is how many words of a milestone are tried as paths.
const maxPathWords = 50

// pathWords are the words of a text that may be paths, each once: with a slash or a dot in
// them, without quotes and punctuation around them and a line's number behind.
func pathWords(text string) []string {
	var words []string
	for w := range strings.FieldsSeq(text) {
		if !strings.ContainsAny(w, "/.") || strings.Contains(w, "://") {
			continue
		}
		w = strings.TrimRight(strings.TrimLeft(w, around), around+".")
		if name, line, ok := strings.Cut(w, ":"); ok && strings.Trim(line, "0123456789:-") == "" {
			w = name
		}
		w = path.Clean(w)
		if !strings.ContainsAny(w, "/.") || strings.HasPrefix(w, "/") || w == "." || strings.HasPrefix(w, "..") || slices.Contains(words, w) {
			continue
		}
		if words = append(words, w); len(words) == maxPathWords {
			break
		}
	}
	return words
}
