package cmd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// A SWE-agent trajectory is one JSON object. Its member "trajectory" is the
// list of steps; "history", the same again as the model saw it, is larger and
// is passed over token by token, so that a file costs the memory of its steps
// alone.
type sweStep struct {
	Observation string `json:"observation"`
	Thought     string `json:"thought"`
	Action      string `json:"action"`
}

// traceError is a trace that cannot be read, and where.
type traceError struct {
	file string
	line int
	err  error
}

func (e *traceError) Error() string {
	if e.line == 0 {
		return fmt.Sprintf("cannot read '%s': %v", e.file, e.err)
	}
	return fmt.Sprintf("cannot read '%s', line %d: %v", e.file, e.line, e.err)
}

func (e *traceError) Unwrap() error { return e.err }

// sweTrace is what a trajectory holds.
type sweTrace struct {
	steps []store.NewStep
	empty []int // the places of steps that hold nothing, and were left out
	lossy bool  // invalid UTF-8 became U+FFFD
}

// readSWEAgent reads the steps of a trajectory. The file is read to its end before anything
// is returned: half a trajectory is an error that names the line.
func readSWEAgent(ctx context.Context, path, name string, meter *git.Meter) (*sweTrace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &traceError{file: name, err: cause(err)}
	}
	// Nothing was written, so closing cannot lose anything.
	defer func() { _ = f.Close() }()
	r := &sweReader{ctx: ctx, name: name, meter: meter, json: json.NewDecoder(f), digest: sha256.New()}
	if err := r.document(); err != nil {
		return nil, r.fault(f, err)
	}
	return &r.trace, nil
}

type sweReader struct {
	ctx   context.Context
	name  string
	meter *git.Meter
	json  *json.Decoder
	raw   json.RawMessage // the step that was read last

	digest hash.Hash // of all steps so far
	trace  sweTrace
}

// fault says what is wrong with the file, and in which line.
func (r *sweReader) fault(f *os.File, err error) error {
	var system *os.PathError
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := r.json.InputOffset()
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &system): // not the text, the reading of it
		return &traceError{file: r.name, err: system.Err}
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind): // counted from the beginning of its step
		at += kind.Offset - int64(len(r.raw))
	case cutOff(err):
		if info, statErr := f.Stat(); statErr == nil {
			at = info.Size() - 1 // in the last line, not behind it
		}
	}
	return &traceError{file: r.name, line: lineAt(f, at), err: plainJSON(err)}
}

// document reads the whole file: an object with a trajectory, and nothing
// behind it.
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
		if key == "trajectory" {
			found = true
			err = r.trajectory()
		} else {
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
		return errors.New("something stands behind the end of the trajectory")
	}
	return nil
}

func (r *sweReader) trajectory() error {
	if err := r.expect('[', "a list of steps"); err != nil {
		return err
	}
	for n := 0; r.json.More(); n++ {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.step(n); err != nil {
			return err
		}
		r.meter.Add(1)
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
	if s == (sweStep{}) {
		r.trace.empty = append(r.trace.empty, n)
		return nil
	}
	step := store.NewStep{
		Observation: s.Observation, Thought: s.Thought, Action: s.Action,
		Source: r.source(n, s),
	}
	r.trace.lossy = r.trace.lossy || lossy(r.raw, step)
	r.trace.steps = append(r.trace.steps, step)
	return nil
}

// source is what a step is known by: its file's name, its place, and a digest of
// the steps up to it. Two runs at one task have files of one name, and must not
// pass for each other; a file that has grown must be known by its beginning.
func (r *sweReader) source(n int, s sweStep) string {
	for _, text := range []string{s.Observation, s.Thought, s.Action} {
		fmt.Fprintf(r.digest, "%d:%s", len(text), text)
	}
	return fmt.Sprintf("%s:%d:%.8x", r.name, n, r.digest.Sum(nil))
}

// pass reads over one value.
func (r *sweReader) pass() error {
	depth := 0
	for {
		t, err := r.json.Token()
		if err != nil {
			return err
		}
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
}

func (r *sweReader) expect(open json.Delim, what string) error {
	t, err := r.json.Token()
	if err == nil && t != open {
		return fmt.Errorf("%s expected", what)
	}
	return err
}

func cutOff(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// plainJSON says in words what the decoder says by its kinds of error.
func plainJSON(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case cutOff(err):
		return errors.New("the file ends in the middle")
	case errors.As(err, new(*json.SyntaxError)) && strings.Contains(err.Error(), "'ï'"):
		return errors.New("a byte order mark where an object must begin")
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("a step is a JSON object, not a %s", kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%q is a JSON %s, not a text", kind.Field, kind.Value)
	}
	return err
}

// lineAt counts the lines up to an offset, by reading the file once more: only
// an error needs it. It gives 0 where the file cannot be read again.
func lineAt(f io.ReadSeeker, offset int64) int {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0
	}
	lines, buffer := 1, make([]byte, 64<<10)
	for offset > 0 {
		n, err := f.Read(buffer[:min(int64(len(buffer)), offset)])
		lines += bytes.Count(buffer[:n], []byte{'\n'})
		offset -= int64(n)
		if err != nil {
			break
		}
	}
	return lines
}
