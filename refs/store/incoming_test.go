package store_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// input runs git with something on standard input.
func (r *repo) input(in []byte, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.dir, r.env, bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// blob stores a file.
func (r *repo) blob(text string) string {
	r.t.Helper()
	return r.input([]byte(text), "hash-object", "-w", "--stdin")
}

// tree stores a tree just as it is given, each entry "mode name object".
func (r *repo) tree(entries ...string) string {
	r.t.Helper()
	var raw bytes.Buffer
	for _, e := range entries {
		mode, rest, _ := strings.Cut(e, " ")
		at := strings.LastIndexByte(rest, ' ')
		fmt.Fprintf(&raw, "%s %s\x00", mode, rest[:at])
		id, err := hex.DecodeString(rest[at+1:])
		if err != nil {
			r.t.Fatal(err)
		}
		raw.Write(id)
	}
	return r.input(raw.Bytes(), "hash-object", "-t", "tree", "-w", "--stdin", "--literally")
}

// mktree is what `git mktree` makes of entries "mode name object".
func (r *repo) mktree(entries ...string) string {
	r.t.Helper()
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
	return r.input([]byte(in.String()), "mktree", "--missing")
}

// fetched commits a tree on what a ref has, and moves the ref there.
func (r *repo) fetched(ref, tree string, parents ...string) git.Ref {
	r.t.Helper()
	args := []string{"commit-tree", "-m", "hostile", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	id := r.git(args...)
	r.git("update-ref", ref, id)
	return git.Ref{Name: ref, ID: git.ID(id)}
}

// rich makes a memory with everything in it: sealed segments, topics, metadata,
// merges, births, a renamed branch, notes of git itself and of other people.
func rich(t *testing.T) *repo {
	t.Helper()
	r := newRepo(t)
	r.git("commit", "-q", "--allow-empty", "-m", "code")
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{Goal: "Fix the pool", Milestones: []string{"Find it"}, Purpose: "The trunk"}))(t)
	for i := range 5 {
		ok(s.Record(ctx, []store.NewStep{{Observation: text(3000), Thought: "…\u202e", Action: fmt.Sprint(i)}, {Action: text(9000)}}))(t)
		ok(s.Commit(ctx, store.CommitOptions{Summary: fmt.Sprint("Milestone ", i), Contribution: text(5000)}))(t)
	}
	ok(s.Remember(ctx, store.TopicOptions{Key: "api", Text: "---\nis a rule", Paths: []string{"a/b.go"}}))(t)
	ok(s.SetMetadata(ctx, store.Writer{}, "interfaces.api", "{a: [1, 2]}"))(t)
	ok(s.CreateBranch(ctx, store.BranchOptions{Name: "exp/pool", Purpose: "Try"}))(t)
	ok(s.Record(ctx, []store.NewStep{{Action: "try"}}))(t)
	ok(s.Commit(ctx, store.CommitOptions{Summary: "Tried"}))(t)
	ok(s.Switch(ctx, "main"))(t)
	ok(merge.Merge(ctx, s, store.MergeOptions{Source: "exp/pool"}))(t)
	ok(s.CreateBranch(ctx, store.BranchOptions{Name: "next", Purpose: "More"}))(t)
	ok(s.RenameBranch(ctx, "next", "later"))(t)
	ok(s.SetTag(ctx, store.Writer{}, "best", "main"))(t)
	ok(s.Forget(ctx, store.Writer{}, "api"))(t)
	for i := range 300 { // git itself makes folders of two digits of so many
		r.git("notes", "--ref=context", "add", "-m", "not\x1bours\u202e", r.blob(fmt.Sprint(i)))
	}
	r.git("notes", "--ref=context", "append", "-m", "a word", "HEAD")
	return r
}

// clone is another repository that has fetched all of this one's memory.
func (r *repo) clone() (*repo, incoming.Refs) {
	r.t.Helper()
	c := newRepo(r.t)
	refspecs := append(git.FetchRefspecs("origin"), "+"+git.TagPrefix+"*:"+git.RemotePrefix+"origin/tags/*")
	c.git(append([]string{"fetch", "-q", "--no-write-fetch-head", r.dir}, refspecs...)...)
	return c, c.tracking()
}

