package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-context/git-context/internal/gittest"
)

// The same answers from files, from packed-refs, and through git, as it is
// asked where refs are no files (a directory "reftable" makes us think so).
func TestRef(t *testing.T) {
	gittest.NeedRefFiles(t)
	s, r := newRepo(t)
	ctx := t.Context()
	one, two := commit(t, r, "one"), commit(t, r, "two")
	for ref, id := range map[string]ID{BranchRef("main"): one, BranchRef("a/b"): two, BranchRef("a-"): one, "refs/heads/trunk": two, RoadmapRef: one} {
		set(t, r, ref, id, "")
	}
	must(t, r.SetSymbolicRef(ctx, HeadName, BranchRef("main"), "start"))
	// Names that a revision would find elsewhere.
	s.Git("r", "update-ref", "refs/heads/refs/context/heads/absent", string(two))
	s.Git("r", "update-ref", "refs/tags/CONTEXT_ABSENT", string(two))
	check := func(what string, r *Repo) {
		t.Helper()
		for name, want := range map[string]ID{BranchRef("main"): one, BranchRef("a/b"): two, BranchRef("a-"): one, HeadName: one, mainHeadName: one, "HEAD": two, RoadmapRef: one} {
			if got, err := r.Ref(ctx, name); err != nil || got != want {
				t.Errorf("%s: Ref(%s) = %s, %v; want %s", what, name, got, err, want)
			}
		}
		for _, name := range []string{BranchRef("absent"), BranchRef("a"), BranchRef("a/b/c"), BranchRef("z"), "refs/a", NotesRef} {
			_, err := r.Ref(ctx, name)
			if wantErr(t, err, ErrNotFound, name); t.Failed() {
				t.Fatal(what)
			}
		}
		for _, name := range []string{"", "-x", "../config", "refs/../../config", "a b", "refs/x.lock", "HEAD^", "a\nb"} {
			if _, err := r.Ref(ctx, name); err == nil || errors.Is(err, ErrNotFound) {
				t.Errorf("%s: Ref(%q): %v", what, name, err)
			}
		}
		if got := ok(r.SymbolicRef(ctx, HeadName))(t); got != BranchRef("main") {
			t.Errorf("%s: SymbolicRef = %s", what, got)
		}
		_, err := r.SymbolicRef(ctx, "NO_HEAD")
		wantErr(t, err, ErrNotFound, "NO_HEAD")
		want := []Ref{{BranchRef("a-"), one}, {BranchRef("a/b"), two}, {BranchRef("main"), one}, {RoadmapRef, one}}
		if diff := cmp.Diff(want, ok(r.Refs(ctx, BranchPrefix, RoadmapRef))(t)); diff != "" {
			t.Errorf("%s: Refs (-want +got):\n%s", what, diff)
		}
		names := []string{BranchRef("a-"), BranchRef("a/b"), BranchRef("main")}
		if diff := cmp.Diff(names, ok(r.RefNames(ctx, BranchPrefix))(t)); diff != "" {
			t.Errorf("%s: RefNames (-want +got):\n%s", what, diff)
		}
		if got := ok(r.RefNames(ctx, "refs/nothing/"))(t); len(got) > 0 {
			t.Errorf("%s: RefNames = %v", what, got)
		}
		if got := ok(r.Refs(ctx, "refs/nothing/"))(t); got != nil {
			t.Errorf("%s: Refs = %v", what, got)
		}
	}
	check("loose", r)
	s.Git("r", "pack-refs", "--all", "--prune")
	check("packed", r)
	set(t, r, BranchRef("main"), two, one)
	set(t, r, BranchRef("main"), one, two)
	check("both", r)
	must(t, os.Mkdir(r.CommonDir()+"/reftable", 0o777))
	var trace strings.Builder
	check("through git", ok(Open(ctx, Options{Dir: s.Path("r"), Env: s.Env, Trace: &trace}))(t))
	if count(&trace, "-- "+BranchRef("main")) == 0 {
		t.Error("refs that are no files were read as files")
	}
}

