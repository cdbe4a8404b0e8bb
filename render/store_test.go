package render

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
	"github.com/google/go-cmp/cmp"
)

// open makes a repository with memory in real git, away from the user's settings.
func open(t *testing.T) *refs.Store {
	t.Helper()
	dir := t.TempDir()
	env := append(gittest.Env(t, t.TempDir(), ""), "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com")
	c := exec.Command("git", "init", "-q", dir)
	c.Env = env
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	clock := now
	s, err := refs.Open(t.Context(), store.Options{Dir: dir, Env: env, Now: func() time.Time {
		clock = clock.Add(time.Second)
		return clock
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// record takes n steps of different lengths, from first on.
func record(t *testing.T, s *refs.Store, first, n int) {
	t.Helper()
	for i := first; i < first+n; i++ {
		step := store.NewStep{Observation: strings.Repeat("line\n", i%7) + "end", Agent: "a"}
		if i%3 == 0 {
			step.Thought, step.Action = "# thought", strings.Repeat("x", 400)
		}
		must[[]store.Recorded](t)(s.Record(t.Context(), []store.NewStep{step}))
	}
}

// remember fills a store: two branches, milestones, a merge, pending steps.
func remember(t *testing.T) *refs.Store {
	t.Helper()
	s, ctx := open(t), t.Context()
	must[share.InitResult](t)(share.Init(ctx, s, share.InitOptions{Goal: "A goal", Purpose: "The line of work", Todo: []string{"Ask"}}))
	for i := range 6 {
		record(t, s, i*10, 10)
		must[store.CommitResult](t)(s.Commit(ctx, store.CommitOptions{Summary: fmt.Sprintf("Milestone %d", i)}))
	}
	must[store.Branch](t)(s.CreateBranch(ctx, store.BranchOptions{Name: "try", Purpose: "An idea"}))
	record(t, s, 0, 5)
	must[store.CommitResult](t)(s.Commit(ctx, store.CommitOptions{Summary: "Tried"}))
	must[store.Branch](t)(s.Switch(ctx, "main"))
	must[merge.Result](t)(merge.Merge(ctx, s, store.MergeOptions{Source: "try", Summary: "Take it"}))
	record(t, s, 60, 4)
	return s
}

// Scrolling up page by page shows every line of the trace once, whatever the
// page is; each page's text names the next.
func TestLinesScroll(t *testing.T) {
	s := remember(t)
	log := must[Log](t)(NewLog(t.Context(), s, Where{}, 0, 1000, true))
	if log.Total != 69 || len(log.Steps) != 69 || !log.Steps[68].Pending || log.Steps[64].Pending {
		t.Fatalf("%d of %d steps", len(log.Steps), log.Total)
	}
	want := trace(log.Steps)
	for _, size := range []int{7, 20, 1000} {
		var got []string
		for skip, more := 0, true; more; skip += size {
			v := must[Lines](t)(NewLines(t.Context(), s, Where{}, skip, size))
			text := show(v.Text, false)
			if older := fmt.Sprintf("older: git context -b main --log --lines %d --skip %d\n", size, skip+size); strings.Contains(text, older) != v.Older {
				t.Fatalf("the page behind %d does not say %q", skip, older)
			}
			got, more = append(slices.Clone(v.Lines), got...), v.Older
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pages of %d lines, -want +got:\n%s", size, diff)
		}
	}
}

// What is written step by step is the document that is written at once, of large documents too.
func TestWriteLogIsTheLog(t *testing.T) {
	s := open(t)
	must[share.InitResult](t)(share.Init(t.Context(), s, share.InitOptions{}))
	must[[]store.Recorded](t)(s.Record(t.Context(), []store.NewStep{{Observation: "x", Session: `"steps":["observation":"`}}))
	record(t, s, 0, 9)
	must[store.CommitResult](t)(s.Commit(t.Context(), store.CommitOptions{Summary: "Steps"}))
	lengthen(t, s)
	record(t, s, 0, 3)
	for _, page := range [][2]int{{0, 1000}, {0, 0}, {0, 2}, {2, 2}, {4, 3}, {9, 8}, {1000, 5}} {
		var want, got bytes.Buffer
		if err := WriteJSON(&want, must[Log](t)(NewLog(t.Context(), s, Where{}, page[0], page[1], true))); err != nil {
			t.Fatal(err)
		}
		if err := WriteLog(t.Context(), s, Where{}, page[0], page[1], &got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want.Bytes(), got.Bytes()) {
			t.Errorf("%v: %d bytes that begin %.200q, not %d that begin %.200q", page, got.Len(), got.Bytes(), want.Len(), want.Bytes())
		}
	}
}

// lengthen puts large texts into log.md, by plain git.
func lengthen(t *testing.T, s *refs.Store) {
	t.Helper()
	tip := must[*store.Tip](t)(s.Tip(t.Context(), ""))
	steps := must[[]doc.Step](t)(doc.ParseLog(must[[]byte](t)(tip.Document(t.Context(), doc.LogFile))))
	steps[3].Observation = strings.Repeat("a \"line\" <b> \u202e\U000e0041 é\n", 60_000) + "end"
	steps[5].Thought, steps[5].Action = strings.Repeat("é", 40_000), `"thought":"`
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(t.TempDir(), "index"), "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com"}
	run := func(input []byte, args ...string) string {
		return strings.TrimSpace(string(must[[]byte](t)(s.Repo().RunEnv(t.Context(), env, input, args...))))
	}
	id := string(tip.Commit().ID)
	run(nil, "read-tree", id)
	run(nil, "update-index", "--cacheinfo", "100644,"+run(doc.FormatLog(steps), "hash-object", "-w", "--stdin")+","+doc.LogFile)
	message := run(nil, "log", "-1", "--format=%B", id)
	run(nil, "update-ref", git.BranchRef("main"), run([]byte(message), "commit-tree", run(nil, "write-tree"), "-p", id))
}

// The trace is log.md as it stands, its segments included.
func TestTraceIsTheDocument(t *testing.T) {
	s, ctx := open(t), t.Context()
	must[share.InitResult](t)(share.Init(ctx, s, share.InitOptions{}))
	record(t, s, 0, 9)
	must[store.CommitResult](t)(s.Commit(ctx, store.CommitOptions{Summary: "All"}))
	tip := must[*store.Tip](t)(s.Tip(ctx, ""))
	want := must[[]byte](t)(tip.Document(ctx, "log.md"))
	got := show(must[Lines](t)(NewLines(ctx, s, Where{}, 0, 1000)).Text, false)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-log.md +view:\n%s", diff)
	}
}

// keys is the keys of a JSON object, sorted.
func keys(t *testing.T, v any) []string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJSON(&b, v); err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(m))
}

