package index

import (
	"math"
	"slices"
	"strings"
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
// A text holds a term, or the nearest form of it with the part of trigrams that both
// share, from 0.6 on: so a typing error costs a part of a word. Of query q and case c
// are taken
//
//	Q   the part of q's weight that c holds
//	C   the part of c's weight that q holds
//	M   m/(m+40), with m the smaller of the weights that they hold of each other
//	D   the part of its words that q tells and c holds in no form, or c and q, whichever
//	    is smaller; of its words, not of their weight
//	F   the larger of these two, if they have few words in common
//
// M keeps a few words, which always are found somewhere, from being a case. D is for
// short texts, in which one other word is another problem, be it a common one (open or
// close, refund or charge): it counts in full up to 6 words of the shorter text, less from
// there, and nothing from 12 on. F is for a text that says little, of which a longer one
// holds every word: three words in common must be all that both tell; four, most of it;
// five are enough. A line through these five is fitted to the labelled pairs of
// testdata/recall/calibration, and bent so that 0 and 1 stay what they are and the chosen
// threshold stands at DuplicateAt; above it the smaller of Q and C counts if that is more,
// so that the same text is 1. Two texts that have fewer than three words in common (an
// identifier is one, a filler none) stay below DuplicateAt: a word or two tell of no
// problem.
//
// A case longer than a passage (96 terms) is compared passage by passage, each with the
// title, in its first 64 KiB and 64 passages: so a problem is found in the long output of
// a step, too. Of a query the first 384 terms are, passage by passage, and its first
// paragraph: the best counts. Title and text are compared alone, too, and long texts whole,
// if they are nearly the same.
type Similarity struct {
	tok   *Tokenizer
	stats Stats
	memo  map[string]known
	whole words
	parts []words // its passages, and the first paragraph where there are more
}

// Stats says how common a term is in a memory: the number of texts that hold it, and of
// all texts. Zeros are right where nothing is known.
type Stats func(term string) (holding, all int)

// NewSimilarity prepares the comparison of a text with many. stats may be nil.
func NewSimilarity(text string, stats Stats) *Similarity {
	s := &Similarity{tok: NewTokenizer(), stats: stats, memo: map[string]known{}}
	terms := s.terms(text)
	s.whole = wordsOf(terms)
	for part := range cut(terms[:min(len(terms), asked*passage)], passage) {
		s.parts = append(s.parts, wordsOf(part))
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
	if strings.TrimSpace(rest) != "" {
		terms = s.terms(first)
		s.parts = append(s.parts, wordsOf(terms[:min(len(terms), passage)]))
	}
	return s
}

// To compares the query with a case, given by its title, which may be empty, and the rest
// of its text: 0 is nothing in common, 1 the same words.
func (s *Similarity) To(title, text string) float64 {
	head, body := s.terms(title), s.terms(text[:min(len(text), maxCase)])
	for i := range body {
		body[i].number += len(title) // the title has not so many
	}
	if len(head) > passage { // the first line of an output may be all of it
		head, body = head[:passage], slices.Concat(head[passage:], body)
	}
	best := 0.0
	for part := range cut(body, passage) {
		c := wordsOf(slices.Concat(head, part))
		best = max(best, s.against(&c))
	}
	for _, alone := range [][]weighted{head, body} {
		if len(alone) > 0 && len(alone) <= passage && len(body) > 0 {
			c := wordsOf(alone)
			best = max(best, s.against(&c))
		}
	}
	if len(s.whole.terms)+len(head)+len(body) > passage {
		best = max(best, s.same(body), s.same(slices.Concat(head, body)))
	}
	return best
}

// How long texts are cut: by half a passage, so that no problem falls between two.
const (
	passage  = 96       // terms that are compared at once
	passages = 64       // of a text
	asked    = 4        // passages of a query: each meets each of a case's
	maxCase  = 64 << 10 // bytes of a case's text
)

// cut yields the passages of a text, of which the first may be empty.
func cut(terms []weighted, size int) func(yield func([]weighted) bool) {
	return func(yield func([]weighted) bool) {
		for i := range passages {
			start := i * size / 2
			end := min(start+size, len(terms))
			if !yield(terms[start:end]) || end == len(terms) {
				return
			}
		}
	}
}

// against is how near a passage of a case is.
func (s *Similarity) against(c *words) float64 {
	best := 0.0
	for i := range s.parts {
		best = max(best, compare(&s.parts[i], c).scale())
	}
	return best
}

// same is how near the whole of a long text is, 0 unless it is the same but for a few
// words: what two long texts share besides is in their passages, or is chance.
func (s *Similarity) same(text []weighted) float64 {
	c := wordsOf(text)
	if f := compare(&s.whole, &c); min(f.q, f.c) >= almost {
		return f.scale()
	}
	return 0
}

const almost = 0.9

// features are what a similarity is made of; see Similarity.
type features struct {
	q, c, m, d, f float64
	words         int // that both tell, fillers aside
}

func compare(q, c *words) features {
	if q.weight == 0 || c.weight == 0 {
		return features{}
	}
	ofQ, ofC := q.sharedWith(c), c.sharedWith(q)
	both := min(ofQ.weight, ofC.weight)
	f := features{q: ofQ.weight / q.weight, c: ofC.weight / c.weight, m: both / (both + enough), words: min(ofQ.words, ofC.words)}
	if n := float64(min(q.count, c.count)); n < notShort {
		f.d = min(ofQ.lacks, ofC.lacks) * min(1, (notShort-n)/(notShort-short))
	}
	few := (fewWords - float64(f.words)) / (fewWords - leastWords)
	f.f = min(1, max(0, few)) * max(ofQ.lacks, ofC.lacks)
	return f
}

const (
	leastWords = 3  // with fewer of them in common, no two texts tell of the same problem
	fewWords   = 5  // from which on they are enough, whatever else is told
	short      = 6  // words of a text of which one that differs counts in full
	notShort   = 12 // words from which on the other features say it alone
	enough     = 40 // shared weight at which M is a half: about eight telling words
)

// The line fitted to the labelled pairs; the factors of Q, C and M add up to 1.
const (
	fitQ, fitC, fitM, fitD, fitF = 0.3, 0.4, 0.3, 3, 1
	chosen                       = 0.334 // the threshold on that line
)

// scale bends the line so that the chosen threshold stands at DuplicateAt, and what is
// the same at 1. Below the threshold D and F divide: so the nearest of what is not near
// enough stays the first. The last digits are dropped: they depend on the order in which
// weights were added.
func (f features) scale() float64 {
	alike, apart := fitQ*f.q+fitC*f.c+fitM*f.m, fitD*f.d+fitF*f.f
	x := DuplicateAt * alike / (chosen + apart)
	if alike-apart >= chosen {
		x = DuplicateAt + (1-DuplicateAt)*max((alike-apart-chosen)/(1-chosen), min(f.q, f.c))
	}
	if f.words < leastWords {
		x = min(x, DuplicateAt) * float64(f.words) / leastWords
	}
	return math.Round(min(1, x)*1e4) / 1e4
}
