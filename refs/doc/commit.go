package doc

import (
	"errors"
	"strings"
	"time"
)

// The kinds of commits. An ordinary COMMIT has none.
const (
	KindBirth    = "birth"    // the first entry of a new branch; not counted in the totals
	KindMerge    = "merge"    // another branch was merged
	KindRollback = "rollback" // documents were restored to an earlier state
)

// Labels of the quotes in commit.md, in the paper's words.
const (
	purposeLabel      = "Branch Purpose"
	progressLabel     = "Previous Progress Summary"
	contributionLabel = "This Commit's Contribution"
)

// Commit is an entry of commit.md: a memory commit. As with a Step, its id alone
// identifies it.
type Commit struct {
	ID      string
	Number  int
	Time    time.Time
	Agent   string
	Session string
	Model   string
	Tokens  int64
	Source  string // as in Step: set for an imported commit
	Origin  string
	Kind    string // "" for a COMMIT, or a Kind constant; later versions may add kinds
	Steps   Steps  // the steps that it covers

	Goal         string // of the project, at the time of the commit
	Purpose      string // why the branch exists
	Summary      string // conventionally one line; line breaks are kept
	Progress     string // what came before; see NextProgress
	Contribution string

	Extra string // as in Step
}

// Check reports why the commit cannot be written; nil if it can.
func (m *Commit) Check() error {
	h := m.head()
	if m.Steps.Count == 0 && m.Steps != (Steps{}) {
		return errors.New("a range of no steps has a first or last one")
	}
	return errors.Join(h.check(true), checkField("goal", m.Goal), checkField("purpose", m.Purpose),
		checkField("summary", m.Summary), checkField("progress", m.Progress), checkField("contribution", m.Contribution))
}

func (m *Commit) head() head {
	return head{ID: m.ID, Number: m.Number, Time: m.Time, Agent: m.Agent, Session: m.Session, Model: m.Model,
		Tokens: m.Tokens, Source: m.Source, Kind: m.Kind, Steps: m.Steps, Origin: m.Origin, Extra: m.Extra}
}

// ParseCommits reads commit.md or a sealed segment of it; see ParseLog.
func ParseCommits(data []byte) ([]Commit, error) {
	var ms []Commit
	err := parseEntries(data, commitHeading, func(sc *scanner, origin string) error {
		m, err := sc.commit(origin)
		ms = append(ms, m)
		return err
	})
	if err != nil {
		return nil, err
	}
	return ms, nil
}

func (sc *scanner) commit(origin string) (Commit, error) {
	h, err := sc.head(commitHeading, origin)
	if err != nil {
		return Commit{}, err
	}
	m := Commit{ID: h.ID, Number: h.Number, Time: h.Time, Agent: h.Agent, Session: h.Session, Model: h.Model,
		Tokens: h.Tokens, Source: h.Source, Kind: h.Kind, Steps: h.Steps, Origin: h.Origin, Extra: h.Extra}
	if m.Summary, err = sc.summary(); err != nil {
		return m, err
	}
	if sc.label(purposeLabel) {
		if m.Goal, m.Purpose, err = sc.purpose(); err != nil {
			return m, err
		}
	}
	if sc.label(progressLabel) {
		if m.Progress, err = sc.block(); err != nil {
			return m, err
		}
	}
	if sc.label(contributionLabel) {
		m.Contribution, err = sc.block()
	}
	return m, err
}

// summary reads an empty line and the summary. A line in this place is a summary unless it
// begins with a character that the first character of a summary would have to be escaped
// for.
func (sc *scanner) summary() (string, error) {
	rest, ok := strings.CutPrefix(sc.s[sc.pos:], "\n")
	if !ok || rest == "" || strings.IndexByte("*#=\n", rest[0]) >= 0 {
		return "", nil
	}
	sc.take("")
	line := sc.next()
	text, ok := unescapeLine(line, true)
	if !ok {
		return "", sc.fail("'%s' is no summary", clip(line))
	}
	return text, nil
}

// purpose reads one quote, the purpose, or two: the goal, then the purpose. The second of
// two may be empty, because a single quote would be read as the purpose.
func (sc *scanner) purpose() (goal, purpose string, err error) {
	if purpose, err = sc.block(); err != nil {
		return "", "", err
	}
	if !strings.HasPrefix(sc.s[sc.pos:], "\n>") {
		return "", purpose, nil
	}
	sc.take("")
	goal = purpose
	purpose, err = sc.quote()
	return goal, purpose, err
}

// FormatCommits writes commits as commit.md; see FormatLog.
func FormatCommits(ms []Commit) []byte {
	var b []byte
	var t tagWriter
	for i := range ms {
		b = t.append(b, ms[i].Origin)
		b = ms[i].append(b)
	}
	return b
}

func (m *Commit) append(b []byte) []byte {
	h := m.head()
	b = h.append(b, commitHeading)
	if m.Summary != "" {
		b = append(b, '\n')
		b = append(appendSummary(b, m.Summary), '\n')
	}
	if m.Goal != "" {
		b = appendQuote(appendLabel(b, purposeLabel), m.Goal)
		b = append(b, '\n')
		b = appendQuote(b, m.Purpose)
	} else {
		b = appendBlock(b, purposeLabel, m.Purpose)
	}
	b = appendBlock(b, progressLabel, m.Progress)
	return appendBlock(b, contributionLabel, m.Contribution)
}
