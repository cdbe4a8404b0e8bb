package detect

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// What is found in a project's files fits into a document: short lines, and never the
// value of a variable.
func FuzzManifests(f *testing.F) {
	f.Add([]byte("module m\n\ngo 1.26\n\nrequire (\n\ta.example/b v1.2.3\n\tc v0 // indirect\n)\n"))
	f.Add([]byte(`{"dependencies":{"a":"^1","b\n":"\u001b[31m"},"devDependencies":null,"engines":{"node":">=20"}}`))
	f.Add([]byte("[project]\ndependencies = [\"a>=1\", \"b\"]\n[tool.poetry.dependencies]\nc = {version = \"1\"}\nd = 3\n"))
	f.Add([]byte("[dependencies]\na = \"1\"\n[dependencies.b]\nversion = \"2\"\n"))
	f.Add([]byte("a==1 # c\n-r other.txt\n\nb\n"))
	f.Add([]byte("export KEY=secret\n BAD KEY=x\n=y\nA"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var found []string
		for _, read := range []func([]byte) ([]string, error){goModules, nodePackages, pythonProject, rustCrates, pythonRequirements} {
			if list, err := read(data); err == nil {
				found = append(found, list...)
			}
		}
		found = append(found, nodeEngine(data), firstLine(data))
		for _, text := range found {
			if utf8.RuneCountInString(text) > 200 && !strings.Contains(string(data), text) || strings.Contains(text, "\n") {
				t.Errorf("%q", text)
			}
		}
		_ = goVersion(data)
		for line := range strings.Lines(string(data)) {
			if name := envName(line); strings.ContainsAny(name, "= \n") || !strings.Contains(line, name) {
				t.Errorf("%q names %q", line, name)
			}
		}
	})
}
