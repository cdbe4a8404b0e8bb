package across

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/search"
)

// MostHits is the number of hits that are shown at most. To find out which are the same lesson takes
// time in proportion to its square.
const MostHits = 100

// Result is what was found, the best first.
type Result struct {
	Hits         []Hit      `json:"hits"`
	Repositories []Searched `json:"repositories"` // that were searched, in the order that was given
	Skipped      []Skipped  `json:"skipped"`
}

// Searched is a repository that was searched.
type Searched struct {
	Name       string `json:"name"`
	Repository string `json:"repository"` // its path
}

// part is one repository in a search.
type part struct {
	repo  *Repository
	query *search.Query // nil where it could not be opened
	err   error
	ctx   context.Context // of what is asked there; end ends it
	end   context.CancelFunc

	found []search.Found
	texts []search.Text
}

// parts are the repositories in a search, in their order. One that fails stays out of the next steps.
type parts []*part

func newParts(ctx context.Context, repos []*Repository) parts {
	list := make(parts, len(repos))
	for i, r := range repos {
		list[i] = &part{repo: r}
		list[i].ctx, list[i].end = context.WithCancel(ctx)
	}
	return list
}

// each runs a step in all repositories that have not failed.
func (l parts) each(ctx context.Context, step func(context.Context, *part) error) error {
	each(len(l), func(i int) {
		if p := l[i]; p.err == nil {
			p.err = cmp.Or(ctx.Err(), within(ctx, p.end, func() error { return step(p.ctx, p) }))
		}
	})
	return ctx.Err()
}

// sum adds the statistics of all repositories that have not failed.
func (l parts) sum(of func(*part) index.Counts) (all index.Counts) {
	for _, p := range l {
		if p.err == nil {
			all.Add(of(p))
		}
	}
	return all
}

// look looks up terms everywhere, and returns their statistics.
func (l parts) look(ctx context.Context, terms []string) (index.Counts, error) {
	if err := l.each(ctx, func(ctx context.Context, p *part) error { return p.query.Look(ctx, terms) }); err != nil {
		return index.Counts{}, err
	}
	return l.counts(), nil
}

func (l parts) counts() index.Counts {
	return l.sum(func(p *part) index.Counts { return p.query.Counts() })
}

// close ends the search: it writes caches, as a search in one repository does, and closes files.
func (l parts) close(ctx context.Context) error {
	errs := make([]error, len(l))
	each(len(l), func(i int) {
		p := l[i]
		defer p.end()
		if p.query == nil {
			return
		}
		if p.err == nil {
			errs[i] = p.query.Keep(ctx)
		}
		if err := p.query.Close(); p.err == nil { // what failed before is left out, and said why
			errs[i] = errors.Join(errs[i], err)
		}
	})
	return errors.Join(errs...)
}

