package render

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// Snapshot is CONTEXT of the project, `git context`: what a successor has
// to know. Its text is the brief.
type Snapshot struct {
	Branch    string         `json:"branch"` // name of the current branch
	Head      git.ID         `json:"head"`
	Code      *code.State    `json:"code"`      // nil in a view of the past
	Attention []Notice       `json:"attention"` // what has to be dealt with
	Questions []string       `json:"questions"` // the open ones
	Decisions []string       `json:"decisions"` // oldest first
	Topics    []Topic        `json:"topics"`    // by key
	Unread    int            `json:"topics_unread"`
	Budget    *Budget        `json:"budget"` // nil: none was asked for
	Roadmap   Roadmap        `json:"roadmap"`
	Branches  []store.Branch `json:"branches"` // the newest branches; the current one is always included
	Total     int            `json:"branches_total"`
	Purpose   string         `json:"purpose"` // of the current branch, like the fields that follow
	Progress  string         `json:"progress"`
	Commits   []store.Commit `json:"commits"` // newest first
	Pending   int            `json:"pending"`
	LastStep  *store.Step    `json:"last_step"` // the newest pending step; nil: none
	At        *store.At      `json:"at"`        // nil: the present

	before    []store.Step // pending steps before the newest, oldest first
	full      int          // how many commits the text shows in full
	updated   time.Time
	agent     string          // of the newest memory commit
	by        store.Authored  // that commit
	own       string          // the agent of the newest commit of this clone's identity; "" for none
	shared    bool            // others may have written here: memory is on a remote, or they did
	namesakes map[string]bool // names that several identities have
	active    []store.Branch  // those that the text lists
	more      map[string]int  // by status: the number of branches that the text does not list
	unknown   int             // number of branches that changed too much since to determine their past state
}

// Roadmap is the part of main.md that a snapshot shows in one piece.
type Roadmap struct {
	Goal       string       `json:"goal"`
	Milestones []store.Item `json:"milestones"`
	Todo       []store.Item `json:"todo"`
	Outcomes   []string     `json:"outcomes"` // of branches that ended, oldest first
	Sections   []Section    `json:"sections"` // that people added
	Unread     int          `json:"unread"`   // number of items that the lists leave out

	left doc.Left // those items
}

// Section is a section of the roadmap that people added.
type Section struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Topic is a topic with its text.
type Topic struct {
	store.Topic
	Text string `json:"text"`
}

// Where is the subject of a view: a branch, now or at a moment of the past.
type Where struct {
	Branch string // empty: the current branch
	At     string // a revision of memory or of code, see [refs.Store.At]; empty: now
}

func (w Where) tip(ctx context.Context, s *refs.Store) (*store.Tip, error) {
	return history.At(ctx, s, w.Branch, w.At)
}

// SnapshotOptions say how much a snapshot reads.
type SnapshotOptions struct {
	Newest   int           // commits that the text shows in full
	Titles   int           // commits below those, of which the text shows the titles
	Branches int           // branches that are listed
	Budget   int           // tokens of the text, for which topics are read; 0: any number
	CodeWait time.Duration // how long git may take to list what is uncommitted; 0: it is not asked
}

// textSize is how many bytes of a topic's text are read: as many as fill the budget.
func (o SnapshotOptions) textSize() int {
	if o.Budget == 0 {
		return shownQuote
	}
	return min(shownQuote, o.Budget*BytesPerToken+1)
}

// How much a snapshot reads at most.
const (
	recentLength = 60   // memory commits that its git log lists
	mostTopics   = 1000 // topics that are read
	mostWaiting  = 5    // pending steps that the text shows
)

