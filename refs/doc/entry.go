package doc

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	logHeading    = "### Step "
	commitHeading = "## Commit "
	tagPrefix     = "== Branch "
	tagSuffix     = " =="
)

// Steps is the range of step numbers that a commit covers. Count is less than Last-First+1
// if the range contains steps of other branches; 0 means no steps.
type Steps struct{ First, Last, Count int }

// head is the part that both kinds of entries share: the heading and the attribute lines
// below it. A step has no kind and no steps.
type head struct {
	ID             string
	Number         int
	Time           time.Time
	Agent          string
	Session, Model string
	Tokens         int64
	Source, Kind   string
	Steps          Steps
	Origin         string
	Attachments    []Attachment // of a step
	Extra          string
}

// parseEntries reads a whole document: entries, each below the origin tag that precedes it.
// It calls entry with the scanner before a heading, to read one whole entry.
func parseEntries(data []byte, heading string, entry func(sc *scanner, origin string) error) error {
	sc, err := newScanner(data)
	if err != nil {
		return err
	}
	origin, spaced := "", true
	for sc.more() {
		line := sc.peek()
		switch {
		case strings.HasPrefix(line, tagPrefix):
			if origin, err = sc.tag(); err != nil {
				return err
			}
			spaced = false
		case spaced && origin != "" && strings.HasPrefix(line, heading):
			if err = entry(sc, origin); err != nil {
				return err
			}
			spaced = false
		case !spaced && line == "":
			sc.take("")
			if spaced = true; !sc.more() {
				return sc.fail("an empty line at the end of the file")
			}
		case spaced && origin == "" && strings.HasPrefix(line, heading):
			return sc.failNext("an entry without a line '%sNAME%s' before it", tagPrefix, tagSuffix)
		default:
			return sc.failNext("'%s' where an entry must begin", clip(line))
		}
	}
	return nil
}

// tag reads a line "== Branch NAME ==".
func (sc *scanner) tag() (string, error) {
	line := sc.next()
	name, ok := strings.CutSuffix(line[len(tagPrefix):], tagSuffix)
	if !ok || !validOrigin(name) {
		return "", sc.fail("'%s' names no branch", clip(line))
	}
	return name, nil
}

// head reads the heading and the attributes of one entry.
func (sc *scanner) head(heading, origin string) (head, error) {
	h, ok := parseHeading(sc.next(), heading)
	if !ok {
		return h, sc.fail("a heading must read '%sNUMBER%sTIME%sAGENT%sID'", heading, sep, sep, sep)
	}
	h.Origin = origin
	seen, extra := uint(0), -1 // extra: offset at which a run of unknown attributes begins
	for sc.more() && sc.s[sc.pos] == '-' {
		at := sc.pos
		known, err := h.attribute(sc, heading == commitHeading, &seen)
		switch {
		case err != nil:
			return h, err
		case !known && extra < 0:
			extra = at
		case known && extra >= 0:
			h.Extra += sc.s[extra:at]
			extra = -1
		}
	}
	if extra >= 0 {
		h.Extra += sc.s[extra:sc.pos]
	}
	return h, nil
}

func parseHeading(line, heading string) (h head, ok bool) {
	number, rest, ok1 := strings.Cut(line[len(heading):], sep)
	when, rest, ok2 := strings.Cut(rest, sep)
	agent, id, ok3 := strings.Cut(rest, sep)
	n, ok4 := parseCount(number)
	t, ok5 := parseTime(when)
	if !(ok1 && ok2 && ok3 && ok4 && ok5) || !ValidID(id) || !validAgent(agent) {
		return h, false
	}
	return head{ID: id, Number: int(n), Time: t, Agent: agent}, true
}

// attribute reads one line "- key: value" and reports whether this version knows the key.
func (h *head) attribute(sc *scanner, isCommit bool, seen *uint) (bool, error) {
	line := sc.next()
	key, value, ok := splitAttribute(line)
	if !ok {
		return false, sc.fail("'%s' is no attribute", clip(line))
	}
	if key == attachmentKey && !isCommit { // the only one that may occur several times
		a, ok := parseAttachment(value)
		if h.Attachments = append(h.Attachments, a); !ok || checkAttachments(h.Attachments) != nil {
			return true, sc.fail("'%s' is no value of '%s'", clip(value), key)
		}
		return true, nil
	}
	bit := knownAttribute(key, isCommit)
	if bit == 0 {
		return false, nil
	}
	if *seen&bit != 0 {
		return true, sc.fail("the attribute '%s' occurs twice", key)
	}
	*seen |= bit
	if !h.setAttribute(key, value) {
		return true, sc.fail("'%s' is no value of '%s'", clip(value), key)
	}
	return true, nil
}

