// Package aider reads the chat history of aider, the file .aider.chat.history.md of a repository. Its
// format was read off aider's own source, release 0.86.
//
// The file is Markdown, which grows at its end and has neither ids nor times, except when a chat began:
//
//   - "# aider chat started at 2026-10-01 10:00:00" begins a chat, in local time. The chat is the session.
//   - "#### " begins a line of what the user typed. Some lines are commands, such as "/run make".
//   - "> " begins a line that the program printed, such as "> Applied edit to main.go", "> Commit 1a2b3c4
//     Fix the build", "> Main model: MODEL with …" and "> Tokens: 1.2k sent, 30 received. …".
//   - Other lines are the words of the model. Its edits are blocks between "<<<<<<< SEARCH" and
//     ">>>>>>> REPLACE" in a fence; what became of them is in the lines of the program.
//
// Lines of the user and of the program end with two spaces, which is what tells them apart from such lines
// in a fence of the model. An edit and a commit of the code become steps as calls of tools do; what the
// program says besides is left out, and so are commands that only concern the chat.
package aider

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
)

// Name is the name of the client.
const Name = "aider"

// mostHistory is the size in bytes above which the rest of a file is not read.
const mostHistory = 256 << 20

// began begins the line that begins a chat.
const began = "# aider chat started at "

// appliedTo begins the line that says that an edit was applied.
const appliedTo = "Applied edit to "

// Decode reads a file and calls emit for each finished step; see agent.Decode. A step's id is its number
// in its chat, and its session is the time of the chat.
func Decode(r io.Reader, start agent.Start, emit func(agent.Step) error) (*agent.Report, error) {
	text, err := io.ReadAll(io.LimitReader(r, mostHistory))
	if err != nil {
		return &agent.Report{}, err
	}
	p := &parser{changes: map[string][]agent.Edit{}}
	for line := range strings.Lines(strings.ToValidUTF8(string(text), "\uFFFD")) {
		p.line(strings.TrimRight(line, "\r\n"))
	}
	p.end()
	if !p.found && len(bytes.TrimSpace(text)) > 0 {
		return &agent.Report{}, agent.ErrForeign
	}
	var numbers strings.Builder // a line for each part: package agent reads lines
	for n := range p.parts {
		fmt.Fprintln(&numbers, n)
	}
	d := &decoder{parts: p.parts}
	return agent.Decode(strings.NewReader(numbers.String()), start, d.record, emit)
}

// decoder makes events of parts.
type decoder struct {
	parts  []part
	chat   string
	at     time.Time
	number int // of the part in its chat
	answer int // of the answer in its chat
	model  string
}

func (d *decoder) record(t *agent.Thread, line []byte) {
	t.Own()
	n, err := strconv.Atoi(string(line))
	if err != nil || n >= len(d.parts) {
		t.Broken()
		return
	}
	switch p := d.parts[n]; p.kind {
	case chat:
		d.stop(t)
		d.chat, d.at, d.number, d.answer, d.model = p.text, p.at, 0, 0, ""
	case typed:
		d.stop(t)
		d.typed(t, p.text)
	case said:
		d.answer++
		e := d.event(agent.Text)
		e.Text = p.text
		t.Add(e)
	case printed:
		d.printed(t, p)
	}
	if n == len(d.parts)-1 {
		d.stop(t)
	}
}

func (d *decoder) stop(t *agent.Thread) {
	if d.number > 0 {
		t.Add(d.event(agent.Stop))
	}
}

func (d *decoder) event(kind agent.Kind) agent.Event {
	d.number++
	return agent.Event{Kind: kind, ID: strconv.Itoa(d.number), Session: d.chat, Time: d.at, Model: d.model, Answer: strconv.Itoa(d.answer)}
}

// typed adds what the user typed: a prompt, or a command line that the user ran.
func (d *decoder) typed(t *agent.Thread, text string) {
	command, rest, _ := strings.Cut(text, " ")
	switch {
	case strings.HasPrefix(text, "!"):
		d.run(t, strings.TrimSpace(text[1:]))
	case command == "/run" || command == "/test":
		d.run(t, strings.TrimSpace(rest))
	case command == "/ask" || command == "/code" || command == "/architect" || !strings.HasPrefix(text, "/"):
		e := d.event(agent.Prompt)
		if e.Text = text; strings.HasPrefix(text, "/") {
			e.Text = strings.TrimSpace(rest)
		}
		if e.Text != "" {
			t.Add(e)
		}
	}
}

// printed adds what a line of the program says that the agent did.
func (d *decoder) printed(t *agent.Thread, p part) {
	line := p.text
	if model, ok := cutAny(line, "Main model: ", "Model: "); ok {
		d.model, _, _ = strings.Cut(model, " ")
	}
	if name, ok := strings.CutPrefix(line, appliedTo); ok {
		e := agent.Event{Tool: "Edit", Argument: name, Files: []string{name}, Edits: p.edits}
		d.call(t, e, "")
	}
	if command, ok := strings.CutPrefix(line, "Running "); ok {
		d.run(t, command)
	}
	if made, ok := strings.CutPrefix(line, "Commit "); ok {
		if hash, subject, ok := strings.Cut(made, " "); ok { // in git's own form
			d.call(t, agent.Event{Tool: "Commit", Argument: "git commit", Class: agent.Shell}, "["+Name+" "+hash+"] "+subject)
		}
	}
	if usage, ok := strings.CutPrefix(line, "Tokens: "); ok {
		e := d.event(agent.Usage)
		e.Tokens = tokens(usage)
		t.Add(e)
	}
}

// run adds a command line that was run.
func (d *decoder) run(t *agent.Thread, line string) {
	d.call(t, agent.Event{Tool: "Run", Argument: line, Class: agent.Shell}, "")
}

// call adds a call and its result, which the file does not have in most cases.
func (d *decoder) call(t *agent.Thread, call agent.Event, result string) {
	e := d.event(agent.Call)
	e.Call, e.Tool, e.Argument, e.Class, e.Files, e.Edits = d.chat+" "+e.ID, call.Tool, call.Argument, call.Class, call.Files, call.Edits
	t.Add(e)
	r := d.event(agent.Result)
	r.Call, r.Text = e.Call, result
	t.Add(r)
}

// tokens are those that were sent and received, of "1.2k sent, 300 cache hit, 30 received. Cost: …".
func tokens(usage string) (sum int64) {
	usage, _, _ = strings.Cut(usage, ". ")
	for part := range strings.SplitSeq(usage, ",") {
		number, what, _ := strings.Cut(strings.TrimSpace(part), " ")
		if what = strings.TrimSuffix(what, "."); what != "sent" && what != "received" {
			continue
		}
		times := 1.0
		if n, ok := strings.CutSuffix(number, "k"); ok {
			number, times = n, 1e3
		} else if n, ok := strings.CutSuffix(number, "M"); ok {
			number, times = n, 1e6
		}
		if n, err := strconv.ParseFloat(number, 64); err == nil && n >= 0 && n < 1e6 {
			sum += int64(n * times)
		}
	}
	return sum
}

func cutAny(text string, prefixes ...string) (rest string, ok bool) {
	for _, prefix := range prefixes {
		if rest, ok = strings.CutPrefix(text, prefix); ok {
			return rest, true
		}
	}
	return text, false
}