func TestBrokenRefIsNotAbsent(t *testing.T) {
	gittest.NeedRefFiles(t)
	s, r := newRepo(t)
	ctx := t.Context()
	id := commit(t, r, "one")
	set(t, r, BranchRef("main"), id, "")
	path := r.CommonDir() + "/" + BranchRef("main")
	for _, content := range []string{"", "rubbish\n", string(id[:39]) + "\n", string(id) + "0\n", "ref: \n", "ref: ../../x\n", strings.Repeat("\x00", 41)} {
		must(t, os.WriteFile(path, []byte(content), 0o644))
		if got := ok(r.RefNames(ctx, BranchPrefix))(t); !slices.Contains(got, BranchRef("main")) {
			t.Errorf("%q: RefNames = %v", content, got)
		}
		if got, err := r.Ref(ctx, BranchRef("main")); err == nil || errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %s, %v", content, got, err)
		}
	}
	must(t, os.WriteFile(path, nil, 0o644))
	if refs, err := r.Refs(ctx, BranchPrefix); err == nil {
		t.Errorf("Refs leaves a broken ref out: %v", refs)
	}
	if err := move(t, r, BranchRef("main"), id, ""); err == nil || errors.Is(err, ErrStale) {
		t.Errorf("a broken ref is no stale one: %v", err)
	}
	must(t, os.WriteFile(r.GitDir()+"/"+HeadName, []byte("ref: refs/x y\n"), 0o644))
	if _, err := r.SymbolicRef(ctx, HeadName); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("malformed CONTEXT_HEAD: %v", err)
	}
	must(t, os.WriteFile(r.GitDir()+"/"+HeadName, []byte("ref: CONTEXT_HEAD\n"), 0o644))
	if _, err := r.Ref(ctx, HeadName); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("a ref to itself: %v", err)
	}
	must(t, os.WriteFile(r.GitDir()+"/"+HeadName, []byte(id+"\n"), 0o644))
	_, err := r.SymbolicRef(ctx, HeadName)
	wantErr(t, err, ErrNotFound, "names an object")
	_ = s
}

// Bisection must find every line of a file of every size, and nothing else.
func TestPackedRefs(t *testing.T) {
	gittest.NeedSHA1(t)
	gittest.NeedRefFiles(t)
	_, r := newRepo(t)
	for _, n := range []int{0, 1, 2, 3, 4, 7, 50, 1000} {
		var file strings.Builder
		file.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
		for i := range n {
			fmt.Fprintf(&file, "%040x refs/tags/%04d%s\n", i+1, i, strings.Repeat("x", i*7%400))
			if i%3 == 0 {
				fmt.Fprintf(&file, "^%040x\n", i)
			}
		}
		must(t, os.WriteFile(r.CommonDir()+"/packed-refs", []byte(file.String()), 0o644))
		for i := range n {
			name := fmt.Sprintf("refs/tags/%04d%s", i, strings.Repeat("x", i*7%400))
			if got, err := r.packedRef(name); err != nil || got != fmt.Sprintf("%040x", i+1) {
				t.Fatalf("%d refs: %s = %s, %v", n, name, got, err)
			}
			_, err := r.packedRef(name + "!")
			wantErr(t, err, ErrNotFound, name)
		}
		for _, name := range []string{"refs/a", "refs/z", "refs/tags/0"} {
			_, err := r.packedRef(name)
			wantErr(t, err, ErrNotFound, name)
		}
	}
	for _, odd := range []string{"# pack-refs with: peeled \nx", "0 refs/x\n", "# pack-refs with: sorted \nrubbish\n", "# pack-refs with: sorted \n" + strings.Repeat("1", 40) + " refs/x"} {
		must(t, os.WriteFile(r.CommonDir()+"/packed-refs", []byte(odd), 0o644))
		if _, err := r.packedRef("refs/x"); !errors.Is(err, errUnusual) {
			t.Errorf("%q: %v; want git to be asked", odd, err)
		}
	}
}

func TestWorktrees(t *testing.T) {
	gittest.NeedRefFiles(t)
	s, r := newRepo(t)
	ctx := t.Context()
	s.Git("r", "commit", "-q", "--allow-empty", "-m", "one")
	s.Git("r", "worktree", "add", "-q", "-b", "l", "../linked one")
	s.Git("r", "worktree", "add", "-q", "../other")
	s.Git("r", "worktree", "add", "-q", "../gone")
	linked, gone := s.open("linked one"), s.open("gone")
	must(t, r.SetSymbolicRef(ctx, HeadName, BranchRef("main"), "x"))
	must(t, linked.SetSymbolicRef(ctx, HeadName, BranchRef("exp"), "x"))
	must(t, gone.SetSymbolicRef(ctx, HeadName, BranchRef("exp/2"), "x"))
	must(t, os.RemoveAll(s.Path("gone")))
	want := []WorktreeHead{
		{s.Path("r"), mainHeadName, BranchRef("main")},
		{s.Path("gone"), "worktrees/gone/" + HeadName, BranchRef("exp/2")},
		{s.Path("linked one"), "worktrees/linked-one/" + HeadName, BranchRef("exp")},
	}
	for _, from := range []*Repo{r, linked} {
		if diff := cmp.Diff(want, ok(from.Worktrees(ctx))(t)); diff != "" {
			t.Error(diff)
		}
	}
	if got := ok(linked.SymbolicRef(ctx, mainHeadName))(t); got != BranchRef("main") {
		t.Errorf("main worktree's, from a linked one: %s", got)
	}
	if got := s.Git("linked one", "symbolic-ref", HeadName); got != BranchRef("exp") {
		t.Errorf("git sees %s", got)
	}
	for i, from := range []*Repo{r, linked} {
		for j, head := range want {
			want[j].Target = BranchRef(fmt.Sprintf("new-%d-%d", i, j))
			must(t, from.SetSymbolicRef(ctx, head.Ref, want[j].Target, "x"))
		}
		if diff := cmp.Diff(want, ok(from.Worktrees(ctx))(t)); diff != "" {
			t.Errorf("written from %s: %s", from.WorkTree(), diff)
		}
	}
	must(t, os.Mkdir(r.CommonDir()+"/reftable", 0o777))
	if diff := cmp.Diff(want, ok(s.open("other").Worktrees(ctx))(t)); diff != "" {
		t.Errorf("through git: %s", diff)
	}
}

