package loss

import "testing"

// A cycle is read once if it has room, however many things it has; what does not fit is forgotten.
func TestRecentKeepsACycle(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ things, weight, misses int }{
		{1025, 1, 1025}, {10_000, 1, 10_000}, {1025, 20, 10 * 1025},
	} {
		r := newRecent[int](10_000, func(weight int) int { return weight })
		misses := 0
		for range 10 {
			for i := range test.things {
				if _, ok := r.get(i); !ok {
					misses++
					r.put(i, test.weight)
				}
			}
		}
		if misses != test.misses || (len(r.now)+len(r.before))*test.weight > 20_000 {
			t.Errorf("%d things of weight %d: %d misses, %d kept", test.things, test.weight, misses, len(r.now)+len(r.before))
		}
	}
}
