package peer

import "strings"

// The format of the multi-language library. A log:
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
		step: kind{
			labels: stepLabels(), head: contexaStep, tag: contexaMerged, title: contexaTitle,
			closed: true, exact: true, unescape: contexaUnescape,
		},
		commit: kind{
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
