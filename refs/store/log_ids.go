package store

import (
	"bytes"
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/prose"
)

// logIDs runs git log with args and hands out each commit's hash, its Context-Id,
// empty for what is no milestone, and what more of git log's formats says. Fields are
// only good until each returns, which ends git by git.ErrEnough.
func (s *Store) LogIDs(ctx context.Context, args []string, each func(fields [][]byte) error, more ...string) error {
	return s.LogIDsFrom(ctx, nil, args, each, more...)
}

// logIDsFrom is logIDs with something on standard input, for revisions without bound.
func (s *Store) LogIDsFrom(ctx context.Context, stdin []byte, args []string, each func(fields [][]byte) error, more ...string) error {
	read := &Records{Fields: 2 + len(more), Each: each}
	format := "--format=%H%x00" + Value(TrailerID)
	for _, field := range more {
		format += "%x00" + field
	}
	if err := s.repo.ViewTo(ctx, read, stdin, append([]string{"log", "-z", format}, args...)...); err != nil {
		return err
	}
	if len(read.Rest) > 0 {
		return fmt.Errorf("git log ended within a commit: '%s'", prose.OneLine(string(read.Rest), 60))
	}
	return nil
}

const EndOfOptions = "--end-of-options"

// value is the format for a trailer's value alone.
func Value(trailer string) string { return "%(trailers:key=" + trailer + ",valueonly,separator=)" }

// records cuts what git writes into fields, each ended by NUL, and hands on as many
// as make a record. Fields are only good until each returns.
type Records struct {
	Fields int
	Each   func([][]byte) error
	Rest   []byte // of a record that has not ended
	ends   []int  // of the fields in rest
	looked int    // how far rest was searched: a note may be large and come in many pieces
}

func (r *Records) Write(p []byte) (int, error) {
	r.Rest = append(r.Rest, p...)
	done := 0
	for {
		n := bytes.IndexByte(r.Rest[r.looked:], 0)
		if n < 0 {
			r.looked = len(r.Rest)
			break
		}
		r.ends = append(r.ends, r.looked+n)
		r.looked += n + 1
		if len(r.ends) < r.Fields {
			continue
		}
		record, from := make([][]byte, r.Fields), done
		for i, end := range r.ends {
			record[i], from = r.Rest[from:end], end+1
		}
		if err := r.Each(record); err != nil {
			r.Rest = nil
			return len(p), err
		}
		r.ends, done = r.ends[:0], r.looked
	}
	r.Rest = append(r.Rest[:0], r.Rest[done:]...)
	r.looked -= done
	for i := range r.ends {
		r.ends[i] -= done
	}
	return len(p), nil
}
