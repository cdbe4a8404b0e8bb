package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// RecallOptions are the options of Recall.
type RecallOptions struct {
	Text          string   // the present problem; at most 64 KiB, and at least one word
	Branch        string   // empty: all branches
	MinSimilarity *float64 // 0 to 1: the least similar hit; nil: near-duplicates
	Limit         int      // of hits; 0: DefaultRecallLimit
	Strict        bool     // no related hits
	Weights       *Weights // nil: those of the repository
}

// The limits of a recall.
const (
	DefaultRecallLimit = 3   // hits; readers rarely look at more
	mostRecallLimit    = 100 // hits
	maxRecallText      = 64 << 10

	lookedUp    = 64 // terms of the text whose frequency is looked up
	recallTerms = 16 // terms that select candidates: the rarest in this memory
	recallCases = 32 // candidates to compare, at least; or twice the limit
	MostRelated = 3  // hits that are shown if no case is similar enough
)

// Recall finds the commits, steps and topics of all branches that describe the same problem
// as a text, the most similar first. A hit's Score is that of its words; its Similarity,
// Duplicate and Related are never nil. Only a near-duplicate is known to help, so no other
// case is returned unless MinSimilarity is set; see index.Similarity for the measure and
// index.DuplicateAt for the threshold.
//
// If no case is similar enough, Recall returns at most three hits that Search ranks first
// for the words of the text, unless Strict is set. These are Related and never Duplicate,
// whatever their similarity.
//
// Candidates are the best by the rarest words of the text, as Search ranks them without
// notes; these are read and compared completely. An entry that several branches contain is
// one hit. Pending steps are excluded, because they describe the present problem itself,
// and so are superseded topics. A text of one or two words is similar to nothing. The cache
// is that of Search.
//
// It returns an error of the kind fail.ErrInvalid for a text without words or beyond the
// limits, and fail.ErrNotFound for an unknown branch. It writes nothing but the cache, and
// is safe beside any other process.
func Recall(ctx context.Context, s *store.Store, o RecallOptions) (res Result, err error) {
	res.Hits = []Hit{}
	q, err := PrepareRecall(ctx, s, o)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	common, err := q.Common()
	if err != nil {
		return res, err
	}
	if err := q.Look(ctx, Rarest(q.terms, common)); err != nil {
		return res, err
	}
	found, err := q.Near(ctx, common, index.Counts{})
	if err == nil && len(found) == 0 && !o.Strict {
		if err = q.Look(ctx, q.terms); err == nil {
			found, err = q.Related(ctx, index.Counts{})
		}
	}
	if err != nil {
		return res, err
	}
	if res.Hits, err = q.Show(ctx, found[:min(q.limit, len(found))]); err != nil {
		return res, err
	}
	return res, q.Keep(ctx)
}

// Check sets defaults, and refuses what Recall refuses of any memory.
func (o *RecallOptions) Check() error {
	if o.MinSimilarity == nil {
		least := index.DuplicateAt
		o.MinSimilarity = &least
	}
	if o.Limit == 0 {
		o.Limit = DefaultRecallLimit
	}
	switch x := *o.MinSimilarity; {
	case !(x >= 0 && x <= 1): // also for NaN
		return fail.New(fail.ErrInvalid, fail.SimilarityInvalid, fmt.Sprintf("similarity %v is not between 0 and 1", x))
	case o.Limit < 1 || o.Limit > mostRecallLimit:
		return fail.New(fail.ErrInvalid, fail.RecallLimit,
			fmt.Sprintf("%d hits cannot be shown; 1 to %d can", o.Limit, mostRecallLimit))
	case strings.TrimSpace(o.Text) == "":
		return fail.New(fail.ErrInvalid, fail.RecallEmpty, "the text is empty",
			"git context recall 'what fails, where, with which error'")
	case len(o.Text) > maxRecallText:
		return fail.New(fail.ErrInvalid, fail.RecallTooLarge,
			fmt.Sprintf("the text has %d bytes; at most %d are compared", len(o.Text), maxRecallText),
			"tell the problem in a few sentences")
	case len(index.RarestTerms(o.Text, 1)) == 0:
		return fail.New(fail.ErrInvalid, fail.RecallEmpty,
			fmt.Sprintf("'%s' contains no word to compare", prose.OneLine(o.Text, 60)),
			"describe the problem in a sentence: what fails, where, with which error")
	}
	return nil
}

