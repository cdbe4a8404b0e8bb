package notes

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/git"
)

// lostByEach is what the versions of a note lost, found for one after the other.
func lostByEach(present []byte, versions [][]byte) (lost []byte) {
	for _, before := range versions {
		present := Union(present, lost)
		if lines := bytes.TrimPrefix(Union(present, before), present); len(lines) > 0 {
			lost = Union(lost, bytes.TrimPrefix(lines, []byte("\n")))
		}
	}
	return lost
}

// All versions of a note together have lost what each of them has.
func TestLostOfVersionsAsEach(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		note := rapid.Custom(func(t *rapid.T) []byte {
			return []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "\n", "ab", "c\n", "c"}), 0, 5).Draw(t, "lines"), ""))
		})
		present, versions := note.Draw(t, "present"), rapid.SliceOfN(note, 0, 5).Draw(t, "versions")
		all := newUnion(present)
		for _, before := range versions {
			all.add(before)
		}
		got := bytes.TrimPrefix(bytes.TrimPrefix(all.note, present), []byte("\n"))
		if want := lostByEach(present, versions); !bytes.Equal(got, want) {
			t.Fatalf("%q of %q: %q, want %q", present, versions, got, want)
		}
	})
}

// A note that thousands of commits have replaced is compared with each version once.
func TestRemovedOfManyVersions(t *testing.T) {
	t.Parallel()
	const n = 4000
	dir := t.TempDir()
	env := gittest.Env(t, dir, "")
	var in strings.Builder
	object := strings.Repeat("a", 40)
	for i := range n {
		line := fmt.Sprintf("line %d\n", i)
		fmt.Fprintf(&in, "commit %s\ncommitter A <a@example.com> %d +0000\ndata 1\nm\nM 100644 inline %s\ndata %d\n%s\n",
			git.NotesRef, 1_800_000_000+i, object, len(line), line)
	}
	for _, args := range [][]string{{"init", "-q", "."}, {"fast-import", "--quiet"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(in.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args[0], err, out)
		}
	}
	repo, err := git.Open(t.Context(), git.Options{Dir: dir, Env: env, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	tip, err := repo.Ref(t.Context(), git.NotesRef)
	if err != nil {
		t.Fatal(err)
	}
	lost, err := Removed(t.Context(), repo, tip, "")
	if err != nil || Lines(lost[git.ID(object)]) != n-1 {
		t.Errorf("%d lines, %v", Lines(lost[git.ID(object)]), err)
	}
}
