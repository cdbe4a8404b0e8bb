package capture

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/store"
)

// Settings returns the values of context.capture (off, actions or full) and context.autoCommit
// (off, turn or session), or what they are where they are not set.
func Settings(ctx context.Context, s *store.Store) (mode, commit string, err error) {
	p, err := readPolicy(ctx, s)
	return p.mode, p.commit, err
}

// lookedAt is how many sessions LastEvents reads, of those that were written last.
const lookedAt = 32

// LastEvents returns when each client last called a hook in this repository, as far as the newest
// sessions tell.
func LastEvents(s *store.Store) (map[string]time.Time, error) {
	last := map[string]time.Time{}
	sessions, err := newestSessions(s)
	if err != nil {
		return nil, err
	}
	for _, key := range sessions {
		var st state
		known, err := readState(s, key, &st)
		if err != nil {
			return nil, err
		}
		if known && st.Seen.After(last[st.Client]) {
			last[st.Client] = st.Seen
		}
	}
	return last, nil
}

// newestSessions lists the sessions whose state was written last.
func newestSessions(s *store.Store) (keys []string, err error) {
	files, err := os.ReadDir(s.StatePath(Dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	times := map[string]time.Time{}
	for _, f := range files {
		key, isState := strings.CutSuffix(f.Name(), ".json")
		if !isState {
			continue
		}
		info, err := f.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		keys, times[key] = append(keys, key), info.ModTime()
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(times[b].Compare(times[a]), cmp.Compare(a, b)) })
	return keys[:min(lookedAt, len(keys))], nil
}
