package main

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// program is what the program's own files hold: no tests, no faults, no other programs.
func program(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	for _, root := range []string{"../../cmd", "../../hooks", "../../notes", "../../refs", "../../render"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && (d.Name() == "testdata" || d.Name() == "manual" || d.Name() == "fault") {
				return orSkip(err)
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			files[path], err = parser.ParseFile(token.NewFileSet(), path, nil, 0)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// orSkip is the error, or that a folder is none of the program.
func orSkip(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}

// literals are the strings of the program that match.
func literals(t *testing.T, files map[string]*ast.File, match string) map[string]bool {
	t.Helper()
	re := regexp.MustCompile(match)
	found := map[string]bool{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				text, err := strconv.Unquote(l.Value)
				if err != nil {
					t.Error(err)
				}
				for _, m := range re.FindAllStringSubmatch(text, -1) {
					found[m[1]] = true
				}
			}
			return true
		})
	}
	return found
}

// written are the titles of config.md or environment.md.
func written(t *testing.T, of func(*source) []section) map[string]section {
	t.Helper()
	s, err := read(texts, codes)
	if err != nil {
		t.Fatal(err)
	}
	titles := map[string]section{}
	for _, one := range of(s) {
		titles[one.title] = one
	}
	return titles
}

func compare(t *testing.T, what string, known, written map[string]bool) {
	t.Helper()
	for _, k := range slices.Sorted(maps.Keys(known)) {
		if !written[k] {
			t.Errorf("%s %s is not written of", what, k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(written)) {
		if !known[k] {
			t.Errorf("%s %s is not known to the program", what, k)
		}
	}
}

func keys(m map[string]section) map[string]bool {
	set := map[string]bool{}
	for k := range m {
		set[k] = true
	}
	return set
}

func TestSettingsAndVariables(t *testing.T) {
	t.Parallel()
	files := program(t)
	settings := written(t, func(s *source) []section { return s.config })
	known := literals(t, files, `^((?:context|advice)\.[A-Za-z]+(?:\.[A-Za-z]+)*)$`)
	for suffix := range literals(t, files, `^(\.mapping|\.branches|\.expunge|\.verify)$`) { // behind "context." and a remote's name
		known["context.<remote>"+suffix] = true
	}
	compare(t, "setting", known, keys(settings))
	compare(t, "variable", literals(t, files, `\b(GIT_CONTEXT_[A-Z]+)\b`), keys(written(t, func(s *source) []section { return s.env })))
	compareDefaults(t, files, settings)
}

// compareDefaults holds that the defaults are those of the code: constants called as
// their keys are, or what a switch is where it is not set.
func compareDefaults(t *testing.T, files map[string]*ast.File, settings map[string]section) {
	t.Helper()
	code := map[string]string{
		"context.notes":            "eager", // else "lazy" would have to be set to be so
		"context.<remote>.mapping": "refs",  // its constant is what it is else
		"context.<remote>.expunge": "ask",   // likewise
		"context.<remote>.verify":  "off",
		"context.defaultBranch":    "DefaultBranch",
		"context.fsync":            "", // core.fsync is
		"context.autoCommit":       "turn",
		"context.capture":          "full, or actions if context.push is true",
	}
	names, values := constants(files)
	switches := switchesOf(files)
	for key, s := range settings {
		said, _, _ := defaultOf(s.text)
		want, fixed := code[key]
		if value, ok := values[want]; ok {
			want = value
		}
		if strings.HasPrefix(key, "advice.") {
			want, fixed = "true", true // Env.advice gives the default for all of them
		}
		if !fixed {
			name := names[key]
			rest := strings.TrimPrefix(strings.TrimPrefix(name, "key"), "Key")
			want = cmp.Or(values["default"+rest], values["Default"+rest], switches[name])
		}
		if said != want {
			t.Errorf("%s: the default is %q, config.md says %q", key, want, said)
		}
	}
}

// constants are what each constant of the program is, and what those are called that
// are keys of settings.
func constants(files map[string]*ast.File) (names, values map[string]string) {
	names, values = map[string]string{}, map[string]string{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(spec.Values[0]))
			if err != nil || v.Value == nil { // it is made of others
				return true
			}
			text := v.Value.String() // of a number as it is written
			if v.Value.Kind() == constant.String {
				text = constant.StringVal(v.Value)
			}
			values[spec.Names[0].Name] = text
			if strings.HasPrefix(text, "context.") {
				names[text] = spec.Names[0].Name
			}
			return true
		})
	}
	return names, values
}

// switchesOf are the constants that are asked for as a switch, with what it is where it
// is not set.
func switchesOf(files map[string]*ast.File) map[string]string {
	found := map[string]string{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 2 {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Bool" {
				name := types.ExprString(call.Args[0])
				found[name[strings.LastIndex(name, ".")+1:]] = types.ExprString(call.Args[1]) // of whichever package
			}
			return true
		})
	}
	return found
}
