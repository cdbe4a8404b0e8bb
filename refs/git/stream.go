package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// ErrEnough is what a writer returns that wants no more of a view.
var ErrEnough = errors.New("enough")

// ViewTo is View for what may be large or is not wanted whole: it goes to w as it
// comes, and never stands in memory. stdin is what the child reads, nil for
// nothing. An error of w's ends the child and is returned, but ErrEnough, which is
// no failure. A child may run as long as somebody reads what it says.
func (r *Repo) ViewTo(ctx context.Context, w io.Writer, stdin []byte, args ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := &until{w: w, failed: cancel}
	c := r.viewing(r.gitDir, args)
	c.out, c.stdin, c.limit = out, stdin, readerTimeout
	_, err := r.start(ctx, c)
	if out.err == nil {
		return err
	}
	if errors.Is(out.err, ErrEnough) {
		return nil
	}
	return out.err
}

// until keeps a writer's first error. A child that would notice a closed pipe only
// when it next has something to say is told to end at once.
type until struct {
	w      io.Writer
	failed func()
	err    error
}

func (u *until) Write(p []byte) (int, error) {
	if u.err != nil {
		return 0, u.err
	}
	n, err := u.w.Write(p)
	if err != nil {
		u.err = err
		u.failed()
	}
	return n, err
}

// LineOptions are the options of [Repo.EachLine].
type LineOptions struct {
	Env      []string  // more environment, as "key=value"; a later value counts
	Input    io.Reader // standard input; nil: empty
	Progress io.Writer // if not nil, gets standard error as it comes
}

// EachLine runs a plumbing command as [Repo.Run] does and hands each line of its
// standard output to each, without the newline, as it comes; line is valid until each
// returns. It ends at the first error of each, and returns that. A last line without a
// newline is an error: the output was cut short. A caller without a deadline gets one of
// an hour.
func (r *Repo) EachLine(ctx context.Context, o LineOptions, each func(line []byte) error, args ...string) error {
	out := &lineWriter{each: each}
	c := command{args: args, input: o.Input, also: o.Progress, limit: walkTimeout, out: out}
	c.env = append(r.childEnv[:len(r.childEnv):len(r.childEnv)], o.Env...)
	_, err := r.start(ctx, c)
	if out.err != nil {
		return out.err
	}
	if err == nil && len(out.rest) > 0 {
		err = fmt.Errorf("git %s: its last line is cut short", args[0])
	}
	return err
}

// lineWriter hands on what is written to it, line by line, up to the first error.
type lineWriter struct {
	each func(line []byte) error
	rest []byte // a line without its end
	err  error
}

func (l *lineWriter) Write(data []byte) (int, error) {
	n := len(data)
	if l.err != nil {
		return 0, l.err
	}
	for {
		line, after, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			l.rest = append(l.rest, data...)
			return n, nil
		}
		if len(l.rest) > 0 {
			line = append(l.rest, line...)
			l.rest = nil
		}
		if l.err = l.each(line); l.err != nil {
			return 0, l.err
		}
		data = after
	}
}
