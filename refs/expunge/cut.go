package expunge

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// beginnings are the lines in which occurrences of the text begin. The program quotes a line in
// part: a subject contains the first line of an item, other lines end in "…". Such a quote
// contains the beginning of the text alone.
type beginnings struct {
	list   []beginning
	seen   map[string]bool
	starts map[string]bool // what any quote contains one of
}

// beginning is a line from its first word to the end of an occurrence of the text, folded.
type beginning struct {
	line   string
	secret int // the offset at which the text begins
	first  int // the length of what is on the first line, 0 if the occurrence is on one line
}

const (
	minOverlap = 4 // bytes of the text that a quote contains
	minQuote   = 8 // bytes of a quote
)

func (b *beginnings) none() bool { return len(b.list) == 0 }

// add adds a piece in which an occurrence begins, and no other piece.
func (b *beginnings) add(m matcher, piece string) {
	if m.none() || b.seen[piece] {
		return
	}
	var begin beginning
	head, _, _ := strings.Cut(strings.TrimSpace(m.text), "\n")
	whole, head := prose.Fold(piece), prose.Fold(head)
	if found := m.find(piece); len(found) > 0 {
		begin = newBeginning(piece[:found[0].From], piece[found[0].From:found[0].To])
	} else if before, ok := strings.CutSuffix(whole, head); ok {
		begin = newBeginning(before, m.text)
		begin.first = len(whole)
	} else {
		return
	}
	if b.seen == nil {
		b.seen, b.starts = map[string]bool{}, map[string]bool{}
	}
	b.seen[piece] = true
	b.starts[begin.start()[begin.secret:]] = true
	b.list = append(b.list, begin)
}

func newBeginning(before, text string) beginning {
	text = prose.Fold(text)
	line := prose.Fold(before + text)
	return beginning{line: line, secret: len(line) - len(text)}
}

// start returns the least of a beginning that a quote contains.
func (b beginning) start() string { return b.line[:min(b.secret+minOverlap, len(b.line))] }

// in returns the lines of a text that quote a beginning and were cut.
func (b *beginnings) in(text string) []string {
	var found []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, "…") && b.quotedIn(line, false) {
			found = append(found, line)
		}
	}
	return found
}

// inSubject returns a subject if it quotes a beginning, cut or not.
func (b *beginnings) inSubject(subject string) []string {
	if subject = strings.TrimSpace(subject); !b.quotedIn(subject, true) {
		return nil
	}
	return []string{subject}
}

// itemSubjects adds the subjects of the commands about the items of a main.md that contain the text: another clone may have
// run one of them before it hears of the expunge. They are no texts that were found.
func (f *finder) itemSubjects(main []byte) {
	for _, subject := range doc.ParseRoadmap(main).ItemSubjects(f.match.in) {
		if f.match.in(subject) || len(f.begun.inSubject(subject)) > 0 {
			f.derive(subject)
		}
	}
}

// keySubjects does so for the keys of a metadata.yaml that have the text in their paths.
func (f *finder) keySubjects(data []byte) error {
	m, err := doc.ParseMetadata(data)
	if err != nil {
		return err
	}
	keys, err := doc.NewMetadata().Lost(m, false)
	for _, key := range keys {
		for _, path := range key.Above() {
			if f.match.in(path) {
				f.derive(store.SubjectSet + path)
				f.derive(store.SubjectUnset + path)
			}
		}
	}
	return err
}

// quotedIn reports whether a line quotes a beginning up to "…" or, where first lines are quoted
// alone, up to its own end.
func (b *beginnings) quotedIn(line string, firstLines bool) bool {
	possible := false
	for start := range b.starts {
		possible = possible || strings.Contains(line, start)
	}
	return possible && slices.ContainsFunc(b.list, func(begin beginning) bool {
		for at := 0; ; at++ {
			n := strings.Index(line[at:], begin.start())
			if n < 0 {
				return false
			}
			at += n
			if begin.quotedAt(line[at:], firstLines) {
				return true
			}
		}
	})
}

// quotedAt reports whether a text begins with a quote.
func (b beginning) quotedAt(text string, firstLines bool) bool {
	n := commonPrefix(text, b.line)
	rest := strings.TrimLeft(text[n:], " ")
	return strings.HasPrefix(rest, "…") && n >= minQuote || firstLines && rest == "" && n == b.first
}

// commonPrefix returns the length of the characters with which both texts begin.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) {
		r, size := utf8.DecodeRuneInString(a[n:])
		if other, _ := utf8.DecodeRuneInString(b[n:]); other != r {
			break
		}
		n += size
	}
	return n
}
