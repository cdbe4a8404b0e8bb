package index

import (
	"cmp"
	"math"
	"slices"
)

// Scan finds the documents that are worth indexing for a query, where there is no index of
// them: it reads texts once, without tokenising them, at about a tenth of the cost. It takes
// a term to occur where a part of a word begins with it, in capitals or not. So it counts a
// few words more than a tokeniser does, which only changes how terms are weighted: what
// Best selects is then indexed, and ranked by Rank. One goroutine may use it.
type Scan struct {
	terms  []string
	prefix []string      // by term: what a word begins with
	first  [256][]uint8  // the terms that begin with a byte, capital or not
	pairs  [1 << 16]bool // by the two bytes that a term begins with, in capitals or not
	counts []uint8       // of the current document, by term

	docs, bytes int
	found       []scanned
	posts       []uint8 // the counts of all found documents
}

type scanned struct{ unit, bytes int32 }

// mostScanned is the maximum number of terms that a Scan looks for.
const mostScanned = 64

// NewScan returns a Scan for terms as Tokens returns them; those after the 64th are ignored.
func NewScan(terms []string) *Scan {
	s := &Scan{}
	for _, t := range terms[:min(len(terms), mostScanned)] {
		n := uint8(len(s.terms))
		s.terms, s.prefix = append(s.terms, t), append(s.prefix, stemStart(t))
		for _, b := range bothCases(t[0]) {
			s.first[b] = append(s.first[b], n)
			if len(t) == 1 {
				for second := range 256 {
					s.addPair(b, byte(second))
				}
				continue
			}
			for _, second := range bothCases(t[1]) {
				s.addPair(b, second)
			}
		}
	}
	s.counts = make([]uint8, len(s.terms))
	return s
}

// bothCases returns a letter in lower case and its capital, or another byte alone.
func bothCases(b byte) []byte {
	if b < 'a' || b > 'z' {
		return []byte{b}
	}
	return []byte{b, b - 'a' + 'A'}
}

func (s *Scan) addPair(first, second byte) {
	s.pairs[uint16(first)<<8|uint16(second)] = true
}

// stemStart returns how words with a stem begin: 'retri' is the stem of retry and retries.
func stemStart(term string) string {
	if n := len(term); n > 3 && term[n-1] == 'i' {
		return term[:n-1]
	}
	return term
}

// Document counts the terms in a document of a unit. Units are numbered by the caller.
func (s *Scan) Document(unit int, texts ...[]byte) {
	s.docs++
	size, any := 0, false
	for _, text := range texts {
		size += len(text)
		any = s.count(text) || any
	}
	s.bytes += size
	if any {
		s.found = append(s.found, scanned{int32(unit), int32(min(size, math.MaxInt32))})
		s.posts = append(s.posts, s.counts...)
		clear(s.counts)
	}
}

// count counts the terms in a text. Few bytes pass the first test, so that the others are hardly ever
// mispredicted: this halves the time.
func (s *Scan) count(text []byte) (any bool) {
	if len(text) == 0 {
		return false
	}
	first := text[0]
	for i, second := range text[1:] {
		if s.pairs[uint16(first)<<8|uint16(second)] {
			any = s.countAt(text, i) || any
		}
		first = second
	}
	return s.countAt(text, len(text)-1) || any
}

// countAt counts the term that begins at a byte of a text.
func (s *Scan) countAt(text []byte, i int) (any bool) {
	if i > 0 && !partBegins(text[i-1], text[i]) {
		return false
	}
	for _, t := range s.first[text[i]] {
		if beginsWith(text[i:], s.prefix[t]) {
			s.counts[t] += min(1, math.MaxUint8-s.counts[t])
			any = true
		}
	}
	return any
}

// partBegins reports whether b begins a part of a word after a byte.
func partBegins(before, b byte) bool {
	switch {
	case b >= 0x80:
		return b >= 0xC0 // the first byte of a character
	case b >= 'A' && b <= 'Z':
		return before < 'A' || before > 'Z'
	case b >= 'a' && b <= 'z':
		return before|0x20 < 'a' || before|0x20 > 'z'
	}
	return before < '0' || before > '9'
}

// beginsWith reports whether a text begins with a prefix in lower case. What is shorter than
// four bytes must be the whole word, or its plural.
func beginsWith(text []byte, prefix string) bool {
	n := len(prefix)
	if len(text) < n {
		return false
	}
	for i := range n {
		if b := text[i]; b != prefix[i] && (b < 'A' || b > 'Z' || b|0x20 != prefix[i]) {
			return false
		}
	}
	return n > 3 || len(text) == n || text[n] < 'a' || text[n] > 'z' || text[n] == 's'
}

// Join adds what another Scan for the same terms has found.
func (s *Scan) Join(other *Scan) {
	s.docs, s.bytes = s.docs+other.docs, s.bytes+other.bytes
	s.found, s.posts = append(s.found, other.found...), append(s.posts, other.posts...)
}

// Best returns the units of the best most documents, by BM25 with estimated lengths.
func (s *Scan) Best(most int) map[int]bool {
	holding := s.holding(nil)
	average := float64(s.bytes) / float64(max(1, s.docs))
	order := make([]int, len(s.found))
	scores := make([]float64, len(s.found))
	for i, d := range s.found {
		order[i] = i
		for t, count := range s.counted(i) {
			if count > 0 {
				scores[i] += rareness(s.docs, holding[t]) * termScore(float64(count), float64(d.bytes)/average)
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	units := map[int]bool{}
	for _, i := range order[:min(most, len(order))] {
		units[int(s.found[i].unit)] = true
	}
	return units
}

// Counts are statistics of documents that are in no Source.
type Counts struct {
	Docs    int            // number of documents
	Length  int            // their length in terms
	Holding map[string]int // by term: how many contain it
}

// bytesOfTerm is how many bytes of a text have one term, on average.
const bytesOfTerm = 8

// Counts returns the statistics of the documents outside of some units, which contain docs
// documents.
func (s *Scan) Counts(except map[int]bool, docs int) Counts {
	c := Counts{Docs: s.docs - docs, Holding: map[string]int{}}
	c.Length = s.bytes / bytesOfTerm * c.Docs / max(1, s.docs)
	for t, n := range s.holding(except) {
		c.Holding[s.terms[t]] = n
	}
	return c
}

// holding counts the documents outside of some units that contain each term.
func (s *Scan) holding(except map[int]bool) []int {
	holding := make([]int, len(s.terms))
	for i, d := range s.found {
		if except[int(d.unit)] {
			continue
		}
		for t, count := range s.counted(i) {
			if count > 0 {
				holding[t]++
			}
		}
	}
	return holding
}

// counted returns the counts of the i-th document found.
func (s *Scan) counted(i int) []uint8 { return s.posts[i*len(s.terms) : (i+1)*len(s.terms)] }
