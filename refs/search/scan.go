package search

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/index"
)

const (
	farBehind   = 1000     // missing units from which on a search does not wait for the index; a sealed file has 8 KiB
	mostScanned = 32 << 20 // bytes of texts that a scan reads: commits and topics, then steps, the newest first
	scanBest    = 64       // documents whose files are indexed: that takes a millisecond for each two
	scanLanes   = 2        // git children that read texts for a scan
)

// errScanned ends a lane of a scan that has read its part.
var errScanned = errors.New("enough was read")

// isBehind reports whether so many units are missing that the texts are scanned for this
// search, which then starts to index them in the background. What the cache has no room
// for, and what is not indexed in the background, must be indexed by the search itself.
func (c *corpus) isBehind(ctx context.Context, missing []index.Key) bool {
	if len(missing) < farBehind || len(c.wanted.terms) == 0 {
		return false
	}
	limit, err := cacheLimit(ctx, c.s)
	return err == nil && limit > 0 && !full(c.cached, limit) && c.s.IndexesBehind()
}

// scan makes an index of only those missing units that are among the best for the terms
// of a query, and counts the others.
func (c *corpus) scan(ctx context.Context, missing []index.Key) error {
	c.newestUnits(missing)
	numbers := map[git.ID][]int{} // by blob: the places of its units in missing
	lists := make([][]git.ID, scanLanes)
	for i, key := range missing {
		blob := c.places[key].blob
		if numbers[blob] == nil {
			lists[i%scanLanes] = append(lists[i%scanLanes], blob)
		}
		numbers[blob] = append(numbers[blob], i)
	}
	scans, read := make([]*index.Scan, scanLanes), make([]int, scanLanes)
	for i := range scans {
		scans[i] = index.NewScan(c.wanted.terms)
	}
	err := c.s.Repo().ReadLists(ctx, lists, func(lane int, o git.Object) error {
		if read[lane] += len(o.Data); read[lane] > mostScanned/scanLanes {
			return errScanned
		}
		for _, i := range numbers[o.ID] {
			p := c.places[missing[i]]
			var err error
			if p.docs, err = scanUnit(scans[lane], i, p.file, o.Data); err != nil {
				return p.wrap(err)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errScanned) {
		return err
	}
	for _, other := range scans[1:] {
		scans[0].Join(other)
	}
	best := scans[0].Best(scanBest)
	docs := 0
	var keys []index.Key
	for i := range maps.Keys(best) {
		p := c.places[missing[i]]
		docs, p.docs = docs+p.docs, -1 // until it is indexed
		keys = append(keys, missing[i])
	}
	c.s.Warn("the index of searches is being built in the background; this search reads commits, topics and the newest steps instead")
	c.scanned = scans[0].Counts(best, docs)
	shards, _, err := c.build(ctx, keys)
	return errors.Join(err, c.addFresh(shards))
}

// newestUnits sorts units: those of commits and topics, which say more in fewer bytes, before steps. The
// newest of each kind come first: live files, then sealed files, whose names are ordered by time. So a scan
// that ends early has read all steps that are younger than what it found, which the commands that show steps
// count.
func (c *corpus) newestUnits(keys []index.Key) {
	type unit struct {
		key  index.Key
		rank int
		name string
		blob git.ID
	}
	units := make([]unit, len(keys))
	for i, key := range keys {
		p := c.places[key]
		_, name, _ := strings.Cut(p.path, "/")
		if p.path == p.file || p.file == "" {
			name = "~" // after every time
		}
		rank := 0
		if key.Kind == index.Steps {
			rank = 1
		}
		units[i] = unit{key, rank, name, p.blob}
	}
	slices.SortFunc(units, func(a, b unit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(b.name, a.name), strings.Compare(string(a.blob), string(b.blob)))
	})
	for i, u := range units {
		keys[i] = u.key
	}
}

// scanUnit scans the entries of a file, and returns how many it has.
func scanUnit(s *index.Scan, unit int, file string, data []byte) (docs int, err error) {
	switch file {
	case doc.LogFile:
		doc.EachStep(data, func(raw []byte) {
			docs++
			s.Document(unit, raw)
		})
	case doc.CommitFile: // parsed, because the progress summaries in it repeat other entries
		var commits []doc.Commit
		commits, err = doc.ParseCommits(data)
		for i := range commits {
			if m := &commits[i]; m.Kind != doc.KindBirth {
				docs++
				s.Document(unit, []byte(m.Summary), []byte(m.Contribution))
			}
		}
	default:
		docs = 1
		s.Document(unit, data)
	}
	return docs, err
}
