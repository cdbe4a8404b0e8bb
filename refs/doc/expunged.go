package doc

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ExpungedFile is the path of the tombstones in the roadmap's tree. One place suffices:
// whatever transfers the roadmap transfers them. A branch's tree must not contain this
// file.
const ExpungedFile = "expunged.txt"

// MaxExpunged is the size limit of the tombstone file in bytes, enough for about 14,000
// tombstones. ParseExpunged refuses more; writers must check it themselves.
const MaxExpunged = 1 << 20

// The kinds of tombstones, each the first word of its line. The file sorts by them.
const (
	tombCommit = "commit" // hash of a commit that was rewritten although none of its parents was
	tombEntry  = "entry"  // id of a removed step or commit
	tombFile   = "file"   // SHA-256 of the content of an attachment
	tombText   = "text"   // SHA-256 of a redacted piece of text
	tombWord   = "word"   // what is in redacted pieces of text, see AddWord
)

// maxTurns bounds the number of a tombstone. It is even: in the end what was refused stays.
const maxTurns = 1000

// Expunged is a set of tombstones: it identifies what was expunged without containing it.
// The zero value is the empty set. Redact defines the effect on a document.
//
// An entry or a text may be expunged, brought back by somebody who refuses that, and expunged
// again. Each of these turns adds one to the number of its tombstone, so that the larger one of
// two is the later one: it is in force if it is odd.
//
// Several goroutines may read it at once. A copy shares its set with the original; Union
// with the zero value makes an independent copy.
type Expunged struct {
	turns map[string]int  // by kind and value
	words *wordIndex      // those of turns that are words; may be nil
	hits  map[string]bool // if set, collects which tombstones were in force for a document
	exact bool            // hits also gets what the pieces that contain a word would have as a text
	mark  string          // if set, what stands for a redacted piece, and for "(expunged)" and "␡", see fitting
	bare  bool            // nothing may grow, see fitting
	any   bool            // also what was refused must go, see anyText
	whole bool            // mark stands for pieces that are shorter, too
}

// ParseExpunged reads the tombstone file. It is strict because the file comes from remotes:
// each line must be a tombstone of a known kind, followed by its number if that is not 1, in
// ascending bytewise order without duplicates. Otherwise the error is a *SyntaxError with
// the line, or reports that data exceeds MaxExpunged, or its words MaxWords.
func ParseExpunged(data []byte) (Expunged, error) {
	if len(data) > MaxExpunged {
		return Expunged{}, fmt.Errorf("tombstones of %d bytes are over the limit of %d", len(data), MaxExpunged)
	}
	sc, err := newScanner(data)
	if err != nil {
		return Expunged{}, err
	}
	var e Expunged
	before := ""
	for sc.more() {
		line := sc.next()
		name, turn, ok := parseTombstone(line)
		if !ok {
			return Expunged{}, sc.fail("'%s' is no tombstone", clip(line))
		}
		if name <= before {
			return Expunged{}, sc.fail("'%s' is out of order or occurs twice", clip(line))
		}
		e.set(name, turn)
		before = name
		if e.Words() > MaxWords { // each is compared with those that begin alike, of which a hostile file has very many
			break
		}
	}
	if !e.WordsFit(1) {
		return Expunged{}, fmt.Errorf("more than %d words, or than %d that begin alike", MaxWords, MaxAlike)
	}
	return e, nil
}

// parseTombstone splits a line into the kind with the value, and the number.
func parseTombstone(line string) (name string, turn int, ok bool) {
	kind, rest, _ := strings.Cut(line, " ")
	value, number, numbered := strings.Cut(rest, " ")
	turn = 1
	if numbered {
		var err error
		turn, err = strconv.Atoi(number)
		if err != nil || turn < 2 || turn > maxTurns || strconv.Itoa(turn) != number || kind == tombCommit {
			return "", 0, false
		}
	}
	return kind + " " + value, turn, validTombstone(kind, value)
}

func validTombstone(kind, value string) bool {
	switch kind {
	case tombCommit:
		return validHash(value)
	case tombEntry:
		return ValidID(value)
	case tombText, tombFile:
		return len(value) == 2*sha256.Size && validHash(value)
	case tombWord:
		_, ok := parseWord(value)
		return ok
	}
	return false
}

