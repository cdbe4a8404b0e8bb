package code_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A topic with very many paths that were being edited does not start a child of git's for each of them, and the
// topics beside it are looked up as before.
func TestManyEditedPaths(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	var paths, before, after []string
	for i := range 90 {
		paths = append(paths, fmt.Sprintf("f%02d", i))
		before, after = append(before, paths[i]+"=1"), append(after, paths[i]+"=2")
	}
	commitFiles(r, before...)
	for _, p := range paths {
		r.Must(os.WriteFile(filepath.Join(r.Dir, p), []byte("2"), 0o666))
	}
	memtest.OK(s.Remember(ctx, store.TopicOptions{Key: "a-many", Text: "x", Paths: paths}))(t)
	memtest.OK(r.Open().Remember(ctx, store.TopicOptions{Key: "few", Text: "x", Paths: paths[:2]}))(t)
	commitFiles(r, after...)
	trace := filepath.Join(t.TempDir(), "trace")
	r.Env = append(r.Env, "GIT_TRACE2_EVENT="+trace)
	s = r.Open()
	topics := memtest.OK(code.Topics(ctx, s, memtest.OK(s.Tip(ctx, "main"))(t), false))(t)
	if few := topics[1]; few.Stale == nil || *few.Stale {
		t.Errorf("the topic with few paths: %v", few.Changed)
	}
	asked := strings.Count(string(memtest.OK(os.ReadFile(trace))(t)), `"--max-count=2"`)
	if changed := len(topics[0].Changed); asked < 2 || asked > 64 || changed != len(paths)+2-asked {
		t.Errorf("%d of %d paths count as changed, and %d were looked up", changed, len(paths), asked)
	}
}
