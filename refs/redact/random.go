package redact

import (
	"math/bits"
)

// common contains the pairs of letters that are 93 % of the pairs in English words and names
// of Go, as bits: common[0]&2 is "ab".
var common = [26]uint32{
	0x13ebd6e, 0x0164917, 0x01e4dbd, 0x0164939, 0x0efb97f, 0x01e4939, 0x0166191, 0x0024111, 0x22ef87f,
	0x0000000, 0x0040110, 0x11c4919, 0x014d113, 0x03c6d7d, 0x07efd6f, 0x01ec995, 0x0100000, 0x13e7d5d,
	0x11ccd95, 0x11ec9b5, 0x00eb977, 0x0000111, 0x0024111, 0x0088035, 0x004a000, 0x0000010,
}

// looked is how many bytes of a value are looked at.
const looked = 96

// random reports whether a value looks as if it was drawn by chance: a third of its pairs
// of adjacent letters and digits are rare in words. A pair of two digits says nothing, nor
// does the hump of a camelCase name.
func random(v string) bool {
	rare, pairs, different := oddness(v)
	return rare >= 3 && rare*3 >= pairs && different >= 6 && !placeholder(v)
}

// mixed reports whether a value has digits and enough different characters.
func mixed(v string) bool {
	digits := 0
	for i := range len(v) {
		if isDigit(v[i]) {
			digits++
		}
	}
	_, _, different := oddness(v)
	return digits >= 2 && different >= 8 && !placeholder(v)
}

// oddness counts the pairs that are rare in words, all pairs, and the different bytes.
func oddness(v string) (rare, pairs, different int) {
	if len(v) > looked {
		v = v[:looked]
	}
	var seen [4]uint64
	before := byte(0)
	for i := range len(v) {
		b := v[i]
		seen[b>>6] |= 1 << (b & 63)
		switch {
		case !isWord(b) || !isWord(before), isDigit(b) && isDigit(before), isSmall(before) && !isSmall(b) && !isDigit(b):
		case isDigit(b) != isDigit(before):
			rare, pairs = rare+1, pairs+1
		default:
			pairs++
			x, y := lower(before)-'a', lower(b)-'a'
			if common[x]&(1<<y) == 0 && y != x+1 && y != x {
				rare++
			}
		}
		before = b
	}
	for _, set := range seen {
		different += bits.OnesCount64(set)
	}
	return rare, pairs, different
}

// fillers are what a value contains that somebody must replace, in lower case.
var fillers = [...]string{
	"example", "placeholder", "changeme", "change-me", "change_me", "change-this", "change_this", "dummy", "redacted", "your", "sample",
	"xxxx", "****", "....", "####", "insert", "replace", "todo", "fake", "[redacted", "{{", "${", "$(", "%(", "{%",
}

// placeholder reports whether a value tells that a secret would be here, or repeats one
// character eight times.
func placeholder(v string) bool {
	var folded [looked]byte
	n := copy(folded[:], v)
	same := 1
	for i := range n {
		folded[i] = lower(folded[i])
		if same++; i == 0 || folded[i] != folded[i-1] {
			same = 1
		}
		if same == 8 && n < 48 {
			return true
		}
	}
	for i := range n {
		for _, filler := range fillers {
			if folded[i] == filler[0] && startsWith(v[i:n], filler, true) && oneCase(v[i+1:i+len(filler)]) {
				return true
			}
		}
	}
	return false
}

// oneCase reports whether all letters are small, or all capitals.
func oneCase(s string) bool {
	small, capital := false, false
	for i := range len(s) {
		small = small || isSmall(s[i])
		capital = capital || isLetter(s[i]) && !isSmall(s[i])
	}
	return !small || !capital
}
