package search

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/store"
)

// corpus is the entries and topics of some branches at one moment, pending steps included,
// with an index of them.
type corpus struct {
	s        *store.Store
	branches []branchFiles
	tips     map[string]git.ID     // by branch
	waiting  map[string][]doc.Step // pending, by branch
	wanted   wanted
	places   map[index.Key]*place // only wanted ones
	sources  []index.Source
	scanned  index.Counts // of scanned units that are in no source

	noted    func() (noted, error) // reads, or waits for a concurrent read
	journals func() error          // likewise, for waiting
	behind   sync.WaitGroup        // the concurrent reads
	abandon  context.CancelFunc    // cancels them

	cached []shardFile
	bad    []string // damaged files of the cache
	fresh  [][]byte // shards that the cache lacks
	all    bool     // it contains all branches
}

// wanted selects the units that a corpus finds.
type wanted struct {
	kinds   func(index.Kind) bool
	pending bool // pending steps too, if steps are wanted at all
	lazy    bool // mostly there is no hit, so what only hits need is read when there is one

	terms []string // of the query, for which texts are scanned if the index is far behind; none: it is completed
}

// place is where a unit is stored.
type place struct {
	file     string // doc.CommitFile, doc.LogFile; "" for a topic
	path     string // one of its paths
	blob     git.ID // "" for pending steps
	branches []string
	docs     int // how many entries it contains; -1 until it is indexed
}

// wrap says where an error of a unit is.
func (p *place) wrap(err error) error {
	return fmt.Errorf("%s of branch '%s': %w", p.path, p.branches[0], err)
}

// cacheFrom is how many bytes of documents a search must index before it writes the cache:
// fewer take a millisecond in every search, and the cache gets no file for each commit.
const cacheFrom = 64 << 10

