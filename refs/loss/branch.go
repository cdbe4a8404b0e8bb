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
	// Sound are the newest commits with all that their parents have, to which the ref can be set back. Some may lead to others
	// of them.
	Sound []git.ID
	// Dropped is how many keys Restore has removed to make room for others.
	Dropped int

	entries [2]map[[26]byte]lostEntry // steps and commits, by id
	topics  map[string]git.ID         // by file name
	files   map[string]git.ID         // artifacts, by path
	keys    []doc.MetadataKey         // of metadata.yaml
	from    git.ID                    // a commit that has what is lost first

	unclear error // refuses the branch, see ledger.total
	changed map[string]bool
	spare   func(context.Context) ([]string, error) // keys that can go to make room; nil: none
}

// Empty reports whether nothing is lost.
func (b *Branch) Empty() bool {
	return b.unclear == nil && len(b.entries[0])+len(b.entries[1])+len(b.topics)+len(b.files)+len(b.keys) == 0
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
//     content, which is the bytewise smaller one, unless this repository has the first one, or knows better, see finder.claims;
//  2. the commit says that it restores, by its trailer Context-Restores, and that content is the one
//     with which the entry came into the history, or with which this repository wrote it on another branch, or this repository,
//     which did not write the entry, has restored its own content once before;
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
	kept, err := b.follow(ctx, f, list)
	if err != nil {
		return nil, err
	}
	lossy := map[git.ID]bool{} // entries and files
	for _, id := range list {
		for _, p := range r.News[id].Parents {
			entries, err := b.compare(ctx, f, kept, id, p)
			if err != nil {
				return nil, err
			}
			lossy[id] = lossy[id] || entries
		}
	}
	if err := b.compareHidden(ctx, f, births); err != nil {
		return nil, err
	}
	if err := b.rewritten(ctx, f, list); err != nil {
		return nil, err
	}
	for id := range f.back {
		b.changed[string(id[:])] = true
	}
	if f.dispute != nil {
		for id := range f.dispute.given {
			b.changed[string(id[:])] = true
		}
	}
	slices.Reverse(b.Causes)
	if err := b.settle(ctx, f); err != nil {
		return nil, err
	}
	if err := b.dropPresent(ctx, f); err != nil || b.Empty() {
		return b, err
	}
	if len(b.entries[0])+len(b.entries[1])+len(b.files) == 0 {
		clear(lossy)
	}
	slices.Reverse(list)
	b.Sound, err = f.sound(ctx, list, func(id git.ID) bool { return kept.topics.owes(id) || kept.keys.owes(id) }, lossy)
	return b, err
}

// compareHidden records what the tip lacks of the commits that the first commit of a branch hides.
func (b *Branch) compareHidden(ctx context.Context, f *finder, births bool) error {
	list, err := f.hidden(ctx, births)
	if err == nil && len(list) > mostHidden {
		b.unclear, err = f.refuses(ctx, f.Tip)
		list = nil
	}
	for i := 0; err == nil && i < len(list); i++ {
		err = b.compareOne(ctx, f, list[i])
	}
	return err
}

// compareOne records what the tip lacks of a commit, whatever lies between.
func (b *Branch) compareOne(ctx context.Context, f *finder, have git.ID) error {
	lost, err := b.compareEntries(ctx, f, f.Tip, have)
	if err != nil {
		return err
	}
	files, err := b.compareFiles(ctx, f, f.Tip, have)
	if err != nil {
		return err
	}
	return b.add(ctx, f, f.Tip, have, tally{lost[0], lost[1], files, 0}, nil)
}

// followed are the ledgers of a branch.
type followed struct {
	topics *ledger[string]
	keys   *ledger[string]
}

// follow finds the topics and the keys that are lost. list are the commits, children before parents.
func (b *Branch) follow(ctx context.Context, f *finder, list []git.ID) (kept followed, err error) {
	list = slices.Clone(list)
	slices.Reverse(list)
	topics := topicKind{f}
	if kept.topics, err = follow(ctx, f, topics, list); err != nil {
		return kept, err
	}
	owed, unclear, err := kept.topics.total(ctx, f.Tip)
	if err != nil {
		return kept, err
	}
	if b.topics, err = topics.blobs(ctx, owed); err != nil {
		return kept, err
	}
	keys := keyKind{f, map[string]doc.MetadataKey{}}
	if kept.keys, err = follow(ctx, f, keys, list); err != nil {
		return kept, err
	}
	if owed, b.unclear, err = kept.keys.total(ctx, f.Tip); err != nil {
		return kept, err
	}
	if unclear != nil {
		b.unclear = unclear
	}
	if err := b.dropNested(ctx, f, keys, owed); err != nil {
		return kept, err
	}
	if b.keys, err = keys.inOrder(ctx, owed); err != nil {
		return kept, err
	}
	b.spare = func(ctx context.Context) ([]string, error) { return f.spare(ctx, keys, kept.keys, owed, list) }
	return kept, nil
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
	has, err := f.topicsOf(ctx, tip)
	if err != nil {
		return nil, err
	}
	for name, e := range had {
		if _, there := has[name]; !there {
			b.topics[name] = e.ID
		}
	}
	if _, err := b.compareFiles(ctx, f, tip, of); err != nil {
		return nil, err
	}
	was, err := f.metadataOf(ctx, of)
	if err != nil {
		return nil, err
	}
	now, err := f.metadataOf(ctx, tip)
	if err != nil {
		return nil, err
	}
	if b.keys, err = now.Lost(was, false); err != nil {
		return nil, err
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

// compare records what a commit lacks of one parent, and reports whether it lacks entries or artifacts.
func (b *Branch) compare(ctx context.Context, f *finder, kept followed, id, parent git.ID) (bool, error) {
	before, err := f.tree(ctx, parent)
	if err != nil || before == "" || before == f.News[id].Tree {
		return false, err
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
		return false, err
	}
	at := [2]git.ID{id, parent}
	n := tally{lost[0], lost[1], files, len(kept.keys.lost[at])}
	return n.steps+n.commits+files > 0, b.add(ctx, f, id, parent, n, slices.Clone(kept.topics.lost[at]))
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
			ok, err := f.allowed(ctx, k, id, of, &e)
			if err != nil {
				return lost, err
			}
			if !ok && !f.Gone.HasEntry(string(e.key.ID[:])) {
				if e.changed {
					b.changed[string(e.key.ID[:])] = true
				}
				if e.claimed || !b.entries[i][e.key.ID].claimed {
					b.entries[i][e.key.ID] = e // parents come last: the oldest content stays
				}
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
