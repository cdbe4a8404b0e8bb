package fail

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// isCodes reports whether a file of this package lists codes.
func isCodes(name string) bool {
	return strings.HasPrefix(name, "codes") && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// codes parses the files that list codes.
func codes(t *testing.T) []*ast.File {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, e := range entries {
		if !isCodes(e.Name()) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// sources parses every file of the program but those that list codes; tests may spell a code.
func sources(t *testing.T, fset *token.FileSet) []*ast.File {
	t.Helper()
	var files []*ast.File
	for _, root := range []string{"..", "../../cmd", "../../hooks", "../../notes", "../../render"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				filepath.ToSlash(filepath.Dir(path)) == "../fail" && isCodes(filepath.Base(path)) {
				return err
			}
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			files = append(files, file)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// Each code is named once, in codes*.go, with the sentence that the manual prints.
func TestCodesHaveSentences(t *testing.T) {
	t.Parallel()
	names := map[string]string{}
	for _, file := range codes(t) {
		for _, decl := range file.Decls {
			block := decl.(*ast.GenDecl)
			if !regexp.MustCompile(`^Errors of [a-z' ]+\.\n$`).MatchString(block.Doc.Text()) {
				t.Errorf("a block begins with %q", block.Doc.Text())
			}
			for _, spec := range block.Specs {
				hasSentence(t, spec.(*ast.ValueSpec), names)
			}
		}
	}
	if len(names) < 100 {
		t.Errorf("%d codes", len(names))
	}
}

// hasSentence checks a code and its sentence, and adds the code to names.
func hasSentence(t *testing.T, code *ast.ValueSpec, names map[string]string) {
	t.Helper()
	name, value := code.Names[0].Name, code.Values[0].(*ast.BasicLit).Value
	text := strings.Join(strings.Fields(code.Doc.Text()), " ")
	if !strings.HasPrefix(text, name+" is returned when ") || !strings.HasSuffix(text, ".") {
		t.Errorf("%s has the sentence %q", name, text)
	}
	if !regexp.MustCompile(`^"[a-z]+(-[a-z]+)*"$`).MatchString(value) {
		t.Errorf("%s is %s", name, value)
	}
	if other, ok := names[value]; ok {
		t.Errorf("%s and %s are both %s", name, other, value)
	}
	names[value] = name
}

// Every code is used, and none is spelled where an error is made.
func TestCodesAreConstants(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	used := map[string]bool{}
	made := 0
	for _, file := range sources(t, fset) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if selects(n, "fail") {
					used[n.Sel.Name] = true
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && selects(f, "fail") && f.Sel.Name == "New" {
					made++
					notSpelled(t, fset, n.Args[1])
				}
			case *ast.CompositeLit:
				if f, ok := n.Type.(*ast.SelectorExpr); ok && selects(f, "fail") && f.Sel.Name == "Error" {
					made++
					notSpelled(t, fset, codeOf(n))
				}
			case *ast.BinaryExpr:
				for _, side := range [][2]ast.Expr{{n.X, n.Y}, {n.Y, n.X}} {
					if f, ok := side[0].(*ast.SelectorExpr); ok && f.Sel.Name == "Code" {
						notSpelled(t, fset, side[1])
					}
				}
			}
			return true
		})
	}
	if made < 150 {
		t.Errorf("%d errors are made in the program", made)
	}
	for _, file := range codes(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			if code, ok := n.(*ast.ValueSpec); ok && !used[code.Names[0].Name] {
				t.Errorf("%s is not used", code.Names[0].Name)
			}
			return true
		})
	}
}

// selects reports whether an expression is a name of the package.
func selects(e *ast.SelectorExpr, pkg string) bool {
	id, ok := e.X.(*ast.Ident)
	return ok && id.Name == pkg
}

// codeOf returns the value of the field Code; nil without one.
func codeOf(lit *ast.CompositeLit) ast.Expr {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Code" {
				return kv.Value
			}
		}
	}
	return nil
}

// notSpelled reports a code that contains a string literal.
func notSpelled(t *testing.T, fset *token.FileSet, code ast.Expr) {
	t.Helper()
	if code == nil {
		return
	}
	ast.Inspect(code, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && lit.Value != `""` {
			t.Errorf("%s: the code %s belongs in refs/fail/codes*.go", fset.Position(lit.Pos()), lit.Value)
		}
		return true
	})
}
