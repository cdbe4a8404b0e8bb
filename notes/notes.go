// Package notes reads and writes git-context's notes: refs/notes/context, one
// note for an object, one JSON object for a line.
//
// # Format
//
// Every line stands alone, so that a union of lines (git's cat_sort_uniq) is a
// correct merge of two notes:
//
//	{"v":1,"id":"01JD…","kind":"commit","time":"2026-11-21T01:40:12Z","agent":"claude-code", …}
//
// The kind says what the other members are. On memory commits: commit (branch,
// steps, session, model, code, tokens), score (score), outcome (outcome),
// tag (key, value), review (text). On code commits: link (memory, branch, and
// milestone, its Context-Id, by which it is found where its commit was rewritten).
// For one kind, and for tags one key, the line with the largest id is in force; of
// links all are.
// An id is a ULID of a time before the year 10000.
// A line that is not such an object belongs to somebody else: it is kept and
// never interpreted.
//
// # The tree
//
// Notes are written in a fixed 2/38 fan-out (2/62 with SHA-256), whatever their
// number, because one insert then rewrites one small tree of 256. git reads any
// fan-out and may itself write another one: an existing note is found and
// replaced wherever it stands.
//
// # Beside others
//
// git notes add and append write without an old value and lose what another
// process added meanwhile. This package therefore never runs them: it builds the
// new notes commit and leaves the swap to the caller's ref transaction, with the
// old value. Writers serialise on the repository's lock [LockName].
package notes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/git-context/git-context/refs/git"
)

// LockName is the lock that every writer of the notes ref holds, for as long as
// it takes to build one commit and swap the ref.
const LockName = "notes"

// The kinds of fact.
const (
	KindCommit  = "commit"
	KindScore   = "score"
	KindOutcome = "outcome"
	KindTag     = "tag"
	KindReview  = "review"
	KindLink    = "link"
)

// Outcomes are what a milestone may have come to.
func Outcomes() []string { return []string{"success", "failed", "abandoned"} }

// Fact is one line of a note. Members that a kind does not have are left out.
type Fact struct {
	Version   int       `json:"v"`
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	Time      time.Time `json:"time"`
	Agent     string    `json:"agent,omitempty"`
	Branch    string    `json:"branch,omitempty"`
	Steps     string    `json:"steps,omitempty"`
	Session   string    `json:"session,omitempty"`
	Model     string    `json:"model,omitempty"`
	Tokens    int64     `json:"tokens,omitempty"`
	Code      git.ID    `json:"code,omitempty"`
	Memory    git.ID    `json:"memory,omitempty"`
	Milestone string    `json:"milestone,omitempty"`
	Score     *float64  `json:"score,omitempty"`
	Outcome   string    `json:"outcome,omitempty"`
	Key       string    `json:"key,omitempty"`
	Value     string    `json:"value,omitempty"`
	Text      string    `json:"text,omitempty"`

	// Raw is the line that Parse read the fact from, with members it does not know.
	Raw json.RawMessage `json:"-"`
}

// Line is the fact as it stands in a note, without a newline.
func (f Fact) Line() ([]byte, error) {
	f.Version = 1
	f.Time = f.Time.UTC()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(f); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// Parse takes the facts out of a note, oldest first, in whatever order its lines are:
// of two facts of one id, which nobody makes by accident, the bytewise smaller is the
// newer one, so that all clones agree. Lines of other people are passed over.
func Parse(note []byte) []Fact {
	var facts []Fact
	for line := range bytes.Lines(note) {
		var f Fact
		if json.Unmarshal(line, &f) == nil && f.Version == 1 && validID(f.ID) && f.Kind != "" {
			f.Raw = bytes.ToValidUTF8(bytes.TrimSpace(line), []byte("\uFFFD")) // JSON's reader takes any bytes
			facts = append(facts, f)
		}
	}
	slices.SortFunc(facts, func(a, b Fact) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), bytes.Compare(b.Raw, a.Raw))
	})
	return facts
}

// validID reports whether an id orders with others and others can follow it. What is
// no ULID, or one that is later than any date, would be in force for good.
func validID(id string) bool {
	parsed, err := ulid.ParseStrict(id)
	return err == nil && parsed.String() == id && ulid.Time(parsed.Time()).Year() <= 9999
}

// Judgement is what a milestone's facts say that is in force. Reviews do not
// replace one another: all of them are, oldest first.
type Judgement struct {
	Score   *float64
	Outcome *string
	Tags    map[string]string
	Reviews []Fact
}

// Judge finds what is in force among facts that Parse returned. A score out of
// range and an outcome that nobody knows say nothing.
func Judge(facts []Fact) Judgement {
	j := Judgement{Tags: map[string]string{}}
	for _, f := range facts {
		switch f.Kind {
		case KindScore:
			if f.Score != nil && *f.Score >= 0 && *f.Score <= 1 {
				j.Score = f.Score
			}
		case KindOutcome:
			if slices.Contains(Outcomes(), f.Outcome) {
				j.Outcome = &f.Outcome
			}
		case KindTag:
			j.Tags[f.Key] = f.Value
		case KindReview:
			j.Reviews = append(j.Reviews, f)
		}
	}
	return j
}

// Union is the lines of both notes, each once. Ours stands as it is, new lines
// follow, so that a note that gains nothing keeps its bytes. Empty lines, which
// git puts between joined notes, are not taken over.
func Union(ours, theirs []byte) []byte {
	seen := map[string]bool{"": true}
	for line := range bytes.Lines(ours) {
		seen[string(bytes.TrimSuffix(line, []byte("\n")))] = true
	}
	out := bytes.Clone(ours)
	for line := range bytes.Lines(theirs) {
		text := string(bytes.TrimSuffix(line, []byte("\n")))
		if seen[text] {
			continue
		}
		seen[text] = true
		if n := len(out); n > 0 && out[n-1] != '\n' {
			out = append(out, '\n')
		}
		out = append(append(out, text...), '\n')
	}
	return out
}
