package transcript

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Claude Code keeps sessions in one of two directories, or where the environment says.
func TestAllOfClaudeCode(t *testing.T) {
	home := t.TempDir()
	write := func(name string) {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(".claude/projects/p/a.jsonl")
	write(".config/claude/projects/p/b.jsonl")
	write("moved/projects/p/c.jsonl")
	write("xdg/claude/projects/p/d.jsonl")
	env := map[string]string{"HOME": home, "USERPROFILE": home}
	found := func() (names []string) {
		files, err := All(t.Context(), "claude-code", Places{Getenv: func(key string) string { return env[key] }})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			names = append(names, filepath.Base(f.Path))
		}
		return names
	}
	check := func(want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, found()); diff != "" {
			t.Error(diff)
		}
	}
	check("a.jsonl", "b.jsonl")
	env["XDG_CONFIG_HOME"] = filepath.Join(home, "xdg")
	check("a.jsonl", "d.jsonl")
	delete(env, "XDG_CONFIG_HOME")
	env["CLAUDE_CONFIG_DIR"] = filepath.Join(home, "moved")
	check("c.jsonl")

	// Two names of one directory are one.
	delete(env, "CLAUDE_CONFIG_DIR")
	if err := os.RemoveAll(filepath.Join(home, ".config", "claude")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(home, ".claude"), filepath.Join(home, ".config", "claude")); err != nil {
		t.Skip(err)
	}
	check("a.jsonl")
}

func TestDashed(t *testing.T) {
	for path, want := range map[string]string{"/home/ann/my.app": "home-ann-my-app", "home-ann-my-app": "home-ann-my-app", "/": ""} {
		if got := dashed(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}
