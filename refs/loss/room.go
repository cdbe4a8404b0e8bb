package loss

import (
	"context"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/git"
)

// mostOthers is how many documents spare looks into.
const mostOthers = 256

// spare lists the keys of metadata.yaml that can be removed to make room for lost ones. The commit that lost one of these has
// added them, the tip has them with the same value, and neither this repository nor any commit that does not come from that
// commit has them. list are the commits of the range, parents before children. Where there are too many other commits to look
// into, or one is beyond the edge of a shallow clone, it lists none.
func (f *finder) spare(ctx context.Context, k keyKind, l *ledger[string], lost map[string]git.ID, list []git.ID) ([]string, error) {
	now, err := k.document(ctx, f.Tip)
	if err != nil {
		return nil, err
	}
	var spare []string
	for _, id := range l.losers(lost) {
		added, err := f.addedBy(ctx, k, id)
		if err != nil {
			return nil, err
		}
		if added, err = f.unchanged(ctx, k, id, now, added); err != nil {
			return nil, err
		}
		others, all, err := f.others(ctx, k, id, list)
		if err != nil || !all || len(others) > mostOthers {
			return nil, err
		}
		for other := range others {
			have, err := k.f.keysIn(ctx, other)
			if err != nil {
				return nil, err
			}
			added = slices.DeleteFunc(added, func(path string) bool { _, had := have[path]; return had })
		}
		spare = append(spare, added...)
	}
	slices.Sort(spare)
	return slices.Compact(spare), nil
}

// losers lists the commits that lost things which every commit from them to the tip owes still. What was lost earlier, and
// restored, is not theirs.
func (l *ledger[T]) losers(lost map[T]git.ID) []git.ID {
	isLost := func(thing T) bool { _, is := lost[thing]; return is }
	var losers []git.ID
	seen := map[git.ID]bool{l.f.Tip: true}
	for queue := []git.ID{l.f.Tip}; len(queue) > 0; queue = queue[1:] {
		id := queue[0]
		if l.owed[id] == nil || !slices.ContainsFunc(slices.Collect(maps.Keys(l.owed[id].from)), isLost) {
			continue
		}
		for _, p := range l.f.News[id].Parents {
			if !slices.Contains(losers, id) && slices.ContainsFunc(l.lost[[2]git.ID{id, p}], isLost) {
				losers = append(losers, id)
			}
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	return losers
}

// addedBy lists the keys that a commit has and none of its parents.
func (f *finder) addedBy(ctx context.Context, k keyKind, id git.ID) ([]string, error) {
	now, err := k.document(ctx, id)
	if err != nil {
		return nil, err
	}
	var added []string
	for i, parent := range f.News[id].Parents {
		before, err := k.document(ctx, parent)
		if err != nil {
			return nil, err
		}
		keys, err := k.lost(ctx, before, now, true)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			added = keys
			continue
		}
		also := map[string]bool{}
		for _, key := range keys {
			also[key] = true
		}
		added = slices.DeleteFunc(added, func(path string) bool { return !also[path] })
	}
	return added, nil
}

// unchanged returns the keys that a document has as a commit has them.
func (f *finder) unchanged(ctx context.Context, k keyKind, id, now git.ID, paths []string) ([]string, error) {
	was, err := k.document(ctx, id)
	if err != nil {
		return nil, err
	}
	var left []string
	for _, path := range paths {
		same, err := k.same(ctx, was, now, path)
		if err != nil {
			return nil, err
		}
		if same {
			left = append(left, path)
		}
	}
	return left, nil
}

// others are the documents of all commits that do not come from one: of the range, of what it begins from, and of this
// repository. all is false if one of these commits is not here.
func (f *finder) others(ctx context.Context, k keyKind, id git.ID, list []git.ID) (docs map[git.ID]bool, all bool, err error) {
	from := map[git.ID]bool{id: true}
	docs, all = map[git.ID]bool{}, true
	add := func(commit git.ID) error {
		tree, err := f.tree(ctx, commit)
		if all = all && tree != ""; err != nil {
			return err
		}
		document, err := k.document(ctx, commit)
		if err == nil && document != "" {
			docs[document] = true
		}
		return err
	}
	for _, c := range list {
		if slices.ContainsFunc(f.News[c].Parents, func(p git.ID) bool { return from[p] }) {
			from[c] = true
		}
	}
	for _, c := range list {
		if !from[c] {
			if err := add(c); err != nil {
				return nil, false, err
			}
		}
		for _, p := range f.News[c].Parents {
			if f.News[p] == nil {
				if err := add(p); err != nil {
					return nil, false, err
				}
			}
		}
	}
	if f.Have != "" {
		err = add(f.Have)
	}
	return docs, all, err
}
