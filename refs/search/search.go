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

// Options are the options of Search.
type Options struct {
	Query          string
	Branch         string   // empty: the current one
	All            bool     // all branches; Branch is then empty
	In             string   // InCommits, InSteps, InTopics; empty: all of them
	history.Filter          // only commits have judgements: with a Filter, only commits are found
	Limit          int      // of hits; 0: DefaultLimit
	Weights        *Weights // nil: those of the repository
}

// The values of Options.In.
const (
	InCommits = "commits"
	InSteps   = "steps"
	InTopics  = "topics"
)

// The limits of a search.
const (
	DefaultLimit    = 10   // hits
	mostSearchLimit = 1000 // hits
	maxQuery        = 8192 // bytes
)

// Hit is an entry or topic that a search or recall found.
type Hit struct {
	Kind       string   `json:"kind"`   // commit, step, topic
	ID         string   `json:"id"`     // of the entry, or a topic's key
	Commit     *git.ID  `json:"commit"` // of a commit; nil for steps and topics, and if history lacks it
	Branch     string   `json:"branch"` // that recorded it; for a topic, one that contains it
	Title      string   `json:"title"`  // the whole summary, a topic's key, or the action of a step
	Snippet    string   `json:"snippet"`
	Score      float64  `json:"score"`      // by which hits are ordered
	Outcome    *string  `json:"outcome"`    // of a commit, by its note or tags; nil if unknown
	Noted      *float64 `json:"noted"`      // a commit's score, by its note
	Similarity *float64 `json:"similarity"` // of recall
	Duplicate  *bool    `json:"duplicate"`  // of recall
	Related    *bool    `json:"related"`    // of recall: found as by Search, because no past case is similar enough
	Open       string   `json:"open"`       // the command that shows it

	store.Authored // of a commit; unknown for steps and topics
}

// Result is what a search found, the best first.
type Result struct {
	Hits []Hit `json:"hits"`
}

// Search finds the commits, steps and topics that contain words of the query, the best
// first. Pending steps are steps. An entry that several branches contain, for instance
// after a merge, is one hit.
//
// # Ranking
//
// Hits are ordered by
//
//	score = words · (1 + (judged - 1/2)/2)
//	judged = 0.7·score + 0.2·outcome + 0.1·recency     (the weights of context.search.*)
//
// where words is BM25 (package index); score is the note's; outcome is 1 for success and 0
// for failed or abandoned; both are 1/2 without a note; and recency is 1 for a new entry,
// halves every 30 days, and is 1/2 for a topic, which has no date. So a note changes the
// score by at most a quarter, and a hit with less than 3/5 of the words score of another
// cannot overtake it.
//
// # Cache
//
// The local state contains an index of what the branches contain, keyed by the ids of blobs
// and trees. It may be incomplete but is never stale, and may be deleted at any time. It
// takes about a third of the indexed text, and at most context.search.cacheLimit bytes (256
// MiB). A search writes it only if documents of 64 KiB or more are missing, and one search
// at a time; others continue without. Commands that write memory do not touch it: they start
// a gc in the background now and then, which calls Update. A search that finds a thousand
// files missing starts it, too: it reads 32 MiB of the texts instead, commits and topics
// before steps and the newest first, and finds the same as the index as far as these reach, in
// nearly the same order.
//
// Search returns an error of the kind fail.ErrInvalid for a query without words, options
// that exclude each other and values beyond the limits, and fail.ErrNotFound for an unknown
// branch.
func Search(ctx context.Context, s *store.Store, o Options) (res Result, err error) {
	res.Hits = []Hit{}
	q, err := Prepare(ctx, s, o)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	found, err := q.Best(ctx, q.limit, index.Counts{})
	if err != nil {
		return res, err
	}
	if res.Hits, err = q.Show(ctx, found); err != nil {
		return res, err
	}
	return res, q.Keep(ctx)
}

