package capture

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/refs/prose"
)

// Bounds of the account of an interrupted turn, in bytes.
const (
	mostAccount = 6000 // of all of it
	mostSaid    = 2600 // of what the agent said
	mostLast    = 300  // characters of the last call
	mostFound   = 1024 // of its result, which the agent was about to act on
	mostPlan    = 800  // characters of the plan
	mostCalls   = 1600 // of the calls before, together
	leastCall   = 200  // of one of them, and of its result
)

// account begins the account of an interrupted turn, and silent that of one in which the agent said nothing.
const (
	account = "Interrupted. The agent said, oldest first:\n"
	silent  = "Interrupted. The agent said nothing."
)

// isAccount reports whether a text is the account of an interrupted turn.
func isAccount(text string) bool {
	return strings.HasPrefix(text, account) || strings.HasPrefix(text, silent)
}

// interrupt puts an account of a turn that has no end in the place of its last message, which is none.
func (d *due) interrupt(p policy, steps []agent.Step) {
	if p.mode == captureFull {
		said := interrupted(d.Prompt, steps)
		if d.Final != "" && strings.HasPrefix(said, silent) { // the client gave its words
			return
		}
		d.Final = cmp.Or(said, d.Final)
	}
}

// interrupted is an account of a turn that has no end, "" if the agent said and called nothing in it: its newest
// texts, its plan, its last call, and what it called before. Nothing else tells what it found and what
// is left.
func interrupted(prompt string, steps []agent.Step) string {
	var said []string
	for _, step := range steps {
		if thought := strings.TrimSpace(step.Thought); thought != "" {
			said = append(said, thought)
		}
	}
	plan := ""
	calls := slices.DeleteFunc(slices.Clone(steps), func(step agent.Step) bool {
		if agent.IsPlan(step.Action) {
			plan = step.Action
		}
		return step.Action == "" || agent.IsPlan(step.Action)
	})
	if len(said)+len(calls) == 0 && plan == "" {
		return ""
	}
	end := ""
	if plan != "" {
		end += "\n\nIts plan: " + prose.OneLine(plan, mostPlan)
	}
	if n := len(calls); n > 0 {
		last, r := calls[n-1], resultsOf(prompt, said)
		end += "\n\nIts last call: " + prose.OneLine(does(last), mostLast+len(last.Change))
		if last.Observation != "" && last.Change == "" {
			end += "\nThe result: " + agent.Digest(last.Observation, mostFound, r.wanted, nil)
		}
		r.tell(last.Observation)
		end += r.before(calls[:n-1])
	}
	if len(said) == 0 {
		return silent + end
	}
	return account + strings.Join(saidLines(said, mostSaid), "") + end
}

// results shortens the results of a turn, the newest first.
type results struct {
	wanted agent.Wanted
	told   map[string]bool // lines of newer results: they are not told again
}

func resultsOf(prompt string, said []string) results {
	newest := said[max(0, len(said)-1):]
	return results{wanted: agent.WantedBy(append([]string{prompt}, newest...)...), told: map[string]bool{}}
}

// tell notes that the lines of a result were told.
func (r results) tell(result string) {
	for line := range strings.Lines(result) {
		r.told[strings.TrimSpace(line)] = true
	}
}

func (r results) known(line string) bool { return r.told[line] }

// before lists calls, the newest ones if not all have room.
func (r results) before(calls []agent.Step) string {
	if len(calls) == 0 {
		return ""
	}
	most := max(mostCalls/len(calls), leastCall)
	var lines []string
	for left := mostCalls; len(calls) > 0; calls = calls[:len(calls)-1] {
		step := calls[len(calls)-1]
		line := r.call(step, most)
		r.tell(step.Observation)
		if slices.Contains(lines, line) {
			continue
		}
		if left -= len(line); left < 0 {
			break
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return "\n\nThe calls before it, oldest first:\n" + strings.Join(lines, "")
}

// call is a call and its result on one line of about that many bytes: what one of the two leaves, the
// other gets. The result of an edit only repeats it.
func (r results) call(step agent.Step, most int) string {
	result := prose.Fold(agent.Digest(step.Observation, most, r.wanted, r.known))
	if step.Change != "" {
		step.Change = agent.Shorten(step.Change, max(most-min(len(step.File), leastCall), leastEdit))
		return "\n- " + prose.Fold(does(step))
	}
	line := "\n- " + prose.OneLine(does(step), max(most-len(result), most/2))
	if result != "" {
		line += " → " + prose.Fold(agent.Digest(step.Observation, max(most-len(line), most/2), r.wanted, r.known))
	}
	return line
}

// does is what a step called. Of an edit it is the tool, the file and the short form of what changed.
func does(step agent.Step) string {
	if step.Change == "" {
		return step.Action
	}
	tool, _, _ := strings.Cut(prose.Fold(step.Action), " ")
	return strings.TrimSuffix(tool, ":") + ": " + prose.OneLine(step.File, leastCall) + "\n" + step.Change
}