// Search finds the commits, steps and topics of all branches of repositories that contain words of the
// query, the best first, as search.Search does in one. The options must not name a branch.
//
// It returns an error of the kind fail.ErrInvalid for what search.Search refuses and for more than 100
// hits. A repository that cannot be searched is in Skipped; if none can, that is an error.
func Search(ctx context.Context, repos []*Repository, o search.Options) (res Result, err error) {
	o.All = true
	if err := cmp.Or(o.Check(), checkLimit(o.Limit)); err != nil {
		return Result{}, err
	}
	list := newParts(ctx, repos)
	defer func() { err = errors.Join(err, list.close(ctx)) }()
	err = list.each(ctx, func(ctx context.Context, p *part) (err error) {
		p.query, err = search.Prepare(ctx, p.repo.Store, o)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	all := list.counts()
	err = list.each(ctx, func(ctx context.Context, p *part) (err error) {
		p.found, err = p.query.Best(ctx, candidates(o.Limit), all)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return list.result(ctx, o.Limit, (*search.Found).Score)
}

// Recall finds what describes the same problem as a text in any of the repositories, the most similar
// first, as search.Recall does in one. The options must not name a branch. Errors are those of Search.
func Recall(ctx context.Context, repos []*Repository, o search.RecallOptions) (res Result, err error) {
	if err := cmp.Or(o.Check(), checkLimit(o.Limit)); err != nil {
		return Result{}, err
	}
	list := newParts(ctx, repos)
	defer func() { err = errors.Join(err, list.close(ctx)) }()
	err = list.each(ctx, func(ctx context.Context, p *part) (err error) {
		p.query, err = search.PrepareRecall(ctx, p.repo.Store, o)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	found, err := list.near(ctx)
	if err != nil {
		return Result{}, err
	}
	if found || o.Strict {
		return list.result(ctx, o.Limit, (*search.Found).Similarity)
	}
	all, err := list.look(ctx, list.terms())
	if err != nil {
		return Result{}, err
	}
	err = list.each(ctx, func(ctx context.Context, p *part) (err error) {
		p.found, err = p.query.Related(ctx, all)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return list.result(ctx, min(o.Limit, search.MostRelated), (*search.Found).Score)
}

// near compares past cases of all repositories, and reports whether any is similar enough.
func (l parts) near(ctx context.Context) (any bool, err error) {
	commons := make(map[*part]index.Counts, len(l))
	for _, p := range l {
		if p.err == nil {
			commons[p], p.err = p.query.Common()
		}
	}
	common := l.sum(func(p *part) index.Counts { return commons[p] })
	all, err := l.look(ctx, search.Rarest(l.terms(), common))
	if err != nil {
		return false, err
	}
	err = l.each(ctx, func(ctx context.Context, p *part) (err error) {
		if p.found, err = p.query.Near(ctx, common, all); err != nil {
			return err
		}
		return p.query.Judge(p.found)
	})
	return slices.ContainsFunc(l, func(p *part) bool { return p.err == nil && len(p.found) > 0 }), err
}

// terms are those of the text, the same in all repositories.
func (l parts) terms() []string {
	for _, p := range l {
		if p.err == nil {
			return p.query.Terms()
		}
	}
	return nil
}

// candidates is how many hits are looked at for so many lessons: each may be in several repositories.
func candidates(limit int) int { return 4*limit + 32 }

func checkLimit(limit int) error {
	if limit <= MostHits {
		return nil
	}
	return fail.New(fail.ErrInvalid, fail.SearchLimit,
		fmt.Sprintf("%d hits of several repositories cannot be shown; 1 to %d can", limit, MostHits))
}

// place is a hit in a part.
type place struct {
	part *part
	n    int // in its found and texts
}

func (c place) found() *search.Found { return &c.part.found[c.n] }

// result merges what was found, folds it and shows the best limit lessons.
func (l parts) result(ctx context.Context, limit int, worth func(*search.Found) float64) (Result, error) {
	l.cut(candidates(limit), worth)
	err := l.each(ctx, func(ctx context.Context, p *part) (err error) {
		p.texts, err = p.query.Texts(ctx, p.found)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	lessons := fold(l.merged(worth), limit)
	shown, err := l.show(ctx, lessons)
	if err != nil {
		return Result{}, err
	}
	res := Result{Hits: []Hit{}, Repositories: []Searched{}, Skipped: []Skipped{}}
	var errs []error
	for _, p := range l {
		if p.err != nil {
			res.Skipped = append(res.Skipped, Skipped{p.repo.Path, p.err.Error(), p.err})
			errs = append(errs, p.err)
			p.repo.out = true
			continue
		}
		res.Repositories = append(res.Repositories, Searched{p.repo.Name, p.repo.Path})
	}
	if len(res.Repositories) == 0 {
		return res, errors.Join(errs...)
	}
	for _, one := range lessons {
		if h, ok := one.hit(shown); ok {
			res.Hits = append(res.Hits, h)
		}
	}
	return res, nil
}

// merged returns the hits of all repositories, the best first. Equal ones stay in the order of repositories.
func (l parts) merged(worth func(*search.Found) float64) []place {
	var all []place
	for _, p := range l {
		if p.err != nil {
			continue
		}
		for i := range p.found {
			all = append(all, place{p, i})
		}
	}
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(worth(b.found()), worth(a.found())) })
	return all
}

// cut leaves only the best most hits, so that the texts of no others are read.
func (l parts) cut(most int, worth func(*search.Found) float64) {
	all := l.merged(worth)
	kept := map[*part]int{}
	for _, c := range all[:min(most, len(all))] {
		kept[c.part] = max(kept[c.part], c.n+1)
	}
	for _, p := range l {
		p.found = p.found[:kept[p]]
	}
}

// show makes hits of all places of lessons.
func (l parts) show(ctx context.Context, lessons []*lesson) (map[place]search.Hit, error) {
	wanted := map[*part][]place{}
	for _, one := range lessons {
		for _, c := range one.places {
			wanted[c.part] = append(wanted[c.part], c)
		}
	}
	hits := make([][]search.Hit, len(l))
	number := map[*part]int{}
	for i, p := range l {
		number[p] = i
	}
	err := l.each(ctx, func(ctx context.Context, p *part) (err error) {
		list := make([]search.Found, len(wanted[p]))
		for i, c := range wanted[p] {
			list[i] = *c.found()
		}
		if len(list) > 0 {
			hits[number[p]], err = p.query.Show(ctx, list)
		}
		return err
	})
	shown := map[place]search.Hit{}
	for _, p := range l {
		if p.err != nil {
			continue
		}
		for i, c := range wanted[p] {
			shown[c] = hits[number[p]][i]
		}
	}
	return shown, err
}
