package git

import (
	"context"
	"errors"
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
