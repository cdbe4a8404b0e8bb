package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Text writes the brief in at most v.Budget.Tokens; all of it without a budget.
func (v Snapshot) Text(p *Printer) {
	text, _ := v.brief(p)
	for line := range strings.SplitAfterSeq(text, "\n") {
		if p.Color && strings.HasPrefix(line, "#") {
			line = "\x1b[1m" + strings.TrimSuffix(line, "\n") + "\x1b[m\n"
		}
		p.write(line)
	}
}

// Measure fills in the budget: what the text of the brief takes where there is no terminal, and
// what it leaves out.
func (v *Snapshot) Measure(now time.Time, self string) {
	text, cuts := v.brief(&Printer{Now: now, Self: self})
	v.Budget.Bytes, v.Budget.Cut = len(text), cuts
}

// Limit sets the budget, in tokens; 0 for none.
func (v *Snapshot) Limit(tokens int) {
	if tokens > 0 {
		v.Budget = &Budget{Tokens: tokens}
	}
}

func (v Snapshot) brief(p *Printer) (string, []Cut) {
	limit := 0
	if v.Budget != nil {
		limit = v.Budget.Tokens * BytesPerToken
	}
	end := v.end(p)
	room := limit
	if limit > 0 {
		if room -= len(end); room < leastPart {
			end, room = "", limit
		}
	}
	b := briefer{Snapshot: v, p: p, limit: room}
	head := v.head(p)
	if v.shared && (limit == 0 || limit >= leastForeignNote) {
		head += foreignNote
	}
	text, cuts := compose(head, b.parts(), room)
	return text + end, cuts
}

// head is the title, and a line about the memory and the code: two on a terminal that is too narrow.
func (v Snapshot) head(p *Printer) string {
	line, code := "memory "+v.Head.Short(), ""
	if !v.updated.IsZero() {
		line += " of " + p.time(v.updated)
	}
	if v.agent != "" {
		line += " by " + clip(prose.Fold(v.by.Name(v.agent)), longLabel)
	}
	if v.At != nil {
		line += "; " + AtLine(v.At)
	}
	line = oneLine(line)
	if v.Code != nil {
		code = oneLine(codeLine(*v.Code))
	}
	switch {
	case code == "":
	case p.Width > 0 && cells(line)+len("; ")+cells(code) > p.Width: // a terminal would wrap within a word
		line += "\n" + code
	default:
		line += "; " + code
	}
	return "# Context of " + oneLine(v.Branch) + "\n\n" + line + "\n"
}

