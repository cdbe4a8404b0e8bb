package render

import (
	"strings"

	"github.com/git-context/git-context/refs/store"
)

// trailerFilter leaves the trailers of memory out of git log's output. They are the last paragraph of a
// message; a paragraph that looks like them and is followed by another one is text.
type trailerFilter struct {
	next  func(gitLine) error
	width int // of the drawing before the lines of a commit; 0 without a graph

	held     []gitLine // an empty line of a message and, in trailers, the paragraph behind it
	trailers bool
}

func (f *trailerFilter) line(l gitLine) error {
	text := l.plain()
	if at := strings.Index(text, "commit "); at > 0 && strings.Trim(text[:at], `*|\/_-. `) == "" && strings.Contains(text[:at], "*") {
		f.width = at
	}
	rest, message := strings.CutPrefix(text[min(len(text), f.width):], noteIndent)
	empty, first := strings.TrimSpace(rest) == "", len(f.held) > 0 && firstTrailer(rest)
	switch {
	case !message:
		if err := f.end(); err != nil {
			return err
		}
		return f.next(l)
	case empty:
	case f.trailers && !f.closed():
	case !f.trailers && first:
		f.trailers = true
	default: // what is held is followed by text
		f.trailers = first
		if err := f.release(); err != nil {
			return err
		}
		if !first {
			return f.next(l)
		}
	}
	f.held = append(f.held, l)
	return nil
}

// closed reports whether the paragraph that is held has ended.
func (f *trailerFilter) closed() bool {
	last := f.held[len(f.held)-1].plain()
	return strings.TrimSpace(last[min(len(last), f.width):]) == ""
}

// end ends a message: trailers are dropped, other lines are passed on.
func (f *trailerFilter) end() error {
	if f.trailers {
		f.trailers, f.held = false, nil
	}
	return f.release()
}

func (f *trailerFilter) release() error {
	held := f.held
	f.held = nil
	for _, l := range held {
		if err := f.next(l); err != nil {
			return err
		}
	}
	return nil
}

// firstTrailer reports whether a line is the first trailer of a memory commit.
func firstTrailer(line string) bool {
	return strings.HasPrefix(line, store.TrailerID+": ") || strings.HasPrefix(line, store.TrailerBranch+": ")
}
