package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestStateFiles(t *testing.T) {
	s := newSandbox(t)
	s.Git("", "init", "-q", "--shared=group", "r")
	r := s.open("r")
	must(t, r.WriteStateFile("merge/main", []byte("one")))
	must(t, r.WriteStateFile("merge/main", []byte("two")))
	if got := string(ok(os.ReadFile(r.StateDir() + "/merge/main"))(t)); got != "two" {
		t.Errorf("got %q", got)
	}
	f := ok(r.OpenState("journal/main.jsonl", os.O_RDWR|os.O_APPEND|os.O_CREATE))(t)
	must(t, f.Close())
	f = ok(r.OpenState("journal/main.jsonl", os.O_RDWR))(t)
	must(t, f.Close())
	if _, err := r.OpenState("journal/none", os.O_RDWR); !os.IsNotExist(err) {
		t.Errorf("OpenState made a file: %v", err)
	}
	for path, want := range map[string]os.FileMode{"": os.ModeDir | os.ModeSetgid | 0o775, "merge": os.ModeDir | os.ModeSetgid | 0o775,
		"merge/main": 0o664, "journal/main.jsonl": 0o664} {
		if got := ok(os.Stat(filepath.Join(r.StateDir(), path)))(t).Mode(); got != want {
			t.Errorf("%q: mode %v, want %v", path, got, want)
		}
	}
	for _, name := range []string{"../x", "/x", "a/../../x", ""} {
		if err := r.WriteStateFile(name, nil); err == nil {
			t.Errorf("wrote %q", name)
		}
	}
	if left := ok(filepath.Glob(r.StateDir() + "/*/tmp_*"))(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if out := s.Git("r", "status", "--porcelain"); out != "" {
		t.Errorf("the worktree changed: %s", out)
	}
}

func TestFileName(t *testing.T) {
	for _, c := range []struct{ name, suffix, want string }{
		{"main", ".json", "main.json"},
		{"a/b/c.d-e", ".json", "a%2Fb%2Fc.d-e.json"},
		{"origin", "", "origin"},
		{strings.Repeat("x", 200), ".json", strings.Repeat("x", 200) + ".json"},
		{strings.Repeat("a/", 61) + "x", ".json", strings.Repeat("a%2F", 61) + "x.json"}, // the longest in full
		{strings.Repeat("a/", 61) + "xy", ".json", strings.Repeat("a%2F", 45) + "~" +
			"d4c35090dcbe4a994da2cdf648eaf67441f6c2ecc3c5f5fff5e68525d6bf3974.json"},
	} {
		if got := FileName(c.name, c.suffix); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Whatever the names, their files are different, and such as a file system takes.
func TestFileNameIsOneToOne(t *testing.T) {
	seen := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`([ab]/){0,99}[ab]`).Draw(t, "name")
		file := FileName(name, ".jsonl")
		if before, ok := seen[file]; ok && before != name {
			t.Fatalf("%s is the file of %s too", file, before)
		}
		seen[file] = name
		if len(file) > maxStateFile || strings.Contains(file, "/") || !strings.HasSuffix(file, ".jsonl") {
			t.Fatalf("%d bytes: %s", len(file), file)
		}
	})
}

func TestReadOnlyRepository(t *testing.T) {
	s, r := newRepo(t)
	id := commit(t, r, "one")
	set(t, r, BranchRef("main"), id, "")
	s.age("r/.git/config", "home/.gitconfig")
	must(t, os.RemoveAll(r.StateDir()))
	must(t, os.WriteFile(r.StateDir(), nil, 0o444)) // not even root can make state here
	again := s.open("r")
	if got := ok(again.Peel(t.Context(), BranchRef("main")))(t); got != id {
		t.Errorf("got %s", got)
	}
	_ = ok(again.Config(t.Context()))(t)
	_ = ok(again.Committer(t.Context()))(t)
	if err := again.WriteStateFile("x", nil); err == nil || !strings.Contains(err.Error(), r.StateDir()) {
		t.Errorf("WriteStateFile: %v", err)
	}
	if _, _, err := again.TryLock("x"); err == nil || !strings.Contains(err.Error(), "lock 'x'") {
		t.Errorf("TryLock: %v", err)
	}
}
