package store_test

import (
	"encoding/json"
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
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// past is a repository whose clock a test turns.
type past struct {
	*repo
	now time.Time
}

func newPast(t *testing.T) *past {
	p := &past{repo: newRepo(t), now: time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)}
	p.code("first")
	ok(share.Init(t.Context(), p.store(), share.InitOptions{Goal: "Remember"}))(t)
	return p
}

func (p *past) store(branch ...string) *refs.Store {
	p.t.Helper()
	o := store.Options{Dir: p.dir, Env: p.env, Now: func() time.Time { return p.now }, Branch: strings.Join(branch, "")}
	s, err := refs.Open(p.t.Context(), o)
	p.must(err)
	p.t.Cleanup(func() { s.Close() })
	return s
}

// later lets a minute pass.
func (p *past) later() { p.now = p.now.Add(time.Minute) }

// code makes a code commit.
func (p *past) code(subject string) git.ID {
	p.t.Helper()
	date := fmt.Sprintf("%d +0000", p.now.Unix())
	cmd := exec.Command("git", "commit", "-q", "--allow-empty", "-m", subject)
	cmd.Dir, cmd.Env = p.dir, append(p.env[:len(p.env):len(p.env)], "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date)
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git commit: %v\n%s", err, out)
	}
	return git.ID(p.git("rev-parse", "HEAD"))
}

func (p *past) commit(branch, summary string) git.ID {
	p.t.Helper()
	res, err := p.store(branch).Commit(p.t.Context(), store.CommitOptions{Branch: branch, Summary: summary})
	p.must(err)
	return res.Commit
}

// at holds what a code or memory revision leads to.
func (p *past) at(branch, rev, by string, want git.ID) {
	p.t.Helper()
	tip, err := history.At(p.t.Context(), p.store(), branch, rev)
	p.must(err)
	if at := tip.At(); at.By != by || at.Commit != want {
		p.t.Errorf("%s at %s: %s by %s, want %s by %s", branch, rev, at.Commit.Short(), at.By, want.Short(), by)
	}
}

// However far back it stands, and whatever was made since, a code commit leads to
// the newest memory that was made on it, or on its nearest ancestor that has any.
func TestAtCode(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.later()
	linked := p.code("linked")
	p.commit("main", "On it")
	p.later()
	want := p.commit("main", "Still on it")
	p.later()
	p.git("tag", "-a", "v1", "-m", "release", string(linked))
	bare := p.code("nothing was made on it")
	p.later()
	for i := range 18 { // more than are read one by one
		p.code(fmt.Sprint("code ", i))
		p.commit("main", fmt.Sprint("Milestone ", i))
		p.later()
	}
	p.at("", "v1", history.AtLink, want)
	p.at("", string(linked), history.AtLink, want)
	p.at("", string(bare), history.AtAncestor, want)
	p.at("", "HEAD", history.AtLink, git.ID(p.git("rev-parse", "refs/context/heads/main")))
	p.git("checkout", "-q", "--detach", string(bare))
	for i := range 17 {
		bare = p.code(fmt.Sprint("aside ", i))
	}
	p.at("", string(bare), history.AtAncestor, want)
}

// A note's link says more than any trailer; one that leads nowhere says nothing.
func TestAtLinkedByNote(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.later()
	before := p.commit("main", "Before")
	p.later()
	code := p.code("with its memory")
	made := p.commit("main", "On it")
	note := func(memory, branch, id string) { p.link(string(code), memory, branch, id) }
	p.at("", string(code), history.AtLink, made)
	for i, nowhere := range []string{strings.Repeat("ab", 20), string(code), "HEAD", "", "--all", "x\ny"} {
		note(nowhere, "main", fmt.Sprintf("01JD5K0Z3V7Q3M9K2A4B5C6D1%d", i))
	}
	note(string(before), "other", "01JD5K0Z3V7Q3M9K2A4B5C6D20")
	p.at("", string(code), history.AtLink, made)
	note(string(before), "main", "01JD5K0Z3V7Q3M9K2A4B5C6D0E") // older than those that lead nowhere
	p.at("", string(code), history.AtLink, before)
}

