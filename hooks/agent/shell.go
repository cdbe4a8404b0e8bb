package agent

import (
	"path"
	"slices"
	"strings"
)

// ownCall reports whether a call is one of git-context: recording it would make memory a
// record of its own upkeep.
func ownCall(e Event) bool {
	if e.Class == Shell {
		return ownCommand(e.Argument)
	}
	tool := strings.ReplaceAll(e.Tool, "-", "_")
	return strings.HasPrefix(tool, "mcp__git_context__") || strings.HasPrefix(tool, "mcp_git_context_")
}

// findsTools reports whether a call looks for tools that the client has: its result is their descriptions, which
// say nothing of the work.
func findsTools(e Event) bool { return e.Tool == "ToolSearch" || e.Tool == "tool_search" }

// commitsMemory reports whether a call makes a memory commit.
func commitsMemory(e Event) bool {
	if e.Class != Shell {
		return ownCall(e) && strings.HasSuffix(e.Tool, "commit")
	}
	if !strings.Contains(e.Argument, "context") {
		return false
	}
	commands, _ := parse(e.Argument)
	return slices.ContainsFunc(commands, func(c command) bool {
		return c.runsContext() && slices.ContainsFunc(c.words, func(word string) bool { return word == "commit" || word == "handover" })
	})
}

// ownCommand reports whether a command line runs git-context and otherwise only changes the
// directory, prints words, or filters its output.
func ownCommand(line string) bool {
	if !strings.Contains(line, "context") {
		return false
	}
	own := false
	commands, _ := parse(line)
	for _, c := range commands {
		switch {
		case c.runsContext():
			own = true
		case c.piped && own && filters(c.name()), beside(c.name()):
		default:
			return false
		}
	}
	return own
}

// looks reports whether a command line only reads. A line that is not understood does not.
func looks(line string) bool {
	commands, plain := parse(line)
	reads := false
	for _, c := range commands {
		switch {
		case c.reads():
			reads = true
		case !beside(c.name()):
			return false
		}
	}
	return plain && reads
}

// command is a simple command of a command line.
type command struct {
	words []string
	piped bool // its input is the output of the one before
}

func (c command) name() string {
	if len(c.words) == 0 {
		return ""
	}
	return path.Base(c.words[0])
}

func (c command) runsContext() bool {
	return c.name() == "git-context" || c.name() == "git" && c.git() == "context"
}

// git is git's command.
func (c command) git() string {
	for i := 1; i < len(c.words); i++ {
		switch word := c.words[i]; {
		case word == "-C" || word == "-c" || word == "--git-dir" || word == "--work-tree":
			i++
		case !strings.HasPrefix(word, "-"):
			return word
		}
	}
	return ""
}

// has reports whether one of its words is one of those.
func (c command) has(words ...string) bool {
	return slices.ContainsFunc(c.words, func(w string) bool { return slices.Contains(words, w) })
}

func (c command) reads() bool {
	switch c.name() {
	case "ls", "cat", "head", "tail", "grep", "egrep", "fgrep", "rg", "tree", "pwd", "nl", "file", "stat", "which", "du", "bat", "less":
		return true
	case "sed":
		return c.has("-n") && !c.has("-i")
	case "fd", "find":
		return !c.has("-exec", "-execdir", "-ok", "-delete", "-fprint", "-x", "-X")
	case "git":
		switch c.git() {
		case "status", "log", "show", "diff", "blame", "ls-files", "grep", "rev-parse":
			return !slices.ContainsFunc(c.words, func(w string) bool { return strings.HasPrefix(w, "--output") })
		}
	}
	return c.piped && filters(c.name())
}

// filters reports whether a command only changes what it prints of its input.
func filters(name string) bool {
	switch name {
	case "head", "tail", "grep", "egrep", "rg", "cat", "cut", "sort", "uniq", "wc", "jq", "tr", "sed", "less", "column", "nl":
		return true
	}
	return false
}

// beside reports whether a command does nothing that is worth a step of its own.
func beside(name string) bool {
	switch name {
	case "cd", "echo", "printf", "true", "pwd", "export", "set", ":":
		return true
	}
	return false
}

// parse splits a command line into simple commands, as far as it is one of words, quotes and
// operators. plain is false if it has a substitution, or writes to a file.
func parse(line string) (commands []command, plain bool) {
	p := &parser{rest: line, plain: true}
	for p.rest != "" {
		p.next()
	}
	p.end(false)
	return p.commands, p.plain
}

