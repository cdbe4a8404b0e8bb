package detect

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/prose"
	"github.com/pelletier/go-toml/v2"
	"golang.org/x/mod/modfile"
)

// manifests are the files in which people declare what the code depends on. parse returns
// lines "name version", in the order of the file or sorted.
var manifests = []struct {
	file  string
	parse func([]byte) ([]string, error)
}{
	{"go.mod", goModules},
	{"package.json", nodePackages},
	{"pyproject.toml", pythonProject},
	{"Cargo.toml", rustCrates},
	{"requirements.txt", pythonRequirements},
}

// versionFiles declare which version of a tool the code requires.
var versionFiles = []struct {
	file, key string
	parse     func([]byte) string
}{
	{"go.mod", "go", goVersion},
	{"package.json", "node", nodeEngine},
	{".nvmrc", "node", firstLine},
	{".node-version", "node", firstLine},
	{".python-version", "python", firstLine},
	{".ruby-version", "ruby", firstLine},
	{"rust-toolchain", "rust", firstLine},
}

func goModules(data []byte) ([]string, error) {
	f, err := modfile.ParseLax("go.mod", data, nil)
	if err != nil {
		return nil, err
	}
	var deps []string
	for _, r := range f.Require {
		if !r.Indirect {
			deps = append(deps, r.Mod.Path+" "+r.Mod.Version)
		}
	}
	return deps, nil
}

func goVersion(data []byte) string {
	f, err := modfile.ParseLax("go.mod", data, nil)
	if err != nil || f.Go == nil {
		return ""
	}
	return f.Go.Version
}

func nodePackages(data []byte) ([]string, error) {
	var p struct {
		Dependencies    map[string]string `json:"dependencies"`
		DevDependencies map[string]string `json:"devDependencies"`
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	var deps []string
	for _, m := range []map[string]string{p.Dependencies, p.DevDependencies} {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			deps = append(deps, dependency(name, m[name]))
		}
	}
	return deps, nil
}

func nodeEngine(data []byte) string {
	var p struct {
		Engines map[string]string `json:"engines"`
	}
	if json.Unmarshal(data, &p) != nil {
		return ""
	}
	return prose.OneLine(p.Engines["node"], 100)
}

func pythonProject(data []byte) ([]string, error) {
	var p struct {
		Project struct {
			Dependencies []string `toml:"dependencies"`
		} `toml:"project"`
		Tool struct {
			Poetry struct {
				Dependencies map[string]any `toml:"dependencies"`
			} `toml:"poetry"`
		} `toml:"tool"`
	}
	if err := toml.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	var deps []string
	for _, d := range p.Project.Dependencies {
		deps = append(deps, prose.OneLine(d, 200))
	}
	return append(deps, tomlDependencies(p.Tool.Poetry.Dependencies)...), nil
}

func rustCrates(data []byte) ([]string, error) {
	var p struct {
		Dependencies map[string]any `toml:"dependencies"`
	}
	err := toml.Unmarshal(data, &p)
	return tomlDependencies(p.Dependencies), err
}

// tomlDependencies reads `name = "version"` and `name = { version = "…" }`.
func tomlDependencies(m map[string]any) []string {
	var deps []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		version, _ := m[name].(string)
		if table, ok := m[name].(map[string]any); ok {
			version, _ = table["version"].(string)
		}
		deps = append(deps, dependency(name, version))
	}
	return deps
}

func pythonRequirements(data []byte) ([]string, error) {
	var deps []string
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		if line = prose.OneLine(line, 200); line != "" && !strings.HasPrefix(line, "-") {
			deps = append(deps, line)
		}
	}
	return deps, nil
}

func dependency(name, version string) string {
	return prose.OneLine(strings.TrimSpace(name+" "+version), 200)
}

func firstLine(data []byte) string {
	line, _, _ := strings.Cut(string(data), "\n")
	return prose.OneLine(line, 100)
}
