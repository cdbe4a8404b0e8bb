package git

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

func TestPaths(t *testing.T) {
	gittest.NeedSHA1(t)
	t.Parallel()
	s := newSandbox(t)
	s.Git("", "init", "-q", "r")
	for name, text := range map[string]string{"top": "1", "dir/file": "2", "dir/deep/er": "3", "with space/a b": "4"} {
		path := filepath.Join(s.Dir, "r", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s.Git("r", "add", ".")
	s.Git("r", "commit", "-q", "-m", "files")
	checkPaths(t, s)
	s.Git("r", "repack", "-q", "-a", "-d")
	checkPaths(t, s)
	s.Write("r/top", "5") // the root is a loose object, what stands below it is packed
	s.Git("r", "commit", "-q", "-a", "-m", "more")
	checkPaths(t, s)
	r := s.open("r")
	head := ID(s.Git("r", "rev-parse", "HEAD"))
	if got, err := r.Paths(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %v %v", got, err)
	}
	if _, err := r.Paths(t.Context(), []CommitPath{{"HEAD", "top"}}); err == nil {
		t.Error("a revision passed for an id")
	}
	// Only trees are read: a blob that is not here is found all the same.
	blob := s.Git("r", "rev-parse", "HEAD:top")
	if err := os.Remove(filepath.Join(s.Dir, "r/.git/objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	if got, err := s.open("r").Paths(t.Context(), []CommitPath{{head, "top"}}); err != nil || len(got) != 1 {
		t.Errorf("without the blob: %v %v", got, err)
	}
}

// A path below a tree that is not here is neither found nor absent.
func TestPathsWithoutTree(t *testing.T) {
	gittest.NeedSHA1(t)
	t.Parallel()
	s := newSandbox(t)
	s.Git("", "init", "-q", "r")
	if err := os.MkdirAll(filepath.Join(s.Dir, "r", "dir", "deep"), 0o777); err != nil {
		t.Fatal(err)
	}
	s.Write("r/top", "1")
	s.Write("r/dir/deep/er", "2")
	s.Git("r", "add", ".")
	s.Git("r", "commit", "-q", "-m", "files")
	head, tree := ID(s.Git("r", "rev-parse", "HEAD")), s.Git("r", "rev-parse", "HEAD:dir")
	if err := os.Remove(filepath.Join(s.Dir, "r/.git/objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	ask := []CommitPath{{head, "."}, {head, "top"}, {head, "dir"}, {head, "dir/deep"}, {head, "dir/deep/er"}, {head, "none/x"}}
	var gone []CommitPath
	for i := range looseTrees {
		gone = append(gone, CommitPath{ID(fmt.Sprintf("%040x", i+1)), "top"})
	}
	for _, more := range [][]CommitPath{ask, slices.Concat(gone, ask)} {
		got, err := s.open("r").Paths(t.Context(), more)
		if err != nil || len(got) != 5 {
			t.Fatalf("%v %v", got, err)
		}
		for p, e := range got {
			if known := p.Path != "dir/deep" && p.Path != "dir/deep/er"; known != (e.ID != "") {
				t.Errorf("%s: %v", p.Path, e)
			}
		}
	}
}

// checkPaths compares what Paths finds in HEAD, and not in other objects, with what git says.
func checkPaths(t *testing.T, s *sandbox) {
	t.Helper()
	r := s.open("r")
	head := ID(s.Git("r", "rev-parse", "HEAD"))
	there := []string{".", "top", "dir", "dir/file", "dir/deep", "dir/deep/er", "with space/a b"}
	var ask []CommitPath
	for _, p := range append([]string{"", "/top", "../top", "dir/", "dir//file", "dir/none", "none/file", "none/deep/er", "top/file", "a\nb", "a\nb/c", "a\x00b", ":(top)top"}, there...) {
		ask = append(ask, CommitPath{head, p})
	}
	for _, id := range []string{strings.Repeat("ab", 20), s.Git("r", "rev-parse", "HEAD^{tree}"), s.Git("r", "rev-parse", "HEAD:top")} {
		ask = append(ask, CommitPath{ID(id), "."}, CommitPath{ID(id), "top"}, CommitPath{ID(id), "dir/file"})
	}
	var gone []CommitPath // so many that what follows is not read in process
	for i := range looseTrees {
		gone = append(gone, CommitPath{ID(fmt.Sprintf("%040x", i+1)), "top"})
	}
	for _, more := range [][]CommitPath{ask, slices.Concat(gone, ask)} {
		got, err := r.Paths(t.Context(), more)
		if err != nil || len(got) != len(there) {
			t.Errorf("%v %v", got, err)
		}
		for _, p := range there {
			e := got[CommitPath{head, p}]
			want := s.Git("r", "rev-parse", "HEAD:"+strings.TrimPrefix(p, "."))
			if string(e.ID) != want || e.IsTree() != (p == "." || p == "dir" || p == "dir/deep") {
				t.Errorf("%s: %v, want %s", p, e, want)
			}
		}
	}
}
