package code_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/store"
)

// hashes is the milestones of a code revision, newest first.
func hashes(p *memtest.Clocked, branch, rev string) []git.ID {
	p.T.Helper()
	l, err := code.FindLinks(p.T.Context(), p.Open(), branch, rev)
	p.Must(err)
	var out []git.ID
	for _, m := range l.Memory {
		out = append(out, *m.Hash)
	}
	return out
}

// madeFile is where what was read is kept.
func madeFile(p *memtest.Clocked) string {
	return filepath.Join(p.Dir, ".git/context/cache/search/made")
}

// What is kept of earlier walks changes no answer, whatever the refs did since.
func TestLinksAreExact(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	first := p.Git("rev-parse", "HEAD")
	manyOn(p, "main", first) // so that there is something to keep
	code := string(p.CommitCode("code"))
	main, aside := git.BranchRef("main"), git.BranchRef("aside")
	for _, move := range []struct {
		name string
		do   func()
		want int // milestones
	}{
		{"nothing was made on it", func() {}, 0},
		{"forward", func() { p.Commit("main", "One") }, 1},
		{"the same again", func() {}, 1},
		{"a new branch", func() {
			memtest.OK(p.Open().CreateBranch(t.Context(), store.BranchOptions{Name: "aside", NoSwitch: true}))(t)
			p.Commit("aside", "Two")
		}, 2},
		{"both forward", func() { p.Commit("aside", "Three"); p.Commit("main", "Four") }, 4},
		{"merged", func() {
			memtest.OK(merge.Merge(t.Context(), p.Open(), store.MergeOptions{Source: "aside", Into: "main"}))(t)
		}, 5},
		{"far forward", func() { manyOn(p, "main", first) }, 5}, // all is kept now
		{"back", func() { p.Git("update-ref", main, main+"~300") }, 5},
		{"further back", func() { p.Git("update-ref", main, main+"~1") }, 4},
		{"elsewhere", func() { p.Git("update-ref", aside, main+"~1") }, 2},
		{"a tag", func() { p.Git("update-ref", git.TagRef("t"), main) }, 2},
		{"gone but for the tag", func() { p.Git("update-ref", main, main+"~2") }, 2},
		{"gone", func() { p.Git("update-ref", "-d", git.TagRef("t")) }, 1},
	} {
		p.Later()
		move.do()
		kept := hashes(p, "", code)
		data, err := os.ReadFile(madeFile(p))
		p.Must(err)
		p.Must(os.Remove(madeFile(p)))
		if anew := hashes(p, "", code); len(anew) != move.want || !slices.Equal(kept, anew) {
			t.Errorf("%s: kept %v, read anew %v, want %d", move.name, kept, anew, move.want)
		}
		p.Must(os.WriteFile(madeFile(p), data, 0o666))
	}
}

// manyOn makes a branch stand on more commits than are read again and again, each made
// on a code commit.
func manyOn(p *memtest.Clocked, branch, code string) {
	p.T.Helper()
	tip := p.Git("rev-parse", git.BranchRef(branch))
	message := "Many\n\nContext-Id: 01JD5K0Z3V7Q3M9K2A4B5C%04d\nContext-Branch: " + branch + "\nCode-Commit: " + code + "\n"
	var in strings.Builder
	for i := range 300 {
		text := fmt.Sprintf(message, i)
		fmt.Fprintf(&in, "commit %s\ncommitter A <a@example.com> %d +0000\ndata %d\n%s\n", git.BranchRef(branch), p.Now.Unix(), len(text), text)
		if i == 0 {
			fmt.Fprintf(&in, "from %s\n", tip)
		}
	}
	p.Input([]byte(in.String()), "fast-import", "--quiet")
}

