package doc

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
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
	tombText   = "text"   // SHA-256 of a redacted piece of text
)

// Expunged is a set of tombstones: it identifies what was expunged without containing it.
// The zero value is the empty set. Redact defines the effect on a document.
//
// Several goroutines may read it at once. A copy shares its set with the original; Union
// with the zero value makes an independent copy.
type Expunged struct{ lines map[string]bool }

// ParseExpunged reads the tombstone file. It is strict because the file comes from remotes:
// each line must be a tombstone of a known kind, in ascending bytewise order without
// duplicates. Otherwise the error is a *SyntaxError with the line, or reports that data
// exceeds MaxExpunged.
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
			return Expunged{}, sc.fail("'%s' is out of order or occurs twice", clip(line))
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

// validHash reports whether s is the full name of a git object, SHA-1 or SHA-256.
func validHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// Bytes returns the file that ParseExpunged reads. Equal sets give equal bytes; the empty
// set gives an empty file.
func (e Expunged) Bytes() []byte {
	var b []byte
	for _, line := range slices.Sorted(maps.Keys(e.lines)) {
		b = append(append(b, line...), '\n')
	}
	return b
}

// Empty reports whether the set has no tombstones.
func (e Expunged) Empty() bool { return len(e.lines) == 0 }

// Union returns a new set with the tombstones of both.
func (e Expunged) Union(o Expunged) Expunged {
	all := make(map[string]bool, len(e.lines)+len(o.lines))
	maps.Copy(all, e.lines)
	maps.Copy(all, o.lines)
	return Expunged{all}
}

// Contains reports whether e contains every tombstone of o.
func (e Expunged) Contains(o Expunged) bool {
	for line := range o.lines {
		if !e.lines[line] {
			return false
		}
	}
	return true
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

// AddText adds a tombstone for the piece on each line of text; see TextPieces. It keeps
// only hashes of the text.
func (e *Expunged) AddText(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if _, piece, _ := cutPiece(line); piece != "" {
			e.add(textLine(piece))
		}
	}
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

func (e *Expunged) add(line string) {
	if e.lines == nil {
		e.lines = make(map[string]bool)
	}
	e.lines[line] = true
}

// HasEntry reports whether the entry with this id must be removed.
func (e Expunged) HasEntry(id string) bool { return e.lines[tombEntry+" "+id] }

// HasText reports whether the piece on a line must be redacted. The line may be bare,
// quoted or a list item.
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

// Entries returns the ids of the removed entries, sorted.
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
