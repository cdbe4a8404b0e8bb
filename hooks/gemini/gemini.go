// Package gemini decodes the transcripts of Gemini CLI, the files
// ~/.gemini/tmp/PROJECT/chats/session-TIME-ID.jsonl. Their format was read off release 0.61.
//
// The first line is a header {sessionId, projectHash, startTime, kind}; kind is subagent in
// the file of one. Then a line is one of:
//
//   - a message {id, timestamp, type, content}. Those of type gemini have thoughts, tokens, a
//     model and toolCalls, each with its result. A message is written again, with the same id,
//     as it grows: the last one counts. Results of tools are messages of type user, too.
//   - {"$set": {...}}, which changes the header, or replaces all messages: a resumed session
//     repeats its history.
//   - {"$rewindTo": id}, which cuts what follows the message. It happened, and its steps stay.
//
// The first message of type user is the client's <session_context>, which names the
// directories; hooks add <hook_context>.
//
// Nothing tells that an answer ends a turn: a turn is done when the next one begins.
package gemini

import (
	"cmp"
	"io"
	"strconv"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// Name is the name of the client.
const Name = "gemini"

// Decode reads a transcript and calls emit for each finished step; see agent.Decode. The
// session of a step of a subagent is "SESSION/AGENT", if start names the session.
func Decode(r io.Reader, start agent.Start, emit func(agent.Step) error) (*agent.Report, error) {
	d := &decoder{session: start.Session, dir: start.Dir, begun: start.Middle, sub: strings.Contains(start.Session, "/")}
	return agent.Decode(r, start, d.record, emit)
}

type decoder struct {
	session, dir string

	begun   bool   // there was a message, or reading began in the middle
	sub     bool   // the session is a subagent's
	current string // the message that may still grow
	called  bool   // it has calls
}

func (d *decoder) record(t *agent.Thread, line []byte) {
	var r record
	if !r.read(line) {
		t.Broken()
		return
	}
	switch {
	case r.Set != nil:
		d.replace(t, r.Set)
	case r.Rewind != "":
		t.Add(agent.Event{Kind: agent.Stop, ID: r.Rewind, Session: d.session})
	case r.Session != "" && r.Project != "":
		t.Own()
		d.header(&r)
	case r.ID != "" && r.Timestamp != "":
		d.message(t, &r.message)
	default:
		t.Unknown(r.Type)
	}
}

func (d *decoder) header(r *record) {
	d.sub = d.sub || r.Kind == "subagent"
	switch {
	case strings.Contains(d.session, "/"):
	case d.sub && d.session != "" && d.session != r.Session:
		d.session += "/" + r.Session
	default:
		d.session = r.Session
	}
}

// replace reads the messages that replace all. Only at the beginning of the file are they
// new; later, they repeat the history or sum it up.
func (d *decoder) replace(t *agent.Thread, set agent.Value) {
	known := d.begun
	one := func(v agent.Value) {
		var m message
		if v.Members(m.read); !known {
			d.message(t, &m)
			return
		}
		t.Seen(m.ID)
		for _, c := range m.Calls {
			t.SeenCall(c.ID)
		}
	}
	set.Members(func(name []byte, v agent.Value) {
		if string(name) == "messages" {
			v.Elements(one)
		}
	})
}

func (d *decoder) message(t *agent.Thread, m *message) {
	d.begun = true
	switch m.Type {
	case "user":
		d.prompt(t, m)
	case "gemini":
		d.answer(t, m)
	case "info", "error", "warning":
	default:
		t.Unknown(m.Type)
	}
}

func (d *decoder) event(m *message, kind agent.Kind) agent.Event {
	return agent.Event{Kind: kind, ID: m.ID, Session: d.session, Time: agent.ParseTime(m.Timestamp), Model: m.Model, Answer: m.ID}
}

// prompt adds what the user typed, if that is what it is.
func (d *decoder) prompt(t *agent.Thread, m *message) {
	text := m.Content
	if d.dir == "" {
		d.dir = directory(text)
		t.In(d.dir)
	}
	text = strings.TrimSpace(agent.Strip(text, "session_context", "hook_context", "state_snapshot"))
	if t.Seen(m.ID) || text == "" {
		return
	}
	e := d.event(m, agent.Prompt)
	e.Text, e.Task = text, d.sub
	t.Add(e)
}

// directory is the first directory that the client's first message names.
func directory(text string) string {
	_, list, ok := strings.Cut(text, "Workspace Directories:**\n  - ")
	if !ok || !strings.HasPrefix(text, "<session_context>") {
		return ""
	}
	dir, _, _ := strings.Cut(list, "\n")
	return strings.TrimSpace(dir)
}

func (d *decoder) answer(t *agent.Thread, m *message) {
	if m.ID != d.current && !t.Seen(m.ID) {
		d.current, d.called = m.ID, false
	}
	if m.ID == d.current {
		e := d.event(m, agent.Usage)
		e.Tokens = m.Tokens
		t.Add(e)
		if !d.called {
			e = d.event(m, agent.Text)
			e.Text = m.Content
			t.Add(e)
		}
		d.called = d.called || len(m.Calls) > 0
	}
	for n, c := range m.Calls {
		e := d.event(m, agent.Call)
		e.ID, e.Call = cmp.Or(c.ID, m.ID+"/"+strconv.Itoa(n)), cmp.Or(c.ID, m.ID+"/"+strconv.Itoa(n))
		Describe(&e, c.Name, c.Args, d.dir)
		t.Add(e)
		if e.Kind = agent.Result; c.ended() {
			e.Text, e.Failed, e.Time = strings.Join(c.Result, "\n"), c.Status != "success", agent.ParseTime(c.Timestamp)
			t.Add(e)
		}
	}
}
