package peer

import (
	"path"
	"strings"
)

// detect determines the dialect from the content of the files, independent of the folder's
// name:
//
//  1. by metadata keys that only one dialect has, and by main's files at the root, which only
//     skill folders have there;
//  2. by the first line of a log or commit list that is characteristic of one dialect. The
//     first, because the text of a step may contain the marks of another dialect.
//
// A folder whose logs and commit lists are all empty is the paper's.
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
	return "", &FormatError{".", "a memory folder contains main.md and branches"}
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

// mapping returns a YAML file as a map; nil if the file is absent or not a map.
func (d *dir) mapping(name string) map[string]any {
	var m map[string]any
	if decodeYAML(d.text[name], &m) != nil {
		return nil
	}
	return m
}

// lineDialect returns the dialect that a line is characteristic of, or "".
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
