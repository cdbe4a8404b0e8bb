package redact

import "strings"

// value is what a name has: a part of the text without its quotes.
type value struct {
	span
	quoted bool
}

func (v value) of(s string) string { return s[v.start:v.end] }

// assigned finds the value of a name that begins at from and ends at i.
func (sc *scanner) assigned(from, i int) (v value, ok bool) {
	closed := sc.quoteAt(i) > 0 // "name"
	i += sc.quoteAt(i)
	if i < len(sc.s) && sc.s[i] == ']' { // x["name"] = …
		i++
	}
	blank := sc.skipBlanks(i)
	if blank >= len(sc.s) {
		return value{}, false
	}
	if at := sc.valueKey(blank, closed); at >= 0 {
		return sc.value(at)
	}
	if i, ok = sc.operator(from, blank, closed); !ok {
		if closed || !sc.isFlag(from, blank) {
			return value{}, false
		}
		v, ok = sc.value(blank)
		return v, ok && sc.s[v.start] != '-'
	}
	v, ok = sc.value(i)
	if sc.s[blank] == ',' && ok { // no list of names, in which the next is a name too
		after := sc.skipBlanks(v.end + sc.quoteAt(v.end))
		ok = after >= len(sc.s) || sc.s[after] != ':'
	}
	return v, ok && (v.quoted || !closed || sc.s[i-1] == '>')
}

// isFlag reports whether the name at from is a flag, and a blank follows it.
func (sc *scanner) isFlag(from, blank int) bool {
	return startsWith(sc.s[from:], "--", false) && isBlank(sc.s[blank-1])
}

// quoteAt returns the length of a quote at i, with the backslashes of its escape.
func (sc *scanner) quoteAt(i int) int {
	n := 0
	for i+n < len(sc.s) && n < 8 && sc.s[i+n] == '\\' {
		n++
	}
	if i+n < len(sc.s) && isQuote(sc.s[i+n]) {
		return n + 1
	}
	return 0
}

func (sc *scanner) skipBlanks(i int) int {
	for n := 0; i < len(sc.s) && n < 64 && isBlank(sc.s[i]); n++ {
		i++
	}
	return i
}

// operators assign a value; the longest comes first. A name in quotes may have a comma, as
// in setProperty("name", "value").
var operators = [...]string{":::=", "::=", "||=", ":=", "=>", "?=", ".=", "+=", "=", ":"}

// operator skips what assigns a value, with the name of a type before it. A comparison
// assigns nothing, nor do :: and ://.
func (sc *scanner) operator(from, i int, closed bool) (end int, ok bool) {
	rest := sc.s[i:min(len(sc.s), i+40)]
	for _, op := range operators {
		if !oneOf(rest[0], ":|=?.+") {
			break
		}
		if !strings.HasPrefix(rest, op) {
			continue
		}
		i += len(op)
		switch op {
		case "=":
			ok = i >= len(sc.s) || !oneOf(sc.s[i], "=~")
		case ":":
			ok = i >= len(sc.s) || !oneOf(sc.s[i], ":/")
			if end, typed := sc.typed(sc.skipBlanks(i)); ok && typed {
				return end, true
			}
		default:
			ok = true
		}
		return sc.blockScalar(sc.skipBlanks(i)), ok
	}
	switch {
	case closed && rest[0] == ',':
		return sc.skipBlanks(i + 1), true
	case closed && rest[0] == '>':
		return sc.skipSpace(i + 1), true
	case rest[0] == '>' && from > 0 && sc.s[from-1] == '<':
		return sc.skipSpace(i + 1), true
	case !closed:
		return sc.typed(i)
	}
	return i, false
}

// typed skips a type and the = after it: string = in var token string = "…".
func (sc *scanner) typed(i int) (end int, ok bool) {
	end = i
	for end < len(sc.s) && end-i < 20 && (isWord(sc.s[end]) || oneOf(sc.s[end], ".*?")) {
		end++
	}
	at := sc.skipBlanks(end)
	if end == i || at == end || at+1 >= len(sc.s) || sc.s[at] != '=' || oneOf(sc.s[at+1], "=~>") {
		return i, false
	}
	return sc.skipBlanks(at + 1), true
}

