package redact

import "sync"

// anchor is a literal at which a rule looks closer.
type anchor struct {
	text string
	fold bool // in capitals or not
	act  action
	row  uint16 // of the table that the action reads
}

// action is what an anchor is for.
type action uint8

const (
	actProvider  action = iota // a token of a row of providers
	actWord                    // a key word of a row of words
	actBearer                  // Bearer TOKEN
	actURL                     // scheme://user:PASSWORD@
	actJWT                     // a JSON web token
	actPEM                     // the BEGIN line of a key
	actPutty                   // the private lines of a PuTTY key
	actBase64PEM               // a key in base64
	actCurl                    // the word curl
	actUser                    // -u user:PASSWORD
	actKube                    // a secret of Kubernetes
	actMark                    // a mark
)

// special contains the anchors of rules that are no rows of providers or words.
var special = [...]anchor{
	{text: markStart, act: actMark},
	{text: "bearer", fold: true, act: actBearer},
	{text: "://", act: actURL},
	{text: "eyJ", act: actJWT},
	{text: "-----BEGIN", act: actPEM},
	{text: "Private-Lines:", act: actPutty},
	{text: "LS0tLS1CRUdJTi", act: actBase64PEM},
	{text: "ZXlK", act: actBase64PEM},
	{text: "curl", act: actCurl},
	{text: "kind:", act: actKube},
	{text: " -u", act: actUser},
	{text: " --user", act: actUser},
}

// tables contains the first test of a scan and the classes of bytes. Three adjacent bytes
// may begin an anchor if their entries have a bit in common; chains then gives the anchors
// with the same hash of three bytes.
type tables struct {
	first, second, third [256]uint64
	chains               [1 << chainBits]uint16 // the number of a link, or 0
	links                [1024]link
	used                 int
	classes              [256]uint16
	anchors              [len(providers) + len(words) + len(special)]anchor
}

// link is an element of a chain.
type link struct{ anchor, next uint16 }

const chainBits = 12

// hash returns the chain of three bytes.
func hash(a, b, c byte) uint32 {
	return (uint32(a)<<16 | uint32(b)<<8 | uint32(c)) * 0x9E3779B1 >> (32 - chainBits)
}

// anchorTables makes the tables at the first call of a process, in a few microseconds: a
// command that redacts nothing does not pay for them.
var anchorTables = sync.OnceValue(makeTables)

func makeTables() *tables {
	t := &tables{}
	t.makeClasses()
	n := 0
	for i := len(providers) - 1; i >= 0; i-- { // the first row is tried first
		t.addAnchor(n, anchor{providers[i].anchor, false, actProvider, uint16(i)})
		n++
	}
	for i := range words {
		t.addAnchor(n, anchor{words[i].text, true, actWord, uint16(i)})
		n++
	}
	for i := range special {
		t.addAnchor(n, special[i])
		n++
	}
	return t
}

// addAnchor adds an anchor, which has at least two bytes; what may be the third is then the
// first class of the shape.
func (t *tables) addAnchor(n int, a anchor) {
	t.anchors[n] = a
	bit := uint64(1) << (n * 64 / len(t.anchors))
	if len(a.text) == 2 {
		c, _ := shapeClass(providers[a.row].shape[0])
		for b := range 128 {
			if t.classes[b]&(1<<c) != 0 {
				t.addStart(n, bit, a.text[0], a.text[1], byte(b))
			}
		}
		return
	}
	variants := 1
	if a.fold {
		variants = 8
	}
	for v := range variants {
		start := [3]byte{a.text[0], a.text[1], a.text[2]}
		for i := range start {
			if v>>i&1 != 0 && isSmall(start[i]) {
				start[i] -= 'a' - 'A'
			}
		}
		t.addStart(n, bit, start[0], start[1], start[2])
	}
}

// addStart adds three bytes with which an anchor begins.
func (t *tables) addStart(n int, bit uint64, a, b, c byte) {
	t.first[a] |= bit
	t.second[b] |= bit
	t.third[c] |= bit
	chain := &t.chains[hash(a, b, c)]
	if *chain != 0 && t.links[*chain].anchor == uint16(n) {
		return
	}
	t.used++
	t.links[t.used] = link{uint16(n), *chain}
	*chain = uint16(t.used)
}

