package loss

import (
	"context"
	"maps"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

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
	if len(lost) == 0 {
		return nil, nil
	}
	if ours, err := f.isOurs(ctx, parent); !ours || err != nil {
		return lost, err
	}
	return lost, f.topicsHere(ctx, lost)
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
	if !f.mayAsk() {
		return f.recorded(ctx, doc.TopicDir+"/"+name)
	}
	c, err := f.s.Repo().Commit(ctx, id)
	if err != nil {
		return false, err
	}
	was, err := f.topicsOf(ctx, parent)
	if err != nil {
		return false, err
	}
	has := func(ctx context.Context, id git.ID) (there, same bool, err error) {
		topics, err := f.topicsOf(ctx, id)
		return topics[name].ID != "", topics[name].ID == was[name].ID, err
	}
	recorded := func(ctx context.Context) (bool, error) { return f.recorded(ctx, doc.TopicDir+"/"+name) }
	return f.absentBeside(ctx, c, parent, has, recorded)
}

// absentBeside reports whether another parent of a merge lacks something that both parents come from, and that the one
// parent has as it was: what that parent has changed since is removed with a record, see recorded. has is asked for
// the parents and for their best common ancestors; same is whether it is there as in the one parent.
func (f *finder) absentBeside(ctx context.Context, merge *git.Commit, parent git.ID,
	has func(ctx context.Context, id git.ID) (there, same bool, err error), recorded func(context.Context) (bool, error)) (bool, error) {
	for _, p := range merge.Parents {
		if p == parent {
			continue
		}
		there, _, err := has(ctx, p)
		if err != nil {
			return false, err
		}
		if there {
			continue
		}
		bases, err := f.mergeBases(ctx, parent, p)
		if err != nil {
			return false, err
		}
		for _, base := range bases {
			there, same, err := has(ctx, base)
			if err == nil && there && !same {
				same, err = recorded(ctx)
			}
			if err != nil {
				return false, err
			}
			if there && same {
				return true, nil
			}
		}
	}
	return false, nil
}

// topicsHere replaces topics that are lost by what this repository's branch has in their places.
func (f *finder) topicsHere(ctx context.Context, lost map[string]git.ID) error {
	have, err := f.topicsOf(ctx, f.Have)
	for name := range lost {
		if e, has := have[name]; has {
			lost[name] = e.ID
		} else if err == nil {
			delete(lost, name)
		}
	}
	return err
}

// recorded reports whether any commit of the range has a record that it removed a document. It stands in for
// the common ancestors of two parents where these are too many to look for.
func (f *finder) recorded(ctx context.Context, path string) (bool, error) {
	if f.records == nil {
		f.records = map[string]bool{}
		for id := range f.News {
			removed, err := f.removed(ctx, id)
			if err != nil {
				return false, err
			}
			maps.Copy(f.records, removed)
		}
	}
	return f.records[path], nil
}
