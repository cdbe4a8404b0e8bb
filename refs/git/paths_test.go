package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.git("", "init", "-q", "r")
	for name, text := range map[string]string{"top": "1", "dir/file": "2", "dir/deep/er": "3", "with space/a b": "4"} {
		path := filepath.Join(s.dir, "r", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s.git("r", "add", ".")
	s.git("r", "commit", "-q", "-m", "files")
	r := s.open("r")
	head := ID(s.git("r", "rev-parse", "HEAD"))
	there := []string{"top", "dir", "dir/file", "dir/deep", "dir/deep/er", "with space/a b"}
	var ask []CommitPath
	for _, p := range append([]string{"", ".", "/top", "../top", "dir/", "dir//file", "dir/none", "none/file", "top/file", "a\nb", "a\nb/c", "a\x00b", ":(top)top"}, there...) {
		ask = append(ask, CommitPath{head, p})
	}
	gone := ID(strings.Repeat("ab", 20))
	ask = append(ask, CommitPath{gone, "top"}, CommitPath{gone, "dir/file"})
	got, err := r.Paths(t.Context(), ask)
	if err != nil || len(got) != len(there) {
		t.Errorf("%v %v", got, err)
	}
	for _, p := range there {
		e := got[CommitPath{head, p}]
		if want := s.git("r", "rev-parse", "HEAD:"+p); string(e.ID) != want || e.IsTree() != (p == "dir" || p == "dir/deep") {
			t.Errorf("%s: %v, want %s", p, e, want)
		}
	}
	if got, err := r.Paths(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %v %v", got, err)
	}
	if _, err := r.Paths(t.Context(), []CommitPath{{"HEAD", "top"}}); err == nil {
		t.Error("a revision passed for an id")
	}
	// Only trees are read: a blob that is not here is found all the same.
	blob := s.git("r", "rev-parse", "HEAD:dir/file")
	if err := os.Remove(filepath.Join(s.dir, "r/.git/objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	if got, err := s.open("r").Paths(t.Context(), []CommitPath{{head, "dir/file"}}); err != nil || len(got) != 1 {
		t.Errorf("without the blob: %v %v", got, err)
	}
}
