package doc

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Moved ids are in the order of the old ones, behind the id that they follow, and at most 4.1 seconds later.
func TestMovedIDKeepsTheOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		after, err := NextID(time.UnixMilli(rapid.Int64Range(0, 1<<45).Draw(t, "after")), "")
		if err != nil {
			t.Fatal(err)
		}
		var old, moved []string
		id := ""
		for range rapid.IntRange(2, 20).Draw(t, "ids") {
			if id, err = NextID(time.UnixMilli(rapid.Int64Range(0, 1<<48-1).Draw(t, "time")), id); err != nil {
				t.Skip("no id follows")
			}
			now, err := MovedID(id, after)
			if err != nil {
				t.Fatal(err)
			}
			old, moved = append(old, id), append(moved, now)
		}
		if !slices.IsSorted(moved) || moved[0] <= after {
			t.Errorf("%v becomes %v behind %s", old, moved, after)
		}
		if late := IDTime(moved[len(moved)-1]).Sub(IDTime(after)); late > 4100*time.Millisecond {
			t.Errorf("%v later", late)
		}
	})
	for _, ids := range [][2]string{{"x", baseID}, {baseID, ""}, {"7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"}} {
		if id, err := MovedID(ids[0], ids[1]); err == nil {
			t.Errorf("MovedID(%v) = %s", ids, id)
		}
	}
	if id, err := IDAfter("0000000000000000000000000Z"); err != nil || id != "00000000000000000000000010" {
		t.Errorf("%s, %v", id, err)
	}
}
