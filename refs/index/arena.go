package index

import "encoding/binary"

// arena holds the postings of all terms while they grow: byte lists, each in chunks that
// get longer. A slice for each term would be moved again and again.
type arena struct{ data []byte }

// chunks is a list in an arena. The zero value is empty.
type chunks struct {
	first uint32 // where the first chunk begins, plus one; 0: there is none
	tail  uint32 // where the next byte goes
	end   uint32 // where the last chunk ends
	size  uint32 // of the last chunk
}

// The sizes of chunks. Each begins with where the next one is, plus one, and its size,
// four bytes each.
const (
	chunkHead  = 8
	firstChunk = 8
	maxChunk   = 1 << 12
)

// append adds bytes to a list.
func (a *arena) append(c *chunks, data []byte) {
	for len(data) > 0 {
		if c.tail == c.end {
			a.grow(c)
		}
		n := copy(a.data[c.tail:c.end], data)
		c.tail += uint32(n)
		data = data[n:]
	}
}

// grow adds a chunk.
func (a *arena) grow(c *chunks) {
	start := uint32(len(a.data))
	if c.first == 0 {
		c.first, c.size = start+1, firstChunk
	} else {
		binary.LittleEndian.PutUint32(a.data[c.end-c.size-chunkHead:], start+1)
		c.size = min(2*c.size, maxChunk)
	}
	need := len(a.data) + chunkHead + int(c.size)
	if need > cap(a.data) {
		grown := make([]byte, len(a.data), max(2*cap(a.data), 1<<16, need))
		copy(grown, a.data)
		a.data = grown
	}
	a.data = a.data[:need]
	clear(a.data[start : start+chunkHead])
	binary.LittleEndian.PutUint32(a.data[start+4:], c.size)
	c.tail, c.end = start+chunkHead, uint32(need)
}

// read appends a list to out.
func (a *arena) read(out []byte, c chunks) []byte {
	for next := c.first; next != 0; {
		at := next - 1
		next = binary.LittleEndian.Uint32(a.data[at:])
		size := binary.LittleEndian.Uint32(a.data[at+4:])
		if at+chunkHead+size == c.end {
			size = c.tail - at - chunkHead
		}
		out = append(out, a.data[at+chunkHead:at+chunkHead+size]...)
	}
	return out
}
