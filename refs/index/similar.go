package index

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// DuplicateAt is the similarity from which on two texts tell of the same problem.
// Below it a past case is known not to help an agent, however near it looks.
const DuplicateAt = 0.8

// Similarity compares one text, the query, with past cases. It serves one goroutine.
//
// # The measure
//
// Both texts are cut into terms (package comment), words of the trade that mean the
// same are made one (synonyms), and each different term t gets a weight
//
//	w(t) = ln(1 + 1/p(t)),  p(t) = max(p₀(t), df(t)/(N+500))
//
// where p₀ is a built-in estimate of how many texts of the trade hold t (rarity), df
// and N what the memory says. So a memory can only take weight from a term: a small
// one says nothing (500 against N), and in a large one a rare word weighs no more than
// what the scale was calibrated with. Terms of identifiers, paths, numbers and codes
// weigh 0.3 of that: they say what a text is about, and two different problems of
// one module share them; what is wrong with it stands in plain words.
//
// A term's weight is spread evenly over its trigrams of characters, with its two ends:
// pool is ^po poo ool ol$. So "initialise" meets "initialisation", and a typing error
// costs a part of a word. Of the bags of trigrams of query q and case c, and of the
// case's title alone, t, are taken
//
//	Q = |q∩c|/|q|   how much of the query the case says
//	C = |q∩c|/|c|   how much of the case the query says
//	T = |q∩t|/|t|   how much of the title the query says
//	M = m/(m+30)    how much they say together, with m = |q∩c|
//
// M keeps a few words, which always are found somewhere, from being a case. A line
// through these four is fitted to the labelled pairs of testdata/recall/calibration, and
// bent so that 0 and 1 stay what they are and the chosen threshold stands at DuplicateAt.
// M never is 1: a text of a few sentences is 0.97 near to itself.
//
// A case longer than a passage (96 terms) is compared passage by passage, each with the
// title, and a query of several paragraphs whole and by its first one alone: the best
// counts. So a problem is found in the long output of a step, too, in its first 64 KiB
// and 64 passages.
type Similarity struct {
	tok   *Tokenizer
	stats Stats
	query []bag // whole, and the first paragraph where there are more
}

// Stats says how common a term is in a memory: the number of texts that hold it, and of
// all texts. Zeros are right where nothing is known.
type Stats func(term string) (holding, all int)

// NewSimilarity prepares the comparison of a text with many. stats may be nil.
func NewSimilarity(text string, stats Stats) *Similarity {
	s := &Similarity{tok: NewTokenizer(), stats: stats}
	s.query = []bag{s.bag(s.terms(text))}
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
	if strings.TrimSpace(rest) != "" {
		if b := s.bag(s.terms(first)); b.size > 0 {
			s.query = append(s.query, b)
		}
	}
	return s
}

// To compares the query with a case, given by its title, which may be empty, and the rest
// of its text: 0 is nothing in common, near 1 the same words.
func (s *Similarity) To(title, text string) float64 {
	head, body := s.terms(title), s.terms(text[:min(len(text), maxCase)])
	if len(head) > passage { // the first line of an output may be all of it
		head, body = head[:passage], slices.Concat(head[passage:], body)
	}
	body = body[:min(len(body), passages*passage/2)]
	t := s.bag(head)
	best := 0.0
	for start := 0; ; start += passage / 2 {
		end := min(start+passage, len(body))
		c := s.bag(append(head[:len(head):len(head)], body[start:end]...))
		for _, q := range s.query {
			best = max(best, compare(q, c, t).line())
		}
		if end == len(body) {
			return scale(best)
		}
	}
}

// How long cases are cut: by half a passage, so that no problem falls between two.
const (
	passage  = 96       // terms that are compared at once
	passages = 64       // of a case
	maxCase  = 64 << 10 // bytes of a case's text
)

// features are what a similarity is made of; see Similarity.
type features struct{ q, c, t, m float64 }

