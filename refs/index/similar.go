package index

import (
	"math"
	"slices"
	"strings"
)

// DuplicateAt is the similarity from which on two texts are taken to describe the same
// problem. Below it, a past case does not help an agent, however near it seems.
const DuplicateAt = 0.8

// Similarity compares one text, the query, with past cases. One goroutine may use it, and those that
// Another made of it.
//
// # The measure
//
// Both texts are split into terms (see the package comment), synonyms in software
// development are unified (synonym), and each distinct term t gets a weight
//
//	w(t) = ln(1 + 1/p(t)),  p(t) = max(p₀(t), df(t)/(N+500))
//
// where p₀ is a built-in estimate of the share of technical texts that contain t (rarity),
// and df and N are the memory's counts. So a memory can only reduce the weight of a term: a
// small memory changes nothing (500 outweighs N), and in a large one a rare word weighs no
// more than the word the scale was calibrated with. Terms of identifiers, paths, numbers
// and codes weigh 0.3 of that: they name the subject of a text, which two different
// problems of one module share, while plain words describe the problem.
//
// A text contains a term either exactly, or in the form of its most similar term, which
// then counts by the share of common trigrams if that is at least 0.6. So a typing error
// costs only part of a word. From query q and case c follow
//
//	Q   the part of q's weight that c contains
//	C   the part of c's weight that q contains
//	M   m/(m+40), where m is the smaller of these two weights
//	D   the part of q's words that c contains in no form, or of c's that q does not,
//	    whichever is smaller; counted in words, not by weight
//	F   the larger of these two parts, if the texts have few words in common
//
// M prevents that a few words, which always occur somewhere, make a case. D is for short
// texts, in which one different word means a different problem, even a common word (open or
// close, refund or charge): it counts in full up to 6 words of the shorter text, then less,
// and nothing from 12 words on. F is for a text of few words, all of which a longer one
// contains: three common words must be all that both have, four most of it, and five are
// enough. A linear function of these five is fitted to the labelled pairs of
// testdata/recall/calibration, and bent so that 0 and 1 stay fixed and the chosen threshold
// becomes DuplicateAt. Above the threshold, the smaller of Q and C counts if it is larger,
// so that equal texts give 1. Two texts with fewer than three common words (an identifier
// counts as one, a filler as none) stay below DuplicateAt.
//
// A case longer than a passage (96 terms) is compared passage by passage, each with the
// title, within its first 64 KiB and 64 passages, so that a problem is also found in a
// step's long output. Of a query, the first 384 terms are compared passage by passage, and
// so is its first paragraph; the best result counts. Title and text are also compared
// separately, and long texts as a whole if they are nearly equal.
type Similarity struct {
	tok   *Tokenizer
	stats Stats
	memo  map[string]termInfo
	whole words
	parts []words // its passages, and the first paragraph if there are more
}

// Stats returns the number of a memory's texts that contain a term, and the number of all
// texts. It may return zeros if these are unknown.
type Stats func(term string) (holding, all int)

// NewSimilarity prepares the comparison of a text with many cases. stats may be nil.
func NewSimilarity(text string, stats Stats) *Similarity {
	return (&Similarity{tok: NewTokenizer(), stats: stats, memo: map[string]termInfo{}}).Another(text)
}

