package render

import (
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/history"
)

// logLines turns what git log prints into what is shown, line by line. Messages are
// indented by git, so that nothing in them is taken for git's own lines; a layout of
// the caller's own is left as it is.
type logLines struct {
	w      io.Writer
	layout history.Layout
	graph  bool
	color  bool
	judged judged // where it stands behind the hash; nil: in blocks

	held   []gitLine // empty lines that go with the note behind them
	noting bool      // within a note
	note   []string  // its lines
}

// notesHeading is how git begins the notes of refs/notes/context.
const notesHeading = "Notes (context):"

// noteIndent stands before each line of a message and of a note.
const noteIndent = "    "

func (o *logLines) line(l gitLine) error {
	if o.layout == history.LayoutOwn {
		return l.write(o.w)
	}
	text := l.plain()
	if o.noting {
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
		o.noting = true
		return nil
	case text == "" && !o.graph:
		o.held = append(o.held, l)
		return nil
	}
	if err := o.release(); err != nil {
		return err
	}
	if at := o.header(text); at > 0 {
		l = o.named(l, at)
		if j, ok := o.judged.find(hashBefore(text, at)); ok {
			l = l.insert(at, judgedAs(j.Outcome, " ["+flat(strings.Join(verdict(j), " "))+"]"), o.color)
		}
	}
	return l.write(o.w)
}

// end writes what was held back.
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

// endNote writes a note in words. One that says nothing but what the commit's
// trailers say is left out, with the empty line before it.
func (o *logLines) endNote() error {
	if !o.noting {
		return nil
	}
	o.noting = false
	said := noteInWords(o.note)
	if o.note = nil; len(said) == 0 {
		o.held = nil
		return nil
	}
	if err := o.release(); err != nil {
		return err
	}
	if err := (gitLine{{"", notesHeading}}).write(o.w); err != nil {
		return err
	}
	for _, line := range said {
		if err := (gitLine{{"", noteIndent + line}}).write(o.w); err != nil {
			return err
		}
	}
	return nil
}

// noteInWords says what a note says: what is in force, the reviews, and the lines of
// other people as they are.
func noteInWords(lines []string) []string {
	facts := notes.Parse([]byte(strings.Join(lines, "\n")))
	j := notes.Judge(facts)
	var said []string
	if j.Outcome != nil {
		said = append(said, "outcome: "+flat(*j.Outcome))
	}
	if j.Score != nil {
		said = append(said, "score: "+score(*j.Score))
	}
	if len(j.Tags) > 0 {
		said = append(said, "tags: "+flat(strings.Join(tags(j.Tags), ", ")))
	}
	for _, r := range j.Reviews {
		said = append(said, "review by "+flat(r.Agent)+", "+stamp(r.Time)+":")
		for line := range strings.SplitSeq(strings.TrimRight(r.Text, "\r\n"), "\n") {
			said = append(said, "> "+line)
		}
	}
	for _, line := range lines {
		if len(notes.Parse([]byte(line))) == 0 && line != "" {
			said = append(said, line)
		}
	}
	return said
}

// verdict is what is in force, as short as it can be said.
func verdict(j notes.Judgement) []string {
	var said []string
	if j.Outcome != nil {
		said = append(said, *j.Outcome)
	}
	if j.Score != nil {
		said = append(said, score(*j.Score))
	}
	return append(said, tags(j.Tags)...)
}

// judgedAs gives words about a milestone the colour of its outcome: what failed must
// not look like what worked. Any other verdict is neither.
func judgedAs(outcome *string, words string) piece {
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

// header says where the hash ends in a line that begins a commit, 0 in others.
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

// hashBefore is the hash that ends in a line at a place.
func hashBefore(text string, end int) string {
	return text[strings.LastIndexByte(text[:end], ' ')+1 : end]
}

// judged is what was said of milestones, by their hashes.
type judged []history.Logged

func byCommit(list []history.Logged) judged {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b history.Logged) int { return strings.Compare(string(a.Commit), string(b.Commit)) })
	return list
}

// find looks a milestone up by its hash or the beginning of it, if there was
// something to say of it.
func (j judged) find(hash string) (notes.Judgement, bool) {
	i := sort.Search(len(j), func(i int) bool { return string(j[i].Commit) >= hash })
	if i == len(j) || !strings.HasPrefix(string(j[i].Commit), hash) {
		return notes.Judgement{}, false
	}
	return j[i].Judgement, len(verdict(j[i].Judgement)) > 0
}
