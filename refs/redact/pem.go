package redact

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// bodyLeast is how many bytes the body of a private key has at least.
const bodyLeast = 40

// pemKind is a format of private keys.
type pemKind int

const (
	pemLines pemKind = iota
	puttyLines
	pemKinds // not a format
)

var pemEndLines = [pemKinds]string{"-----END", "Private-MAC"}

// pem finds the body of a private key after its BEGIN line at i.
func (sc *scanner) pem(i int) {
	const most = 80
	line := sc.s[i+len("-----BEGIN") : min(len(sc.s), i+most)]
	end := strings.Index(line, "-----")
	if end < 0 || !strings.Contains(line[:end], "PRIVATE KEY") {
		return
	}
	sc.body(i+len("-----BEGIN")+end+len("-----"), pemLines)
}

// putty finds the private lines of a PuTTY key, which end before its Private-MAC.
func (sc *scanner) putty(i int) {
	i += len("Private-Lines:")
	for i < len(sc.s) && (isBlank(sc.s[i]) || isDigit(sc.s[i])) {
		i++
	}
	sc.body(i, puttyLines)
}

// body adds the pieces of a key's body from i on, until its end or, if that was cut off,
// until a piece that is shorter than a line.
func (sc *scanner) body(i int, kind pemKind) {
	limit, whole := sc.endLine(i, kind)
	var pieces []span
	size, other := 0, 0
	for i < limit && other < 64 {
		start, quoted := sc.skipBreaks(i, limit)
		if start == limit || quoted && !isQuote(sc.s[start-1]) {
			break
		}
		end := min(limit, sc.run(classBody, start))
		if least := 16; !whole && end-start < least || quoted && end-start < least && end < limit && !isQuote(sc.s[end]) && sc.s[end] != '\\' {
			break
		}
		if end == start {
			i, other = start+1, other+1
			continue
		}
		if n := len(pieces); n > 0 && !quoted {
			pieces[n-1].end = end
		} else {
			pieces = append(pieces, span{start, end})
		}
		size += end - start
		i = end
	}
	if size < bodyLeast {
		return
	}
	for _, p := range pieces {
		sc.add("private-key", p)
	}
}

// endLine returns where the body ends at the latest, and whether its end is there. The next
// end is kept: it is looked for once, however many keys begin before it.
func (sc *scanner) endLine(i int, kind pemKind) (limit int, whole bool) {
	next := &sc.pemEnds[kind]
	if *next < i {
		*next = len(sc.s)
		if n := strings.Index(sc.s[i:], pemEndLines[kind]); n >= 0 {
			*next = i + n
		}
	}
	return *next, *next < len(sc.s)
}

// skipBreaks skips what is between two pieces: blanks, line ends, escaped ones too, quotes
// and what joins strings in source code.
func (sc *scanner) skipBreaks(i, limit int) (end int, quoted bool) {
	for i < limit {
		switch b := sc.s[i]; {
		case b == '\\' && i+1 < limit && sc.s[i+1] == 'u':
			i += 6
		case b == '\\' && i+1 < limit:
			quoted = quoted || isQuote(sc.s[i+1])
			i += 2
		case isQuote(b):
			quoted = true
			i++
		case oneOf(b, " \t\r\n+,:;-()|>.#*"):
			i++
		default:
			return i, quoted
		}
	}
	return limit, quoted
}

// base64PEM finds a private key or a web token in base64, as a secret of Kubernetes contains it.
func (sc *scanner) base64PEM(i int) {
	if !sc.opens(i) {
		return
	}
	end := sc.run(classBase64s, i)
	if end-i < 80 {
		return
	}
	head := strings.TrimRight(sc.s[i:min(end, i+400)], "=")
	var coded, plain [400]byte
	n, _ := base64.RawStdEncoding.Decode(plain[:], coded[:copy(coded[:], head[:len(head)/4*4])])
	switch {
	case bytes.Contains(plain[:n], []byte("PRIVATE KEY-----")):
		sc.add("private-key", span{i, end})
	case bytes.HasPrefix(plain[:n], []byte("eyJ")):
		sc.add("jwt", span{i, end})
	}
}
