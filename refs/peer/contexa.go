package peer

import "strings"

// The multi-language library, as it reads and writes. A log:
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
// After a merge the records of the other branch follow, as its reader gave them,
// behind
//
//	## Merged from `exp` (2026-11-21T01:37:05Z)
//
// and, because nothing ends them, so do those of the branch itself: a record is
// the other branch's if the other branch has it, see reader.origins. Commits are
//
//	## Commit `0a1b2c3d`
//
// with the parts Timestamp, Branch Purpose, Previous Progress Summary and This Commit's
// Contribution. A branch's metadata.yaml holds created_at, created_from, merged_at,
// merged_into, name, purpose and status.
//
// A record ends at a line "---"; a line "---" in a text is written "\---". We end a
// record only at such a line that a record, or nothing, follows, because a
// text may hold what is not escaped.
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

// noObservation is what we write where a step has nothing but an action.
const noObservation = "(none)"

func contexaTitle(line string) bool {
	return strings.HasPrefix(line, "# OTA Log") || strings.HasPrefix(line, "# Commit History")
}

// contexaStep reads "### Step 3 — TIME", and the older "### Step 3-TIME".
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
