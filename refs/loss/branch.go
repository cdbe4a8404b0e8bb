package loss

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Branch is what the commits of a branch lack of their parents and its tip lacks still.
type Branch struct {
	Causes []Cause // parents before their children

	entries [2]map[[26]byte]lostEntry // steps and commits, by id
	topics  map[string]git.ID         // by file name
	from    git.ID                    // a commit that has what is lost first
	meta    git.ID                    // likewise, where entries are lost: other documents may be, too
	changed map[string]bool
}

// Empty reports whether nothing is lost.
func (b *Branch) Empty() bool {
	return len(b.entries[0])+len(b.entries[1])+len(b.topics) == 0
}

// Changed returns the ids of entries that a commit has with another content than its parent. The
// tip has them as they were first, or Restore brings that back.
func (b *Branch) Changed() map[string]bool { return b.changed }

// What counts what is lost, for a message.
func (b *Branch) What() string {
	return strings.Join(counts(len(b.entries[0]), len(b.entries[1]), slices.Collect(maps.Keys(b.topics))), ", ")
}

// counts says how many steps, commits and topics.
func counts(steps, commits int, topics []string) (what []string) {
	if steps > 0 {
		what = append(what, prose.Count(steps, "step"))
	}
	if commits > 0 {
		what = append(what, prose.Count(commits, "commit"))
	}
	slices.Sort(topics)
	for i, name := range topics {
		if i == 3 {
			return append(what, prose.Count(len(topics)-i, "other topic"))
		}
		what = append(what, "topic '"+strings.TrimSuffix(name, ".md")+"'")
	}
	return what
}

// kinds are the documents that are sets of entries, in the order of Branch.entries.
func kinds() [2]store.EntryKind { return [2]store.EntryKind{store.LogEntries, store.CommitEntries} }

// OfBranch finds what the commits of a branch lost. An entry with another content than in the
// parent is lost, too, unless
//
//  1. the parent had both contents, or the commit is a merge and the other parent has the other
//     content, which is the bytewise smaller one, unless this repository has the first one;
//  2. the commit says that it restores, by its trailer Context-Restores, and that content is the one
//     with which the entry came into the history.
//
// What the tip has again is not lost.
func OfBranch(ctx context.Context, s *store.Store, r Range) (*Branch, error) {
	f := newFinder(s, r)
	b := newBranch()
	births := false
	list, err := f.order(ctx, func(ctx context.Context, id git.ID) (bool, error) {
		birth, err := f.isBirth(ctx, id)
		births = births || birth
		if err != nil || !birth || r.Have == "" {
			return !birth, err
		}
		return f.between(ctx, id)
	})
	if err != nil {
		return nil, err
	}
	forgotten := map[string]bool{} // topics that a later commit removed, by file name
	for _, id := range list {
		for _, p := range r.News[id].Parents {
			if err := b.compare(ctx, f, id, p, forgotten); err != nil {
				return nil, err
			}
		}
	}
	before, err := f.hidden(ctx, births)
	if err != nil {
		return nil, err
	}
	if before != "" {
		lost, err := b.compareEntries(ctx, f, r.Tip, before)
		if err != nil {
			return nil, err
		}
		if err := b.add(ctx, f, r.Tip, before, lost, nil); err != nil {
			return nil, err
		}
	}
	slices.Reverse(b.Causes)
	if err := b.settle(ctx, f); err != nil {
		return nil, err
	}
	return b, b.dropPresent(ctx, f)
}

// between reports whether a commit follows what this repository and the other side have in common: what lies
// below it belongs to this branch.
func (f *finder) between(ctx context.Context, id git.ID) (bool, error) {
	bases, err := f.mergeBases(ctx, f.Have, f.Tip)
	for _, base := range bases {
		if is, err := f.s.Repo().IsAncestor(ctx, base, id); is || err != nil {
			return is, err
		}
	}
	return false, err
}

// settle decides between the contents of entries that are lost. They come back as this repository has them: what came
// may bring a history of its own, in which they are older. Where it has none, what the tip has stands if it did
// not come by a change.
func (b *Branch) settle(ctx context.Context, f *finder) error {
	for i, k := range kinds() {
		for id, e := range b.entries[i] {
			ours, err := f.ours(ctx, k, id)
			if err != nil {
				return err
			}
			if ours != nil {
				b.entries[i][id] = lostEntry{key: ours.key, blob: ours.blob, sealed: ours.path != k.File}
				continue
			}
			tree, err := f.tree(ctx, f.Tip)
			if err != nil {
				return err
			}
			now, err := f.places(ctx, k, tree)
			if err != nil {
				return err
			}
			list := now.of(id)
			if len(list) != 1 || list[0].key == e.key {
				continue
			}
			came, err := f.firsts(ctx, k, f.Tip, id)
			if err != nil {
				return err
			}
			if came[list[0].key.Sum] {
				delete(b.entries[i], id)
			}
		}
	}
	return nil
}

