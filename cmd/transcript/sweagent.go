package transcript

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
	"path/filepath"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// sweStep is a step of a SWE-agent trajectory, a JSON object whose member "trajectory" is
// the list of steps. "history" repeats them as the model saw them and is larger: the reader
// skips it token by token, so that a file needs the memory of its steps alone.
type sweStep struct {
	Observation string `json:"observation"`
	Thought     string `json:"thought"`
	Action      string `json:"action"`
}

// traceError is a failure to read a trace.
type traceError struct {
	file string
	line int // 0: unknown
	err  error
}

func (e *traceError) Error() string {
	if e.line == 0 {
		return fmt.Sprintf("cannot read '%s': %v", e.file, e.err)
	}
	return fmt.Sprintf("cannot read '%s', line %d: %v", e.file, e.line, e.err)
}

func (e *traceError) Unwrap() error { return e.err }

// Trace is the content of a trajectory or transcript.
type Trace struct {
	Steps []store.NewStep
	Empty []int // the positions of steps without a text, which are left out
	Lossy bool  // invalid UTF-8 became U+FFFD
}

// ReadSWEAgent reads the steps of the trajectory at path to its end: half a trajectory is
// an error that names the line. Errors name file, the path as the user typed it.
func ReadSWEAgent(ctx context.Context, path, file string, meter *git.Meter) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unread(file, err)
	}
	// Nothing was written, so closing cannot lose anything.
	defer func() { _ = f.Close() }()
	r := &sweReader{ctx: ctx, file: file, meter: meter, json: json.NewDecoder(f), digest: sha256.New()}
	if err := r.document(); err != nil {
		return nil, r.fault(f, err)
	}
	return &r.trace, nil
}

type sweReader struct {
	ctx   context.Context
	file  string
	meter *git.Meter
	json  *json.Decoder
	raw   json.RawMessage // the last step

	digest hash.Hash // of all steps so far
	trace  Trace
}

// fault adds the file and the line to an error.
func (r *sweReader) fault(f *os.File, err error) error {
	var system *os.PathError
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := r.json.InputOffset()
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &system): // of reading, not of the text
		return &traceError{file: r.file, err: system.Err}
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind): // its offset counts from the start of the step
		at += kind.Offset - int64(len(r.raw))
	case cutOff(err):
		if info, statErr := f.Stat(); statErr == nil {
			at = info.Size() - 1 // within the last line
		}
	}
	return &traceError{file: r.file, line: lineAt(f, at), err: plainJSON(err)}
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
		return errors.New("something follows the end of the trajectory")
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
		r.trace.Empty = append(r.trace.Empty, n)
		return nil
	}
	step := store.NewStep{
		Observation: s.Observation, Thought: s.Thought, Action: s.Action,
		Source: r.source(n, s),
	}
	r.trace.Lossy = r.trace.Lossy || isLossy(r.raw, step)
	r.trace.Steps = append(r.trace.Steps, step)
	return nil
}

// source identifies a step by the name of its file, its position, and a digest of all steps
// up to it: two runs of one task have files of the same name with different steps, and a
// file that has grown begins with the same ones.
func (r *sweReader) source(n int, s sweStep) string {
	for _, text := range []string{s.Observation, s.Thought, s.Action} {
		fmt.Fprintf(r.digest, "%d:%s", len(text), text)
	}
	return fmt.Sprintf("%s:%d:%.8x", filepath.Base(r.file), n, r.digest.Sum(nil))
}

// pass skips one value.
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

// lineAt returns the line of an offset, for an error, by reading the file again; 0 where it
// cannot be read.
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
