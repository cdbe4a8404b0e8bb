//go:build unix

package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The table of packages in CONTRIBUTING.md is the one that imports are held to; the
// programs below test/ have no row.
func TestContributingTellsLayers(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(readPage(t, "../CONTRIBUTING.md"), "\n| package | what is in it | may import |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	told := map[string][]string{}
	for line := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			t.Fatalf("not a row of three: %q", line)
		}
		told[strings.Trim(cells[1], " `")] = sortedCode(cells[3])
	}
	held := map[string][]string{}
	for pkg, imports := range layers {
		if !strings.HasPrefix(pkg, "test/") {
			held[pkg] = slices.Sorted(slices.Values(imports))
		}
	}
	if diff := cmp.Diff(held, told, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("imports_test.go (-) and CONTRIBUTING.md (+):\n%s", diff)
	}
}

// sortedCode are the words of a cell that stand in backquotes.
func sortedCode(cell string) (words []string) {
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		words = append(words, m[1])
	}
	slices.Sort(words)
	return words
}

// Every function that CONTRIBUTING.md leads to exists: `package.Function`, or
// `package.Type.Method`.
func TestContributingNamesFunctions(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(readPage(t, "../CONTRIBUTING.md"), "\n## Where do I find")
	text, _, _ = strings.Cut(text, "\n## Run\n")
	declared := map[string]map[string]bool{}
	for pkg := range layers {
		if !strings.HasPrefix(pkg, "test") {
			declared[path.Base(pkg)] = declarations(t, "../"+pkg)
		}
	}
	found := 0
	for _, word := range sortedCode(text) {
		pkg, name, ok := strings.Cut(word, ".")
		if !ok || declared[pkg] == nil || strings.ContainsAny(name, " (/") {
			continue
		}
		if found++; !declared[pkg][name] {
			t.Errorf("CONTRIBUTING.md names %s, which does not exist", word)
		}
	}
	if found < 50 {
		t.Errorf("only %d functions were found", found)
	}
}

// declarations are the functions, Type.Methods and types of the package in a directory.
func declarations(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				names[receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok {
						names[typ.Name.Name] = true
					}
				}
			}
		}
	}
	return names
}

// receiver is "Type." for a method, and "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	if pointer, ok := typ.(*ast.StarExpr); ok {
		typ = pointer.X
	}
	switch generic := typ.(type) {
	case *ast.IndexExpr:
		typ = generic.X
	case *ast.IndexListExpr:
		typ = generic.X
	}
	return typ.(*ast.Ident).Name + "."
}