// Words are the words of the first command of a line, without their quotes.
func Words(line string) []string {
	commands, _ := parse(line)
	if len(commands) == 0 {
		return nil
	}
	return commands[0].words
}

type parser struct {
	rest     string
	word     strings.Builder
	inWord   bool
	current  command
	commands []command
	plain    bool
	writes   []string // files that output is redirected to
	here     string   // the end of a here-document that begins at the next line
}

func (p *parser) next() {
	c := p.rest[0]
	p.rest = p.rest[1:]
	switch c {
	case ' ', '\t', '\r':
		p.endWord()
	case '\n':
		p.end(false)
		p.skipHere()
	case ';', '(', ')':
		p.end(false)
	case '|', '&':
		twice := strings.HasPrefix(p.rest, string(c))
		p.rest = strings.TrimPrefix(p.rest, string(c))
		p.end(c == '|' && !twice)
	case '\'', '"':
		p.quoted(c)
	case '\\':
		if p.rest != "" {
			p.add(p.rest[:1])
			p.rest = p.rest[1:]
		}
	case '#':
		if !p.inWord {
			p.rest = p.rest[lineEnd(p.rest):]
			return
		}
		p.add("#")
	case '<', '>':
		p.redirect(c)
	case '`', '$':
		p.plain = p.plain && (c == '$' && !strings.HasPrefix(p.rest, "("))
		p.add(string(c))
	default:
		p.add(string(c))
	}
}

func (p *parser) add(s string) {
	p.word.WriteString(s)
	p.inWord = true
}

func (p *parser) endWord() {
	if !p.inWord {
		return
	}
	word := p.word.String()
	p.word.Reset()
	p.inWord = false
	// Assignments before a command are not its name.
	if len(p.current.words) == 0 && strings.IndexByte(word, '=') > 0 && !strings.ContainsAny(word[:strings.IndexByte(word, '=')], "/-.") {
		return
	}
	p.current.words = append(p.current.words, word)
}

func (p *parser) end(pipe bool) {
	p.endWord()
	if len(p.current.words) > 0 {
		p.commands = append(p.commands, p.current)
	}
	p.current = command{piped: pipe}
}

func (p *parser) quoted(quote byte) {
	p.inWord = true
	for p.rest != "" {
		c := p.rest[0]
		p.rest = p.rest[1:]
		switch {
		case c == quote:
			return
		case c == '\\' && quote == '"' && p.rest != "":
			p.add(p.rest[:1])
			p.rest = p.rest[1:]
		case quote == '"' && (c == '`' || c == '$' && strings.HasPrefix(p.rest, "(")):
			p.plain = false
			p.add(string(c))
		default:
			p.add(string(c))
		}
	}
}

// redirect reads what follows < or >: only files that are written matter.
func (p *parser) redirect(c byte) {
	if word := p.word.String(); word == "2" || word == "1" {
		p.word.Reset()
		p.inWord = false
	}
	p.endWord()
	if c == '<' && strings.HasPrefix(p.rest, "<") {
		p.rest = strings.TrimLeft(strings.TrimPrefix(p.rest[1:], "-"), " ")
		end := wordEnd(p.rest)
		p.here, p.rest = strings.Trim(p.rest[:end], `'"\`), p.rest[end:]
		return
	}
	p.rest = strings.TrimLeft(strings.TrimLeft(p.rest, ">|"), " \t")
	end := wordEnd(p.rest)
	if strings.HasPrefix(p.rest, "&") {
		end = 1 + wordEnd(p.rest[1:])
	} else if c == '>' && p.rest[:end] != "/dev/null" {
		p.plain = false
		p.writes = append(p.writes, strings.Trim(p.rest[:end], `'"`))
	}
	p.rest = p.rest[end:]
}

// skipHere skips the text of a here-document.
func (p *parser) skipHere() {
	if p.here == "" {
		return
	}
	for p.rest != "" {
		end := lineEnd(p.rest)
		line := strings.TrimSpace(p.rest[:end])
		p.rest = strings.TrimPrefix(p.rest[end:], "\n")
		if line == p.here {
			break
		}
	}
	p.here = ""
}

func lineEnd(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

func wordEnd(s string) int {
	if i := strings.IndexAny(s, " \t\n;|&<>()"); i >= 0 {
		return i
	}
	return len(s)
}
