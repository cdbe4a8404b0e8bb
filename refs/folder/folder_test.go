package folder_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/folder"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func imported(t *testing.T, s *refs.Store, dir string) folder.Result {
	t.Helper()
	return memtest.OK(folder.Import(t.Context(), s, folder.ImportOptions{Dir: dir}))(t)
}

// entries is what a branch holds, without what a folder has no place for.
func entries(ctx context.Context, t *rapid.T, r *memtest.Repo, branch string, trim bool) (steps, milestones []string) {
	s := r.Open()
	tip, err := s.Tip(ctx, branch)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := history.Steps(ctx, s, tip, 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range all {
		steps = append(steps, fmt.Sprintf("%s %s %q %q %q", st.Time, st.Origin, st.Observation, st.Thought, st.Action))
	}
	ms, _, err := history.Commits(ctx, s, tip, 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range ms {
		if m.Branch != branch { // a folder has it in that branch alone
			continue
		}
		if trim {
			m.Contribution, m.Progress, m.Purpose = strings.TrimSpace(m.Contribution), strings.TrimSpace(m.Progress), strings.TrimSpace(m.Purpose)
		}
		milestones = append(milestones, fmt.Sprintf("%s %q %q %q %q", m.Time, m.Summary, m.Purpose, m.Progress, m.Contribution))
	}
	slices.Sort(steps)
	slices.Sort(milestones)
	return steps, milestones
}

// What is exported and imported elsewhere is the same memory; imported here, or there
// once more, it adds nothing.
func TestExportedIsImported(t *testing.T) {
	for _, as := range []string{"contexa", "gcc-memory"} {
		t.Run(as, func(t *testing.T) {
			t.Parallel()
			memtest.Check(t, 12, func(_ testing.TB, rt *rapid.T) { exportAndImport(t, rt, as) })
		})
	}
}

// finishItems adds items to both lists, and says of some what became of them.
func finishItems(rt *rapid.T, r *doc.Roadmap) error {
	for _, text := range []string{"one line", "two\nlines", "no\nOutcome: of it", "nor\n\\Outcome: this"} {
		outcome := rapid.SampledFrom([]string{"", "It holds", "It\nholds", "Outcome: itself", "[x] # - ## -"}).Draw(rt, "outcome")
		r.AddTodo(text)
		r.AddMilestone(text)
		if rapid.Bool().Draw(rt, "done") {
			if err := errors.Join(r.FinishTodo(text, outcome), r.FinishMilestone(text, outcome)); err != nil {
				return err
			}
		}
	}
	return nil
}

// samePlan holds that two roadmaps have the same items.
func samePlan(ctx context.Context, rt *rapid.T, from, to *memtest.Repo) {
	want, _, err := from.Open().Roadmap(ctx, nil)
	if err != nil {
		rt.Fatal(err)
	}
	got, _, err := to.Open().Roadmap(ctx, nil)
	if err != nil {
		rt.Fatal(err)
	}
	if diff := cmp.Diff(want.Todo, got.Todo) + cmp.Diff(want.Milestones, got.Milestones); diff != "" {
		rt.Fatalf("the roadmap: -want +got\n%s", diff)
	}
}

func exportAndImport(t *testing.T, rt *rapid.T, as string) {
	must := func(err error) {
		if err != nil {
			rt.Fatal(err)
		}
	}
	ctx := t.Context()
	from, to := memtest.New(t), memtest.New(t)
	s := from.Open()
	must(memtest.Err(share.Init(ctx, s, share.InitOptions{Goal: "Reach it", Todo: []string{"a", "b\nc"}})))
	branches := []string{"main", "a/b", "a--b"}
	for _, name := range branches[1:] {
		_, err := s.CreateBranch(ctx, store.BranchOptions{Name: name, Purpose: rapid.SampledFrom(memtest.OddTexts()[:8]).Draw(rt, "purpose") + "x", NoSwitch: true})
		must(err)
	}
	text := rapid.OneOf(rapid.SampledFrom(append(memtest.OddTexts(), "---", "**Thought:** x", "### Commit: x", "")), rapid.String())
	for range rapid.IntRange(1, 6).Draw(rt, "work") {
		branch := rapid.SampledFrom(branches).Draw(rt, "branch")
		_, err := from.Open(branch).Record(ctx, []store.NewStep{{Observation: text.Draw(rt, "o"), Thought: text.Draw(rt, "t"), Action: text.Draw(rt, "a") + "."}})
		must(err)
		if rapid.Bool().Draw(rt, "commit") {
			_, err := s.Commit(ctx, store.CommitOptions{Branch: branch, Summary: "s", Contribution: text.Draw(rt, "c") + "."})
			must(err)
		}
	}
	if rapid.Bool().Draw(rt, "merge") {
		_, err := merge.Merge(ctx, s, store.MergeOptions{Source: "a/b"})
		must(err)
	}
	from.Plan(func(r *doc.Roadmap) error { return finishItems(rt, r) })
	dir := t.TempDir()
	out, err := folder.Export(ctx, from.Open(), folder.ExportOptions{Dir: dir, As: as})
	must(err)
	in, err := folder.Import(ctx, to.Open(), folder.ImportOptions{Dir: dir})
	if errors.Is(err, fail.ErrNoMemory) {
		_, err = share.Init(ctx, to.Open(), share.InitOptions{})
		must(err)
		in, err = folder.Import(ctx, to.Open(), folder.ImportOptions{Dir: dir})
	}
	must(err)
	if in.Commits != out.Commits || in.Skipped != 0 {
		rt.Fatalf("exported %+v, imported %+v", out.Counts, in.Counts)
	}
	for _, name := range branches {
		wantSteps, wantMilestones := entries(ctx, rt, from, name, as != "contexa")
		steps, milestones := entries(ctx, rt, to, name, as != "contexa")
		if diff := cmp.Diff(wantSteps, steps) + cmp.Diff(wantMilestones, milestones); diff != "" {
			rt.Fatalf("branch %s: -want +got\n%.3000s", name, diff)
		}
	}
	samePlan(ctx, rt, from, to)
	for _, r := range []*memtest.Repo{from, to} {
		again, err := folder.Import(ctx, r.Open(), folder.ImportOptions{Dir: dir})
		must(err)
		if again.Commits != 0 || again.Steps != 0 || again.Skipped != out.Commits+out.Steps {
			rt.Fatalf("again: %+v of %+v", again.Counts, out.Counts)
		}
	}
	to.Fsck()
}

// What the multi-language library wrote: a copy that its merge made is the very step that the
// branch recorded; times, ranges, ends and lines of descent are kept.
func TestImportContexa(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s := r.Open()
	memtest.OK(share.Init(t.Context(), s, share.InitOptions{}))(t)
	res := imported(t, s, "../peer/testdata/contexa")
	if want := (folder.Counts{Branches: 2, Commits: 3, Steps: 8}); res.Counts != want {
		t.Errorf("%+v", res.Counts)
	}
	main := memtest.OK(s.Tip(t.Context(), "main"))(t)
	steps, _, err := history.Steps(t.Context(), s, main, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	jwt := memtest.OK(s.Tip(t.Context(), "jwt"))(t)
	its, _, err := history.Steps(t.Context(), s, jwt, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	copied := slices.IndexFunc(steps, func(s store.Step) bool { return s.Origin == "jwt" })
	if copied != 3 || !reflect.DeepEqual(steps[copied], its[0]) {
		t.Errorf("jwt's step in main: %+v", steps)
	}
	b := memtest.OK(s.BranchOf(t.Context(), jwt))(t)
	if b.Status != "merged" || *b.CreatedFrom != "main" || b.CreatedAt.Format("15:04") != "01:40" || b.Commits != 1 {
		t.Errorf("%+v", b)
	}
	ms, _, err := history.Commits(t.Context(), s, main, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	if ms[1].Steps != (store.StepRange{First: 1, Last: 3, Count: 3}) || ms[1].Time.Format("15:04:05") != "01:37:09" || ms[0].Agent != "contexa" {
		t.Errorf("%+v", ms)
	}
	// The branch's first parent is the milestone that main had when it was made.
	if got := r.Git("log", "-1", "--format=%s", "refs/context/heads/jwt~3"); got != "Scaffolded the project" {
		t.Errorf("jwt starts from '%s'", got)
	}
	view, _, err := s.Roadmap(t.Context(), nil)
	if err != nil || view.Goal != "Build a REST API\nwith users" {
		t.Errorf("%+v, %v", view, err)
	}
	r.Fsck()
}

// An import beside work of one's own: pending steps stay pending, no number is given twice, a goal
// of one's own stands, and a branch with work of its own is not closed.
func TestImportBesideOwnWork(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s := r.Open()
	memtest.OK(share.Init(t.Context(), s, share.InitOptions{Goal: "Ours"}))(t)
	memtest.OK(s.CreateBranch(t.Context(), store.BranchOptions{Name: "jwt", NoSwitch: true}))(t)
	for _, b := range []string{"main", "jwt"} {
		memtest.OK(r.Open(b).Record(t.Context(), []store.NewStep{{Action: "mine"}}))(t)
	}
	imported(t, s, "../peer/testdata/contexa")
	memtest.OK(r.Open("main").Record(t.Context(), []store.NewStep{{Action: "later"}}))(t)
	tip := memtest.OK(s.Tip(t.Context(), "main"))(t)
	if b := memtest.OK(s.BranchOf(t.Context(), tip))(t); b.Pending != 2 {
		t.Errorf("%d pending", b.Pending)
	}
	memtest.OK(s.Commit(t.Context(), store.CommitOptions{Summary: "Mine too"}))(t)
	steps, total, err := history.Steps(t.Context(), s, memtest.OK(s.Tip(t.Context(), "main"))(t), 0, 100)
	if err != nil || total != 9 {
		t.Fatal(total, err)
	}
	seen := map[string]bool{}
	for _, st := range steps {
		if label := fmt.Sprint(st.Origin, st.Step); seen[label] {
			t.Errorf("%s twice", label)
		} else {
			seen[label] = true
		}
	}
	if b := memtest.OK(s.BranchOf(t.Context(), memtest.OK(s.Tip(t.Context(), "jwt"))(t)))(t); b.Status != "active" {
		t.Errorf("jwt is %s", b.Status)
	}
	view, _, err := s.Roadmap(t.Context(), nil)
	if err != nil || view.Goal != "Ours" || !strings.Contains(view.Sections["Imported: contexa"], "Build a REST API") {
		t.Errorf("%+v, %v", view, err)
	}
	before := r.Git("for-each-ref", "refs/context")
	if res := imported(t, s, "../peer/testdata/contexa"); res.Steps+res.Commits+res.Branches != 0 || r.Git("for-each-ref", "refs/context") != before {
		t.Errorf("again: %+v", res.Counts)
	}
	r.Fsck()
}

// A step stands in a folder under the branch that holds it, once the branch that recorded
// it is deleted or has another name; that it is here already is seen all the same.
func TestImportAgainWhereTheOriginIsGone(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]func(*refs.Store) error{
		"deleted": func(s *refs.Store) error {
			_, err := s.DeleteBranch(t.Context(), "try", true)
			return err
		},
		"renamed": func(s *refs.Store) error {
			_, err := s.RenameBranch(t.Context(), "try", "tried")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := memtest.New(t)
			s := r.Open()
			memtest.OK(share.Init(t.Context(), s, share.InitOptions{}))(t)
			memtest.OK(s.CreateBranch(t.Context(), store.BranchOptions{Name: "try", NoSwitch: true}))(t)
			same := store.NewStep{Action: "again", Time: time.Unix(1e9, 0)}
			memtest.OK(r.Open("try").Record(t.Context(), []store.NewStep{same, {Thought: "hm"}, same}))(t)
			memtest.OK(r.Open("try").Commit(t.Context(), store.CommitOptions{Summary: "Tried"}))(t)
			memtest.OK(s.Record(t.Context(), []store.NewStep{same}))(t)
			memtest.OK(merge.Merge(t.Context(), s, store.MergeOptions{Source: "try"}))(t)
			if err := gone(s); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			out := memtest.OK(folder.Export(t.Context(), s, folder.ExportOptions{Dir: dir}))(t)
			if again := imported(t, s, dir); again.Steps+again.Commits != 0 || again.Skipped != out.Steps+out.Commits {
				t.Errorf("again: %+v of %+v", again.Counts, out.Counts)
			}
			r.Fsck()
		})
	}
}

// The other dialects, for what only they have.
func TestImportOthers(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]folder.Counts{
		"contexa-old": {Branches: 1, Steps: 2},
		"gcc-memory":  {Branches: 2, Commits: 3, Steps: 5},
		"skill":       {Branches: 2, Commits: 2, Steps: 4},
		"paper":       {Branches: 1, Commits: 2, Steps: 3},
	} {
		r := memtest.New(t)
		s := r.Open()
		memtest.OK(share.Init(t.Context(), s, share.InitOptions{}))(t)
		if res := imported(t, s, "../peer/testdata/"+name); res.Counts != want {
			t.Errorf("%s: %+v", name, res.Counts)
		}
		before := r.Git("for-each-ref", "refs/context")
		if res := imported(t, s, "../peer/testdata/"+name); res.Steps+res.Commits+res.Branches != 0 || r.Git("for-each-ref", "refs/context") != before {
			t.Errorf("%s again: %+v", name, res.Counts)
		}
		memtest.OK(s.Commit(t.Context(), store.CommitOptions{Summary: "go on"}))(t)
		r.Fsck()
	}
}

// Names from outside become names that may stand, always the same.
func TestImportNames(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), ".GCC")
	for _, name := range []string{"MAIN", "main", "a b", "a-b", "..evil", "x.lock", "main/sub", "\x1b[31m", strings.Repeat("n", 250)} {
		path := filepath.Join(dir, "branches", name)
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		step := "# OTA Log — branch `x`\n\n### Step 1 — 2026-11-21T01:37:05Z\n**Observation:** o\n\n**Thought:** \n\n**Action:** \n\n---\n"
		if err := os.WriteFile(filepath.Join(path, "log.md"), []byte(step), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := memtest.New(t)
	s := r.Open()
	memtest.OK(share.Init(t.Context(), s, share.InitOptions{}))(t)
	res := imported(t, s, filepath.Dir(dir))
	if res.Branches != 9 || res.Steps != 9 {
		t.Errorf("%+v", res.Counts)
	}
	before := r.Git("for-each-ref", "refs/context")
	if again := imported(t, s, dir); again.Skipped != 9 || r.Git("for-each-ref", "refs/context") != before {
		t.Errorf("again: %+v\n%s", again.Counts, r.Git("for-each-ref", "--format=%(refname)", "refs/context"))
	}
}

// Nothing of the user's is overwritten, and nothing half is left.
func TestExportRefused(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s := r.Open()
	dir := t.TempDir()
	if _, err := folder.Export(t.Context(), s, folder.ExportOptions{Dir: dir}); !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("without memory: %v", err)
	}
	memtest.OK(share.Init(t.Context(), s, share.InitOptions{}))(t)
	if err := os.Mkdir(filepath.Join(dir, ".gcc"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Export(t.Context(), s, folder.ExportOptions{Dir: dir}); !errors.Is(err, fail.ErrExists) {
		t.Errorf("over .gcc: %v", err)
	}
	if _, err := folder.Export(t.Context(), s, folder.ExportOptions{Dir: dir + "/none"}); !errors.Is(err, fail.ErrNotFound) {
		t.Errorf("into nowhere: %v", err)
	}
	if left := memtest.OK(os.ReadDir(dir))(t); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}