// blockScalar skips the | or > of a text of YAML that begins in the next line.
func (sc *scanner) blockScalar(i int) int {
	if i+1 >= len(sc.s) || !oneOf(sc.s[i], "|>") {
		return i
	}
	at := i + 1
	if oneOf(sc.s[at], "-+") {
		at++
	}
	if at < len(sc.s) && oneOf(sc.s[at], "\r\n") {
		return sc.skipSpace(at)
	}
	return i
}

// skipSpace skips blanks and line ends.
func (sc *scanner) skipSpace(i int) int {
	for n := 0; i < len(sc.s) && n < 64 && oneOf(sc.s[i], " \t\r\n"); n++ {
		i++
	}
	return i
}

// valueKey finds the value of a name that is itself a value: {"name": "X", "value": "Y"},
// <add key="X" value="Y"/>, and the same in YAML. It returns -1 if there is none.
func (sc *scanner) valueKey(i int, closed bool) int {
	switch {
	case closed && sc.s[i] == ',':
		i++
	case !closed && !oneOf(sc.s[i], "\r\n"):
		return -1
	}
	i = sc.skipSpace(i)
	i += sc.quoteAt(i)
	if i >= len(sc.s) || !startsWith(sc.s[i:], "value", true) {
		return -1
	}
	i += len("value")
	i = sc.skipBlanks(i + sc.quoteAt(i))
	if i >= len(sc.s) || !oneOf(sc.s[i], "=:") {
		return -1
	}
	return sc.skipBlanks(i + 1)
}

// value reads a value at i. A value in quotes ends at the same quote; one that contains a
// blank is prose. No value contains a " that does not belong to it, so that it never ends
// outside of a JSON string that contains its beginning.
func (sc *scanner) value(i int) (v value, ok bool) {
	i = sc.skipScheme(i)
	if i < len(sc.s) && oneOf(sc.s[i], "bfr") && i+1 < len(sc.s) && isQuote(sc.s[i+1]) { // b"…"
		i++
	}
	n := sc.quoteAt(i)
	if n == 0 {
		if i >= len(sc.s) || !sc.is(classValue, i) {
			return value{}, false
		}
		v = value{span: span{i, sc.run(classValue, i)}}
		return v, true
	}
	quote, escaped := sc.s[i+n-1], n > 1
	i = sc.skipScheme(i + n)
	end := i
	for range 8 {
		if end < len(sc.s) && sc.is(classQuoted, end) {
			end = sc.run(classQuoted, end)
		}
		if end >= len(sc.s) || sc.s[end] == quote || sc.s[end] == '"' || sc.s[end] == '\\' && (escaped || end+1 >= len(sc.s)) {
			break
		}
		switch b := sc.s[end]; {
		case b == '\\' && sc.s[end+1] != '"' && quote != '"': // the end of a JSON string around it
			return value{span{i, end}, true}, end > i
		case b == '\\':
			end += 2
		case isQuote(b):
			end++
		default: // a blank or the end of the line
			return value{}, false
		}
	}
	end = min(end, len(sc.s))
	return value{span{i, end}, true}, end > i && !oneOf(sc.s[i], ",:]})")
}

// skipScheme skips the scheme of a header Authorization.
func (sc *scanner) skipScheme(i int) int {
	for _, scheme := range [...]string{"bearer ", "basic ", "token ", "api-token ", "apikey ", "digest "} {
		if startsWith(sc.s[min(i, len(sc.s)):], scheme, true) {
			return i + len(scheme)
		}
	}
	return i
}

// judge decides whether a value is a secret. A password may be short; other values must look
// random. It cuts the punctuation after a value without quotes.
func (sc *scanner) judge(w *keyWord, v value) bool {
	text := v.of(sc.s)
	if len(text) < 6 || sc.tried(v.end) {
		return false
	}
	if !v.quoted {
		if strings.HasSuffix(text, "..") { // cut short
			return false
		}
		text = strings.TrimRight(text, ".:!?*")
		if end := v.start + len(text); code(text[:min(len(text), 4*looked)]) || end < len(sc.s) && oneOf(sc.s[end], "([{") {
			return false
		}
	}
	text = text[:min(len(text), 4*looked)]
	if len(text) < 6 || known(text) {
		return false
	}
	switch {
	case w.kind == "password":
		return stout(text, v.quoted)
	case w.kind == "authorization" && basic(text):
		return true
	case len(text) < 10 || w.kind == "authorization" && len(text) < 16:
		return false
	}
	return uuid(text) || longNumber(text) || plain(text) && unlikely(text)
}

