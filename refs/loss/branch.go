package loss

import (
	"context"
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
	files   map[string]git.ID         // artifacts, by path
	keys    []lostKey                 // of metadata.yaml, the newest values first
	from    git.ID                    // a commit that has what is lost first

	changed map[string]bool
	added   func(ctx context.Context, id git.ID) ([]string, error) // keys that a commit has, and no parent of it; nil: unknown
}

// lostKey is a key of metadata.yaml, with the commit that lost it; "" for unknown.
type lostKey struct {
	doc.MetadataKey
	by git.ID
}

// Empty reports whether nothing is lost.
func (b *Branch) Empty() bool {
	return len(b.entries[0])+len(b.entries[1])+len(b.topics)+len(b.files)+len(b.keys) == 0
}

// Changed returns the ids of entries that a commit has with another content than its parent. The
// tip has them as they were first, or Restore brings that back.
func (b *Branch) Changed() map[string]bool { return b.changed }

// What counts what is lost, for a message.
func (b *Branch) What() string {
	return strings.Join(counts(tally{len(b.entries[0]), len(b.entries[1]), len(b.files), len(b.keys)},
		slices.Collect(maps.Keys(b.topics))), ", ")
}

// tally counts what is lost.
type tally struct{ steps, commits, files, keys int }

// counts says how many steps, commits, attachments and keys, and which topics. A key's name may be a secret, which
// an expunge would have to find in more messages.
func counts(n tally, topics []string) (what []string) {
	steps, commits, files := n.steps, n.commits, n.files
	if steps > 0 {
		what = append(what, prose.Count(steps, "step"))
	}
	if commits > 0 {
		what = append(what, prose.Count(commits, "commit"))
	}
	if files > 0 {
		what = append(what, prose.Count(files, "attachment"))
	}
	if n.keys > 0 {
		what = append(what, prose.Count(n.keys, "key")+" of metadata")
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
//     with which the entry came into the history, or this repository, which did not write the entry, has
//     restored its own content once before;
//  3. the parent has what an expunge left of it, which was refused since.
//
// What the tip has again is not lost. Where the tip does not descend from this repository's branch, entries that
// both have with different contents are lost, too, see [Branch.rewritten].
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
	b.added = func(ctx context.Context, id git.ID) ([]string, error) { return f.addedBy(ctx, id, r.News[id].Parents) }
	before, err := f.hidden(ctx, births)
	if err != nil {
		return nil, err
	}
	if before != "" {
		lost, err := b.compareEntries(ctx, f, r.Tip, before)
		if err != nil {
			return nil, err
		}
		files, err := b.compareFiles(ctx, f, r.Tip, before)
		if err != nil {
			return nil, err
		}
		if err := b.add(ctx, f, r.Tip, before, tally{lost[0], lost[1], files, 0}, nil); err != nil {
			return nil, err
		}
	}
	if err := b.rewritten(ctx, f, list); err != nil {
		return nil, err
	}
	for id := range f.back {
		b.changed[string(id[:])] = true
	}
	slices.Reverse(b.Causes)
	if err := b.settle(ctx, f); err != nil {
		return nil, err
	}
	return b, b.dropPresent(ctx, f)
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
	if _, err := b.compareFiles(ctx, f, tip, of); err != nil {
		return nil, err
	}
	was, _, err := f.metadataOf(ctx, of)
	if err != nil {
		return nil, err
	}
	now, _, err := f.metadataOf(ctx, tip)
	if err != nil {
		return nil, err
	}
	keys, err := now.Lost(was, false)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		b.keys = append(b.keys, lostKey{MetadataKey: key})
	}
	b.from = of
	return b, b.dropPresent(ctx, f)
}

func newBranch() *Branch {
	b := &Branch{topics: map[string]git.ID{}, files: map[string]git.ID{}, changed: map[string]bool{}}
	for i := range b.entries {
		b.entries[i] = map[[26]byte]lostEntry{}
	}
	return b
}

// compare records what a commit lacks of one parent.
func (b *Branch) compare(ctx context.Context, f *finder, id, parent git.ID, forgotten map[string]bool) error {
	before, err := f.tree(ctx, parent)
	if err != nil || before == "" || before == f.News[id].Tree {
		return err
	}
	var lost [2]int
	files := 0
	birth, err := f.isBirth(ctx, id)
	if err == nil && !birth {
		if lost, err = b.compareEntries(ctx, f, id, parent); err == nil {
			files, err = b.compareFiles(ctx, f, id, parent)
		}
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
	keys, err := f.keysOfMetadata(ctx, id, parent, birth, forgotten)
	if err != nil {
		return err
	}
	for _, key := range keys {
		b.keys = append(b.keys, lostKey{key, id})
	}
	return b.add(ctx, f, id, parent, tally{lost[0], lost[1], files, len(keys)}, slices.Collect(maps.Keys(topics)))
}

// compareFiles records the artifacts that one commit lacks of another one, and counts them.
func (b *Branch) compareFiles(ctx context.Context, f *finder, id, of git.ID) (int, error) {
	files, err := f.artifacts(ctx, id, of)
	maps.Copy(b.files, files)
	return len(files), err
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
func (b *Branch) add(ctx context.Context, f *finder, id, parent git.ID, lost tally, topics []string) error {
	what := counts(lost, topics)
	if len(what) == 0 {
		return nil
	}
	b.from = parent
	cause, err := f.cause(ctx, id, parent, what)
	if err == nil {
		b.Causes = append(b.Causes, cause)
	}
	return err
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
	if err != nil {
		return err
	}
	for name := range topics {
		delete(b.topics, name)
	}
	if err := b.dropPresentKeys(ctx, f); err != nil {
		return err
	}
	return b.dropPresentFiles(ctx, f)
}

func (b *Branch) dropPresentFiles(ctx context.Context, f *finder) error {
	for path := range b.files {
		folders, err := f.artifactFolders(ctx, f.Tip)
		if err != nil {
			return err
		}
		radix, name, _ := strings.Cut(strings.TrimPrefix(path, doc.ArtifactDir+"/"), "/")
		if !folders[radix].IsTree() {
			continue
		}
		has, err := f.list(ctx, folders[radix].ID)
		if err != nil {
			return err
		}
		if _, there := has[name]; there {
			delete(b.files, path)
		}
	}
	return nil
}
