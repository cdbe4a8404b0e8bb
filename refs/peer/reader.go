package peer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/prose"
)

// reader fills a Folder from a dir.
type reader struct {
	dir  *dir
	f    *Folder
	kept int // number of steps that contain unrecognised text
}

// note records what could not be read unchanged.
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
func (r *reader) log(b *Branch, name string, k recordFormat) {
	text, ok := r.dir.take(name)
	if !ok {
		return
	}
	for _, rec := range k.records(text) {
		if rec.stray != "" {
			r.keep(b, name, rec.line, rec.stray)
			continue
		}
		s := Step{Time: rec.time, Origin: rec.origin}
		s.Observation, s.Thought, s.Action = rec.fields[0], rec.fields[1], rec.fields[2]
		s.attr("id", rec.id)
		s.attr("time", rec.when)
		if s.Origin == b.Name {
			s.Origin = ""
		}
		if s.Observation == noObservation && s.Thought == "" && s.Action != "" {
			s.Observation = ""
		}
		switch {
		case rec.empty() && rec.body != "": // a step without labels
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

// commits reads a list of commits. The labels of the blocks are consecutive in k.labels.
func (r *reader) commits(b *Branch, name string, k recordFormat) {
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
		b.Commits = append(b.Commits, m)
	}
}

// commit converts a record whose blocks begin with label number at. If other labels precede
// these, the first is the time. All other values are added to the contribution.
func (r *reader) commit(b *Branch, file string, k recordFormat, at int, rec record) Commit {
	m := Commit{ID: rec.id, Time: rec.time, Title: rec.title, Purpose: rec.fields[at], Progress: rec.fields[at+1]}
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
		m.Title, text = splitTitle(text)
	}
	if m.Contribution = text; text == "" {
		m.Contribution = m.Title
	}
	return m
}

// keep adds unrecognised text as a step.
func (r *reader) keep(b *Branch, file string, line int, text string) {
	r.kept++
	b.Steps = append(b.Steps, Step{Kept: true, Observation: text,
		Action: fmt.Sprintf("kept as text, from line %d of %s", line, file)})
}

// maxTitle is the maximum length of a title, in characters.
const maxTitle = 300

// splitTitle derives a title from the first line of a text. If an empty line follows, the
// rest is the contribution. Otherwise, or if the line is too long for a title, the
// contribution is the whole text. A text of one line is both.
func splitTitle(text string) (title, contribution string) {
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
		title, _ = splitTitle(strings.TrimSpace(text))
	}
	return title, text
}

// joinTitle is the inverse of splitTitle.
func joinTitle(title, contribution string) string {
	if t, c := splitTitle(contribution); t == title && c == contribution {
		return contribution
	}
	if title == "" || contribution == "" {
		return title + contribution
	}
	return title + "\n\n" + contribution
}

// origins finds the records after a "Merged from" that another branch recorded, because the
// log does not mark their end. A record that the other branch has belongs to it, or to a
// branch that was merged into it; the rest belong to the branch itself.
func (r *reader) origins() {
	index := map[string]map[string]string{} // by branch and fingerprint: the origin
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
			s.Origin = originOf(index, r.f.Branches[i].Name, tag, Fingerprint(*s))
			if s.Origin == "" && tag != "" && index[tag] == nil {
				s.Attrs = append(s.Attrs, Attr{"merged-from", prose.Fold(tag)})
			}
		}
	}
}

// originOf follows a record from one merged branch to the next. "" means the branch itself.
func originOf(index map[string]map[string]string, branch, tag, key string) string {
	origin := ""
	for seen := map[string]bool{branch: true}; tag != "" && !seen[tag]; {
		next, ok := index[tag][key]
		if !ok {
			break
		}
		seen[tag] = true
		origin, tag = tag, next
	}
	return origin
}

// finish completes a folder: files that the dialect does not define, names, notes.
func (r *reader) finish() {
	r.keepRest()
	r.extra()
	slices.SortStableFunc(r.f.Branches, func(a, b Branch) int { return strings.Compare(a.Name, b.Name) })
	if r.kept > 0 {
		r.note("%s not recognised, kept as a step each", prose.Count(r.kept, "text"))
	}
	if n := len(r.dir.replaced); n > 0 {
		r.note("invalid UTF-8 or NUL in '%s'%s was replaced by U+FFFD", clip(r.dir.replaced[0]), others(n-1))
	}
	if n := len(r.dir.binary); n > 0 {
		r.note("'%s'%s is no text and was left out", clip(r.dir.binary[0]), others(n-1))
	}
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

// keepRest keeps the files that were not read: in the branch whose folder contains them,
// otherwise in the default branch.
func (r *reader) keepRest() {
	for _, name := range r.dir.names {
		text := strings.TrimRight(r.dir.text[name], " \t\r\n")
		if r.dir.taken[name] || text == "" || name == extraFile {
			continue
		}
		r.keep(r.branchOf(name), name, 1, text)
	}
}

// branchOf returns the branch that a file belongs to.
func (r *reader) branchOf(file string) *Branch {
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

// branch returns the branch with this name, and adds it if it does not exist.
func (r *reader) branch(name string) *Branch {
	for i := range r.f.Branches {
		if r.f.Branches[i].Name == name {
			return &r.f.Branches[i]
		}
	}
	r.f.Branches = append(r.f.Branches, Branch{Name: name})
	return &r.f.Branches[len(r.f.Branches)-1]
}

// pop removes a text from a map and returns it.
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

// popTime removes a time from a map and returns it. A value that is no time stays.
func popTime(facts map[string]any, key string) time.Time {
	v, had := facts[key]
	t, ok := parseTime(pop(facts, key))
	if !ok && had && v != nil && v != "" {
		facts[key] = v
	}
	return t
}

// keys returns the sorted keys of a map.
func keys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
