package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
	"github.com/oklog/ulid/v2"
)

// Options are one search.
type Options struct {
	Query          string
	Branch         string // empty: the current one
	All            bool   // all branches; Branch is then empty
	In             string // InCommits, InSteps, InTopics; empty: all of them
	history.Filter        // with one, only milestones are found: nothing else is judged
	Limit          int    // of hits; 0: DefaultLimit
}

// What can be searched.
const (
	InCommits = "commits"
	InSteps   = "steps"
	InTopics  = "topics"
)

// The limits of a search.
const (
	DefaultLimit    = 10   // hits, where nobody says otherwise
	mostSearchLimit = 1000 // hits
	maxQuery        = 8192 // bytes
)

// Hit is an entry or topic that a search or recall found.
type Hit struct {
	Kind       string   `json:"kind"`   // commit, step, topic
	ID         string   `json:"id"`     // of the entry; a topic's key
	Commit     *git.ID  `json:"commit"` // a milestone's; nil for what has none of its own, and where history lacks it
	Branch     string   `json:"branch"` // that recorded it; for a topic, one that holds it
	Title      string   `json:"title"`  // the whole summary, a topic's key, what a step did
	Snippet    string   `json:"snippet"`
	Score      float64  `json:"score"`      // of the ranking
	Outcome    *string  `json:"outcome"`    // a milestone's, by its note or tags; nil where nothing is known
	Noted      *float64 `json:"noted"`      // a milestone's score, by its note
	Similarity *float64 `json:"similarity"` // of recall
	Duplicate  *bool    `json:"duplicate"`  // of recall
	Open       string   `json:"open"`       // the command that shows it
}

// Result is what a search found, the best first.
type Result struct {
	Hits []Hit `json:"hits"`
}

// Search finds the milestones, steps and topics that hold words of the query, the best
// first. Pending steps are steps. An entry that stands on several branches, as a merge
// leaves it, is one hit.
//
// # Ranking
//
// What is found is ordered by
//
//	score = words · (1 + (judged - 1/2)/2)
//	judged = 0.7·score + 0.2·outcome + 0.1·recency     (the weights of context.search.*)
//
// where words is BM25 (package index), score the note's, outcome 1 for success and 0 for
// failed or abandoned, each 1/2 where nothing is noted, and recency halves every 30 days
// from 1. So a note moves what was found by a quarter up or down, and no praise brings up
// what has less than 3/5 of the words' worth of another hit. A topic has no date: its
// recency is 1/2.
//
// # Cache
//
// Below the local state stands an index of what the branches hold, keyed by the ids of
// blobs and trees: it can be incomplete but is never stale, and may be deleted at any
// time. It takes about a third of the indexed text, and at most context.search.cacheLimit
// bytes (256 MiB). It is written only when it lacks documents of 64 KiB or more, beside its
// place, and by one search at a time; others go on without. Nothing that writes memory
// touches it.
func Search(ctx context.Context, s *store.Store, o Options) (res Result, err error) {
	res.Hits = []Hit{}
	if err := o.check(); err != nil {
		return res, err
	}
	terms := index.Tokens(o.Query)
	if len(terms) == 0 {
		return res, fail.New(fail.ErrInvalid, fail.QueryEmpty, fmt.Sprintf("'%s' holds no word to search for", prose.OneLine(o.Query, 60)),
			"give a word that tells one text from another: a name, an error, a file")
	}
	w, err := searchWeights(ctx, s)
	if err != nil {
		return res, err
	}
	c, err := readCorpus(ctx, s, o.Branch, o.All, wanted{o.kinds, true})
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	found, err := c.search(ctx, o, terms, w)
	if err != nil {
		return res, err
	}
	if res.Hits, err = c.show(ctx, found, terms); err != nil {
		return res, err
	}
	return res, c.keep(ctx)
}

func (o *Options) check() error {
	if err := o.Filter.Check(); err != nil {
		return err
	}
	switch o.In {
	case "", InCommits, InSteps, InTopics:
	default:
		return fail.New(fail.ErrInvalid, fail.SearchIn, fmt.Sprintf("unknown place '%s' to search in", prose.OneLine(o.In, 60)),
			"one of "+strings.Join([]string{InCommits, InSteps, InTopics}, ", "))
	}
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	switch {
	case o.All && o.Branch != "":
		return fail.New(fail.ErrInvalid, fail.SearchBranches, "one branch and all of them cannot be searched at once")
	case !o.All && o.In != "" && o.In != InCommits && !o.Filter.All():
		return fail.New(fail.ErrInvalid, fail.SearchFilter, fmt.Sprintf("%s have no score and no outcome", o.In), "--in "+InCommits)
	case o.Limit < 1 || o.Limit > mostSearchLimit:
		return fail.New(fail.ErrInvalid, fail.SearchLimit, fmt.Sprintf("%d hits cannot be shown; 1 to %d can", o.Limit, mostSearchLimit))
	case len(o.Query) > maxQuery:
		return fail.New(fail.ErrInvalid, fail.QueryTooLarge, fmt.Sprintf("the query has %d bytes; at most %d are allowed", len(o.Query), maxQuery))
	}
	return nil
}

