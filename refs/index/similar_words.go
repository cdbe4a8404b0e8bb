package index

import "slices"

// words is a text prepared for comparison: its distinct terms.
type words struct {
	terms  []word
	at     map[string]int // index in terms
	weight float64        // of all terms
	size   float64        // of all words
	count  int            // number of words, without fillers
}

// word is a term with its weight, the number of its word, and its size: the part of that
// word that it is. A word has size 1 and a filler less; the terms of an identifier share
// its size. Sizes ignore rarity: in short texts, a common word that differs makes as much
// of a difference as a rare one.
type word struct {
	weighted
	size float64
}

const fillerSize = 0.4 // in words

func wordsOf(list []weighted) words {
	w := words{at: make(map[string]int, len(list))}
	for start := 0; start < len(list); {
		end := start + 1
		for end < len(list) && list[end].number == list[start].number {
			end++
		}
		w.add(list[start:end])
		start = end
	}
	for _, t := range w.terms {
		w.weight += t.weight
	}
	return w
}

// add adds the new terms of a word. For a known term, the larger weight counts.
func (w *words) add(terms []weighted) {
	distinctive := false
	for _, t := range terms {
		if i, ok := w.at[t.term]; ok {
			w.terms[i].weight = max(w.terms[i].weight, t.weight)
			continue
		}
		size := 1 / float64(len(terms))
		if fillerWord(t.term) {
			size *= fillerSize
		} else {
			distinctive = true
		}
		w.at[t.term] = len(w.terms)
		w.terms = append(w.terms, word{t, size})
		w.size += size
	}
	if distinctive {
		w.count++
	}
}

// shared is the part of one text that another contains in any form.
type shared struct {
	weight  float64 // of the common terms
	missing float64 // part of the words that the other text lacks
	words   int     // number of common words, without fillers
}

func (w *words) sharedWith(other *words) (s shared) {
	forms := len(w.terms) <= maxForms && len(other.terms) <= maxForms
	last := -1
	for i := range w.terms {
		t, near := &w.terms[i], 0.0
		if _, ok := other.at[t.term]; ok {
			near = 1
		} else if forms {
			near = other.form(&t.termInfo)
		}
		s.weight += near * t.weight
		switch {
		case near == 0:
			s.missing += t.size / w.size
		case t.number != last && !fillerWord(t.term):
			s.words++
			last = t.number
		}
	}
	return s
}

// minFormShare is the share of common trigrams from which on two terms are forms of one word.
const minFormShare = 0.6

// maxForms is the maximum number of terms of a text that is searched for other forms of
// words: a longer text contains a similar term for any word.
const maxForms = 2 * passageTerms

// form returns the similarity of the most similar form of a term, 0 if there is none.
func (w *words) form(k *termInfo) float64 {
	best := 0.0
	for i := range w.terms {
		if t := &w.terms[i]; t.term[0] == k.term[0] {
			best = max(best, formShare(&t.termInfo, k))
		}
	}
	return best
}

// formShare returns the share of common trigrams of two terms, if they seem to be forms of one
// word or one a typing error of the other; 0 below minFormShare. Numbers are equal or
// different.
func formShare(a, b *termInfo) float64 {
	least, most := min(len(a.grams), len(b.grams)), max(len(a.grams), len(b.grams))
	if a.term[0] >= '0' && a.term[0] <= '9' || float64(least) < minFormShare*float64(most) {
		return 0
	}
	same := 0
	for _, g := range a.grams {
		if slices.Contains(b.grams, g) {
			same++
		}
	}
	if x := float64(same) / float64(most); x >= minFormShare {
		return x
	}
	return 0
}

// trigrams yields every three characters of a term, including a mark at either end, packed
// into a number. There are as many as the term has characters.
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
