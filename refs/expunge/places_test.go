package expunge_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
)

// What a search costs depends on what is stored, not on how often commits go to and fro between two trees.
func TestExpungeReadsEachTreeOnce(t *testing.T) {
	r := memtest.New(t) // not parallel: what is allocated is counted, four times as much with -race
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Work("main", "use hunter2", 0)
	tip := r.Git("rev-parse", "refs/context/heads/main")
	message := r.Git("log", "-1", "--format=%B", tip)
	var trees [2]string
	for i, text := range []string{"a", "b"} {
		blob := r.Blob(text)
		var list strings.Builder
		for n := range 2000 {
			fmt.Fprintf(&list, "100644 blob %s\tt%05d.md\n", blob, n)
		}
		topics := r.Input([]byte(list.String()), "mktree")
		trees[i] = r.Input([]byte(r.Git("ls-tree", tip)+"\n040000 tree "+topics+"\ttopics\n"), "mktree")
	}
	for i := range 400 {
		tip = r.Input([]byte(message), "commit-tree", "-p", tip, trees[i%2])
	}
	r.Git("update-ref", "refs/context/heads/other", tip)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	memtest.OK(expunge.Run(ctx, r.Open(), expunge.Options{Match: "hunter2", DryRun: true}))(t)
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 250 {
		t.Errorf("%d MiB were allocated", n)
	}
}
