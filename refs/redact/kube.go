package redact

import "strings"

// kube finds the values of a secret of Kubernetes in YAML, whose kind is at i. Its data come
// before or after the kind; each is in base64, under any name.
func (sc *scanner) kube(i int) {
	const near = 2000
	rest := strings.TrimLeft(sc.s[i+len("kind:"):min(len(sc.s), i+40)], " \t\"'")
	if !startsWith(rest, "secret", true) || len(rest) > 6 && isWord(rest[6]) {
		return
	}
	after := sc.s[i:min(len(sc.s), i+near)]
	if end := strings.Index(after, "\n---"); end >= 0 {
		after = after[:end]
	}
	from := max(sc.after, i-near)
	if n := dataLine(after); n >= 0 {
		sc.data(i + n)
	} else if n := dataLine(sc.s[from:i]); n >= 0 {
		sc.data(from + n)
	}
}

// dataLine returns where the line data: of a text ends, or -1.
func dataLine(s string) int {
	for _, name := range [...]string{"data:", "stringData:"} {
		for at := 0; ; {
			n := strings.Index(s[at:], name)
			if n < 0 {
				break
			}
			at += n + len(name)
			line := strings.TrimLeft(s[strings.LastIndexByte(s[:at-len(name)], '\n')+1:at], " \t")
			if line == name && (at == len(s) || oneOf(s[at], " \r\n")) {
				return at
			}
		}
	}
	return -1
}

// data adds the values of the lines from i on that are indented: name: VALUE, or the value
// in the next line after | or >.
func (sc *scanner) data(i int) {
	for range 64 {
		next := strings.IndexByte(sc.s[i:], '\n')
		if next < 0 {
			return
		}
		i += next + 1
		if i >= len(sc.s) || !isBlank(sc.s[i]) {
			return
		}
		end := sc.skipBlanks(i)
		if end < len(sc.s) && sc.s[end] != '#' && (sc.is(classDash, end) || sc.s[end] == '.') {
			for end < len(sc.s) && (sc.is(classDash, end) || sc.s[end] == '.') {
				end++
			}
			if end >= len(sc.s) || sc.s[end] != ':' {
				continue
			}
			at := sc.blockScalar(sc.skipBlanks(end + 1))
			if end = at + sc.quoteAt(at); end < len(sc.s) && sc.is(classBase64s, end) {
				start := end
				if end = sc.run(classBase64s, start); end-start >= 10 && !placeholder(sc.s[start:end]) {
					sc.token("secret", span{start, end})
				}
			}
			i = max(i, min(end, len(sc.s)))
		}
	}
}
