package git

import (
	"os"
	"path/filepath"
	"testing"
)

// A path is read from where one stands, as git reads it.
func TestInside(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Git("", "init", "-q", "r")
	s.Git("", "init", "-q", "--bare", "bare")
	top := s.Path("r")
	s.Write("r/sub/deep/g.go", "1")
	s.Write("r/top.go", "1")
	s.Write("beside.go", "1")
	links := map[string]string{"link": "r", "r/loop": ".", "elsewhere": "r/sub"}
	for name, target := range links {
		if err := os.Symlink(target, s.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ dir, name, want string }{ // "" is outside
		{"r", "top.go", "top.go"},
		{"r", "./sub//deep/", "sub/deep"},
		{"r", ".", "."},
		{"r", "..", ""},
		{"r", "../r/top.go", ""}, // git says so too: it does not look where the top stands
		{"r", "sub/../../out", ""},
		{"r", "..out", "..out"},
		{"r", "none/at all.go", "none/at all.go"},
		{"r", "", ""},
		{"r/sub", "g.go", "sub/g.go"},
		{"r/sub", ".", "sub"},
		{"r/sub", "..", "."},
		{"r/sub", "../top.go", "top.go"},
		{"r/sub", "../../beside.go", ""},
		{"r/sub/deep", "../../x", "x"},
		{"link/sub", "g.go", "sub/g.go"},
		{"elsewhere", "g.go", "sub/g.go"},
		{"elsewhere", "../top.go", "top.go"}, // from where one really stands
		{"r/sub", s.Path("r", "top.go"), "top.go"},
		{"r", s.Path("r"), "."},
		{"r", s.Path("r") + "/sub/../none", "none"},
		{"r", s.Path("link", "sub", "g.go"), "sub/g.go"},
		{"r", s.Path("link"), "."},
		{"r", s.Path("r2"), ""},
		{"r", s.Path("beside.go"), ""},
		{"r", "/etc/passwd", ""},
		{"r", "/", ""},
		{"bare", "a/./b", "a/b"},
		{"bare", "../a", ""},
		{"bare", s.Path("bare", "a"), ""},
	} {
		got, ok := s.open(c.dir).Inside(filepath.FromSlash(c.name))
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.dir, c.name, got, c.want)
		}
	}
	for _, env := range []string{"GIT_WORK_TREE=" + top, "GIT_WORK_TREE=" + s.Path("link")} {
		r := s.open("", "GIT_DIR="+s.Path("r", ".git"), env)
		if got, ok := r.Inside("sub/g.go"); !ok || got != "sub/g.go" {
			t.Errorf("outside of the worktree: %q %v", got, ok)
		}
		if got, ok := r.Inside(s.Path("link", "top.go")); !ok || got != "top.go" {
			t.Errorf("outside of the worktree: %q %v", got, ok)
		}
	}
}