// validHash reports whether s is the full name of a git object, SHA-1 or SHA-256.
func validHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// Bytes returns the file that ParseExpunged reads. Equal sets give equal bytes; the empty
// set gives an empty file.
func (e Expunged) Bytes() []byte {
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(e.turns)) {
		b = append(b, name...)
		if turn := e.turns[name]; turn > 1 {
			b = strconv.AppendInt(append(b, ' '), int64(turn), 10)
		}
		b = append(b, '\n')
	}
	return b
}

// Empty reports whether the set has no tombstones.
func (e Expunged) Empty() bool { return len(e.turns) == 0 }

// InForce returns the number of entries, texts and attachments that must go.
func (e Expunged) InForce() int { return len(e.Entries()) + e.Texts() }

// inForce reports whether what a tombstone names must go.
func (e Expunged) inForce(name string) bool {
	if turn, named := e.turns[name]; turn%2 == 0 && !(e.any && named) {
		return false
	}
	if e.hits != nil {
		e.hits[name] = true
	}
	return true
}

// Union returns a new set with the tombstones of both, of each the one with the larger number.
func (e Expunged) Union(o Expunged) Expunged {
	all := Expunged{turns: make(map[string]int, len(e.turns)+len(o.turns)), words: &wordIndex{}}
	maps.Copy(all.turns, e.turns)
	all.words.addAll(e.words)
	all.words.addAll(o.words)
	for name, turn := range o.turns {
		all.turns[name] = max(all.turns[name], turn)
	}
	return all
}

// Add makes e the union with o, in place: what is collected from very many commits is not copied for each. What shares the set of e must
// not be used any more.
func (e *Expunged) Add(o Expunged) {
	for name, turn := range o.turns {
		e.set(name, turn)
	}
}

// Contains reports whether e contains every tombstone of o, with no smaller number.
func (e Expunged) Contains(o Expunged) bool {
	for name, turn := range o.turns {
		if e.turns[name] < turn {
			return false
		}
	}
	return true
}

// Without returns what is in force in e and not in o.
func (e Expunged) Without(o Expunged) Expunged {
	var rest Expunged
	for name, turn := range e.turns {
		if turn%2 == 1 && o.turns[name]%2 == 0 {
			rest.set(name, turn)
		}
	}
	return rest
}

// Since returns what e has with a larger number than o.
func (e Expunged) Since(o Expunged) Expunged {
	var rest Expunged
	for name, turn := range e.turns {
		if turn > o.turns[name] {
			rest.set(name, turn)
		}
	}
	return rest
}

// Except returns what e has and o does not name.
func (e Expunged) Except(o Expunged) Expunged {
	var rest Expunged
	for name, turn := range e.turns {
		if _, named := o.turns[name]; !named {
			rest.set(name, turn)
		}
	}
	return rest
}

// Of returns what e has of what o names.
func (e Expunged) Of(o Expunged) Expunged { return e.Except(e.Except(o)) }

// Again returns what o names with the numbers that put it in force after e, also where it was
// refused. What was refused maxTurns/2 times stays refused.
func (e Expunged) Again(o Expunged) Expunged {
	var again Expunged
	for name, turn := range o.turns {
		turn = max(turn, e.turns[name])
		if turn%2 == 0 {
			turn = min(turn+1, maxTurns)
		}
		again.set(name, turn)
	}
	return again
}

// Spent reports whether o names something that stays refused in e, see [Expunged.Again].
func (e Expunged) Spent(o Expunged) bool {
	for name := range o.turns {
		if e.turns[name] >= maxTurns {
			return true
		}
	}
	return false
}

// maxJump is by how much one exchange may raise the number of a tombstone.
const maxJump = 100

// Jumps reports whether o has a number that is far beyond that of e: a text is not refused and expunged again so often
// between two exchanges, but who writes the largest number makes it impossible to expunge that text.
func (e Expunged) Jumps(o Expunged) bool {
	for name, turn := range o.turns {
		if turn > e.turns[name]+maxJump {
			return true
		}
	}
	return false
}

