package git

import (
	"errors"
	"strings"
)

// format is the layout of a repository, from its own configuration.
type format struct {
	hash     string // "sha1" or "sha256"
	compat   bool   // objects have a second name: only git can write them
	refFiles bool   // refs are files; else a reftable, which only git reads
	shared   string // core.sharedRepository, empty if unset
	bare     bool
	workTree string // core.worktree

	worktreeConfig bool // <git dir>/config.worktree counts too
}

// errUnusual: something only git can judge.
var errUnusual = errors.New("unusual repository")

// parseFormat reads the configuration file of a repository as git does before it trusts
// one. Like git it follows no include here. It returns errUnusual for everything that it
// does not know to be harmless.
func parseFormat(data []byte) (format, error) {
	f := format{hash: "sha1", refFiles: true}
	version, needsOne, unknown := "0", false, false
	err := scanConfig(string(data), func(key, value string, bare bool) {
		switch key {
		case "core.repositoryformatversion":
			version = value
		case "core.bare":
			f.bare = bare || truthy(value)
		case "core.worktree":
			f.workTree = value
		case "core.sharedrepository":
			f.shared = value
			if bare {
				f.shared = "true"
			}
		case "extensions.worktreeconfig":
			f.worktreeConfig = bare || truthy(value)
		case "extensions.objectformat":
			needsOne, f.hash = true, value
		case "extensions.refstorage":
			needsOne, f.refFiles = true, value == "files"
			unknown = unknown || value != "files" && value != "reftable"
		case "extensions.compatobjectformat":
			needsOne, f.compat = true, true
		case "extensions.noop", "extensions.partialclone", "extensions.preciousobjects", "extensions.relativeworktrees":
		default:
			unknown = unknown || strings.HasPrefix(key, "extensions.")
		}
	})
	switch {
	case err != nil:
		return f, err
	case unknown, version != "0" && version != "1", version == "0" && needsOne:
		return f, errUnusual
	case f.hash != "sha1" && f.hash != "sha256":
		return f, errUnusual
	}
	return f, nil
}

// truthy reads the values of a boolean that git itself writes and those people
// write; the rare others (numbers with a suffix) do not occur in these keys.
func truthy(value string) bool {
	b, err := parseBool(value)
	return err == nil && b
}

// scanConfig calls fn for each variable of a git configuration file (git-config(1),
// "Syntax"): key with section and name in lower case and the subsection unchanged, bare
// for a key without "=". It returns errUnusual where git would complain.
func scanConfig(text string, fn func(key, value string, bare bool)) error {
	s := configScanner{text: strings.TrimPrefix(text, "\ufeff")}
	section := ""
	for {
		s.skipBlank()
		if s.done() {
			return nil
		}
		if s.peek() == '[' {
			name, ok := s.header()
			if !ok {
				return errUnusual
			}
			section = name
			continue
		}
		name, ok := s.name()
		if !ok || section == "" {
			return errUnusual
		}
		value, bare, ok := s.value()
		if !ok {
			return errUnusual
		}
		fn(section+"."+name, value, bare)
	}
}

// configScanner is at a byte of a configuration file.
type configScanner struct {
	text string
	at   int
}

func (s *configScanner) done() bool { return s.at >= len(s.text) }

// peek returns the byte that the scanner is at; a newline at the end of the file.
func (s *configScanner) peek() byte {
	if s.done() {
		return '\n'
	}
	return s.text[s.at]
}

// skipBlank skips white space, newlines and comments.
func (s *configScanner) skipBlank() {
	for !s.done() {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n', '\v', '\f':
			s.at++
		case '#', ';':
			s.skipLine()
		default:
			return
		}
	}
}

func (s *configScanner) skipLine() {
	for !s.done() && s.text[s.at] != '\n' {
		s.at++
	}
}

// header reads [section] or [section "subsection"].
func (s *configScanner) header() (string, bool) {
	s.at++
	from := s.at
	for isAlnum(s.peek()) || s.peek() == '-' || s.peek() == '.' {
		s.at++
	}
	name := strings.ToLower(s.text[from:s.at])
	if s.peek() == ' ' || s.peek() == '\t' {
		sub, ok := s.subsection()
		if !ok {
			return "", false
		}
		name += "." + sub
	}
	if name == "" || s.peek() != ']' {
		return "", false
	}
	s.at++
	return name, true
}

func (s *configScanner) subsection() (string, bool) {
	for s.peek() == ' ' || s.peek() == '\t' {
		s.at++
	}
	if s.peek() != '"' {
		return "", false
	}
	var sub strings.Builder
	for s.at++; s.peek() != '"'; s.at++ {
		if s.peek() == '\\' {
			s.at++
		}
		if s.peek() == '\n' {
			return "", false
		}
		sub.WriteByte(s.peek())
	}
	s.at++
	return sub.String(), true
}

// name reads the name of a variable.
func (s *configScanner) name() (string, bool) {
	from := s.at
	for isAlnum(s.peek()) || s.peek() == '-' {
		s.at++
	}
	name := s.text[from:s.at]
	if name == "" || name[0] == '-' || name[0] >= '0' && name[0] <= '9' {
		return "", false
	}
	return strings.ToLower(name), true
}

// value reads what follows a variable's name, up to the end of the line.
func (s *configScanner) value() (value string, bare, ok bool) {
	for s.peek() == ' ' || s.peek() == '\t' || s.peek() == '\r' {
		s.at++
	}
	switch s.peek() {
	case '\n':
		return "", true, true
	case '=':
		s.at++
		value, ok = s.rest()
		return value, false, ok
	}
	return "", false, false
}

// rest reads a value behind its "=": quotes, escapes, continued lines and
// comments, with unquoted white space trimmed at both ends.
func (s *configScanner) rest() (string, bool) {
	var out []byte
	quoted, keep := false, 0 // out[:keep] survives trimming
	for {
		c := s.peek()
		switch {
		case c == '\n':
			return string(out[:keep]), !quoted
		case c == '\\':
			b, ok := s.escape()
			if !ok {
				return "", false
			}
			out = append(out, b...)
			if len(b) > 0 {
				keep = len(out)
			}
			continue
		case c == '"':
			quoted = !quoted
			keep = len(out)
		case !quoted && (c == '#' || c == ';'):
			s.skipLine()
			continue
		case !quoted && (c == ' ' || c == '\t' || c == '\r'):
			if len(out) > 0 {
				out = append(out, c)
			}
		default:
			out = append(out, c)
			keep = len(out)
		}
		s.at++
	}
}

// escape reads a backslash and what follows; nothing for a continued line.
func (s *configScanner) escape() (string, bool) {
	s.at++
	c := s.peek()
	end := s.done()
	s.at++
	switch c {
	case '\n':
		return "", !end
	case '\r':
		if s.peek() == '\n' {
			s.at++
			return "", true
		}
	case 't':
		return "\t", true
	case 'b':
		return "\b", true
	case 'n':
		return "\n", true
	case '\\', '"':
		return string(c), true
	}
	return "", false
}
