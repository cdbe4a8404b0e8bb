package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/store"
)

// Query is a Search or Recall of one repository, in steps. Search and Recall take these steps
// themselves; package across takes them in several repositories and ranks by the statistics of all.
// One goroutine at a time may use it. The caller closes it.
type Query struct {
	c       *corpus
	o       Options // of a Search
	terms   []string
	limit   int
	weights *Weights
	words   *index.Query // of the terms that Look was given
	recall  *RecallOptions
}

// Found is a hit that is not shown yet.
type Found struct {
	ranked
	similarity float64 // of a recall
	related    bool
}

// Score is that of Hit, not rounded.
func (f *Found) Score() float64 { return f.score }

// Similarity is that of a recall's Hit.
func (f *Found) Similarity() float64 { return f.similarity }

// Outcome is that of Hit. It is known after Best, Related and Judge.
func (f *Found) Outcome() *string { return f.outcome }

// Kind is that of Hit.
func (f *Found) Kind() index.Kind { return f.key.Kind }

// EntryID is the id of an entry, which its copies in other repositories share; zero for a topic.
func (f *Found) EntryID() (id index.DocID) {
	if f.key.Kind != index.Topics {
		id = f.Hit.ID
	}
	return id
}

// Prepare checks the options of a Search, indexes what is new and looks up the words of the query.
func Prepare(ctx context.Context, s *store.Store, o Options) (q *Query, err error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	terms := index.Tokens(o.Query)
	w, err := searchWeights(ctx, s, o.Weights)
	if err != nil {
		return nil, err
	}
	scanned := terms
	if !o.Filter.All() { // few texts, and a scan does not know which of them are meant
		scanned = nil
	}
	c, err := readCorpus(ctx, s, o.Branch, o.All, wanted{kinds: o.kinds, pending: true, terms: scanned})
	if err != nil {
		return nil, err
	}
	q = &Query{c: c, o: o, terms: terms, limit: o.Limit, weights: w}
	if err := q.Look(ctx, terms); err != nil {
		return nil, errors.Join(err, q.Close())
	}
	return q, nil
}

// PrepareRecall checks the options of a Recall and indexes what is new.
func PrepareRecall(ctx context.Context, s *store.Store, o RecallOptions) (*Query, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	terms := index.RarestTerms(o.Text, lookedUp)
	c, err := readCorpus(ctx, s, o.Branch, o.Branch == "", wanted{kinds: everyKind, lazy: o.Strict, terms: terms})
	if err != nil {
		return nil, err
	}
	return &Query{c: c, terms: terms, limit: o.Limit, recall: &o}, nil
}

// Terms are the terms of the query, or those of the text that Common counts.
func (q *Query) Terms() []string { return q.terms }

// Common estimates how common the terms of a recall's text are.
func (q *Query) Common() (index.Counts, error) { return q.c.commonness(q.terms) }

// Rarest returns the rarest terms that occur at all: few documents have to be ranked by these. all is
// the sum of Common.
func Rarest(terms []string, all index.Counts) []string {
	rarest := terms
	if all.Docs > 0 {
		rarest = slices.DeleteFunc(slices.Clone(terms), func(term string) bool { return all.Holding[term] == 0 })
		slices.SortStableFunc(rarest, func(a, b string) int { return cmp.Compare(all.Holding[a], all.Holding[b]) })
	}
	return rarest[:min(recallTerms, len(rarest))]
}

// Look looks up terms, by which the next steps rank.
func (q *Query) Look(ctx context.Context, terms []string) (err error) {
	q.words, err = q.c.find(ctx, terms)
	return err
}

// Counts returns the statistics of the terms that were looked up.
func (q *Query) Counts() index.Counts { return q.words.Counts() }

// mostWeighed is how many of the best by words are weighed by their notes.
const mostWeighed = 256

