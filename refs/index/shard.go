package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrDamaged means that a file is not a shard of this version, or was changed since it was
// written.
var ErrDamaged = errors.New("damaged index")

// Shard is an index of some units, open for reading. It is immutable and safe for
// concurrent use.
type Shard struct {
	r       io.ReaderAt
	size    int64
	text    int64
	units   []Unit
	docs    []byte
	count   int // number of documents
	bits    int
	buckets []byte
	data    int64 // offset of the data
}

// Unit is a unit of a shard. Its documents have the numbers First to First+Docs-1.
type Unit struct {
	Key         Key
	first, Docs int
}

// Open reads the parts of a shard that every query needs: its units and documents. Terms
// and postings are read and verified by the queries. If the file is invalid, the error
// wraps ErrDamaged.
func Open(r io.ReaderAt, size int64) (*Shard, error) {
	header := make([]byte, headerSize)
	if err := readAt(r, header, 0); err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	units, docs, bits := int64(le.Uint32(header[8:])), int64(le.Uint32(header[12:])), int64(le.Uint32(header[16:]))
	if string(header[:8]) != magic || bits > 30 || le.Uint64(header[32:]) != uint64(size) || size > maxShard {
		return nil, fmt.Errorf("%w: bad header", ErrDamaged)
	}
	s := &Shard{r: r, size: size, text: int64(le.Uint64(header[24:])), count: int(docs), bits: int(bits)}
	s.data = headerSize + units*unitSize + docs*docSize + bucketSize<<bits + checksumLen
	if s.data > size {
		return nil, fmt.Errorf("%w: cut short", ErrDamaged)
	}
	head := make([]byte, s.data)
	if err := readAt(r, head, 0); err != nil {
		return nil, err
	}
	end := len(head) - checksumLen
	if le.Uint32(head[end:]) != checksum(head[:end]) {
		return nil, fmt.Errorf("%w: bad checksum", ErrDamaged)
	}
	rest := head[headerSize+units*unitSize : end]
	s.docs, s.buckets = rest[:docs*docSize], rest[docs*docSize:]
	return s, s.readUnits(head[headerSize:headerSize+units*unitSize], int(units))
}

func (s *Shard) readUnits(data []byte, n int) error {
	s.units = make([]Unit, n)
	next := 0
	for i := range s.units {
		record, u := data[i*unitSize:], &s.units[i]
		copy(u.Key.ID[:], record)
		u.Key.Kind, u.first = Kind(record[20]), next
		u.Docs = int(binary.LittleEndian.Uint32(record[24:]))
		if next += u.Docs; u.Key.Kind >= kinds || next > s.count {
			return fmt.Errorf("%w: bad unit", ErrDamaged)
		}
	}
	if next != s.count {
		return fmt.Errorf("%w: documents without a unit", ErrDamaged)
	}
	return nil
}

// readAt fills data. A file that is too short for that is damaged.
func readAt(r io.ReaderAt, data []byte, at int64) error {
	n, err := r.ReadAt(data, at)
	switch {
	case n == len(data):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return fmt.Errorf("%w: cut short", ErrDamaged)
	}
	return err
}

// Units returns the units. The caller must not modify them.
func (s *Shard) Units() []Unit { return s.units }

// Size returns the length of the file in bytes.
func (s *Shard) Size() int64 { return s.size }

// id returns the id of a document.
func (s *Shard) id(doc int) (id DocID) {
	copy(id[:], s.docs[doc*docSize:])
	return id
}

// length returns the length of a document in terms.
func (s *Shard) length(doc int) int {
	return int(binary.LittleEndian.Uint32(s.docs[doc*docSize+16:]))
}

// unitOf returns the index of a document's unit.
func (s *Shard) unitOf(doc int) int {
	i, _ := slices.BinarySearchFunc(s.units, doc, func(u Unit, doc int) int {
		if u.first+u.Docs <= doc {
			return -1
		}
		return 1
	})
	return i
}

// bucket reads a bucket: the number of its records, and the records followed by their
// lists.
func (s *Shard) bucket(i int) (records int, data []byte, err error) {
	le := binary.LittleEndian
	entry, start := s.buckets[i*bucketSize:], uint32(0)
	if i > 0 {
		start = le.Uint32(s.buckets[(i-1)*bucketSize:])
	}
	end, n := le.Uint32(entry), int64(le.Uint32(entry[4:]))
	if end < start || s.data+int64(end) > s.size || n*recordSize > int64(end-start) {
		return 0, nil, fmt.Errorf("%w: bad bucket", ErrDamaged)
	}
	data = make([]byte, end-start)
	if err := readAt(s.r, data, s.data+int64(start)); err != nil {
		return 0, nil, err
	}
	if checksum(data) != le.Uint32(entry[8:]) {
		return 0, nil, fmt.Errorf("%w: bad checksum", ErrDamaged)
	}
	return int(n), data, nil
}

// record is a term in a bucket.
type record struct {
	hash uint64
	list list
}

// each calls visit for the records of a bucket until visit returns false.
func (s *Shard) each(bucket int, visit func(record) bool) error {
	n, data, err := s.bucket(bucket)
	if err != nil {
		return err
	}
	le, rest := binary.LittleEndian, data[n*recordSize:]
	for i := range n {
		r := data[i*recordSize:]
		size := int(le.Uint32(r[12:]))
		if size > len(rest) {
			return fmt.Errorf("%w: bad postings", ErrDamaged)
		}
		if !visit(record{le.Uint64(r), list{data: rest[:size], left: int(le.Uint32(r[8:])), docs: s.count}}) {
			return nil
		}
		rest = rest[size:]
	}
	return nil
}

// find returns the postings of a term, which are empty if the shard lacks the term.
func (s *Shard) find(hash uint64) (found list, err error) {
	err = s.each(bucketOf(hash, s.bits), func(r record) bool {
		if r.hash == hash {
			found = r.list
		}
		return r.hash < hash
	})
	return found, err
}

// posting is one term's number of occurrences in one document.
type posting struct{ doc, count uint32 }

// list is the unread part of a term's postings.
type list struct {
	data []byte
	left int
	docs int // of the shard
	next int // the smallest document that may follow
}

// read returns the next posting; ok is false at the end.
func (l *list) read() (p posting, ok bool, err error) {
	if l.left == 0 {
		return posting{}, false, nil
	}
	first := l.next == 0
	delta, n := binary.Uvarint(l.data)
	if n <= 0 {
		return posting{}, false, fmt.Errorf("%w: bad postings", ErrDamaged)
	}
	l.data = l.data[n:]
	count := uint64(1)
	if delta&1 != 0 {
		if count, n = binary.Uvarint(l.data); n <= 0 || count == 0 || count > 1<<31 {
			return posting{}, false, fmt.Errorf("%w: bad postings", ErrDamaged)
		}
		l.data = l.data[n:]
	}
	step := delta >> 1
	if !first && step == 0 || step >= uint64(l.docs) {
		return posting{}, false, fmt.Errorf("%w: bad postings", ErrDamaged)
	}
	doc := int(step)
	if !first {
		doc += l.next - 1
	}
	if doc >= l.docs {
		return posting{}, false, fmt.Errorf("%w: bad postings", ErrDamaged)
	}
	l.left--
	l.next = doc + 1
	return posting{uint32(doc), uint32(count)}, true, nil
}
