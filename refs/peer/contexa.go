package peer

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/prose"
)

// contexaGrammar returns the format of the multi-language library. A log:
//
//	# OTA Log — branch `main`
//
//	### Step 1 — 2026-11-21T01:37:05Z
//	**Observation:** any text
//
//	**Thought:** any text
//
//	**Action:** any text
//
//	---
//
// After a merge the records of the other branch follow, as the library's reader returned
// them, after
//
//	## Merged from `exp` (2026-11-21T01:37:05Z)
//
// Nothing marks their end, and the branch's own later records follow them. A record belongs
// to the other branch if that branch's log contains it, see reader.origins. Commits are
//
//	## Commit `0a1b2c3d`
//
// with the parts Timestamp, Branch Purpose, Previous Progress Summary and This Commit's
// Contribution. A branch's metadata.yaml contains created_at, created_from, merged_at,
// merged_into, name, purpose and status.
//
// A record ends at a line "---"; a line "---" in a text is written "\---". Because a text
// may contain an unescaped one, this package ends a record only at a "---" that a record or
// the end of the file follows.
func contexaGrammar() grammar {
	return grammar{
		step: recordFormat{
			labels: stepLabels(), head: contexaStep, tag: contexaMerged, title: contexaTitle,
			closed: true, exact: true, unescape: contexaUnescape,
		},
		commit: recordFormat{
			labels: append([]string{"Timestamp"}, blockLabels()...), head: contexaCommit, title: contexaTitle,
			closed: true, exact: true, unescape: contexaUnescape,
		},
	}
}

func stepLabels() []string { return []string{"Observation", "Thought", "Action"} }

func blockLabels() []string {
	return []string{"Branch Purpose", "Previous Progress Summary", "This Commit's Contribution"}
}

// noObservation is written for a step that has only an action.
const noObservation = "(none)"

func contexaTitle(line string) bool {
	return strings.HasPrefix(line, "# OTA Log") || strings.HasPrefix(line, "# Commit History")
}

// contexaStep parses "### Step 3 — TIME", and the older "### Step 3-TIME".
func contexaStep(line string) (head, bool) {
	rest, ok := strings.CutPrefix(line, "### Step ")
	if !ok {
		return head{}, false
	}
	after := strings.TrimLeft(rest, "0123456789")
	if len(after) == len(rest) {
		return head{}, false
	}
	after = strings.TrimLeft(after, " -—–")
	h := head{}
	if h.time, ok = parseTime(after); !ok {
		h.when = after
	}
	return h, true
}

func contexaMerged(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, "## Merged from `")
	name, _, ok2 := strings.Cut(rest, "`")
	return name, ok && ok2
}

func contexaCommit(line string) (head, bool) {
	rest, ok := strings.CutPrefix(line, "## Commit ")
	id := strings.Trim(strings.TrimSpace(rest), "`")
	return head{id: id}, ok && id != "" && !strings.ContainsAny(id, " `")
}

// contexa reads the library's layout.
func (r *reader) contexa() {
	r.branches(contexaGrammar())
	r.origins()
}

// contexa writes the library's layout, see contexaGrammar.
func (w *writer) contexa() error {
	w.add(mainFile, contexaMain(w.f))
	hasMain, blank := false, 0
	for i := range w.f.Branches {
		b := &w.f.Branches[i]
		hasMain = hasMain || w.dir(b.Name) == "main"
		at := branchDir + "/" + w.dir(b.Name) + "/"
		w.add(at+logFile, w.contexaLog(b, &blank))
		w.add(at+commitFile, w.contexaCommits(b))
		w.add(at+metaFile, w.contexaMeta(b))
	}
	if blank > 0 {
		w.note("%s with an action alone got '%s' as observation: one of the readers drops such a step",
			prose.Count(blank, "step"), noObservation)
	}
	if !hasMain {
		w.note("no branch is called 'main', which the library opens")
	}
	return nil
}

// contexaMain formats main.md below the library's title.
func contexaMain(f *Folder) []byte {
	var b bytes.Buffer
	b.WriteString("# Project Roadmap\n\n")
	if at := created(f); !at.IsZero() {
		fmt.Fprintf(&b, "%s %s\n\n", initialized, formatTime(at))
	}
	writeRoadmap(&b, f.Roadmap, "Goal", "Decisions", "Open Questions")
	return b.Bytes()
}