// ours returns where this repository's branch has an entry; nil if it does not, or not once.
func (f *finder) ours(ctx context.Context, k store.EntryKind, id [26]byte) (*place, error) {
	if f.Have == "" {
		return nil, nil
	}
	if f.have[k.File] == nil {
		tree, err := f.tree(ctx, f.Have)
		if err != nil {
			return nil, err
		}
		if f.have[k.File], err = f.places(ctx, k, tree); err != nil {
			return nil, err
		}
	}
	if list := f.have[k.File].of(id); len(list) == 1 {
		return &list[0], nil
	}
	return nil, nil
}

// hidden returns the commit of this repository that the first commit of a branch of the same name
// would hide; "" for none.
func (f *finder) hidden(ctx context.Context, births bool) (git.ID, error) {
	if !births || f.Have == "" || f.Have == f.Tip {
		return "", nil
	}
	if is, err := f.s.Repo().IsAncestor(ctx, f.Have, f.Tip); !is || err != nil {
		return "", err
	}
	return f.Have, nil
}

// Missing finds what a branch at one commit lacks of another commit, whatever lies between: what
// it has in another form, it does not lack.
func Missing(ctx context.Context, s *store.Store, tip, of git.ID, gone doc.Expunged) (*Branch, error) {
	f := newFinder(s, Range{Tip: tip, Gone: gone})
	b := newBranch()
	if _, err := b.compareEntries(ctx, f, tip, of); err != nil {
		return nil, err
	}
	for i := range b.entries {
		maps.DeleteFunc(b.entries[i], func(_ [26]byte, e lostEntry) bool { return e.changed })
	}
	had, err := f.topicsOf(ctx, of)
	if err != nil {
		return nil, err
	}
	for name, e := range had {
		b.topics[name] = e.ID
	}
	b.from = of
	return b, b.dropPresent(ctx, f)
}

func newBranch() *Branch {
	b := &Branch{topics: map[string]git.ID{}, changed: map[string]bool{}}
	for i := range b.entries {
		b.entries[i] = map[[26]byte]lostEntry{}
	}
	return b
}

// isBirth reports whether a commit is the first one of a branch that was made from another: it
// has no entry but the birth, which its parent lacks.
func (f *finder) isBirth(ctx context.Context, id git.ID) (bool, error) {
	n := f.News[id]
	if len(n.Parents) != 1 {
		return false, nil
	}
	if err := f.readAhead(ctx, id); err != nil {
		return false, err
	}
	root, err := f.list(ctx, n.Tree)
	if err != nil {
		return false, err
	}
	file := root[doc.CommitFile]
	if file.ID == "" || root[doc.LogDir].ID != "" || root[doc.CommitDir].ID != "" {
		return false, nil
	}
	if keys, err := f.keys(ctx, doc.CommitFile, file.ID); err != nil || len(keys) != 1 {
		return false, err
	}
	if log := root[doc.LogFile]; log.ID != "" {
		if keys, err := f.keys(ctx, doc.LogFile, log.ID); err != nil || len(keys) != 0 {
			return false, err
		}
	}
	data, err := f.s.Repo().Blob(ctx, file.ID)
	if err != nil {
		return false, err
	}
	list, err := doc.ParseCommits(data)
	if err != nil || len(list) != 1 || list[0].Kind != doc.KindBirth {
		return false, err
	}
	keys, err := f.keys(ctx, doc.CommitFile, file.ID)
	if err != nil {
		return false, err
	}
	again, err := f.hadCommit(ctx, n.Parents[0], keys[0])
	return !again, err
}

// hadCommit reports whether an entry is in the commit.md of a commit.
func (f *finder) hadCommit(ctx context.Context, id git.ID, key Key) (bool, error) {
	tree, err := f.tree(ctx, id)
	if err != nil || tree == "" {
		return false, err
	}
	newest, err := f.newest(ctx, store.CommitEntries, tree)
	if err != nil || bytes.Compare(key.ID[:], newest[:]) > 0 {
		return false, err
	}
	return f.contains(ctx, store.CommitEntries, tree, key)
}

