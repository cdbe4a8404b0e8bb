package hooks

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// What a block begins with says what uninstall does with the file.
const (
	beginMark  = "# git-context: begin "
	endMark    = "# git-context: end"
	takesBlock = "('git context hooks uninstall git' takes this block away)"
	takesFile  = "('git context hooks uninstall git' takes this file away)"
	putsBack   = "('git context hooks uninstall git' puts back what stood here)"
)

const shebang = "#!/bin/sh\n"

// call is the line that does the work, as people put it in. git says itself where
// git-context is not installed any more, and goes on.
func call(event string) string { return `git context hook ` + event + ` "$@" || :` }

// block is the block of an event, whose first line ends in one of the above. It is alone
// where nobody behind it reads the input.
func block(event, then string, alone bool) string {
	body := "git context hook " + event + " \"$@\" </dev/null || :\n" // input is the next one's to read
	switch {
	case event != PostRewrite:
	case alone: // three processes less
		body = call(event) + "\n"
	default: // exactly what came, for both: a variable would lose a newline or gain one
		body = `if git_context_input=$(mktemp); then
	cat >"$git_context_input" || :
	git context hook ` + event + ` "$@" <"$git_context_input" || :
	exec <"$git_context_input"
	rm -f "$git_context_input"
fi
`
	}
	return beginMark + then + "\n" + body + endMark + "\n"
}

// fresh is the file where none stood. One that husky runs has no first line.
func fresh(event string, husky bool) string {
	if husky {
		return block(event, takesFile, true)
	}
	return shebang + block(event, takesFile, true)
}

// instead is the file in the place of one that was moved aside. It is found from the
// directory that this one stands in, whatever another tool has renamed it to.
func instead(event string) string { return shebang + block(event, putsBack, false) + runKept(event) }

func runKept(event string) string {
	return `case $0 in
*/*) kept=${0%/*}/` + keptDir + `/` + event + ` ;;
*) kept=./` + keptDir + `/` + event + ` ;;
esac
if [ -x "$kept" ]; then exec "$kept" "$@"; fi
`
}

// script is a hook file's text around our block.
type script struct {
	before, block, after string
	damaged              bool // a block's line is there, but no whole block
}

// parse finds the block in a text.
func parse(text string) script {
	begin := lineStart(text, beginMark)
	end := lineStart(text, endMark)
	if begin < 0 && end < 0 {
		return script{before: text}
	}
	if begin < 0 || end < begin {
		return script{before: text, damaged: true}
	}
	stop := len(text)
	if n := strings.IndexByte(text[end:], '\n'); n >= 0 {
		stop = end + n + 1
	}
	s := script{before: text[:begin], block: text[begin:stop], after: text[stop:]}
	s.damaged = lineStart(s.after, beginMark) >= 0 || lineStart(s.after, endMark) >= 0
	return s
}

// lineStart is where the first line stands that begins with mark; -1 for none.
func lineStart(text, mark string) int {
	if strings.HasPrefix(text, mark) {
		return 0
	}
	if i := strings.Index(text, "\n"+mark); i >= 0 {
		return i + 1
	}
	return -1
}

// holds reports whether there is a block.
func (s script) holds() bool { return s.block != "" }

// then is what the block's first line promises.
func (s script) then() string {
	first, _, _ := strings.Cut(strings.TrimPrefix(s.block, beginMark), "\n")
	if first == takesFile || first == putsBack {
		return first
	}
	return takesBlock
}

// without is the text as it was before the block was put in.
func (s script) without() string { return s.before + s.after }

// foreign is what the file holds that is not ours.
func (s script) foreign(event string) string {
	rest := s.without()
	switch s.then() {
	case takesFile:
		return strings.TrimPrefix(rest, shebang)
	case putsBack:
		if ours, found := strings.CutSuffix(rest, runKept(event)); found && ours == shebang {
			return ""
		}
	}
	return rest
}

// insert puts the block where it runs before anything else that can end the script,
// and once: what husky 5 to 8 puts behind the first line runs the file again.
func insert(text, event string) string {
	at := 0
	if strings.HasPrefix(text, "#!") {
		at = strings.IndexByte(text, '\n') + 1
	}
	for start := at; start < len(text); {
		line, _, _ := strings.Cut(text[start:], "\n")
		next := start + len(line) + 1
		if fields := strings.Fields(line); len(fields) > 1 && (fields[0] == "." || fields[0] == "source") &&
			strings.Contains(line, "_/husky.sh") && next <= len(text) {
			at = next
			break
		}
		start = next
	}
	return text[:at] + block(event, takesBlock, false) + text[at:]
}

// isShell reports whether a file is a script that the block can stand in: its first
// line names a shell of Bourne's kind, it is text, and does not hand itself ($0) to
// another program, which could not read the block or counts lines.
func isShell(data []byte) bool {
	first, rest, ok := bytes.Cut(data, []byte("\n"))
	line, named := strings.CutPrefix(string(first), "#!")
	if !ok || !named || bytes.IndexByte(data, 0) >= 0 {
		return false
	}
	fields := strings.Fields(line)
	if len(fields) > 0 && path.Base(fields[0]) == "env" {
		fields = fields[1:]
		for len(fields) > 0 && (strings.HasPrefix(fields[0], "-") || strings.Contains(fields[0], "=")) {
			fields = fields[1:]
		}
	}
	if len(fields) == 0 || strings.HasSuffix(line, "\r") ||
		!slices.Contains([]string{"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"}, path.Base(fields[0])) {
		return false
	}
	for line := range bytes.Lines(rest) {
		if bytes.Contains(line, []byte("$0")) && (bytes.Contains(line, []byte("exec")) || bytes.Contains(line, []byte("tail "))) {
			return false
		}
	}
	return true
}