// compare reads the texts of hits and compares each with the query.
func (c *corpus) compare(ctx context.Context, like *index.Similarity, hits []ranked) ([]Found, error) {
	texts, err := c.texts(ctx, hits)
	if err != nil {
		return nil, err
	}
	cases := make([]Found, len(texts))
	for i, t := range texts {
		title, body := t.title, t.body
		if hits[i].key.Kind == index.Steps { // the title of a step is its action; the problem is in its observation
			title, body, _ = strings.Cut(body, "\n")
		}
		cases[i] = Found{ranked: hits[i], similarity: like.To(title, body)}
	}
	return cases, nil
}

// commonness counts the documents that contain each of a text's terms. It counts those that are not
// searched, too: to look up every word exactly costs more than it improves.
func (c *corpus) commonness(terms []string) (index.Counts, error) {
	counts := index.Counts{Holding: make(map[string]int, len(terms))}
	for _, term := range terms {
		holding, all, err := index.Count(c.sources, term)
		if damaged := (*index.DamagedSource)(nil); errors.As(err, &damaged) {
			// As without this file of the cache, which ranking removes from the sources.
			return index.Counts{}, nil
		}
		if err != nil {
			return counts, err
		}
		counts.Holding[term], counts.Docs = holding+c.scanned.Holding[term], all+c.scanned.Docs
	}
	return counts, nil
}

// recalled reads the texts of past cases and their outcomes.
func (c *corpus) recalled(ctx context.Context, cases []Found, terms []string) ([]Hit, error) {
	list := make([]ranked, len(cases))
	for i, p := range cases {
		list[i] = p.ranked
	}
	if err := c.judge(list); err != nil {
		return nil, err
	}
	hits, err := c.show(ctx, list, terms)
	for i := range hits {
		p := &cases[i]
		duplicate := !p.related && p.similarity >= index.DuplicateAt
		hits[i].Similarity, hits[i].Duplicate, hits[i].Related = &p.similarity, &duplicate, &p.related
	}
	return hits, err
}

// judge fills in the outcomes of commits.
func (c *corpus) judge(list []ranked) error {
	if !slices.ContainsFunc(list, func(r ranked) bool { return r.key.Kind == index.Commits }) {
		return nil
	}
	known, err := c.noted()
	if err != nil {
		return err
	}
	for i := range list {
		known.judge(&list[i])
	}
	return nil
}

// dropSuperseded removes the topics that another topic of their branch supersedes. A topic
// of several branches stays with those where it is in force.
func (c *corpus) dropSuperseded(ctx context.Context, cases []Found) ([]Found, error) {
	branches := map[string]bool{}
	for _, p := range cases {
		if p.key.Kind == index.Topics {
			for _, b := range c.places[p.key].branches {
				branches[b] = true
			}
		}
	}
	if len(branches) == 0 {
		return cases, nil // most recalls find no topic
	}
	superseded, err := c.superseded(ctx, branches)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(cases, func(p Found) bool {
		if p.key.Kind != index.Topics {
			return false
		}
		place := c.places[p.key]
		place.branches = slices.DeleteFunc(slices.Clone(place.branches), func(b string) bool {
			return superseded[topicOf{b, topicName(place.path)}]
		})
		return len(place.branches) == 0
	}), nil
}

// topicOf is a topic by its branch and key.
type topicOf struct{ branch, key string }

// superseded reads the topics of branches and returns the superseded ones.
func (c *corpus) superseded(ctx context.Context, branches map[string]bool) (map[topicOf]bool, error) {
	at := map[git.ID][]topicOf{}
	var blobs []git.ID
	for _, b := range c.branches {
		if !branches[b.branch] {
			continue
		}
		for _, f := range b.files {
			if !strings.HasPrefix(f.path, doc.TopicDir+"/") {
				continue
			}
			if at[f.id] == nil {
				blobs = append(blobs, f.id)
			}
			at[f.id] = append(at[f.id], topicOf{b.branch, topicName(f.path)})
		}
	}
	gone := map[topicOf]bool{}
	err := history.EachTopicStart(ctx, c.s, blobs, 0, doc.PlainMarks, func(id git.ID, topic doc.Topic, err error) error {
		for _, by := range at[id] {
			if err != nil {
				return fmt.Errorf("topic '%s' of branch '%s': %w", by.key, by.branch, err)
			}
			if topic.Supersedes != "" && topic.Supersedes != by.key {
				gone[topicOf{by.branch, topic.Supersedes}] = true
			}
		}
		return nil
	})
	return gone, err
}