func compare(q, c, t bag) features {
	if q.size == 0 || c.size == 0 {
		return features{}
	}
	both := q.shared(c)
	f := features{q: both / q.size, c: both / c.size, m: both / (both + enough)}
	if t.size > 0 {
		f.t = q.shared(t) / t.size
	} else {
		f.t = f.c
	}
	return f
}

// enough is the shared weight at which M is a half: about six telling words.
const enough = 30

// The line fitted to the labelled pairs, its factors made to add up to 1.
const (
	fitQ, fitC, fitT, fitM = 0.31, 0.32, 0.12, 0.25
	chosen                 = 0.4827 // the threshold on that line
)

func (f features) line() float64 { return fitQ*f.q + fitC*f.c + fitT*f.t + fitM*f.m }

// scale bends the line so that the chosen threshold stands at DuplicateAt. The last
// digits are dropped: they depend on the order in which weights were added.
func scale(x float64) float64 {
	if x < chosen {
		x = x / chosen * DuplicateAt
	} else {
		x = DuplicateAt + (x-chosen)/(1-chosen)*(1-DuplicateAt)
	}
	return math.Round(min(1, x)*1e4) / 1e4
}

// weighted is a term of a text and what it weighs there.
type weighted struct {
	term   string
	weight float64
}

// terms gives a text's terms with their weights, in order and with repeats.
func (s *Similarity) terms(text string) []weighted {
	var list []weighted
	for word := range strings.FieldsSeq(text) {
		factor := 1.0
		if codeWord(word) {
			factor = codeFactor
		}
		for _, t := range s.tok.Tokens(word) {
			if strings.ContainsAny(t, "./-_:") {
				continue // a compound: its parts follow
			}
			t = synonym(t)
			list = append(list, weighted{t, factor * s.weight(t)})
		}
	}
	return list
}

const codeFactor = 0.3

func (s *Similarity) weight(term string) float64 {
	p := rarity(term)
	if s.stats != nil {
		holding, all := s.stats(term)
		p = max(p, float64(holding)/float64(all+500))
	}
	return math.Log(1 + 1/p)
}

// codeWord says whether a word of a text is an identifier, path, number or code rather
// than a plain word: one with a digit or a sign inside, or a capital behind its first
// letter.
func codeWord(word string) bool {
	word = strings.Trim(word, ".,;:()'\"`!?[]{}*")
	for i := range len(word) {
		c := word[i]
		if c >= utf8.RuneSelf {
			return false
		}
		if c >= '0' && c <= '9' || i > 0 && c >= 'A' && c <= 'Z' || strings.IndexByte("_/.:(=@$<>{}[]#\\", c) >= 0 {
			return true
		}
	}
	return false
}

// bag is the trigrams of a text, each with the weight that terms brought it.
type bag struct {
	grams map[uint64]float64
	size  float64 // the sum of all weights
}

// bag counts each different term once, with the most that it weighs.
func (s *Similarity) bag(terms []weighted) bag {
	most := make(map[string]float64, len(terms))
	for _, t := range terms {
		most[t.term] = max(most[t.term], t.weight)
	}
	b := bag{grams: make(map[uint64]float64, 6*len(most))}
	for term, w := range most {
		b.size += w
		share := w / float64(utf8.RuneCountInString(term))
		for g := range trigrams(term) {
			b.grams[g] += share
		}
	}
	return b
}

// shared is the weight that two bags have in common.
func (b bag) shared(other bag) float64 {
	if len(b.grams) > len(other.grams) {
		b, other = other, b
	}
	sum := 0.0
	for g, w := range b.grams {
		sum += min(w, other.grams[g])
	}
	return sum
}

// trigrams yields every three characters of a term with its two ends, as many as it
// has characters, packed into a number.
func trigrams(term string) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		const mask = 1<<42 - 1 // two characters of 21 bits
		g, n := uint64('^'), 0
		for _, r := range term + "$" {
			g = (g&mask)<<21 | uint64(r)
			if n++; n > 1 && !yield(g) {
				return
			}
		}
	}
}
