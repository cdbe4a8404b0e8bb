package share_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
)

// besideEach is how many commits may be made beside the syncs of one round. The roadmap grows with each: beside load, syncs
// would never catch up with a writer without end.
const besideEach = 300

// A remote has the roadmap of every commit that it gets, and each names one, whatever moves
// while a sync looks at what there is, merges and takes.
func TestSyncBesideCommits(t *testing.T) {
	t.Parallel()
	f := memtest.NewFleet(t, 2)
	ann, bob := f.Clones[0], f.Clones[1]
	ann.Branch("side", "")
	ann.Sync("")
	bob.Adopt("side")
	ctx, stop := context.WithCancel(t.Context())
	wrote := make(chan error, 1)
	s := ann.Open("main")
	room := make(chan struct{}, besideEach)
	go func() {
		var err error
		for i := 0; err == nil; i++ {
			select {
			case <-room:
			case <-ctx.Done():
				wrote <- nil
				return
			}
			_, err = s.Commit(t.Context(), store.CommitOptions{Branch: []string{"main", "main", "side"}[i%3], Summary: fmt.Sprint("commit ", i),
				Roadmap: store.RoadmapChange{Todo: []string{fmt.Sprint("todo ", i)}}})
		}
		wrote <- err
	}()
	for i := range 3 {
		for len(room) < besideEach {
			room <- struct{}{}
		}
		bob.Work("side", fmt.Sprint("bob ", i), 10)
		bob.Sync("")
		ann.Work("side", fmt.Sprint("ann ", i), 10)
		ann.Sync("")
		planned := f.Hub.Git("rev-list", "refs/context/roadmap")
		for line := range strings.Lines(f.Hub.Git("log", "--format=%s: %(trailers:key=Context-Roadmap,valueonly,separator=%x2C)", "refs/context/heads/main", "refs/context/heads/side")) {
			_, roadmap, _ := strings.Cut(strings.TrimSpace(line), ": ")
			if id, _, _ := strings.Cut(roadmap, " "); len(id) < 40 || !strings.Contains(planned, id) {
				t.Errorf("sync %d: the hub has not the roadmap of %s", i, line)
			}
		}
	}
	stop()
	if err := <-wrote; err != nil {
		t.Fatal(err)
	}
	f.Settle()
}
