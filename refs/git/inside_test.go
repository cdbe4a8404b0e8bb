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
	s.git("", "init", "-q", "r")
	s.git("", "init", "-q", "--bare", "bare")
	top := s.path("r")
	s.write("r/sub/deep/g.go", "1")
	s.write("r/top.go", "1")
	s.write("beside.go", "1")
	links := map[string]string{"link": "r", "r/loop": ".", "elsewhere": "r/sub"}
	for name, target := range links {
		if err := os.Symlink(target, s.path(name)); err != nil {
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
		{"r/sub", s.path("r", "top.go"), "top.go"},
		{"r", s.path("r"), "."},
		{"r", s.path("r") + "/sub/../none", "none"},
		{"r", s.path("link", "sub", "g.go"), "sub/g.go"},
		{"r", s.path("link"), "."},
		{"r", s.path("r2"), ""},
		{"r", s.path("beside.go"), ""},
		{"r", "/etc/passwd", ""},
		{"r", "/", ""},
		{"bare", "a/./b", "a/b"},
		{"bare", "../a", ""},
		{"bare", s.path("bare", "a"), ""},
	} {
		got, ok := s.open(c.dir).Inside(filepath.FromSlash(c.name))
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.dir, c.name, got, c.want)
		}
	}
	for _, env := range []string{"GIT_WORK_TREE=" + top, "GIT_WORK_TREE=" + s.path("link")} {
		r := s.open("", "GIT_DIR="+s.path("r", ".git"), env)
		if got, ok := r.Inside("sub/g.go"); !ok || got != "sub/g.go" {
			t.Errorf("outside of the worktree: %q %v", got, ok)
		}
		if got, ok := r.Inside(s.path("link", "top.go")); !ok || got != "top.go" {
			t.Errorf("outside of the worktree: %q %v", got, ok)
		}
	}
}
