package doc

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ExpungedFile is where the tombstones stand in the roadmap's tree: one place, so that
// whatever carries the roadmap carries them. In a branch's tree it is no known file.
const ExpungedFile = "expunged.txt"

// MaxExpunged is the most that the file of tombstones may hold, in bytes: some 14,000 of
// them. Whoever writes it asks before; ParseExpunged refuses more.
const MaxExpunged = 1 << 20

// The kinds of tombstones, each the first word of its line. Their order is the file's.
const (
	tombCommit = "commit" // a hash: a commit that was rewritten although no parent of it was
	tombEntry  = "entry"  // an id: a step or milestone that is removed
	tombText   = "text"   // SHA-256 of a piece of text that is redacted
)

// Expunged is a set of tombstones: what was to be forgotten, without what it was. The zero
// value is the empty set. Redact says what they do to a document.
//
// It may be read by several goroutines at once. A copy shares its set with the original;
// Union of it with the zero value is a set of its own.
type Expunged struct{ lines map[string]bool }

// ParseExpunged reads the file of tombstones. It is strict, as the file comes from remotes: one
// tombstone a line, of a known kind, sorted bytewise and unique; else a *SyntaxError names the line.
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
		if !validTombstone(line) {
			return Expunged{}, sc.fail("'%s' is no tombstone", clip(line))
		}
		if line <= before {
			return Expunged{}, sc.fail("'%s' is out of order or stands twice", clip(line))
		}
		e.add(line)
		before = line
	}
	return e, nil
}

func validTombstone(line string) bool {
	kind, value, _ := strings.Cut(line, " ")
	switch kind {
	case tombCommit:
		return validHash(value)
	case tombEntry:
		return ValidID(value)
	case tombText:
		return len(value) == 2*sha256.Size && validHash(value)
	}
	return false
}

// validHash reports whether s is the full name of an object, SHA-1 or SHA-256.
func validHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// Bytes returns the file: what ParseExpunged reads, one spelling for one set. The empty
// set is an empty file.
func (e Expunged) Bytes() []byte {
	var b []byte
	for _, line := range slices.Sorted(maps.Keys(e.lines)) {
		b = append(append(b, line...), '\n')
	}
	return b
}

// Empty reports whether nothing is to be forgotten.
func (e Expunged) Empty() bool { return len(e.lines) == 0 }

// Union returns the tombstones of both.
func (e Expunged) Union(o Expunged) Expunged {
	all := make(map[string]bool, len(e.lines)+len(o.lines))
	maps.Copy(all, e.lines)
	maps.Copy(all, o.lines)
	return Expunged{all}
}

// Holds reports whether every tombstone of o is one of e.
func (e Expunged) Holds(o Expunged) bool {
	for line := range o.lines {
		if !e.lines[line] {
			return false
		}
	}
	return true
}

// AddEntry says that the step or milestone with this id is to be removed.
func (e *Expunged) AddEntry(id string) error {
	if !ValidID(id) {
		return fmt.Errorf("'%s' is not an id", clip(id))
	}
	e.add(tombEntry + " " + id)
	return nil
}

// AddText says that each line of a text is a piece to be redacted, wherever it stands. Of
// the text only hashes are kept.
func (e *Expunged) AddText(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if _, piece, _ := cutPiece(line); piece != "" {
			e.add(textLine(piece))
		}
	}
}

// AddCommit says that a commit, by its full hash, was replaced: what descends from it is history
// as it was before.
func (e *Expunged) AddCommit(hash string) error {
	if !validHash(hash) {
		return fmt.Errorf("'%s' is not the full hash of a commit", clip(hash))
	}
	e.add(tombCommit + " " + hash)
	return nil
}

func (e *Expunged) add(line string) {
	if e.lines == nil {
		e.lines = make(map[string]bool)
	}
	e.lines[line] = true
}

// HasEntry reports whether the entry with this id is to be removed.
func (e Expunged) HasEntry(id string) bool { return e.lines[tombEntry+" "+id] }

// HasText reports whether a line, be it bare, quoted or an item of a list, is a piece to be
// redacted.
func (e Expunged) HasText(line string) bool {
	if len(e.lines) == 0 {
		return false
	}
	_, piece, _ := cutPiece(line)
	return piece != "" && e.lines[textLine(piece)]
}

func textLine(piece string) string {
	sum := sha256.Sum256([]byte(piece))
	return tombText + " " + hex.EncodeToString(sum[:])
}

// Entries returns the ids to be removed, sorted.
func (e Expunged) Entries() []string { return e.values(tombEntry) }

// Commits returns the hashes of the replaced commits, sorted.
func (e Expunged) Commits() []string { return e.values(tombCommit) }

func (e Expunged) values(kind string) []string {
	var values []string
	for line := range e.lines {
		if value, ok := strings.CutPrefix(line, kind+" "); ok {
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return values
}