func TestJSONKeys(t *testing.T) {
	s, ctx := remember(t), t.Context()
	snapshot := must[Snapshot](t)(NewSnapshot(ctx, s, Where{}, SnapshotOptions{Newest: 2, Branches: 100}))
	branch := must[history.BranchContext](t)(NewBranch(ctx, s, Where{Branch: "main"}, 0, 3, true))
	log := must[Log](t)(NewLog(ctx, s, Where{}, 1, 2, true))
	for _, tt := range []struct {
		name, want string
		v          any
	}{
		{"snapshot", "at attention branch branches branches_total budget code commits decisions head last_step pending progress purpose questions roadmap topics topics_unread", snapshot},
		{"roadmap", "goal milestones outcomes sections todo unread", snapshot.Roadmap},
		{"branch view", "at branch commits progress purpose skip total", branch},
		{"BRANCH", "commits created_at created_from current name pending purpose status tip updated_at why", branch.Branch},
		{"COMMIT", "agent author branch code commit contribution foreign id outcome progress purpose score stale steps summary tags time", branch.Commits[0]},
		{"log", "at branch skip steps total", log},
		{"STEP", "action agent id observation origin pending session step thought time", log.Steps[0]},
	} {
		if got := strings.Join(keys(t, tt.v), " "); got != tt.want {
			t.Errorf("%s has %s, want %s", tt.name, got, tt.want)
		}
	}
	if snapshot.Pending != 4 || snapshot.Total != 2 || len(snapshot.Commits) != 2 || snapshot.Commits[0].Summary != "Take it" {
		t.Errorf("snapshot: %+v", snapshot)
	}
}

// Nothing in a young memory is null that could be a list, a map or a text.
func TestJSONOfEmptyMemory(t *testing.T) {
	s, ctx := open(t), t.Context()
	if _, err := NewSnapshot(ctx, s, Where{}, SnapshotOptions{Newest: 1, Branches: 100}); !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("a snapshot without memory: %v", err)
	}
	must[share.InitResult](t)(share.Init(ctx, s, share.InitOptions{}))
	for _, v := range []any{
		must[Snapshot](t)(NewSnapshot(ctx, s, Where{}, SnapshotOptions{Newest: 1, Branches: 100})), must[Log](t)(NewLog(ctx, s, Where{}, 0, 10, true)),
		must[history.BranchContext](t)(NewBranch(ctx, s, Where{}, 0, 10, true)),
	} {
		var b bytes.Buffer
		if err := WriteJSON(&b, v); err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer(`"created_from":null`, "", `"at":null`, "", `"commit":null`, "", `"uncommitted":null`, "",
			`"budget":null`, "", `"last_step":null`, "").Replace(b.String())
		if strings.Contains(text, "null") {
			t.Errorf("null in %s", b.String())
		}
	}
}

func TestSnapshotShowsTheCurrentBranch(t *testing.T) {
	v := Snapshot{Branch: "old"}
	for i := range 30 {
		v.Branches = append(v.Branches, store.Branch{Name: fmt.Sprint("b", i), Status: "active"})
	}
	v.Branches = append(v.Branches, store.Branch{Name: "old", Status: "merged", Current: true, Pending: 2})
	v.list(5)
	if len(v.Branches) != 5 || v.Branches[4].Name != "old" || len(v.active) != 5 || v.active[4].Name != "old" {
		t.Errorf("lists %v", v.Branches)
	}
	if v.Total != 31 || v.Pending != 2 || v.more[statusActive] != 26 || v.more["merged"] != 0 {
		t.Errorf("%d branches, %d pending, more: %v", v.Total, v.Pending, v.more)
	}
}

func TestTogether(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	for range 100 {
		err := concurrently(t.Context(),
			func(ctx context.Context) error { <-ctx.Done(); return fmt.Errorf("ended: %w", ctx.Err()) },
			func(context.Context) error { return first },
			func(context.Context) error { return second })
		if !errors.Is(err, first) {
			t.Fatalf("%v, want the one that stands first", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := concurrently(ctx, func(ctx context.Context) error { return ctx.Err() }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v for a call that was given up", err)
	}
}
