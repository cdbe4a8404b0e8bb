package index

import (
	"slices"
	"strings"
)

// The limits of the tokeniser, in bytes.
const (
	maxTerm = 64   // a longer term is cut; of a longer compound only the parts are terms
	maxWord = 1024 // a longer run of word characters is split
	maxMemo = 128  // a longer word is not cached
)

// Tokens returns the terms of a text, in order and with repetitions; see the package
// comment. For many texts use a Tokenizer.
func Tokens(text string) []string { return NewTokenizer().tokens(text) }

// Tokenizer splits texts into terms and caches the terms of each word, because most words
// of a text occur repeatedly. Its size is linear in the number of distinct words. One
// goroutine may use it.
type Tokenizer struct {
	class    [256]byte
	words    wordTable
	terms    []string          // by number
	ids      map[string]uint32 // of terms
	parts    []uint32          // terms of all cached words, one after another
	single   [1]uint32         // backs the result of lookup for a word with one term
	splitter splitter
}

// The classes of bytes.
const (
	classSeparator = iota
	classJoint     // . - / and :: between two word characters
	classWord      // ASCII letters, digits and _
	classWide      // bytes of a character outside of ASCII, which the splitter classifies
)

// NewTokenizer returns a Tokenizer with an empty cache.
func NewTokenizer() *Tokenizer {
	t := &Tokenizer{ids: map[string]uint32{}}
	for c := range t.class {
		switch {
		case c >= 0x80:
			t.class[c] = classWide
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == '_':
			t.class[c] = classWord
		case c == '.', c == '-', c == '/', c == ':':
			t.class[c] = classJoint
		}
	}
	t.words.init()
	t.splitter.init()
	return t
}

// tokens returns the terms of a text, as Tokens does.
func (t *Tokenizer) tokens(text string) []string {
	var list []string
	t.each(text, func(terms []uint32, _, _ int) {
		for _, id := range terms {
			list = append(list, t.terms[id])
		}
	})
	return list
}

// each calls yield for every word with the numbers of its terms and its offsets in the
// text. The slice is only valid during the call.
func (t *Tokenizer) each(text string, yield func(terms []uint32, start, end int)) {
	for at := 0; at < len(text); {
		if t.class[text[at]] < classWord {
			at++
			continue
		}
		end, hash := t.word(text, at)
		yield(t.lookup(text[at:end], hash), at, end)
		at = t.afterWord(text, end)
	}
}

// word returns the end of the word that begins at start, and its hash.
func (t *Tokenizer) word(text string, start int) (end int, hash uint64) {
	hash = hashStart
	limit := min(len(text), start+maxWord)
	for at := start; at < limit; {
		if t.class[text[at]] >= classWord {
			hash = hashByte(hash, text[at])
			at++
			end = at
			continue
		}
		n := t.joint(text[at:limit])
		if n == 0 {
			break
		}
		for _, c := range []byte(text[at : at+n]) {
			hash = hashByte(hash, c)
		}
		at += n
	}
	// The end of a word that was cut must not be inside a character.
	if end == start+maxWord {
		for cut := end; cut > end-4 && cut < len(text); cut-- {
			if text[cut]&0xC0 != 0x80 {
				end = cut
				break
			}
		}
		hash = hashOf(text[start:end])
	}
	return end, hash
}

// joint returns the length of the joint between two parts of a word at the beginning of
// rest, 0 if the word ends there.
func (t *Tokenizer) joint(rest string) int {
	n := 1
	switch {
	case t.class[rest[0]] != classJoint:
		return 0
	case rest[0] == ':':
		if n = 2; len(rest) < 2 || rest[1] != ':' {
			return 0
		}
	}
	if len(rest) <= n || t.class[rest[n]] < classWord {
		return 0
	}
	return n
}

// afterWord returns the offset at which to search for the next word. It skips the suffix after
// an apostrophe, as in "don't" and "pool's".
func (t *Tokenizer) afterWord(text string, end int) int {
	if end >= len(text) || text[end] != '\'' {
		return end
	}
	rest := text[end+1:]
	n := suffix(rest)
	if n < len(rest) && t.class[rest[n]] >= classWord {
		return end
	}
	return end + 1 + n
}

