package store_test

import (
	"testing"

	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// BenchmarkCommit is RECORD of ten steps and COMMIT, in process: what is left
// when no program has to start, but git's own update-ref.
func BenchmarkCommit(b *testing.B) {
	r := memtest.New(b)
	s, ctx := r.Open(), b.Context()
	if _, err := share.Init(ctx, s, share.InitOptions{Goal: "Measure"}); err != nil {
		b.Fatal(err)
	}
	r.Git("config", "context.notes", "lazy")
	steps := make([]store.NewStep, 10)
	for i := range steps {
		steps[i] = store.NewStep{Observation: "some output of a test that failed", Action: "go test ./..."}
	}
	for b.Loop() {
		if _, err := s.Record(ctx, steps); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Commit(ctx, store.CommitOptions{Summary: "Ten steps"}); err != nil {
			b.Fatal(err)
		}
	}
}
