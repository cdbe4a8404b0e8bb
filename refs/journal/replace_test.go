package journal

import (
	"fmt"
	"slices"
	"testing"
)

// Steps that are left out leave their numbers and ids behind, and those that stay are
// still to be committed.
func TestWithout(t *testing.T) {
	t.Parallel()
	steps := [][]byte{[]byte(`{"x":"a"}`), []byte(`{"x":"b"}`), []byte(`{"x":"c"}`)}
	for _, drop := range [][]int{nil, {8}, {10}, {9, 10}, {8, 9, 10}} {
		t.Run(fmt.Sprint(drop), func(t *testing.T) {
			path := begin(t)
			j := open(t, path)
			if _, err := j.Append(steps, counter()); err != nil {
				t.Fatal(err)
			}
			step, id := j.step, j.id
			err := j.Filter(Head{Journal: "new", Committed: "tip"}, 0, func(l Line) ([]byte, error) {
				if slices.Contains(drop, l.Step) {
					return nil, nil
				}
				return l.Raw, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			c := read(t, path)
			if left := len(c.After(c.Mark.Upto)); left != len(steps)-len(drop) || c.Mark.Committed != "tip" || len(c.Bad) > 0 {
				t.Errorf("%d steps are left: %+v", left, c)
			}
			j = open(t, path)
			defer j.Close()
			if s, i := j.step, j.id; s != step || i != id {
				t.Errorf("the last is %d %s, want %d %s", s, i, step, id)
			}
		})
	}
}
