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
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

// The longest line `record --stdin` reads: what a blob of memory may hold.
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

// sourceID is the source's own name for a step: a text, or a number as some
// sources count.
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

// recordLines records each line of standard input and answers it once it is
// safe. A line that cannot be read ends the run: the lines before it are
// recorded and answered, those after it are not looked at.
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
	done, err := s.Record(ctx, []store.NewStep{step})
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

// parseStep reads one line. A member it does not know is an error, because a
// misspelt one would lose its text without a word.
func parseStep(data []byte, w store.Writer) (store.NewStep, error) {
	var l stepLine
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return store.NewStep{}, fmt.Errorf("not a step: %w", plainJSON(err))
	}
	if _, err := d.Token(); err != io.EOF {
		return store.NewStep{}, errors.New("not a step: more than one value on the line")
	}
	if l.Observation == "" && l.Thought == "" && l.Action == "" {
		return store.NewStep{}, errors.New("a step needs at least one of observation, thought and action")
	}
	if l.Tokens < 0 {
		return store.NewStep{}, errors.New("tokens is below zero")
	}
	at, ok := parseTime(l.Time)
	if !ok {
		return store.NewStep{}, fmt.Errorf("'%s' is not a time", l.Time)
	}
	step := store.NewStep{
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

// lossy says whether decoding made a U+FFFD that the line does not hold:
// encoding/json puts one for invalid UTF-8 and for half a surrogate pair.
func lossy(line []byte, step store.NewStep) bool {
	const mark = "\uFFFD"
	texts := step.Observation + step.Thought + step.Action
	if !strings.Contains(texts, mark) {
		return false
	}
	written := bytes.Count(line, []byte(mark)) + bytes.Count(bytes.ToLower(line), []byte(`\ufffd`))
	return strings.Count(texts, mark) > written
}

// sourceKey joins a session and its own name for a step, so that no two pairs
// give one key: a colon in the session is escaped.
func sourceKey(session, id string) string {
	return strings.NewReplacer("%", "%25", ":", "%3A").Replace(session) + ":" + id
}

// readLines gives a function that gives the next line. The reading is done
// aside, so that ^C ends a run that waits for its next line.
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

// readLine gives one line, the last one also without its newline.
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
