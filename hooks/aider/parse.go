package aider

import (
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
)

// kind is what a part of a history is.
type kind int

const (
	chat    kind = iota // text is its name
	typed               // by the user, one or more lines
	said                // by the model
	printed             // by the program, one line
)

// part is a part of a history.
type part struct {
	kind kind
	text string
	at   time.Time // of a chat

	edits []agent.Edit // of a line that says that they were applied
}

// parser divides a history into parts.
type parser struct {
	parts []part
	found bool // a chat began

	kind  kind     // of the lines that wait
	lines []string // of one part
	fence string   // that the model opened; "" for none
	edits bool     // it has an edit
	open  int      // the number of lines before the fence

	changes map[string][]agent.Edit // of the edits that wait for such a line, by the file
}

func (p *parser) line(line string) {
	if at, ok := strings.CutPrefix(line, began); ok {
		p.begin(strings.TrimSpace(at))
		return
	}
	if !p.found {
		return
	}
	own := p.fence == "" || strings.HasSuffix(line, "  ")
	text := strings.TrimRight(line, " ")
	switch {
	case own && (strings.HasPrefix(text, "#### ") || text == "####"):
		p.add(typed, strings.TrimPrefix(strings.TrimPrefix(text, "####"), " "))
	case own && (strings.HasPrefix(text, "> ") || text == ">"):
		p.add(printed, strings.TrimPrefix(strings.TrimPrefix(text, ">"), " "))
		p.end() // each line is one part
		p.applied()
	case p.kind == said && len(p.lines) > 0 || text != "":
		p.add(said, text)
		p.fenced(text)
	default:
		p.end()
	}
}

// begin begins a chat. One whose time is not readable has the text as its name, and no time.
func (p *parser) begin(at string) {
	p.end()
	p.found = true
	c := part{kind: chat, text: at}
	if t, err := time.ParseInLocation(time.DateTime, at, time.Local); err == nil {
		c.at = t.UTC()
	}
	c.text = strings.NewReplacer(" ", "T", ":", "").Replace(c.text)
	p.parts = append(p.parts, c)
}

// add adds a line to the part that waits, or begins one.
func (p *parser) add(k kind, text string) {
	if len(p.lines) > 0 && p.kind != k {
		p.end()
	}
	p.kind = k
	p.lines = append(p.lines, text)
}

// fenced follows the fences of the model, and removes those with an edit, with the name of the file that
// is in the line before.
func (p *parser) fenced(line string) {
	line = strings.TrimSpace(line)
	switch {
	case p.fence != "" && strings.HasPrefix(line, "<<<<<<< SEARCH"):
		p.edits = true
	case p.fence != "" && line == p.fence:
		if p.edits {
			block := p.lines[p.open:]
			p.lines = p.lines[:p.open]
			if n := len(p.lines); n > 0 && p.lines[n-1] != "" && !strings.Contains(p.lines[n-1], " ") {
				p.changes[p.lines[n-1]] = append(p.changes[p.lines[n-1]], blocks(block)...)
				p.lines = p.lines[:n-1]
			}
			for n := len(p.lines); n > 0 && p.lines[n-1] == ""; n-- {
				p.lines = p.lines[:n-1]
			}
		}
		p.fence, p.edits = "", false
	case p.fence == "" && strings.HasPrefix(line, "```"):
		p.fence = line[:len(line)-len(strings.TrimLeft(line, "`"))]
		p.open = len(p.lines) - 1
	}
}

// end ends the part that waits.
func (p *parser) end() {
	text := strings.TrimSpace(strings.Join(p.lines, "\n"))
	if text != "" {
		p.parts = append(p.parts, part{kind: p.kind, text: text})
	}
	p.lines, p.fence, p.edits = nil, "", false
}

// applied gives a line that says that an edit was applied what the edit changed.
func (p *parser) applied() {
	n := len(p.parts)
	if n == 0 {
		return
	}
	if name, ok := strings.CutPrefix(p.parts[n-1].text, appliedTo); ok {
		p.parts[n-1].edits = p.changes[name]
		delete(p.changes, name)
	}
}

// blocks are the edits of a fence: what is between SEARCH, the line "=======" and REPLACE.
func blocks(lines []string) (list []agent.Edit) {
	var one agent.Edit
	var into *string
	for _, line := range lines {
		switch text := strings.TrimSpace(line); {
		case strings.HasPrefix(text, "<<<<<<< SEARCH"):
			one = agent.Edit{}
			into = &one.Old
		case text == "=======":
			into = &one.New
		case strings.HasPrefix(text, ">>>>>>> REPLACE"):
			list, into = append(list, one), nil
		case into != nil:
			*into += line + "\n"
		}
	}
	return list
}