// tracking is all that was fetched.
func (r *repo) tracking() incoming.Refs {
	r.t.Helper()
	var in incoming.Refs
	for line := range strings.Lines(r.git("for-each-ref", "--format=%(objectname) %(refname)", git.RemotePrefix, git.RemoteNotesPrefix)) {
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
	c, in := r.clone()
	if len(in.Branches) != 3 || len(in.Roadmap) != 1 || len(in.Notes) != 1 || len(in.Tags) != 1 {
		t.Fatalf("fetched %+v", in)
	}
	if err := incoming.Check(t.Context(), c.open(), in); err != nil {
		t.Errorf("a new clone: %v", err)
	}
	// What is here already is not looked at again, and adds nothing to the count.
	for _, ref := range in.Branches {
		c.git("update-ref", git.BranchPrefix+strings.TrimPrefix(ref.Name, git.RemoteTracking("origin").Branches()), string(ref.ID))
	}
	c.git("update-ref", git.RoadmapRef, string(in.Roadmap[0].ID))
	c.git("update-ref", git.NotesRef, string(in.Notes[0].ID))
	c.git("config", "context.maxNewEntries", "1")
	if err := incoming.Check(t.Context(), c.open(), in); err != nil {
		t.Errorf("nothing new: %v", err)
	}
	c.git("config", "context.maxNewEntries", "100")
	s := r.open()
	ok(s.Record(t.Context(), []store.NewStep{{Action: "one more"}}))(t)
	ok(s.Commit(t.Context(), store.CommitOptions{Branch: "main", Summary: "News"}))(t)
	c.git("fetch", "-q", r.dir, git.FetchRefspecs("origin")[0])
	if err := incoming.Check(t.Context(), c.open(), c.tracking()); err != nil {
		t.Errorf("news: %v", err)
	}
	if err := incoming.Check(t.Context(), c.open(), incoming.Refs{Branches: []git.Ref{{Name: "refs/x"}}}); err != nil {
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
			r := newRepo(t, "--object-format="+c.format)
			s, ctx := r.open(), t.Context()
			ok(share.Init(ctx, s, share.InitOptions{}))(t)
			for range 3 {
				ok(s.Record(ctx, []store.NewStep{{Action: text(9000)}}))(t)
				ok(s.Commit(ctx, store.CommitOptions{Summary: "Sealed"}))(t)
			}
			d := newRepo(t, "--object-format="+c.format)
			d.git(append([]string{"fetch", "-q", c.depth, "file://" + r.dir}, git.FetchRefspecs("origin")...)...)
			in := d.tracking()
			if err := incoming.Check(ctx, d.open(), in); err != nil {
				t.Error(err)
			}
			d.git("update-ref", git.BranchRef("main"), string(in.Branches[0].ID))
			link := d.mktree("120000 log.md " + d.blob("x"))
			in.Branches[0] = d.fetched(in.Branches[0].Name, link, git.BranchRef("main"))
			refused(t, incoming.Check(ctx, d.open(), in), in)
		})
	}
}

// A sync that brings little reads little, however much there is: of the two children
// one lists the commits and one reads objects.
func TestNewsCostsWhatIsNew(t *testing.T) {
	t.Parallel()
	r := rich(t)
	c, in := r.clone()
	for _, ref := range in.Branches {
		c.git("update-ref", git.BranchPrefix+strings.TrimPrefix(ref.Name, git.RemoteTracking("origin").Branches()), string(ref.ID))
	}
	ok(r.open().Record(t.Context(), []store.NewStep{{Action: "one more"}}))(t)
	ok(r.open().Commit(t.Context(), store.CommitOptions{Branch: "main", Summary: "News"}))(t)
	c.git("fetch", "-q", r.dir, git.FetchRefspecs("origin")[0])
	c.git("config", "context.maxNewEntries", "5") // what the live files hold, far less than stands in main
	var trace strings.Builder
	s, err := refs.Open(t.Context(), store.Options{Dir: c.dir, Env: c.env, Now: time.Now, Trace: &trace})
	if err != nil {
		t.Fatal(err)
	}
	in = c.tracking()
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
