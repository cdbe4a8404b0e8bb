package peer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// reader fills a Folder from a dir.
type reader struct {
	dir  *dir
	f    *Folder
	kept int // steps that hold what was not recognised
}

// note says what could not be taken as it stands.
func (r *reader) note(format string, args ...any) {
	r.f.Notes = append(r.f.Notes, fmt.Sprintf(format, args...))
}

// branches reads the layout that three of the dialects share.
func (r *reader) branches(g grammar) {
	r.roadmap()
	for _, name := range r.dir.branchNames() {
		at := branchDir + "/" + name + "/"
		b := Branch{Name: name}
		r.branchFacts(&b, at+metaFile)
		r.log(&b, at+logFile, g.step)
		r.commits(&b, at+commitFile, g.commit)
		r.f.Branches = append(r.f.Branches, b)
	}

}

// log reads a log of records.
func (r *reader) log(b *Branch, name string, k kind) {
	text, ok := r.dir.take(name)
	if !ok {
		return
	}
	for _, rec := range k.records(text) {
		if rec.stray != "" {
			r.keep(b, name, rec.line, rec.stray)
			continue
		}
		s := Step{Time: rec.time, Origin: rec.origin, Observation: rec.fields[0], Thought: rec.fields[1], Action: rec.fields[2]}
		s.attr("id", rec.id)
		s.attr("time", rec.when)
		if s.Origin == b.Name {
			s.Origin = ""
		}
		if s.Observation == noObservation && s.Thought == "" && s.Action != "" {
			s.Observation = ""
		}
		switch {
		case rec.empty() && rec.body != "": // a step that only says something
			s.Observation = rec.body
		case rec.empty():
			r.keep(b, name, rec.line, rec.first)
			continue
		case rec.body != "":
			r.keep(b, name, rec.line, rec.body)
		}
		b.Steps = append(b.Steps, s)
	}
}

// commits reads a list of commits in which the blocks are the last labels but for
// what a dialect adds to them.
func (r *reader) commits(b *Branch, name string, k kind) {
	text, ok := r.dir.take(name)
	if !ok {
		return
	}
	at := slices.Index(k.labels, blockLabels()[0])
	for _, rec := range k.records(text) {
		if rec.stray != "" {
			r.keep(b, name, rec.line, rec.stray)
			continue
		}
		m := r.commit(b, name, k, at, rec)
		if rec.empty() && m.Title == "" {
			r.keep(b, name, rec.line, rec.first)
			continue
		}
		b.Milestones = append(b.Milestones, m)
	}
}

// commit makes a milestone of a record whose blocks begin with label number at. The first
// label, where that is none of them, is the time; what else there is goes
// into the contribution.
func (r *reader) commit(b *Branch, file string, k kind, at int, rec record) Milestone {
	m := Milestone{ID: rec.id, Time: rec.time, Title: rec.title, Purpose: rec.fields[at], Progress: rec.fields[at+1]}
	text := rec.fields[at+2]
	if rec.body != "" {
		text = strings.TrimSpace(rec.body + "\n\n" + text)
	}
	for i, value := range rec.fields {
		if i == 0 && at > 0 {
			t, ok := parseTime(value)
			if m.Time = t; ok {
				continue
			}
		}
		if value != "" && (i < at || i > at+2) && !(k.labels[i] == "Branch" && strings.Trim(value, "`") == b.Name) {
			text = strings.TrimSpace(text + "\n\n" + k.labels[i] + ": " + value)
		}
	}
	if m.Title == "" {
		m.Title, text = SplitTitle(text)
	}
	if m.Contribution = text; text == "" {
		m.Contribution = m.Title
	}
	return m
}

// keep makes a step of a text that is none.
func (r *reader) keep(b *Branch, file string, line int, text string) {
	r.kept++
	b.Steps = append(b.Steps, Step{Kept: true, Observation: text,
		Action: fmt.Sprintf("kept as text, from line %d of %s", line, file)})
}

// maxTitle is the longest first line that is taken as a title, in characters.
const maxTitle = 300

// SplitTitle makes a title of the first line of a text. What follows it behind an empty line is
// the contribution; a first line that goes on, or that is too long for a title, stays in the contribution too.
// A text of one line is both.
func SplitTitle(text string) (title, contribution string) {
	first, rest, more := strings.Cut(text, "\n")
	title = strings.TrimSpace(first)
	if runes := []rune(title); len(runes) > maxTitle {
		return strings.TrimSpace(string(runes[:maxTitle-1])) + "…", text
	}
	if body, ok := strings.CutPrefix(rest, "\n"); ok && title == first && body != "" {
		return title, body
	}
	if !more && title == first {
		return title, title
	}
	if title == "" && strings.TrimSpace(text) != "" {
		title, _ = SplitTitle(strings.TrimSpace(text))
	}
	return title, text
}

