package loss

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// mostSound is of how many commits sound compares the histories.
const mostSound = 32

// sound returns the commit that a ref can be set back to: it has all that the commits below it have, as far as they came, and
// most of them. Where this repository has the ref, it is one that comes from what both have in common, or what is here. list are the commits of
// the range, parents before children; owes reports whether one lacks what it should have; lossy are those that took something
// away which the tip lacks. It returns "" for none.
func (f *finder) sound(ctx context.Context, list []git.ID, owes func(git.ID) bool, lossy map[git.ID]bool) (git.ID, error) {
	ours := map[git.ID]bool{}
	if f.Have != "" {
		bases, err := f.mergeBases(ctx, f.Have, f.Tip)
		if err != nil {
			return "", err
		}
		for _, base := range bases {
			ours[base] = true
		}
	}
	below := map[git.ID]bool{} // a sound commit comes from it
	for _, id := range list {
		for _, p := range f.News[id].Parents {
			lossy[id] = lossy[id] || lossy[p]
			ours[id] = ours[id] || ours[p]
		}
		if lossy[id] && len(f.News[id].Parents) == 1 {
			c, err := f.s.Repo().Commit(ctx, id)
			if err != nil {
				return "", err
			}
			lossy[id] = c.Trailer(store.TrailerRestores) == "" // else it has again what was lost below it
		}
		if !lossy[id] && !owes(id) {
			for _, p := range f.News[id].Parents {
				below[p] = true
			}
		}
	}
	best, most, looked := f.Have, 0, 0
	for _, id := range slices.Backward(list) {
		if lossy[id] || owes(id) || below[id] || f.Have != "" && !ours[id] {
			continue
		}
		if n := f.count(id); n > most {
			best, most = id, n
		}
		if looked++; looked == mostSound {
			break
		}
	}
	return best, nil
}

// count returns how many commits of the range a commit leads to.
func (f *finder) count(id git.ID) int {
	seen := map[git.ID]bool{id: true}
	for stack := []git.ID{id}; len(stack) > 0; {
		n := f.News[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		if n == nil {
			continue
		}
		for _, p := range n.Parents {
			if !seen[p] {
				seen[p] = true
				stack = append(stack, p)
			}
		}
	}
	return len(seen)
}
