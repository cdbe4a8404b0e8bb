package git

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Signature is who made an object, and when, to the second.
type Signature struct {
	Name, Email string
	When        time.Time
}

// Commit is a commit object. Extra keeps the headers that are not read here (encoding,
// mergetag, gpgsig), each with its newline, unchanged.
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
	if line, rest, ok = header(rest, "tree "); !ok || !IsID(line) {
		return fmt.Errorf("no tree")
	}
	c.Tree = ID(line)
	for {
		if line, rest, ok = header(rest, "parent "); !ok {
			break
		}
		if len(line) != len(c.Tree) || !IsID(line) {
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

// parseSignature reads "Name <email> seconds zone".
func parseSignature(line string) (Signature, error) {
	open, end := strings.IndexByte(line, '<'), strings.LastIndexByte(line, '>')
	if open < 0 || end < open {
		return Signature{}, fmt.Errorf("bad identity '%s'", Shown(line))
	}
	s := Signature{Name: strings.TrimSuffix(line[:open], " "), Email: line[open+1 : end]}
	seconds, zone, _ := strings.Cut(strings.TrimPrefix(line[end+1:], " "), " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return Signature{}, fmt.Errorf("bad date '%s'", Shown(line[end+1:]))
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

// Encode returns the content of the commit object.
func (c *Commit) Encode() []byte {
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

// Parts cuts the message before its body and before its trailers, so that the three
// joined are the message. Where a part is missing it is "".
func (c *Commit) Parts() (subject, body, trailers string) {
	lead := len(c.Message) - len(strings.TrimLeft(c.Message, "\n"))
	at := strings.Index(c.Message[lead:], "\n\n")
	if at < 0 {
		return c.Message, "", ""
	}
	at += lead + 2
	subject, rest := c.Message[:at], c.Message[at:]
	text, block := splitTrailers(rest)
	if block == "" {
		return subject, rest, ""
	}
	if text == "" && !strings.HasPrefix(rest, "\n\n") {
		return subject, "", rest
	}
	return subject, rest[:len(text)+2], rest[len(text)+2:]
}

// Unsigned returns Extra without the signatures, which are valid for one content alone.
func (c *Commit) Unsigned() []byte {
	var kept []byte
	drop := false
	for line := range bytes.Lines(c.Extra) {
		if line[0] != ' ' { // else it goes on the header above
			drop = bytes.HasPrefix(line, []byte("gpgsig"))
		}
		if !drop {
			kept = append(kept, line...)
		}
	}
	return kept
}

// env gives a signature to a child. Git has the '@' for a date that counts seconds
// from the start.
func (s Signature) env(who string) []string {
	return []string{
		"GIT_" + who + "_NAME=" + s.Name, "GIT_" + who + "_EMAIL=" + s.Email,
		fmt.Sprintf("GIT_%s_DATE=@%d %s", who, s.When.Unix(), s.When.Format("-0700")),
	}
}

// assigned replaces the code points that are never characters.
func assigned(c rune) rune {
	if c&0xfffe == 0xfffe || c >= 0xfdd0 && c <= 0xfdef {
		return '\uFFFD'
	}
	return c
}

// signed reports whether a commit carries a signature, good or not.
func (c *Commit) signed() bool {
	for line := range strings.Lines(string(c.Extra)) {
		if strings.HasPrefix(line, "gpgsig ") || strings.HasPrefix(line, "gpgsig-sha256 ") {
			return true
		}
	}
	return false
}

// CommitterDate returns GIT_COMMITTER_DATE, and whether it is set. "@<seconds>
// <zone>", "<seconds> <zone>", RFC 3339 and RFC 2822 are read in process; git
// reads its other forms.
func (r *Repo) CommitterDate() (time.Time, bool, error) {
	value := r.Getenv("GIT_COMMITTER_DATE")
	if value == "" {
		return time.Time{}, false, nil
	}
	if t, ok := parseDate(value); ok {
		return t, true, nil
	}
	env := []string{"GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x"}
	out, err := r.RunEnv(context.Background(), env, nil, "var", "GIT_COMMITTER_IDENT")
	if err != nil {
		return time.Time{}, true, fmt.Errorf("bad GIT_COMMITTER_DATE '%s': %w", Shown(value), err)
	}
	s, err := parseSignature(strings.TrimSuffix(string(out), "\n"))
	return s.When, true, err
}

// parseDate reads the forms that scripts use.
func parseDate(value string) (time.Time, bool) {
	seconds, zone, _ := strings.Cut(strings.TrimPrefix(value, "@"), " ")
	// Fewer digits without "@" are a year or a date to git.
	if n, err := strconv.ParseUint(seconds, 10, 62); err == nil && (value[0] == '@' || n >= 1e8) && isZone(zone) {
		return time.Unix(int64(n), 0).In(parseZone(zone)), true
	}
	for _, layout := range []string{time.RFC3339, "Mon, 2 Jan 2006 15:04:05 -0700", "2006-01-02 15:04:05 -0700"} {
		if t, err := time.Parse(layout, value); err == nil && t.Unix() >= 0 {
			return t.Truncate(time.Second), true
		}
	}
	return time.Time{}, false
}

// isZone reports whether s is a time zone as git writes it, such as "+0530".
func isZone(s string) bool {
	if len(s) != 5 || s[0] != '+' && s[0] != '-' {
		return false
	}
	_, err := strconv.ParseUint(s[1:], 10, 16)
	return err == nil
}

// parseZone makes a location of a zone as git writes it.
func parseZone(s string) *time.Location {
	n, err := strconv.Atoi(s)
	if err != nil || n == 0 {
		return time.UTC
	}
	return time.FixedZone("", (n/100)*3600+(n%100)*60)
}

// Identity is who commits.
type Identity struct{ Name, Email string }

// Committer returns the committer's identity by git's rules: GIT_COMMITTER_NAME and
// GIT_COMMITTER_EMAIL, then committer.*, user.*, EMAIL, all without a process; else what
// git makes up, or its error, which contains the settings to make.
func (r *Repo) Committer(ctx context.Context) (Identity, error) {
	id, err := r.ConfiguredCommitter(ctx)
	if err != nil || id.Name != "" && id.Email != "" {
		return id, err
	}
	out, err := r.Run(ctx, "var", "GIT_COMMITTER_IDENT")
	if err != nil {
		return Identity{}, fmt.Errorf("the committer is unknown: %w", err)
	}
	s, err := parseSignature(strings.TrimSuffix(string(out), "\n"))
	if err != nil {
		return Identity{}, err
	}
	return Identity{Name: s.Name, Email: s.Email}, nil
}

// ConfiguredCommitter is Committer without what git makes up, which takes a process: a part that
// nothing sets is empty.
func (r *Repo) ConfiguredCommitter(ctx context.Context) (Identity, error) {
	c, err := r.Config(ctx)
	if err != nil {
		return Identity{}, err
	}
	id := Identity{
		Name:  cleanName(r.identityPart(c, "GIT_COMMITTER_NAME", "name")),
		Email: cleanName(r.identityPart(c, "GIT_COMMITTER_EMAIL", "email")),
	}
	strict, err := c.Bool("user.useconfigonly", false)
	if err == nil && !strict && r.identityPart(c, "GIT_COMMITTER_EMAIL", "email") == "" {
		id.Email = cleanName(r.Getenv("EMAIL"))
	}
	return id, nil
}

func (r *Repo) identityPart(c *Config, variable, key string) string {
	if value := r.Getenv(variable); value != "" {
		return value
	}
	for _, section := range []string{"committer.", "user."} {
		if value, ok := c.String(section + key); ok {
			return value
		}
	}
	return ""
}

// cleanName removes what git removes: '<', '>' and line breaks, which delimit an
// identity in a commit, and punctuation and white space around it.
func cleanName(s string) string {
	s = strings.TrimFunc(s, func(c rune) bool {
		return c <= ' ' || strings.ContainsRune(`.,:;<>"\'`, c)
	})
	return strings.Map(func(c rune) rune {
		if c == '<' || c == '>' || c == '\n' || c == 0 {
			return -1
		}
		return c
	}, s)
}
