package capture

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/refs/git"
)

// IgnoreFile is the file, in the common git directory, with patterns of what is never captured.
const IgnoreFile = "info/context-ignore"

// ignored are the patterns of IgnoreFile: a line is a pattern of paths as in .gitignore, or
// "$ " and a pattern of command lines, in which * is any text.
type ignored struct {
	paths    gitignore.Matcher
	commands [][]string // the texts between the stars
}

// readIgnored returns the patterns of a repository; nil without any.
func readIgnored(repo *git.Repo) (*ignored, error) {
	data, err := os.ReadFile(filepath.Join(repo.CommonDir(), filepath.FromSlash(IgnoreFile)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil { // recording what must not be recorded is worse than recording nothing
		return nil, fmt.Errorf("cannot read the patterns of what is not captured: %w", err)
	}
	return parseIgnored(string(data)), nil
}

func parseIgnored(text string) *ignored {
	i := &ignored{}
	var patterns []gitignore.Pattern
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.TrimSpace(line) == "" || line[0] == '#':
		case isCommand:
			i.commands = append(i.commands, strings.Split(strings.TrimSpace(command), "*"))
		default:
			patterns = append(patterns, gitignore.ParsePattern(line, nil))
		}
	}
	i.paths = gitignore.NewMatcher(patterns)
	return i
}

// Ignores reports whether a pattern of IgnoreFile names a command line, or a path in it.
func Ignores(repo *git.Repo, line string) (bool, error) {
	i, err := readIgnored(repo)
	if i == nil || err != nil {
		return false, err
	}
	return i.call(agent.Event{Class: agent.Shell, Argument: line}), nil
}

// of returns what says whether a call is to be left out; nil without patterns.
func (i *ignored) of() func(agent.Event) bool {
	if i == nil {
		return nil
	}
	return i.call
}

// call reports whether a call reads or writes a path, or runs a command, that a pattern names.
func (i *ignored) call(e agent.Event) bool {
	for _, name := range e.Files {
		if i.path(name) {
			return true
		}
	}
	for _, parts := range i.commands {
		if e.Class == agent.Shell && globbed(strings.Join(strings.Fields(e.Argument), " "), parts) {
			return true
		}
	}
	if i.path(e.Argument) {
		return true
	}
	for _, word := range strings.FieldsFunc(e.Argument, separates) {
		if i.path(word) {
			return true
		}
	}
	return false
}

// separates reports whether a character ends a word of a command line.
func separates(c rune) bool { return strings.ContainsRune(" \t\r\n'\"`=;|&<>()", c) }

func (i *ignored) path(name string) bool {
	name = strings.TrimPrefix(path.Clean(filepath.ToSlash(name)), "/")
	return name != "" && name != "." && i.paths.Match(strings.Split(name, "/"), false)
}

// globbed reports whether a text is the parts of a pattern with any text between them.
func globbed(text string, parts []string) bool {
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, parts[last])
}