// kinds says which kinds are searched.
func (o *Options) kinds(k index.Kind) bool {
	if !o.Filter.All() {
		return k == index.Commits
	}
	return o.In == "" || o.In == kindPlace(k)
}

func kindPlace(k index.Kind) string {
	return []string{InCommits, InSteps, InTopics}[k]
}

// ranked is a hit with what is known of it.
type ranked struct {
	index.Hit
	key   index.Key
	score float64

	commit  *git.ID // of a milestone, as the next two
	outcome *string
	noted   *float64
}

// mostWeighed is how many of the best by words are weighed by their notes.
const mostWeighed = 256

// search ranks by words, and weighs the best by what was noted of them.
func (c *corpus) search(ctx context.Context, o Options, terms []string, w weights) ([]ranked, error) {
	keep, err := c.filter(ctx, o.Filter)
	if err != nil {
		return nil, err
	}
	hits, err := c.rank(ctx, terms, max(mostWeighed, 2*o.Limit), keep)
	if err != nil {
		return nil, err
	}
	list, err := c.weigh(ctx, hits, w)
	if err != nil {
		return nil, err
	}
	return list[:min(o.Limit, len(list))], nil
}

// filter says which milestones a Filter means; nil: all.
func (c *corpus) filter(ctx context.Context, f history.Filter) (func(index.Kind, index.DocID) bool, error) {
	if f.All() {
		return nil, nil
	}
	known, err := c.noted()
	if err != nil {
		return nil, err
	}
	meant := map[index.DocID]bool{}
	known.commits.each(func(id string, commit git.ID) {
		if d, err := ulid.ParseStrict(id); err == nil && f.Matches(known.judged[commit], known.tags[commit]) {
			meant[index.DocID(d)] = true
		}
	})
	return func(k index.Kind, id index.DocID) bool { return k == index.Commits && meant[id] }, nil
}

// weigh orders hits by words and notes.
func (c *corpus) weigh(ctx context.Context, hits []index.Hit, w weights) ([]ranked, error) {
	list := make([]ranked, len(hits))
	milestones := false
	for i, h := range hits {
		list[i] = ranked{Hit: h, key: c.sources[h.Source].Shard.Units()[h.Unit].Key}
		milestones = milestones || list[i].key.Kind == index.Commits
	}
	var known noted
	if milestones {
		var err error
		if known, err = c.noted(); err != nil {
			return nil, err
		}
	}
	now, err := c.s.Moment()
	if err != nil {
		return nil, err
	}
	for i := range list {
		r, recency := &list[i], 0.5
		if r.key.Kind != index.Topics {
			id := ulid.ULID(r.ID)
			recency = recent(now.Sub(ulid.Time(id.Time())))
		}
		r.score = r.Score * w.factor(known.judge(r), recency)
	}
	slices.SortStableFunc(list, func(a, b ranked) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	return list, nil
}

// halfLife is the age at which recency is half.
const halfLife = 30 * 24 * time.Hour

func recent(age time.Duration) float64 {
	return math.Exp2(-max(0, age.Hours()) / halfLife.Hours())
}

// weights say how much each part of a judgement counts.
type weights struct{ score, outcome, recency float64 }

// factor is what the words' worth is multiplied with.
func (w weights) factor(j notes.Judgement, recency float64) float64 {
	sum := w.score + w.outcome + w.recency
	if sum == 0 {
		return 1
	}
	score, outcome := 0.5, 0.5
	if j.Score != nil {
		score = min(max(*j.Score, 0), 1)
	}
	if j.Outcome != nil {
		if outcome = 0; *j.Outcome == notes.Outcomes()[0] {
			outcome = 1
		}
	}
	judged := (w.score*score + w.outcome*outcome + w.recency*recency) / sum
	return 1 + (judged-0.5)/2
}

// searchWeights are how much each part of a judgement counts in a search.
func searchWeights(ctx context.Context, s *store.Store) (weights, error) {
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return weights{}, err
	}
	w := weights{store.DefaultScoreWeight, store.DefaultOutcomeWeight, store.DefaultRecencyWeight}
	for _, part := range []struct {
		key    string
		weight *float64
	}{{store.KeyScoreWeight, &w.score}, {store.KeyOutcomeWeight, &w.outcome}, {store.KeyRecencyWeight, &w.recency}} {
		v, ok := cfg.String(part.key)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(v, 64)
		if err != nil || !(x >= 0 && x <= store.MostWeight) {
			return w, fail.New(fail.ErrInvalid, fail.ConfigInvalid, fmt.Sprintf("%s is '%s'; it must be a number from 0 to %d", part.key, prose.OneLine(v, 60), store.MostWeight),
				fmt.Sprintf("git config %s %v", part.key, *part.weight))
		}
		*part.weight = x
	}
	return w, nil
}
