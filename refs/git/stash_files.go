package git

import (
	"context"
	"errors"
	"fmt"
)

// MostStashFiles is how many files and directories an entry of git stash may change.
const MostStashFiles = 100_000

// ErrStashTooLarge: an entry changes more than [MostStashFiles] files, their paths are too long together, or it is nested
// deeper than any worktree.
var ErrStashTooLarge = errors.New("it changes too many files")

const (
	mostPaths    = 16 << 20 // bytes of the paths together: git lists each file with its whole path
	mostNested   = 1000     // directories in one another
	mostCodeTree = 64 << 20 // bytes of one tree of the code
)

// treePair is two directories to compare; "" for none.
type treePair struct{ a, b ID }

// differs is in how much two directories differ.
type differs struct {
	files int // and directories, which git visits, too
	bytes int // of their paths
}

func (d differs) tooMuch() bool { return d.files > MostStashFiles || d.bytes > mostPaths }

// add adds what is below a directory of a name.
func (d *differs) add(name string, below differs) {
	d.files += 1 + below.files
	d.bytes += (1+below.files)*(len(name)+1) + below.bytes
}

// differing counts the files in which trees differ. git lists all of them before it prints the first one, and a few
// objects can be trees with more files than any machine could list.
type differing struct {
	repo  *Repo
	known map[treePair]differs
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
	if err == nil && n.tooMuch() {
		err = fmt.Errorf("%w: at most %d are allowed, and %d bytes of paths", ErrStashTooLarge, MostStashFiles, mostPaths)
	}
	return err
}

// count returns in how much two directories differ, or something that is too much if it is more.
func (d *differing) count(ctx context.Context, p treePair, depth int) (differs, error) {
	var sum differs
	if p.a == p.b {
		return sum, nil
	}
	if sum, known := d.known[p]; known {
		return sum, nil
	}
	if depth > mostNested {
		return differs{files: MostStashFiles + 1}, nil
	}
	a, err := d.tree(ctx, p.a)
	if err != nil {
		return sum, err
	}
	b, err := d.tree(ctx, p.b)
	if err != nil {
		return sum, err
	}
	for _, e := range differingEntries(a, b) {
		if sum.tooMuch() {
			break
		}
		below, err := d.count(ctx, e.trees, depth+1)
		if err != nil {
			return sum, err
		}
		sum.add(e.name, below)
	}
	d.known[p] = sum
	return sum, nil
}

// differingEntry is a name in which two directories differ, and the directories of that name; none for files.
type differingEntry struct {
	name  string
	trees treePair
}

func differingEntries(a, b []TreeEntry) []differingEntry {
	others := make(map[string]TreeEntry, len(b))
	for _, e := range b {
		others[e.Name] = e
	}
	var list []differingEntry
	for _, e := range a {
		o := others[e.Name]
		delete(others, e.Name)
		if e == o {
			continue
		}
		var trees treePair
		if e.IsTree() {
			trees.a = e.ID
		}
		if o.IsTree() {
			trees.b = o.ID
		}
		list = append(list, differingEntry{e.Name, trees})
	}
	for _, o := range others {
		var trees treePair
		if o.IsTree() {
			trees.b = o.ID
		}
		list = append(list, differingEntry{o.Name, trees})
	}
	return list
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
