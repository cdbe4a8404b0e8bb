package render

import (
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
)

// logLines transforms the output of git log line by line. git indents messages, so that
// none of their lines is mistaken for one of git's. A layout of the caller's own is left
// unchanged.
type logLines struct {
	w      io.Writer
	layout history.Layout
	graph  bool
	color  bool
	judged judged // the notes to show after the hash; nil: show them as blocks

	held   []gitLine // empty lines, which are dropped with the note that follows them
	inNote bool      // inside a note
	note   []string  // the lines of the note
}

// notesHeading is git's heading for the notes of refs/notes/context.
const notesHeading = "Notes (context):"

// noteIndent is the indentation of a message and of a note.
const noteIndent = "    "

func (o *logLines) line(l gitLine) error {
	if o.layout == history.LayoutOwn {
		return l.write(o.w)
	}
	text := l.plain()
	if o.inNote {
		if body, ok := strings.CutPrefix(text, noteIndent); ok {
			o.note = append(o.note, body)
			return nil
		}
		if err := o.endNote(); err != nil {
			return err
		}
	}
	switch {
	case o.judged == nil && text == notesHeading:
		o.inNote = true
		return nil
	case text == "" && !o.graph:
		o.held = append(o.held, l)
		return nil
	}
	if err := o.release(); err != nil {
		return err
	}
	if at := o.header(text); at > 0 {
		l = o.nameRefs(l, at)
		if j, ok := o.judged.find(hashBefore(text, at)); ok {
			l = l.insert(at, outcomeColor(j.Outcome, " ["+prose.Fold(strings.Join(verdict(j), " "))+"]"), o.color)
		}
	}
	return l.write(o.w)
}

// end writes the lines that were held back.
func (o *logLines) end() error {
	if err := o.endNote(); err != nil {
		return err
	}
	return o.release()
}

func (o *logLines) release() error {
	for _, l := range o.held {
		if err := l.write(o.w); err != nil {
			return err
		}
	}
	o.held = nil
	return nil
}

// endNote writes a note in words. It drops a note that only repeats the commit's trailers,
// with the empty line before it.
func (o *logLines) endNote() error {
	if !o.inNote {
		return nil
	}
	o.inNote = false
	words := noteInWords(o.note)
	if o.note = nil; len(words) == 0 {
		o.held = nil
		return nil
	}
	if err := o.release(); err != nil {
		return err
	}
	if err := (gitLine{{"", notesHeading}}).write(o.w); err != nil {
		return err
	}
	for _, line := range words {
		if err := (gitLine{{"", noteIndent + line}}).write(o.w); err != nil {
			return err
		}
	}
	return nil
}

// noteInWords returns the lines for a note: the valid facts, the reviews, and the lines of
// other programs unchanged.
func noteInWords(lines []string) []string {
	facts := notes.Parse([]byte(strings.Join(lines, "\n")))
	j := notes.Judge(facts)
	var words []string
	if j.Outcome != nil {
		words = append(words, "outcome: "+prose.Fold(*j.Outcome))
	}
	if j.Score != nil {
		words = append(words, "score: "+score(*j.Score))
	}
	if len(j.Tags) > 0 {
		words = append(words, "tags: "+prose.Fold(strings.Join(tags(j.Tags), ", ")))
	}
	for _, r := range j.Reviews {
		words = append(words, "review by "+prose.Fold(r.Agent)+", "+stamp(r.Time)+":")
		for line := range strings.SplitSeq(strings.TrimRight(r.Text, "\r\n"), "\n") {
			words = append(words, "> "+line)
		}
	}
	for _, line := range lines {
		if len(notes.Parse([]byte(line))) == 0 && line != "" {
			words = append(words, line)
		}
	}
	return words
}

// verdict returns the valid facts in short form.
func verdict(j notes.Judgement) []string {
	var words []string
	if j.Outcome != nil {
		words = append(words, *j.Outcome)
	}
	if j.Score != nil {
		words = append(words, score(*j.Score))
	}
	return append(words, tags(j.Tags)...)
}

// outcomeColor colours words about a commit by its outcome, so that failure does not look like
// success. Other outcomes have no colour.
func outcomeColor(outcome *string, words string) piece {
	if outcome != nil {
		switch *outcome {
		case "success":
			return green(words)
		case "failed":
			return red(words)
		}
	}
	return plain(words)
}

// header returns the offset of the end of the hash in a line that begins a commit, 0 in
// other lines.
func (o *logLines) header(text string) int {
	at := 0
	if o.graph {
		at = len(text) - len(strings.TrimLeft(text, `*|\/_-. `))
		if !strings.Contains(text[:at], "*") {
			return 0
		}
	}
	if o.layout == history.LayoutBlock {
		if !strings.HasPrefix(text[at:], "commit ") {
			return 0
		}
		at += len("commit ")
	}
	n := at
	for n < len(text) && strings.IndexByte("0123456789abcdef", text[n]) >= 0 {
		n++
	}
	if n-at < 4 || n < len(text) && text[n] != ' ' {
		return 0
	}
	return n
}

// hashBefore returns the hash that ends at an offset of a line.
func hashBefore(text string, end int) string {
	return text[strings.LastIndexByte(text[:end], ' ')+1 : end]
}

// judged is the logged commits, sorted by hash.
type judged []history.Logged

func byCommit(list []history.Logged) judged {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b history.Logged) int { return strings.Compare(string(a.Commit), string(b.Commit)) })
	return list
}

// find returns the notes of a commit, given by its hash or a prefix of it. It reports false
// if there are none.
func (j judged) find(hash string) (notes.Judgement, bool) {
	i := sort.Search(len(j), func(i int) bool { return string(j[i].Commit) >= hash })
	if i == len(j) || !strings.HasPrefix(string(j[i].Commit), hash) {
		return notes.Judgement{}, false
	}
	return j[i].Judgement, len(verdict(j[i].Judgement)) > 0
}