// Refused returns what somebody has refused to forget, as if it were in force.
func (e Expunged) Refused() Expunged {
	var some Expunged
	for name, turn := range e.turns {
		if turn%2 == 0 {
			some.add(name)
		}
	}
	return some
}

// Refuse returns the union in which no entry and no text that o names is in force.
func (e Expunged) Refuse(o Expunged) Expunged {
	all := e.Union(o)
	for name := range o.turns {
		if all.turns[name]%2 == 1 && !strings.HasPrefix(name, tombCommit) {
			all.turns[name]++
		}
	}
	return all
}

// Hits returns the tombstones that Redact acts on in a file; see there for the errors.
func (e Expunged) Hits(path string, data []byte) (Expunged, error) {
	w := e.collecting()
	if _, err := w.redact(path, data); err != nil && !errors.Is(err, ErrOverLimit) {
		return Expunged{}, &RedactError{path, err}
	}
	return e.only(w.hits), nil
}

// HitsText returns the tombstones that RedactText acts on.
func (e Expunged) HitsText(text string) Expunged {
	w := e.collecting()
	w.RedactText(text)
	return e.only(w.hits)
}

// collecting returns the same tombstones, which collect those that were in force for a document.
func (e Expunged) collecting() Expunged {
	return Expunged{turns: e.turns, words: e.words, hits: map[string]bool{}}
}

// OnlyTexts returns the tombstones of texts and words.
func (e Expunged) OnlyTexts() Expunged {
	var some Expunged
	for name, turn := range e.turns {
		if strings.HasPrefix(name, tombText+" ") || strings.HasPrefix(name, tombWord+" ") {
			some.set(name, turn)
		}
	}
	return some
}

// HasTexts reports whether there are tombstones of texts or words, without the copy that OnlyTexts makes.
func (e Expunged) HasTexts() bool {
	for name := range e.turns {
		if strings.HasPrefix(name, tombText+" ") || strings.HasPrefix(name, tombWord+" ") {
			return true
		}
	}
	return false
}

// Hides reports whether an entry, given as its text in a file, was made from another one by redaction: they
// differ in texts that have tombstones, in force or refused, and it has fewer of these.
func (e Expunged) Hides(hidden, entry []byte) bool {
	if CountMarks(hidden) <= CountMarks(entry) || !e.HasTexts() {
		return false
	}
	all := e.anyText().withMark(Redaction)
	return mapLines(string(hidden), all.entryLines()) == mapLines(string(entry), all.entryLines())
}

// anyText returns the same tombstones, all in force, for the lines of an entry, which ask for texts and words alone. It shares
// the set: to copy thousands of tombstones for each of thousands of entries takes long.
func (e Expunged) anyText() Expunged { return Expunged{turns: e.turns, words: e.words, any: true} }

// OnlyEntry returns the tombstone of an entry; empty if it has none.
func (e Expunged) OnlyEntry(id string) (some Expunged) {
	name := tombEntry + " " + id
	if turn, ok := e.turns[name]; ok {
		some.set(name, turn)
	}
	return some
}

// OnlyText returns the tombstone of exactly this piece of text; empty if it has none in force. It is for hashes, which contain a word
// by chance.
func (e Expunged) OnlyText(piece string) Expunged {
	name := textLine(piece)
	if !e.inForce(name) {
		return Expunged{}
	}
	return e.only(map[string]bool{name: true})
}

// OnlyFile returns the tombstone of an attachment; empty if it has none.
func (e Expunged) OnlyFile(hash string) Expunged {
	if !e.HasFile(hash) {
		return Expunged{}
	}
	return e.only(map[string]bool{tombFile + " " + hash: true})
}

func (e Expunged) only(names map[string]bool) Expunged {
	var some Expunged
	for name := range names {
		some.set(name, e.turns[name])
	}
	return some
}

// AddEntry adds a tombstone for the step or commit with this id. It fails if id is not a
// valid id.
func (e *Expunged) AddEntry(id string) error {
	if !ValidID(id) {
		return fmt.Errorf("'%s' is not an id", clip(id))
	}
	e.add(tombEntry + " " + id)
	return nil
}