// NewSnapshot reads what the brief of a branch shows.
//
// It returns fail.ErrNoMemory if there is no memory. Memory without a roadmap, which a fetch of
// only the branches gives, is shown without one. Its git log begins first, because it takes
// longest; all other reads are made beside it.
func NewSnapshot(ctx context.Context, s *refs.Store, w Where, o SnapshotOptions) (Snapshot, error) {
	v := Snapshot{full: o.Newest, Attention: []Notice{}}
	recent, stop := history.RecentSoon(ctx, s, w.Branch, w.At, recentLength)
	defer stop()
	tip, err := w.tip(ctx, s)
	if err != nil {
		return Snapshot{}, err
	}
	v.Branch, v.Head, v.At = tip.Name(), tip.Commit().ID, tip.At()
	v.updated, v.agent = tip.Commit().Committer.When.UTC(), store.WriterOf(tip.Commit())
	if v.by, err = s.ByCommit(ctx, tip.Commit()); err != nil {
		return Snapshot{}, err
	}
	reads := []func(context.Context) error{
		func(ctx context.Context) error { return v.readTip(ctx, s, tip, o, recent) },
		func(ctx context.Context) error { return v.readRoadmap(ctx, s, tip) },
		func(ctx context.Context) (err error) {
			v.Branches, err = s.Branches(ctx, store.BranchQuery{Pending: w.keeps(o.Branches)})
			return err
		},
		func(ctx context.Context) (err error) {
			v.shared, err = onRemote(ctx, s)
			return err
		},
		func(ctx context.Context) (err error) {
			v.Purpose, v.Progress, err = history.PurposeProgress(ctx, s, tip)
			shorten(&v.Purpose, &v.Progress)
			return err
		},
	}
	if v.At == nil {
		reads = append(reads,
			func(ctx context.Context) error { return v.readCode(ctx, s, o.CodeWait) },
			func(ctx context.Context) (err error) {
				list, err := history.NewestPending(ctx, s, tip, mostWaiting)
				for i := range list {
					shorten(&list[i].Observation, &list[i].Thought, &list[i].Action)
				}
				if n := len(list); n > 0 {
					v.LastStep, v.before = &list[n-1], list[:n-1]
				}
				return err
			},
			func(ctx context.Context) (err error) {
				v.Attention, err = notices(ctx, s, tip, waitingMerge, interrupted, roadmapLeftOut, forgetting, handedOver(o.CodeWait), remoteWork)
				return err
			})
	}
	err = concurrently(ctx, reads...)
	if err == nil && v.At != nil {
		v.Branches, v.unknown, err = history.BranchesAt(ctx, s, tip, v.Branches)
	}
	if err != nil {
		return Snapshot{}, err
	}
	v.tellApart()
	v.list(o.Branches)
	v.tell()
	return v, nil
}

// tell makes notices of the open to-dos that the user is to be told of.
func (v *Snapshot) tell() {
	for _, i := range v.Roadmap.Todo {
		if !i.Done && strings.HasPrefix(i.Text, doc.TellPrefix) {
			v.Attention = append(v.Attention, Notice{Kind: NoticeTell, Text: i.Text})
		}
	}
}

// readTip reads what needs the list of the newest memory commits, for which log waits.
func (v *Snapshot) readTip(ctx context.Context, s *refs.Store, tip *store.Tip, o SnapshotOptions,
	log func(*store.Tip) ([]history.RecentCommit, error)) error {
	recent := sync.OnceValues(func() ([]history.RecentCommit, error) { return log(tip) })
	return concurrently(ctx,
		func(context.Context) error { _, err := recent(); return err },
		func(ctx context.Context) error {
			list, err := history.NewestOf(ctx, s, tip, o.Newest+o.Titles, cutQuote, recent)
			v.Commits = withTags(list)
			for i := range v.Commits {
				c := &v.Commits[i]
				shorten(&c.Summary, &c.Goal, &c.Purpose, &c.Progress, &c.Contribution)
			}
			if err != nil || v.At != nil { // unknown for the past
				return err
			}
			return code.MarkStale(ctx, s, v.Commits)
		},
		func(ctx context.Context) error {
			list, unread, err := history.ReadTopics(ctx, s, tip, mostTopics, o.textSize(), recent)
			if err == nil {
				err = code.MarkTopics(ctx, s, tip, list)
			}
			v.Topics, v.Unread = make([]Topic, len(list)), unread
			for i, t := range list {
				v.Topics[i] = Topic{t, t.Text}
			}
			return err
		})
}

