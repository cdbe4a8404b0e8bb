package main

import (
	"fmt"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

// roff returns the page as man reads it. It corrects the output of go-md2man: hyphens and
// quotes that man would show as typographic ones, so that commands could not be pasted or
// searched for, and empty lines, which man's checkers refuse. It sets terms and literal
// blocks as git's pages do.
func (p page) roff(s stamp) []byte {
	t := tidier{}
	for line := range strings.Lines(string(md2man.Render([]byte(p.title(s) + p.text)))) {
		t.line(strings.TrimRight(line, "\n"))
	}
	t.close()
	return []byte(t.out.String())
}

// noHyphens is the request that keeps words whole.
const noHyphens = ".nh"

// tidier corrects one line after another.
type tidier struct {
	out     strings.Builder
	last    string // the last line that was written
	title   string // of the section
	literal bool   // within .EX and .EE
	blank   bool   // an empty line was read and not written yet
	term    bool   // the next line is a term
	meaning bool   // within the text of a term
}

func (t *tidier) line(line string) {
	switch {
	case t.literal && line == ".EE":
		t.literal = false
		t.write(line)
		t.write(noHyphens) // .EE turns hyphenation on again, as .TH does
		if t.title != sectionSynopsis {
			t.write(".RE")
		}
	case t.literal:
		t.write(t.shown(line))
	case line == "":
		t.blank = true
	case line == ".EX":
		t.begin()
	case strings.HasPrefix(line, "."):
		t.blank = false
		t.request(line)
	case t.term:
		t.term, t.meaning, t.blank = false, true, false
		t.write(characters(line))
		t.write(".RS 4")
	default:
		if t.blank && t.last != "" && !strings.HasPrefix(t.last, ".") {
			t.write(".sp")
		}
		t.blank = false
		t.write(characters(line))
	}
}

// request writes a line that is a request to man.
func (t *tidier) request(line string) {
	name, rest, _ := strings.Cut(line, " ")
	switch name {
	case noHyphens: // go-md2man writes it before .TH, which resets it
	case ".TH":
		t.write(line)
		t.write(noHyphens)
		t.write(".ad l")
	case ".TP":
		t.close()
		if t.title == sectionExit { // codes are short
			t.write(".TP 6")
			return
		}
		t.paragraph()
		t.term = true
	case ".SH", ".SS":
		t.close()
		t.title = rest
		t.write(characters(line))
	case ".PP":
		t.close()
		t.paragraph()
	default:
		t.write(line)
	}
}

// paragraph begins a paragraph, unless a heading has begun one.
func (t *tidier) paragraph() {
	if !strings.HasPrefix(t.last, ".S") {
		t.write(".PP")
	}
}

// close ends the text of a term.
func (t *tidier) close() {
	if t.meaning {
		t.write(".RE")
	}
	t.meaning = false
}

// begin begins a literal block, indented as in git's pages.
func (t *tidier) begin() {
	t.literal, t.blank = true, false
	if t.title == sectionSynopsis {
		t.write(".EX")
		return
	}
	if !strings.HasPrefix(t.last, ".S") && t.last != ".PP" {
		t.write(".sp")
	}
	t.write(".RS 4")
	t.write(".EX")
}

// shown returns a line of literal text; in a synopsis the command is bold.
func (t *tidier) shown(line string) string {
	plain := characters(line)
	if t.title != sectionSynopsis || !strings.HasPrefix(line, "git context") {
		return plain
	}
	words := strings.SplitN(line, " ", 4)
	n := 2
	if len(words) > 2 && strings.Trim(words[2], "abcdefghijklmnopqrstuvwxyz") == "" {
		n = 3
	}
	bold := strings.Join(words[:n], " ")
	return `\fB` + bold + `\fR` + characters(strings.TrimPrefix(line, bold))
}

func (t *tidier) write(line string) {
	t.out.WriteString(line + "\n")
	t.last = line
}

// characters escapes the characters that roff would show as others, and all outside of
// ASCII, which old versions cannot read.
func characters(line string) string {
	line = strings.NewReplacer(`\\`, `\e`, `\-`, `\-`, "-", `\-`, "'", `\(aq`, "`", `\(ga`,
		"^", `\(ha`, "~", `\(ti`).Replace(line)
	var b strings.Builder
	for _, r := range line {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	return b.String()
}
