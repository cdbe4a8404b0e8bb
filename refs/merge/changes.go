package merge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// change is what a commit did to a file. No version is "".
type change struct {
	path          string
	before, after git.ID
}

// mostChanges is how many changed files of the commits of one side are looked at.
const mostChanges = 1 << 18

// changes asks git what commits changed of some files, in the order of the commits, and keeps what is wanted of it. Commits without
// a parent are left out, so those at the edge of a shallow clone are, too.
func changes(ctx context.Context, s *store.Store, commits []git.ID, wanted func(change) bool, paths ...string) ([]change, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	var in strings.Builder
	for _, id := range commits {
		in.WriteString(string(id) + "\n")
	}
	var list []change
	lines := 0
	err := s.Repo().EachLine(ctx, git.LineOptions{Input: strings.NewReader(in.String())}, func(line []byte) error {
		if lines++; lines > mostChanges {
			return git.ErrEnough
		}
		if !bytes.HasPrefix(line, []byte{':'}) { // the id of the commit
			return nil
		}
		facts, path, ok := strings.Cut(string(line), "\t")
		f := strings.Fields(facts) // :MODE MODE ID ID STATUS
		if !ok || len(f) != 5 {
			return fmt.Errorf("git diff-tree: cannot understand '%s'", git.Shown(string(line)))
		}
		c := change{path: path}
		if f[0] == ":"+blobMode {
			c.before = git.ID(f[2])
		}
		if f[1] == blobMode {
			c.after = git.ID(f[3])
		}
		if wanted(c) {
			list = append(list, c)
		}
		return nil
	}, append([]string{"diff-tree", "--stdin", "-r", "--raw", "--no-abbrev", "--no-renames", "--"}, paths...)...)
	if errors.Is(err, git.ErrEnough) {
		err = nil
	}
	return list, err
}

// blobMode is git.ModeBlob in the output of diff-tree.
const blobMode = "100644"

// affordable returns, in their order, the changes whose versions may be read: each pair of versions once, and no more of them than
// have most bytes together. The smallest ones come first, so that large ones do not keep others from being read.
func affordable(ctx context.Context, s *store.Store, list []change, most int64) ([]change, error) {
	const least = 4 << 10 // what a pair costs beside its bytes
	price := map[change]int64{}
	size := map[git.ID]int64{}
	var ids []git.ID
	for _, c := range list {
		for _, id := range []git.ID{c.before, c.after} {
			if _, known := size[id]; id != "" && !known {
				size[id] = 0
				ids = append(ids, id)
			}
		}
	}
	infos, err := s.Repo().Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, info := range infos {
		if size[info.ID] = info.Size; info.Type != "blob" { // it is lost, or beyond the edge of a shallow clone
			size[info.ID] = most
		}
	}
	list = slices.DeleteFunc(list, func(c change) bool {
		_, known := price[c]
		price[c] = least + size[c.before] + size[c.after]
		return known
	})
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b change) int { return cmp.Compare(price[a], price[b]) })
	for _, c := range sorted {
		if most -= price[c]; most < 0 {
			delete(price, c)
		}
	}
	return slices.DeleteFunc(list, func(c change) bool { return price[c] == 0 }), nil
}

// reader reads and parses versions of one document, each once.
type reader[T any] struct {
	s     *store.Store
	parse func([]byte) (T, error)
	known map[git.ID]T
}

// both returns the two versions of a change. No version is an empty one.
func (r *reader[T]) both(ctx context.Context, c change) (now, before T, err error) {
	if now, err = r.at(ctx, c.after); err == nil {
		before, err = r.at(ctx, c.before)
	}
	return now, before, err
}

func (r *reader[T]) at(ctx context.Context, id git.ID) (T, error) {
	if version, ok := r.known[id]; ok {
		return version, nil
	}
	var data []byte
	if id != "" {
		var err error
		if data, err = r.s.Repo().Blob(ctx, id); err != nil {
			var none T
			return none, err
		}
	}
	version, err := r.parse(data)
	if err == nil {
		if r.known == nil {
			r.known = map[git.ID]T{}
		}
		r.known[id] = version
	}
	return version, err
}
