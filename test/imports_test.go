package test

import (
	"os/exec"
	"strings"
	"testing"
)

// layers says what each package may import of this module. Imports point down
// only, and siblings never import each other.
var layers = map[string][]string{
	"cmd/git-context":   {"cmd"},
	"cmd/manual":        {"cmd"},
	"cmd":               {"hooks", "render", "refs", "refs/doc", "refs/peer", "refs/git", "refs/git/process", "refs/fault"},
	"hooks":             {"refs/fault"},
	"render":            {"refs", "notes", "refs/doc", "refs/git"},
	"refs":              {"notes", "refs/doc", "refs/index", "refs/journal", "refs/peer", "refs/git/pack", "refs/git", "refs/fault"},
	"notes":             {"refs/git", "refs/fault"},
	"refs/doc":          {},
	"refs/fault":        {},
	"refs/index":        {},
	"refs/journal":      {"refs/git", "refs/fault"},
	"refs/peer":         {},
	"refs/git/pack":     {"refs/git", "refs/git/disk", "refs/fault"},
	"refs/git":          {"refs/git/disk", "refs/git/process", "refs/fault"},
	"refs/git/process":  {"refs/git/disk"},
	"refs/git/disk":     {"refs/fault"},
	"test/bench":        {"refs"},
	"test/bench/floor":  {},
	"test/bench/folder": {},
	"test/scale":        {"refs"},
	"test":              {},

	"refs/git/internal/gittest": {}, // of tests alone
}

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	const module = "github.com/git-context/git-context/"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		pkg := strings.TrimPrefix(f[0], module)
		allowed, ok := layers[pkg]
		if !ok {
			t.Errorf("package %s has no place among the layers", pkg)
		}
		for _, path := range f[1:] {
			below, ours := strings.CutPrefix(path, module)
			if !ours {
				continue
			}
			if !contains(allowed, below) {
				t.Errorf("%s imports %s", pkg, below)
			}
		}
	}
}

// Only refs/git runs git; the libraries that would write refs, configuration or
// packs in their own way stay out everywhere.
func TestForbiddenImports(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", "../cmd/git-context").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if path == "github.com/go-git/go-git/v5" || strings.HasPrefix(path, "github.com/go-git/go-git/v5/storage") ||
			path == "github.com/go-git/go-git/v5/plumbing/object" || path == "net/http" || path == "testing" {
			t.Errorf("the command depends on %s", path)
		}
	}
	out, err = exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`,
		"../notes", "../refs", "../refs/doc", "../refs/journal", "../render").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); contains(f[1:], "os/exec") {
			t.Errorf("%s runs processes", f[0])
		}
	}
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}
