package history

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/unwired"
	"github.com/git-context/git-context/refs/store"
)

// tangle is a random history: commit i has parents before i, and the last one
// stands on all that count.
type tangle struct {
	parents [][]int
	stone   []bool   // is a milestone
	within  []uint64 // the commits that each stands on, itself among them
	ids     []git.ID
}

// A history fits into the bits of a word.
const mostTangled = 60

func drawTangle(rt *rapid.T) *tangle {
	h := &tangle{}
	n := rapid.IntRange(2, mostTangled).Draw(rt, "commits")
	near := rapid.IntRange(1, 8).Draw(rt, "near") // how far back a parent lies at most: how wide it is
	for i := range n {
		var parents []int
		for range min(i, rapid.IntRange(1, 2).Draw(rt, "parents")) {
			if p := i - rapid.IntRange(1, min(i, near)).Draw(rt, "back"); !slices.Contains(parents, p) {
				parents = append(parents, p)
			}
		}
		in := uint64(1) << i
		for _, p := range parents {
			in |= h.within[p]
		}
		h.parents, h.within = append(h.parents, parents), append(h.within, in)
		h.stone = append(h.stone, i == 0 || rapid.IntRange(0, 9).Draw(rt, "kind") < 6)
	}
	return h
}

// store brings a history into a repository.
func (h *tangle) store(t *testing.T, s *store.Store, dir string) {
	t.Helper()
	var in bytes.Buffer
	for i, parents := range h.parents {
		text := fmt.Sprintf("Commit %d\n\nContext-Branch: main\n", i)
		if h.stone[i] {
			text += fmt.Sprintf("Context-Id: id-%d\n", i)
		}
		fmt.Fprintf(&in, "commit refs/context/heads/main\nmark :%d\ncommitter A <a@b> %d +0000\ndata %d\n%s\n", i+1, 1_000_000_000+i, len(text), text)
		for at, p := range parents {
			fmt.Fprintf(&in, "%s :%d\n", []string{"from", "merge"}[at], p+1)
		}
		file := "topics/k.md"
		if h.stone[i] {
			file = "commit.md"
		}
		fmt.Fprintf(&in, "M 644 inline %s\ndata <<E\n%d\nE\n\n", file, i)
	}
	marks := filepath.Join(dir, "marks")
	if _, err := s.Repo().RunInput(t.Context(), in.Bytes(), "fast-import", "--quiet", "--force", "--export-marks="+marks); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(marks)
	if err != nil {
		t.Fatal(err)
	}
	h.ids = make([]git.ID, len(h.parents))
	for line := range strings.Lines(string(data)) {
		var mark int
		var id git.ID
		if _, err := fmt.Sscanf(line, ":%d %s", &mark, &id); err != nil {
			t.Fatal(err)
		}
		h.ids[mark-1] = id
	}
}

// first reports whether a commit is a first bad milestone: no milestone that it
// stands on is bad. Bad is what stands on the culprit.
func (h *tangle) first(i, culprit int) bool {
	bad := func(i int) bool { return h.within[i]>>culprit&1 == 1 }
	for p := range i {
		if h.within[i]>>p&1 == 1 && h.stone[p] && bad(p) {
			return false
		}
	}
	return bad(i) && (h.stone[i] || i == len(h.ids)-1)
}

func bareStore(t *testing.T) (*store.Store, string) {
	t.Helper()
	dir := t.TempDir()
	env := gittest.Env(t, dir, "")
	c := exec.Command("git", "init", "-q", "--bare", filepath.Join(dir, "r"))
	c.Env = env
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	s, err := unwired.Open(t.Context(), store.Options{Dir: filepath.Join(dir, "r"), Env: env, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, dir
}

// Whatever the history, what turned bad is found, in about as many tests as its
// milestones can be halved.
func TestBisectFindsTheFirst(t *testing.T) {
	t.Parallel()
	s, dir := bareStore(t)
	histories := 8
	rapid.Check(t, func(rt *rapid.T) {
		if histories--; histories < 0 {
			return
		}
		h := drawTangle(rt)
		h.store(t, s, dir)
		last := len(h.ids) - 1
		var reached, fine []int
		for i := 1; i <= last; i++ {
			if h.within[last]>>i&1 == 1 {
				reached = append(reached, i)
			}
		}
		culprit := rapid.SampledFrom(reached).Draw(rt, "culprit")
		for i := range h.ids {
			if h.within[i]>>culprit&1 == 0 {
				fine = append(fine, i)
			}
		}
		st := &BisectState{Branch: "main", Bad: h.ids[last], Good: []git.ID{h.ids[rapid.SampledFrom(fine).Draw(rt, "good")]}}
		skips := rapid.SampledFrom([]int{0, 0, 3}).Draw(rt, "skips")
		h.search(t, rt, s, st, culprit, skips)
	})
}

// search plays the one who tests.
func (h *tangle) search(t *testing.T, rt *rapid.T, s *store.Store, st *BisectState, culprit, skips int) {
	tests, all, left := 0, -1, math.MaxInt
	for {
		step, err := nextToTest(t.Context(), s, st)
		if err != nil {
			rt.Fatal(err)
		}
		if step.next == "" {
			h.judge(rt, st, step, culprit)
			break
		}
		i := slices.Index(h.ids, step.next)
		if !step.base {
			if all < 0 {
				all = step.left
			}
			if tests++; step.left >= left || !h.stone[i] {
				rt.Fatalf("test %d is of commit %d, %d left after %d", tests, i, step.left, left)
			}
			left = step.left
		}
		switch {
		case skips > 0 && rapid.Bool().Draw(rt, "skip"):
			skips--
			st.Skipped = append(st.Skipped, step.next)
		case h.within[i]>>culprit&1 == 1:
			st.Bad = step.next
		default:
			st.Good = append(st.Good, step.next)
		}
	}
	// A commit has two parents at most: one test leaves two thirds at worst.
	if most := int(1.75*float64(bits.Len(uint(max(all, 0))))) + 2 + len(st.Skipped); tests > most {
		rt.Fatalf("%d tests for %d milestones, at most %d", tests, all, most)
	}
}

func (h *tangle) judge(rt *rapid.T, st *BisectState, step bisectStep, culprit int) {
	if step.firstBad != "" {
		if i := slices.Index(h.ids, step.firstBad); !h.first(i, culprit) {
			rt.Fatalf("%d is not the first bad one; the culprit is %d", i, culprit)
		}
		return
	}
	held := false
	for _, id := range step.suspects {
		if held = held || h.first(slices.Index(h.ids, id), culprit); id != st.Bad && !slices.Contains(st.Skipped, id) {
			rt.Fatalf("%s is a suspect, and was not skipped", id)
		}
	}
	if !held {
		rt.Fatalf("the first bad one is not among %v", step.suspects)
	}
}
