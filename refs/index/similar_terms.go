package index

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// weighted is a term of a text with its weight in it and the number of its word.
type weighted struct {
	termInfo
	weight float64
	number int
}

// termInfo is the cached analysis of a term.
type termInfo struct {
	term  string   // the term, or its synonym
	plain float64  // its weight outside of identifiers
	grams []uint64 // its trigrams
}

func (s *Similarity) info(term string) termInfo {
	k, ok := s.memo[term]
	if !ok {
		k.term = synonym(term)
		k.plain = s.weight(k.term)
		k.grams = slices.Collect(trigrams(k.term))
		s.memo[term] = k
	}
	return k
}

// terms returns the terms of a text with their weights, in order and with repetitions.
func (s *Similarity) terms(text string) []weighted {
	var list []weighted
	n := 0
	for word := range strings.FieldsSeq(text) {
		factor := 1.0
		if codeWord(word) {
			factor = codeFactor
		}
		n++
		for _, t := range s.wordTerms(word) {
			if strings.ContainsAny(t, "./-_:") {
				continue // a compound: its parts follow
			}
			if first, _ := utf8.DecodeRuneInString(t); unspaced(first) {
				n++ // in such scripts two characters are a word
			}
			k := s.info(t)
			list = append(list, weighted{k, factor * k.plain, n})
		}
	}
	return list
}

// wordTerms returns the terms of a word. A single digit, which an index leaves out, is a
// term here: version 2 differs from version 3.
func (s *Similarity) wordTerms(word string) []string {
	terms := s.tok.tokens(word)
	if len(terms) == 0 {
		if word = strings.Trim(word, marks); len(word) == 1 && word[0] >= '0' && word[0] <= '9' {
			return []string{word}
		}
	}
	return terms
}

// marks are the punctuation that surrounds words.
const marks = ".,;:()'\"`!?[]{}*"

const codeFactor = 0.3

func (s *Similarity) weight(term string) float64 {
	p := rarity(term)
	if s.stats != nil {
		holding, all := s.stats(term)
		p = max(p, float64(holding)/float64(all+500))
	}
	return math.Log(1 + 1/p)
}

// codeWord reports whether a word of a text is an identifier, path, number or code rather
// than a plain word: it contains a digit or a sign, or a capital after its first letter.
func codeWord(word string) bool {
	word = strings.Trim(word, marks)
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
