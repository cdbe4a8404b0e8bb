package hooks

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// The end of a block's first line determines what Uninstall does with the file.
const (
	beginMark    = "# git-context: begin "
	endMark      = "# git-context: end"
	removesBlock = "('git context hooks uninstall git' takes this block away)"
	removesFile  = "('git context hooks uninstall git' takes this file away)"
	restoresHook = "('git context hooks uninstall git' puts back what stood here)"
)

const shebang = "#!/bin/sh\n"

// call returns the line that runs the hook, as people add it by hand. If git-context is no
// longer installed, git reports that and continues.
func call(event string) string { return `git context hook ` + event + ` "$@" || :` }

// block returns the block of an event; then is one of the endings above. alone means that
// nothing after the block reads standard input.
func block(event, then string, alone bool) string {
	body := "git context hook " + event + " \"$@\" </dev/null || :\n" // leave the input to what follows
	switch {
	case event != PostRewrite:
	case alone: // saves three processes
		body = call(event) + "\n"
	default: // a file keeps the input to the byte; a variable would lose or gain a newline
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

// newFile returns the content of a new file. A file that husky runs has no shebang.
func newFile(event string, husky bool) string {
	if husky {
		return block(event, removesFile, true)
	}
	return shebang + block(event, removesFile, true)
}

// replacement returns the content of a file that replaces a hook that was moved aside. It finds
// that hook relative to its own directory, even if another tool renamed it.
func replacement(event string) string {
	return shebang + block(event, restoresHook, false) + runKept(event)
}

func runKept(event string) string {
	return `case $0 in
*/*) kept=${0%/*}/` + keptDir + `/` + event + ` ;;
*) kept=./` + keptDir + `/` + event + ` ;;
esac
if [ -x "$kept" ]; then exec "$kept" "$@"; fi
`
}

// script is the text of a hook file, divided at our block.
type script struct {
	before, block, after string
	damaged              bool // a line of a block exists, but no complete block
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

// lineStart returns the offset of the first line that begins with mark; -1 if there is
// none.
func lineStart(text, mark string) int {
	if strings.HasPrefix(text, mark) {
		return 0
	}
	if i := strings.Index(text, "\n"+mark); i >= 0 {
		return i + 1
	}
	return -1
}

// hasBlock reports whether the script contains a block.
func (s script) hasBlock() bool { return s.block != "" }

// ending returns the ending of the block's first line.
func (s script) ending() string {
	first, _, _ := strings.Cut(strings.TrimPrefix(s.block, beginMark), "\n")
	if first == removesFile || first == restoresHook {
		return first
	}
	return removesBlock
}

// without returns the text as it was before the block was inserted.
func (s script) without() string { return s.before + s.after }

// foreign returns the part of the file that is not ours.
func (s script) foreign(event string) string {
	rest := s.without()
	switch s.ending() {
	case removesFile:
		return strings.TrimPrefix(rest, shebang)
	case restoresHook:
		if ours, found := strings.CutSuffix(rest, runKept(event)); found && ours == shebang {
			return ""
		}
	}
	return rest
}

// insert inserts the block before anything that can end the script. It must also run only
// once: the line that husky 5 to 8 inserts after the shebang runs the whole file again, so
// the block follows that line.
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
	return text[:at] + block(event, removesBlock, false) + text[at:]
}

// isShell reports whether a file is a script that can contain the block: its shebang names
// a Bourne-like shell, it is text, and it does not pass itself ($0) to another program,
// which could not parse the block or counts lines.
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
		passes := bytes.Contains(line, []byte("exec")) || bytes.Contains(line, []byte("tail "))
		if passes && bytes.Contains(line, []byte("$0")) {
			return false
		}
	}
	return true
}
