package history_test

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// checkAt checks which commit of memory a revision of the code or of memory leads to, and how.
func checkAt(p *memtest.Clocked, branch, rev, by string, want git.ID) {
	p.T.Helper()
	tip, err := history.At(p.T.Context(), p.Open(), branch, rev)
	p.Must(err)
	if at := tip.At(); at.By != by || at.Commit != want {
		p.T.Errorf("%s at %s: %s by %s, want %s by %s", branch, rev, at.Commit.Short(), at.By, want.Short(), by)
	}
}

// However far back it stands, and whatever was made since, a code commit leads to
// the newest memory that was made on it, or on its nearest ancestor that has any.
func TestAtCode(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	p.Later()
	linked := p.CommitCode("linked")
	p.Commit("main", "On it")
	p.Later()
	want := p.Commit("main", "Still on it")
	p.Later()
	p.Git("tag", "-a", "v1", "-m", "release", string(linked))
	bare := p.CommitCode("nothing was made on it")
	p.Later()
	for i := range 18 { // more than are read one by one
		p.CommitCode(fmt.Sprint("code ", i))
		p.Commit("main", fmt.Sprint("Milestone ", i))
		p.Later()
	}
	checkAt(p, "", "v1", history.AtLink, want)
	checkAt(p, "", string(linked), history.AtLink, want)
	checkAt(p, "", string(bare), history.AtAncestor, want)
	checkAt(p, "", "HEAD", history.AtLink, git.ID(p.Git("rev-parse", "refs/context/heads/main")))
	p.Git("checkout", "-q", "--detach", string(bare))
	for i := range 17 {
		bare = p.CommitCode(fmt.Sprint("aside ", i))
	}
	checkAt(p, "", string(bare), history.AtAncestor, want)
}

// A note's link says more than any trailer; one that leads nowhere says nothing.
func TestAtLinkedByNote(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	p.Later()
	before := p.Commit("main", "Before")
	p.Later()
	code := p.CommitCode("with its memory")
	made := p.Commit("main", "On it")
	note := func(memory, branch, id string) { p.Link(string(code), memory, branch, id) }
	checkAt(p, "", string(code), history.AtLink, made)
	for i, nowhere := range []string{strings.Repeat("ab", 20), string(code), "HEAD", "", "--all", "x\ny",
		string(before)[:10], git.BranchRef("main") + "^{/Before}"} { // git evaluates the last, at any cost
		note(nowhere, "main", fmt.Sprintf("01JD5K0Z3V7Q3M9K2A4B5C6D1%d", i))
	}
	note(string(before), "other", "01JD5K0Z3V7Q3M9K2A4B5C6D20")
	checkAt(p, "", string(code), history.AtLink, made)
	note(string(before), "main", "01JD5K0Z3V7Q3M9K2A4B5C6D0E") // older than those that lead nowhere
	checkAt(p, "", string(code), history.AtLink, before)
}

// Code that is older than all memory is not looked through down to its first commit.
// But where memory was made on old code, it is found there.
func TestAtBeforeMemory(t *testing.T) {
	t.Parallel()
	p := &memtest.Clocked{Repo: memtest.New(t), Now: time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)}
	var codes []git.ID
	for i := range 60 {
		codes = append(codes, p.CommitCode(fmt.Sprint("code ", i)))
		p.Later()
	}
	memtest.OK(share.Init(t.Context(), p.Open(), share.InitOptions{}))(t)
	p.Later()
	made := p.Commit("main", "On the newest")
	var trace strings.Builder
	s := memtest.OK(refs.Open(t.Context(), store.Options{Dir: p.Dir, Env: p.Env, Now: func() time.Time { return p.Now }, Trace: &trace}))(t)
	defer s.Close()
	if _, err := history.At(t.Context(), s, "", string(codes[50])); !errors.Is(err, fail.ErrNotFound) {
		t.Errorf("before there was memory: %v", err)
	}
	if strings.Contains(trace.String(), "--first-parent") {
		t.Errorf("all code was listed:\n%s", trace.String())
	}
	checkAt(p, "", "HEAD", history.AtLink, made)
	p.Git("checkout", "-q", "--detach", string(codes[20]))
	p.Later()
	old := p.Commit("main", "On old code")
	checkAt(p, "", string(codes[50]), history.AtAncestor, old)
}

