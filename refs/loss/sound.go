package loss

import (
	"cmp"
	"context"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// MostSound is of how many commits that a ref can be set back to something is known.
const MostSound = 64

// sound returns the commits that a ref can be set back to, those with most commits below them first, see [Branch.Sound]: each has all that the
// commits below it have, as far as they came. list are the commits of the range, parents before children; owes reports whether one lacks
// what it should have; lossy are those that took something away which the tip lacks.
func (f *finder) sound(ctx context.Context, list []git.ID, owes func(git.ID) bool, lossy map[git.ID]bool) (sound []git.ID, err error) {
	below := map[git.ID]bool{} // a sound commit comes from it
	for _, id := range list {
		for _, p := range f.News[id].Parents {
			lossy[id] = lossy[id] || lossy[p]
		}
		if lossy[id] && len(f.News[id].Parents) == 1 {
			c, err := f.s.Repo().Commit(ctx, id)
			if err != nil {
				return nil, err
			}
			lossy[id] = c.Trailer(store.TrailerRestores) == "" // else it has again what was lost below it
		}
		if !lossy[id] && !owes(id) {
			for _, p := range f.News[id].Parents {
				below[p] = true
			}
		}
	}
	counts := map[git.ID]int{}
	for _, id := range slices.Backward(list) {
		if lossy[id] || owes(id) || below[id] {
			continue
		}
		counts[id] = f.count(id)
		if sound = append(sound, id); len(sound) > MostSound {
			break
		}
	}
	slices.SortStableFunc(sound, func(a, b git.ID) int { return cmp.Compare(counts[b], counts[a]) })
	return sound, nil
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
