// Package qwen decodes the transcripts of Qwen Code, the files
// ~/.qwen/projects/PROJECT/chats/SESSION.jsonl. Their format was read off release 0.15.10.
//
// A line is a record {uuid, parentUuid, sessionId, timestamp, type, cwd, message}, whose message has
// parts as the API of Gemini knows them: text, functionCall, functionResponse. The types:
//
//   - user is a prompt. Its first part is what the user typed; what hooks injected, and the files that the
//     prompt names, are parts after it.
//   - assistant is a whole answer, with its usageMetadata. A part with thought is reasoning. An answer
//     without a functionCall ends the turn.
//   - tool_result is the result of a call. What a command printed has the frame of Gemini CLI, of which
//     Qwen Code was made.
//   - system is the client's: telemetry, snapshots, titles, a rewind. Of a subagent, only telemetry is
//     there, and the result of the call that began it.
package qwen

import (
	"cmp"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/gemini"
)

// Name is the name of the client.
const Name = "qwen"

// Decode reads a transcript and calls emit for each finished step; see agent.Decode.
func Decode(r io.Reader, start agent.Start, emit func(agent.Step) error) (*agent.Report, error) {
	d := &decoder{start: start, dir: start.Dir}
	return agent.Decode(r, start, d.record, emit)
}

type decoder struct {
	start agent.Start
	dir   string
}

// record is what is of interest of a line.
type record struct {
	ID, Session, Type, Dir, Model string

	At     time.Time
	Parts  []part
	Status string // of a result
	Tokens int64  // without those from a cache
}

type part struct {
	Text    string
	Thought bool

	ID, Name string // of a call and its result
	Args     agent.Value
	Called   bool
	Answered bool
	Output   string
	Error    string
}

// read reads a line and reports whether it is a record.
func (r *record) read(line agent.Value) bool {
	return line.Members(func(name []byte, v agent.Value) {
		switch string(name) {
		case "uuid":
			r.ID = v.Text()
		case "sessionId":
			r.Session = v.Text()
		case "timestamp":
			r.At = agent.ParseTime(v.Text())
		case "type":
			r.Type = v.Text()
		case "cwd":
			r.Dir = v.Text()
		case "model":
			r.Model = v.Text()
		case "message", "toolCallResult", "usageMetadata":
			v.Members(r.nested)
		}
	})
}

// nested reads the members of the members of a line that have any: no two have one name.
func (r *record) nested(name []byte, v agent.Value) {
	switch string(name) {
	case "parts":
		v.Elements(func(v agent.Value) {
			var p part
			v.Members(p.read)
			r.Parts = append(r.Parts, p)
		})
	case "status":
		r.Status = v.Text()
	case "totalTokenCount":
		r.Tokens += max(0, v.Int())
	case "cachedContentTokenCount":
		r.Tokens -= max(0, v.Int())
	}
}

func (p *part) read(name []byte, v agent.Value) {
	switch string(name) {
	case "text":
		p.Text = v.Text()
	case "thought":
		p.Thought = v.True()
	case "functionCall":
		p.Called = true
		v.Members(p.read)
	case "functionResponse":
		p.Answered = true
		v.Members(p.read)
	case "response":
		v.Members(p.read)
	case "id":
		p.ID = v.Text()
	case "name":
		p.Name = v.Text()
	case "args":
		p.Args = v
	case "output":
		p.Output = v.Text()
	case "error":
		p.Error = v.Text()
	}
}

func (d *decoder) record(t *agent.Thread, line []byte) {
	var r record
	if !r.read(line) {
		t.Broken()
		return
	}
	switch {
	case r.Type == "system" && r.Session != "":
		return
	case r.ID == "" || r.Parts == nil, r.Type != "user" && r.Type != "assistant" && r.Type != "tool_result":
		t.Unknown(r.Type)
		return
	}
	t.Own()
	t.In(r.Dir)
	d.dir = cmp.Or(d.dir, r.Dir)
	if t.Seen(r.ID) {
		return
	}
	switch r.Type {
	case "user":
		d.prompt(t, &r)
	case "assistant":
		d.answer(t, &r)
	case "tool_result":
		d.results(t, &r)
	}
}

// event is an event of the record's part n.
func (d *decoder) event(r *record, kind agent.Kind, n int) agent.Event {
	e := agent.Event{Kind: kind, ID: r.ID, Session: cmp.Or(r.Session, d.start.Session), Time: r.At}
	if n > 0 {
		e.ID += "/" + strconv.Itoa(n)
	}
	return e
}

func (d *decoder) prompt(t *agent.Thread, r *record) {
	if len(r.Parts) == 0 {
		return
	}
	text := strings.TrimSpace(agent.Strip(r.Parts[0].Text, "system-reminder"))
	if text == "" {
		return
	}
	e := d.event(r, agent.Prompt, 0)
	e.Text = text
	t.Add(e)
}

func (d *decoder) answer(t *agent.Thread, r *record) {
	ends := true
	for _, p := range r.Parts {
		ends = ends && !p.Called
	}
	used := d.event(r, agent.Usage, 0)
	used.Answer, used.Tokens = r.ID, r.Tokens
	t.Add(used)
	for n, p := range r.Parts {
		var e agent.Event
		switch {
		case p.Called:
			e = d.event(r, agent.Call, n)
			e.Call = cmp.Or(p.ID, e.ID)
			gemini.Describe(&e, p.Name, p.Args, d.dir)
		case p.Thought:
			continue
		default:
			e = d.event(r, agent.Text, n)
			e.Text, e.Final = p.Text, ends
		}
		e.Answer, e.Model = r.ID, r.Model
		t.Add(e)
	}
}

func (d *decoder) results(t *agent.Thread, r *record) {
	for n, p := range r.Parts {
		if !p.Answered {
			continue
		}
		e := d.event(r, agent.Result, n)
		e.Call, e.Text = p.ID, gemini.Printed(p.Output)
		if e.Failed = p.Error != "" || r.Status == "error" || r.Status == "cancelled"; p.Error != "" {
			e.Text = "Error: " + strings.TrimPrefix(gemini.Printed(p.Error), "Error: ")
		}
		t.Add(e)
	}
}
