package loss

import (
	"bytes"
	"context"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// isBirth reports whether a commit is the first one of a branch that was made from another: it
// has no entry but the birth, which its parent lacks, and its parent is of another branch.
func (f *finder) isBirth(ctx context.Context, id git.ID) (bool, error) {
	birth, known := f.born[id]
	if known {
		return birth, nil
	}
	birth, err := f.looksBorn(ctx, id)
	if err == nil {
		f.born[id] = birth
	}
	return birth, err
}

func (f *finder) looksBorn(ctx context.Context, id git.ID) (bool, error) {
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
	if birth, err := f.beginsWithBirth(ctx, file.ID); !birth || err != nil {
		return false, err
	}
	keys, err := f.keys(ctx, doc.CommitFile, file.ID)
	if err != nil {
		return false, err
	}
	if again, err := f.hadCommit(ctx, n.Parents[0], keys[0]); again || err != nil {
		return false, err
	}
	same, err := f.sameBranch(ctx, id, n.Parents[0])
	return !same, err
}

// sameBranch reports whether what looks like a birth hides the history of its own branch: its parent says the
// same name, or the name of the ref, whose newest commit says another one, as after git push HUB OTHER:MAIN, or which leads
// to that parent through nothing else, although the branch was merged.
func (f *finder) sameBranch(ctx context.Context, birth, parent git.ID) (bool, error) {
	below, err := f.branchAt(ctx, parent)
	if below == "" || err != nil {
		return false, err
	}
	if own, err := f.branchAt(ctx, birth); own == below || err != nil {
		return own == below, err
	}
	if below != f.Branch {
		return false, nil
	}
	for at := f.Tip; at != birth; at = f.News[at].Parents[0] {
		if n := f.News[at]; n == nil || len(n.Parents) == 0 {
			return !f.reaches(parent, birth), nil // it was merged
		}
	}
	newest, err := f.branchAt(ctx, f.Tip)
	return newest != "" && newest != f.Branch, err
}

// reaches reports whether the tip leads to a commit by another way than through one of its children, as it does to what a
// merged branch began from.
func (f *finder) reaches(id, child git.ID) bool {
	seen := map[git.ID]bool{child: true}
	for stack := []git.ID{f.Tip}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n := f.News[at]; at == id || n == nil { // what is known may lead there
			return true
		} else if !seen[at] {
			seen[at] = true
			stack = append(stack, n.Parents...)
		}
	}
	return false
}

// branchAt returns the name of the branch that a commit is of, as its metadata.yaml says; "" for unknown.
func (f *finder) branchAt(ctx context.Context, id git.ID) (string, error) {
	tree, err := f.tree(ctx, id)
	if tree == "" || err != nil {
		return "", err
	}
	m, err := f.metadataOf(ctx, id)
	if err != nil {
		return "", err
	}
	return m.Branch().Name, nil
}

// beginsWithBirth reports whether the one entry of a commit.md is the birth of a branch. It reads each
// file once: thousands of commits may have the same one, of many megabytes.
func (f *finder) beginsWithBirth(ctx context.Context, blob git.ID) (bool, error) {
	if birth, known := f.births[blob]; known {
		return birth, nil
	}
	data, err := f.s.Repo().Blob(ctx, blob)
	if err != nil {
		return false, err
	}
	list, err := doc.ParseCommits(data)
	birth := err == nil && len(list) == 1 && list[0].Kind == doc.KindBirth
	if err == nil {
		f.births[blob] = birth
	}
	return birth, err
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
