package redact

import "strings"

// keyWord is a word in the name of a secret.
type keyWord struct {
	text, kind string
	part       bool // a part of the name must begin with it: auth, but not in author
}

var words = [...]keyWord{
	{"token", "token", false},
	{"secret", "secret", false},
	{"pass", "password", false},
	{"pwd", "password", true},
	{"key", "key", false},
	{"credential", "credential", false},
	{"creds", "credential", false},
	{"auth", "authorization", true},
	{"sig=", "signature", true},
}

// word finds the value of a name that contains a key word at i.
func (sc *scanner) word(i int, w *keyWord) {
	end := i + len(w.text)
	switch w.text {
	case "sig=":
		sc.signature(i)
		return
	case "pass":
		end = i + passLength(sc.s[i:])
	case "auth":
		if startsWith(sc.s[i:], "authorization", true) {
			end = i + len("authorization")
		} else if sc.keyed(end) {
			return
		}
	}
	if end+1 < len(sc.s) && lower(sc.s[end]) == 's' && !isLetter(sc.s[end+1]) { // credentials
		end++
	}
	if end >= len(sc.s) || !sc.partEnds(end) {
		return
	}
	from := sc.nameStart(i)
	if (w.part || w.text == "pass" && end == i+4) && !sc.partBegins(i) {
		return
	}
	next, ok := sc.suffix(end)
	if !ok {
		return
	}
	v, ok := sc.assigned(from, next)
	if ok && (w.text != "key" || sc.qualified(from, i)) && !sc.elsewhere(from, i) && sc.judge(w, v) {
		sc.token(w.kind, v.span)
	}
}

// keyed reports whether the next part of a name is a key word itself: token in authToken.
func (sc *scanner) keyed(i int) bool {
	for i < len(sc.s) && oneOf(sc.s[i], "-_.") {
		i++
	}
	for _, word := range [...]string{"token", "secret", "pass", "key"} {
		if startsWith(sc.s[min(i, len(sc.s)):], word, true) {
			return true
		}
	}
	return false
}

// passLength returns the length of the word that begins with pass: password, passwd,
// passphrase, passwort, passcode, or pass itself.
func passLength(s string) int {
	for _, word := range [...]string{"password", "passwd", "passphrase", "passwort", "passcode"} {
		if startsWith(s, word, true) {
			return len(word)
		}
	}
	return len("pass")
}

// partEnds reports whether a part of a name ends before i: after token in tokenURL and
// TOKEN_URL, but not in tokenizer.
func (sc *scanner) partEnds(i int) bool {
	b, before := sc.s[i], sc.s[i-1]
	return !isLetter(b) || isSmall(before) && !isSmall(b)
}

// partBegins reports whether a part of a name begins at i.
func (sc *scanner) partBegins(i int) bool {
	if i <= sc.after {
		return true
	}
	b, before := sc.s[i], sc.s[i-1]
	return !isLetter(before) || isSmall(before) && !isSmall(b) || sc.opens(i)
}

// nameStart returns where the name begins that contains i.
func (sc *scanner) nameStart(i int) int {
	least := max(sc.after, i-40)
	for i > least && (sc.is(classDash, i-1) || sc.s[i-1] == '.') {
		i--
	}
	return i
}

// elsewhere reports whether a name says before its key word that the value is no secret:
// a public key, the token of a next page.
func (sc *scanner) elsewhere(from, i int) bool {
	name := sc.s[from:i]
	for _, word := range [...]string{"public", "pub", "csrf", "xsrf", "authenticity", "page", "next", "continu", "cursor", "cancel",
		"sync", "progress", "workdone", "partial"} {
		if n := indexFold(name, word); n >= 0 && (len(word) > 4 || n+len(word) >= len(strings.TrimRight(name, "-_."))) {
			return true
		}
	}
	return false
}

// qualifiers make a key a secret when they are before it.
var qualifiers = [...]string{
	"api", "access", "secret", "private", "signing", "sign", "encryption", "encrypt", "crypt", "auth", "authentication", "account",
	"storage", "shared", "license", "licence", "deploy", "ssh", "hmac", "jwt", "admin", "webhook", "subscription", "consumer", "client", "app",
	"application", "service", "session", "server", "security", "sas", "aes", "rsa", "cookie", "integration", "ingest", "insert", "user", "master", "root",
}

// qualified reports whether a word before key makes it a secret; one blank may be between.
func (sc *scanner) qualified(from, i int) bool {
	name := sc.s[from:i]
	if strings.Trim(name, "-_.") == "" && from > sc.after && sc.s[from-1] == ' ' {
		start := from - 1
		for start > max(sc.after, from-14) && isLetter(sc.s[start-1]) {
			start--
		}
		name = sc.s[start : from-1]
	}
	name = strings.TrimRight(name, "-_.")
	for _, q := range qualifiers {
		if n := len(name) - len(q); n >= 0 && startsWith(name[n:], q, true) {
			return true
		}
	}
	return false
}

// suffix skips the rest of a name after its key word. It reports false if the rest says that
// the value is about a secret: token_count, passwordFile, secret.name.
func (sc *scanner) suffix(i int) (end int, ok bool) {
	const most = 32
	end = i
	for end < len(sc.s) && end-i < most && (sc.is(classDash, end) || sc.s[end] == '.') {
		end++
	}
	for end > i && oneOf(sc.s[end-1], "-.") {
		end--
	}
	for at := i; at < end; {
		start := at
		for start < end && !isWord(sc.s[start]) {
			start++
		}
		at = start
		for at < end && isWord(sc.s[at]) && (at == start || isSmall(sc.s[at]) || !isSmall(sc.s[at-1])) {
			at++
		}
		if at > start && about(sc.s[start:at]) {
			return end, false
		}
	}
	return end, true
}

// about reports whether a part of a name after a key word says that the value is no secret.
func about(part string) bool {
	if len(part) > 12 {
		return false
	}
	var folded [12]byte
	for i := range len(part) {
		folded[i] = lower(part[i])
	}
	switch string(folded[:len(part)]) {
	case "id", "ids", "name", "names", "count", "counts", "len", "length", "size", "type", "types", "kind", "url", "uri", "urls", "endpoint",
		"file", "files", "filename", "path", "paths", "dir", "ref", "refs", "hash", "hashes", "digest", "sha", "sum", "checksum", "limit", "limits", "max", "min",
		"expiry", "expires", "expired", "ttl", "age", "at", "time", "date", "store", "field", "label", "prefix", "suffix", "index", "usage", "used",
		"budget", "cost", "env", "var", "variable", "regex", "regexp", "pattern", "format", "policy", "provider", "source", "manager", "class",
		"header", "func", "fn", "handler", "helper", "scope", "scopes", "version", "state", "status", "mode", "method", "required", "valid", "error", "err",
		"command", "cmd", "message", "text", "title", "placeholder", "hint", "description", "fingerprint", "public", "pub", "down", "up", "press", "code", "codes",
		"stream", "ring", "pair", "map", "set", "list", "vault", "chain", "board", "frame", "word", "words", "arn", "issuer", "results", "result", "event":
		return true
	}
	return false
}

// indexFold returns where a lower-case word is in a text, in capitals or not, or -1.
func indexFold(s, word string) int {
	for i := 0; i+len(word) <= len(s); i++ {
		if startsWith(s[i:], word, true) {
			return i
		}
	}
	return -1
}