// class is a set of bytes. The letters are what a shape calls them.
type class uint8

const (
	classDigit   class = iota // d: 0-9
	classHex                  // h: 0-9 a-f A-F
	classSmall                // l: 0-9 a-z
	classCapital              // U: 0-9 A-Z
	classWord                 // w: 0-9 a-z A-Z
	className                 // n: w and _
	classDash                 // W: n and -
	classBase64               // b: w and + /
	classBase64s              // B: b and = _ -
	classDotted               // p: W and . =
	classTilde                // t: W and . ~
	classURL                  // of a user and password in a URL
	classValue                // of a value without quotes
	classQuoted               // of a value in quotes
	classBody                 // of a private key
	numClasses                // not a class
)

// shapeClass returns the class that a letter of a shape stands for.
func shapeClass(letter byte) (class, bool) {
	switch letter {
	case 'd':
		return classDigit, true
	case 'h':
		return classHex, true
	case 'l':
		return classSmall, true
	case 'U':
		return classCapital, true
	case 'w':
		return classWord, true
	case 'n':
		return className, true
	case 'W':
		return classDash, true
	case 'b':
		return classBase64, true
	case 'B':
		return classBase64s, true
	case 'p':
		return classDotted, true
	case 't':
		return classTilde, true
	}
	return 0, false
}

func isDigit(b byte) bool  { return b >= '0' && b <= '9' }
func isSmall(b byte) bool  { return b >= 'a' && b <= 'z' }
func isLetter(b byte) bool { return isSmall(lower(b)) }
func isWord(b byte) bool   { return isDigit(b) || isLetter(b) }
func isBlank(b byte) bool  { return b == ' ' || b == '\t' }
func isQuote(b byte) bool  { return b == '"' || b == '\'' || b == '`' }

// members are the bytes of each class, as pairs of the first and last of a range.
var members = [numClasses]string{
	classDigit:   "09",
	classHex:     "09afAF",
	classSmall:   "09az",
	classCapital: "09AZ",
	classWord:    "09azAZ",
	className:    "09azAZ__",
	classDash:    "09azAZ__--",
	classBase64:  "09azAZ++//",
	classBase64s: "09azAZ++//==__--",
	classDotted:  "09azAZ__--..==",
	classTilde:   "09azAZ__--..~~",
	classURL:     "!!$&(.0;==@[]_a~\x80\xFF",         // printed ASCII without " # ' / < > ? \ `, and all other characters
	classValue:   "!!#%**+-..//0:==?Z^_az~~\x80\xFF", // without " & ' ( ) , ; < > [ \ ] ` { | }
	classQuoted:  "!!#&([]_a~\x80\xFF",               // without quotes and \
	classBody:    "09azAZ++//==",
}

func (t *tables) makeClasses() {
	for c, ranges := range members {
		for ; ranges != ""; ranges = ranges[2:] {
			for b := int(ranges[0]); b <= int(ranges[1]); b++ {
				t.classes[b] |= 1 << c
			}
		}
	}
	t.classes[','] &^= 1 << classValue
}

// oneOf reports whether a set of ASCII characters contains a byte.
func oneOf(b byte, set string) bool {
	for i := range len(set) {
		if set[i] == b {
			return true
		}
	}
	return false
}

// run returns the end of the longest run of a class from a byte on. The last run of each
// class is kept: bytes are measured once for each class, however many anchors are in them.
func (sc *scanner) run(c class, i int) int {
	last := &sc.runs[c]
	if i >= last.start && i < last.end {
		return last.end
	}
	end := i
	for end < len(sc.s) && sc.is(c, end) {
		end++
	}
	*last = span{i, end}
	return end
}

// is reports whether a class contains the byte at i.
func (sc *scanner) is(c class, i int) bool { return sc.t.classes[sc.s[i]]&(1<<c) != 0 }
