package transcript

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/refs/prose"
)

// Bounds of the account of a milestone, which is shorter than what the contribution of a commit keeps of
// a message.
const (
	mostHeadline = 400 // bytes
	mostTask     = 120 // characters of its title
	mostThoughts = 1000
	mostThought  = 320 // characters
	mostLast     = 240 // bytes
	mostEdited   = 200 // files
)

// milestones divides a trajectory into turns. It has one prompt, the task, so a turn is what is worth a
// commit there: a change of files and the programs that were run to try it. It goes on until the agent
// looks around, or begins a change, after a program was run that tried the last one.
//
// A part at the end that changes nothing, such as the submission, belongs to the turn before. The last turn
// of a trajectory that says nothing of its end is unfinished; it has the task, too, because the next
// agent continues from it.
func (r *sweReader) milestones(session string, acts []act) (turns []agent.Turn) {
	bounds := boundaries(acts)
	for n, from := range bounds {
		until := len(acts)
		if n+1 < len(bounds) {
			until = bounds[n+1]
		}
		t := agent.Turn{Session: session, Steps: until - from, Done: until < len(acts) || r.info.Exit != ""}
		if !t.Done {
			t.Terms = r.terms()
		}
		switch {
		case !t.Done || n == 0 && r.info.Exit != "":
			t.Prompt = agent.Cut(r.task, agent.MaxField)
		case n == 0: // the last has all of it
			t.Prompt = agent.Cut(firstOf(r.task), agent.MaxField)
		}
		for _, a := range acts[from:until] {
			if t.Changed = t.Changed || a.changes; a.called {
				t.Calls++
			}
			if a.change != "" {
				t.Edits = agent.AddEdited(t.Edits, agent.Edited{File: strings.Join(a.files, ", "), Change: a.change}, mostEdited)
			}
			for _, name := range a.files {
				if !slices.Contains(t.Files, name) {
					t.Files = append(t.Files, name)
				}
			}
		}
		t.Final = r.account(acts, from, until)
		turns = append(turns, t)
	}
	return turns
}

// boundaries are the positions at which milestones begin.
func boundaries(acts []act) (bounds []int) {
	if len(acts) > 0 {
		bounds = []int{0}
	}
	changed, tried := false, false
	looked := -1 // the first look after the last one was tried
	for n, a := range acts {
		switch {
		case a.changes && tried:
			if looked < 0 {
				looked = n
			}
			bounds = append(bounds, looked)
			changed, tried, looked = true, false, -1
		case a.changes:
			changed = true
		case a.looks && tried && looked < 0:
			looked = n
		}
		if a.runs && changed {
			tried, looked = true, -1
		}
	}
	return bounds
}

