package main

import (
	"context"
	"encoding/json"
	"math/rand"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
)

// prose makes texts whose words are as unevenly frequent as those of English: the ten
// most frequent are a quarter of a text, a hundred are half of it.
type prose struct {
	rand *rand.Rand
	zipf *rand.Zipf
	list []string
}

// newProse makes 30,000 words up, some of them names as code has them.
func newProse() *prose {
	p := &prose{rand: rand.New(rand.NewSource(1))}
	p.zipf = rand.NewZipf(p.rand, 1.1, 3, 29_999)
	p.list = strings.Fields("the to of and a in is it that for on with as was this be are by not or from at an but which " +
		"test pool error connection router waits for handler that never returns and reports timeout after store.Open")
	for len(p.list) < 30_000 {
		w := p.syllables()
		switch p.rand.Intn(8) {
		case 0:
			w += strings.ToUpper(w[:1]) + p.syllables()
		case 1:
			w += "/" + p.syllables() + ".go"
		case 2:
			w += "_" + p.syllables()
		}
		p.list = append(p.list, w)
	}
	return p
}

func (p *prose) syllables() string {
	var b strings.Builder
	for range 2 + p.rand.Intn(3) {
		b.WriteByte("bcdfghklmnprstvw"[p.rand.Intn(16)])
		b.WriteByte("aeiou"[p.rand.Intn(5)])
	}
	return b.String()
}

func (p *prose) text(words int) string {
	list := make([]string, words)
	for i := range list {
		list[i] = p.list[p.zipf.Uint64()]
	}
	return strings.Join(list, " ")
}

// milestone is what one COMMIT brings.
type milestone struct {
	Steps                 []store.NewStep
	Summary, Contribution string
}

// stepsOfMilestone is how many steps each has.
const stepsOfMilestone = 10

// milestone makes one of ten steps of about 300 bytes.
func (p *prose) milestone() milestone {
	m := milestone{Steps: make([]store.NewStep, stepsOfMilestone), Summary: p.text(8), Contribution: p.text(40)}
	for i := range m.Steps {
		m.Steps[i] = store.NewStep{Observation: p.text(22), Thought: p.text(12), Action: p.text(5)}
	}
	return m
}

// raw is how many bytes of text it is.
func (m milestone) raw() int64 {
	n := len(m.Summary) + len(m.Contribution)
	for _, s := range m.Steps {
		n += len(s.Observation) + len(s.Thought) + len(s.Action)
	}
	return int64(n)
}

// commit records the steps and commits them.
func (m milestone) commit(s *refs.Store) error {
	if _, err := s.Record(context.Background(), m.Steps); err != nil {
		return err
	}
	_, err := s.Commit(context.Background(), store.CommitOptions{Summary: m.Summary, Contribution: m.Contribution})
	return err
}

// line is the milestone as the folder store takes it.
func (m milestone) line() ([]byte, error) {
	line, err := json.Marshal(m)
	return append(line, '\n'), err
}

// markdown is the milestone as a person would write it into two files.
func (m milestone) markdown() (log, commit string) {
	var b strings.Builder
	for _, s := range m.Steps {
		b.WriteString("### Step\n\n**Observation**\n" + s.Observation + "\n\n**Thought**\n" + s.Thought + "\n\n**Action**\n" + s.Action + "\n\n")
	}
	return b.String(), "## " + m.Summary + "\n\n" + m.Contribution + "\n\n"
}
