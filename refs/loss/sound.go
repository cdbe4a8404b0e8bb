package loss

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// sound returns the commits that a ref can be set back to, see [Branch.Sound]: each has all that the commits below it have, as far as they
// came. list are the commits of the range, parents before children; owes reports whether one lacks
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
	for _, id := range slices.Backward(list) {
		if !lossy[id] && !owes(id) && !below[id] {
			sound = append(sound, id)
		}
	}
	return sound, nil
}
