package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// ImportLine makes a client that reads another file than AGENTS.md read that too.
const ImportLine = "@" + agentsFile

// needsImport reports whether the file of a client has or needs our import:
//
//  1. It has a block of ours, maybe a damaged one: yes.
//  2. It is a link to AGENTS.md, or the other way round: no.
//  3. It has a line of its own that imports AGENTS.md, or the settings of the project make the client
//     read AGENTS.md: no.
//  4. The other file of its client leads to AGENTS.md in one of these ways: no.
//  5. Otherwise: yes.
func (c Client) needsImport(p Place) bool {
	path, agents := filepath.Join(p.Root, c.imports), filepath.Join(p.Root, agentsFile)
	if target, err := os.Readlink(path); err == nil && disk.Absolute(p.Root, target) == agents {
		return false // also before AGENTS.md exists
	}
	if sameFile(path, agents) {
		return false
	}
	f, err := load(path)
	if err != nil {
		return true
	}
	if _, ours, err := find(string(f.data)); ours || err != nil {
		return true
	}
	if imports(string(f.data), ImportLine, "@./"+agentsFile) || c.readsByName(p) {
		return false
	}
	if c.alsoImports == "" {
		return true
	}
	other := filepath.Join(p.Root, filepath.FromSlash(c.alsoImports))
	f, err = load(other)
	return err != nil || !sameFile(other, agents) && !imports(string(f.data), "@../"+agentsFile)
}

// readsByName reports whether the settings of the project list AGENTS.md among the files of instructions:
// context.fileName of Gemini CLI.
func (c Client) readsByName(p Place) bool {
	f, err := load(filepath.Join(p.Root, filepath.FromSlash(c.project)))
	if err != nil || !f.exists {
		return false
	}
	d, err := parse(f.data)
	if err != nil {
		return false
	}
	names := d.find(&d.root, "context")
	if names != nil {
		names = d.find(names, "fileName")
	}
	return names != nil && strings.Contains(string(d.text[names.StartOffset:names.EndOffset]), `"`+agentsFile+`"`)
}

// imports reports whether a text has one of these words. What is between fences or in back quotes
// imports nothing.
func imports(text string, words ...string) bool {
	fence := ""
	wanted := func(word string) bool { return slices.Contains(words, word) }
	for line := range strings.Lines(strings.TrimPrefix(text, byteOrderMark)) {
		line = strings.TrimSpace(line)
		mark := ""
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			mark = line[:3]
		}
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && mark == fence:
			fence = ""
		case fence == "" && slices.ContainsFunc(strings.Fields(line), wanted):
			return true
		}
	}
	return false
}
