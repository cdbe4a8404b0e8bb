package index

import (
	"cmp"
	"slices"
)

// Telling gives at most most of a text's terms, those that are rare among texts of the
// trade first. Ranking by these few finds what ranking by all terms of a long text does,
// without reading where every common word stands.
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

// mostDistinct bounds Telling for a text that is all different words: a problem is told
// long before.
const mostDistinct = 1000

// Count says how many documents of the sources' shards hold a term, and how many there
// are: an estimate, for documents that are not searched are counted too. A source that
// is damaged gives a *DamagedSource.
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
