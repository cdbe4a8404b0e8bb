package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/hooks/sessions"
)

// sweStep is a step of a SWE-agent trajectory, a JSON object whose member "trajectory" is
// the list of steps. "history" repeats them as the model saw them and is larger: the reader
// looks there for the task only, so that a file needs the memory of its steps alone.
type sweStep struct {
	Observation string          `json:"observation"`
	Thought     string          `json:"thought"`
	Action      string          `json:"action"`
	State       json.RawMessage `json:"state"` // an object, or its text
	source      string
}

func (s sweStep) texts() string { return s.Observation + s.Thought + s.Action }

// sweInfo is how a trajectory ended.
type sweInfo struct {
	Exit       string `json:"exit_status"`
	Submission string `json:"submission"` // a patch, or the answer to a question
}

// lineError is a failure to read a line of a trace.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }

func (e *lineError) Unwrap() error { return e.err }

// traceError is a failure to read a trace.
type traceError struct {
	file string
	err  error
}

func (e *traceError) Error() string {
	if at := (*lineError)(nil); errors.As(e.err, &at) {
		return fmt.Sprintf("cannot read '%s', %v", e.file, at)
	}
	return fmt.Sprintf("cannot read '%s': %v", e.file, e.err)
}

func (e *traceError) Unwrap() error { return e.err }

// traceOf is the trajectory of SWE-agent at path.
func traceOf(path string) sessions.File {
	name := filepath.Base(path)
	f := fileOf(client{name: SWEAgent, decode: decodeSWEAgent(name)}, path)
	f.Session = strings.TrimSuffix(name, filepath.Ext(name))
	return f
}

// decodeSWEAgent returns what reads a trajectory in a file of that name, to its end: half a trajectory
// is an error that names the line. Its steps are those of the file, exactly.
func decodeSWEAgent(name string) capture.Decode {
	return func(in io.Reader, start agent.Start, emit func(agent.Step) error) (*agent.Report, error) {
		lines := &lineCounter{in: in}
		r := &sweReader{name: name, json: json.NewDecoder(lines), digest: sha256.New(), clean: start.Cleaner()}
		if err := r.document(); err != nil {
			return &agent.Report{}, r.fault(lines, err)
		}
		acts := make([]act, len(r.steps))
		for n, s := range r.steps {
			acts[n] = actOf(s)
			for i, name := range acts[n].files { // of which some are from the state
				acts[n].files[i] = r.clean(name)
			}
		}
		report := &agent.Report{Empty: r.empty, Lossy: r.lossy, End: lines.read, Turns: r.milestones(start.Session, acts)}
		for n, s := range r.steps {
			err := emit(agent.Step{Session: start.Session, Source: s.source,
				Observation: s.Observation, Thought: s.Thought, Action: s.Action,
				Change: acts[n].change, File: strings.Join(acts[n].files, ", ")})
			if err != nil {
				return report, err
			}
		}
		return report, nil
	}
}

type sweReader struct {
	name string
	json *json.Decoder
	raw  json.RawMessage // the last value that was decoded

	clean  func(text string) string // replaces secrets in a whole text, before anything is cut of it
	digest hash.Hash                // of all steps so far
	steps  []sweStep
	empty  []int // the positions of steps without a text, which are left out
	task   string
	goal   string // as the system's message says it
	ends   string // when the work is done, as the instructions say it
	info   sweInfo
	lossy  bool // invalid UTF-8 became U+FFFD
}

// fault adds the line to an error of the text.
func (r *sweReader) fault(lines *lineCounter, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := r.json.InputOffset()
	switch {
	case lines.failed != nil: // of reading, not of the text
		return lines.failed
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind): // its offset counts from the start of the step
		at += kind.Offset - int64(len(r.raw))
	case cutOff(err):
		at = lines.read - 1 // within the last line
	}
	return &lineError{line: lines.at(at), err: plainJSON(err)}
}

