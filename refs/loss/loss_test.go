package loss_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// found returns what the history of main lost, as fsck looks for it.
func found(t *testing.T, r *memtest.Repo, s *refs.Store) *loss.Branch {
	t.Helper()
	news := map[git.ID]*incoming.Commit{}
	for line := range strings.Lines(r.Git("rev-list", "--parents", git.BranchRef("main"))) {
		f := strings.Fields(line)
		c := &incoming.Commit{ID: git.ID(f[0]), Tree: git.ID(strings.TrimSpace(r.Git("rev-parse", f[0]+"^{tree}")))}
		for _, p := range f[1:] {
			c.Parents = append(c.Parents, git.ID(p))
		}
		news[c.ID] = c
	}
	tip := memtest.OK(s.Repo().Ref(t.Context(), git.BranchRef("main")))(t)
	return memtest.OK(loss.OfBranch(t.Context(), s, loss.Range{Tip: tip, News: news, Branch: "main"}))(t)
}

// history makes enough steps and commits to seal segments, a branch that is merged, a topic that is
// forgotten there, and a rollback.
func history(t *testing.T, r *memtest.Repo) *refs.Store {
	t.Helper()
	ctx, s := t.Context(), r.Open()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	long := strings.Repeat("A long text. ", 300)
	for i := range 6 {
		memtest.OK(s.Record(ctx, []store.NewStep{{Action: long}}))(t)
		memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Commit " + string(rune('a'+i)), Contribution: long}))(t)
	}
	memtest.OK(s.Remember(ctx, store.TopicOptions{Key: "pool", Text: "Five"}))(t)
	memtest.OK(s.Remember(ctx, store.TopicOptions{Key: "cache", Text: "None"}))(t)
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "try", Purpose: "Try it"}))(t)
	memtest.OK(s.Record(ctx, []store.NewStep{{Action: "on try"}}))(t)
	memtest.OK(s.Forget(ctx, store.Writer{}, "pool"))(t)
	memtest.OK(merge.Merge(ctx, s, store.MergeOptions{Source: "try", Into: "main"}))(t)
	return s
}

// No command of ours loses anything, nor does what another clone merges.
func TestCommandsLoseNothing(t *testing.T) {
	r := memtest.New(t)
	s := history(t, r)
	if b := found(t, r, s); !b.Empty() || len(b.Causes) > 0 {
		t.Errorf("%s: %v", b.What(), b.Causes)
	}
}

// Whatever of the tree of an earlier commit a hand-made commit has, all is found, restored, and
// found no more.
func TestRestoresWhatWentAway(t *testing.T) {
	for _, at := range []string{"main~9", "main~5", "main~3", ""} {
		t.Run("tree of "+at, func(t *testing.T) {
			r := memtest.New(t)
			history(t, r)
			main := git.BranchRef("main")
			want, before := r.Content("main"), strings.TrimSpace(r.Git("rev-parse", main))
			tree := strings.TrimSpace(r.Input(nil, "hash-object", "-w", "-t", "tree", "--stdin"))
			if at != "" {
				tree = strings.TrimSpace(r.Git("rev-parse", "refs/context/heads/"+at+"^{tree}"))
			}
			message := r.Git("log", "-1", "--format=%B", main+"~9") // of no COMMIT
			r.Git("update-ref", main, strings.TrimSpace(r.Input([]byte(message), "commit-tree", "-p", before, tree)))
			s := r.Open()
			b := found(t, r, s)
			if b.Empty() || len(b.Causes) != 1 || string(b.Causes[0].Parent) != before {
				t.Fatalf("%s: %v", b.What(), b.Causes)
			}
			restore(t, r, s, b)
			got := r.Content("main")
			if !slices.Equal(got.Steps, want.Steps) || !slices.Equal(got.Commits, want.Commits) || got.Topics["cache"] != "None" {
				t.Errorf("%d steps and %d commits; want %d and %d", len(got.Steps), len(got.Commits), len(want.Steps), len(want.Commits))
			}
			if b := found(t, r, r.Open()); !b.Empty() {
				t.Errorf("left: %s", b.What())
			}
			r.Fsck()
		})
	}
}

// An entry that was expunged is not lost.
func TestExpungedIsNotLost(t *testing.T) {
	r := memtest.New(t)
	s := history(t, r)
	tip := memtest.OK(s.Repo().Ref(t.Context(), git.BranchRef("main")))(t)
	first := git.ID(strings.Fields(r.Git("rev-list", "--reverse", string(tip)))[0])
	b := memtest.OK(loss.Missing(t.Context(), s, first, tip, doc.Expunged{}))(t)
	var gone doc.Expunged
	for line := range strings.Lines(r.Git("grep", "-hoE", "01[0-9A-Z]{24}", string(tip))) {
		r.Must(gone.AddEntry(strings.TrimSpace(line)))
	}
	if b.Empty() {
		t.Fatal("nothing is missing")
	}
	b = memtest.OK(loss.Missing(t.Context(), s, first, tip, gone))(t)
	if what := b.What(); what != "topic 'cache'" {
		t.Errorf("missing: %s", what)
	}
}

// An entry of a sealed segment that was given another text under its id comes back as it was.
func TestRestoresAChangedSegment(t *testing.T) {
	r := memtest.New(t)
	s := history(t, r)
	ctx, main := t.Context(), git.BranchRef("main")
	want := r.Content("main")
	tip := memtest.OK(s.Tip(ctx, "main"))(t)
	path := strings.TrimSpace(r.Git("ls-tree", "-r", "--name-only", main, "log/"))
	path, _, _ = strings.Cut(path, "\n")
	if path == "" {
		t.Fatal("nothing is sealed")
	}
	forged := strings.Replace(string(memtest.OK(tip.Document(ctx, path))(t)), "A long text.", "A forged text.", 1)
	edit := s.Repo().Edit(tip.Commit().Tree)
	r.Must(edit.Put(ctx, path, memtest.OK(s.Repo().WriteBlob(ctx, []byte(forged)))(t)))
	tree := string(memtest.OK(edit.Write(ctx))(t))
	message := r.Git("log", "-1", "--format=%B", main+"~9")
	r.Git("update-ref", main, strings.TrimSpace(r.Input([]byte(message), "commit-tree", "-p", string(tip.Commit().ID), tree)))
	s = r.Open()
	b := found(t, r, s)
	if b.What() != "1 step" {
		t.Fatalf("lost: %s", b.What())
	}
	restore(t, r, s, b)
	if got := r.Content("main"); !slices.Equal(got.Steps, want.Steps) || !slices.Equal(got.Commits, want.Commits) {
		t.Error("the steps or the commits are not as they were")
	}
	if b := found(t, r, r.Open()); !b.Empty() || len(b.Changed()) != 1 {
		t.Errorf("left: %s, changed: %v", b.What(), b.Changed())
	}
	r.Fsck()
}

// restore makes the commit that has it again.
func restore(t *testing.T, r *memtest.Repo, s *refs.Store, b *loss.Branch) {
	t.Helper()
	tip := memtest.OK(s.Tip(t.Context(), "main"))(t)
	tx := memtest.OK(s.Begin(t.Context(), store.Writer{}, "restore", "main"))(t)
	defer tx.Close()
	c := memtest.OK(b.Restore(t.Context(), tx, tip))(t)
	memtest.OK(tx.Write(t.Context(), c, tip.Commit().ID))(t)
	r.Must(tx.Refs.Commit(t.Context()))
}