func splitAttribute(line string) (key, value string, ok bool) {
	rest, ok := strings.CutPrefix(line, "- ")
	if !ok {
		return "", "", false
	}
	key, value, ok = strings.Cut(rest, ": ")
	return key, value, ok && validKey(key) && value != ""
}

// ExtraValues returns the values of attributes that this version does not know, as in Step.Extra, each on a line.
func ExtraValues(extra string) string {
	var values []string
	for line := range strings.Lines(extra) {
		if _, value, ok := splitAttribute(strings.TrimSuffix(line, "\n")); ok {
			values = append(values, value)
		}
	}
	return strings.Join(values, "\n")
}

// knownAttribute returns a distinct bit for each key that this version knows, 0 for others.
func knownAttribute(key string, isCommit bool) uint {
	switch key {
	case "session":
		return 1
	case "model":
		return 2
	case "tokens":
		return 4
	case "source":
		return 8
	case "kind":
		if isCommit {
			return 16
		}
	case "steps":
		if isCommit {
			return 32
		}
	}
	return 0
}

func (h *head) setAttribute(key, value string) (ok bool) {
	switch key {
	case "session":
		h.Session, ok = unescapeLine(value, false)
	case "model":
		h.Model, ok = unescapeLine(value, false)
	case "source":
		h.Source, ok = unescapeLine(value, false)
	case "kind":
		h.Kind, ok = unescapeLine(value, false)
	case "tokens":
		h.Tokens, ok = parseCount(value)
		ok = ok && h.Tokens > 0
	case "steps":
		h.Steps, ok = parseSteps(value)
	}
	return ok
}

// parseSteps reads "12-21 (10)".
func parseSteps(s string) (Steps, bool) {
	span, count, ok := strings.Cut(strings.TrimSuffix(s, ")"), " (")
	first, last, ok2 := strings.Cut(span, "-")
	a, ok3 := parseCount(first)
	b, ok4 := parseCount(last)
	n, ok5 := parseCount(count)
	steps := Steps{int(a), int(b), int(n)}
	return steps, ok && ok2 && ok3 && ok4 && ok5 && s[len(s)-1] == ')' && checkSteps(steps) == nil && n > 0
}

// append writes what scanner.head reads. Unknown attributes come last.
func (h *head) append(b []byte, heading string) []byte {
	b = append(b, heading...)
	b = strconv.AppendInt(b, int64(h.Number), 10)
	b = append(b, sep...)
	b = appendTime(b, h.Time)
	b = append(b, sep...)
	b = append(b, h.Agent...)
	b = append(b, sep...)
	b = append(b, h.ID...)
	b = append(b, '\n')
	b = appendAttribute(b, "session", h.Session)
	b = appendAttribute(b, "model", h.Model)
	if h.Tokens != 0 {
		b = fmt.Appendf(b, "- tokens: %d\n", h.Tokens)
	}
	b = appendAttribute(b, "source", h.Source)
	b = appendAttachments(b, h.Attachments)
	b = appendAttribute(b, "kind", h.Kind)
	if h.Steps.Count != 0 {
		b = fmt.Appendf(b, "- steps: %d-%d (%d)\n", h.Steps.First, h.Steps.Last, h.Steps.Count)
	}
	return append(b, h.Extra...)
}

func appendAttribute(b []byte, key, value string) []byte {
	if value == "" {
		return b
	}
	b = append(b, "- "...)
	b = append(b, key...)
	b = append(b, ": "...)
	return append(appendLine(b, value), '\n')
}

// tagWriter writes the origin tags and the empty lines between entries.
type tagWriter struct{ origin string }

// append begins a new entry of the origin at the end of b.
func (t *tagWriter) append(b []byte, origin string) []byte {
	if len(b) > 0 {
		b = append(b, '\n')
	}
	if origin == t.origin {
		return b
	}
	t.origin = origin
	b = append(b, tagPrefix...)
	b = append(b, origin...)
	b = append(b, tagSuffix...)
	return append(b, '\n', '\n')
}

