package index

import (
	"cmp"
	"slices"
)

// Telling returns at most most of a text's terms, the rarest in technical texts first.
// Ranking by these few finds what ranking by all terms of a long text finds, without
// reading the postings of every common word.
func Telling(text string, most int) []string {
	var terms []string
	for _, t := range Tokens(text) {
		if !slices.Contains(terms, t) {
			terms = append(terms, t)
		}
		if len(terms) == mostDistinct {
			break
		}
	}
	slices.SortStableFunc(terms, func(a, b string) int { return cmp.Compare(rarity(a), rarity(b)) })
	return terms[:min(most, len(terms))]
}

// mostDistinct bounds the cost of Telling for long texts: a problem is described by the
// first terms.
const mostDistinct = 1000

// Count returns the number of documents in the sources' shards that contain a term, and the
// number of all documents. Both are estimates, because documents that are not searched
// count too. If a source is damaged, the error is a *DamagedSource.
func Count(sources []Source, term string) (holding, all int, err error) {
	for i, src := range sources {
		l, err := src.Shard.find(TermHash(term))
		if err != nil {
			return 0, 0, &DamagedSource{i, err}
		}
		holding += l.left
		all += src.Shard.count
	}
	return holding, all, nil
}
