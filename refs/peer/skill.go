package peer

import "strings"

// summaryFile contains the purpose of a branch in a skill folder.
const summaryFile = "summary.md"

// skill reads folders that agents maintain by an instruction. The main branch's files are
// at the root, those of other branches below branches/. Commits:
//
//	## [C003] title
//	- **Date**: 2026-11-21 01:37
//	- **Branch**: main
//	- **Branch Purpose**: any text
//	- **Previous Progress**: any text
//	- **This Commit's Contribution**: any text
//	- **Files touched**: any text
//
// Steps:
//
//	---
//	**[OTA-042]** 2026-11-21 01:37 | Branch: main
//	- **Observation**: any text
//	- **Thought**: any text
//	- **Action**: any text
//
// The metadata.yaml at the root contains version, created, proactive_commits, branches (a
// list of name, status, created, parent, reason) and segments. Agents vary the format, so
// labels are accepted in any form of Markdown.
func (r *reader) skill() {
	r.f.Default = "main"
	main := *r.branch("main")
	list := r.skillRoot(&main)
	r.roadmap()
	r.skillBranch(&main, "")
	r.f.Branches = []Branch{main}
	for _, name := range r.dir.branchNames() {
		if name == "main" {
			r.skillBranch(&r.f.Branches[0], branchDir+"/main/")
			continue
		}
		b := Branch{Name: name}
		r.skillBranch(&b, branchDir+"/"+name+"/")
		r.f.Branches = append(r.f.Branches, b)
	}
	for _, listed := range list {
		b := r.branch(listed.Name)
		b.Parent, b.Status, b.CreatedAt = listed.Parent, listed.Status, listed.CreatedAt
		if b.Purpose == "" {
			b.Purpose = listed.Purpose
		}
		b.Facts = mergeMaps(b.Facts, listed.Facts)
	}
}

func (r *reader) skillBranch(b *Branch, at string) {
	if text, ok := r.dir.take(at + summaryFile); ok {
		if at == "" {
			r.keep(b, summaryFile, 1, text)
		} else {
			b.Purpose = purposeText(text)
		}
	}
	if at != "" {
		r.branchFacts(b, at+metaFile)
	}
	r.log(b, at+logFile, recordFormat{labels: stepLabels(), head: skillStep, title: paperTitle})
	r.commits(b, at+commitFile, recordFormat{
		labels: []string{
			"Date", "Branch", "Branch Purpose", "Previous Progress", "This Commit's Contribution", "Files touched",
		},
		head: skillCommit, title: paperTitle,
	})
}

// purposeText returns the text of a summary.md without its title.
func purposeText(text string) string {
	text = strings.TrimSpace(text)
	if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# ") && strings.TrimSpace(rest) != "" {
		return strings.TrimSpace(rest)
	}
	return text
}

func skillStep(line string) (head, bool) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(line, "### "), "**[OTA-")
	id, rest, ok2 := strings.Cut(rest, "]**")
	if !ok || !ok2 {
		return head{}, false
	}
	when, branch, _ := strings.Cut(rest, "|")
	_, origin, _ := strings.Cut(branch, ":")
	h := head{id: "OTA-" + id, origin: strings.Trim(strings.TrimSpace(origin), "`")}
	if h.time, ok = parseTime(when); !ok {
		h.when = when
	}
	return h, true
}

func skillCommit(line string) (head, bool) {
	text, ok := cutHeading(line)
	text, ok2 := strings.CutPrefix(text, "[C")
	id, title, ok3 := strings.Cut(text, "]")
	return head{id: "C" + id, title: strings.TrimSpace(title)}, ok && ok2 && ok3
}

// skillRoot reads the metadata at the root and returns the branches that it lists.
func (r *reader) skillRoot(main *Branch) []Branch {
	facts := r.yaml(metaFile)
	var list []Branch
	if items, ok := facts["branches"].([]any); ok {
		delete(facts, "branches")
		for _, item := range items {
			m, ok := item.(map[string]any)
			b := Branch{Name: pop(m, "name")}
			if !ok || b.Name == "" {
				facts["branches"] = append(asList(facts["branches"]), item)
				continue
			}
			b.Parent, b.Purpose, b.CreatedAt = pop(m, "parent"), pop(m, "reason"), popTime(m, "created")
			b.Status = status(m)
			b.Facts = m
			list = append(list, b)
		}
	}
	for _, key := range []string{"version", "created", "proactive_commits", "branches"} {
		if v, ok := facts[key]; ok {
			r.f.Facts[key] = v
			delete(facts, key)
		}
	}
	main.Segments = facts
	return list
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}