// shorten shortens texts to what a view of many contains.
func shorten(texts ...*string) {
	for _, text := range texts {
		*text = doc.ShortText(*text, shownQuote)
	}
}

// readRoadmap reads the roadmap of the tip's moment.
func (v *Snapshot) readRoadmap(ctx context.Context, s *refs.Store, tip *store.Tip) error {
	v.Roadmap = Roadmap{Milestones: []store.Item{}, Todo: []store.Item{}, Outcomes: []string{}, Sections: []Section{}}
	v.Questions, v.Decisions = []string{}, []string{}
	r, e, err := s.RoadmapExcerpt(ctx, tip)
	if errors.Is(err, fail.ErrNoMemory) || errors.Is(err, store.ErrRoadmapElsewhere) || v.At != nil && errors.Is(err, fail.ErrNotFound) {
		return nil
	}
	if err == nil {
		v.Roadmap = Roadmap{Goal: r.Goal, Milestones: orEmpty(r.Milestones), Todo: orEmpty(r.Todo),
			Outcomes: orEmpty(r.Outcomes), Sections: []Section{}, Unread: e.Left.Total(), left: e.Left}
		for _, own := range r.Own {
			v.Roadmap.Sections = append(v.Roadmap.Sections, Section(own))
		}
		v.Questions, v.Decisions = orEmpty(r.Questions), orEmpty(r.Decisions)
	}
	return err
}

func (v *Snapshot) readCode(ctx context.Context, s *refs.Store, wait time.Duration) error {
	st, err := code.ReadState(ctx, s, wait)
	v.Code = &st
	return err
}

// keeps returns a function that reports, for branches in order, which of them list will
// keep.
func (w Where) keeps(limit int) func(store.Branch) bool {
	all, active := 0, 0
	return func(b store.Branch) bool {
		if all++; b.Status == statusActive {
			active++
		}
		return all <= limit || b.Status == statusActive && active <= limit || b.Current || b.Name == w.Branch || w.At != ""
	}
}

// list reduces all branches to those that are shown.
func (v *Snapshot) list(limit int) {
	all := orEmpty(v.Branches)
	v.Total, v.more = len(all)+v.unknown, map[string]int{}
	var active []store.Branch
	for _, b := range all {
		if b.Name == v.Branch {
			v.Pending = b.Pending
		}
		if b.Status == statusActive || b.Name == v.Branch {
			active = append(active, b)
		} else {
			v.more[b.Status]++
		}
	}
	v.active, v.Branches = newest(active, limit, v.Branch), newest(all, limit, v.Branch)
	v.more[statusActive] = len(active) - len(v.active)
}

// newest returns the first n branches. If the current one is not among them, it takes the
// last place.
func newest(list []store.Branch, n int, current string) []store.Branch {
	if len(list) <= n || n <= 0 {
		return list[:min(len(list), max(n, 0))]
	}
	for _, b := range list[n:] {
		if b.Name == current {
			return append(append([]store.Branch{}, list[:n-1]...), b)
		}
	}
	return list[:n]
}

// statusActive is the only status whose branches a snapshot lists.
const statusActive = "active"

// orEmpty returns an empty list for nil, because JSON distinguishes them.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// withTags makes the tags of every commit a map, for the same reason.
func withTags(commits []store.Commit) []store.Commit {
	for i := range commits {
		if commits[i].Tags == nil {
			commits[i].Tags = map[string]string{}
		}
	}
	return orEmpty(commits)
}

// concurrently runs independent reads concurrently and waits for all of them. The first failure
// cancels the others. Of several errors it returns that of the first read in order, so that
// the result is deterministic; errors that the cancellation caused do not count.
func concurrently(ctx context.Context, reads ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(reads))
	var broke atomic.Pointer[any]
	var all sync.WaitGroup
	for i, read := range reads {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					broke.Store(&p)
					cancel()
				}
			}()
			if errs[i] = read(ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	all.Wait()
	if p := broke.Load(); p != nil {
		panic(*p) // in the goroutine of the caller, who may recover
	}
	var ended error
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if ended == nil {
			ended = err
		}
	}
	return ended
}
