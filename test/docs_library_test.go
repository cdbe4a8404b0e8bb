//go:build unix

package test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every package that others may build on has an example that says what it prints. What
// works on a Store is in the examples of package refs.
func TestPackagesHaveExamples(t *testing.T) {
	t.Parallel()
	room := regexp.MustCompile(`"github.com/git-context/git-context/(refs/[a-z]+)"`)
	source := readPage(t, "../refs/example_test.go")
	shown := map[string]bool{}
	for _, m := range room.FindAllStringSubmatch(source, -1) {
		shown[m[1]] = true
	}
	for pkg := range layers {
		if strings.HasPrefix(pkg, "cmd") || strings.HasPrefix(pkg, "test") || strings.Contains("/"+pkg, "/internal/") || pkg == "refs/fault" {
			continue
		}
		var files []*ast.File
		for _, path := range exampleFiles(t, "../"+pkg) {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		examples := doc.Examples(files...)
		if len(examples) == 0 {
			t.Errorf("package %s has no example", pkg)
		}
		for _, e := range examples {
			if e.Output == "" {
				t.Errorf("Example%s of package %s prints nothing that is compared", e.Name, pkg)
			}
		}
	}
}

// What docs/library.md shows in Go is what an example runs, or whole lines of it.
func TestLibraryShowsExamples(t *testing.T) {
	t.Parallel()
	blocks := strings.Split(readPage(t, "../docs/library.md"), "\n```go\n")[1:]
	if len(blocks) < 10 {
		t.Errorf("only %d blocks were found", len(blocks))
	}
	bodies := exampleBodies(t)
	for _, block := range blocks {
		code, _, ok := strings.Cut(block, "\n```\n")
		if !ok {
			t.Fatalf("a block has no end:\n%s", block)
		}
		shown := false
		for _, body := range bodies {
			shown = shown || strings.Contains(body, "\n"+code+"\n")
		}
		if !shown {
			t.Errorf("no example does this:\n%s", code)
		}
	}
}

// exampleFiles are the files of examples in a directory: example_test.go and example_X_test.go.
func exampleFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(dir + "/example*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// exampleBodies are the lines of every example, without a tab before them, and what each
// file of examples imports.
func exampleBodies(t *testing.T) []string {
	t.Helper()
	var bodies []string
	for _, path := range append(exampleFiles(t, "../*"), exampleFiles(t, "../*/*")...) {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				imports := source[set.Position(g.Pos()).Offset:set.Position(g.End()).Offset]
				bodies = append(bodies, "\n"+string(imports)+"\n")
			}
			if f, ok := decl.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Example") {
				body := source[set.Position(f.Body.Lbrace).Offset+1 : set.Position(f.Body.Rbrace).Offset]
				bodies = append(bodies, strings.ReplaceAll(string(body), "\n\t", "\n"))
			}
		}
	}
	return bodies
}