// Check sets defaults, and refuses what Search refuses of any memory.
func (o *Options) Check() error {
	if err := o.Filter.Check(); err != nil {
		return err
	}
	switch o.In {
	case "", InCommits, InSteps, InTopics:
	default:
		return fail.New(fail.ErrInvalid, fail.SearchIn,
			fmt.Sprintf("unknown place '%s' to search in", prose.OneLine(o.In, 60)),
			"one of "+strings.Join([]string{InCommits, InSteps, InTopics}, ", "))
	}
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	switch {
	case o.All && o.Branch != "":
		return fail.New(fail.ErrInvalid, fail.SearchBranches, "one branch and all of them cannot be searched at once")
	case !o.All && o.In != "" && o.In != InCommits && !o.Filter.All():
		return fail.New(fail.ErrInvalid, fail.SearchFilter, fmt.Sprintf("%s have no score and no outcome", o.In),
			"--in "+InCommits)
	case o.Limit < 1 || o.Limit > mostSearchLimit:
		return fail.New(fail.ErrInvalid, fail.SearchLimit,
			fmt.Sprintf("%d hits cannot be shown; 1 to %d can", o.Limit, mostSearchLimit))
	case len(o.Query) > maxQuery:
		return fail.New(fail.ErrInvalid, fail.QueryTooLarge,
			fmt.Sprintf("the query has %d bytes; at most %d are allowed", len(o.Query), maxQuery))
	case len(index.Tokens(o.Query)) == 0:
		return fail.New(fail.ErrInvalid, fail.QueryEmpty,
			fmt.Sprintf("'%s' contains no word to search for", prose.OneLine(o.Query, 60)),
			"give a word that tells one text from another: a name, an error, a file")
	}
	return nil
}

// kinds reports whether a kind is searched.
func (o *Options) kinds(k index.Kind) bool {
	if !o.Filter.All() {
		return k == index.Commits
	}
	return o.In == "" || o.In == kindPlace(k)
}

func kindPlace(k index.Kind) string {
	return []string{InCommits, InSteps, InTopics}[k]
}

// ranked is a hit with its judgement.
type ranked struct {
	index.Hit
	key   index.Key
	score float64

	commit  *git.ID // nil for steps and topics, as the next two
	outcome *string
	noted   *float64
}

// filter returns a function that reports whether a Filter selects an entry; nil: all.
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

// keyOf identifies the unit of a hit.
func (c *corpus) keyOf(h index.Hit) index.Key { return c.sources[h.Source].Shard.Units()[h.Unit].Key }

// weigh orders hits by words and judgements.
func (c *corpus) weigh(ctx context.Context, hits []index.Hit, w *Weights) ([]ranked, error) {
	list := make([]ranked, len(hits))
	judged := false
	for i, h := range hits {
		list[i] = ranked{Hit: h, key: c.keyOf(h)}
		judged = judged || list[i].key.Kind == index.Commits
	}
	var known noted
	if judged {
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

// Weights are the weights of the parts of a judgement.
type Weights struct{ score, outcome, recency float64 }

// factor returns the factor of the words score.
func (w *Weights) factor(j notes.Judgement, recency float64) float64 {
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

// searchWeights reads the weights from the settings, unless they are given.
func searchWeights(ctx context.Context, s *store.Store, given *Weights) (*Weights, error) {
	if given != nil {
		return given, nil
	}
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return nil, err
	}
	return WeightsOf(cfg.String)
}

// WeightsOf reads the weights from settings, of which get returns the value and whether it is set. The
// error of a value that is no weight is of the kind fail.ErrInvalid.
func WeightsOf(get func(key string) (string, bool)) (*Weights, error) {
	w := &Weights{store.DefaultScoreWeight, store.DefaultOutcomeWeight, store.DefaultRecencyWeight}
	for _, part := range []struct {
		key    string
		weight *float64
	}{{store.KeyScoreWeight, &w.score}, {store.KeyOutcomeWeight, &w.outcome}, {store.KeyRecencyWeight, &w.recency}} {
		v, ok := get(part.key)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(v, 64)
		if err != nil || !(x >= 0 && x <= store.MostWeight) {
			return nil, fail.New(fail.ErrInvalid, fail.ConfigInvalid,
				fmt.Sprintf("%s is '%s'; it must be a number from 0 to %d", part.key, prose.OneLine(v, 60), store.MostWeight),
				fmt.Sprintf("git config %s %v", part.key, *part.weight))
		}
		*part.weight = x
	}
	return w, nil
}