// Where the clock of whoever made the code is ahead, its memory is found all the
// same; and memory that is older than the branch is not the branch's.
func TestAtOddTimes(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	p.Now = p.Now.Add(time.Hour)
	code := p.CommitCode("an hour ahead")
	p.Now = p.Now.Add(-30 * time.Minute)
	made := p.Commit("main", "Half an hour behind")
	p.Later()
	p.CommitCode("more")
	p.Commit("main", "More")
	checkAt(p, "", string(code), history.AtLink, made)
	p.Now = p.Now.Add(2 * time.Hour)
	memtest.OK(p.Open().CreateBranch(t.Context(), store.BranchOptions{Name: "late", NoSwitch: true}))(t)
	_, err := history.At(t.Context(), p.Open(), "late", string(code))
	if !errors.Is(err, fail.ErrNotFound) || !strings.Contains(fmt.Sprint(err.(*fail.Error).Hints), "made from 'main'") {
		t.Errorf("a branch before it was made: %v", err)
	}
}

// The branches are listed as they were: which there were, where each stood, whether
// it was merged.
func TestBranchesAt(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	ctx := t.Context()
	branch := func(name string) {
		memtest.OK(p.Open().CreateBranch(ctx, store.BranchOptions{Name: name, Purpose: "For " + name, NoSwitch: true}))(t)
	}
	p.Later()
	for _, name := range []string{"still", "moved", "merged"} {
		branch(name)
	}
	p.Later()
	before := p.Commit("moved", "One")
	p.Later()
	then := p.Commit("main", "Then")
	p.Later()
	branch("young")
	for i := range 3 {
		p.Commit("moved", fmt.Sprint("Later ", i))
	}
	p.Commit("merged", "Done")
	memtest.OK(merge.Merge(ctx, p.Open(), store.MergeOptions{Source: "merged", Into: "main"}))(t)
	memtest.OK(p.Open().SetMetadata(ctx, store.Writer{}, "branch.purpose", "Another", false))(t)

	s := p.Open()
	tip := memtest.OK(history.At(ctx, s, "", string(then)))(t)
	list, far, err := history.BranchesAt(ctx, s, tip, memtest.OK(s.Branches(ctx, store.BranchQuery{}))(t))
	if err != nil || far != 0 {
		t.Fatalf("%d too far, %v", far, err)
	}
	var got []string
	for _, b := range list {
		got = append(got, fmt.Sprintf("%s %s %d %s", b.Name, b.Status, b.Commits, b.Summary))
		if b.Name == "moved" && b.Tip != before {
			t.Errorf("moved stood at %s, not at %s", b.Tip, before)
		}
	}
	want := "main active 1 Then|moved active 1 One|merged active 0 |still active 0 "
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
	// What is read one by one, what git lists, and what is too much.
	for _, tt := range []struct {
		branch       string
		commits, far int
	}{{"moved", 100, 0}, {"still", 5000, 2}} {
		busy(p, tt.branch, tt.commits)
		list, far, err = history.BranchesAt(ctx, s, tip, memtest.OK(s.Branches(ctx, store.BranchQuery{}))(t))
		if err != nil || far != tt.far || len(list) != 4-far {
			t.Errorf("%s went on for %d commits: %d too far, %d found, %v", tt.branch, tt.commits, far, len(list), err)
		}
	}
	v := memtest.OK(history.ReadBranch(ctx, s, memtest.OK(history.At(ctx, s, "moved", string(then)))(t), 0, 10))(t)
	if v.Total != 1 || v.Branch.Tip != before || v.At.By != history.AtTime {
		t.Errorf("moved: %+v", v)
	}
}

