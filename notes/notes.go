// Package notes reads and writes git-context's notes: refs/notes/context, with one note for
// each object and one JSON object on each line.
//
// # Format
//
// The lines are independent of each other, so that a union of lines (git's cat_sort_uniq)
// merges two notes correctly:
//
//	{"v":1,"id":"01JD…","kind":"commit","time":"2026-11-21T01:40:12Z","agent":"claude-code", …}
//
// The kind determines the other members. On memory commits: commit (branch, steps, session,
// model, code, tokens), score (score), outcome (outcome), tag (key, value), review (text).
// On code commits: link (memory, branch, and milestone, which is the memory commit's
// Context-Id and finds it if its git commit was rewritten). Of the lines of one kind, and
// for tags of one key, the one with the largest id is valid; of links and reviews all are.
// An id is a ULID with a time before the year 10000. Where none is left that is larger than all others of the note, over lists the
// ids of the facts that a new one replaces: those with the same kind, for tags also the same key, count as older than all that no
// fact names. A line that is not such an object
// belongs to another program: it is preserved and never interpreted.
//
// # The tree
//
// Notes are written in a fixed 2/38 fan-out (2/62 with SHA-256), whatever their number,
// because one insert then rewrites one small tree of 256 entries. git reads any fan-out and
// may write another one itself: an existing note is found and replaced at any of these
// paths.
//
// # Other writers
//
// git notes add and append write without an old value and lose what another process added
// meanwhile. This package therefore never runs them: it builds the new notes commit and
// leaves the update of the ref to the caller's ref transaction, with the old value. Writers
// serialise on the repository's lock [LockName].
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
	"github.com/git-context/git-context/refs/prose"
)

// LockName is the lock that every writer of the notes ref must acquire while it builds a
// commit and updates the ref.
const LockName = "notes"

// The kinds of facts.
const (
	KindCommit  = "commit"
	KindScore   = "score"
	KindOutcome = "outcome"
	KindTag     = "tag"
	KindReview  = "review"
	KindLink    = "link"
)

// Outcomes returns the valid outcomes of a commit.
func Outcomes() []string { return []string{"success", "failed", "abandoned"} }

// OutcomeOf returns the valid outcome that a text means: one of Outcomes, or one with a suffix, such as
// success_1, which counts as success. It reports false for another text.
func OutcomeOf(text string) (string, bool) {
	for _, o := range Outcomes() {
		if rest, ok := strings.CutPrefix(text, o); ok && (rest == "" || rest[0] == '_') {
			return o, true
		}
	}
	return "", false
}

// Fact is one line of a note. Members that its kind does not have are zero and not written.
type Fact struct {
	Version  int       `json:"v"`
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	Time     time.Time `json:"time"`
	Agent    string    `json:"agent,omitempty"`
	Branch   string    `json:"branch,omitempty"`
	Steps    string    `json:"steps,omitempty"`
	Session  string    `json:"session,omitempty"`
	Model    string    `json:"model,omitempty"`
	Tokens   int64     `json:"tokens,omitempty"`
	Code     git.ID    `json:"code,omitempty"`
	Memory   git.ID    `json:"memory,omitempty"`
	CommitID string    `json:"milestone,omitempty"`
	Score    *float64  `json:"score,omitempty"`
	Outcome  string    `json:"outcome,omitempty"`
	Key      string    `json:"key,omitempty"`
	Value    string    `json:"value,omitempty"`
	Text     string    `json:"text,omitempty"`
	Over     []string  `json:"over,omitempty"` // larger ids of facts that this one replaces

	// Raw is the line that Parse read, which may have members unknown to this version.
	Raw json.RawMessage `json:"-"`
}

// Line returns the fact as a line of a note, without a newline.
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