// Code that is older than all memory is not looked through down to its first commit.
// But where memory was made on old code, it is found there.
func TestAtBeforeMemory(t *testing.T) {
	t.Parallel()
	p := &past{repo: newRepo(t), now: time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)}
	var codes []git.ID
	for i := range 60 {
		codes = append(codes, p.code(fmt.Sprint("code ", i)))
		p.later()
	}
	ok(share.Init(t.Context(), p.store(), share.InitOptions{}))(t)
	p.later()
	made := p.commit("main", "On the newest")
	var trace strings.Builder
	s := ok(refs.Open(t.Context(), store.Options{Dir: p.dir, Env: p.env, Now: func() time.Time { return p.now }, Trace: &trace}))(t)
	defer s.Close()
	if _, err := history.At(t.Context(), s, "", string(codes[50])); !errors.Is(err, fail.ErrNotFound) {
		t.Errorf("before there was memory: %v", err)
	}
	if strings.Contains(trace.String(), "--first-parent") {
		t.Errorf("all code was listed:\n%s", trace.String())
	}
	p.at("", "HEAD", history.AtLink, made)
	p.git("checkout", "-q", "--detach", string(codes[20]))
	p.later()
	old := p.commit("main", "On old code")
	p.at("", string(codes[50]), history.AtAncestor, old)
}

// Where the clock of whoever made the code is ahead, its memory is found all the
// same; and memory that is older than the branch is not the branch's.
func TestAtOddTimes(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.now = p.now.Add(time.Hour)
	code := p.code("an hour ahead")
	p.now = p.now.Add(-30 * time.Minute)
	made := p.commit("main", "Half an hour behind")
	p.later()
	p.code("more")
	p.commit("main", "More")
	p.at("", string(code), history.AtLink, made)
	p.now = p.now.Add(2 * time.Hour)
	ok(p.store().CreateBranch(t.Context(), store.BranchOptions{Name: "late", NoSwitch: true}))(t)
	_, err := history.At(t.Context(), p.store(), "late", string(code))
	if !errors.Is(err, fail.ErrNotFound) || !strings.Contains(fmt.Sprint(err.(*fail.Error).Hints), "made from 'main'") {
		t.Errorf("a branch before it was made: %v", err)
	}
}

// The branches are listed as they were: which there were, where each stood, whether
// it was merged.
func TestBranchesAt(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	ctx := t.Context()
	branch := func(name string) {
		ok(p.store().CreateBranch(ctx, store.BranchOptions{Name: name, Purpose: "For " + name, NoSwitch: true}))(t)
	}
	p.later()
	for _, name := range []string{"still", "moved", "merged"} {
		branch(name)
	}
	p.later()
	before := p.commit("moved", "One")
	p.later()
	then := p.commit("main", "Then")
	p.later()
	branch("young")
	for i := range 3 {
		p.commit("moved", fmt.Sprint("Later ", i))
	}
	p.commit("merged", "Done")
	ok(merge.Merge(ctx, p.store(), store.MergeOptions{Source: "merged", Into: "main"}))(t)
	ok(p.store().SetMetadata(ctx, store.Writer{}, "branch.purpose", "Another"))(t)

	s := p.store()
	tip := ok(history.At(ctx, s, "", string(then)))(t)
	list, far, err := history.BranchesAt(ctx, s, tip, ok(s.Branches(ctx, store.BranchQuery{}))(t))
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
		p.busy(tt.branch, tt.commits)
		list, far, err = history.BranchesAt(ctx, s, tip, ok(s.Branches(ctx, store.BranchQuery{}))(t))
		if err != nil || far != tt.far || len(list) != 4-far {
			t.Errorf("%s went on for %d commits: %d too far, %d found, %v", tt.branch, tt.commits, far, len(list), err)
		}
	}
	v := ok(history.ReadBranch(ctx, s, ok(history.At(ctx, s, "moved", string(then)))(t), 0, 10))(t)
	if v.Total != 1 || v.Branch.Tip != before || v.At.By != history.AtTime {
		t.Errorf("moved: %+v", v)
	}
}

