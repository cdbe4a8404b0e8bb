package store

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/internal/statetest"
)

// Fields of a file of local state end no program, whoever wrote them.
func FuzzWaitingMerge(f *testing.F) {
	statetest.Fuzz(f, func(w *WaitingMerge) { w.Source() },
		`{"version":1,"target":"main","merge":{"Source":"exp"},"tip":"1","conflicts":[{"path":"topics/a.md","kind":"content","base":null,"ours":"x","theirs":"y","resolved":true,"text":null}]}`,
		`{"version":1,"target":"main","remote":"origin","bundle":true,"theirs":{"refs/context/heads/main":"1"},"conflicts":[null,{"text":"x"}]}`)
}

// A step is in the journal's line what it was said to be.
func FuzzEntryLine(f *testing.F) {
	f.Add("saw\n\x1b[31m", "> thought\x00", "\xffdone\u2028", "agent", "s", "m", int64(5))
	f.Add(`","id":"forged"}`, `{"committed":"x"}`, "", "", "", "", int64(-1))
	f.Fuzz(func(t *testing.T, o, th, a, agent, session, model string, tokens int64) {
		step := NewStep{Observation: o, Thought: th, Action: a, Agent: agent, Session: session, Model: model, Tokens: tokens, Time: time.Unix(1, 0)}
		for _, text := range []*string{&step.Observation, &step.Thought, &step.Action} {
			*text, _ = doc.Clean(*text)
		}
		if err := step.check(); err != nil {
			return
		}
		line, err := json.Marshal(EntryLine{Time: step.Time, Agent: step.Agent, Session: step.Session, Model: step.Model, Tokens: step.Tokens,
			Observation: step.Observation, Thought: step.Thought, Action: step.Action})
		if err != nil || bytes.ContainsAny(line, "\n") || bytes.HasPrefix(line, []byte(`{"committed"`)) {
			t.Fatalf("%q: %v", line, err)
		}
		var got EntryLine
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		got.ID, got.Step = "01JD5K0Z3V7Q3M9K2A4B5C6D7E", 1
		d := got.AsStep("main", "nobody")
		if d.Observation != step.Observation || d.Thought != step.Thought || d.Action != step.Action || d.Session != session || d.Model != model {
			t.Errorf("%+v became %+v", step, d)
		}
		if err := d.Check(); err != nil {
			t.Errorf("what is recorded can never be committed: %v\n%q", err, line)
		}
	})
}