// compare records what a commit lacks of one parent.
func (b *Branch) compare(ctx context.Context, f *finder, id, parent git.ID, forgotten map[string]bool) error {
	before, err := f.tree(ctx, parent)
	if err != nil || before == "" || before == f.News[id].Tree {
		return err
	}
	var lost [2]int
	birth, err := f.isBirth(ctx, id)
	if err == nil && !birth {
		lost, err = b.compareEntries(ctx, f, id, parent)
	}
	if err != nil {
		return err
	}
	topics, err := f.topics(ctx, id, parent, forgotten)
	if err != nil {
		return err
	}
	for name, blob := range topics {
		if _, ok := b.topics[name]; !ok { // children come first: the newest text stays
			b.topics[name] = blob
		}
	}
	return b.add(ctx, f, id, parent, lost, slices.Collect(maps.Keys(topics)))
}

// compareEntries records the entries that one commit lacks of another one, and counts the steps
// and the commits.
func (b *Branch) compareEntries(ctx context.Context, f *finder, id, of git.ID) (lost [2]int, err error) {
	now, err := f.tree(ctx, id)
	if err != nil {
		return lost, err
	}
	before, err := f.tree(ctx, of)
	if err != nil || before == "" {
		return lost, err
	}
	for i, k := range kinds() {
		list, err := f.missing(ctx, k, now, before)
		if err != nil {
			return lost, err
		}
		for _, e := range list {
			ok, err := f.allowed(ctx, k, id, of, e)
			if err != nil {
				return lost, err
			}
			if !ok && !f.Gone.HasEntry(string(e.key.ID[:])) {
				if e.changed {
					b.changed[string(e.key.ID[:])] = true
				}
				b.entries[i][e.key.ID] = e // parents come last: the oldest content stays
				lost[i]++
			}
		}
	}
	return lost, nil
}

// add names a commit that lost something.
func (b *Branch) add(ctx context.Context, f *finder, id, parent git.ID, lost [2]int, topics []string) error {
	what := counts(lost[0], lost[1], topics)
	if len(what) == 0 {
		return nil
	}
	b.from = parent
	if lost[0]+lost[1] > 0 {
		b.meta = parent
	}
	cause, err := f.cause(ctx, id, parent, what)
	if err == nil {
		b.Causes = append(b.Causes, cause)
	}
	return err
}

// allowed reports whether a commit may have an entry with another content than its parent, see
// [OfBranch].
func (f *finder) allowed(ctx context.Context, k store.EntryKind, id, parent git.ID, e lostEntry) (bool, error) {
	if !e.changed {
		return false, nil
	}
	other := Key{e.key.ID, e.now}
	before, err := f.tree(ctx, parent)
	if err != nil {
		return false, err
	}
	if both, err := f.contains(ctx, k, before, other); both || err != nil {
		return both, err
	}
	c, err := f.s.Repo().Commit(ctx, id)
	if err != nil {
		return false, err
	}
	if len(c.Parents) > 1 && slices.Contains(c.Parents, parent) {
		ours, err := f.ours(ctx, k, e.key.ID)
		if err != nil || ours != nil && ours.key == e.key {
			return false, err
		}
		return f.smaller(ctx, k, c, parent, e)
	}
	if c.Trailer(store.TrailerRestores) == "" { // which commit it names proves nothing: others write trailers
		return false, nil
	}
	return f.cameAs(ctx, k, parent, other)
}

// cameAs reports whether an entry came into the history of a commit with one content and never with
// another one: whoever changes an entry, or brings it in another history, too, did not write it first.
func (f *finder) cameAs(ctx context.Context, k store.EntryKind, tip git.ID, first Key) (bool, error) {
	came, err := f.firsts(ctx, k, tip, first.ID)
	return len(came) == 1 && came[first.Sum], err
}

// firsts returns the contents with which an entry came into the history of a commit: those of commits that
// have it while no parent has. It is empty if the history is too long to tell.
func (f *finder) firsts(ctx context.Context, k store.EntryKind, tip git.ID, id [26]byte) (map[uint64]bool, error) {
	at := func(commit git.ID) ([]place, error) {
		tree, err := f.tree(ctx, commit)
		if err != nil || tree == "" {
			return nil, err
		}
		p, err := f.places(ctx, k, tree)
		if err != nil {
			return nil, err
		}
		return p.of(id), nil
	}
	came := map[uint64]bool{}
	seen := map[git.ID]bool{tip: true}
	for queue := []git.ID{tip}; len(queue) > 0; queue = queue[1:] {
		if f.looked++; f.looked > mostLooks {
			return nil, nil
		}
		parents, err := f.parents(ctx, queue[0])
		if err != nil {
			return nil, err
		}
		first := true
		for _, p := range parents {
			list, err := at(p)
			if err != nil {
				return nil, err
			}
			if len(list) == 0 {
				continue
			}
			if first = false; !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
		if !first {
			continue
		}
		list, err := at(queue[0])
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			came[p.key.Sum] = true
		}
	}
	return came, nil
}