// suffix returns how many of the first two bytes are lower-case letters.
func suffix(rest string) int {
	n := 0
	for n < min(2, len(rest)) && rest[n] >= 'a' && rest[n] <= 'z' {
		n++
	}
	return n
}

// lookup returns the terms of a word, from the cache if possible.
func (t *Tokenizer) lookup(word string, hash uint64) []uint32 {
	if len(word) <= maxMemo {
		if s := t.words.lookup(len(word), hash); s != nil {
			if s.count == 1 {
				t.single[0] = s.from
				return t.single[:]
			}
			return t.parts[s.from : s.from+uint32(s.count)]
		}
	}
	from := len(t.parts)
	t.splitter.split(strings.Clone(word), func(term string) {
		id, ok := t.ids[term]
		if !ok {
			id = uint32(len(t.terms))
			t.terms = append(t.terms, term)
			t.ids[term] = id
		}
		t.parts = append(t.parts, id)
	})
	terms := t.parts[from:]
	if len(word) <= maxMemo && hash != 0 {
		at := uint32(from)
		if len(terms) == 1 {
			at = terms[0]
		}
		t.words.add(wordSlot{hash, at, uint16(len(terms)), uint16(len(word))})
		return terms
	}
	terms = slices.Clone(terms)
	t.parts = t.parts[:from]
	return terms
}

// The parameters of FNV-1a.
const (
	hashStart = 0xcbf29ce484222325
	hashPrime = 0x100000001b3
)

func hashByte(h uint64, c byte) uint64 { return (h ^ uint64(c)) * hashPrime }

func hashOf(s string) uint64 {
	h := uint64(hashStart)
	for i := range len(s) {
		h = hashByte(h, s[i])
	}
	return h
}

// wordTable finds the cached entry of a word by its hash and length; two words with equal
// hashes and lengths would be confused. Indexing a long history spends most of its time in
// this lookup, so each place in memory that it touches counts.
type wordTable struct {
	slots  []wordSlot
	used   int
	recent [1 << 10]wordSlot // the most recent word of each remainder: half of a text consists of a hundred words
}

type wordSlot struct {
	hash  uint64 // 0: free
	from  uint32 // index of its terms in Tokenizer.parts; of a single term, its number
	count uint16
	size  uint16 // of the word
}

func (w *wordTable) init() { w.slots = make([]wordSlot, 1<<12) }

// lookup is find with a small table of recent words before it, which stays in the
// processor's cache.
func (w *wordTable) lookup(size int, hash uint64) *wordSlot {
	s := &w.recent[spread(hash)%uint64(len(w.recent))]
	if s.hash == hash && int(s.size) == size {
		return s
	}
	found := w.find(size, hash)
	if found != nil {
		*s = *found
	}
	return found
}

func (w *wordTable) find(size int, hash uint64) *wordSlot {
	mask := uint64(len(w.slots) - 1)
	for i := spread(hash) & mask; w.slots[i].hash != 0; i = (i + 1) & mask {
		if s := &w.slots[i]; s.hash == hash && int(s.size) == size {
			return s
		}
	}
	return nil
}

func (w *wordTable) add(s wordSlot) {
	if 4*w.used >= 3*len(w.slots) {
		w.grow()
	}
	w.used++
	w.place(s)
}

func (w *wordTable) place(s wordSlot) {
	mask := uint64(len(w.slots) - 1)
	i := spread(s.hash) & mask
	for w.slots[i].hash != 0 {
		i = (i + 1) & mask
	}
	w.slots[i] = s
}

func (w *wordTable) grow() {
	old := w.slots
	w.slots = make([]wordSlot, 2*len(old))
	for _, s := range old {
		if s.hash != 0 {
			w.place(s)
		}
	}
}

// spread mixes the high bits of a hash into the low ones.
func spread(h uint64) uint64 { return h ^ h>>32 ^ h>>17 }