// Another prepares another text, with what is known of the terms of the texts before.
func (s *Similarity) Another(text string) *Similarity {
	s = &Similarity{tok: s.tok, stats: s.stats, memo: s.memo}
	terms := s.terms(text)
	s.whole = wordsOf(terms)
	for part := range cut(terms[:min(len(terms), queryPassages*passageTerms)], passageTerms) {
		s.parts = append(s.parts, wordsOf(part))
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
	if strings.TrimSpace(rest) != "" {
		terms = s.terms(first)
		s.parts = append(s.parts, wordsOf(terms[:min(len(terms), passageTerms)]))
	}
	return s
}

// To compares the query with a case, given by its title, which may be empty, and the rest
// of its text. The result is from 0, nothing in common, to 1, the same words.
func (s *Similarity) To(title, text string) float64 {
	head, body := s.terms(title), s.terms(text[:min(len(text), maxCase)])
	for i := range body {
		body[i].number += len(title) // a title has fewer words than bytes
	}
	if len(head) > passageTerms { // the first line of an output may be all of it
		head, body = head[:passageTerms], slices.Concat(head[passageTerms:], body)
	}
	best := 0.0
	for part := range cut(body, passageTerms) {
		c := wordsOf(slices.Concat(head, part))
		best = max(best, s.bestPart(&c))
	}
	for _, alone := range [][]weighted{head, body} {
		if len(alone) > 0 && len(alone) <= passageTerms && len(body) > 0 {
			c := wordsOf(alone)
			best = max(best, s.bestPart(&c))
		}
	}
	if len(s.whole.terms)+len(head)+len(body) > passageTerms {
		best = max(best, s.wholeSimilarity(body), s.wholeSimilarity(slices.Concat(head, body)))
	}
	return best
}

// Between compares two prepared texts, as To compares a text with a case without a title. Where each of
// several texts is compared with each of others, it splits every text into terms once.
func (s *Similarity) Between(other *Similarity) float64 {
	best := 0.0
	for i := range other.parts {
		best = max(best, s.bestPart(&other.parts[i]))
	}
	return best
}

// Significant returns the number of a prepared text's different words that are rarer than those of any
// technical text, such as run, test, fix and error: how much the text says of one problem. Two texts
// without such words are similar because all texts of their kind are.
func (s *Similarity) Significant() int {
	n, last := 0, -1
	for _, t := range s.whole.terms {
		if t.number != last && rarity(t.term) <= rarityShort {
			n++
			last = t.number
		}
	}
	return n
}

// Texts are compared in passages that overlap by half, so that no problem is split between
// two.
const (
	passageTerms  = 96       // terms that are compared at once
	maxPassages   = 64       // maximum number for a text
	queryPassages = 4        // passages of a query: each is compared with each of a case's
	maxCase       = 64 << 10 // bytes of a case's text that are compared
)

// cut yields the passages of a text; there is at least one, possibly empty.
func cut(terms []weighted, size int) func(yield func([]weighted) bool) {
	return func(yield func([]weighted) bool) {
		for i := range maxPassages {
			start := i * size / 2
			end := min(start+size, len(terms))
			if !yield(terms[start:end]) || end == len(terms) {
				return
			}
		}
	}
}

// bestPart returns the similarity of the query's best part with a passage of a case.
func (s *Similarity) bestPart(c *words) float64 {
	best := 0.0
	for i := range s.parts {
		best = max(best, compare(&s.parts[i], c).scale())
	}
	return best
}

// wholeSimilarity returns the similarity of two whole texts, or 0 unless they differ in few words
// only. What other long texts have in common is found in their passages, or is chance.
func (s *Similarity) wholeSimilarity(text []weighted) float64 {
	c := wordsOf(text)
	if f := compare(&s.whole, &c); min(f.q, f.c) >= nearlyEqual {
		return f.scale()
	}
	return 0
}

const nearlyEqual = 0.9

// features are the parts of a similarity; see Similarity.
type features struct {
	q, c, m, d, f float64
	words         int // number of common words, without fillers
}

func compare(q, c *words) features {
	if q.weight == 0 || c.weight == 0 {
		return features{}
	}
	ofQ, ofC := q.sharedWith(c), c.sharedWith(q)
	both := min(ofQ.weight, ofC.weight)
	f := features{q: ofQ.weight / q.weight, c: ofC.weight / c.weight, m: both / (both + halfWeight)}
	f.words = min(ofQ.words, ofC.words)
	if n := float64(min(q.count, c.count)); n < longText {
		f.d = min(ofQ.missing, ofC.missing) * min(1, (longText-n)/(longText-shortText))
	}
	few := (enoughCommonWords - float64(f.words)) / (enoughCommonWords - minCommonWords)
	f.f = min(1, max(0, few)) * max(ofQ.missing, ofC.missing)
	return f
}

const (
	minCommonWords    = 3  // two texts with fewer common words are never taken for the same problem
	enoughCommonWords = 5  // from this number of common words on, F is zero
	shortText         = 6  // up to this number of words in a text, D counts in full
	longText          = 12 // from this number of words on, D is zero
	halfWeight        = 40 // shared weight at which M is a half: about eight distinctive words
)

// The linear function fitted to the labelled pairs; the factors of Q, C and M add up to 1.
const (
	fitQ, fitC, fitM, fitD, fitF = 0.3, 0.4, 0.3, 3, 1
	threshold                    = 0.334 // the threshold of the linear function
)

// scale bends the linear function so that the chosen threshold becomes DuplicateAt, and
// equality 1. Below the threshold, D and F divide instead of subtracting, so that the order
// of dissimilar texts is kept. The last digits are rounded off, because they depend on the
// order in which weights were added.
func (f features) scale() float64 {
	alike, apart := fitQ*f.q+fitC*f.c+fitM*f.m, fitD*f.d+fitF*f.f
	x := DuplicateAt * alike / (threshold + apart)
	if alike-apart >= threshold {
		x = DuplicateAt + (1-DuplicateAt)*max((alike-apart-threshold)/(1-threshold), min(f.q, f.c))
	}
	if f.words < minCommonWords {
		x = min(x, DuplicateAt) * float64(f.words) / minCommonWords
	}
	return math.Round(min(1, x)*1e4) / 1e4
}
