package store_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A step whose source is known is answered with the first one's id and not
// repeated: in one call, in another process, pending and committed.
func TestSourcesAreRecordedOnce(t *testing.T) {
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	step := func(n int) store.NewStep { return store.NewStep{Action: fmt.Sprint(n), Source: fmt.Sprint("run:", n)} }
	first := memtest.OK(s.Record(ctx, []store.NewStep{step(1), step(2), step(1)}))(t)
	if first[2].ID != first[0].ID || !first[2].Known || first[0].Known {
		t.Errorf("twice in one call: %+v", first)
	}
	for _, where := range []string{"pending", "committed"} {
		again := memtest.OK(r.Open().Record(ctx, []store.NewStep{step(2), step(3)}))(t)
		if again[0].ID != first[1].ID || !again[0].Known || again[0].Step != first[1].Step {
			t.Errorf("%s: %+v", where, again)
		}
		memtest.OK(r.Open().Commit(ctx, store.CommitOptions{Summary: "Drain"}))(t)
	}
	var wg sync.WaitGroup
	for range 4 { // processes that import one trace at the same time
		p := r.Open()
		wg.Go(func() {
			for n := 3; n < 40; n++ {
				if _, err := p.Record(ctx, []store.NewStep{step(n)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	committer := r.Open()
	wg.Go(func() {
		for range 5 {
			if _, err := committer.Commit(ctx, store.CommitOptions{Summary: "Meanwhile"}); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	_, total, err := history.Steps(ctx, s, memtest.OK(s.Tip(ctx, ""))(t), 0, 100)
	if err != nil || total != 39 {
		t.Errorf("%d steps, want 39; %v", total, err)
	}
	r.Fsck()
}
