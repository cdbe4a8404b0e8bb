package test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers says what each package may import of this module. Imports point down
// only, and siblings never import each other.
var layers = map[string][]string{
	"cmd/git-context":         {"cmd"},
	"cmd/git-context-mcp":     {"cmd/mcp"},
	"cmd/git-context-web":     {"cmd/web"},
	"cmd/manual":              {"cmd"},
	"cmd/mcp":                 {"cmd", "refs/search", "refs/merge", "refs/store", "refs/fail", "refs/doc"},
	"cmd/web":                 {"cmd", "render/page", "render/graph", "render", "refs", "refs/code", "refs/merge", "refs/search", "refs/history", "refs/store", "refs/fail", "refs/git"},
	"cmd":                     {"cmd/child", "cmd/complete", "render/graph", "render", "refs", "refs/fsck", "refs/maintain", "refs/undo", "refs/githook", "refs/deinit", "refs/share", "refs/lift", "refs/loss", "refs/code", "refs/expunge", "refs/merge", "refs/search", "refs/search/across", "cmd/transcript", "refs/folder", "refs/history", "refs/remote", "refs/store", "refs/fail", "refs/git", "refs/git/disk", "refs/git/process", "hooks", "hooks/settings", "hooks/agent", "hooks/sessions", "hooks/capture", "hooks/payload", "refs/prose", "refs/doc"},
	"cmd/child":               {"hooks/agent"},
	"cmd/complete":            {"hooks/settings", "render", "refs", "refs/merge", "refs/history", "refs/doc", "refs/peer"},
	"internal/example":        {"internal/gittest", "refs", "refs/share", "refs/store"},
	"refs/internal/memtest":   {"refs", "refs/fsck", "refs/share", "refs/expunge", "refs/merge", "refs/history", "refs/store", "refs/fail", "refs/git", "refs/doc", "internal/gittest"},
	"render/page":             {"render/graph", "render", "refs/search", "refs/history", "refs/store", "refs/git", "refs/doc", "refs/prose"},
	"render/graph":            {"render", "refs/history", "refs/git", "refs/prose"},
	"render":                  {"refs", "refs/fsck", "refs/maintain", "refs/code", "refs/expunge", "refs/search", "refs/search/across", "refs/history", "refs/remote", "refs/store", "notes", "refs/fail", "refs/git", "refs/doc", "refs/prose"},
	"refs":                    {"refs/share", "refs/code", "refs/expunge", "refs/remote", "refs/store"},
	"refs/fsck":               {"refs/remake", "refs/maintain", "refs/githook", "refs/share", "refs/loss", "refs/code", "refs/expunge", "refs/merge", "refs/folder", "refs/history", "refs/incoming", "refs/remote", "refs/store", "notes", "refs/cache", "refs/fail", "refs/git/pack", "refs/journal", "refs/git", "refs/doc", "refs/prose"},
	"refs/maintain":           {"refs/code", "refs/expunge", "refs/search", "refs/store", "refs/fail", "refs/git/pack", "refs/journal", "refs/git", "refs/doc", "refs/index", "refs/prose"},
	"refs/undo":               {"refs/code", "refs/remote", "refs/store", "notes", "refs/fail", "refs/git"},
	"refs/githook":            {"refs/share", "refs/code", "refs/remote", "refs/store", "refs/fail", "refs/git", "refs/prose"},
	"refs/deinit":             {"refs/expunge", "refs/remote", "refs/store", "notes", "refs/fail", "refs/git", "refs/fault", "refs/prose"},
	"refs/share":              {"refs/lift", "refs/replica", "refs/remake", "refs/loss", "refs/expunge", "refs/merge", "refs/incoming", "refs/remote", "refs/store", "notes", "refs/fail", "refs/git/pack", "refs/git", "refs/doc", "refs/fault", "refs/prose"},
	"refs/lift":               {"refs/replica", "refs/expunge", "refs/merge", "refs/incoming", "refs/remote", "refs/store", "refs/fail", "refs/git", "refs/doc", "refs/prose"},
	"refs/replica":            {"refs/expunge", "refs/merge", "refs/store", "refs/git", "refs/doc", "refs/prose"},
	"refs/remake":             {"refs/expunge", "refs/incoming", "refs/store", "notes", "refs/fail", "refs/journal", "refs/git", "refs/doc"},
	"refs/loss":               {"refs/expunge", "refs/merge", "refs/incoming", "refs/store", "refs/fail", "refs/git", "refs/doc", "refs/prose"},
	"refs/code":               {"refs/history", "refs/store", "notes", "refs/cache", "refs/fail", "refs/git", "refs/doc", "refs/fault", "refs/prose"},
	"refs/expunge":            {"refs/incoming", "refs/remote", "refs/store", "notes", "refs/cache", "refs/fail", "refs/git/pack", "refs/journal", "refs/git", "refs/doc", "refs/fault", "refs/prose"},
	"refs/merge":              {"refs/history", "refs/store", "refs/fail", "refs/git", "refs/doc", "refs/index", "refs/prose"},
	"refs/search/across":      {"refs/search", "refs/store", "notes", "refs/fail", "refs/git", "refs/index", "refs/prose"},
	"refs/search":             {"refs/history", "refs/store", "notes", "refs/cache", "refs/fail", "refs/git", "refs/doc", "refs/index", "refs/prose"},
	"cmd/transcript":          {"hooks/sessions", "hooks/aider", "hooks/copilot", "hooks/qwen", "hooks/settings", "hooks/zst", "refs/store", "refs/git", "hooks/claudecode", "hooks/codex", "hooks/cursor", "hooks/gemini", "hooks/opencode", "hooks/pi", "hooks/spool", "hooks/capture", "hooks/agent", "refs/prose"},
	"hooks/sessions":          {"refs/code", "refs/store", "notes", "refs/fail", "refs/git", "refs/doc", "hooks/capture", "hooks/agent", "refs/prose"},
	"hooks/capture":           {"refs/code", "refs/expunge", "hooks/zst", "refs/store", "refs/fail", "refs/git", "refs/doc", "hooks/spool", "hooks/agent", "refs/prose"},
	"refs/folder":             {"refs/store", "refs/detect", "refs/fail", "refs/git", "refs/doc", "refs/peer", "refs/fault", "refs/prose"},
	"refs/history":            {"refs/store", "notes", "refs/cache", "refs/fail", "refs/git", "refs/doc", "refs/prose"},
	"refs/incoming":           {"refs/store", "notes", "refs/fail", "refs/git", "refs/doc"},
	"refs/internal/unwired":   {"refs/store", "refs/git"},
	"refs/remote":             {"refs/store", "refs/fail", "refs/git", "refs/doc", "refs/prose"},
	"refs/store":              {"notes", "refs/cache", "refs/detect", "refs/fail", "refs/journal", "refs/git", "refs/doc", "refs/fault", "refs/prose", "refs/redact"},
	"notes":                   {"refs/git", "refs/prose"},
	"refs/cache":              {"refs/git"},
	"refs/detect":             {"refs/git", "refs/doc", "refs/prose"},
	"refs/fail":               {"refs/git"},
	"refs/git/pack":           {"refs/git", "refs/git/disk", "refs/fault"},
	"refs/journal":            {"refs/git", "refs/fault"},
	"refs/git":                {"refs/git/process", "refs/git/disk", "refs/fault", "refs/prose"},
	"refs/git/process":        {"refs/git/disk"},
	"hooks":                   {"refs/fault", "refs/prose"},
	"hooks/claudecode":        {"hooks/agent"},
	"hooks/codex":             {"hooks/agent"},
	"hooks/copilot":           {"hooks/agent"},
	"hooks/gemini":            {"hooks/agent"},
	"hooks/cursor":            {"hooks/agent"},
	"hooks/opencode":          {"hooks/agent"},
	"hooks/spool":             {"hooks/agent"},
	"hooks/pi":                {"hooks/agent"},
	"hooks/aider":             {"hooks/agent"},
	"hooks/qwen":              {"hooks/gemini", "hooks/agent"},
	"hooks/internal/golden":   {"hooks/agent"},
	"hooks/agent":             {"refs/prose", "refs/redact"},
	"hooks/payload":           {},
	"hooks/settings":          {"refs/git/disk"},
	"hooks/zst":               {},
	"refs/doc":                {"refs/prose"},
	"refs/git/disk":           {"refs/fault"},
	"refs/peer":               {"refs/prose"},
	"internal/dist":           {}, // a module of its own, which go list does not show here
	"internal/gittest":        {},
	"refs/fault":              {},
	"refs/index":              {},
	"refs/internal/statetest": {},
	"refs/prose":              {},
	"refs/redact":             {},
	"test/bench":              {"refs", "refs/redact", "refs/store"},
	"test/scale":              {"refs", "refs/store"},
	"test":                    {},
	"test/bench/floor":        {},
	"test/bench/folder":       {},
	"test/resume":             {},
	"test/gogit":              {},
	"test/agents":             {},
	"test/browser":            {}, // a module of its own
	"test/agents/model":       {},
}

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	const module = "github.com/git-context/git-context/"
	for _, f := range list(t, `{{.ImportPath}} {{join .Imports " "}}`) {
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

// Tests that start processes link internal/gittest, which chooses their git; but for those that
// start other programs only.
func TestEachTestTakesTheNamedGit(t *testing.T) {
	t.Parallel()
	const module = "github.com/git-context/git-context/"
	others := []string{"cmd/child", "cmd/transcript", "hooks", "hooks/settings", "refs/git/process", "test/scale"}
	links := map[string]bool{}
	for _, f := range list(t, `{{.ImportPath}} {{join .Deps " "}}`, "-test") {
		if pkg, isTest := strings.CutSuffix(f[0], ".test"); isTest {
			links[pkg] = slices.Contains(f, module+"internal/gittest")
		}
	}
	if !links[module+"refs/git"] {
		t.Fatalf("go list does not show what tests link: %v", links)
	}
	for _, f := range list(t, `{{.ImportPath}} {{join .Imports " "}} {{join .TestImports " "}} {{join .XTestImports " "}}`) {
		pkg := strings.TrimPrefix(f[0], module)
		linked, hasTests := links[f[0]]
		if hasTests && !linked && slices.Contains(f, "os/exec") && !slices.Contains(others, pkg) {
			t.Errorf("the tests of %s do not link internal/gittest", pkg)
		}
	}
}

// list returns what go list prints of each package of this module, as words.
func list(t *testing.T, format string, options ...string) [][]string {
	t.Helper()
	args := append(append([]string{"list", "-f", format}, options...), "github.com/git-context/git-context/...")
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.Lines(string(out)) {
		lines = append(lines, strings.Fields(line))
	}
	return lines
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
		if opensRepositories(path) || path == "net/http" || path == "testing" || strings.HasPrefix(path, "github.com/modelcontextprotocol/") {
			t.Errorf("the command depends on %s", path)
		}
	}
	out, err = exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`,
		"../notes", "../refs/...", "../render").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if strings.HasSuffix(f[0], "/refs/git") || strings.HasSuffix(f[0], "/refs/git/process") || strings.Contains(f[0], "/internal/") {
			continue
		}
		if contains(f[1:], "os/exec") {
			t.Errorf("%s runs processes", f[0])
		}
	}
}

// opensRepositories reports whether a package is one of go-git's above its formats.
func opensRepositories(path string) bool {
	rest, ok := strings.CutPrefix(path, "github.com/go-git/go-git/v5")
	return ok && (rest == "" || rest == "/plumbing/object" || strings.HasPrefix(rest, "/storage"))
}

// go-git opens repositories in the tests of test/gogit alone, where it only reads.
func TestGoGitOnlyReadsInTests(t *testing.T) {
	t.Parallel()
	format := `{{.ImportPath}} {{join .Imports " "}} | {{join .TestImports " "}} {{join .XTestImports " "}}`
	out, err := exec.Command("go", "list", "-f", format, "github.com/git-context/git-context/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	used := false
	for line := range strings.Lines(string(out)) {
		code, tests, _ := strings.Cut(line, "|")
		f := strings.Fields(code)
		reads := strings.HasSuffix(f[0], "/test/gogit")
		for _, path := range strings.Fields(tests) {
			used = used || reads && opensRepositories(path)
			if !reads && opensRepositories(path) {
				t.Errorf("the tests of %s import %s", f[0], path)
			}
		}
		for _, path := range f[1:] {
			if opensRepositories(path) {
				t.Errorf("%s imports %s", f[0], path)
			}
		}
	}
	if !used {
		t.Error("nothing was found that imports go-git: what is looked for is not its name")
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