// document reads the whole file: one object with a trajectory.
func (r *sweReader) document() error {
	if err := r.expect('{', "an object"); err != nil {
		return err
	}
	found := false
	for r.json.More() {
		key, err := r.json.Token()
		if err != nil {
			return err
		}
		switch key {
		case "trajectory":
			found = true
			err = r.trajectory()
		case "history":
			err = r.history()
		case "info":
			if err = r.json.Decode(&r.raw); err == nil {
				err = agent.Unmarshal(r.raw, &r.info)
				r.info.Exit = r.clean(r.info.Exit)
			}
		default:
			err = r.pass()
		}
		if err != nil {
			return err
		}
	}
	if _, err := r.json.Token(); err != nil { // the closing brace
		return err
	}
	if !found {
		return errors.New("no member \"trajectory\": not a SWE-agent trajectory")
	}
	if _, err := r.json.Token(); err != io.EOF {
		return errors.New("something follows the end of the trajectory")
	}
	return nil
}

func (r *sweReader) trajectory() error {
	if err := r.expect('[', "a list of steps"); err != nil {
		return err
	}
	for n := 0; r.json.More(); n++ {
		if err := r.step(n); err != nil {
			return err
		}
	}
	_, err := r.json.Token() // the closing bracket
	return err
}

func (r *sweReader) step(n int) error {
	if err := r.json.Decode(&r.raw); err != nil {
		return err
	}
	var s sweStep
	if err := json.Unmarshal(r.raw, &s); err != nil {
		return err
	}
	if s.texts() == "" {
		r.empty = append(r.empty, n)
		return nil
	}
	s.source = r.source(n, s)
	r.lossy = r.lossy || isLossy(r.raw, s.texts())
	s.Observation, s.Thought, s.Action = r.clean(s.Observation), r.clean(s.Thought), r.clean(s.Action)
	r.steps = append(r.steps, s)
	return nil
}

// source identifies a step by the name of its file, its position, and a digest of all steps
// up to it: two runs of one task have files of the same name with different steps, and a
// file that has grown begins with the same ones.
func (r *sweReader) source(n int, s sweStep) string {
	for _, text := range []string{s.Observation, s.Thought, s.Action} {
		fmt.Fprintf(r.digest, "%d:%s", len(text), text)
	}
	return fmt.Sprintf("%s:%d:%.8x", r.name, n, r.digest.Sum(nil))
}

// history looks for the task: the first message of the user that is no demonstration.
func (r *sweReader) history() error {
	open, err := r.json.Token()
	if err != nil || open != json.Delim('[') {
		return r.passRest(open, err)
	}
	for r.json.More() && r.task == "" {
		var m struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			Demo    bool            `json:"is_demo"`
		}
		if err := r.json.Decode(&r.raw); err != nil {
			return err
		}
		if agent.Unmarshal(r.raw, &m) != nil || m.Demo {
			continue
		}
		switch message := r.clean(messageText(agent.Value(m.Content))); m.Role {
		case "system":
			r.goal = goalOf(message)
		case "user":
			r.task, r.ends = taskOf(message), termsOf(message)
		}
	}
	return r.passRest(open, nil)
}

// messageText is the text of a message, which is a string or a list of parts.
func messageText(content agent.Value) string {
	if len(content) == 0 || content[0] != '[' {
		return content.Text()
	}
	var parts []struct{ Text string }
	var all strings.Builder
	if agent.Unmarshal(content, &parts) == nil {
		for _, p := range parts {
			all.WriteString(p.Text)
		}
	}
	return all.String()
}

// pass skips one value.
func (r *sweReader) pass() error { return r.passRest(r.json.Token()) }

// passRest skips the rest of a value that begins with a token.
func (r *sweReader) passRest(t json.Token, err error) error {
	for depth := 0; err == nil; t, err = r.json.Token() {
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
	return err
}

func (r *sweReader) expect(open json.Delim, what string) error {
	t, err := r.json.Token()
	if err == nil && t != open {
		return fmt.Errorf("%s expected", what)
	}
	return err
}

// lineCounter notes where lines end, for errors.
type lineCounter struct {
	in     io.Reader
	read   int64
	ends   []int64
	failed error // of in
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	for at, rest := int64(0), p[:n]; ; {
		next := bytes.IndexByte(rest, '\n')
		if next < 0 {
			break
		}
		at += int64(next) + 1
		l.ends, rest = append(l.ends, l.read+at-1), rest[next+1:]
	}
	if l.read += int64(n); err != nil && err != io.EOF {
		l.failed = err
	}
	return n, err
}

// at returns the line of an offset.
func (l *lineCounter) at(offset int64) int {
	before, _ := slices.BinarySearch(l.ends, offset)
	return before + 1
}