// unlikely reports whether a value looks more random than a token with a known beginning has to.
func unlikely(v string) bool {
	rare, _, _ := oddness(v)
	return rare >= min(5, len(v)/3) && random(v)
}

// plain reports whether a value has no character outside of ASCII, and no escape of one.
func plain(v string) bool {
	for i := range len(v) {
		if v[i] >= 0x80 || v[i] < ' ' || v[i] == '\\' && !strings.HasPrefix(v[i:], `\/`) && !strings.HasPrefix(v[i:], `\u00`) {
			return false
		}
	}
	return true
}

// tried counts how often a value with the same end was judged in vain, and reports whether
// that is enough: token=token=token=… has a value after each =.
func (sc *scanner) tried(end int) bool {
	if end != sc.lastEnd {
		sc.lastEnd, sc.tries = end, 0
	}
	sc.tries++
	return sc.tries > 8
}

// uuid reports whether a value is a UUID. It needs a key word: most are ids.
func uuid(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := range len(v) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (v[i] == '-') || !dash && !oneOf(v[i], "0123456789abcdefABCDEF") {
			return false
		}
	}
	_, _, different := oddness(v)
	return different >= 6
}

// longNumber reports whether a value is a number with more digits than a count or time has.
func longNumber(v string) bool {
	for i := range len(v) {
		if !isDigit(v[i]) {
			return false
		}
	}
	_, _, different := oddness(v)
	return len(v) >= 16 && different >= 6
}

// code reports whether a value without quotes is code or a path: config.secret, $VAR, a::b,
// x->y, /etc/passwd.
func code(v string) bool {
	if v == "" || oneOf(v[0], "$%<@&*/.~-") || strings.Contains(v, "->") || strings.Contains(v, "::") || strings.Contains(v, "://") {
		return true
	}
	if len(v) <= 18 && strings.HasPrefix(v, "0x") {
		return true
	}
	rare, pairs, _ := oddness(v)
	return rare*2 < pairs && (strings.Contains(v, ".") || strings.Contains(strings.TrimRight(v, "="), "=="))
}

// known reports whether a value has the form of an id, a hash with its name, or a place.
func known(v string) bool {
	for _, start := range [...]string{"toolu_", "call_", "msg_", "ses_", "req_", "resp_", "chatcmpl-", "sha256-", "sha384-", "sha512-", "sha256:", "sha1:", "md5:", "h1:", "urn:",
		"http:", "https:", "file:", "arn:", "projects/", "./", "../", "~/", "-----BEGIN", "data:", "env:", "vault:", "secret/", "$"} {
		if strings.HasPrefix(v, start) {
			return true
		}
	}
	return false
}

// stout reports whether a value is a password: letters, and digits or signs.
func stout(v string, quoted bool) bool {
	letters, digits, signs := 0, 0, 0
	for i := range min(len(v), looked) {
		switch b := v[i]; {
		case isLetter(b):
			letters++
		case isDigit(b):
			digits++
		case b >= 0x80 || b < ' ':
			return false
		case !oneOf(b, "-_./:=,()[]{}<> "):
			signs++
		}
	}
	if letters == 0 || digits+signs == 0 || v[0] == '/' || stands(v) {
		return false
	}
	rare, pairs, _ := oddness(v)
	if quoted {
		return len(v) >= 8 && (digits > 0 || signs > 0) || rare*3 >= pairs
	}
	return signs > 0 && digits > 0 || rare >= 2 && rare*4 >= pairs
}

// strong reports whether a value is a password or a token.
func strong(v string) bool { return stout(v, true) || random(v) }

// signature finds the signature of a signed URL: sig= with its base64, at i.
func (sc *scanner) signature(i int) {
	start := i + len("sig=")
	if i == 0 || !oneOf(sc.s[i-1], "?&;") || start >= len(sc.s) {
		return
	}
	end := start
	for end < len(sc.s) && end-start < 200 && (sc.is(classBase64s, end) || sc.s[end] == '%') {
		end++
	}
	if end-start >= 40 && random(sc.s[start:end]) {
		sc.add("signature", span{start, end})
	}
}
