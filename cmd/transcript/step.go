// Package transcript reads steps that other programs wrote: the lines of `record --stdin`,
// the trajectories of SWE-agent, and the transcripts that the packages below hooks decode. It
// records nothing.
package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/store"
)

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

// Parse reads a step from one line of JSON, an object with any of observation, thought,
// action, time, agent, session, model, tokens and id; w fills in what the line lacks.
// lossy reports that invalid UTF-8 in a text became U+FFFD. An unknown member is an error:
// the text of a misspelt one would be lost silently.
func Parse(data []byte, w store.Writer) (step store.NewStep, lossy bool, err error) {
	var l stepLine
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return step, false, fmt.Errorf("not a step: %w", plainJSON(err))
	}
	if _, err := d.Token(); err != io.EOF {
		return step, false, errors.New("not a step: more than one value on the line")
	}
	if l.Observation == "" && l.Thought == "" && l.Action == "" {
		return step, false, errors.New("a step needs at least one of observation, thought and action")
	}
	if l.Tokens < 0 {
		return step, false, errors.New("tokens is below zero")
	}
	at, ok := ParseTime(l.Time)
	if !ok {
		return step, false, fmt.Errorf("'%s' is not a time", l.Time)
	}
	step = store.NewStep{
		Observation: l.Observation, Thought: l.Thought, Action: l.Action, Time: at,
		Agent:   cmp.Or(l.Agent, w.Agent),
		Session: cmp.Or(l.Session, w.Session),
		Model:   cmp.Or(l.Model, w.Model),
		Tokens:  cmp.Or(l.Tokens, w.Tokens),
	}
	if l.ID != "" {
		step.Source = sourceKey(step.Session, string(l.ID))
	}
	return step, isLossy(data, step.Observation+step.Thought+step.Action), nil
}

// ParseTime reads RFC 3339, or git's @SECONDS; an empty text is the zero time.
func ParseTime(s string) (t time.Time, ok bool) {
	if s == "" {
		return time.Time{}, true
	}
	if digits, unix := strings.CutPrefix(s, "@"); unix {
		seconds, err := strconv.ParseInt(digits, 10, 64)
		return time.Unix(seconds, 0).UTC(), err == nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	return t.UTC(), err == nil
}

// isLossy reports whether the decoder added U+FFFD to the texts of a line: encoding/json writes it for
// invalid UTF-8 and for half a surrogate pair.
func isLossy(line []byte, texts string) bool {
	const mark = "\uFFFD"
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

func cutOff(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// plainJSON describes an error of the JSON decoder without the terms of Go.
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
