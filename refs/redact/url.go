package redact

import (
	"encoding/base64"
	"strings"
)

// url finds the password of a URL whose :// is at i, or a token in the place of its user.
func (sc *scanner) url(i int) {
	start := i + len("://")
	if i == sc.after || !isWord(sc.s[i-1]) || start >= len(sc.s) {
		return
	}
	end := min(sc.run(classURL, start), start+512)
	at := strings.LastIndexByte(sc.s[start:end], '@')
	if at < 0 {
		return
	}
	if strings.Contains(sc.s[start:start+at], markStart) {
		return
	}
	user, password, found := strings.Cut(sc.s[start:start+at], ":")
	if !found {
		if len(user) >= 20 && random(user) {
			sc.token("url-password", span{start, start + at})
		}
		return
	}
	if len(password) < 3 || stands(password) || strings.EqualFold(password, user) {
		return
	}
	from := start + len(user) + 1
	sc.token("url-password", span{from, from + len(password)})
}

// token adds a secret under the kind of a provider, if its beginning is a token of one.
func (sc *scanner) token(kind string, where span) {
	if where.end-where.start > 8 {
		s := sc.s[where.start:where.end]
		for n := sc.t.chains[hash(s[0], s[1], s[2])]; n != 0; n = sc.t.links[n].next {
			a := &sc.t.anchors[sc.t.links[n].anchor]
			if (a.act == actProvider || a.act == actJWT) && startsWith(s, a.text, false) {
				if sc.act(where.start, a); sc.after > where.start {
					return
				}
			}
		}
	}
	sc.add(kind, where)
}

// jwt finds a JSON web token at i: three parts, of which the first two are JSON objects, or
// five if it is encrypted. The last may be empty.
func (sc *scanner) jwt(i int) {
	if !sc.opens(i) {
		return
	}
	end := sc.run(classDash, i)
	if end-i < 12 || end+4 > len(sc.s) || sc.s[end] != '.' {
		return
	}
	parts := 1
	for parts < 5 && end < len(sc.s) && sc.s[end] == '.' {
		next := end + 1
		if next < len(sc.s) && sc.is(classDash, next) {
			next = sc.run(classDash, next)
		} else if parts >= 3 { // the full stop of a sentence
			break
		}
		end, parts = next, parts+1
	}
	second := strings.HasPrefix(sc.s[i+strings.IndexByte(sc.s[i:end], '.')+1:], "eyJ")
	if parts == 2 && end-i < 40 || parts == 4 || !second && parts != 5 || !random(sc.s[i:end]) {
		return
	}
	for end < len(sc.s) && sc.s[end] == '=' {
		end++
	}
	sc.add("jwt", span{i, end})
}

// bearer finds the token after Bearer, in any header or command.
func (sc *scanner) bearer(i int) {
	start := i + len("bearer")
	if !sc.opens(i) || start >= len(sc.s) || sc.s[start] != ' ' {
		return
	}
	if v, ok := sc.value(start + 1); ok && !v.quoted && len(v.of(sc.s)) >= 16 && random(v.of(sc.s)) && !code(v.of(sc.s)) {
		sc.token("authorization", v.span)
	}
}

// user finds the password of curl -u user:password; i is the blank before -u.
func (sc *scanner) user(i, size int) {
	const near = 2000 // bytes of one command
	start := i + size
	if sc.curl < 0 || i-sc.curl > near || start >= len(sc.s) || !isBlank(sc.s[start]) && sc.s[start] != '=' {
		return
	}
	for start < len(sc.s) && (isBlank(sc.s[start]) || sc.s[start] == '=') {
		start++
	}
	quote := byte(0)
	if start < len(sc.s) && isQuote(sc.s[start]) {
		quote, start = sc.s[start], start+1
	}
	end, colon := start, -1
	for end < len(sc.s) && end-start < 200 && sc.is(classQuoted, end) {
		if sc.s[end] == ':' && colon < 0 {
			colon = end
		}
		end++
	}
	if colon < 0 && quote != 0 { // "user":"password"
		return
	}
	sc.userPassword(span{start, end}, colon)
}

func (sc *scanner) userPassword(pair span, colon int) {
	if colon < 0 || strings.Contains(sc.s[pair.start:pair.end], markStart) {
		return
	}
	user, from := sc.s[pair.start:colon], colon+1
	if from < len(sc.s) && from == pair.end && isQuote(sc.s[from]) { // user:'password'
		from++
		for pair.end = from; pair.end < len(sc.s) && pair.end-from < 200 && sc.is(classQuoted, pair.end); {
			pair.end++
		}
	}
	password := sc.s[from:pair.end]
	switch {
	case password == "" && len(user) >= 8 && !stands(user): // a token in the place of the user
		if strong(user) {
			sc.token("password", span{pair.start, colon})
		}
	case len(password) < 3 || stands(password) || strings.EqualFold(user, password):
	default:
		sc.token("password", span{from, pair.end})
	}
}

// stands reports whether a password only stands for one, as in a manual: user:password@,
// ${VAR}, <password>.
func stands(v string) bool {
	if placeholder(v) || oneOf(v[0], "$<{[%(*") || v[len(v)-1] == '>' {
		return true
	}
	v = strings.Trim(v, "_-0123456789")
	var folded [24]byte
	if len(v) > len(folded) {
		return false
	}
	for i := range len(v) {
		folded[i] = lower(v[i])
	}
	switch string(folded[:len(v)]) {
	case "", "pass", "password", "passwd", "passw", "pwd", "pw", "secret", "token", "key", "user", "username", "test", "testing",
		"xxx", "xx", "x", "yyy", "foo", "bar", "baz", "abc", "postgres", "root", "admin", "guest", "none", "null", "mypass", "mypassword", "secretpassword",
		"my-password", "my_password", "the-password", "apikey", "api-key", "api_key", "api_token", "api-token", "access_token", "p4ss", "credentials", "hunter":
		return true
	}
	return false
}

// basic reports whether a value is the base64 of user:password.
func basic(v string) bool {
	var coded, plain [256]byte
	if len(v) > len(coded) {
		return false
	}
	n, err := base64.StdEncoding.Decode(plain[:], coded[:copy(coded[:], v)])
	colon := false
	for _, b := range plain[:n] {
		if b < ' ' || b == 0x7F {
			return false
		}
		colon = colon || b == ':'
	}
	return err == nil && n >= 4 && colon
}
