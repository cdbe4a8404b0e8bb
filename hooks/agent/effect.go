package agent

import "strings"

// Effect is what a command line does, as far as its words show it.
type Effect struct {
	Writes  []string // the files that it names as written
	Changes bool     // it changes files, of which Writes may not have all
	Runs    bool     // it runs a program whose result says something, such as a test
}

// EffectOf reads a command line.
func EffectOf(line string) (e Effect) {
	p := &parser{rest: line, plain: true}
	for p.rest != "" {
		p.next()
	}
	p.end(false)
	e.Writes = p.writes
	for _, c := range p.commands {
		e.add(c)
	}
	e.Changes = e.Changes || len(e.Writes) > 0
	return e
}

func (e *Effect) add(c command) {
	switch name := c.name(); {
	case name == "patch", name == "apply_patch", name == "git" && c.git() == "apply":
		e.Changes = true
	case name == "tee":
		e.Writes = append(e.Writes, c.operands()...)
	case name == "sed" && c.has("-i", "--in-place"):
		if files := c.operands(); len(files) > 1 { // after the script
			e.Writes = append(e.Writes, files[1:]...)
		}
		e.Changes = true
	case tidies(name), beside(name), c.reads():
	default:
		e.Runs = true
	}
}

// operands are the words of a command that are neither its name nor options.
func (c command) operands() (words []string) {
	for _, word := range c.words[min(1, len(c.words)):] {
		if !strings.HasPrefix(word, "-") {
			words = append(words, word)
		}
	}
	return words
}

// tidies reports whether a command moves or removes whole files, which is neither the work nor its test.
func tidies(name string) bool {
	switch name {
	case "rm", "mv", "cp", "mkdir", "rmdir", "touch", "chmod", "ln":
		return true
	}
	return false
}
