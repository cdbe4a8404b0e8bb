package index

import (
	"slices"
	"strings"
)

// The limits of the tokeniser, in bytes.
const (
	maxTerm = 64   // a longer term is cut; a longer compound has its parts alone
	maxWord = 1024 // a longer run of word characters is cut into several
	maxMemo = 128  // a longer word is not remembered
)

// Tokens cuts a text into terms, in its order and with repeats; the package
// comment says how. To cut many texts, keep a Tokenizer.
func Tokens(text string) []string { return NewTokenizer().Tokens(text) }

// Tokenizer cuts texts into terms and remembers what it made of each word: most
// words of a text have come before. It grows with the number of different words
// that it saw. It serves one goroutine.
type Tokenizer struct {
	class [256]byte
	words wordTable
	terms []string          // by number
	ids   map[string]uint32 // of terms
	parts []uint32          // of all remembered words, one after another
	one   [1]uint32         // what is lent of a word with one term
	work  splitter
}

// The classes of bytes.
const (
	separates = iota
	joins     // . - / and :: between two word characters
	isWord    // ASCII letters, digits and _
	isWide    // of a character outside of ASCII, which is looked at later
)

// NewTokenizer returns one that has seen nothing.
func NewTokenizer() *Tokenizer {
	t := &Tokenizer{ids: map[string]uint32{}}
	for c := range t.class {
		switch {
		case c >= 0x80:
			t.class[c] = isWide
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == '_':
			t.class[c] = isWord
		case c == '.', c == '-', c == '/', c == ':':
			t.class[c] = joins
		}
	}
	t.words.init()
	t.work.init()
	return t
}

// Tokens is like the function of that name.
func (t *Tokenizer) Tokens(text string) []string {
	var list []string
	t.each(text, func(terms []uint32, _, _ int) {
		for _, id := range terms {
			list = append(list, t.terms[id])
		}
	})
	return list
}

// each hands every word's terms to yield, by number, with where the word stands in
// the text. The slice is only lent.
func (t *Tokenizer) each(text string, yield func(terms []uint32, start, end int)) {
	for at := 0; at < len(text); {
		if t.class[text[at]] < isWord {
			at++
			continue
		}
		end, hash := t.word(text, at)
		yield(t.lookup(text[at:end], hash), at, end)
		at = t.behind(text, end)
	}
}

// word finds the end of the word that starts at start, and its hash.
func (t *Tokenizer) word(text string, start int) (end int, hash uint64) {
	hash = hashStart
	limit := min(len(text), start+maxWord)
	for at := start; at < limit; {
		if t.class[text[at]] >= isWord {
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
	// A word that was cut must not end inside of a character.
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

// joint is the length of what joins two parts of a word at the start of rest, 0 where
// the word ends.
func (t *Tokenizer) joint(rest string) int {
	n := 1
	switch {
	case t.class[rest[0]] != joins:
		return 0
	case rest[0] == ':':
		if n = 2; len(rest) < 2 || rest[1] != ':' {
			return 0
		}
	}
	if len(rest) <= n || t.class[rest[n]] < isWord {
		return 0
	}
	return n
}

// behind is where to look for the next word: what stands behind an apostrophe, as in
// "don't" and "pool's", is none.
func (t *Tokenizer) behind(text string, end int) int {
	if end >= len(text) || text[end] != '\'' {
		return end
	}
	rest := text[end+1:]
	n := suffix(rest)
	if n < len(rest) && t.class[rest[n]] >= isWord {
		return end
	}
	return end + 1 + n
}

// suffix is how many of the first two bytes are lower-case letters.
func suffix(rest string) int {
	n := 0
	for n < min(2, len(rest)) && rest[n] >= 'a' && rest[n] <= 'z' {
		n++
	}
	return n
}

// lookup is the terms of a word, from memory if it is there.
func (t *Tokenizer) lookup(word string, hash uint64) []uint32 {
	if len(word) <= maxMemo {
		if s := t.words.lookup(len(word), hash); s != nil {
			if s.count == 1 {
				t.one[0] = s.from
				return t.one[:]
			}
			return t.parts[s.from : s.from+uint32(s.count)]
		}
	}
	from := len(t.parts)
	t.work.split(strings.Clone(word), func(term string) {
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

// FNV-1a.
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

// wordTable finds what was remembered of a word by its hash and length: two words of one
// hash would be taken for one. What an index of a long history spends most of its time
// on is this lookup, and each place in memory that it touches.
type wordTable struct {
	slots  []wordSlot
	used   int
	lately [1 << 10]wordSlot // the last words of each remainder: half of a text is a hundred words
}

type wordSlot struct {
	hash  uint64 // 0: free
	from  uint32 // of its terms in Tokenizer.parts; of a lone one, its number
	count uint16
	size  uint16 // of the word
}

func (w *wordTable) init() { w.slots = make([]wordSlot, 1<<12) }

// lookup is find by way of the words that came lately, which stay near the processor.
func (w *wordTable) lookup(size int, hash uint64) *wordSlot {
	s := &w.lately[spread(hash)%uint64(len(w.lately))]
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
