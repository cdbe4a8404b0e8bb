package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// subject is what a block of codes is about.
type subject struct {
	title string
	codes []section // each code with the sentences about it
}

// codeFiles are the files of dir that list codes, codes*.go without tests, in the order of their names.
func codeFiles(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "codes*.go"))
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
	if len(files) == 0 {
		return nil, fmt.Errorf("no file codes*.go in %s", dir)
	}
	slices.Sort(files)
	return files, nil
}

// readCodes reads the constants of the files that list codes.
func readCodes(dir string) ([]subject, error) {
	files, err := codeFiles(dir)
	if err != nil {
		return nil, err
	}
	var all []subject
	for _, file := range files {
		subjects, err := readSubjects(file)
		if err != nil {
			return nil, err
		}
		all = append(all, subjects...)
	}
	return all, nil
}

// readSubjects reads the constants of a file. A block begins with "Errors of
// SUBJECT.", the comment of a constant with "NAME is returned when".
func readSubjects(file string) ([]subject, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []subject
	for _, decl := range parsed.Decls {
		block, ok := decl.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST {
			continue
		}
		about, ok := strings.CutPrefix(strings.TrimSpace(block.Doc.Text()), "Errors of ")
		if !ok {
			return nil, fmt.Errorf("%s: a block of codes has no subject", file)
		}
		s := subject{title: upperFirst(strings.TrimSuffix(about, "."))}
		for _, spec := range block.Specs {
			one, err := readCode(spec)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			s.codes = append(s.codes, one)
		}
		all = append(all, s)
	}
	return all, nil
}

// readCode reads one constant and its comment.
func readCode(spec ast.Spec) (section, error) {
	v, ok := spec.(*ast.ValueSpec)
	if !ok || len(v.Names) != 1 || len(v.Values) != 1 {
		return section{}, fmt.Errorf("a code is not one name and its value")
	}
	name := v.Names[0].Name
	lit, ok := v.Values[0].(*ast.BasicLit)
	if !ok {
		return section{}, fmt.Errorf("%s is not a string literal", name)
	}
	value, err := strconv.Unquote(lit.Value)
	if err != nil {
		return section{}, fmt.Errorf("%s: %w", name, err)
	}
	text, ok := strings.CutPrefix(strings.Join(strings.Fields(v.Doc.Text()), " "), name+" is returned when ")
	if !ok {
		return section{}, fmt.Errorf("the comment of %s does not begin with \"%s is returned when\"", name, name)
	}
	return section{value, upperFirst(text)}, nil
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// codes lists the codes of errors by subject.
func (e *expander) codes() string {
	var parts []string
	for _, s := range e.source.errors {
		marked := make([]section, len(s.codes))
		for i, c := range s.codes {
			marked[i] = section{code(c.title), e.marker.mark(c.text)}
		}
		parts = append(parts, "### "+escape(s.title), definitions(marked))
	}
	return strings.Join(parts, "\n\n")
}
