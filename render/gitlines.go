package render

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// gitLine is a line of git's output, split where git's colours change.
type gitLine []span

// span is text after a colour sequence of git's, which may be empty.
type span struct{ style, text string }

// plain returns the line without colours.
func (l gitLine) plain() string {
	if len(l) == 1 {
		return l[0].text
	}
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}

// short returns the line with at most most bytes of text, and says how many more there are.
func (l gitLine) short(most int) gitLine {
	room, left := most, 0
	var out gitLine
	for _, s := range l {
		text := doc.ShortText(s.text, room)
		left += len(s.text) - len(text)
		if room -= len(text); left > 0 {
			room = 0
		}
		out = append(out, span{s.style, text})
	}
	if left > 0 {
		out = append(out, span{"", fmt.Sprintf(" [%d more bytes, see --json]", left)})
	}
	return out
}

// write writes the line with its text made safe. It keeps a carriage return at the end,
// because that is a difference in a diff.
func (l gitLine) write(w io.Writer) error {
	var b strings.Builder
	for i, s := range l {
		text, ended := s.text, ""
		if i == len(l)-1 && strings.HasSuffix(text, "\r") {
			text, ended = text[:len(text)-1], "\r"
		}
		b.WriteString(s.style + Safe(text) + ended)
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// insert inserts a text in its own colour after n bytes of the line.
func (l gitLine) insert(n int, added piece, color bool) gitLine {
	in := []span{{"", added.text}}
	if color {
		in = []span{{"\x1b[" + added.style + "m", added.text}, {"\x1b[m", ""}}
	}
	var out gitLine
	for i, s := range l {
		if n > len(s.text) || n == len(s.text) && i+1 < len(l) && l[i+1].style == "\x1b[m" {
			n -= len(s.text)
			out = append(out, s)
			continue
		}
		out = append(append(out, span{s.style, s.text[:n]}), in...)
		return append(append(out, span{"", s.text[n:]}), l[i+1:]...)
	}
	return append(out, in...)
}

// writeGit calls each with every line that git prints, and flush whenever git pauses. For
// colours it runs git twice, with and without colours: the difference between the two is
// git's colours, and everything else is text, so that a text cannot add sequences of its
// own.
func writeGit(ctx context.Context, repo *git.Repo, stdin []byte, args []string, color bool,
	each func(gitLine) error, flush func() error) error {
	uncolored := withOption(args, "--no-color")
	if !color {
		lines := &lineWriter{flush: flush, each: func(text string) error { return each(gitLine{{"", text}}) }}
		if err := repo.ViewTo(ctx, lines, stdin, uncolored...); err != nil {
			return err
		}
		return lines.end()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	from, to := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := repo.ViewTo(ctx, to, stdin, withOption(args, "--color=always")...)
		_ = to.CloseWithError(pipeError(err)) // never fails
		done <- err
	}()
	in := bufio.NewReader(from)
	lines := &lineWriter{flush: flush, each: func(text string) error {
		painted, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		return each(colorSpans(text, strings.TrimSuffix(painted, "\n")))
	}}
	err := repo.ViewTo(ctx, lines, stdin, uncolored...)
	if err == nil {
		err = lines.end()
	}
	_ = from.CloseWithError(git.ErrEnough) // a last colour sequence may follow the last line
	if painting := <-done; err == nil {
		err = painting
	}
	return err
}

// pipeError returns the error with which a pipe ends.
func pipeError(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}

// withOption returns a git command with one more option before the others.
func withOption(args []string, first string) []string {
	at := 1
	for args[at-1] == "-c" {
		at += 2
	}
	return slices.Insert(slices.Clone(args), at, first)
}

// colorSpans finds git's colours in a line by comparing it with the same line without colours.
// If the lines differ otherwise, the result has no colours.
func colorSpans(text, painted string) gitLine {
	line := gitLine{{}}
	at, i := 0, 0 // offsets in text: of the next byte, and of the last span
	for painted != "" {
		style := sequence(painted)
		switch {
		case style != "" && !strings.HasPrefix(text[at:], style):
			line[len(line)-1].text = text[i:at]
			line, i = append(line, span{style: style}), at
			painted = painted[len(style):]
		case at < len(text) && text[at] == painted[0]:
			at, painted = at+1, painted[1:]
		default:
			return gitLine{{"", text}}
		}
	}
	if at < len(text) {
		return gitLine{{"", text}}
	}
	line[len(line)-1].text = text[i:]
	return line
}

// sequence returns the colour sequence at the beginning of s, "" if there is none.
func sequence(s string) string {
	rest, ok := strings.CutPrefix(s, "\x1b[")
	if !ok {
		return ""
	}
	n := strings.IndexFunc(rest, func(r rune) bool { return r != ';' && (r < '0' || r > '9') })
	if n < 0 || rest[n] != 'm' {
		return ""
	}
	return s[:len("\x1b[")+n+1]
}

// lineWriter calls each with every line that is written to it, without the newline.
type lineWriter struct {
	each  func(string) error
	flush func() error // called after every write
	rest  []byte
}

// Write passes on the complete lines in p, and keeps the rest for the next call.
func (l *lineWriter) Write(p []byte) (int, error) {
	size := len(p)
	for {
		n := bytes.IndexByte(p, '\n')
		if n < 0 {
			l.rest = append(l.rest, p...)
			return size, l.flush()
		}
		line := p[:n]
		if len(l.rest) > 0 {
			line = append(l.rest, line...)
			l.rest = l.rest[:0]
		}
		if err := l.each(string(line)); err != nil {
			return 0, err
		}
		p = p[n+1:]
	}
}

// end passes on a last line without newline.
func (l *lineWriter) end() error {
	if len(l.rest) == 0 {
		return nil
	}
	return l.each(string(l.rest))
}
