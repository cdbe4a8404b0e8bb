package expunge

import (
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
)

// wordAfter is the number of lines with the text that get tombstones of their own. If more contain it, one tombstone of the text itself
// is in their place: it reveals more, as a guess of the text alone can be confirmed from it, but who writes the text into many
// lines must not make it impossible to expunge it.
const wordAfter = 1000

// wordLines are the lines that contain the text, where it may become a word: it has one form, so that a line which contains any form
// of it contains these bytes.
type wordLines struct {
	word    doc.Expunged // of the text alone
	found   doc.Expunged
	derived doc.Expunged // those that others may have made
	full    bool         // there is no room for tombstones of the lines
}

func newWordLines(m matcher) (l wordLines) {
	if m.none() || len(m.folded) > 0 || l.word.AddWord(m.text) != nil {
		return wordLines{}
	}
	return l
}

// add adds a line that was found, and reports false if the word does not act on it.
func (l *wordLines) add(line string) bool { return l.addTo(&l.found, line) }

func (l *wordLines) addTo(to *doc.Expunged, line string) bool {
	if !l.word.HasText(line) {
		return false
	}
	to.AddText(line)
	return true
}

// many reports whether the word is in the place of the lines.
func (l *wordLines) many() bool {
	return !l.word.Empty() && (l.full || l.found.Texts() > wordAfter)
}

// more is how many more lines there are than tombstones of them.
func (l *wordLines) more() int {
	if !l.many() {
		return 0
	}
	return max(0, l.found.Texts()-1)
}

// derive adds a text that others may have made of what was found.
func (f *finder) derive(text string) {
	if !f.lines.addTo(&f.lines.derived, text) {
		f.derived.AddText(text)
	}
}

// tombstones returns those of what was found, and of what others may have made of it.
func (f *finder) tombstones() (found, derived doc.Expunged) {
	if f.lines.many() {
		return f.expunged.Union(f.lines.word), f.derived
	}
	return f.expunged.Union(f.lines.found), f.derived.Union(f.lines.derived)
}

// partHint says which texts can be expunged wherever they occur, see wordLines.
const partHint = "a part of it of 8 to 128 ASCII characters, without white space, quotes, \\, <, > and &, can be expunged in any number of places"

func tooManyWords() error {
	return fail.New(fail.ErrRefused, fail.ExpungedFull, fmt.Sprintf("%s would have more than %d words, or than %d that begin alike",
		doc.ExpungedFile, doc.MaxWords, doc.MaxAlike), "another part of the text has another beginning")
}

// checkSize refuses what does not fit.
func (f *finder) checkSize(ctx context.Context) error {
	known, err := Tombstones(ctx, f.s)
	if err != nil {
		return err
	}
	return f.fit(known)
}

// fit takes the word instead of lines for which what is known leaves no room.
func (f *finder) fit(known doc.Expunged) error {
	found, derived := f.tombstones()
	f.lines.full = !f.lines.found.Empty() && len(known.Union(found).Union(derived).Bytes()) > MostTombstones
	found, derived = f.tombstones()
	return checkSize(found.Union(derived))
}
