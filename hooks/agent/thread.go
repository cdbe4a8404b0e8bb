package agent

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"time"
)

// Bounds of what waits, against transcripts that never close anything.
const (
	maxQueue = 256      // calls, prompts and texts behind a call without a result
	maxText  = 64 << 10 // bytes of texts that wait for a call
)

// Thread makes steps of the events of one transcript, in the order of their calls: results
// of parallel calls come in any order.
type Thread struct {
	report Report
	emit   func(Step) error
	failed error // of emit
	own    bool  // a record that only the client writes was seen
	torn   bool  // the current line is the last, has no newline, and may be the part of a record

	seen  map[string]bool // ids of records and calls; histories are copied
	owns  map[string]bool // calls of git-context and ignored ones, whose results are dropped
	texts []Event         // visible texts that wait for a call
	queue []*item
	group group
	room  room
	turns turns
	start Start

	answer  string // the newest answer with usage
	counted int64  // its tokens that a step has, or owed has
	owed    int64  // tokens for the next step
}

// item waits in the queue until it and all before it are done.
type item struct {
	Event
	thought string
	result  string
	done    bool
	told    bool // there is a result
	tokens  int64
	turn    int  // its number in Report.Turns
	begins  bool // a Prompt that begins its turn
}

func newThread(start Start, emit func(Step) error) *Thread {
	start.Clean = start.Cleaner()
	t := &Thread{start: start, emit: emit, own: start.Middle, seen: map[string]bool{}, owns: map[string]bool{}}
	t.turns.between = true
	t.report.Unknown = map[string]int{}
	t.room.seed = maphash.MakeSeed()
	t.room.begin()
	return t
}

// Seen reports whether it was called with the id before, and remembers it.
func (t *Thread) Seen(id string) bool {
	if id == "" {
		return false
	}
	before := t.seen[id]
	t.seen[id] = true
	return before
}

// SeenCall reports whether there was a call of the id, and remembers it.
func (t *Thread) SeenCall(id string) bool { return id != "" && t.Seen("call "+id) }

// Time notes the time of a record, for those without one and for Report.Last.
func (t *Thread) Time(at time.Time) {
	if at.After(t.report.Last) {
		t.report.Last = at
	}
}

// In notes the directory in which a record was written.
func (t *Thread) In(dir string) {
	if t.report.Dir == "" {
		t.report.Dir = dir
	}
}

// Set notes a setting of the client; the value of one that is as usual is empty.
func (t *Thread) Set(name, value string) {
	name += " "
	t.report.Settings = slices.DeleteFunc(t.report.Settings, func(s string) bool { return strings.HasPrefix(s, name) })
	if value != "" {
		t.report.Settings = append(t.report.Settings, name+Name(value))
	}
}

// Add adds an event. A Call whose id was seen before is the copy of a record.
func (t *Thread) Add(e Event) {
	if t.Time(e.Time); e.Time.IsZero() {
		e.Time = t.report.Last
	}
	e.Session = cmp.Or(e.Session, t.start.Session)
	switch e.Kind {
	case Prompt:
		t.closeTexts()
		e.Clean(t.start.Clean)
		begins := t.prompted(e)
		t.push(&item{Event: e, done: true, begins: begins})
	case Stop:
		t.closeTexts()
		t.closeCalls("")
		t.push(&item{Event: e, done: true})
		t.stopped(e)
	case Text:
		t.text(e)
	case Call:
		t.call(e)
	case Result:
		t.result(e)
	case Usage:
		t.usage(e)
	}
	if len(t.queue) > maxQueue {
		t.queue[0].done = true
	}
	t.settle()
}

func (t *Thread) text(e Event) {
	if strings.TrimSpace(e.Text) == "" {
		return
	}
	t.closeAnswers(e.Answer)
	t.worked(e)
	if !t.completes(e) {
		t.texts = append(t.texts, e)
	}
	size := 0
	for _, text := range t.texts {
		size += len(text.Text)
	}
	if e.Final || size > maxText || len(t.texts) > maxQueue {
		t.closeTexts()
	}
}

// completes puts a text in the place of a part of it that was written while the answer
// streamed.
func (t *Thread) completes(e Event) bool {
	for i := range t.texts {
		old := &t.texts[i]
		if e.Answer != "" && old.Answer == e.Answer && strings.HasPrefix(e.Text, old.Text) {
			old.Text = e.Text
			return true
		}
	}
	return false
}

// DropText drops the texts that wait and that drop approves: what looked like the agent's
// words was not.
func (t *Thread) DropText(drop func(text string) bool) {
	kept := t.texts[:0]
	for _, e := range t.texts {
		if !drop(e.Text) {
			kept = append(kept, e)
		}
	}
	t.texts = kept
}

func (t *Thread) call(e Event) {
	if t.SeenCall(e.Call) {
		return
	}
	t.closeAnswers(e.Answer)
	if commitsMemory(e) {
		t.worked(e).Committed = true
	}
	if ownCall(e) || findsTools(e) || t.start.Ignore != nil && t.start.Ignore(e) {
		t.owns[e.Call] = true
		return
	}
	if e.Class == Shell && looks(e.Argument) {
		e.Class = Looks
	}
	e.Clean(t.start.Clean)
	t.worked(e).Calls++
	call := &item{Event: e, thought: t.said(), tokens: t.owed}
	t.texts, t.owed = nil, 0
	t.push(call)
}

