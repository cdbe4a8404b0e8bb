package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// RecallOptions are one question for a past case.
type RecallOptions struct {
	Text          string   // the problem at hand; at most 64 KiB, and at least one word
	Branch        string   // only the cases of this branch; empty: of all
	MinSimilarity *float64 // 0 to 1: what is shown; nil: near-duplicates
	Limit         int      // of hits; 0: DefaultRecallLimit
}

// The limits of a recall.
const (
	DefaultRecallLimit = 3   // hits, where nobody says otherwise: more are not read
	mostRecallLimit    = 100 // hits
	maxRecallText      = 64 << 10

	lookedUp    = 64 // of a text's terms, whose commonness is asked
	recallTerms = 16 // by which candidates are looked for: the rarest in this memory
	recallCases = 32 // candidates that are compared, or twice the limit
)

// Recall finds the milestones, steps and topics, of all branches, that tell of the same
// problem as a text: what an agent did or knew before, the nearest first. The Score of a
// hit is that of its words; its Similarity and Duplicate are never nil. Only a near-duplicate is known to
// help, so nothing else is shown unless MinSimilarity asks for it; see index.Similarity
// for what is measured and index.DuplicateAt for the threshold.
//
// Candidates are the best by the text's most telling words, as Search ranks them without
// notes; these are read and compared in full. An entry that stands on several branches is
// one hit. Pending steps are no past cases: among them is the very problem that is asked
// about. Neither are topics that another one supersedes. A text of a word or two is a
// duplicate of nothing, and finds nothing. The cache is that of Search.
//
// It fails with fail.ErrInvalid for a text without words or beyond the limits, and with
// fail.ErrNotFound for a branch that does not exist. It writes nothing but the cache, and is
// safe beside any other process.
func Recall(ctx context.Context, s *store.Store, o RecallOptions) (res Result, err error) {
	res.Hits = []Hit{}
	if err := o.check(); err != nil {
		return res, err
	}
	terms := index.RarestTerms(o.Text, lookedUp)
	if len(terms) == 0 {
		return res, fail.New(fail.ErrInvalid, fail.RecallEmpty, fmt.Sprintf("'%s' holds no word to compare", prose.OneLine(o.Text, 60)),
			"tell the problem in a sentence: what fails, where, with which error")
	}
	c, err := readCorpus(ctx, s, o.Branch, o.Branch == "", wanted{everyKind, false})
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	cases, err := c.near(ctx, o, terms)
	if err != nil {
		return res, err
	}
	if res.Hits, err = c.recalled(ctx, cases, terms); err != nil {
		return res, err
	}
	return res, c.keep(ctx)
}

func (o *RecallOptions) check() error {
	if o.MinSimilarity == nil {
		least := index.DuplicateAt
		o.MinSimilarity = &least
	}
	if o.Limit == 0 {
		o.Limit = DefaultRecallLimit
	}
	switch x := *o.MinSimilarity; {
	case !(x >= 0 && x <= 1): // NaN neither
		return fail.New(fail.ErrInvalid, fail.SimilarityInvalid, fmt.Sprintf("similarity %v is not between 0 and 1", x))
	case o.Limit < 1 || o.Limit > mostRecallLimit:
		return fail.New(fail.ErrInvalid, fail.RecallLimit, fmt.Sprintf("%d hits cannot be shown; 1 to %d can", o.Limit, mostRecallLimit))
	case strings.TrimSpace(o.Text) == "":
		return fail.New(fail.ErrInvalid, fail.RecallEmpty, "the text is empty", "git context recall 'what fails, where, with which error'")
	case len(o.Text) > maxRecallText:
		return fail.New(fail.ErrInvalid, fail.RecallTooLarge, fmt.Sprintf("the text has %d bytes; at most %d are compared", len(o.Text), maxRecallText),
			"tell the problem in a few sentences")
	}
	return nil
}

// pastCase is a candidate that is near enough.
type pastCase struct {
	ranked
	similarity float64
}

// near compares the candidates and gives those that are near enough, the nearest first.
func (c *corpus) near(ctx context.Context, o RecallOptions, terms []string) ([]pastCase, error) {
	rarest, stats, err := c.commonness(terms)
	if err != nil {
		return nil, err
	}
	hits, err := c.candidates(ctx, rarest, max(recallCases, 2*o.Limit))
	if err != nil {
		return nil, err
	}
	texts, err := c.texts(ctx, hits)
	if err != nil {
		return nil, err
	}
	like := index.NewSimilarity(o.Text, stats)
	var cases []pastCase
	for i, t := range texts {
		title, body := t.title, t.body
		if hits[i].key.Kind == index.Steps { // its title is what was done; a problem is what was seen
			title, body, _ = strings.Cut(body, "\n")
		}
		if x := like.To(title, body); x >= *o.MinSimilarity {
			cases = append(cases, pastCase{hits[i], x})
		}
	}
	if cases, err = c.dropSuperseded(ctx, cases); err != nil {
		return nil, err
	}
	slices.SortStableFunc(cases, func(a, b pastCase) int { return cmp.Compare(b.similarity, a.similarity) })
	return cases[:min(o.Limit, len(cases))], nil
}

// candidates are the committed entries and topics that hold most of the terms.
func (c *corpus) candidates(ctx context.Context, terms []string, most int) ([]ranked, error) {
	hits, err := c.rank(ctx, terms, most, nil)
	if err != nil {
		return nil, err
	}
	var list []ranked
	for _, h := range hits {
		list = append(list, ranked{Hit: h, key: c.sources[h.Source].Shard.Units()[h.Unit].Key, score: h.Score})
	}
	return list, nil
}

// commonness says how many documents hold each of a text's terms, and which terms are
// the rarest of those that any holds: few documents are ranked by these. Other words are
// left to the built-in estimate: to look up every word of every candidate costs more
// than it tells.
func (c *corpus) commonness(terms []string) (rarest []string, stats index.Stats, err error) {
	type count struct{ holding, all int }
	counts := make(map[string]count, len(terms))
	for _, term := range terms {
		holding, all, err := index.Count(c.sources, term)
		if damaged := (*index.DamagedSource)(nil); errors.As(err, &damaged) {
			// A file of the cache, as if it were not there: ranking puts it away.
			return terms[:min(recallTerms, len(terms))], nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		counts[term] = count{holding, all}
		if holding > 0 {
			rarest = append(rarest, term)
		}
	}
	slices.SortStableFunc(rarest, func(a, b string) int { return cmp.Compare(counts[a].holding, counts[b].holding) })
	return rarest[:min(recallTerms, len(rarest))],
		func(term string) (int, int) { return counts[term].holding, counts[term].all }, nil
}

// recalled reads what past cases say and what became of them.
func (c *corpus) recalled(ctx context.Context, cases []pastCase, terms []string) ([]Hit, error) {
	list := make([]ranked, len(cases))
	for i, p := range cases {
		list[i] = p.ranked
	}
	if slices.ContainsFunc(list, func(r ranked) bool { return r.key.Kind == index.Commits }) {
		known, err := c.noted()
		if err != nil {
			return nil, err
		}
		for i := range list {
			known.judge(&list[i])
		}
	}
	hits, err := c.show(ctx, list, terms)
	for i := range hits {
		duplicate := cases[i].similarity >= index.DuplicateAt
		hits[i].Similarity, hits[i].Duplicate = &cases[i].similarity, &duplicate
	}
	return hits, err
}