// busy lets n commits be made on a branch.
func busy(p *memtest.Clocked, branch string, n int) {
	p.T.Helper()
	ref := "refs/context/heads/" + branch
	from := "from " + ref + "^0\n"
	var stream strings.Builder
	for range n {
		p.Later()
		fmt.Fprintf(&stream, "commit %s\ncommitter B <b@example.com> %d +0000\ndata 1\nx\n%s\n", ref, p.Now.Unix(), from)
		from = "" // goes on from the last
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stdin = p.Dir, p.Env, strings.NewReader(stream.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		p.T.Fatalf("git fast-import: %v\n%s", err, out)
	}
}

// A branch that was renamed since is one branch all the same: what was made under
// its old name, and linked by it, is its own, and it is listed once. A name that
// nothing is called any more stays what it was.
func TestAtRenamed(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	ctx := t.Context()
	p.Later()
	memtest.OK(p.Open().CreateBranch(ctx, store.BranchOptions{Name: "old", NoSwitch: true}))(t)
	code := p.CommitCode("with its memory")
	made := p.Commit("old", "Under the old name")
	p.Later()
	p.Commit("old", "On it, by its trailer")
	p.Link(string(code), string(made), "old", memtest.UnknownID)
	p.Later()
	memtest.OK(p.Open().RenameBranch(ctx, "old", "new"))(t)
	p.Commit("new", "Under the new one")
	p.Later()
	memtest.OK(p.Open("new").CreateBranch(ctx, store.BranchOptions{Name: "child", NoSwitch: true}))(t)
	for _, branch := range []string{"", "new"} {
		checkAt(p, branch, string(made), history.AtMemory, made)
	}
	checkAt(p, "new", string(code), history.AtLink, made)
	tip := memtest.OK(history.At(ctx, p.Open(), "", "new~3"))(t)
	s := p.Open()
	list, _, err := history.BranchesAt(ctx, s, tip, memtest.OK(s.Branches(ctx, store.BranchQuery{}))(t))
	if err != nil || tip.Name() != "new" || len(list) != 2 || list[0].Name != "new" || list[1].Name != "main" {
		t.Errorf("called '%s', %+v, %v", tip.Name(), list, err)
	}
	if _, err := history.At(ctx, p.Open(), "old", string(made)); !errors.Is(err, fail.ErrNotFound) {
		t.Errorf("by the old name: %v", err)
	}

	memtest.OK(merge.Merge(ctx, p.Open(), store.MergeOptions{Source: "new", Into: "main"}))(t)
	memtest.OK(p.Open().DeleteBranch(ctx, "new", true))(t)
	if tip := memtest.OK(history.At(ctx, p.Open(), "", string(made)))(t); tip.Name() != "old" {
		t.Errorf("without a branch: called '%s'", tip.Name())
	}
}

// Beyond the edge of a shallow clone nothing is known, and nothing fails.
func TestAtShallow(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	for i := range 4 {
		p.Later()
		p.CommitCode(fmt.Sprint("code ", i))
		p.Commit("main", fmt.Sprint("Milestone ", i))
	}
	last := git.ID(p.Git("rev-parse", "refs/context/heads/main"))
	clone := &memtest.Clocked{Repo: memtest.New(t), Now: p.Now}
	clone.Git("fetch", "-q", "--depth=2", "file://"+p.Dir, "+refs/context/*:refs/context/*", "HEAD:refs/heads/code")
	checkAt(clone, "", "code", history.AtLink, last)
	checkAt(clone, "", "code~1", history.AtLink, git.ID(clone.Git("rev-parse", "refs/context/heads/main~1")))
	clone.Git("checkout", "-q", "--orphan", "other")
	clone.Later()
	other := clone.CommitCode("elsewhere")
	checkAt(clone, "main", string(other), history.AtTime, last)
}
