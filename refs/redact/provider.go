package redact

import "strings"

// provider matches a token of a provider whose anchor is at i.
func (sc *scanner) provider(i int, row *provider) (where span, ok bool) {
	start := i
	if row.before != "" {
		if start, ok = sc.back(i, row.before); !ok {
			return span{}, false
		}
	}
	body := i + len(row.anchor)
	if start < sc.after || !row.keep && !sc.opens(start) || len(row.anchor) <= 4 && row.before == "" && sc.joined(start) {
		return span{}, false
	}
	end, ok := sc.shape(body, row.shape)
	if !ok {
		return span{}, false
	}
	switch {
	case row.keep:
		start = body
	case row.before != "":
		body = start
	}
	return span{start, end}, random(sc.s[body:end]) || len(row.anchor) > 2 && exact(row.shape) && mixed(sc.s[body:end])
}

// exact reports whether a shape has only letters and digits, of a length that words hardly have.
func exact(shape string) bool { return !strings.ContainsAny(shape, "WBpn") }

// back walks over a class in front of i, such as w14, and returns where it begins.
func (sc *scanner) back(i int, shape string) (start int, ok bool) {
	c, _ := shapeClass(shape[0])
	least, most, _ := bounds(shape[1:])
	for start = i; start > sc.after && i-start < most && sc.is(c, start-1); {
		start--
	}
	return start, i-start >= least
}

// shape matches a shape from i on and returns its end.
func (sc *scanner) shape(i int, shape string) (end int, ok bool) {
	dotted := false
	for len(shape) > 0 {
		c, isClass := shapeClass(shape[0])
		if !isClass || len(shape) == 1 || !isDigit(shape[1]) {
			if i >= len(sc.s) || sc.s[i] != shape[0] {
				return 0, false
			}
			i, shape = i+1, shape[1:]
			continue
		}
		least, most, rest := bounds(shape[1:])
		end := i
		if i < len(sc.s) {
			end = sc.run(c, i)
		}
		if rest != "" && isWordShape(rest) { // two classes side by side: the first has a fixed length
			end = min(end, i+most)
		}
		if end-i < least || end-i > most {
			return 0, false
		}
		i, shape, dotted = end, rest, c == classDotted
	}
	if i < len(sc.s) && isWord(sc.s[i]) {
		return 0, false
	}
	if dotted { // the full stop of a sentence is not part of the token
		for i > 0 && sc.s[i-1] == '.' {
			i--
		}
	}
	return i, true
}

// isWordShape reports whether a shape begins with a class.
func isWordShape(shape string) bool {
	_, ok := shapeClass(shape[0])
	return ok && len(shape) > 1 && isDigit(shape[1])
}

// unbounded is the maximal length of a run without one.
const unbounded = 1 << 30

// bounds parses the length of a run: 36, 30,40 or 30+.
func bounds(s string) (least, most int, rest string) {
	least, s = number(s)
	switch {
	case strings.HasPrefix(s, "+"):
		return least, unbounded, s[1:]
	case strings.HasPrefix(s, ","):
		most, s = number(s[1:])
		return least, most, s
	}
	return least, least, s
}

func number(s string) (n int, rest string) {
	for s != "" && isDigit(s[0]) {
		n, s = 10*n+int(s[0]-'0'), s[1:]
	}
	return n, s
}

// opens reports whether a token may begin at i: after a byte that is no part of a word, or
// after an escape (\n, \u003c, %3D). It must not begin within an escape of a JSON string:
// the n of \npm_ is not the beginning of npm_.
func (sc *scanner) opens(i int) bool {
	if i <= sc.after {
		return i == sc.after
	}
	s, p := sc.s, sc.s[i-1]
	if p == '\\' {
		return !oneOf(s[i], `bfnrtu"\/`) || sc.slashes(i)%2 == 0
	}
	if !isWord(p) && p != '_' {
		return true
	}
	switch {
	case i >= 2 && s[i-2] == '\\' && oneOf(p, "bfnrt"):
		return true
	case i >= 6 && s[i-6] == '\\' && s[i-5] == 'u':
		return true
	case i >= 3 && s[i-3] == '%' && isWord(s[i-2]):
		return true
	}
	return p == 'm' && sc.colored(i-1)
}

// colored reports whether the m at i ends an escape sequence of a terminal, such as ESC[31m.
func (sc *scanner) colored(i int) bool {
	from := max(0, i-8)
	for i--; i >= from && (isDigit(sc.s[i]) || sc.s[i] == ';'); {
		i--
	}
	return i >= from && sc.s[i] == '['
}

// slashes counts the backslashes before i.
func (sc *scanner) slashes(i int) (n int) {
	for i > 0 && sc.s[i-1] == '\\' {
		i, n = i-1, n+1
	}
	return n
}

// joined reports whether what begins at i is the rest of a longer name or path.
func (sc *scanner) joined(i int) bool {
	return i > sc.after && oneOf(sc.s[i-1], "-./")
}