// busy lets n commits be made on a branch.
func (p *past) busy(branch string, n int) {
	p.t.Helper()
	ref := "refs/context/heads/" + branch
	from := "from " + ref + "^0\n"
	var stream strings.Builder
	for range n {
		p.later()
		fmt.Fprintf(&stream, "commit %s\ncommitter B <b@example.com> %d +0000\ndata 1\nx\n%s\n", ref, p.now.Unix(), from)
		from = "" // goes on from the last
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stdin = p.dir, p.env, strings.NewReader(stream.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git fast-import: %v\n%s", err, out)
	}
}

// A branch that was renamed since is one branch all the same: what was made under
// its old name, and linked by it, is its own, and it is listed once. A name that
// nothing is called any more stays what it was.
func TestAtRenamed(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	ctx := t.Context()
	p.later()
	ok(p.store().CreateBranch(ctx, store.BranchOptions{Name: "old", NoSwitch: true}))(t)
	code := p.code("with its memory")
	made := p.commit("old", "Under the old name")
	p.later()
	p.commit("old", "On it, by its trailer")
	p.link(string(code), string(made), "old", firstID)
	p.later()
	ok(p.store().RenameBranch(ctx, "old", "new"))(t)
	p.commit("new", "Under the new one")
	p.later()
	ok(p.store("new").CreateBranch(ctx, store.BranchOptions{Name: "child", NoSwitch: true}))(t)
	for _, branch := range []string{"", "new"} {
		p.at(branch, string(made), history.AtMemory, made)
	}
	p.at("new", string(code), history.AtLink, made)
	tip := ok(history.At(ctx, p.store(), "", "new~3"))(t)
	s := p.store()
	list, _, err := history.BranchesAt(ctx, s, tip, ok(s.Branches(ctx, store.BranchQuery{}))(t))
	if err != nil || tip.Name() != "new" || len(list) != 2 || list[0].Name != "new" || list[1].Name != "main" {
		t.Errorf("called '%s', %+v, %v", tip.Name(), list, err)
	}
	if _, err := history.At(ctx, p.store(), "old", string(made)); !errors.Is(err, fail.ErrNotFound) {
		t.Errorf("by the old name: %v", err)
	}

	ok(merge.Merge(ctx, p.store(), store.MergeOptions{Source: "new", Into: "main"}))(t)
	ok(p.store().DeleteBranch(ctx, "new", true))(t)
	if tip := ok(history.At(ctx, p.store(), "", string(made)))(t); tip.Name() != "old" {
		t.Errorf("without a branch: called '%s'", tip.Name())
	}
}

// link notes the memory of a code commit.
func (p *past) link(code, memory, branch, id string) {
	p.t.Helper()
	line, err := json.Marshal(map[string]any{"v": 1, "id": id, "kind": "link", "time": p.now, "memory": memory, "branch": branch})
	p.must(err)
	p.git("notes", "--ref=context", "append", "-m", string(line), code)
}

// Beyond the edge of a shallow clone nothing is known, and nothing fails.
func TestAtShallow(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	for i := range 4 {
		p.later()
		p.code(fmt.Sprint("code ", i))
		p.commit("main", fmt.Sprint("Milestone ", i))
	}
	last := git.ID(p.git("rev-parse", "refs/context/heads/main"))
	clone := &past{repo: newRepo(t), now: p.now}
	clone.git("fetch", "-q", "--depth=2", "file://"+p.dir, "+refs/context/*:refs/context/*", "HEAD:refs/heads/code")
	clone.at("", "code", history.AtLink, last)
	clone.at("", "code~1", history.AtLink, git.ID(clone.git("rev-parse", "refs/context/heads/main~1")))
	clone.git("checkout", "-q", "--orphan", "other")
	clone.later()
	other := clone.code("elsewhere")
	clone.at("main", string(other), history.AtTime, last)
}
