package peer

import "strings"

const (
	memoryHead  = "### Commit:"
	birthTitle  = "Branch created"
	birthBefore = "Initial branch — no prior progress."
	noPurpose   = "(branch purpose to be defined)"
)

// memoryGrammar splits commit.md at its headings; memoryBlocks parses the text below them.
func memoryGrammar() recordFormat {
	return recordFormat{head: memoryCommitHead}
}

// memoryCommitHead parses "### Commit: title (TIME | BRANCH)" and the older "### TIME |
// BRANCH | title".
func memoryCommitHead(line string) (head, bool) {
	if rest, ok := strings.CutPrefix(line, memoryHead); ok {
		title := strings.TrimSpace(rest)
		if i := strings.LastIndex(title, "("); i >= 0 && strings.HasSuffix(title, ")") {
			when, origin, _ := strings.Cut(title[i+1:len(title)-1], " | ")
			if t, ok := parseTime(when); ok {
				return head{title: memoryUnescape(strings.TrimSpace(title[:i])), time: t, origin: origin}, true
			}
		}
		return head{title: memoryUnescape(title)}, true
	}
	rest, ok := strings.CutPrefix(line, "### ")
	when, rest, ok2 := strings.Cut(rest, " | ")
	origin, title, ok3 := strings.Cut(rest, " | ")
	t, ok4 := parseTime(when)
	return head{title: strings.TrimSpace(title), time: t, origin: origin}, ok && ok2 && ok3 && ok4
}

func (r *reader) memoryCommits(b *Branch, name string) {
	text, ok := r.dir.take(name)
	if !ok {
		return
	}
	for _, rec := range memoryGrammar().records(text) {
		if rec.stray != "" {
			r.keep(b, name, rec.line, rec.stray)
			continue
		}
		m := Commit{Title: rec.title, Time: rec.time}
		memoryBlocks(&m, rec.body)
		if b.isBirth(m) {
			continue
		}
		b.Commits = append(b.Commits, m)
	}
}

// isBirth reports whether m is the commit with which the tool creates a branch and says
// nothing more. If so, it sets the branch's purpose and time from it.
func (b *Branch) isBirth(m Commit) bool {
	if m.Title != birthTitle || m.Progress != birthBefore || !strings.HasPrefix(m.Contribution, birthTitle+" to ") {
		return false
	}
	if m.Purpose != noPurpose {
		if b.Purpose != "" && strings.TrimSpace(b.Purpose) != m.Purpose {
			return false
		}
		if b.Purpose == "" {
			b.Purpose = m.Purpose
		}
	}
	if b.CreatedAt.IsZero() {
		b.CreatedAt = m.Time
	}
	return true
}

// memoryBlocks parses the body of a commit: the three blocks, or free text.
func memoryBlocks(m *Commit, body string) {
	at := make([]int, 3)
	for i, name := range blockLabels() {
		at[i] = strings.Index(body, "**"+name+":**")
	}
	if at[0] != 0 || at[1] < 0 || at[2] < at[1] {
		m.Contribution = memoryUnescape(body)
	} else {
		part := func(i, end int) string {
			return memoryUnescape(strings.TrimSpace(body[at[i]+len("**"+blockLabels()[i]+":**") : end]))
		}
		m.Purpose, m.Progress, m.Contribution = part(0, at[1]), part(1, at[2]), part(2, len(body))
	}
	if m.Contribution == "" {
		m.Contribution = m.Title
	}
}

// setMerged sets the status of the branches that were merged into another and have no newer
// entry.
func (r *reader) setMerged() {
	for _, b := range r.f.Branches {
		for _, m := range b.Commits {
			rest, ok := strings.CutPrefix(m.Title, "Merge ")
			source, target, ok2 := strings.Cut(rest, " -> ")
			if !ok || !ok2 || target != b.Name {
				continue
			}
			for i := range r.f.Branches {
				s := &r.f.Branches[i]
				if s.Name == source && s.Status == "" && !s.hasNewer(m) {
					s.Status, s.MergedInto, s.MergedAt = Merged, b.Name, m.Time
				}
			}
		}
	}
}

// hasNewer reports whether a branch has entries newer than its merge.
func (b *Branch) hasNewer(merge Commit) bool {
	for _, s := range b.Steps {
		if s.Time.After(merge.Time) {
			return true
		}
	}
	for _, m := range b.Commits {
		if m.Time.After(merge.Time) {
			return true
		}
	}
	return false
}