// time formats a time: for programs absolute, so that two calls give the same bytes.
func (p *Printer) time(t time.Time) string {
	if p.Width > 0 {
		return age(t, p.Now)
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// mostEdits is how many uncommitted files the brief names.
const mostEdits = 8

func codeLine(c code.State) string {
	line := "code"
	if c.Branch != "" {
		line += " " + c.Branch
	}
	if c.Commit == nil {
		line += " without a commit"
	} else {
		line += " at " + c.Commit.Short()
	}
	switch {
	case c.Late:
		return line + ", uncommitted: unknown, git took too long"
	case c.Lacking:
		return line + ", uncommitted: unknown, objects of the code are not here"
	case c.Uncommitted == nil:
		return line
	case len(c.Uncommitted) == 0:
		return line + ", nothing uncommitted"
	}
	var edits []string
	for _, e := range c.Uncommitted[:min(len(c.Uncommitted), mostEdits)] {
		edits = append(edits, clip(e.Path, longLabel)+editSize(e))
	}
	if n := len(c.Uncommitted) - mostEdits; n > 0 {
		edits = append(edits, strconv.Itoa(n)+" more")
	}
	return line + ", uncommitted: " + strings.Join(edits, ", ")
}

func editSize(e code.Edit) string {
	switch {
	case e.New:
		return " (new)"
	case e.Added == nil:
		return ""
	}
	return fmt.Sprintf(" +%d -%d", *e.Added, *e.Removed)
}

// end is the line of the commands for more, only those that apply.
func (v Snapshot) end(p *Printer) string {
	at := atFlag(v.At)
	more := []string{"--budget 0"}
	if len(v.Commits) > 1 {
		more = append(more, "--branch "+v.Branch)
	}
	more = append(more, "--log")
	for i := range more {
		more[i] = "'" + p.Self + " " + more[i] + at + "'"
	}
	return "\nMore: " + strings.Join(more, ", ") + "\n"
}

// briefer makes the parts of a brief.
type briefer struct {
	Snapshot
	p     *Printer
	limit int // bytes; 0: none
}

// parts returns the parts in their order.
func (b briefer) parts() []part {
	return []part{
		b.attention(), b.questions(), b.pinned(), b.goal(), b.state(), b.earlier(), b.decisions(), b.milestones(), b.todo(), b.topics(),
		b.branches(), b.ended(), b.pending(),
	}
}

// command returns a command of the brief's own program.
func (b briefer) command(words string) string { return b.p.Self + " " + words }

// part makes a part of entries. It drops those that certainly have no room: a roadmap may have
// a million of them.
func (b briefer) part(weight int, title, command string, entries []entry) part {
	x := part{title: title, entries: entries, command: b.command(command + atFlag(b.At)), weight: weight}
	if most := b.limit / len(bullet); b.limit > 0 && len(entries) > most {
		x.entries, x.hidden = entries[:most], len(entries)-most
	}
	return x
}

// texts makes an entry of each text, at most as many as have room, and counts the others.
func (b briefer) texts(weight int, title, command string, list []string) part {
	shown := list
	if most := b.limit/len(bullet) + 1; b.limit > 0 && len(list) > most {
		shown = list[:most]
	}
	entries := make([]entry, len(shown))
	for i, text := range shown {
		entries[i] = entry{text: text}
	}
	x := b.part(weight, title, command, entries)
	x.hidden += len(list) - len(shown)
	return x
}

// hide counts n more entries that are not shown.
func (x part) hide(n int) part {
	x.hidden += n
	return x
}

// The weights of the parts. What has to be dealt with first has the largest.
const (
	weightFirst  = 40
	weightPinned = 20
	weightState  = 12
	weightFacts  = 10
	weightMinor  = 3
)

func (b briefer) attention() part {
	var list []entry
	for _, n := range b.Attention {
		after := ""
		if n.Command != "" {
			after = ": " + strings.Replace(n.Command, "git context", b.p.Self, 1)
		}
		list = append(list, entry{text: n.Text, after: after})
	}
	return b.part(weightFirst, "Attention", "roadmap", list)
}

func (b briefer) questions() part {
	return b.texts(weightFirst, "Open questions", "roadmap", b.Questions).hide(b.Roadmap.left.Questions)
}

// pinned are the pinned topics and the roadmap's own sections: people put their rules there.
func (b briefer) pinned() part {
	var list []entry
	for _, t := range b.Topics {
		if t.Pinned {
			list = append(list, b.topic(t))
		}
	}
	for _, s := range b.Roadmap.Sections {
		if strings.TrimSpace(s.Text) != "" {
			list = append(list, entry{label: s.Name + ": ", text: s.Text})
		}
	}
	x := b.part(weightPinned, "Pinned", "roadmap", list)
	x.most = 33
	return x
}

func (b briefer) goal() part {
	var list []entry
	if b.Roadmap.Goal != "" {
		list = append(list, entry{text: b.Roadmap.Goal})
	}
	if b.Purpose != "" && b.Purpose != b.Roadmap.Goal {
		list = append(list, entry{label: "this branch: ", text: b.Purpose, command: b.command("--branch " + b.Branch + atFlag(b.At))})
	}
	return b.part(weightState, "Goal", "roadmap", list)
}

// inFull returns how many commits are shown in full: one more than is asked for if the newest
// brought no steps and the one before says more.
func (b briefer) inFull() int {
	n := b.full
	if n == 1 && len(b.Commits) > 1 && b.Commits[0].Steps.Count == 0 && length(b.Commits[0]) < length(b.Commits[1]) {
		n = 2
	}
	return min(n, len(b.Commits))
}

// state is the newest commit, and the progress summary if one was given.
func (b briefer) state() part {
	var list []entry
	for _, c := range b.Commits[:b.inFull()] {
		list = append(list, b.commit(c))
	}
	if doc.WrittenProgress(b.Progress) {
		list = append(list, entry{label: "progress before: ", text: b.Progress})
	}
	return b.part(weightState, "State of the work", "--branch "+b.Branch, list)
}

// length is how long the texts of a commit are, in bytes.
func length(c store.Commit) int { return len(c.Summary) + len(c.Contribution) }

// commit is an entry of a commit: its summary, and what it contributed.
func (b briefer) commit(c store.Commit) entry {
	e := entry{label: b.p.time(c.Time) + b.by(c.Agent, c.Authored) + ": ", text: c.Summary,
		command: b.command("--commit " + c.ID)}
	if rest := strings.TrimSpace(strings.TrimPrefix(c.Contribution, c.Summary)); rest != "" {
		e.text += "\n" + rest
	}
	var after []string
	if c.Outcome != nil {
		after = append(after, *c.Outcome)
	}
	if c.Score != nil {
		after = append(after, "score "+score(*c.Score))
	}
	if line := StaleLine(c.Staleness); line != "" {
		after = append(after, line)
	}
	if len(after) > 0 {
		e.after = " [" + strings.Join(after, "; ") + "]"
	}
	return e
}

// earlier are the commits before.
func (b briefer) earlier() part {
	var list []entry
	for _, c := range b.Commits[b.inFull():] {
		list = append(list, b.commit(c))
	}
	return b.part(weightState, "Before that", "--branch "+b.Branch, list)
}

func (b briefer) decisions() part {
	return b.texts(weightFacts, "Decisions, newest first", "roadmap", newestFirst(b.Decisions)).hide(b.Roadmap.left.Decisions)
}

func (b briefer) milestones() part {
	return b.texts(weightFacts, "Milestones", "roadmap", openItems(b.Roadmap.Milestones)).hide(b.Roadmap.left.Milestones.Open)
}

// todo are the open to-dos, in their order; if not all have room, the newest. Of what is done it
// says what came of it, and how much else there is.
func (b briefer) todo() part {
	list := append(doneItems(b.Roadmap), openItems(b.Roadmap.Todo)...)
	hidden := b.Roadmap.left.Milestones.Outcome + b.Roadmap.left.Todo.Outcome + b.Roadmap.left.Todo.Open
	if most := b.limit / len(bullet); b.limit > 0 && len(list) > most { // there may be a million
		hidden += len(list) - most
		list = list[len(list)-most:]
	}
	x := b.texts(weightState, "To do", "roadmap", list)
	x.last = true
	return x.hide(hidden)
}

// openItems returns the texts of items that are not done, but of those that the user is to be told.
func openItems(list []store.Item) (texts []string) {
	for _, i := range list {
		if !i.Done && !strings.HasPrefix(i.Text, doc.TellPrefix) {
			texts = append(texts, i.Text)
		}
	}
	return texts
}

// doneItems says what came of the items that are done, and counts the others.
func doneItems(r Roadmap) (texts []string) {
	n := r.left.Milestones.Done + r.left.Todo.Done
	for _, i := range slices.Concat(r.Milestones, r.Todo) {
		switch {
		case i.Done && i.Outcome != "":
			texts = append(texts, "done: "+i.Text+" → "+i.Outcome)
		case i.Done:
			n++
		}
	}
	if n > 0 {
		texts = append([]string{"done: " + prose.Count(n, "item")}, texts...)
	}
	return texts
}

func (b briefer) topics() part {
	var list []entry
	for _, t := range b.Topics {
		if !t.Pinned {
			list = append(list, b.topic(t))
		}
	}
	x := b.part(weightFacts, "Topics", "topics", list)
	return x.hide(b.Unread)
}

func (b briefer) topic(t Topic) entry {
	e := entry{label: t.Key + b.by(t.Agent, t.Authored) + ": ", text: t.Text,
		command: b.command("topic " + t.Key + atFlag(b.At))}
	if line := StaleLine(t.Staleness); line != "" {
		e.after = " [stale: " + line + "]"
	}
	return e
}

// branches are the other branches that work goes on in.
func (b briefer) branches() part {
	var list []entry
	for _, other := range b.active {
		if other.Name == b.Branch {
			continue
		}
		text := prose.Fold(cmp.Or(other.Purpose, other.Summary))
		if other.Pending > 0 {
			text = strings.TrimSpace(prose.Count(other.Pending, "step") + " pending. " + text)
		}
		list = append(list, entry{label: other.Name + " (" + b.p.time(other.UpdatedAt) + "): ", text: text,
			command: b.command("--branch " + other.Name)})
	}
	x := b.part(weightMinor, "Other branches", "branch", list)
	if n := b.more[statusActive] + b.unknown; n > 0 && len(list) > 0 {
		x.hidden += n
	}
	return x
}

// ended is what came of the branches that are merged or abandoned.
func (b briefer) ended() part {
	return b.texts(weightMinor, "Branches that ended", "roadmap", newestFirst(b.Roadmap.Outcomes)).hide(b.Roadmap.left.Outcomes)
}

// pending says how many steps no commit contains yet, and shows the newest, and before it as many as have
// room: where nothing else was written, they are all that is known of the work.
func (b briefer) pending() part {
	if b.Pending == 0 {
		return part{}
	}
	line := func(s store.Step) string { return prose.OneLine(stepLine(s), lastStepLimit) }
	list := []entry{{label: prose.Count(b.Pending, "step") + " in no commit"}}
	if b.LastStep != nil {
		list[0].label, list[0].text = list[0].label+"; the newest: ", line(*b.LastStep)
	}
	for _, s := range newestFirst(b.before) {
		list = append(list, entry{label: "before: ", text: line(s)})
	}
	for i := range list {
		list[i].command = b.command(fmt.Sprintf("-b %s --log --steps %d", b.Branch, b.Pending))
	}
	x := b.part(weightMinor, "Pending", "--log", list)
	x.most = 6
	return x
}

// lastStepLimit is how much the brief shows of a pending step, in characters.
const lastStepLimit = 300

// stepLine is a step on one line.
func stepLine(s store.Step) string {
	var texts []string
	for _, text := range []string{s.Thought, s.Action, s.Observation} {
		if text != "" {
			texts = append(texts, prose.Fold(text))
		}
	}
	return strings.Join(texts, " | ")
}

// newestFirst returns a list in the opposite order.
func newestFirst[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}