// created returns the creation time of the oldest branch.
func created(f *Folder) time.Time {
	var at time.Time
	for _, b := range f.Branches {
		if at.IsZero() || !b.CreatedAt.IsZero() && b.CreatedAt.Before(at) {
			at = b.CreatedAt
		}
	}
	return at
}

func (w *writer) contexaLog(b *Branch, blank *int) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# OTA Log — branch `%s`\n\n", w.dir(b.Name))
	origin := ""
	for i := range b.Steps {
		s := b.Steps[i]
		if s.Origin != origin && s.Origin != "" {
			fmt.Fprintf(&out, "\n## Merged from `%s` (%s)\n\n", w.dir(s.Origin), formatTime(s.Time))
		}
		origin = s.Origin
		if s.Observation+s.Thought == "" {
			s.Observation = noObservation
			*blank++
		}
		fmt.Fprintf(&out, "### Step %d — %s\n", i+1, formatTime(s.Time))
		w.parts(&out, stepLabels(), s.Observation, s.Thought, s.Action)
	}
	return out.Bytes()
}

func (w *writer) contexaCommits(b *Branch) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Commit History — branch `%s`\n\n", w.dir(b.Name))
	for _, m := range b.Commits {
		fmt.Fprintf(&out, "## Commit `%s`\n**Timestamp:** %s\n\n", commitID(m), formatTime(m.Time))
		w.parts(&out, blockLabels(), m.Purpose, m.Progress, joinTitle(m.Title, m.Contribution))
	}
	return out.Bytes()
}

// commitID derives the eight digits of a commit from its id.
func commitID(m Commit) string {
	sum := sha256.Sum256([]byte(m.ID))
	return fmt.Sprintf("%x", sum[:4])
}

// parts writes the texts of a record, and the separator that ends it.
func (w *writer) parts(out *bytes.Buffer, labels []string, texts ...string) {
	for i, text := range texts {
		written := contexaEscape(text)
		w.countInexact(text, written, true)
		fmt.Fprintf(out, "**%s:** %s\n\n", labels[i], written)
	}
	out.WriteString("---\n")
}

// contexaMeta writes the keys in the library's order, each on one line, because some of the
// library's readers parse only that subset of YAML.
func (w *writer) contexaMeta(b *Branch) []byte {
	status := b.Status
	if status == "" {
		status = Active
	}
	into, at, from := "null", "null", `""`
	if b.MergedInto != "" {
		into = scalar(w.dir(b.MergedInto))
	}
	if !b.MergedAt.IsZero() {
		at = quoteTime(b.MergedAt)
	}
	if b.Parent != "" {
		from = scalar(w.dir(b.Parent))
	}
	return fmt.Appendf(nil,
		"created_at: %s\ncreated_from: %s\nmerged_at: %s\nmerged_into: %s\nname: %s\npurpose: %s\nstatus: %s\n",
		quoteTime(b.CreatedAt), from, at, into, scalar(w.dir(b.Name)), scalar(b.Purpose), status)
}

// quoteTime formats a time as a YAML string, not as a YAML timestamp.
func quoteTime(t time.Time) string {
	if t.IsZero() {
		return `""`
	}
	return "'" + formatTime(t) + "'"
}

// writeRoadmap writes goal, lists and sections below headings.
func writeRoadmap(b *bytes.Buffer, m Roadmap, goal, decisions, questions string) {
	var parts []Section
	parts = append(parts, Section{goal, m.Goal},
		Section{"Milestones", boxes(m.Milestones)}, Section{"To-Do", boxes(m.Todo)},
		Section{decisions, bullets(m.Decisions)}, Section{questions, bullets(m.Questions)})
	for i, s := range append(parts, m.Sections...) {
		if s.Text == "" {
			if i >= len(parts) {
				continue
			}
			s.Text = "- (none yet)"
		}
		text := mapLines(s.Text, func(line string) string { return escapeStart(line, sectionHead(), 1) })
		fmt.Fprintf(b, "## %s\n%s\n\n", s.Name, text)
	}
}