// account is what a milestone's commit says: how its test was read, what else was thought when something
// was changed or run, or found when it was looked at, the last call with its result, and at the end the outcome.
func (r *sweReader) account(acts []act, from, until int) string {
	headline := r.reading(acts, from, until)
	parts := []string{prose.Clip(headline, mostHeadline)}
	if from > 0 && r.task != "" {
		parts = append(parts, "Task: "+prose.OneLine(firstOf(r.task), mostTask))
	}
	var said []string
	left := mostThoughts
	for n := until - 1; n >= from; n-- { // the newest are worth most
		thought := strings.TrimSpace(r.steps[n].Thought)
		if thought == "" || thought == headline {
			continue
		}
		thought, stated := agent.Findings(thought)
		if !stated && acts[n].looks {
			continue
		}
		thought = prose.OneLine(thought, mostThought)
		if left -= len(thought) + len("- \n"); left < 0 {
			break
		}
		said = append(said, "- "+thought)
	}
	slices.Reverse(said)
	if len(said) > 0 {
		parts = append(parts, strings.Join(said, "\n"))
	}
	if last := r.steps[until-1]; last.Action != "" {
		parts = append(parts, "Last call: "+prose.OneLine(last.Action, mostLast)+"\nResult: "+
			prose.Fold(agent.Digest(last.Observation, mostLast, agent.WantedBy(r.task, last.Thought), nil)))
	}
	if until == len(acts) && r.info.Exit != "" {
		parts = append(parts, "Outcome: "+prose.OneLine(r.info.Exit, mostLast))
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
}

// reading is the thought after the first program that was run after the last change, because it says what
// the change brought; otherwise the last thought.
func (r *sweReader) reading(acts []act, from, until int) string {
	change := until - 1
	for change > from && !acts[change].changes {
		change--
	}
	for n := change; n < until; n++ {
		if acts[n].runs && n+1 < len(acts) && strings.TrimSpace(r.steps[n+1].Thought) != "" && !acts[n+1].submits {
			return strings.TrimSpace(r.steps[n+1].Thought)
		}
	}
	for n := until - 1; n >= from; n-- {
		if thought := strings.TrimSpace(r.steps[n].Thought); thought != "" {
			return thought
		}
	}
	return ""
}

// act is what a step of a trajectory does.
type act struct {
	called, looks, changes, runs, submits bool
	files                                 []string
	change                                string // the short form of what it wrote
}

// actOf reads an action: a command of SWE-agent's own, or a command line.
func actOf(s sweStep) act {
	line := strings.TrimSpace(s.Action)
	a := act{called: line != ""}
	words := strings.Fields(line)
	if len(words) == 0 {
		return act{}
	}
	open, dir := stateOf(s.State)
	word := func(n int) string {
		if n < len(words) {
			return strings.Trim(words[n], `'"`)
		}
		return ""
	}
	written := func(name string) {
		if a.changes = true; a.change == "" && !rejected(s.Observation) {
			a.change = agent.Change(editOf(line))
		}
		if name = cmp.Or(name, open); name != "" {
			a.files = append(a.files, path.Clean(agent.Relative(name, dir)))
		}
	}
	switch words[0] {
	case "open", "goto", "scroll_up", "scroll_down", "search_file", "search_dir", "find_file", "filemap", "view",
		"view_image", "think", "decompile", "disassemble":
		a.looks = true
	case "create":
		written(word(1))
	case "edit", "insert", "append", "undo_edit":
		written("")
	case "str_replace_editor", "str_replace_based_edit_tool", "edit_anthropic":
		if a.looks = word(1) == "view"; !a.looks {
			written(word(2))
		}
	case "submit", "exit_forfeit", "exit":
		a.submits, a.runs = true, true
	default:
		effect := agent.EffectOf(line)
		a.changes, a.runs = effect.Changes, effect.Runs
		for _, name := range effect.Writes {
			written(name)
		}
		a.looks = !a.changes && !a.runs
	}
	return a
}

// stateOf reads the open file and the working directory of a step's state; "" for none.
func stateOf(state json.RawMessage) (open, dir string) {
	var in struct {
		Open string `json:"open_file"`
		Dir  string `json:"working_dir"`
	}
	if len(state) > 0 && state[0] == '"' {
		state = json.RawMessage(agent.Value(state).Text())
	}
	if agent.Unmarshal(state, &in) != nil || in.Open == "n/a" {
		in.Open = ""
	}
	return in.Open, in.Dir
}

// taskOf is the task in the first message of a trajectory: the text of the issue, without what SWE-agent
// adds for every task.
func taskOf(message string) string {
	if _, rest, ok := strings.Cut(message, "<pr_description>"); ok {
		message, _, _ = strings.Cut(rest, "</pr_description>")
	} else if _, rest, ok := strings.Cut("\n"+message, "\nISSUE:\n"); ok {
		message = rest
	}
	message, _, _ = strings.Cut(message, "\nINSTRUCTIONS:\n")
	return strings.TrimSpace(message)
}

// firstOf is the first line of a text.
func firstOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
