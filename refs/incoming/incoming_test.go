package incoming_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// storeTree stores a tree just as it is given, each entry "mode name object".
func storeTree(r *memtest.Repo, entries ...string) string {
	r.T.Helper()
	var raw bytes.Buffer
	for _, e := range entries {
		mode, rest, _ := strings.Cut(e, " ")
		at := strings.LastIndexByte(rest, ' ')
		fmt.Fprintf(&raw, "%s %s\x00", mode, rest[:at])
		id, err := hex.DecodeString(rest[at+1:])
		if err != nil {
			r.T.Fatal(err)
		}
		raw.Write(id)
	}
	return r.Input(raw.Bytes(), "hash-object", "-t", "tree", "-w", "--stdin", "--literally")
}

// makeTree is what `git mktree` makes of entries "mode name object".
func makeTree(r *memtest.Repo, entries ...string) string {
	r.T.Helper()
	var in strings.Builder
	for _, e := range entries {
		mode, rest, _ := strings.Cut(e, " ")
		name, id, _ := strings.Cut(rest, " ")
		kind := map[string]string{"040000": "tree", "160000": "commit"}[mode]
		if kind == "" {
			kind = "blob"
		}
		fmt.Fprintf(&in, "%s %s %s\t%s\n", mode, kind, id, name)
	}
	return r.Input([]byte(in.String()), "mktree", "--missing")
}

// fetched commits a tree on what a ref has, and moves the ref there.
func fetched(r *memtest.Repo, ref, tree string, parents ...string) git.Ref {
	r.T.Helper()
	args := []string{"commit-tree", "-m", "hostile", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	id := r.Git(args...)
	r.Git("update-ref", ref, id)
	return git.Ref{Name: ref, ID: git.ID(id)}
}

// rich makes a memory with everything in it: sealed segments, topics, metadata,
// merges, births, a renamed branch, notes of git itself and of other people.
func rich(t *testing.T) *memtest.Repo {
	t.Helper()
	r := memtest.New(t)
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Fix the pool", Milestones: []string{"Find it"}, Purpose: "The trunk"}))(t)
	for i := range 5 {
		memtest.OK(s.Record(ctx, []store.NewStep{{Observation: memtest.Text(3000), Thought: "…\u202e", Action: fmt.Sprint(i)}, {Action: memtest.Text(9000)}}))(t)
		memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: fmt.Sprint("Milestone ", i), Contribution: memtest.Text(5000)}))(t)
	}
	memtest.OK(s.Remember(ctx, store.TopicOptions{Key: "api", Text: "---\nis a rule", Paths: []string{"a/b.go"}}))(t)
	memtest.OK(s.SetMetadata(ctx, store.Writer{}, "interfaces.api", "{a: [1, 2]}", false))(t)
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "exp/pool", Purpose: "Try"}))(t)
	memtest.OK(s.Record(ctx, []store.NewStep{{Action: "try"}}))(t)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Tried"}))(t)
	memtest.OK(s.Switch(ctx, "main"))(t)
	memtest.OK(merge.Merge(ctx, s, store.MergeOptions{Source: "exp/pool"}))(t)
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "next", Purpose: "More"}))(t)
	memtest.OK(s.RenameBranch(ctx, "next", "later"))(t)
	memtest.OK(s.SetTag(ctx, store.Writer{}, "best", "main"))(t)
	memtest.OK(s.Forget(ctx, store.Writer{}, "api"))(t)
	for i := range 300 { // git itself makes folders of two digits of so many
		r.Git("notes", "--ref=context", "add", "-m", "not\x1bours\u202e", r.Blob(fmt.Sprint(i)))
	}
	r.Git("notes", "--ref=context", "append", "-m", "a word", "HEAD")
	return r
}

// cloneOf is another repository that has fetched all of this one's memory.
func cloneOf(r *memtest.Repo) (*memtest.Repo, incoming.Refs) {
	r.T.Helper()
	c := memtest.New(r.T)
	refspecs := append(git.FetchRefspecs("origin"), "+"+git.TagPrefix+"*:"+git.RemotePrefix+"origin/tags/*")
	c.Git(append([]string{"fetch", "-q", "--no-write-fetch-head", r.Dir}, refspecs...)...)
	return c, tracking(c)
}

// tracking is all that was fetched.
func tracking(r *memtest.Repo) incoming.Refs {
	r.T.Helper()
	var in incoming.Refs
	for line := range strings.Lines(r.Git("for-each-ref", "--format=%(objectname) %(refname)", git.RemotePrefix, git.RemoteNotesPrefix)) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		ref := git.Ref{Name: name, ID: git.ID(id)}
		switch {
		case strings.HasPrefix(name, git.RemoteNotesPrefix):
			in.Notes = append(in.Notes, ref)
		case name == git.RemoteTracking("origin").Roadmap():
			in.Roadmap = append(in.Roadmap, ref)
		case strings.HasPrefix(name, git.RemotePrefix+"origin/tags/"):
			in.Tags = append(in.Tags, ref)
		default:
			in.Branches = append(in.Branches, ref)
		}
	}
	return in
}

