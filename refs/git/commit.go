package git

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Signature says who made an object, and when, to the second.
type Signature struct {
	Name, Email string
	When        time.Time
}

// Commit is a commit object. Extra keeps the headers that are not read here
// (encoding, mergetag, gpgsig), each with its newline, exactly as they stand.
type Commit struct {
	ID, Tree          ID
	Parents           []ID
	Author, Committer Signature
	Message           string
	Extra             []byte
}

// ParseCommit reads the content of a commit object. An object that git would
// not write is an error that names id.
func ParseCommit(id ID, data []byte) (*Commit, error) {
	c := &Commit{ID: id}
	if err := c.parse(data); err != nil {
		return nil, fmt.Errorf("commit '%s' is malformed: %w", id, err)
	}
	return c, nil
}

func (c *Commit) parse(data []byte) error {
	head, message, found := bytes.Cut(data, []byte("\n\n"))
	if !found {
		head = bytes.TrimSuffix(data, []byte("\n"))
	}
	c.Message = string(message)
	rest := string(head) + "\n"
	var ok bool
	var line string
	if line, rest, ok = header(rest, "tree "); !ok || !validHex(line) {
		return fmt.Errorf("no tree")
	}
	c.Tree = ID(line)
	for {
		if line, rest, ok = header(rest, "parent "); !ok {
			break
		}
		if len(line) != len(c.Tree) || !validHex(line) {
			return fmt.Errorf("bad parent")
		}
		c.Parents = append(c.Parents, ID(line))
	}
	var err error
	if line, rest, ok = header(rest, "author "); !ok {
		return fmt.Errorf("no author")
	}
	if c.Author, err = parseSignature(line); err != nil {
		return err
	}
	if line, rest, ok = header(rest, "committer "); !ok {
		return fmt.Errorf("no committer")
	}
	if c.Committer, err = parseSignature(line); err != nil {
		return err
	}
	if rest != "" {
		c.Extra = []byte(rest)
	}
	return nil
}

// header takes the next header line if it begins with key.
func header(text, key string) (value, rest string, ok bool) {
	after, ok := strings.CutPrefix(text, key)
	if !ok {
		return "", text, false
	}
	value, rest, _ = strings.Cut(after, "\n")
	return value, rest, true
}

func validHex(s string) bool { return isHex(s, 40) || isHex(s, 64) }

// parseSignature reads "Name <email> seconds zone".
func parseSignature(line string) (Signature, error) {
	open, end := strings.IndexByte(line, '<'), strings.LastIndexByte(line, '>')
	if open < 0 || end < open {
		return Signature{}, fmt.Errorf("bad identity '%s'", shown(line))
	}
	s := Signature{Name: strings.TrimSuffix(line[:open], " "), Email: line[open+1 : end]}
	seconds, zone, _ := strings.Cut(strings.TrimPrefix(line[end+1:], " "), " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return Signature{}, fmt.Errorf("bad date '%s'", shown(line[end+1:]))
	}
	s.When = time.Unix(n, 0).In(parseZone(zone))
	return s, nil
}

func (s Signature) append(out []byte, key string) []byte {
	out = append(out, key...)
	out = append(out, cleanName(s.Name)...)
	out = append(out, " <"...)
	out = append(out, cleanName(s.Email)...)
	out = append(out, "> "...)
	out = strconv.AppendInt(out, s.When.Unix(), 10)
	return append(append(out, s.When.Format(" -0700")...), '\n')
}

// encode writes the content of the commit object.
func (c *Commit) encode() []byte {
	out := make([]byte, 0, 256+len(c.Extra)+len(c.Message))
	out = append(append(append(out, "tree "...), c.Tree...), '\n')
	for _, p := range c.Parents {
		out = append(append(append(out, "parent "...), p...), '\n')
	}
	out = c.Author.append(out, "author ")
	out = c.Committer.append(out, "committer ")
	out = append(out, c.Extra...)
	out = append(out, '\n')
	return append(out, c.Message...)
}

// Subject returns the message's first paragraph, its lines joined by spaces.
func (c *Commit) Subject() string {
	subject, _ := c.split()
	return subject
}

// Body returns the message without subject and trailers, without empty lines
// around it.
func (c *Commit) Body() string {
	_, rest := c.split()
	body, _ := splitTrailers(rest)
	return strings.Trim(body, "\n")
}

// split cuts the message behind its first paragraph.
func (c *Commit) split() (subject, rest string) {
	text := strings.TrimLeft(c.Message, "\n")
	first, rest, _ := strings.Cut(text, "\n\n")
	return strings.ReplaceAll(strings.TrimRight(first, "\n"), "\n", " "), rest
}

// Trailer returns the last value of a trailer, "" if there is none.
func (c *Commit) Trailer(key string) string {
	values := c.Trailers(key)
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// Trailers returns every value of a trailer; keys are compared without case.
// Trailers are the last paragraph behind the subject, if each of its lines is
// one: memory commits have no others.
func (c *Commit) Trailers(key string) []string {
	_, rest := c.split()
	_, block := splitTrailers(rest)
	var values []string
	for line := range strings.Lines(block) {
		k, v, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		if strings.EqualFold(k, key) {
			values = append(values, strings.TrimSpace(v))
		}
	}
	return values
}

// splitTrailers cuts a text before its trailers.
func splitTrailers(text string) (body, trailers string) {
	text = strings.TrimRight(text, "\n")
	at := strings.LastIndex(text, "\n\n")
	last := text[at+1:]
	if at >= 0 {
		last = text[at+2:]
	}
	for line := range strings.Lines(last) {
		if !isTrailer(strings.TrimSuffix(line, "\n")) {
			return text, ""
		}
	}
	if at < 0 {
		return "", last
	}
	return text[:at], last
}

// isTrailer reports whether a line is "Token: value".
func isTrailer(line string) bool {
	key, _, ok := strings.Cut(line, ":")
	if !ok || key == "" {
		return false
	}
	for i := range len(key) {
		if !isAlnum(key[i]) && key[i] != '-' {
			return false
		}
	}
	return true
}
