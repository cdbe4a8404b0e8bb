package refs

import (
	"context"
	"fmt"
)

// logIDs runs git log with args and hands out each commit's hash, its Context-Id,
// empty for what is no milestone, and what more of git log's formats says. Fields are
// only good until each returns, which ends git by git.ErrEnough.
func (s *Store) logIDs(ctx context.Context, args []string, each func(fields [][]byte) error, more ...string) error {
	return s.logIDsFrom(ctx, nil, args, each, more...)
}

// logIDsFrom is logIDs with something on standard input, for revisions without bound.
func (s *Store) logIDsFrom(ctx context.Context, stdin []byte, args []string, each func(fields [][]byte) error, more ...string) error {
	read := &records{fields: 2 + len(more), each: each}
	format := "--format=%H%x00" + value(trailerID)
	for _, field := range more {
		format += "%x00" + field
	}
	if err := s.repo.ViewTo(ctx, read, stdin, append([]string{"log", "-z", format}, args...)...); err != nil {
		return err
	}
	if len(read.rest) > 0 {
		return fmt.Errorf("git log ended within a commit: '%s'", oneLine(string(read.rest), 60))
	}
	return nil
}
