package agent

import (
	"slices"
	"strings"
	"time"
)

// Bounds of a Turn.
const (
	maxFinal    = 8 << 10
	maxFiles    = 200
	maxFileName = 1 << 10
)

// Turn is what happened from a prompt to the next.
type Turn struct {
	// Prompt is the text that began the turn, at most 2 KiB. It is empty where the agent went
	// on by itself, or where the prompt is not in what was read.
	Prompt string
	Task   bool // another agent gave the Prompt: the turn is a subagent's

	Session string // which is another one where a fork copied its origin
	Copied  bool   // it did

	Terms string   // what else the user asked for, where the Prompt has only the task
	Final string   // the last visible text of the agent, at most 8 KiB
	Files []string // that its tools wrote, at most 200, relative to the session's directory if below it
	Edits []Edited // what they changed in them, at most 200
	Made  []Made   // commits of code, at most 100
	Calls int      // of tools, except git-context's own
	Steps int

	// Changed says that files were changed, of which Files may have none, or that a call was to change some
	// and the transcript does not say what became of it.
	Changed bool

	Begin, End time.Time // of the first and the last record
	Committed  bool      // the agent made a commit of memory itself
	Done       bool      // the agent finished its answer, was interrupted, or got another prompt
	Cut        bool      // it was interrupted: Final is no account of the turn
	Offset     int64     // of the first byte, where reading in the middle may begin
}

// Edited is what a turn changed in a file, or in those of one patch.
type Edited struct {
	File   string `json:"file"`
	Change string `json:"change"` // see the function Change; the newest first
}

// edited notes a change of a file.
func (t *Turn) edited(name, change string) {
	if change != "" && len(name) <= maxFileName {
		t.Edits = AddEdited(t.Edits, Edited{name, change}, maxFiles)
	}
}

// AddEdited adds a change to a list of at most that many files.
func AddEdited(list []Edited, e Edited, most int) []Edited {
	for i := range list {
		if list[i].File == e.File && strings.HasPrefix(list[i].Change, e.Change) { // again
			return list
		}
		if list[i].File == e.File {
			list[i].Change = Shorten(e.Change+"\n"+list[i].Change, MaxChange)
			return list
		}
	}
	if len(list) < most {
		list = append(list, e)
	}
	return list
}

// turns is where the records are among the turns.
type turns struct {
	at      int64 // where the current record begins
	from    int64 // where the newest Stop begins
	between bool  // nothing of another turn came since the Stop
	stop    bool  // there was a Stop
}

// prompted begins a turn with a prompt and reports true, unless it belongs to the one that
// goes on.
func (t *Thread) prompted(e Event) bool {
	if n := len(t.report.Turns); e.Beside && !t.turns.between && !t.report.Turns[n-1].Done {
		t.current(e)
		return false
	}
	turn := t.begin(e)
	turn.Prompt, turn.Task = Cut(tidy(e.Text), maxField), e.Task
	return true
}

// begin begins a turn, and ends the one before.
func (t *Thread) begin(e Event) *Turn {
	if n := len(t.report.Turns); n > 0 {
		t.report.Turns[n-1].Done = true
	}
	offset := t.turns.at
	if t.turns.between && t.turns.stop {
		offset = t.turns.from
	}
	t.turns.between = false
	t.report.Turns = append(t.report.Turns, Turn{Session: e.Session, Copied: e.Copied, Begin: e.Time, End: e.Time, Offset: offset})
	return &t.report.Turns[len(t.report.Turns)-1]
}

// current is the turn of an event that begins none.
func (t *Thread) current(e Event) *Turn {
	turn := &t.report.Turns[len(t.report.Turns)-1]
	if e.Time.After(turn.End) {
		turn.End = e.Time
	}
	return turn
}

// stopped ends the turn.
func (t *Thread) stopped(e Event) {
	if !t.turns.between {
		turn := t.current(e)
		turn.Done, turn.Cut = true, e.Cut
	}
	t.turns.between, t.turns.stop, t.turns.from = true, true, t.turns.at
}

// worked is the turn of a text or call, which is a new one if no prompt came before.
func (t *Thread) worked(e Event) *Turn {
	if t.turns.between {
		t.begin(e)
	}
	turn := t.current(e)
	turn.Done = e.Final
	return turn
}

// said is the texts that wait, as one, which is the last that the agent said.
func (t *Thread) said() string {
	text := t.start.Clean(joined(t.texts)) // one text, because a part of it may be replaced by its whole, see completes
	if text != "" {
		t.report.Turns[len(t.report.Turns)-1].Final = Cut(text, maxFinal)
	}
	return text
}

// wrote notes the end of a call, its commits of code, and its files if it did not fail.
func (t *Thread) wrote(call *item, result Event) {
	turn := &t.report.Turns[call.turn]
	if result.Time.After(turn.End) {
		turn.End = result.Time
	}
	if call.Class == Shell {
		turn.madeCode(call, result)
	}
	if result.Failed {
		return
	}
	turn.edited(strings.Join(call.Files, ", "), call.Change)
	for _, name := range call.Files {
		if len(turn.Files) < maxFiles && name != "" && len(name) <= maxFileName && !slices.Contains(turn.Files, name) {
			turn.Files = append(turn.Files, name)
		}
	}
}
