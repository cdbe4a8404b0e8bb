package doc

import (
	"bytes"
	"errors"
	"strings"
	"time"
)

// Step is one Observation–Thought–Action step of an agent, an entry of log.md. Its id alone
// identifies it; Number is only a label that the recording branch gives.
type Step struct {
	ID      string    // a ULID; steps are ordered by id
	Number  int       // counted by the recording branch, from 1
	Time    time.Time // displayed, never sorted by; in UTC, to the nanosecond
	Agent   string    // see CheckAgent
	Session string    // of the agent; this and the next three are "" or 0 if unknown
	Model   string
	Tokens  int64  // what the step cost
	Source  string // origin of an imported step: session or file, and index
	Origin  string // the branch that recorded it

	Attachments []Attachment // files that it keeps, at most MaxAttachments

	Observation, Thought, Action string // any clean text (see Clean); an empty one is not written

	// Extra contains the attributes that this version does not know, as whole lines "- key:
	// value\n".
	Extra string
}

// Check reports why the step cannot be written; nil if it can.
func (s *Step) Check() error {
	h := s.head()
	return errors.Join(h.check(false), checkField("observation", s.Observation),
		checkField("thought", s.Thought), checkField("action", s.Action))
}

func (s *Step) head() head {
	return head{ID: s.ID, Number: s.Number, Time: s.Time, Agent: s.Agent, Session: s.Session, Model: s.Model,
		Tokens: s.Tokens, Source: s.Source, Origin: s.Origin, Attachments: s.Attachments, Extra: s.Extra}
}

// ParseLog reads log.md or a sealed segment of it, or several of them joined. If the
// document violates the format, the error is a *SyntaxError with the line.
//
// Steps are returned in the order of the document, which is the order of their ids unless
// documents were joined. Their texts share one copy of data.
func ParseLog(data []byte) ([]Step, error) {
	// A step is large: growing the slice would cost as much as parsing.
	steps := make([]Step, 0, bytes.Count(data, []byte("\n"+logHeading)))
	err := parseEntries(data, logHeading, func(sc *scanner, origin string) error {
		s, err := sc.step(origin)
		steps = append(steps, s)
		return err
	})
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	return steps, nil
}

// EachStep visits the raw text of each step of a log, without parsing it: from its heading to
// the next one.
func EachStep(data []byte, visit func(raw []byte)) {
	mark := []byte("\n" + logHeading)
	for at := bytes.Index(data, mark); at >= 0; {
		data = data[at+1:]
		if at = bytes.Index(data, mark); at < 0 {
			visit(data)
			return
		}
		visit(data[:at])
	}
}

// EntryAt returns the id of the entry that contains a byte of a document of entries; "" if none does.
func EntryAt(data []byte, at int) string {
	for _, heading := range []string{logHeading, commitHeading} {
		start := bytes.LastIndex(data[:at], []byte("\n"+heading))
		if start < 0 {
			continue
		}
		line, _, _ := bytes.Cut(data[start+1:], []byte("\n"))
		if h, ok := parseHeading(string(line), heading); ok {
			return h.ID
		}
	}
	return ""
}

func (sc *scanner) step(origin string) (Step, error) {
	h, err := sc.head(logHeading, origin)
	if err != nil {
		return Step{}, err
	}
	s := Step{ID: h.ID, Number: h.Number, Time: h.Time, Agent: h.Agent, Session: h.Session, Model: h.Model,
		Tokens: h.Tokens, Source: h.Source, Origin: h.Origin, Attachments: h.Attachments, Extra: h.Extra}
	for _, f := range []struct {
		label string
		text  *string
	}{{"Observation", &s.Observation}, {"Thought", &s.Thought}, {"Action", &s.Action}} {
		if !sc.label(f.label) {
			continue
		}
		if *f.text, err = sc.block(); err != nil {
			return Step{}, err
		}
	}
	return s, nil
}

// label reads an empty line and "**name**" if they follow.
func (sc *scanner) label(name string) bool {
	rest, ok := strings.CutPrefix(sc.s[sc.pos:], "\n**")
	if !ok {
		return false
	}
	if rest, ok = strings.CutPrefix(rest, name); !ok || !strings.HasPrefix(rest, "**\n") {
		return false
	}
	sc.pos += len(name) + 6
	sc.line += 2
	return true
}

// block reads the content below a label: an empty line and a quote. An empty text is
// refused, because it has one spelling only: neither label nor quote.
func (sc *scanner) block() (string, error) {
	if err := sc.blank(); err != nil {
		return "", err
	}
	text, err := sc.quote()
	if err == nil && text == "" {
		err = sc.fail("an empty text is left out, with its label")
	}
	return text, err
}

// FormatLog writes steps as log.md, in the given order, which should be that of their ids.
// ParseLog reads steps that pass Check back exactly, with their times in UTC.
func FormatLog(steps []Step) []byte {
	size := 0
	for i := range steps {
		size += steps[i].size()
	}
	b := make([]byte, 0, size)
	var t tagWriter
	for i := range steps {
		b = t.append(b, steps[i].Origin)
		b = steps[i].append(b)
	}
	return b
}

// size estimates the size of the formatted step in bytes; quotes grow with their lines.
func (s *Step) size() int {
	n := len(s.Observation) + len(s.Thought) + len(s.Action)
	return n + n/16 + len(s.Session) + len(s.Model) + len(s.Source) + len(s.Extra) + 200*len(s.Attachments) + 300
}

func (s *Step) append(b []byte) []byte {
	h := s.head()
	b = h.append(b, logHeading)
	b = appendBlock(b, "Observation", s.Observation)
	b = appendBlock(b, "Thought", s.Thought)
	return appendBlock(b, "Action", s.Action)
}

func appendBlock(b []byte, label, text string) []byte {
	if text == "" {
		return b
	}
	return appendQuote(appendLabel(b, label), text)
}

func appendLabel(b []byte, label string) []byte {
	b = append(b, "\n**"...)
	b = append(b, label...)
	return append(b, "**\n\n"...)
}
