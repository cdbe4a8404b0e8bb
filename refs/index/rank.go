package index

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"sync"
)

// The parameters of BM25, with their usual values.
const (
	saturation = 1.2  // k1: how quickly repetitions of a term lose weight
	lengthPart = 0.75 // b: how much a long document reduces the weight of its terms
)

// Source is a shard and the units in it to search.
type Source struct {
	Shard *Shard
	Units []bool // by unit: whether to search it
}

// Hit is a document that contains a term of the query.
type Hit struct {
	Source int // index among the sources
	Unit   int // index among the units of its shard
	Doc    int // index among the documents of its unit
	ID     DocID
	Score  float64 // BM25
}

// DamagedSource reports that the source with index Source is damaged.
type DamagedSource struct {
	Source int
	Err    error
}

// Error returns the message of Err.
func (e *DamagedSource) Error() string { return e.Err.Error() }

// Unwrap returns Err, which wraps ErrDamaged or is an error of reading.
func (e *DamagedSource) Unwrap() error { return e.Err }

// Rank returns the documents that contain any of the terms, the best first, as [Query.Rank]. If a
// source is damaged, the error is a *DamagedSource. It is safe for concurrent use.
func Rank(sources []Source, terms []string, most int, keep func(Kind, DocID) bool, beside Counts) ([]Hit, error) {
	q, err := NewQuery(sources, terms, beside)
	if err != nil {
		return nil, err
	}
	return q.Rank(most, keep, Counts{}), nil
}

// Query is a search for terms in sources that were read and are not ranked yet. One goroutine may
// use it.
type Query struct {
	terms []string // sorted, without repetitions
	found [][][]posting
	r     ranking
}

// NewQuery reads where the sources contain terms. beside are documents that are in no source and
// count too. If a source is damaged, the error is a *DamagedSource.
func NewQuery(sources []Source, terms []string, beside Counts) (*Query, error) {
	q := &Query{terms: slices.Compact(slices.Sorted(slices.Values(terms)))}
	q.r = ranking{sources: sources, beside: beside, alive: make([][]bool, len(sources))}
	q.r.countSearched()
	var err error
	q.found, err = q.r.find(q.terms)
	return q, err
}

// Counts returns the statistics by which Rank weighs, those of the documents beside included. Those of
// several queries for the same terms may be added.
func (q *Query) Counts() Counts {
	c := Counts{Docs: q.r.count, Length: q.r.length, Holding: make(map[string]int, len(q.terms))}
	for t, term := range q.terms {
		c.Holding[term] = q.r.beside.Holding[term]
		for _, lists := range q.found {
			c.Holding[term] += len(lists[t])
		}
	}
	return c
}

// Rank returns the documents that contain any of the terms, the best first; of equal ones
// the younger (the larger id) first. It leaves out documents for which keep is false, all
// but the first document of each id and kind, and those after the best most.
//
// A term's frequency in a document is weighted by its rarity among the searched documents:
//
//	sum over terms of  ln(1 + (N-n+0.5)/(n+0.5)) · f·(k1+1) / (f + k1·(1 - b + b·length/average))
//
// where N is the number of documents, n the number of those that contain the term, f the
// term's frequency; k1 = 1.2 and b = 0.75. N, n and the average length are those of all, if all
// counts any document, else those of Counts. So the scores of queries in several indexes can be
// compared if all is the sum of their Counts: they are what one index of everything would give.
func (q *Query) Rank(most int, keep func(Kind, DocID) bool, all Counts) []Hit {
	if all.Docs == 0 {
		all = q.Counts()
	}
	q.r.addScores(q.terms, q.found, all)
	return q.r.best(most, keep)
}

// Add adds the statistics of other documents.
func (c *Counts) Add(other Counts) {
	c.Docs, c.Length = c.Docs+other.Docs, c.Length+other.Length
	if c.Holding == nil {
		c.Holding = map[string]int{}
	}
	for term, n := range other.Holding {
		c.Holding[term] += n
	}
}

type ranking struct {
	sources []Source
	beside  Counts
	alive   [][]bool    // by source and document: whether it is searched
	scores  [][]float64 // by source and document
	count   int         // number of searched documents, and
	length  int         // their length, those beside included
}

// countSearched counts the searched documents.
func (r *ranking) countSearched() {
	r.count, r.length = r.beside.Docs, r.beside.Length
	for i, src := range r.sources {
		r.alive[i] = make([]bool, src.Shard.count)
		for u, unit := range src.Shard.units {
			if !src.Units[u] {
				continue
			}
			r.count += unit.Docs
			for doc := unit.first; doc < unit.first+unit.Docs; doc++ {
				r.alive[i][doc] = true
				r.length += src.Shard.length(doc)
			}
		}
	}
}

