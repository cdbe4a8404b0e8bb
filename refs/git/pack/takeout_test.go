package pack

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/git"
)

// newDamaged makes a repository with one pack and changes two bytes of an object in it, at an offset. It returns the pack.
func newDamaged(t *testing.T, at int) (s *sandbox, r *git.Repo, path string, kept []git.ID, damaged git.ID) {
	t.Helper()
	s, r = newRepo(t)
	one := commit(t, r, strings.Repeat("one ", 50))
	two := commit(t, r, "two", one)
	set(t, r, "refs/heads/x", two, "")
	s.Git("r", "repack", "-adq")
	path = ok(filepath.Glob(s.Path("r", ".git", "objects", "pack", "*.pack")))(t)[0]
	damaged = git.ID(s.Git("r", "rev-parse", string(one)+":log.md"))
	for line := range strings.Lines(s.Git("r", "verify-pack", "-v", path)) {
		if f := strings.Fields(line); len(f) >= 5 && f[0] == string(damaged) {
			data := ok(os.ReadFile(path))(t)
			at += ok(strconv.Atoi(f[4]))(t)
			data[at], data[at+1] = 0xff, 0xff
			must(t, os.Chmod(path, 0o644))
			must(t, os.WriteFile(path, data, 0o644))
		}
	}
	return s, r, path, []git.ID{one, two}, damaged
}

// What can be read is in another pack, which is promised and kept as the old one was; that is still there under another name.
func TestTakeOut(t *testing.T) {
	for _, at := range []int{0, 6} {
		s, r, path, kept, id := newDamaged(t, at)
		base := strings.TrimSuffix(path, ".pack")
		must(t, os.WriteFile(base+".promisor", []byte("from"), 0o644))
		must(t, os.WriteFile(base+".keep", []byte("why"), 0o644))
		s.Git("r", "multi-pack-index", "write")
		was := ok(os.ReadFile(path))(t)
		if got := ok(Holding(r, id))(t); !slices.Equal(got, []string{path}) {
			t.Errorf("Holding = %v", got)
		}
		if got := ok(TakeOut(t.Context(), r, path))(t); !slices.Equal(got, []git.ID{id}) {
			t.Errorf("TakeOut = %v, want %s", got, id)
		}
		if got := ok(os.ReadFile(path + ".damaged"))(t); !slices.Equal(got, was) {
			t.Error("the old pack has changed")
		}
		packs := ok(filepath.Glob(filepath.Join(filepath.Dir(path), "*.pack")))(t)
		if len(packs) != 1 || packs[0] == path {
			t.Fatalf("packs: %v", packs)
		}
		for ext, want := range map[string]string{".promisor": "from", ".keep": "why"} {
			if got := string(ok(os.ReadFile(strings.TrimSuffix(packs[0], ".pack") + ext))(t)); got != want {
				t.Errorf("%s: %q", ext, got)
			}
		}
		for _, c := range kept {
			_ = ok(r.Commit(t.Context(), c))(t)
		}
		if _, err := r.Object(t.Context(), string(id)); !git.NotHere(err) {
			t.Errorf("of the damaged object: %v", err)
		}
		s.Git("r", "multi-pack-index", "verify")
		if damaged, err := TakeOut(t.Context(), r, packs[0]); len(damaged) > 0 || err != nil {
			t.Errorf("of a sound pack: %v, %v", damaged, err)
		}
	}
}

// Where packs must stay, nothing is moved.
func TestTakeOutPrecious(t *testing.T) {
	s, _, path, _, _ := newDamaged(t, 6)
	s.Git("r", "config", "core.repositoryFormatVersion", "1")
	s.Git("r", "config", "extensions.preciousObjects", "true")
	if _, err := TakeOut(t.Context(), s.open("r"), path); err == nil || !strings.Contains(err.Error(), "preciousObjects") {
		t.Errorf("error = %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