// AddFile adds a tombstone for the attachment with this hash. It fails if hash is not a SHA-256 in hex.
func (e *Expunged) AddFile(hash string) error {
	if !validTombstone(tombFile, hash) {
		return fmt.Errorf("'%s' is no SHA-256", clip(hash))
	}
	e.add(tombFile + " " + hash)
	return nil
}

// AddText adds a tombstone for the piece on each line of text; see TextPieces. It keeps
// only hashes of the text.
func (e *Expunged) AddText(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if _, piece, _ := cutPiece(line); piece != "" {
			e.add(textLine(piece))
		}
	}
}

// AddTextHash adds a tombstone for a piece of text, given by its SHA-256 in hex. It fails if hash is none.
func (e *Expunged) AddTextHash(hash string) error {
	if !validTombstone(tombText, hash) {
		return fmt.Errorf("'%s' is no SHA-256 in hex", clip(hash))
	}
	e.add(tombText + " " + hash)
	return nil
}

// AddCommit adds a tombstone for a replaced commit, given by its full hash. Whatever
// descends from that commit is history from before the rewrite. It fails if hash is not a
// full hash.
func (e *Expunged) AddCommit(hash string) error {
	if !validHash(hash) {
		return fmt.Errorf("'%s' is not the full hash of a commit", clip(hash))
	}
	e.add(tombCommit + " " + hash)
	return nil
}

func (e *Expunged) add(name string) { e.set(name, 1) }

func (e *Expunged) set(name string, turn int) {
	if e.turns == nil {
		e.turns, e.words = make(map[string]int), &wordIndex{}
	}
	e.turns[name] = max(e.turns[name], turn)
	if value, ok := strings.CutPrefix(name, tombWord+" "); ok {
		e.addWord(value)
	}
}

// HasEntry reports whether the entry with this id must be removed.
func (e Expunged) HasEntry(id string) bool { return e.inForce(tombEntry + " " + id) }

// HasFile reports whether the attachment with this hash must be removed.
func (e Expunged) HasFile(hash string) bool { return len(e.turns) > 0 && e.inForce(tombFile+" "+hash) }

// HasText reports whether the piece on a line must be redacted. The line may be bare,
// quoted or a list item. For the hash of something, see OnlyText.
func (e Expunged) HasText(line string) bool {
	if len(e.turns) == 0 {
		return false
	}
	_, piece, _ := cutPiece(line)
	return e.acts(piece)
}

// acts reports whether a piece of text must be redacted: it has a tombstone, or contains a word that has one.
func (e Expunged) acts(piece string) bool {
	if piece == "" {
		return false
	}
	word := e.hasWord(piece)
	if word && e.hits == nil {
		return true
	}
	name := textLine(piece)
	if word && e.exact {
		e.hits[name] = true
	}
	return e.inForce(name) || word
}

func textLine(piece string) string {
	sum := sha256.Sum256([]byte(piece))
	return tombText + " " + hex.EncodeToString(sum[:])
}

// Entries returns the ids of the entries that must be removed, sorted.
func (e Expunged) Entries() []string { return e.values(tombEntry) }

// Files returns the hashes of the attachments that must be removed, sorted.
func (e Expunged) Files() []string { return e.values(tombFile) }

// Texts returns the number of texts that must be redacted, a word being one, and of attachments that must be removed.
func (e Expunged) Texts() int {
	return len(e.values(tombText)) + len(e.values(tombWord)) + len(e.values(tombFile))
}

// TextHashes returns the SHA-256 of the pieces of text that must be redacted, in hex, sorted. Those that only contain a word are
// not among them.
func (e Expunged) TextHashes() []string { return e.values(tombText) }

// Commits returns the hashes of the replaced commits, sorted.
func (e Expunged) Commits() []string { return e.values(tombCommit) }

func (e Expunged) values(kind string) []string {
	var values []string
	for name, turn := range e.turns {
		if value, ok := strings.CutPrefix(name, kind+" "); ok && turn%2 == 1 {
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return values
}