// JoinTitle is the reverse of SplitTitle.
func JoinTitle(title, contribution string) string {
	if t, c := SplitTitle(contribution); t == title && c == contribution {
		return contribution
	}
	if title == "" || contribution == "" {
		return title + contribution
	}
	return title + "\n\n" + contribution
}

// origins finds out which of the records behind "Merged from" another branch
// recorded: the log does not say where they end. One that the other branch
// has is its, or that of a branch which it was merged from; the rest
// are the branch's own.
func (r *reader) origins() {
	index := map[string]map[string]string{} // branch, fingerprint: who recorded it
	for _, b := range r.f.Branches {
		index[b.Name] = map[string]string{}
		for _, s := range b.Steps {
			if have, ok := index[b.Name][Fingerprint(s)]; !ok || have != "" {
				index[b.Name][Fingerprint(s)] = s.Origin
			}
		}
	}
	for i := range r.f.Branches {
		for k := range r.f.Branches[i].Steps {
			s := &r.f.Branches[i].Steps[k]
			tag := s.Origin
			if s.Origin = originOf(index, r.f.Branches[i].Name, tag, Fingerprint(*s)); s.Origin == "" && tag != "" && index[tag] == nil {
				s.Attrs = append(s.Attrs, Attr{"merged-from", oneLine(tag)})
			}
		}
	}
}

// originOf follows a record from one merged branch to the next; "" is the branch itself.
func originOf(index map[string]map[string]string, branch, tag, print string) string {
	origin := ""
	for seen := map[string]bool{branch: true}; tag != "" && !seen[tag]; {
		next, ok := index[tag][print]
		if !ok {
			break
		}
		seen[tag] = true
		origin, tag = tag, next
	}
	return origin
}

// finish completes a folder: times, files that are none of the dialect's, notes.
func (r *reader) finish() {
	r.rest()
	r.extra()
	slices.SortStableFunc(r.f.Branches, func(a, b Branch) int { return strings.Compare(a.Name, b.Name) })
	if r.kept > 0 {
		r.note("%s not recognised, kept as a step each", count(r.kept, "text"))
	}
	if n := len(r.dir.replaced); n > 0 {
		r.note("invalid UTF-8 or NUL in '%s'%s was replaced by U+FFFD", clip(r.dir.replaced[0]), others(n-1))
	}
	if n := len(r.dir.binary); n > 0 {
		r.note("'%s'%s is no text and was left out", clip(r.dir.binary[0]), others(n-1))
	}
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func others(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " and 1 other file"
	}
	return fmt.Sprintf(" and %d other files", n)
}

// rest keeps the files that nothing has read: in the branch that they stand in, else in the
// default one.
func (r *reader) rest() {
	for _, name := range r.dir.names {
		text := strings.TrimRight(r.dir.text[name], " \t\r\n")
		if r.dir.taken[name] || text == "" || name == extraFile {
			continue
		}
		r.keep(r.holder(name), name, 1, text)
	}
}

// holder is the branch that a file belongs to.
func (r *reader) holder(file string) *Branch {
	name := r.f.Default
	if name == "" {
		name = "main"
	}
	for _, b := range r.f.Branches {
		if strings.HasPrefix(file, branchDir+"/"+b.Name+"/") {
			name = b.Name
		}
	}
	return r.branch(name)
}

// branch finds a branch by its name, and makes it if it is not there.
func (r *reader) branch(name string) *Branch {
	for i := range r.f.Branches {
		if r.f.Branches[i].Name == name {
			return &r.f.Branches[i]
		}
	}
	r.f.Branches = append(r.f.Branches, Branch{Name: name})
	return &r.f.Branches[len(r.f.Branches)-1]
}

// pop takes a text out of a map of facts.
func pop(facts map[string]any, key string) string {
	switch v := facts[key].(type) {
	case string:
		delete(facts, key)
		return v
	case time.Time:
		delete(facts, key)
		return v.UTC().Format(time.RFC3339Nano)
	case nil:
		delete(facts, key)
	}
	return ""
}

// popTime takes a time out of a map of facts; what is none stays.
func popTime(facts map[string]any, key string) time.Time {
	v, had := facts[key]
	t, ok := parseTime(pop(facts, key))
	if !ok && had && v != nil && v != "" {
		facts[key] = v
	}
	return t
}

// keys are the sorted keys of a map.
func keys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
