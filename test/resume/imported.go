package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// dataDir has real sessions of agents, beside this repository. They are not part of it: where they are
// missing, nothing of them is measured.
const dataDir = "../shared/data"

// errNoData is the error for a real session that this machine does not have.
var errNoData = errors.New("no real session")

// imported is a folder below imported: a real session that is cut in the middle.
//
//	cut    "FORMAT FILE N": the first N lines of a file of dataDir, or of a trajectory of SWE-agent
//	       the first N steps, as it was before it ended; "thin" behind them means that so little
//	       happened in the session that its figures say little
//	facts  one on each line: a sentence, and the regular expressions that tell it, behind tabs. All
//	       of them must match, in any case
//	note   a hand-off note
//
// Facts and notes are by one person who had the session as it is cut, and neither the rest of it nor a
// brief.
type imported struct {
	name, format, file string
	keep               int
	thin               bool
	facts              []pattern
	note               string

	session    []byte // as it is cut
	task, last string // the user's first words, and the last record
}

type pattern struct {
	text  string
	tells []*regexp.Regexp
}

func readImported(dir, data string) ([]*imported, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []*imported
	for _, e := range entries {
		m, err := readImport(filepath.Join(dir, e.Name()), data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		list = append(list, m)
	}
	return list, nil
}

func readImport(dir, data string) (*imported, error) {
	m := &imported{name: filepath.Base(dir)}
	text := map[string]string{}
	for _, name := range []string{"cut", "facts", "note"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		text[name] = string(content)
	}
	m.note = text["note"]
	for line := range strings.Lines(text["facts"]) {
		words := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(words) < 2 {
			return nil, fmt.Errorf("facts: nothing tells '%s'", words[0])
		}
		f := pattern{text: words[0]}
		for _, word := range words[1:] {
			tells, err := regexp.Compile("(?i)" + word)
			if err != nil {
				return nil, fmt.Errorf("facts: %w", err)
			}
			f.tells = append(f.tells, tells)
		}
		m.facts = append(m.facts, f)
	}
	kind := ""
	if _, err := fmt.Sscan(text["cut"]+" whole", &m.format, &m.file, &m.keep, &kind); err != nil {
		return nil, fmt.Errorf("cut: %w", err)
	}
	m.thin = kind == "thin"
	whole, err := os.ReadFile(filepath.Join(data, m.file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", errNoData, err)
	}
	if err != nil {
		return nil, err
	}
	if m.format == "swe-agent" {
		return m, m.cutTrajectory(whole)
	}
	return m, m.cutLines(whole)
}

// cutTrajectory keeps the first steps of a trajectory, and of the history what the model saw of them: two
// messages before the first step, and two for each. What is said of the end is left out.
func (m *imported) cutTrajectory(whole []byte) error {
	var all map[string]json.RawMessage
	var steps []struct{ Thought, Action, Observation string }
	var history []struct{ Content string }
	if err := json.Unmarshal(whole, &all); err != nil {
		return err
	}
	before := 2
	for name, cut := range map[string]struct {
		keep int
		into any
	}{"trajectory": {m.keep, &steps}, "history": {before + 2*m.keep, &history}} {
		var list []json.RawMessage
		if err := json.Unmarshal(all[name], &list); err != nil {
			return err
		}
		if len(list) < cut.keep {
			return fmt.Errorf("cut: %s has %d elements", name, len(list))
		}
		kept, err := json.Marshal(list[:cut.keep])
		if err != nil {
			return err
		}
		if err := json.Unmarshal(kept, cut.into); err != nil {
			return err
		}
		all[name] = kept
	}
	all["info"] = json.RawMessage("{}")
	last := steps[m.keep-1]
	m.task, m.last = history[before-1].Content, strings.Join([]string{last.Thought, last.Action, last.Observation}, "\n")
	var err error
	m.session, err = json.Marshal(all)
	return err
}

// cutLines keeps the first lines of a transcript, each a record.
func (m *imported) cutLines(whole []byte) error {
	lines := bytes.SplitAfter(whole, []byte("\n"))
	if len(lines) < m.keep {
		return fmt.Errorf("cut: %s has %d lines", m.file, len(lines))
	}
	m.session = bytes.Join(lines[:m.keep], nil)
	var err error
	if m.last, err = texts(lines[m.keep-1]); err != nil {
		return err
	}
	for _, line := range lines[:m.keep] {
		type message struct {
			Role    string
			Content json.RawMessage
		}
		var r struct {
			Role             string
			Message, Payload message
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		for _, said := range []message{r.Message, r.Payload} {
			if m.task == "" && (said.Role == "user" || r.Role == "user") {
				m.task = words(said.Content)
			}
		}
	}
	return nil
}

// words is what a message says: a text, or parts of which some are texts.
func words(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		text += p.Text
	}
	return text
}

// texts returns all texts of JSON values, and of the objects that are written as texts there.
func texts(data []byte) (string, error) {
	var b strings.Builder
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var v any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		walk(v, &b)
	}
}

func walk(v any, b *strings.Builder) {
	switch v := v.(type) {
	case string:
		b.WriteString(v + "\n")
		var inner map[string]any
		if strings.HasPrefix(v, "{") && json.Unmarshal([]byte(v), &inner) == nil {
			walk(inner, b)
		}
	case []any:
		for _, e := range v {
			walk(e, b)
		}
	case map[string]any:
		for _, e := range v {
			walk(e, b)
		}
	}
}

// missing lists the facts that a text does not tell.
func (m *imported) missing(text string) (list []pattern) {
	for _, f := range m.facts {
		for _, tells := range f.tells {
			if !tells.MatchString(text) {
				list = append(list, f)
				break
			}
		}
	}
	return list
}

// play imports the session into the memory of a new repository, and returns the texts that are compared:
// the brief first.
func (m *imported) play(ctx context.Context, bin, dir string) ([]told, error) {
	r := repository{ctx: ctx, bin: bin, dir: dir}
	if err := r.begin(nil); err != nil {
		return nil, err
	}
	if _, err := r.run("", bin, "init", "-q"); err != nil {
		return nil, err
	}
	file := filepath.Join(r.dir, ".git", filepath.Base(m.file))
	if err := os.WriteFile(file, m.session, 0o666); err != nil {
		return nil, err
	}
	if _, err := r.run("", bin, "import", "--from", m.format, file); err != nil {
		return nil, err
	}
	brief, err := r.run("", bin)
	if err != nil {
		return nil, err
	}
	return []told{{"the brief", head(brief)}, {"the note", head(m.note)}, {"the task", head(m.task)},
		{"the task and the last record", head(m.task + "\n" + m.last)}}, nil
}

// importedTable prints what each text tells, for the sessions below a folder, and the sums: of those in
// which much happened, and of the others.
func importedTable(bin, dir, title, from string, verbose bool) error {
	sessions, err := readImported(from, dataDir)
	if errors.Is(err, errNoData) {
		fmt.Printf("NOT RUN: %ss: %v\n", title, err)
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Println("| " + title + " | facts | the brief | the note | the task | the task and the last record |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, thin := range []bool{false, true} {
		facts, known := 0, map[string]int{}
		var names []string
		for _, m := range sessions {
			if m.thin != thin {
				continue
			}
			said, err := m.play(context.Background(), bin, filepath.Join(dir, m.name))
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			facts, names = facts+len(m.facts), nil
			for _, t := range said {
				known[t.name] += len(m.facts) - len(m.missing(t.text))
				names = append(names, t.name)
			}
			m.row(said, verbose)
		}
		if facts == 0 {
			continue
		}
		fmt.Printf("| %s | %d |", map[bool]string{false: "together", true: "the thin ones together"}[thin], facts)
		for _, name := range names {
			fmt.Printf(" %d |", known[name])
		}
		fmt.Println()
	}
	return nil
}

// row prints what each text tells of a session.
func (m *imported) row(said []told, verbose bool) {
	fmt.Printf("| %s | %d |", m.name, len(m.facts))
	for _, t := range said {
		fmt.Printf(" %d in %d bytes |", len(m.facts)-len(m.missing(t.text)), len(t.text))
	}
	fmt.Println()
	for _, t := range said {
		for _, f := range m.missing(t.text) {
			if verbose {
				fmt.Printf("  %s: not told: %s\n", t.name, f.text)
			}
		}
	}
}