func TestSoundMemoryComesIn(t *testing.T) {
	t.Parallel()
	r := rich(t)
	c, in := cloneOf(r)
	if len(in.Branches) != 3 || len(in.Roadmap) != 1 || len(in.Notes) != 1 || len(in.Tags) != 1 {
		t.Fatalf("fetched %+v", in)
	}
	if err := incoming.Check(t.Context(), c.Open(), in); err != nil {
		t.Errorf("a new clone: %v", err)
	}
	// What is here already is not looked at again, and adds nothing to the count.
	for _, ref := range in.Branches {
		c.Git("update-ref", git.BranchPrefix+strings.TrimPrefix(ref.Name, git.RemoteTracking("origin").Branches()), string(ref.ID))
	}
	c.Git("update-ref", git.RoadmapRef, string(in.Roadmap[0].ID))
	c.Git("update-ref", git.NotesRef, string(in.Notes[0].ID))
	c.Git("config", "context.maxNewEntries", "1")
	if err := incoming.Check(t.Context(), c.Open(), in); err != nil {
		t.Errorf("nothing new: %v", err)
	}
	c.Git("config", "context.maxNewEntries", "100")
	s := r.Open()
	memtest.OK(s.Record(t.Context(), []store.NewStep{{Action: "one more"}}))(t)
	memtest.OK(s.Commit(t.Context(), store.CommitOptions{Branch: "main", Summary: "News"}))(t)
	c.Git("fetch", "-q", r.Dir, git.FetchRefspecs("origin")[0])
	if err := incoming.Check(t.Context(), c.Open(), tracking(c)); err != nil {
		t.Errorf("news: %v", err)
	}
	if err := incoming.Check(t.Context(), c.Open(), incoming.Refs{Branches: []git.Ref{{Name: "refs/x"}}}); err != nil {
		t.Errorf("no refs: %v", err)
	}
}

// A clone without the past, and one whose ids are longer, are like any other.
func TestUnusualClonesTakeMemoryIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, format, depth string }{
		{"shallow", "sha1", "--depth=1"}, {"SHA-256", "sha256", "--depth=1000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := memtest.New(t, "--object-format="+c.format)
			s, ctx := r.Open(), t.Context()
			memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
			for range 3 {
				memtest.OK(s.Record(ctx, []store.NewStep{{Action: memtest.Text(9000)}}))(t)
				memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Sealed"}))(t)
			}
			d := memtest.New(t, "--object-format="+c.format)
			d.Git(append([]string{"fetch", "-q", c.depth, "file://" + r.Dir}, git.FetchRefspecs("origin")...)...)
			in := tracking(d)
			if err := incoming.Check(ctx, d.Open(), in); err != nil {
				t.Error(err)
			}
			d.Git("update-ref", git.BranchRef("main"), string(in.Branches[0].ID))
			link := makeTree(d, "120000 log.md "+d.Blob("x"))
			in.Branches[0] = fetched(d, in.Branches[0].Name, link, git.BranchRef("main"))
			refused(t, incoming.Check(ctx, d.Open(), in), in)
		})
	}
}

// A sync that brings little reads little, however much there is: of the two children
// one lists the commits and one reads objects.
func TestNewsCostsWhatIsNew(t *testing.T) {
	t.Parallel()
	r := rich(t)
	c, in := cloneOf(r)
	for _, ref := range in.Branches {
		c.Git("update-ref", git.BranchPrefix+strings.TrimPrefix(ref.Name, git.RemoteTracking("origin").Branches()), string(ref.ID))
	}
	memtest.OK(r.Open().Record(t.Context(), []store.NewStep{{Action: "one more"}}))(t)
	memtest.OK(r.Open().Commit(t.Context(), store.CommitOptions{Branch: "main", Summary: "News"}))(t)
	c.Git("fetch", "-q", r.Dir, git.FetchRefspecs("origin")[0])
	c.Git("config", "context.maxNewEntries", "5") // what the live files hold, far less than stands in main
	var trace strings.Builder
	s, err := refs.Open(t.Context(), store.Options{Dir: c.Dir, Env: c.Env, Now: time.Now, Trace: &trace})
	if err != nil {
		t.Fatal(err)
	}
	in = tracking(c)
	in.Notes = nil
	if err := errors.Join(incoming.Check(t.Context(), s, in), s.Close()); err != nil {
		t.Error(err)
	}
	for _, child := range []string{"git rev-list", "git cat-file"} {
		if got := strings.Count(trace.String(), child); got != 1 {
			t.Errorf("%d times %s:\n%s", got, child, trace.String())
		}
	}
}
