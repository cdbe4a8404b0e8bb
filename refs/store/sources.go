package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/journal"
)

// sources knows which source keys a branch holds already, so that an import that
// is run again adds nothing. It is the only reader of a branch's whole log.
//
// Goroutines of one Store share it. Who reads or extends it holds the journal's lock,
// which keeps them apart as it does processes; Go knows of that by mu alone.
type sources struct {
	tip git.ID // never changes

	mu      sync.Mutex
	journal string
	upto    int64 // how far the journal has been read
	at      map[string]journal.Entry
}

// find looks a source up; a nil *sources and an empty key know nothing.
func (k *sources) find(source string) (journal.Entry, bool) {
	if k == nil || source == "" {
		return journal.Entry{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.at[source]
	return e, ok
}

// sourcesOf returns what is known of a branch, reading its log unless that was
// done by this Store already and the branch stands where it stood.
func (s *Store) sourcesOf(ctx context.Context, branch string) (*sources, error) {
	tip, err := s.Tip(ctx, branch)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	k := s.known[branch]
	s.mu.Unlock()
	if k != nil && k.tip == tip.commit.ID {
		return k, nil
	}
	k = &sources{tip: tip.commit.ID, at: map[string]journal.Entry{}}
	err = tip.EachLog(ctx, func(steps []doc.Step) {
		for _, step := range steps {
			if step.Source != "" {
				k.at[step.Source] = journal.Entry{Step: step.Number, ID: step.ID}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.known[branch] = k
	s.mu.Unlock()
	return k, nil
}

// catchUp reads what the journal holds beyond what was read. It is called with
// the journal locked, and reports false when the branch has moved on meanwhile:
// its log must then be read again, because a COMMIT may have drained steps that
// neither reading saw.
func (k *sources) catchUp(ctx context.Context, s *Store, branch string, j *journal.Journal) (bool, error) {
	if k == nil {
		return true, nil
	}
	tip, err := s.repo.Ref(ctx, git.BranchRef(branch))
	if err != nil && !errors.Is(err, git.ErrNotFound) {
		return false, err
	}
	if err != nil || tip != k.tip {
		return false, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	c, err := j.Since(k.upto)
	if err == nil && c.Head.Journal != k.journal {
		k.journal = c.Head.Journal
		c, err = j.Since(0)
	}
	if err != nil {
		return false, err
	}
	for _, line := range c.Lines {
		var l EntryLine
		if err := json.Unmarshal(line.Raw, &l); err != nil {
			return false, fmt.Errorf("journal of branch '%s', step %d: %w", branch, line.Step, err)
		}
		if l.Source != "" {
			k.at[l.Source] = journal.Entry{Step: l.Step, ID: l.ID}
		}
	}
	k.upto = c.Size
	return true, nil
}
