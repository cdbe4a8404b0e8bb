package index

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Kind says what the documents of a unit are.
type Kind uint8

// The kinds.
const (
	Commits Kind = iota // milestones
	Steps
	Topics
	kinds
)

// Key names a unit: what is indexed and forgotten as a whole, a file of entries or a
// topic. The same key always stands for the same text, so that an index is never stale.
type Key struct {
	ID   [20]byte
	Kind Kind
}

// DocID is the identity of a document; they order as their bytes do.
type DocID [16]byte

// ShardText is about how much text, in bytes, one shard should be built of: enough to
// make shards few, and little enough to keep a builder's memory (about four times that)
// within bounds.
const ShardText = 32 << 20

// Builder makes a shard of units. It serves one goroutine; it may be used again after
// Bytes and then remembers the words that it saw.
type Builder struct {
	words *Tokenizer
	units []unit
	docs  []document
	open  []uint32   // the terms of the open document
	count []uint32   // by term: how often it stands in the open document
	terms []termList // by term: the postings of the documents before
	arena arena
	text  int
}

type unit struct {
	key  Key
	docs uint32
}

type document struct {
	id     DocID
	length uint32 // terms
}

// termList is the postings of a term.
type termList struct {
	docs uint32
	last uint32 // the document of the last posting
	list chunks
}

// NewBuilder returns one without units.
func NewBuilder() *Builder { return &Builder{words: NewTokenizer()} }

// Unit begins a unit; documents that follow belong to it.
func (b *Builder) Unit(key Key) {
	b.close()
	b.units = append(b.units, unit{key: key})
}

// Document begins a document of the unit.
func (b *Builder) Document(id DocID) {
	b.close()
	b.docs = append(b.docs, document{id: id})
	b.units[len(b.units)-1].docs++
}

// Text adds a text to the document. Each term counts weight times: what a title says
// is worth more.
func (b *Builder) Text(text []byte, weight int) {
	b.text += len(text)
	length := 0
	b.words.each(text, func(terms []uint32, _, _ int) {
		length += len(terms)
		if len(b.count) < len(b.words.terms) {
			b.grow()
		}
		for _, t := range terms {
			if b.count[t] == 0 {
				b.open = append(b.open, t)
			}
			b.count[t] += uint32(weight)
		}
	})
	b.docs[len(b.docs)-1].length += uint32(length * weight)
}

// grow makes room for terms that were not known.
func (b *Builder) grow() {
	n := len(b.words.terms)
	b.count = append(b.count, make([]uint32, n-len(b.count))...)
	b.terms = append(b.terms, make([]termList, n-len(b.terms))...)
}

// close writes the postings of the open document.
func (b *Builder) close() {
	doc := uint32(len(b.docs) - 1)
	var buf [2 * binary.MaxVarintLen64]byte
	for _, t := range b.open {
		l := &b.terms[t]
		b.arena.append(&l.list, appendPosting(buf[:0], posting{doc - l.last, b.count[t]}))
		b.count[t], l.last = 0, doc
		l.docs++
	}
	b.open = b.open[:0]
}

// Size is how much text the shard holds by now, in bytes.
func (b *Builder) Size() int { return b.text }

// Units is how many units it holds.
func (b *Builder) Units() int { return len(b.units) }

// Bytes is the shard as a file has it. The Builder is then empty again.
func (b *Builder) Bytes() []byte {
	b.close()
	var order []hashed
	for t := range b.terms {
		if b.terms[t].docs > 0 {
			order = append(order, hashed{TermHash(b.words.terms[t]), uint32(t)})
		}
	}
	slices.SortFunc(order, func(x, y hashed) int { return cmp.Compare(x.hash, y.hash) })
	w := newWriter(b.units, b.docs, b.text)
	w.begin(len(order), len(b.arena.data))
	for _, t := range order {
		l := &b.terms[t.number]
		w.term(t.hash, int(l.docs), func(out []byte) []byte { return b.arena.read(out, l.list) })
	}
	clear(b.terms)
	b.arena.data, b.units, b.docs, b.text = b.arena.data[:0], nil, nil, 0
	return w.finish()
}

type hashed struct {
	hash   uint64
	number uint32
}

// TermHash is what a shard knows a term by. Two terms of one hash would be found as
// one; among a million terms that is once in thirty million histories.
func TermHash(term string) uint64 {
	h := hashOf(term)
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
