package peer

import (
	"path"
	"strings"
)

// detect tells the dialects apart by what their files say, whatever the folder is
// called:
//
//  1. by the metadata, where it holds keys that one of them alone has, and by main's files at the
//     root, which only skill folders have there;
//  2. by the first line of a log or a list of commits that is a mark of one of them: the
//     text of a step may hold the marks of another.
//
// A folder whose logs and commits are all empty is the paper's.
func detect(d *dir) (Dialect, error) {
	if dialect := d.metadataDialect(); dialect != "" {
		return dialect, nil
	}
	strange := ""
	for _, name := range d.names {
		if base := path.Base(name); base != logFile && base != commitFile || strings.TrimSpace(d.text[name]) == "" {
			continue
		}
		for line := range strings.Lines(d.text[name]) {
			if dialect := lineDialect(strings.TrimRight(line, "\r\n")); dialect != "" {
				return dialect, nil
			}
		}
		strange = name
	}
	if strange != "" {
		return "", &FormatError{strange, "it is in no format of a memory folder that is known"}
	}
	if _, ok := d.text[mainFile]; ok || len(d.branchNames()) > 0 {
		return Paper, nil
	}
	return "", &FormatError{".", "a memory folder holds main.md and branches"}
}

func (d *dir) metadataDialect() Dialect {
	root := d.mapping(metaFile)
	_, listed := root["branches"].([]any)
	_, log := d.text[logFile]
	_, commits := d.text[commitFile]
	switch {
	case root["default_branch"] != nil || root["active_branch"] != nil:
		return Memory
	case listed || root["proactive_commits"] != nil || log || commits:
		return Skill
	}
	for _, name := range d.branchNames() {
		if _, ok := d.mapping(branchDir + "/" + name + "/" + metaFile)["created_from"]; ok {
			return Contexa
		}
	}
	return ""
}

// mapping is a YAML file as a map; nil where it is absent or none.
func (d *dir) mapping(name string) map[string]any {
	var m map[string]any
	if decodeYAML(d.text[name], &m) != nil {
		return nil
	}
	return m
}

// lineDialect is the dialect that a line is a mark of, or "".
func lineDialect(line string) Dialect {
	if _, ok := memoryCommitHead(line); ok || line == "kind: event" {
		return Memory
	}
	_, step := skillStep(line)
	if _, commit := skillCommit(line); step || commit {
		return Skill
	}
	_, merged := contexaMerged(line)
	_, commit := contexaCommit(line)
	if merged || commit && strings.HasSuffix(line, "`") || strings.HasPrefix(line, "### Step 1-") ||
		strings.HasPrefix(line, "# OTA Log — branch") || strings.HasPrefix(line, "# Commit History — branch") {
		return Contexa
	}
	if _, ok := paperTag(line); ok {
		return Paper
	}
	for _, name := range append(stepLabels(), blockLabels()...) {
		if _, _, ok := cutLabel(line, name); ok {
			return Paper
		}
	}
	return ""
}
