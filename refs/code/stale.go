package code

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// set fills in a Staleness; known reports whether any of the paths exists, and none of them is in a tree that is not
// here.
func set(st *store.Staleness, known bool, changed []string) {
	if stale := len(changed) > 0; known || stale {
		st.Stale, st.Changed = &stale, changed
	} else {
		st.Stale, st.Changed = nil, nil
	}
}

// Topics returns the topics of a tip, see [Store.Topics], with their Staleness: whether the
// code at their paths has changed since they were written.
func Topics(ctx context.Context, s *store.Store, tip *store.Tip, all bool) ([]store.Topic, error) {
	topics, err := history.Topics(ctx, s, tip, all)
	if err != nil {
		return nil, err
	}
	return topics, MarkTopics(ctx, s, tip, topics)
}

// Topic returns one topic of a tip, see [Store.Topic], with its Staleness.
func Topic(ctx context.Context, s *store.Store, tip *store.Tip, key string) (store.Topic, error) {
	t, err := history.Topic(ctx, s, tip, key)
	if err != nil {
		return t, err
	}
	one := []store.Topic{t}
	err = MarkTopics(ctx, s, tip, one)
	return one[0], err
}

// MarkTopics fills in the Staleness of a tip's topics by their Base; those of a past tip get none,
// because topics are compared with the present code. A path of the front matter may be a
// folder, which has changed if anything in it has. A path has also changed if it appeared,
// disappeared or moved. One child reads all of them, and one more each path that was being edited and
// has changed. Topics that name few paths come first, because the number of these children is limited.
func MarkTopics(ctx context.Context, s *store.Store, tip *store.Tip, topics []store.Topic) error {
	if tip.At() != nil {
		return nil
	}
	v := codeView{s: s}
	for _, t := range topics {
		v.ask(codes(t.Base), t.Paths)
	}
	if err := v.look(ctx); err != nil {
		return err
	}
	v.until = time.Now().Add(mostEditedTime)
	for _, t := range fewestPaths(topics) {
		if t.Base == nil || !v.here(*t.Base) {
			continue
		}
		if err := v.markTopic(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// fewestPaths returns topics by the number of their paths.
func fewestPaths(topics []store.Topic) []*store.Topic {
	list := make([]*store.Topic, len(topics))
	for i := range topics {
		list[i] = &topics[i]
	}
	slices.SortStableFunc(list, func(a, b *store.Topic) int { return len(a.Paths) - len(b.Paths) })
	return list
}

// markTopic compares the paths of one topic. A path that was being edited when the topic was written
// is allowed one code commit: the author, who knew of the edit, commits it after the topic.
func (v *codeView) markTopic(ctx context.Context, t *store.Topic) error {
	known, lacking := false, false
	var changed []string
	for _, p := range t.Paths {
		then, was := v.entry(*t.Base, p)
		now, is := v.entry(v.head, p)
		if was && then.ID == "" || is && now.ID == "" {
			lacking = true
			continue
		}
		known = known || was || is
		if was == is && then.ID == now.ID {
			continue
		}
		if v.mayLook() && slices.Contains(t.Edited, p) {
			v.edited++
			n, err := v.s.Repo().Touching(ctx, *t.Base, v.head, codePath(p))
			if git.NotHere(err) {
				lacking = true
				continue
			}
			if err != nil {
				return err
			}
			if n == 1 {
				continue
			}
		}
		changed = append(changed, p)
	}
	set(&t.Staleness, known && !lacking, changed)
	return nil
}

// What a view looks up of paths that were being edited. One takes 0.1 s where the code has thousands of commits since, and the front
// matter of a topic has room for a thousand. Where the time is over, the first ones are looked up nevertheless: the machine may be busy.
const (
	mostEdited     = 64
	fewEdited      = 3
	mostEditedTime = 200 * time.Millisecond
)

// mayLook reports whether another path that was being edited is looked up. Beyond that, one counts as changed: a mark too many can be
// removed, a missing one hides a change.
func (v *codeView) mayLook() bool {
	return v.edited < fewEdited || v.edited < mostEdited && time.Now().Before(v.until)
}

// MarkStale fills in the Staleness of commits: it compares the files that each mentions
// with those in the code commit that it was made on or in one that is linked to it, because
// people often commit the code after its memory. A file is mentioned by a word of the
// summary or contribution that is its path in such a commit. If no word looks like a path,
// nothing is read.
func MarkStale(ctx context.Context, s *store.Store, commits []store.Commit) error {
	var all []mention
	for i := range commits {
		m := mention{c: &commits[i], bases: codes(commits[i].Code)}
		m.c.Base = m.c.Code
		if len(m.bases) > 0 {
			m.words = pathWords(m.c.Summary + "\n" + m.c.Contribution)
		}
		if len(m.words) > 0 {
			all = append(all, m)
		}
	}
	open, err := compare(ctx, s, all)
	if err == nil && len(open) > 0 {
		open, err = compareWithHead(ctx, s, open)
	}
	if err == nil && len(open) > 0 {
		open, err = withLinked(ctx, s, open)
	}
	if err == nil {
		_, err = compare(ctx, s, open)
	}
	return err
}

// compare compares the files that commits mention with the code, and returns those for
// which another code commit could give another result.
func compare(ctx context.Context, s *store.Store, all []mention) (open []mention, err error) {
	v := codeView{s: s}
	for _, m := range all {
		v.ask(m.bases, m.words)
	}
	if err := v.look(ctx); err != nil || v.head == "" {
		return nil, err
	}
	for _, m := range all {
		if !m.compare(&v) {
			open = append(open, m)
		}
	}
	return open, nil
}

// compare fills in the Staleness of a commit. It reports whether the result is final: each
// word is an unchanged file, or no file.
func (m mention) compare(v *codeView) bool {
	known, lacking, fits := false, false, true
	var changed []string
	for _, w := range m.words {
		now, is := v.entry(v.head, w)
		named, same, unknown := false, false, is && now.ID == ""
		for _, base := range m.bases {
			then, was := v.entry(base, w)
			switch {
			case was && then.ID == "":
				unknown = true
			case was && !then.IsTree():
				named, same = true, same || is && then.ID == now.ID
			}
		}
		switch {
		case unknown && !same:
			lacking, fits = true, false // another commit may have the file as it is now
		case named && !same:
			changed = append(changed, w)
		case !named && is && !now.IsTree():
			fits = false // a newer file: the linked commit may contain it
		}
		known = known || named
	}
	set(&m.c.Staleness, known && !lacking, changed)
	return fits && len(changed) == 0
}

func codes(code *git.ID) []git.ID {
	if code == nil {
		return nil
	}
	return []git.ID{*code}
}

// codeView reads the objects at paths of code commits and of HEAD.
type codeView struct {
	s       *store.Store
	head    git.ID // "" while it is unborn
	asked   map[git.ID][]string
	entries map[git.CommitPath]git.TreeEntry
	edited  int       // how many paths mayLook allowed
	until   time.Time // the end of those
}

// ask registers paths of commits.
func (v *codeView) ask(commits []git.ID, paths []string) {
	if len(paths) == 0 {
		return
	}
	if v.asked == nil {
		v.asked = make(map[git.ID][]string)
	}
	for _, c := range commits {
		v.asked[c] = append(v.asked[c], paths...)
	}
}

// look reads all registered paths with one child. It leaves head empty if there are none.
func (v *codeView) look(ctx context.Context) error {
	if len(v.asked) == 0 {
		return nil
	}
	var err error
	if v.head, err = v.s.CodeHead(ctx); err != nil || v.head == "" {
		return err
	}
	var wanted []git.CommitPath
	for id, paths := range v.asked {
		if !git.IsID(string(id)) || len(id) != len(v.head) { // not a commit of this repository, although a trailer names it
			continue
		}
		wanted = append(wanted, git.CommitPath{Commit: id, Path: "."})
		for _, p := range paths {
			wanted = append(wanted, git.CommitPath{Commit: id, Path: codePath(p)},
				git.CommitPath{Commit: v.head, Path: codePath(p)})
		}
	}
	v.entries, err = v.s.Repo().Paths(ctx, wanted)
	return err
}

// here reports whether a commit exists. It may be collected, or never have been fetched.
func (v *codeView) here(commit git.ID) bool {
	root, ok := v.entry(commit, ".")
	return ok && root.ID != ""
}

// entry is what a commit has at a path. It has no ID where that is not known, see [git.Repo.Paths].
func (v *codeView) entry(commit git.ID, p string) (git.TreeEntry, bool) {
	e, ok := v.entries[git.CommitPath{Commit: commit, Path: codePath(p)}]
	return e, ok
}

// codePath converts a path as people write it to one of a tree: "./a/" is a. A path outside
// the code is in no tree.
func codePath(p string) string { return path.Clean(p) }

// around are the characters that may surround a path: Markdown, quotes, punctuation.
const around = "`'\"“”‘’()[]{}<>,;:!?*_…、。，"

// maxPathWords is how many words of a commit are tried as paths.
const maxPathWords = 50

// pathWords returns the words of a text that may be paths, each once: those with a slash or
// a dot, without surrounding quotes and punctuation and without a line number at the end.
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
		if !strings.ContainsAny(w, "/.") || strings.HasPrefix(w, "/") || w == "." || strings.HasPrefix(w, "..") ||
			slices.Contains(words, w) {
			continue
		}
		if words = append(words, w); len(words) == maxPathWords {
			break
		}
	}
	return words
}
