package cmd

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/render"
)

// maxLine is the longest line of `record --stdin` in bytes, the limit of a blob of memory.
const maxLine = 32 << 20

// stepLine is one line of `record --stdin`. Missing members and null are "".
type stepLine struct {
	Observation string   `json:"observation"`
	Thought     string   `json:"thought"`
	Action      string   `json:"action"`
	Time        string   `json:"time"`
	Agent       string   `json:"agent"`
	Session     string   `json:"session"`
	Model       string   `json:"model"`
	Tokens      int64    `json:"tokens"`
	ID          sourceID `json:"id"`
}

// sourceID is the source's own name for a step, a text or a number.
type sourceID string

// UnmarshalJSON reads a string, a number or null.
func (id *sourceID) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	if data[0] != '"' {
		var n json.Number
		err := json.Unmarshal(data, &n)
		*id = sourceID(n)
		return err
	}
	var s string
	err := json.Unmarshal(data, &s)
	*id = sourceID(s)
	return err
}

// recordLines records each line of standard input and answers it once it is safe. It stops
// at the first line that it cannot read: the lines before are recorded and answered.
func recordLines(ctx context.Context, env *Env, o *recordOptions) (err error) {
	if o.observation != "" || o.thought != "" || o.action != "" || o.time != "" {
		return usagef("--stdin goes without -o, -t, -a and --time")
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	lines := readLines(ctx, env.In)
	for n := 1; ; n++ {
		data, err := lines()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return atLine(n, err)
		}
		if len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		if err := recordLine(ctx, env, s, o, data); err != nil {
			return atLine(n, err)
		}
	}
}

func atLine(n int, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("line %d: %w", n, err)
}

func recordLine(ctx context.Context, env *Env, s *refs.Store, o *recordOptions, data []byte) error {
	step, err := parseStep(data, o.writer(env))
	if err != nil {
		return err
	}
	done, err := s.Record(ctx, []refs.NewStep{step})
	if err != nil {
		return err
	}
	env.replaced(done[0].Replaced || lossy(data, step))
	var b bytes.Buffer
	if err := render.WriteJSON(&b, done[0]); err != nil {
		return fmt.Errorf("cannot encode the answer: %w", err)
	}
	return env.write(b.String())
}

// parseStep reads one line. An unknown member is an error: the text of a misspelt one
// would be lost silently.
func parseStep(data []byte, w refs.Writer) (refs.NewStep, error) {
	var l stepLine
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return refs.NewStep{}, fmt.Errorf("not a step: %w", plainJSON(err))
	}
	if _, err := d.Token(); err != io.EOF {
		return refs.NewStep{}, errors.New("not a step: more than one value on the line")
	}
	if l.Observation == "" && l.Thought == "" && l.Action == "" {
		return refs.NewStep{}, errors.New("a step needs at least one of observation, thought and action")
	}
	if l.Tokens < 0 {
		return refs.NewStep{}, errors.New("tokens is below zero")
	}
	at, ok := parseTime(l.Time)
	if !ok {
		return refs.NewStep{}, fmt.Errorf("'%s' is not a time", l.Time)
	}
	step := refs.NewStep{
		Observation: l.Observation, Thought: l.Thought, Action: l.Action, Time: at,
		Agent:   cmp.Or(l.Agent, w.Agent),
		Session: cmp.Or(l.Session, w.Session),
		Model:   cmp.Or(l.Model, w.Model),
		Tokens:  cmp.Or(l.Tokens, w.Tokens),
	}
	if l.ID != "" {
		step.Source = sourceKey(step.Session, string(l.ID))
	}
	return step, nil
}

// lossy reports whether the decoder added U+FFFD to a line: encoding/json writes it for
// invalid UTF-8 and for half a surrogate pair.
func lossy(line []byte, step refs.NewStep) bool {
	const mark = "\uFFFD"
	texts := step.Observation + step.Thought + step.Action
	if !strings.Contains(texts, mark) {
		return false
	}
	written := bytes.Count(line, []byte(mark)) + bytes.Count(bytes.ToLower(line), []byte(`\ufffd`))
	return strings.Count(texts, mark) > written
}

// sourceKey joins a session and its name for a step. It escapes colons in the session, so
// that different pairs have different keys.
func sourceKey(session, id string) string {
	return strings.NewReplacer("%", "%25", ":", "%3A").Replace(session) + ":" + id
}

// readLines returns a function that returns the next line. A goroutine reads, so that ctx
// ends a run that waits for a line.
func readLines(ctx context.Context, in io.Reader) func() ([]byte, error) {
	type read struct {
		data []byte
		err  error
	}
	lines := make(chan read)
	go func() {
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			data, err := readLine(r)
			select {
			case lines <- read{data, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return func() ([]byte, error) {
		select {
		case l := <-lines:
			return l.data, l.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// readLine returns one line with its newline, which the last one may lack.
func readLine(r *bufio.Reader) ([]byte, error) {
	var whole []byte
	for {
		part, err := r.ReadSlice('\n')
		whole = append(whole, part...)
		switch {
		case len(whole) > maxLine:
			return nil, fmt.Errorf("longer than %d MiB", maxLine>>20)
		case err == nil, err == io.EOF && len(whole) > 0:
			return whole, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}