// Of hundreds of commits that name one entry, the one that added it is found without a child of git's for each.
func TestLinksOfCopies(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	p.Later()
	want := p.Commit("main", "Once")
	entry := p.Git("log", "-1", "--format=%B", string(want))
	copies := want
	for i := range 40 {
		cmd := exec.Command("git", "commit-tree", "-p", string(copies), "-m", entry, string(want)+"^{tree}")
		date := fmt.Sprintf("%d +0000", p.Now.Unix()+60*int64(i+1))
		cmd.Dir, cmd.Env = p.Dir, append(p.Env[:len(p.Env):len(p.Env)], "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date)
		copies = git.ID(strings.TrimSpace(string(memtest.OK(cmd.Output())(t))))
	}
	p.Git("update-ref", git.BranchRef("main"), string(copies))
	trace := filepath.Join(t.TempDir(), "trace")
	p.Env = append(p.Env, "GIT_TRACE2_EVENT="+trace)
	if got := hashes(p, "", "HEAD"); !slices.Equal(got, []git.ID{want}) {
		t.Errorf("found %v, want %s", got, want)
	}
	if n := strings.Count(string(memtest.OK(os.ReadFile(trace))(t)), `"merge-base","--is-ancestor"`); n == 0 || n > 16 {
		t.Errorf("git compared %d commits, want a few", n)
	}
}

// A damaged file says nothing.
func TestLinksKeptDamaged(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	manyOn(p, "main", p.Git("rev-parse", "HEAD"))
	want := hashes(p, "", "HEAD")
	if len(want) != 300 {
		t.Fatalf("%d milestones", len(want))
	}
	data, err := os.ReadFile(madeFile(p))
	p.Must(err)
	for _, bad := range [][]byte{nil, data[:len(data)/2], append(data[:len(data):len(data)], data...), []byte(strings.Replace(string(data), "0", "1", 1))} {
		p.Must(os.WriteFile(madeFile(p), bad, 0o666))
		if got := hashes(p, "", "HEAD"); !slices.Equal(got, want) {
			t.Errorf("%d milestones, not 300", len(got))
		}
	}
}

// What anybody wrote into a note, or into a trailer, leads to a milestone or nowhere.
func TestLinksOfOthers(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	p.Later()
	before := p.Commit("main", "Before")
	p.Later()
	coded := p.CommitCode("code")
	for i, memory := range []string{strings.Repeat("ab", 20), string(coded), "HEAD", "", "--all", "x\ny", string(before)[:10], git.BranchRef("main")} {
		p.Link(string(coded), memory, "main", fmt.Sprintf("01JD5K0Z3V7Q3M9K2A4B5C6D1%d", i))
	}
	if got := hashes(p, "", "HEAD"); len(got) > 0 {
		t.Errorf("links to nowhere lead to %v", got)
	}
	p.Link(string(coded), string(before), "elsewhere", "01JD5K0Z3V7Q3M9K2A4B5C6D20")
	p.Link(string(coded), string(before), "main", "01JD5K0Z3V7Q3M9K2A4B5C6D21")
	if got := hashes(p, "", "HEAD"); !slices.Equal(got, []git.ID{before}) {
		t.Errorf("a milestone that is linked twice: %v", got)
	}
	l, err := code.FindLinks(t.Context(), p.Open(), "", string(before))
	p.Must(err)
	if len(l.Commits) != 2 || l.Commits[0].Commit != coded || !slices.Equal(l.Commits[0].How, []string{code.LinkNoted}) {
		t.Errorf("back: %+v", l.Commits)
	}
}

func TestLinksNameNothing(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	for _, rev := range []string{"nope", "", "--all", "-x", "HEAD^{tree}", "01JD5K0Z3V7Q3M9K2A4B5C6D1A", strings.Repeat("ab", 20), "nope..HEAD", "HEAD..nope", "a\nb", "^" + strings.Repeat("ab", 20)} {
		if l, err := code.FindLinks(t.Context(), p.Open(), "", rev); !errors.Is(err, fail.ErrNotFound) {
			t.Errorf("'%s': %+v, %v", rev, l, err)
		}
	}
	if _, err := code.FindLinks(t.Context(), p.Open(), "", "HEAD..CONTEXT_HEAD"); !errors.Is(err, fail.ErrInvalid) {
		t.Errorf("a range of code and memory: %v", err)
	}
	empty := memtest.New(t)
	empty.Git("commit", "-q", "--allow-empty", "-m", "code")
	for _, rev := range []string{"HEAD", "nope", "HEAD..HEAD"} {
		if _, err := code.FindLinks(t.Context(), empty.Open(), "", rev); !errors.Is(err, fail.ErrNoMemory) {
			t.Errorf("'%s' without memory: %v", rev, err)
		}
	}
}

// Code commits stand in git's order, also those of one second; what was amended away is
// said to be, and what a remote still has is not.
func TestLinksInOrder(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	before := p.CommitCode("before")
	milestone := p.Commit("main", "One")
	want := []git.ID{before}
	for i := range 9 {
		code := p.CommitCode(fmt.Sprint("code ", i))
		p.Link(string(code), string(milestone), "main", fmt.Sprintf("01JD5K0Z3V7Q3M9K2A4B5C6D1%d", i))
		want = append(want, code)
	}
	pushed := want[9]
	p.Git("update-ref", "refs/remotes/origin/trunk", string(pushed))
	p.Git("reset", "-q", "--soft", "HEAD~1")
	gone := p.CommitCode("gone")
	p.Git("reset", "-q", "--soft", "HEAD~1")
	p.Link(string(gone), string(milestone), "main", "01JD5K0Z3V7Q3M9K2A4B5C6D19")
	slices.Reverse(want)
	l, err := code.FindLinks(t.Context(), p.Open(), "", string(milestone))
	p.Must(err)
	var got []git.ID
	for _, c := range l.Commits {
		if c.Unreachable != (c.Commit == gone) {
			t.Errorf("%s is unreachable: %v", *c.Subject, c.Unreachable)
		}
		if c.Commit != gone {
			got = append(got, c.Commit)
		}
	}
	if last := l.Commits[len(l.Commits)-1]; last.Commit != gone {
		t.Errorf("what is not reached stands before %s", *last.Subject)
	}
	if !slices.Equal(got, want) {
		t.Errorf("of a milestone %v, want %v", got, want)
	}
	l, err = code.FindLinks(t.Context(), p.Open(), "", string(before)+".."+string(pushed))
	p.Must(err)
	got = nil
	for _, c := range l.Memory[0].Links {
		got = append(got, c.Commit)
	}
	if !slices.Equal(got, want[:9]) {
		t.Errorf("of a range %v, want %v", got, want[:9])
	}
}
