package doc

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The length in bytes of a word that has a tombstone, how many of them one file has, and how many of these with one beginning. Each
// position of a text is compared with the beginnings of all words at once, so that their number hardly matters; but who pushes both
// words and a text in which they begin everywhere makes each position cost a hash for each of those that begin alike.
const (
	MinWord  = 8
	MaxWord  = 128
	MaxWords = 64
	MaxAlike = 4
)

// A tombstone of a word is "LENGTH-BEGIN-SHA256": its length, 12 bits that follow from its first eight bytes, and its hash. What these
// bits reveal makes guessing a word cheaper by a factor of 4,096 at most, and nothing of it is about what follows the first eight bytes.
const (
	beginDigits = 3
	beginBits   = 4 * beginDigits
)

// beginOf returns the bits of a beginning, given as a number in which its first byte is the lowest one.
func beginOf(first uint64) uint16 { return uint16(first * 0x9E3779B97F4A7C15 >> (64 - beginBits)) }

// word is a tombstone of a word.
type word struct {
	name   string // as in Expunged.turns
	length int
	begin  uint16
	sum    [sha256.Size]byte
}

// parseWord reads the value of a tombstone of a word.
func parseWord(value string) (word, bool) {
	parts := strings.Split(value, "-")
	if len(parts) != 3 || len(parts[1]) != beginDigits || len(parts[2]) != 2*sha256.Size || strings.Trim(parts[1]+parts[2], "0123456789abcdef") != "" {
		return word{}, false
	}
	length, err := strconv.Atoi(parts[0])
	if err != nil || length < MinWord || length > MaxWord || strconv.Itoa(length) != parts[0] {
		return word{}, false
	}
	begin, err := strconv.ParseUint(parts[1], 16, beginBits)
	if err != nil {
		return word{}, false
	}
	w := word{name: tombWord + " " + value, length: length, begin: uint16(begin)}
	_, err = hex.Decode(w.sum[:], []byte(parts[2]))
	return w, err == nil
}

// wordName returns the tombstone of a word.
func wordName(text string) string {
	var first uint64
	for i := range MinWord {
		first |= uint64(text[i]) << (8 * i)
	}
	return fmt.Sprintf("%s %d-%0*x-%x", tombWord, len(text), beginDigits, beginOf(first), sha256.Sum256([]byte(text)))
}

// IsWord reports whether a text may have a tombstone as a word.
func IsWord(text string) bool {
	return len(text) >= MinWord && len(text) <= MaxWord && strings.TrimFunc(text, unicode.IsSpace) == text && !strings.Contains(text, "\n")
}

// AddWord adds a tombstone for every piece of text that contains a word. It fails if [IsWord] is false.
func (e *Expunged) AddWord(text string) error {
	if !IsWord(text) {
		return fmt.Errorf("a word of %d bytes, at least %d and at most %d are allowed, on one line", len(text), MinWord, MaxWord)
	}
	e.add(wordName(text))
	return nil
}

// WordsFit reports whether a file may have so many words, or a part of what it may have: 1 for all, 2 for a half.
func (e Expunged) WordsFit(part int) bool {
	if e.Words() > MaxWords/part {
		return false
	}
	most := 0
	if e.words != nil {
		for _, list := range e.words.at {
			most = max(most, len(list))
		}
	}
	return most <= MaxAlike/part
}

// Words returns the number of tombstones of words, in force or refused, see [Expunged.WordsFit].
func (e Expunged) Words() int {
	if e.words == nil {
		return 0
	}
	return e.words.count
}

// wordIndex has the words among tombstones, in force or refused, by their beginnings.
type wordIndex struct {
	count int
	some  []uint64 // a bit for each beginning
	at    map[uint16][]word
}

func (x *wordIndex) add(w word) {
	if x.at == nil {
		x.at, x.some = map[uint16][]word{}, make([]uint64, 1<<beginBits/64)
	}
	list := x.at[w.begin]
	if slices.ContainsFunc(list, func(o word) bool { return o.name == w.name }) {
		return
	}
	list = append(list, w)
	slices.SortFunc(list, func(a, b word) int { return a.length - b.length })
	x.at[w.begin] = list
	x.some[w.begin/64] |= 1 << (w.begin % 64)
	x.count++
}

func (x *wordIndex) addAll(o *wordIndex) {
	if o == nil || o.count == 0 {
		return
	}
	for _, list := range o.at {
		for _, w := range list {
			x.add(w)
		}
	}
}

// addWord indexes the value of a tombstone of a word.
func (e *Expunged) addWord(value string) {
	w, ok := parseWord(value)
	if !ok {
		return
	}
	if e.words == nil {
		e.words = &wordIndex{}
	}
	e.words.add(w)
}

// hasWord reports whether a piece of text contains a word that is in force. What stands for something redacted contains none: a
// word may be a part of "(expunged)", or of the hash in a redacted key.
func (e Expunged) hasWord(piece string) (has bool) {
	if e.words == nil || e.words.count == 0 || IsMark(piece) || isRedactedKey(piece) {
		return false
	}
	var first uint64
	for i := range len(piece) {
		first = first>>8 | uint64(piece[i])<<56
		begin := beginOf(first)
		if i < MinWord-1 || e.words.some[begin/64]>>(begin%64)&1 == 0 || !e.wordAt(piece[i-(MinWord-1):], begin) {
			continue
		}
		if has = true; e.hits == nil {
			return true
		}
	}
	return has
}

// wordAt reports whether a text begins with a word in force of those that have a beginning.
func (e Expunged) wordAt(text string, begin uint16) (has bool) {
	var sum [sha256.Size]byte
	var buf [MaxWord]byte
	length := 0
	for _, w := range e.words.at[begin] {
		if w.length > len(text) {
			break
		}
		if e.turns[w.name]%2 == 0 && !e.any {
			continue
		}
		if w.length != length {
			length = copy(buf[:], text[:w.length])
			sum = sha256.Sum256(buf[:length])
		}
		if sum == w.sum && e.inForce(w.name) {
			has = true
		}
	}
	return has
}

// isRedactedKey reports whether a key is exactly what redactKey writes, maybe with the number that tells it from others.
func isRedactedKey(key string) bool {
	rest, ok := strings.CutPrefix(key, longKey)
	n := 2 * sha256.Size
	if !ok {
		rest, ok = strings.CutPrefix(key, openShort)
		n = shortKey
	}
	if !ok || len(rest) <= n || strings.Trim(rest[:n], "0123456789abcdef") != "" {
		return false
	}
	number, closed := strings.CutSuffix(rest[n:], ")")
	return closed && (number == "" || number[0] == ' ' && len(number) > 1 && strings.Trim(number[1:], "0123456789") == "")
}
