package index

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"slices"
)

// Constants of the format; see the package comment.
const (
	magic       = "gctxidx\x01" // the last byte is the version
	headerSize  = 40
	unitSize    = 28
	docSize     = 20
	bucketSize  = 12
	recordSize  = 16
	perBucket   = 32      // terms, on average
	maxShard    = 1 << 31 // bytes
	checksumLen = 4
)

func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// writer writes a shard from terms in the order of their hashes.
type writer struct {
	out     []byte // header, units, documents, buckets, checksum, then data
	docs    int
	bits    int // logarithm of the number of buckets
	buckets int // their offset in out
	data    int // offset of the data

	bucket  int // the current one
	records []byte
	lists   []byte
}

func newWriter(units []unit, docs []document, text int) *writer {
	w := &writer{docs: len(docs)}
	le := binary.LittleEndian
	w.out = make([]byte, headerSize, headerSize+len(units)*unitSize+len(docs)*docSize)
	copy(w.out, magic)
	le.PutUint32(w.out[8:], uint32(len(units)))
	le.PutUint32(w.out[12:], uint32(len(docs)))
	le.PutUint64(w.out[24:], uint64(text))
	for _, u := range units {
		w.out = append(w.out, u.key.ID[:]...)
		w.out = append(w.out, byte(u.key.Kind), 0, 0, 0)
		w.out = le.AppendUint32(w.out, u.docs)
	}
	for _, d := range docs {
		w.out = append(w.out, d.id[:]...)
		w.out = le.AppendUint32(w.out, d.length)
	}
	return w
}

// begin allocates the buckets for about terms terms and the given number of bytes of
// postings.
func (w *writer) begin(terms, postings int) {
	w.bits = bits.Len(uint(terms / perBucket))
	w.buckets = len(w.out)
	w.data = w.buckets + bucketSize<<w.bits + checksumLen
	w.out = slices.Grow(w.out, w.data-w.buckets+terms*recordSize+postings)[:w.data]
	clear(w.out[w.buckets:])
	binary.LittleEndian.PutUint32(w.out[16:], uint32(w.bits))
}

// bucketOf returns the bucket of a term: the first bits of its hash.
func bucketOf(hash uint64, bits int) int { return int(hash >> 32 >> (32 - bits)) }

// term adds a term with its posts, in the order of the documents. Terms must come in the
// order of their hashes.
func (w *writer) term(hash uint64, posts []post) {
	for w.bucket < bucketOf(hash, w.bits) {
		w.flush()
	}
	le, start, last := binary.LittleEndian, len(w.lists), uint32(0)
	for _, p := range posts {
		delta := uint64(p.doc()-last) << 1 // of the first post: its number
		if last = p.doc(); p.count() == 1 {
			w.lists = binary.AppendUvarint(w.lists, delta)
			continue
		}
		w.lists = binary.AppendUvarint(w.lists, delta|1)
		w.lists = binary.AppendUvarint(w.lists, uint64(p.count()))
	}
	w.records = le.AppendUint64(w.records, hash)
	w.records = le.AppendUint32(w.records, uint32(len(posts)))
	w.records = le.AppendUint32(w.records, uint32(len(w.lists)-start))
}

// flush completes the current bucket.
func (w *writer) flush() {
	start := len(w.out)
	w.out = append(append(w.out, w.records...), w.lists...)
	le, at := binary.LittleEndian, w.buckets+w.bucket*bucketSize
	le.PutUint32(w.out[at:], uint32(len(w.out)-w.data))
	le.PutUint32(w.out[at+4:], uint32(len(w.records)/recordSize))
	le.PutUint32(w.out[at+8:], checksum(w.out[start:]))
	w.bucket++
	w.records, w.lists = w.records[:0], w.lists[:0]
}

func (w *writer) finish() []byte {
	for w.bucket < 1<<w.bits {
		w.flush()
	}
	le := binary.LittleEndian
	le.PutUint64(w.out[32:], uint64(len(w.out)))
	le.PutUint32(w.out[w.data-checksumLen:], checksum(w.out[:w.data-checksumLen]))
	return w.out
}