// What stands among refs and is none is not listed, and what git finds through symbolic
// links is.
func TestRefNamesAsGit(t *testing.T) {
	s, r := newRepo(t)
	id := commit(t, r, "one")
	set(t, r, BranchRef("main"), id, "")
	set(t, r, BranchRef("team/inner"), id, "")
	heads := filepath.Join(r.CommonDir(), strings.TrimSuffix(BranchPrefix, "/"))
	check := func(what string) {
		t.Helper()
		want := strings.Fields(s.Git("r", "for-each-ref", "--format=%(refname)", BranchPrefix))
		if got := ok(r.RefNames(t.Context(), BranchPrefix))(t); !slices.Equal(got, want) {
			t.Errorf("%s: %q; git lists %q", what, got, want)
		}
	}
	for _, name := range []string{".DS_Store", ".nfs01/x", "main.lock", "team/.x"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(heads, name)), 0o777))
		must(t, os.WriteFile(filepath.Join(heads, name), []byte(id+"\n"), 0o666))
	}
	must(t, os.Mkdir(filepath.Join(heads, "empty"), 0o777))
	check("files that are no refs")
	must(t, os.Rename(filepath.Join(heads, "team"), filepath.Join(r.CommonDir(), "elsewhere")))
	must(t, os.Symlink(filepath.Join(r.CommonDir(), "elsewhere"), filepath.Join(heads, "team")))
	check("a folder elsewhere")
	must(t, os.Rename(heads, heads+"-elsewhere"))
	must(t, os.Symlink(heads+"-elsewhere", heads))
	check("all elsewhere")
	must(t, os.Remove(heads))
	must(t, os.WriteFile(heads, []byte(id+"\n"), 0o666))
	check("a file")
}

