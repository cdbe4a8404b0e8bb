package index

import (
	"cmp"
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
	words  *Tokenizer
	units  []unit
	docs   []document
	open   []uint32 // the terms of the open document
	count  []uint32 // by term: how often it stands in the open document
	hashes []uint64 // by term
	posts  [][]post // of the documents before, one after another, in blocks of postBlock
	size   int      // how many posts there are
	text   int
}

// postBlock is how many posts are kept together: one list of them would be moved again
// and again as it grows.
const postBlock = 1 << 15

// post says that a term stands in a document so often. The posts of a long text are
// written one after another and sorted at the end: to put each at once where its term's
// are takes three times as long, because that is another place in memory each time. It is
// packed: 26 bits of term, 26 of document, 12 of how often, the first the highest.
type post uint64

const (
	termBits, docBits, countBits = 26, 26, 12

	mostDocs  = 1 << docBits
	mostTerms = 1 << termBits
	mostCount = 1<<countBits - 1 // what stands more often counts as often as that
)

func newPost(term, doc, count uint32) post {
	return post(term)<<(docBits+countBits) | post(doc)<<countBits | post(min(count, mostCount))
}

func (p post) term() uint32  { return uint32(p >> (docBits + countBits)) }
func (p post) doc() uint32   { return uint32(p>>countBits) & (mostDocs - 1) }
func (p post) count() uint32 { return uint32(p) & mostCount }

type unit struct {
	key  Key
	docs uint32
}

type document struct {
	id     DocID
	length uint32 // terms
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
func (b *Builder) Text(text string, weight int) {
	b.text += len(text)
	length := 0
	b.words.each(text, func(terms []uint32, _, _ int) {
		length += len(terms)
		for n := len(b.count); n < len(b.words.terms); n++ {
			b.count = append(b.count, 0)
			b.hashes = append(b.hashes, TermHash(b.words.terms[n]))
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

// close writes the posts of the open document.
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

// Full says whether the shard holds as much as one should: Bytes is then to be called
// before the next unit.
func (b *Builder) Full() bool {
	return b.text >= ShardText || len(b.docs) >= mostDocs/2 || len(b.words.terms) >= mostTerms/4
}

// Units is how many units it holds.
func (b *Builder) Units() int { return len(b.units) }

// Bytes is the shard as a file has it. The Builder is then empty again.
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
	start, place := 0, b.count // all zeros, and soon again
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
	if len(b.hashes) >= mostTerms/4 {
		b.words, b.count, b.hashes = NewTokenizer(), nil, nil
	}
	return w.finish()
}

// partBits is how many of a hash's first bits say the part that it belongs to. The posts
// of a part are few enough to be sorted near the processor.
const partBits = 9

func (b *Builder) part(term uint32) int { return int(b.hashes[term] >> (64 - partBits)) }

// divide brings the posts of each part together, and says where each ends.
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

// sortPosts sorts by the place of the term, of which there are places; within one the
// order stays, which is that of the documents.
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
