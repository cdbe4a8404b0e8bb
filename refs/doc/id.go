package doc

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/oklog/ulid/v2"
)

// idLen is the length of a ULID in its text form.
const idLen = ulid.EncodedSize

// NextID returns a new ULID that is greater than the id after. Its time is now in
// milliseconds since 1970; the rest comes from crypto/rand. after may be "" for no lower
// bound.
//
// If the clock is not later than after, the result is after plus a random increment. So a
// slow or stopped clock never reorders existing entries, and two branches that both follow
// one id get different ids. It fails if after is not an id, if now is before 1970 or too
// late for a ULID, or if no larger id exists.
func NextID(now time.Time, after string) (string, error) {
	if after != "" && !ValidID(after) {
		return "", fmt.Errorf("'%s' is not an id", after)
	}
	ms := now.UnixMilli()
	if ms < 0 || uint64(ms) > ulid.MaxTime() {
		return "", fmt.Errorf("no id can be made for the time %d ms", ms)
	}
	if after != "" && uint64(ms) <= idMillis(after) {
		return successor(after)
	}
	var id ulid.ULID
	if err := id.SetTime(uint64(ms)); err != nil {
		return "", fmt.Errorf("new id: %w", err)
	}
	if _, err := rand.Read(id[6:]); err != nil {
		return "", fmt.Errorf("new id: %w", err)
	}
	return id.String(), nil
}

// successor adds a random number from 1 to 2^64 to the 128 bits of an id. The addition may
// carry into the time, about once in 2^17 ids, where incrementing only the random part
// would fail.
func successor(after string) (string, error) {
	id, err := ulid.ParseStrict(after)
	if err != nil {
		return "", fmt.Errorf("'%s' is not an id: %w", after, err)
	}
	var step [8]byte
	if _, err := rand.Read(step[:]); err != nil {
		return "", fmt.Errorf("new id: %w", err)
	}
	high, low := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
	low, carry := bits.Add64(low, binary.BigEndian.Uint64(step[:]), 1)
	high, over := bits.Add64(high, 0, carry)
	if over != 0 {
		return "", errors.New("no id follows the largest one")
	}
	binary.BigEndian.PutUint64(id[:8], high)
	binary.BigEndian.PutUint64(id[8:], low)
	return id.String(), nil
}

// ValidID reports whether s is a ULID in this package's spelling: 26 upper-case Crockford
// digits, the first at most 7.
func ValidID(s string) bool {
	if len(s) != idLen || s[0] > '7' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if crockford(s[i]) < 0 {
			return false
		}
	}
	return true
}

// IDTime returns the time in an id, in UTC to the millisecond; the zero time if id is
// invalid.
func IDTime(id string) time.Time {
	if !ValidID(id) {
		return time.Time{}
	}
	return time.UnixMilli(int64(idMillis(id))).UTC()
}

// idMillis decodes the time of a valid id, its first ten digits.
func idMillis(id string) uint64 {
	var ms uint64
	for i := range 10 {
		ms = ms<<5 | uint64(crockford(id[i]))
	}
	return ms
}

// crockford returns the value of one digit, or -1. The alphabet omits I, L, O and U. Lower
// case is invalid, so that an id has one spelling.
func crockford(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'A' <= c && c <= 'H':
		return int(c-'A') + 10
	case c == 'J' || c == 'K':
		return int(c-'J') + 18
	case c == 'M' || c == 'N':
		return int(c-'M') + 20
	case 'P' <= c && c <= 'T':
		return int(c-'P') + 22
	case 'V' <= c && c <= 'Z':
		return int(c-'V') + 27
	}
	return -1
}