// A ref that git can neither read, move nor delete is listed, and given a value again.
func TestBrokenRefs(t *testing.T) {
	t.Parallel()
	gittest.NeedRefFiles(t)
	s, r := newRepo(t)
	ctx := t.Context()
	id := ID(strings.TrimSpace(s.Git("r", "commit-tree", "-m", "x", strings.TrimSpace(s.Git("r", "write-tree")))))
	const name = "refs/context/heads/a"
	for _, ref := range []string{name, "refs/heads/other", "refs/context/heads/b"} {
		s.Git("r", "update-ref", "--create-reflog", ref, string(id))
	}
	dir := filepath.Join(r.CommonDir(), "refs")
	for file, text := range map[string]string{"context/heads/a": "", "heads/other": "x", "context/heads/a (copy)": string(id) + "\n"} {
		must(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666))
	}
	l := ok(r.ListRefs(ctx, "refs/context"))(t)
	if len(l.Refs) != 1 || !slices.Equal(l.Broken, []string{name}) || !slices.Equal(l.Misfit, []string{"refs/context/heads/a (copy)"}) {
		t.Errorf("listed: %+v", l)
	}
	if _, err := r.Refs(ctx, "refs/context"); !errors.Is(err, ErrBroken) {
		t.Errorf("Refs: %v", err)
	}
	if past := ok(r.RefPast(t.Context(), name))(t); !slices.Equal(past, []ID{id}) {
		t.Errorf("it was %v", past)
	}
	must(t, os.WriteFile(filepath.Join(dir, "context/heads/a.lock"), nil, 0o666))
	if err := r.ReplaceBroken(name, id); !errors.Is(err, ErrStale) {
		t.Errorf("while it is locked: %v", err)
	}
	must(t, os.Remove(filepath.Join(dir, "context/heads/a.lock")))
	must(t, r.ReplaceBroken(name, id))
	if got := ok(r.Ref(ctx, name))(t); got != id {
		t.Errorf("it is at %s", got)
	}
	if err := r.ReplaceBroken(name, id); !errors.Is(err, ErrStale) {
		t.Errorf("one that is sound: %v", err)
	}
	must(t, r.ReplaceBroken("refs/heads/other", ""))
	if _, err := r.Ref(ctx, "refs/heads/other"); !errors.Is(err, ErrNotFound) {
		t.Errorf("one that was removed: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.lock")); len(left) > 0 || err != nil {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A symbolic ref whose file names nothing is given a target again, at once and under its lock;
// git makes one of those that it can read.
func TestRestoreSymbolicRef(t *testing.T) {
	t.Parallel()
	gittest.NeedRefFiles(t)
	s, r := newRepo(t)
	ctx := t.Context()
	s.Git("r", "commit", "-q", "--allow-empty", "-m", "x")
	s.Git("r", "worktree", "add", "-q", "../linked")
	for _, name := range []string{HeadName, mainHeadName, "worktrees/linked/" + HeadName} {
		path, _ := r.RefFile(name)
		for _, content := range []string{"", "garbage\n", "\x00\x00", "ref: refs/heads/main\n", "ref:\n", strings.Repeat("0", r.hexLen()) + "\n"} {
			must(t, os.WriteFile(path, []byte(content), 0o666))
			must(t, os.WriteFile(path+".lock", nil, 0o666))
			if err := r.RestoreSymbolicRef(ctx, name, BranchRef("main"), "restore"); err == nil {
				t.Errorf("'%s' with %q: it was locked", name, content)
			}
			must(t, os.Remove(path+".lock"))
			must(t, r.RestoreSymbolicRef(ctx, name, BranchRef("main"), "restore"))
			if got := ok(os.ReadFile(path))(t); string(got) != "ref: "+BranchRef("main")+"\n" {
				t.Errorf("'%s' with %q became %q", name, content, got)
			}
			if target := s.Git("r", "symbolic-ref", name); target != BranchRef("main") {
				t.Errorf("to git '%s' names '%s'", name, target)
			}
		}
	}
	if err := r.RestoreSymbolicRef(ctx, HeadName, "a..b", "restore"); err == nil {
		t.Error("a target that is no ref")
	}
}

// A reflog is freed of objects that are not here, and else kept.
func TestDropLostMoves(t *testing.T) {
	t.Parallel()
	gittest.NeedRefFiles(t)
	s, r := newRepo(t)
	const name = "refs/context/heads/a"
	var ids []string
	for _, m := range []string{"one", "two", "three"} {
		ids = append(ids, strings.TrimSpace(s.Git("r", "commit-tree", "-m", m, strings.TrimSpace(s.Git("r", "write-tree")))))
		s.Git("r", "update-ref", "--create-reflog", name, ids[len(ids)-1])
	}
	log := filepath.Join(r.CommonDir(), "logs", name)
	lost := strings.Repeat("12", len(ids[0])/2)
	data := ok(os.ReadFile(log))(t)
	must(t, os.WriteFile(log, []byte(strings.ReplaceAll(string(data), ids[1], lost)), 0o666))
	must(t, r.DropLostMoves(t.Context(), name))
	if past := ok(r.RefPast(t.Context(), name))(t); !slices.Equal(past, []ID{ID(ids[2]), ID(ids[0])}) {
		t.Errorf("left are %v", past)
	}
	if data := ok(os.ReadFile(log))(t); strings.Contains(string(data), lost) {
		t.Errorf("the reflog:\n%s", data)
	}
}

// A ref that is deleted while git lists refs is absent, and not malformed.
func TestRefsBesideDeletion(t *testing.T) {
	t.Parallel()
	gittest.NeedRefFiles(t)
	_, r := newRepo(t)
	id := commit(t, r, "one")
	dir := filepath.Join(r.commonDir, "refs", "context", "heads")
	var done atomic.Bool
	var group sync.WaitGroup
	group.Go(func() {
		for n := 0; !done.Load(); n++ {
			path := filepath.Join(dir, fmt.Sprint("x", n%50))
			if os.Remove(path) != nil {
				_ = os.MkdirAll(dir, 0o777)
				_ = os.WriteFile(path+".lock", []byte(id+"\n"), 0o666)
				_ = os.Rename(path+".lock", path)
			}
		}
	})
	for range 100 {
		if _, err := r.Refs(t.Context(), "refs/context/heads"); err != nil {
			t.Error(err)
			break
		}
	}
	done.Store(true)
	group.Wait()
}
