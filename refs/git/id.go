package git

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// ID is the full hexadecimal name of an object: 40 digits in a SHA-1
// repository, 64 in a SHA-256 one. The empty ID names nothing.
type ID string

// shortLen is long enough to be unambiguous in all but huge repositories.
const shortLen = 10

// Short returns the first ten digits, for people.
func (id ID) Short() string {
	if len(id) <= shortLen {
		return string(id)
	}
	return string(id[:shortLen])
}

// IsZero reports whether id names nothing: empty, or git's all-zero id.
func (id ID) IsZero() bool {
	return strings.Trim(string(id), "0") == ""
}

// IsID reports whether s can be an object's full name.
func IsID(s string) bool { return validHex(s) }

// isHex reports whether s is n lower-case hexadecimal digits.
func isHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// randomHex returns n random digits, such as those of an object's name.
func randomHex(n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%016x", rand.Uint64())
	}
	return b.String()[:n]
}
