package doc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/oklog/ulid/v2"
)

// movedBits is how far MovedID shifts an id: its time and the first 44 of its 80 random bits remain.
const movedBits = 36

// MovedID returns an id to replace one that is ahead of the clock. Its time is that of the id after plus a
// millisecond, and at most 4.1 seconds more: it adds the first 92 bits of the old id to that. So it depends on
// nothing else, is larger than after, and keeps the order of the old ids, except that two that differ by less than
// 2^36 become one.
func MovedID(old, after string) (string, error) {
	if !ValidID(old) || !ValidID(after) {
		return "", fmt.Errorf("'%s' or '%s' is not an id", old, after)
	}
	if idMillis(after) == ulid.MaxTime() {
		return "", errors.New("no later time exists")
	}
	high, low := halves(ulid.MustParseStrict(old))
	return fromHalves((idMillis(after)+1)<<16, 0, high>>movedBits, high<<(64-movedBits)|low>>movedBits)
}

// IDAfter returns the next larger id.
func IDAfter(id string) (string, error) {
	if !ValidID(id) {
		return "", fmt.Errorf("'%s' is not an id", id)
	}
	high, low := halves(ulid.MustParseStrict(id))
	return fromHalves(high, low, 0, 1)
}

// FirstID returns the smallest id of a time.
func FirstID(at time.Time) (string, error) {
	ms := at.UnixMilli()
	if ms < 0 || uint64(ms) > ulid.MaxTime() {
		return "", fmt.Errorf("no id can be made for the time %d ms", ms)
	}
	return fromHalves(uint64(ms)<<16, 0, 0, 0)
}

func halves(id ulid.ULID) (high, low uint64) {
	return binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
}

// fromHalves returns the sum of two numbers as an id.
func fromHalves(high, low, addHigh, addLow uint64) (string, error) {
	var id ulid.ULID
	low, carry := bits.Add64(low, addLow, 0)
	high, over := bits.Add64(high, addHigh, carry)
	if over != 0 {
		return "", errors.New("no id follows the largest one")
	}
	binary.BigEndian.PutUint64(id[:8], high)
	binary.BigEndian.PutUint64(id[8:], low)
	return id.String(), nil
}
