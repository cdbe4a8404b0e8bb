package index

import "slices"

// words is a text as it is compared: its different terms.
type words struct {
	terms  []word
	at     map[string]int // in terms
	weight float64        // of all terms
	size   float64        // of all words
	count  int            // of words, fillers aside
}

// word is a term, what it weighs, the number of its word, and which part of that word it
// is. By size every word counts 1, a filler less, a part of an identifier its part: where
// two texts are short, a common word that differs makes two problems as a rare one does.
type word struct {
	weighted
	size float64
}

const fillerSize = 0.4 // of a word

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

// add adds the terms of a word, those that are new; of one that is not, the larger weight
// counts.
func (w *words) add(terms []weighted) {
	telling := false
	for _, t := range terms {
		if i, ok := w.at[t.term]; ok {
			w.terms[i].weight = max(w.terms[i].weight, t.weight)
			continue
		}
		size := 1 / float64(len(terms))
		if fillerWord(t.term) {
			size *= fillerSize
		} else {
			telling = true
		}
		w.at[t.term] = len(w.terms)
		w.terms = append(w.terms, word{t, size})
		w.size += size
	}
	if telling {
		w.count++
	}
}

// shared says what of a text another one holds, in whatever form.
type shared struct {
	weight float64 // of the terms that it holds
	lacks  float64 // part of the words that it does not hold
	words  int     // that it holds, fillers aside
}

func (w *words) sharedWith(other *words) (s shared) {
	forms := len(w.terms) <= mostForms && len(other.terms) <= mostForms
	last := -1
	for i := range w.terms {
		t, near := &w.terms[i], 0.0
		if _, ok := other.at[t.term]; ok {
			near = 1
		} else if forms {
			near = other.form(&t.known)
		}
		s.weight += near * t.weight
		switch {
		case near == 0:
			s.lacks += t.size / w.size
		case t.number != last && !fillerWord(t.term):
			s.words++
			last = t.number
		}
	}
	return s
}

// leastAlike is the part of trigrams from which on two terms are forms of one word.
const leastAlike = 0.6

// mostForms is how many terms a text may have to be looked through for other forms of a
// word: in longer ones a form of any word is found somewhere.
const mostForms = 2 * passage

// form says how near the nearest other form of a term is, 0 where there is none.
func (w *words) form(k *known) float64 {
	best := 0.0
	for i := range w.terms {
		if t := &w.terms[i]; t.term[0] == k.term[0] {
			best = max(best, alike(&t.known, k))
		}
	}
	return best
}

// alike says whether two terms look like forms of one word, or one like a typing error of
// the other: the part of trigrams that they share, 0 below leastAlike. Numbers are the same
// or not.
func alike(a, b *known) float64 {
	least, most := min(len(a.grams), len(b.grams)), max(len(a.grams), len(b.grams))
	if a.term[0] >= '0' && a.term[0] <= '9' || float64(least) < leastAlike*float64(most) {
		return 0
	}
	same := 0
	for _, g := range a.grams {
		if slices.Contains(b.grams, g) {
			same++
		}
	}
	if x := float64(same) / float64(most); x >= leastAlike {
		return x
	}
	return 0
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
