package redact

import "strings"

// Found is a secret in a text: the bytes from Start to End. It never contains the secret.
type Found struct {
	Kind       string // what the mark tells, such as github-token or password
	Start, End int
}

// The mark that replaces a secret is markStart, its kind and ']'.
const markStart = "[redacted:"

// Text returns a text in which every secret is replaced by a mark, and where they were, in
// order. It returns the text itself, without allocating, if there is none. Any bytes are
// allowed; the time is linear. Concurrent calls are safe.
func Text(text string) (string, []Found) {
	found := find(text)
	return replace(text, found), found
}

// find returns the secrets that the built-in rules find.
func find(text string) []Found {
	sc := scanner{s: text, t: anchorTables(), curl: -1}
	sc.scan()
	return sc.found
}

// replace returns a text in which what was found is replaced by marks.
func replace(text string, found []Found) string {
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16*len(found))
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.Start])
		b.WriteString(markStart)
		b.WriteString(f.Kind)
		b.WriteByte(']')
		at = f.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// scanner finds the secrets of one text. Text before after is not looked at again: it was
// replaced, or is a mark.
type scanner struct {
	s       string
	t       *tables
	after   int
	found   []Found
	runs    [numClasses]span // by class: the last run that was measured
	curl    int              // where the word curl was last, or -1
	lastEnd int              // where the value ends that was judged last
	tries   int              // how often values with this end were judged
	pemEnds [pemKinds]int    // where the next end of a key's lines is
}

// span is a part of a text.
type span struct{ start, end int }

// scan looks for anchors. Few bytes pass the test of three adjacent bytes, so that the rest
// costs little.
func (sc *scanner) scan() {
	s, t := sc.s, sc.t
	if len(s) < 3 {
		return
	}
	a, b := s[0], s[1]
	for i := 0; i+2 < len(s); i++ {
		c := s[i+2]
		if t.first[a]&t.second[b]&t.third[c] != 0 {
			if n := t.chains[hash(a, b, c)]; n != 0 && sc.chain(i, n) {
				i = sc.after - 1
				if i+3 > len(s)-1 {
					return
				}
				a, b = s[i+1], s[i+2]
				continue
			}
		}
		a, b = b, c
	}
}

// chain tries the anchors of a chain at a byte, until one of them finds something.
func (sc *scanner) chain(i int, n uint16) bool {
	for ; n != 0; n = sc.t.links[n].next {
		if a := &sc.t.anchors[sc.t.links[n].anchor]; startsWith(sc.s[i:], a.text, a.fold) {
			if sc.act(i, a); sc.after > i {
				return true
			}
		}
	}
	return false
}

// act does what an anchor is for.
func (sc *scanner) act(i int, a *anchor) {
	switch a.act {
	case actProvider:
		if where, ok := sc.provider(i, &providers[a.row]); ok {
			sc.add(providers[a.row].kind, where)
		}
	case actWord:
		sc.word(i, &words[a.row])
	case actBearer:
		sc.bearer(i)
	case actURL:
		sc.url(i)
	case actJWT:
		sc.jwt(i)
	case actPEM:
		sc.pem(i)
	case actPutty:
		sc.putty(i)
	case actBase64PEM:
		sc.base64PEM(i)
	case actCurl:
		sc.curl = i
	case actUser:
		sc.user(i, len(a.text))
	case actKube:
		sc.kube(i)
	case actMark:
		if n := strings.IndexByte(sc.s[i:min(len(sc.s), i+64)], ']'); n > 0 {
			sc.after = i + n + 1
		}
	}
}

// add adds a secret, unless nothing is left of it.
func (sc *scanner) add(kind string, where span) {
	if where.start < sc.after || where.start >= where.end {
		return
	}
	sc.found = append(sc.found, Found{kind, where.start, where.end})
	sc.after = where.end
}

// startsWith reports whether a text starts with an anchor; fold ignores the case of its
// letters, which are lower case in the anchor.
func startsWith(s, anchor string, fold bool) bool {
	if len(s) < len(anchor) {
		return false
	}
	if !fold {
		return s[:len(anchor)] == anchor
	}
	for i := range len(anchor) {
		if lower(s[i]) != anchor[i] {
			return false
		}
	}
	return true
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
