package settings

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// sealed is a text that is a whole file of ours. Its first line that begins with mark has the version behind
// that and ends with the checksum of all other lines, by which a file that a person edited is told from
// one of another version.
type sealed struct {
	mark    string
	version int
	text    string
}

func checksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// content is what the file of a sealed text contains.
type content int

const (
	foreign content = iota // another's text
	current                // this version's
	old                    // an older version's, unchanged
	newer                  // a newer version's, unchanged
	edited                 // ours, changed by a person
)

// judge says what a file is. git may have changed its line ends.
func (s sealed) judge(data []byte) content {
	text := string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
	at := 0
	if !strings.HasPrefix(text, s.mark) {
		at = strings.Index(text, "\n"+s.mark) + 1
	}
	line, rest, _ := strings.Cut(text[at:], "\n")
	switch {
	case text == s.text:
		return current
	case !strings.HasPrefix(line, s.mark):
		return foreign
	case !strings.HasSuffix(line, " "+checksum(text[:at]+rest)):
		return edited
	case s.versionOf(line) > s.version:
		return newer
	}
	return old
}

// versionOf returns the version in the line that begins with mark; 0 if it is not readable.
func (s sealed) versionOf(line string) int {
	number, _, _ := strings.Cut(line[len(s.mark):], " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	return n
}

// add returns the text for a file that does not exist or is ours. One that is edited or newer stays as it is.
func (s sealed) add(f file) ([]byte, error) {
	if !f.exists {
		return []byte(s.text), nil
	}
	switch s.judge(f.data) {
	case foreign:
		return nil, refuse(nil, "move it away, or rename it", "'%s' is not git-context's", f.path)
	case old:
		return []byte(s.text), nil
	}
	return f.data, nil
}

// remove returns nil, which removes the file, if it was not edited.
func (s sealed) remove(f file) []byte {
	if !f.exists {
		return nil
	}
	if is := s.judge(f.data); is == current || is == old || is == newer {
		return nil
	}
	return f.data
}

// editedByHand is what is said of a file that is left alone.
const editedByHand = "it was edited"

// editedStays is what is said of it by an uninstall.
const editedStays = editedByHand + "; delete it by hand"

// otherVersion is what is said of a file that an install would replace.
const otherVersion = "it is of another version; install again"