// find reads the postings of terms, by source and term. It reads the sources concurrently.
func (r *ranking) find(terms []string) ([][][]posting, error) {
	found, errs := make([][][]posting, len(r.sources)), make([]error, len(r.sources))
	var wg sync.WaitGroup
	for i := range r.sources {
		wg.Go(func() {
			found[i] = make([][]posting, len(terms))
			for t, term := range terms {
				if found[i][t], errs[i] = r.postings(i, termHash(term)); errs[i] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, &DamagedSource{i, err}
		}
	}
	return found, nil
}

// addScores scores the documents that contain terms, by the statistics of all documents.
func (r *ranking) addScores(terms []string, found [][][]posting, all Counts) {
	average := max(1, float64(all.Length)) / float64(max(1, all.Docs))
	rare := make([]float64, len(terms))
	for t, term := range terms {
		rare[t] = rareness(all.Docs, all.Holding[term])
	}
	r.scores = make([][]float64, len(r.sources))
	var wg sync.WaitGroup
	for i, lists := range found {
		wg.Go(func() {
			shard := r.sources[i].Shard
			scores := make([]float64, shard.count)
			for t, list := range lists {
				for _, p := range list {
					scores[p.doc] += rare[t] * termScore(float64(p.count), float64(shard.length(int(p.doc)))/average)
				}
			}
			r.scores[i] = scores
		})
	}
	wg.Wait()
}

// rareness is the weight of a term that n of all documents contain.
func rareness(all, n int) float64 {
	return math.Log(1 + (float64(max(0, all-n))+0.5)/(float64(n)+0.5))
}

// termScore is the score of a term of weight 1 that occurs f times in a document of a
// length, of which 1 is the average.
func termScore(f, length float64) float64 {
	return f * (saturation + 1) / (f + saturation*(1-lengthPart+lengthPart*length))
}

// postings returns a term's postings in the searched documents of a source.
func (r *ranking) postings(source int, term uint64) ([]posting, error) {
	l, err := r.sources[source].Shard.find(term)
	if err != nil {
		return nil, err
	}
	alive, list := r.alive[source], make([]posting, 0, min(l.left, l.docs))
	for {
		p, ok, err := l.read()
		if err != nil || !ok {
			return list, err
		}
		if alive[p.doc] {
			list = append(list, p)
		}
	}
}

// found is a document with a score.
type found struct {
	source, doc int
	score       float64
}

// best sorts the documents found. Callers want few of many, so it looks at the highest
// scores first, and at more of them as long as they do not suffice.
func (r *ranking) best(most int, keep func(Kind, DocID) bool) []Hit {
	type identity struct {
		kind Kind
		id   DocID
	}
	seen := map[identity]bool{}
	var hits []Hit
	above := math.Inf(1)
	for n := max(2*most, 256); above > 0 && len(hits) < most; n *= 8 {
		from := r.scoreOf(n)
		for _, f := range r.between(from, above) {
			if len(hits) == most {
				break
			}
			h := r.hit(f)
			id := identity{r.sources[f.source].Shard.units[h.Unit].Key.Kind, h.ID}
			if seen[id] || keep != nil && !keep(id.kind, id.id) {
				continue
			}
			seen[id] = true
			hits = append(hits, h)
		}
		above = from
	}
	return hits
}

// scoreOf estimates the score of the n-th best document from a sample; 0 if there are
// hardly as many documents.
func (r *ranking) scoreOf(n int) float64 {
	const step = 8
	var sample []float64
	for _, scores := range r.scores {
		for doc := 0; doc < len(scores); doc += step {
			if scores[doc] > 0 {
				sample = append(sample, scores[doc])
			}
		}
	}
	if len(sample) <= n/step {
		return 0
	}
	slices.Sort(sample)
	return sample[len(sample)-1-n/step]
}

// between returns the documents with from <= score < below, the best first.
func (r *ranking) between(from, below float64) []found {
	var list []found
	for i, scores := range r.scores {
		for doc, score := range scores {
			if score > 0 && score >= from && score < below {
				list = append(list, found{i, doc, score})
			}
		}
	}
	slices.SortFunc(list, func(a, b found) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		x, y := r.sources[a.source].Shard.id(a.doc), r.sources[b.source].Shard.id(b.doc)
		if c := bytes.Compare(y[:], x[:]); c != 0 {
			return c
		}
		// The order must not depend on the distribution of units among shards.
		u, v := r.unit(a).Key, r.unit(b).Key
		return cmp.Or(cmp.Compare(u.Kind, v.Kind), bytes.Compare(u.ID[:], v.ID[:]))
	})
	return list
}

func (r *ranking) unit(f found) Unit {
	s := r.sources[f.source].Shard
	return s.units[s.unitOf(f.doc)]
}

func (r *ranking) hit(f found) Hit {
	s := r.sources[f.source].Shard
	unit := s.unitOf(f.doc)
	return Hit{Source: f.source, Unit: unit, Doc: f.doc - s.units[unit].first, ID: s.id(f.doc), Score: f.score}
}

// Count returns the number of documents in the sources' shards that contain a term, and the
// number of all documents. Both are estimates, because documents that are not searched
// count too. If a source is damaged, the error is a *DamagedSource.
func Count(sources []Source, term string) (holding, all int, err error) {
	for i, src := range sources {
		l, err := src.Shard.find(termHash(term))
		if err != nil {
			return 0, 0, &DamagedSource{i, err}
		}
		holding += l.left
		all += src.Shard.count
	}
	return holding, all, nil
}
