package git

import (
	"bytes"
	"testing"
	"time"
)

// What is done within a second says nothing; what takes longer is told ten times a
// second, and its end stays on the screen.
func TestMeter(t *testing.T) {
	t.Parallel()
	clock := time.Unix(0, 0)
	var out bytes.Buffer
	r := &Repo{now: func() time.Time { return clock }, progress: &out}
	quick := r.Meter("Quick", 2)
	quick.Add(2)
	quick.End()
	if out.Len() > 0 {
		t.Errorf("%q", &out)
	}
	for _, test := range []struct {
		add  []int
		want string
	}{
		{[]int{1, 1, 1, 1}, "Steps:  75% (3/4)\rSteps: 100% (4/4), done.\n"},
		{[]int{1, 1, 1}, "Steps:  75% (3/4)\rSteps:  75% (3/4)\n"},
		{[]int{1, 1}, ""},
	} {
		out.Reset()
		m := r.Meter("Steps", 4)
		for i, n := range test.add {
			if i < 3 {
				clock = clock.Add(meterDelay/2 - time.Millisecond)
			}
			m.Add(n)
		}
		m.End()
		if got := out.String(); got != test.want {
			t.Errorf("%v: %q, want %q", test.add, got, test.want)
		}
	}
	out.Reset()
	m := r.Meter("Steps", 0)
	clock = clock.Add(meterDelay)
	m.Add(2)
	m.End()
	if want := "Steps: 2\rSteps: 2, done.\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
	none := new(Repo).Meter("Nobody", 1)
	none.Add(1)
	none.End()
}
