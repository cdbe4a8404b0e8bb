package index

import (
	"cmp"
	"slices"
)

// Kind is the kind of the documents in a unit.
type Kind uint8

// The kinds of documents.
const (
	Commits Kind = iota // memory commits
	Steps
	Topics
	kinds
)

// Key identifies a unit, which is indexed and expunged as a whole: a file of entries, or a
// topic. Equal keys mean equal texts, so that an index is never outdated.
type Key struct {
	ID   [20]byte
	Kind Kind
}

// DocID identifies a document. DocIDs are ordered bytewise.
type DocID [16]byte

// shardText is the approximate size, in bytes, of the text that one shard should index:
// large enough to keep shards few, and small enough to bound a builder's memory, which is
// about four times that.
const shardText = 32 << 20

// Builder builds a shard from units. One goroutine may use it. After Bytes it can build
// another shard, and still knows the words that it has seen.
type Builder struct {
	words  *Tokenizer
	units  []unit
	docs   []document
	open   []uint32 // the terms of the current document
	count  []uint32 // by term: its number of occurrences in the current document
	hashes []uint64 // by term
	posts  [][]post // of the earlier documents in order, in blocks of postBlock
	size   int      // number of posts
	text   int
}

// postBlock is the number of posts in one block. A single growing slice would be copied
// again and again.
const postBlock = 1 << 15

// post is one term's number of occurrences in one document. Posts are appended in the order
// of the text and sorted at the end: inserting each at its term's list takes three times as
// long, because every insertion touches another place in memory. A post is packed, from the
// highest bit: 26 bits of term, 26 of document, 12 of count.
type post uint64

const (
	termBits, docBits, countBits = 26, 26, 12

	docLimit   = 1 << docBits
	termLimit  = 1 << termBits
	countLimit = 1<<countBits - 1 // larger counts are stored as this one
)

func newPost(term, doc, count uint32) post {
	return post(term)<<(docBits+countBits) | post(doc)<<countBits | post(min(count, countLimit))
}

func (p post) term() uint32  { return uint32(p >> (docBits + countBits)) }
func (p post) doc() uint32   { return uint32(p>>countBits) & (docLimit - 1) }
func (p post) count() uint32 { return uint32(p) & countLimit }

type unit struct {
	key  Key
	docs uint32
}

type document struct {
	id     DocID
	length uint32 // in terms
}

// NewBuilder returns a Builder without units.
func NewBuilder() *Builder { return &Builder{words: NewTokenizer()} }

// Unit begins a unit, to which the documents that follow belong.
func (b *Builder) Unit(key Key) {
	b.close()
	b.units = append(b.units, unit{key: key})
}

// Document begins a document of the current unit.
func (b *Builder) Document(id DocID) {
	b.close()
	b.docs = append(b.docs, document{id: id})
	b.units[len(b.units)-1].docs++
}

// Text adds a text to the current document. Each term counts weight times; titles have a
// higher weight.
func (b *Builder) Text(text string, weight int) {
	b.text += len(text)
	length := 0
	b.words.each(text, func(terms []uint32, _, _ int) {
		length += len(terms)
		for n := len(b.count); n < len(b.words.terms); n++ {
			b.count = append(b.count, 0)
			b.hashes = append(b.hashes, termHash(b.words.terms[n]))
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

// close writes the posts of the current document.
func (b *Builder) close() {
	doc := uint32(len(b.docs) - 1)
	for _, t := range b.open {
		if b.size%postBlock == 0 {
			b.posts = append(b.posts, make([]post, 0, postBlock))
		}
		last := &b.posts[len(b.posts)-1]
		*last = append(*last, newPost(t, doc, b.count[t]))
		b.count[t] = 0
		b.size++
	}
	b.open = b.open[:0]
}

// Full reports whether the shard has reached its intended size. Callers should then call
// Bytes before the next unit.
func (b *Builder) Full() bool {
	return b.text >= shardText || len(b.docs) >= docLimit/2 || len(b.words.terms) >= termLimit/4
}

// Units returns the number of units in the shard.
func (b *Builder) Units() int { return len(b.units) }

// Bytes returns the shard as a file. The Builder is then empty.
func (b *Builder) Bytes() []byte {
	b.close()
	terms := make([]uint32, len(b.hashes))
	for t := range terms {
		terms[t] = uint32(t)
	}
	slices.SortFunc(terms, func(x, y uint32) int { return cmp.Compare(b.hashes[x], b.hashes[y]) })
	w := newWriter(b.units, b.docs, b.text)
	w.begin(len(terms), 3*b.size)
	parts, ends := b.divide()
	var sorted []post
	start, place := 0, b.count // all zeros, and cleared again below
	for part, end := range ends {
		n := 0
		for n < len(terms) && b.part(terms[n]) == part {
			place[terms[n]] = uint32(n)
			n++
		}
		sorted = sortPosts(sorted, parts[start:end], place, n)
		for at := 0; at < len(sorted); {
			t, from := sorted[at].term(), at
			for at < len(sorted) && sorted[at].term() == t {
				at++
			}
			w.term(b.hashes[t], sorted[from:at])
		}
		terms, start = terms[n:], end
	}
	clear(b.count)
	b.posts, b.size, b.units, b.docs, b.text = nil, 0, nil, nil, 0
	if len(b.hashes) >= termLimit/4 {
		b.words, b.count, b.hashes = NewTokenizer(), nil, nil
	}
	return w.finish()
}

// partBits is the number of leading bits of a hash that select its part. The posts of a
// part are few enough to be sorted in the processor's cache.
const partBits = 9

func (b *Builder) part(term uint32) int { return int(b.hashes[term] >> (64 - partBits)) }

// divide groups the posts by part and returns the end of each part.
func (b *Builder) divide() (posts []post, ends [1 << partBits]int) {
	for _, block := range b.posts {
		for _, p := range block {
			ends[b.part(p.term())]++
		}
	}
	sum := 0
	for i, n := range ends {
		ends[i], sum = sum, sum+n
	}
	posts = make([]post, b.size)
	for _, block := range b.posts {
		for _, p := range block {
			end := &ends[b.part(p.term())]
			posts[*end] = p
			*end++
		}
	}
	return posts, ends
}

// sortPosts sorts posts by the place of their term; places is the number of places. It is
// stable, so that a term's posts stay in the order of the documents.
func sortPosts(sorted, posts []post, place []uint32, places int) []post {
	next := make([]int, places+1)
	for _, p := range posts {
		next[place[p.term()]+1]++
	}
	for i := range places {
		next[i+1] += next[i]
	}
	sorted = slices.Grow(sorted[:0], len(posts))[:len(posts)]
	for _, p := range posts {
		at := &next[place[p.term()]]
		sorted[*at] = p
		*at++
	}
	return sorted
}

// termHash returns the hash that identifies a term in a shard. Terms with equal hashes are
// found as one; among a million terms that happens in one of thirty million histories.
func termHash(term string) uint64 {
	h := hashOf(term)
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