// parents returns the parents of a commit.
func (f *finder) parents(ctx context.Context, id git.ID) ([]git.ID, error) {
	if n := f.News[id]; n != nil {
		return n.Parents, nil
	}
	c, err := f.s.Repo().Commit(ctx, id)
	if errors.Is(err, git.ErrNotFound) { // beyond the edge of a shallow clone
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return c.Parents, nil
}

// smaller reports whether a merge has the content of another parent, which is the bytewise
// smaller one, as the union of two contents of one entry is.
func (f *finder) smaller(ctx context.Context, k store.EntryKind, c *git.Commit, parent git.ID, e lostEntry) (bool, error) {
	old, err := f.text(ctx, k, e.blob, e.key)
	if err != nil {
		return false, err
	}
	other := Key{e.key.ID, e.now}
	for _, p := range c.Parents {
		tree, err := f.tree(ctx, p)
		if err != nil {
			return false, err
		}
		if p == parent || tree == "" {
			continue
		}
		all, err := f.contents(ctx, k, tree)
		if err != nil {
			return false, err
		}
		if blob := all[other]; blob != "" {
			now, err := f.text(ctx, k, blob, other)
			return bytes.Compare(now, old) < 0, err
		}
	}
	return false, nil
}

// topics returns the topics that a commit lacks of a parent without a record: by file name, the
// file that the parent has. Those with a record are added to forgotten: an earlier commit has not lost
// what a later one removed. What a merge took over from a parent that lacks it, that parent must answer for.
func (f *finder) topics(ctx context.Context, id, parent git.ID, forgotten map[string]bool) (map[string]git.ID, error) {
	now, err := f.topicsOf(ctx, id)
	if err != nil {
		return nil, err
	}
	before, err := f.topicsOf(ctx, parent)
	if err != nil {
		return nil, err
	}
	lost := map[string]git.ID{}
	var recorded map[string]bool
	for name, e := range before {
		if _, ok := now[name]; ok {
			continue
		}
		if recorded == nil {
			if recorded, err = f.removed(ctx, id); err != nil {
				return nil, err
			}
		}
		removed := recorded[doc.TopicDir+"/"+name]
		if forgotten[name] = forgotten[name] || removed; !removed {
			if removed, err = f.removedBeside(ctx, id, parent, name); err != nil {
				return nil, err
			}
		}
		if !removed && !forgotten[name] {
			lost[name] = e.ID
		}
	}
	return lost, nil
}

// topicsOf lists the topics of a commit by file name; none of one that is not here.
func (f *finder) topicsOf(ctx context.Context, id git.ID) (map[string]git.TreeEntry, error) {
	tree, err := f.tree(ctx, id)
	if err != nil {
		return nil, err
	}
	root, err := f.list(ctx, tree)
	if err != nil || !root[doc.TopicDir].IsTree() {
		return nil, err
	}
	return f.list(ctx, root[doc.TopicDir].ID)
}

// removedBeside reports whether another parent of a merge lacks a topic that both parents come
// from: the merge took over its removal.
func (f *finder) removedBeside(ctx context.Context, id, parent git.ID, name string) (bool, error) {
	c, err := f.s.Repo().Commit(ctx, id)
	if err != nil {
		return false, err
	}
	has := func(ctx context.Context, id git.ID) (bool, error) {
		topics, err := f.topicsOf(ctx, id)
		return topics[name].ID != "", err
	}
	for _, p := range c.Parents {
		if p == parent {
			continue
		}
		there, err := has(ctx, p)
		if err != nil {
			return false, err
		}
		if there {
			continue
		}
		if was, err := f.inBases(ctx, parent, p, has); was || err != nil {
			return was, err
		}
	}
	return false, nil
}

// dropPresent leaves out what the tip has.
func (b *Branch) dropPresent(ctx context.Context, f *finder) error {
	tree, err := f.tree(ctx, f.Tip)
	if err != nil {
		return err
	}
	for i, k := range kinds() {
		if len(b.entries[i]) == 0 {
			continue
		}
		all, err := f.contents(ctx, k, tree)
		if err != nil {
			return err
		}
		contents := map[[26]byte]int{}
		for key := range all {
			contents[key.ID]++
		}
		maps.DeleteFunc(b.entries[i], func(id [26]byte, e lostEntry) bool { return all[e.key] != "" && contents[id] == 1 })
	}
	topics, err := f.topicsOf(ctx, f.Tip)
	for name := range topics {
		delete(b.topics, name)
	}
	return err
}