// readCorpus reads a branch, the current one for "", or all branches.
func readCorpus(ctx context.Context, s *store.Store, branch string, all bool, w wanted) (*corpus, error) {
	c := &corpus{s: s, all: all, wanted: w, tips: map[string]git.ID{}, waiting: map[string][]doc.Step{}}
	s.Repo().Warm()
	var wg sync.WaitGroup
	wg.Go(func() { c.cached, c.bad = openShards(s) }) // while git resolves the branches
	err := c.list(ctx, branch)
	wg.Wait()
	if err == nil {
		err = c.index(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// list finds the branches and their files.
func (c *corpus) list(ctx context.Context, branch string) error {
	trees, err := c.readTips(ctx, branch)
	if err != nil {
		return err
	}
	c.beside(ctx)
	if c.branches, err = listFiles(ctx, c.s, trees, c.all); err != nil {
		return err
	}
	c.places, err = placesOf(c.branches, c.wanted.kinds)
	return err
}

// beside starts to read concurrently what is needed later, or leaves it until it is asked for. Journals that it has begun
// to read are read to the end: whether one that cannot be read is told must not depend on who is faster.
func (c *corpus) beside(ctx context.Context) {
	whole := ctx
	ctx, c.abandon = context.WithCancel(ctx)
	begin := func() func() (noted, error) { return facts(ctx, c.s, c.tips, &c.behind) }
	c.noted = sync.OnceValues(func() (noted, error) { return begin()() })
	c.journals = sync.OnceValue(func() error { return c.readJournals(whole) })
	if c.wanted.lazy {
		return
	}
	c.noted = begin()
	if c.wanted.kinds(index.Steps) {
		c.behind.Go(func() { _ = c.journals() }) // whoever asks gets the error
	}
}

// close closes the files of the cache, and ends the concurrent reads.
func (c *corpus) close() error {
	if c.abandon != nil {
		c.abandon()
		c.behind.Wait()
	}
	var errs []error
	for _, f := range c.cached {
		errs = append(errs, f.file.Close())
	}
	return errors.Join(errs...)
}

// readTips reads the tips of the branches, and returns their trees.
func (c *corpus) readTips(ctx context.Context, branch string) (map[string]git.ID, error) {
	trees := map[string]git.ID{}
	if !c.all {
		tip, err := c.s.Tip(ctx, branch)
		if err != nil {
			return nil, err
		}
		c.tips[tip.Name()], trees[tip.Name()] = tip.Commit().ID, tip.Commit().Tree
		return trees, nil
	}
	if trees, err := c.readFewTips(ctx); err == nil && len(trees) > 0 {
		return trees, nil
	}
	// git explains what cannot be read.
	out, err := c.s.Repo().View(ctx, "for-each-ref", "--format=%(refname) %(objectname) %(tree)", git.BranchPrefix)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		name, ok := "", len(f) == 3
		if ok {
			name, ok = git.BranchName(f[0])
		}
		if !ok {
			return nil, fmt.Errorf("git for-each-ref: cannot understand '%s'", git.Shown(line))
		}
		c.tips[name], trees[name] = git.ID(f[1]), git.ID(f[2])
	}
	if len(trees) == 0 {
		_, err := c.s.Tip(ctx, "") // returns the reason
		return nil, err
	}
	return trees, nil
}

// fewTips is the number of branches up to which reading each in this process takes less time
// than a process of git for all.
const fewTips = 32

var errAskGit = errors.New("git lists the branches faster")

// readFewTips does what readTips does for all branches, if they are few.
func (c *corpus) readFewTips(ctx context.Context) (map[string]git.ID, error) {
	if !c.s.Repo().RefFiles() {
		return nil, errAskGit
	}
	names, err := c.s.Repo().RefNames(ctx, git.BranchPrefix)
	if err != nil {
		return nil, err
	}
	if len(names) > fewTips {
		return nil, errAskGit
	}
	tips, trees := map[string]git.ID{}, map[string]git.ID{}
	for _, ref := range names {
		name, ok := git.BranchName(ref)
		if !ok {
			return nil, errAskGit
		}
		id, err := c.s.Repo().Ref(ctx, ref)
		if err != nil {
			return nil, err
		}
		commit, err := c.s.Repo().Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		tips[name], trees[name] = id, commit.Tree
	}
	maps.Copy(c.tips, tips)
	return trees, nil
}

// placesOf finds the units of branches that are of some kinds.
func placesOf(branches []branchFiles, kinds func(index.Kind) bool) (map[index.Key]*place, error) {
	n := 0
	for _, b := range branches {
		n += len(b.files)
	}
	places := make(map[index.Key]*place, n)
	for _, b := range branches {
		for _, f := range b.files {
			key, err := unitKey(f)
			if err != nil {
				return nil, err
			}
			if !kinds(key.Kind) {
				continue
			}
			p := places[key]
			if p == nil {
				p = &place{file: fileOf(key.Kind), path: f.path, blob: f.id, docs: -1}
				places[key] = p
			}
			p.branches = append(p.branches, b.branch)
		}
	}
	return places, nil
}

func everyKind(index.Kind) bool { return true }

func fileOf(kind index.Kind) string {
	switch kind {
	case index.Commits:
		return doc.CommitFile
	case index.Steps:
		return doc.LogFile
	}
	return ""
}

// unitKey identifies the unit of a file by its blob and, for a topic, its path.
func unitKey(f branchFile) (index.Key, error) {
	var key index.Key
	switch {
	case f.path == doc.CommitFile, strings.HasPrefix(f.path, doc.CommitDir+"/"):
		key.Kind = index.Commits
	case f.path == doc.LogFile, strings.HasPrefix(f.path, doc.LogDir+"/"):
		key.Kind = index.Steps
	default:
		key.Kind = index.Topics
		sum := sha256.Sum256([]byte(string(f.id) + " " + f.path))
		copy(key.ID[:], sum[:])
		return key, nil
	}
	if len(f.id) < 2*len(key.ID) {
		return key, fmt.Errorf("'%s' is no object id", git.Shown(string(f.id)))
	}
	_, err := hex.Decode(key.ID[:], []byte(f.id[:2*len(key.ID)]))
	return key, err
}

// pendingKey identifies the unit of a branch's pending steps, which is never cached.
func pendingKey(branch string) index.Key {
	key := index.Key{Kind: index.Steps}
	sum := sha256.Sum256([]byte("pending " + branch))
	copy(key.ID[:], sum[:])
	return key
}

// index finds the units in the cache and indexes missing ones.
func (c *corpus) index(ctx context.Context) error {
	c.sources, c.fresh, c.scanned = nil, nil, index.Counts{}
	for _, p := range c.places {
		p.docs = -1
	}
	for _, f := range c.cached {
		c.add(f.Shard)
	}
	var missing []index.Key
	for key, p := range c.places {
		if p.docs < 0 && p.blob != "" {
			missing = append(missing, key)
		}
	}
	if c.isBehind(ctx, missing) {
		if err := c.scan(ctx, missing); err != nil {
			return err
		}
		return c.indexPending(ctx)
	}
	shards, read, err := c.build(ctx, missing)
	if err != nil {
		return err
	}
	if read >= cacheFrom {
		c.fresh = shards
	}
	if err := c.addFresh(shards); err != nil {
		return err
	}
	return c.indexPending(ctx)
}

// addFresh adds shards that were built now.
func (c *corpus) addFresh(shards [][]byte) error {
	for _, data := range shards {
		shard, err := memoryShard(data)
		if err != nil {
			return err
		}
		c.add(shard)
	}
	return nil
}

func memoryShard(data []byte) (*index.Shard, error) {
	return index.Open(bytes.NewReader(data), int64(len(data)))
}

// add makes a shard the source of the units that no other source has.
func (c *corpus) add(shard *index.Shard) {
	units := shard.Units()
	src := index.Source{Shard: shard, Units: make([]bool, len(units))}
	for i, u := range units {
		if p := c.places[u.Key]; p != nil && p.docs < 0 {
			src.Units[i], p.docs = true, u.Docs
		}
	}
	c.sources = append(c.sources, src)
}

// find reads where the texts contain terms. If a file of the cache is damaged, it is removed from the
// sources, and its units are indexed again.
func (c *corpus) find(ctx context.Context, terms []string) (*index.Query, error) {
	for {
		q, err := index.NewQuery(c.sources, terms, c.scanned)
		var damaged *index.DamagedSource
		if !errors.As(err, &damaged) || damaged.Source >= len(c.cached) {
			return q, err
		}
		f := c.cached[damaged.Source]
		c.bad = append(c.bad, f.name)
		c.cached = append(c.cached[:damaged.Source:damaged.Source], c.cached[damaged.Source+1:]...)
		if err := errors.Join(f.file.Close(), c.index(ctx)); err != nil {
			return nil, err
		}
	}
}

// keep writes missing units into the cache, or starts a gc that does.
func (c *corpus) keep(ctx context.Context) error {
	if c.scanned.Docs > 0 {
		c.s.IndexBehind() // now, because it would have slowed the search
	}
	limit, err := cacheLimit(ctx, c.s)
	if err != nil || limit == 0 || len(c.fresh) == 0 && len(c.bad) == 0 {
		return err
	}
	// The cache only saves work: a repository that cannot be written is no error.
	_ = keepShards(c.s, c.cached, c.bad, c.fresh, limit, func() (map[index.Key]bool, error) { return c.alive(ctx) })
	return nil
}

// alive returns every unit that any branch contains.
func (c *corpus) alive(ctx context.Context) (map[index.Key]bool, error) {
	branches := c.branches
	if !c.all || branches == nil {
		all := &corpus{s: c.s, all: true, tips: map[string]git.ID{}}
		trees, err := all.readTips(ctx, "")
		if err != nil {
			return nil, err
		}
		if branches, err = listFiles(ctx, c.s, trees, true); err != nil {
			return nil, err
		}
	}
	places, err := placesOf(branches, everyKind)
	if err != nil {
		return nil, err
	}
	alive := make(map[index.Key]bool, len(places))
	for key := range places {
		alive[key] = true
	}
	return alive, nil
}