const (
	maxAgent  = 100      // bytes
	maxOrigin = 200      // bytes
	maxCount  = 1e18 - 1 // what parseCount reads
)

// check reports why an entry with this head cannot be written; nil if it can.
func (h *head) check(isCommit bool) error {
	switch {
	case !ValidID(h.ID):
		return fmt.Errorf("'%s' is not an id", clip(h.ID))
	case h.Number < 0:
		return fmt.Errorf("the number %d is negative", h.Number)
	case int64(h.Number) > maxCount || h.Tokens > maxCount:
		return errors.New("a number has more than 18 digits")
	case h.Tokens < 0:
		return fmt.Errorf("the token count %d is negative", h.Tokens)
	case !validOrigin(h.Origin):
		return fmt.Errorf("'%s' is no name of a branch", clip(h.Origin))
	}
	if y := h.Time.UTC().Year(); y < 0 || y > 9999 {
		return fmt.Errorf("the year %d is outside of 0 to 9999", y)
	}
	if err := CheckAgent(h.Agent); err != nil {
		return err
	}
	if err := checkSteps(h.Steps); err != nil {
		return err
	}
	return errors.Join(checkField("session", h.Session), checkField("model", h.Model),
		checkField("source", h.Source), checkField("kind", h.Kind), checkAttachments(h.Attachments),
		checkExtra(h.Extra, isCommit))
}

func checkSteps(s Steps) error {
	if s.First < 0 || s.Last < s.First || s.Count < 0 || s.Last > maxCount || s.Count > maxCount {
		return fmt.Errorf("%d-%d (%d) is no range of steps", s.First, s.Last, s.Count)
	}
	return nil
}

func checkField(name, text string) error {
	if err := checkText(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// checkExtra reports whether a caller's extra text consists of attribute lines with unknown
// keys only.
func checkExtra(extra string, isCommit bool) error {
	if extra == "" {
		return nil
	}
	if err := checkField("extra attributes", extra); err != nil {
		return err
	}
	lines, ok := strings.CutSuffix(extra, "\n")
	if !ok {
		return errors.New("extra attributes do not end in a newline")
	}
	for line := range strings.SplitSeq(lines, "\n") {
		key, _, ok := splitAttribute(line)
		if !ok || knownAttribute(key, isCommit) != 0 || key == attachmentKey && !isCommit {
			return fmt.Errorf("'%s' is no extra attribute", clip(line))
		}
	}
	return nil
}

// CheckAgent reports why name cannot be an agent's name in a heading. An agent's name is 1
// to 100 of the characters A-Z a-z 0-9 . _ @ + / - and the space.
func CheckAgent(name string) error {
	if !validAgent(name) {
		return fmt.Errorf("agent name '%s' is not 1 to %d of A-Z a-z 0-9 . _ @ + / - and space", clip(name), maxAgent)
	}
	return nil
}

// AgentName derives a valid agent's name from any name, such as a committer's: each run of
// invalid characters becomes one '-'. It returns "" if no letter or digit remains.
func AgentName(name string) string {
	var b []byte
	letters := false
	for i := 0; i < len(name) && len(b) < maxAgent; i++ {
		c := name[i]
		switch {
		case agentByte(c):
			b = append(b, c)
			letters = letters || alnum(c)
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	if !letters {
		return ""
	}
	return strings.Trim(string(b), " -")
}

func validAgent(s string) bool {
	for i := 0; i < len(s); i++ {
		if !agentByte(s[i]) {
			return false
		}
	}
	return s != "" && len(s) <= maxAgent
}

func agentByte(c byte) bool { return alnum(c) || strings.IndexByte("._@+/ -", c) >= 0 }

func alnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// validOrigin checks only what keeps a tag on one readable line. The caller that creates a
// branch enforces the full rules for its name.
func validOrigin(s string) bool {
	for i := 0; i < len(s); i++ {
		if !alnum(s[i]) && strings.IndexByte("._/-", s[i]) < 0 {
			return false
		}
	}
	return s != "" && len(s) <= maxOrigin && alnum(s[0])
}

func validKey(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !(alnum(c) || c == '-' || c == '_') || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return s != ""
}
