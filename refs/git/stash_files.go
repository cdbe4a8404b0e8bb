package git

import (
	"context"
	"errors"
	"fmt"
)

// MostStashFiles is how many files an entry of git stash may change.
const MostStashFiles = 100_000

// ErrStashTooLarge: an entry changes more than [MostStashFiles] files, or is nested deeper than any worktree.
var ErrStashTooLarge = errors.New("it changes too many files")

const (
	mostNested   = 1000     // directories in one another
	mostCodeTree = 64 << 20 // bytes of one tree of the code
)

// treePair is two directories to compare; "" for none.
type treePair struct{ a, b ID }

// differing counts the files in which trees differ. git lists all of them before it prints the first one, and a few
// objects can be trees with more files than any machine could list.
type differing struct {
	repo  *Repo
	known map[treePair]int
}

// limit returns ErrStashTooLarge if two commits differ in more than MostStashFiles files; "" is a commit without files.
func (d *differing) limit(ctx context.Context, a, b ID) error {
	var trees [2]ID
	for i, id := range []ID{a, b} {
		if id == "" {
			continue
		}
		c, err := d.repo.Commit(ctx, id)
		if err != nil {
			return err
		}
		trees[i] = c.Tree
	}
	n, err := d.count(ctx, treePair{trees[0], trees[1]}, 0)
	if err == nil && n > MostStashFiles {
		err = fmt.Errorf("%w: at most %d are allowed", ErrStashTooLarge, MostStashFiles)
	}
	return err
}

// count returns the number of files, or any that is larger than MostStashFiles if there are more.
func (d *differing) count(ctx context.Context, p treePair, depth int) (int, error) {
	if p.a == p.b {
		return 0, nil
	}
	if n, known := d.known[p]; known {
		return n, nil
	}
	if depth > mostNested {
		return MostStashFiles + 1, nil
	}
	pairs, n, err := d.pairs(ctx, p)
	if err != nil {
		return 0, err
	}
	for _, below := range pairs {
		if n > MostStashFiles {
			break
		}
		more, err := d.count(ctx, below, depth+1)
		if err != nil {
			return 0, err
		}
		n += more
	}
	d.known[p] = n
	return n, nil
}

// pairs returns the directories in two trees that differ, and the number of files in them, not below, that do.
func (d *differing) pairs(ctx context.Context, p treePair) (below []treePair, files int, err error) {
	a, err := d.tree(ctx, p.a)
	if err != nil {
		return nil, 0, err
	}
	b, err := d.tree(ctx, p.b)
	if err != nil {
		return nil, 0, err
	}
	others := make(map[string]TreeEntry, len(b))
	for _, e := range b {
		others[e.Name] = e
	}
	one := func(e TreeEntry, pair treePair) {
		if e.IsTree() {
			below = append(below, pair)
		} else {
			files++
		}
	}
	for _, e := range a {
		o, both := others[e.Name]
		delete(others, e.Name)
		switch {
		case both && o == e:
		case both && o.IsTree() && e.IsTree():
			below = append(below, treePair{e.ID, o.ID})
		case both && !o.IsTree() && !e.IsTree():
			files++
		default:
			one(e, treePair{a: e.ID})
			if both {
				one(o, treePair{b: o.ID})
			}
		}
	}
	for _, o := range others {
		one(o, treePair{b: o.ID})
	}
	return below, files, nil
}

// tree reads a directory of the code; "" has no entry.
func (d *differing) tree(ctx context.Context, id ID) ([]TreeEntry, error) {
	if id == "" {
		return nil, nil
	}
	infos, err := d.repo.Infos(ctx, []ID{id})
	if err != nil {
		return nil, err
	}
	if infos[0].Size > mostCodeTree {
		return nil, fmt.Errorf("%w: a directory has %d bytes", ErrStashTooLarge, infos[0].Size)
	}
	return d.repo.Tree(ctx, id)
}