func (t *Thread) result(e Event) {
	if t.owns[e.Call] {
		delete(t.owns, e.Call)
		return
	}
	for _, i := range t.queue {
		if i.Kind == Call && i.Event.Call == e.Call && !i.done {
			if i.result, i.done, i.told = t.start.Clean(e.Text), true, true; e.Failed {
				i.Change = ""
			}
			t.wrote(i, e)
			return
		}
	}
}

// usage counts the tokens of an answer once, although each of its records repeats them, and
// the largest number, because the first ones may be those of a part.
func (t *Thread) usage(e Event) {
	if e.Answer != t.answer {
		t.answer, t.counted = e.Answer, 0
	}
	more := e.Tokens - t.counted
	if more <= 0 {
		return
	}
	t.counted = e.Tokens
	if n := len(t.queue); n > 0 {
		if i := t.queue[n-1]; i.Answer == e.Answer && (i.Kind == Call || i.Kind == Text) {
			i.tokens += more
			return
		}
	}
	t.owed += more
}

// closeTexts makes a step of the texts that no call follows.
func (t *Thread) closeTexts() {
	if len(t.texts) == 0 {
		return
	}
	e := t.texts[0]
	e.Model = t.texts[len(t.texts)-1].Model
	t.push(&item{Event: e, thought: t.said(), done: true, tokens: t.owed})
	t.texts, t.owed = nil, 0
}

// closeAnswers closes the calls of other answers: a model's answer follows the results of
// all calls of the one before.
func (t *Thread) closeAnswers(answer string) {
	if answer != "" {
		t.closeCalls(answer)
	}
}

func (t *Thread) closeCalls(but string) {
	for _, i := range t.queue {
		if but == "" || i.Answer != but {
			i.done = true
		}
	}
}

func (t *Thread) push(i *item) {
	i.turn = len(t.report.Turns) - 1
	t.queue = append(t.queue, i)
}

// settle makes steps of what is done at the head of the queue.
func (t *Thread) settle() {
	for len(t.queue) > 0 && t.queue[0].done && t.failed == nil {
		i := t.queue[0]
		t.queue = t.queue[1:]
		t.deliver(i)
	}
}

func (t *Thread) deliver(i *item) {
	if i.Kind == Call && i.Class == Looks {
		if t.group.add(i) {
			t.closeGroup()
		}
		return
	}
	t.closeGroup()
	switch i.Kind {
	case Prompt:
		if i.begins {
			t.room.begin()
		}
		t.step(i.turn, i.step(i.prompt(), "", ""))
	case Stop:
		t.room.begin()
	case Text:
		t.step(i.turn, i.step("", i.thought, ""))
	case Call:
		if !i.told && len(i.Files) > 0 { // whether it was run is unknown
			t.report.Turns[i.turn].Changed = true
		}
		s := i.step(tidy(i.result), i.thought, i.action())
		if s.Change = i.Change; s.Change != "" {
			s.File = strings.Join(i.Files, ", ")
		}
		t.step(i.turn, s)
	}
}

func (t *Thread) closeGroup() {
	if items := t.group.items; len(items) > 0 {
		t.group = group{}
		t.step(items[0].turn, grouped(items, t.room.limit(), t.prompt(items[0].turn)))
	}
}

// step cuts a step of a turn and emits it, unless it is empty, repeated or without room.
func (t *Thread) step(turn int, s Step) {
	if s.Observation+s.Thought+s.Action == "" || t.room.repeats(s) {
		t.owed += s.Tokens
		return
	}
	if !t.room.fit(&s, t.prompt(turn)) {
		t.report.LeftOut++
		t.owed += s.Tokens
		return
	}
	t.room.show(&s)
	if t.failed == nil {
		t.report.Turns[turn].Steps++
		t.failed = t.emit(s)
	}
}

// prompt is what a turn is about.
func (t *Thread) prompt(turn int) string {
	if turn < 0 || turn >= len(t.report.Turns) {
		return ""
	}
	return t.report.Turns[turn].Prompt
}

// open emits what is unfinished to the report.
func (t *Thread) open() {
	t.emit = func(s Step) error {
		t.report.Open = append(t.report.Open, s)
		return nil
	}
	t.closeTexts()
	t.closeCalls("")
	t.settle()
	t.closeGroup()
	if n := len(t.report.Turns); n > 0 {
		t.report.Final = t.report.Turns[n-1].Final
	}
}

func (i *item) step(observation, thought, action string) Step {
	return Step{ID: i.ID, Session: i.Session, Copied: i.Copied, Time: i.Time, Model: i.Model, Tokens: i.tokens,
		Observation: observation, Thought: thought, Action: action}
}

func (i *item) prompt() string {
	text := tidy(i.Text)
	switch {
	case text == "":
		return ""
	case i.Task:
		return "Task: " + text
	}
	return "User: " + text
}

func (i *item) action() string {
	if i.Argument == "" {
		return i.Tool
	}
	return i.Tool + ": " + tidy(i.Argument)
}

// joined is the texts of events, a paragraph each.
func joined(events []Event) string {
	var all []string
	for _, e := range events {
		all = append(all, tidy(e.Text))
	}
	return strings.Join(all, "\n\n")
}

// tidy leaves blank lines and spaces around a text out; the indent of its first line stays.
func tidy(text string) string {
	return strings.TrimLeft(strings.TrimRight(text, " \t\r\n"), "\r\n")
}
