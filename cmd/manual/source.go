package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/cmd"
)

// source is the content of docs/man: one file for a page, named after it, whose sections
// begin with "## ". The title of a section decides where it goes, see [order]. A section
// may contain these words, but not in a literal block:
//
//	{{about N}}      the next N sentences of the paragraph in the command's help;
//	                 DESCRIPTION begins with all of it if it has no such word
//	{{skip N}}       nothing: leaves the next N sentences out
//	{{config KEY}}   the text of config.md about a setting; without KEY about all
//	{{env NAME}}     the text of environment.md about a variable; without NAME about all
//	{{commands}}     the list of all commands
//	{{errors}}       the codes of errors by subject, from the comments of refs/fail/codes*.go
//
// git-context-commit(1) is a reference to a page.
type source struct {
	commands []cmd.Page
	pagesOf  map[string][]section // by the page's name
	config   []section            // by key
	env      []section            // by name
	errors   []subject            // as codes*.go list them
}

// section is a heading and the text below it, without empty lines at its ends.
type section struct{ title, text string }

// The files that are no pages, and the pages that belong to no command.
const (
	configFile  = "config"
	envFile     = "environment"
	formatsPage = "gitcontext-formats"
	errorsPage  = "gitcontext-errors"
)

// read reads the texts of dir and the codes of the directory codes.
func read(dir, codes string) (*source, error) {
	s := &source{commands: cmd.Manual(), pagesOf: map[string][]section{}}
	var err error
	if s.errors, err = readCodes(codes); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		sections, err := split(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		switch name := strings.TrimSuffix(filepath.Base(file), ".md"); name {
		case configFile:
			s.config = sections
		case envFile:
			s.env = sections
		default:
			s.pagesOf[name] = sections
		}
	}
	return s, nil
}

// split splits a file at its headings.
func split(text string) ([]section, error) {
	var all []section
	literal := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			literal = !literal
		}
		title, found := strings.CutPrefix(line, "## ")
		switch {
		case found && !literal:
			all = append(all, section{title: strings.TrimSpace(title)})
		case len(all) > 0:
			all[len(all)-1].text += line
		case strings.TrimSpace(line) != "":
			return nil, fmt.Errorf("text before the first heading: %s", strings.TrimSpace(line))
		}
	}
	if literal {
		return nil, fmt.Errorf("a block that begins with ``` does not end")
	}
	for i := range all {
		all[i].text = strings.Trim(all[i].text, "\n")
	}
	return all, nil
}

// take removes a section from a list and returns its text.
func take(from *[]section, title string) string {
	for i, s := range *from {
		if s.title == title {
			*from = append((*from)[:i:i], (*from)[i+1:]...)
			return s.text
		}
	}
	return ""
}