// Parse returns the facts in a note, oldest first, independent of the order of its lines.
// Of two facts with one id, which only forgery creates, the bytewise smaller counts as
// newer, so that all clones agree. One that reads "(expunged)" gives way to one that does not: a refusal
// brings that back beside it. Lines of other programs are skipped.
func Parse(note []byte) []Fact {
	var facts []Fact
	for line := range bytes.Lines(note) {
		var f Fact
		if json.Unmarshal(line, &f) == nil && f.Version == 1 && validID(f.ID) && f.Kind != "" {
			f.Raw = bytes.ToValidUTF8(bytes.TrimSpace(line), []byte("\uFFFD")) // JSON's reader accepts invalid UTF-8
			facts = append(facts, f)
		}
	}
	return Order(facts)
}

// Order puts facts of one note, of which Parse may have read the parts, in the order of Parse. It changes the slice.
func Order(facts []Fact) []Fact {
	slices.SortFunc(facts, func(a, b Fact) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), bytes.Compare(b.Raw, a.Raw))
	})
	return namedFirst(withoutHidden(facts))
}

// withoutHidden leaves out the facts, in order of their ids, of which another line says what was expunged.
func withoutHidden(facts []Fact) []Fact {
	kept := facts[:0]
	for from := 0; from < len(facts); {
		to := from + 1
		for to < len(facts) && facts[to].ID == facts[from].ID {
			to++
		}
		if to == from+1 {
			kept, from = append(kept, facts[from]), to
			continue
		}
		same, whole := slices.Clone(facts[from:to]), map[string]bool{}
		for _, f := range same {
			whole[f.Kind] = whole[f.Kind] || !f.hidden()
		}
		for _, f := range same {
			if !f.hidden() || !whole[f.Kind] {
				kept = append(kept, f)
			}
		}
		from = to
	}
	return kept
}

func (f Fact) hidden() bool {
	return bytes.Contains(f.Raw, []byte(prose.Redaction)) || bytes.Contains(f.Raw, []byte(prose.ShortRedaction))
}

// validID reports whether other ids can follow an id in order. Anything but a ULID, or a
// ULID later than any date, would stay the newest forever.
func validID(id string) bool {
	parsed, err := ulid.ParseStrict(id)
	return err == nil && parsed.String() == id && ulid.Time(parsed.Time()).Year() <= 9999
}

// Judgement is the valid facts about a commit. Reviews do not replace one another: all are
// valid, oldest first.
type Judgement struct {
	Score   *float64
	Outcome *string
	Tags    map[string]string
	Reviews []Fact
}

// Judge returns the valid facts among those that Parse returned. It ignores scores out of
// range and unknown outcomes.
func Judge(facts []Fact) Judgement {
	j := Judgement{Tags: map[string]string{}}
	for _, f := range facts {
		switch f.Kind {
		case KindScore:
			if f.Score != nil && *f.Score >= 0 && *f.Score <= 1 {
				j.Score = f.Score
			}
		case KindOutcome:
			if outcome, ok := OutcomeOf(f.Outcome); ok {
				j.Outcome = &outcome
			}
		case KindTag:
			j.Tags[f.Key] = f.Value
		case KindReview:
			j.Reviews = append(j.Reviews, f)
		}
	}
	return j
}

// Union returns the lines of both notes, each once. New lines follow ours, which stays
// unchanged, so that a note that gains no line keeps its bytes. Empty lines of theirs,
// which git puts between joined notes, are dropped.
func Union(ours, theirs []byte) []byte {
	u := newUnion(ours)
	u.add(theirs)
	return u.note
}

// union is a note that gets the lines of others.
type union struct {
	note []byte
	seen map[string]bool // its lines
}

func newUnion(note []byte) *union {
	u := &union{bytes.Clone(note), map[string]bool{"": true}}
	for line := range bytes.Lines(note) {
		u.seen[string(bytes.TrimSuffix(line, []byte("\n")))] = true
	}
	return u
}

// add adds those lines of another note that the note lacks.
func (u *union) add(theirs []byte) {
	for line := range bytes.Lines(theirs) {
		text := string(bytes.TrimSuffix(line, []byte("\n")))
		if u.seen[text] {
			continue
		}
		u.seen[text] = true
		if n := len(u.note); n > 0 && u.note[n-1] != '\n' {
			u.note = append(u.note, '\n')
		}
		u.note = append(append(u.note, text...), '\n')
	}
}