// Best returns the best most hits by words and judgements. all is the sum of the Counts of all
// repositories that are searched; zero: this one's.
func (q *Query) Best(ctx context.Context, most int, all index.Counts) ([]Found, error) {
	keep, err := q.c.filter(ctx, q.o.Filter)
	if err != nil {
		return nil, err
	}
	list, err := q.c.weigh(ctx, q.words.Rank(max(mostWeighed, 2*most), keep, all), q.weights)
	if err != nil {
		return nil, err
	}
	found := make([]Found, min(most, len(list)))
	for i := range found {
		found[i].ranked = list[i]
	}
	return found, nil
}

// Near compares the candidates of a recall and returns those that are similar enough, the most similar
// first. common is the sum of Common, all that of Counts, as in Best.
func (q *Query) Near(ctx context.Context, common, all index.Counts) ([]Found, error) {
	var list []ranked
	for _, h := range q.words.Rank(max(recallCases, 2*q.limit), nil, all) {
		list = append(list, ranked{Hit: h, key: q.c.keyOf(h), score: h.Score})
	}
	stats := func(term string) (int, int) { return common.Holding[term], common.Docs }
	cases, err := q.c.compare(ctx, index.NewSimilarity(q.recall.Text, stats), list)
	if err != nil {
		return nil, err
	}
	cases = slices.DeleteFunc(cases, func(p Found) bool { return p.similarity < *q.recall.MinSimilarity })
	if cases, err = q.c.dropSuperseded(ctx, cases); err != nil {
		return nil, err
	}
	slices.SortStableFunc(cases, func(a, b Found) int { return cmp.Compare(b.similarity, a.similarity) })
	return cases, nil
}

// Related returns what Search finds for the words of a recall's text, if Look was given all of them. all
// is as in Best.
func (q *Query) Related(ctx context.Context, all index.Counts) ([]Found, error) {
	w, err := searchWeights(ctx, q.c.s, q.recall.Weights)
	if err != nil {
		return nil, err
	}
	list, err := q.c.weigh(ctx, q.words.Rank(mostWeighed, nil, all), w)
	if err != nil {
		return nil, err
	}
	// More than are shown, because superseded topics are among them.
	cases, err := q.c.compare(ctx, index.NewSimilarity(q.recall.Text, nil), list[:min(recallCases, len(list))])
	if err != nil {
		return nil, err
	}
	if cases, err = q.c.dropSuperseded(ctx, cases); err != nil {
		return nil, err
	}
	for i := range cases {
		cases[i].related = true
	}
	return cases[:min(MostRelated, len(cases))], nil
}

// Judge fills in the outcomes of what Near found.
func (q *Query) Judge(found []Found) error {
	list := make([]ranked, len(found))
	for i := range found {
		list[i] = found[i].ranked
	}
	err := q.c.judge(list)
	for i := range found {
		found[i].ranked = list[i]
	}
	return err
}

// Text is the text of a hit.
type Text struct{ Title, Body string }

// Texts reads the texts of hits: of a commit its summary and contribution, of a topic its key and text,
// of a step no title. Of each, at most 256 KiB are read.
func (q *Query) Texts(ctx context.Context, found []Found) ([]Text, error) {
	list := make([]ranked, len(found))
	for i := range found {
		list[i] = found[i].ranked
	}
	texts, err := q.c.texts(ctx, list)
	out := make([]Text, len(texts))
	for i, t := range texts {
		out[i] = Text{t.title, t.body}
		if list[i].key.Kind == index.Steps {
			out[i].Title = ""
		}
		out[i].Body = strings.TrimSpace(out[i].Body)
	}
	return out, err
}

// Show makes Hits of what was found.
func (q *Query) Show(ctx context.Context, found []Found) ([]Hit, error) {
	if q.recall != nil {
		return q.c.recalled(ctx, found, q.terms)
	}
	list := make([]ranked, len(found))
	for i := range found {
		list[i] = found[i].ranked
	}
	return q.c.show(ctx, list, q.terms)
}

// Keep writes what was indexed into the cache, if it is worth it.
func (q *Query) Keep(ctx context.Context) error { return q.c.keep(ctx) }

// Close closes the files of the cache. The Store stays open.
func (q *Query) Close() error { return q.c.close() }
