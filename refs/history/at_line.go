package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// line reads the first-parent line of a commit, newest first: a few commits one by one,
// which is cheaper than a child, and then more with each git log.
type line struct {
	s     *store.Store
	next  git.ID // the next commit to read; "" at the end
	notes bool   // the line is of code, whose notes are read; else of memory, whose messages are

	read int // how many commits were read
	buf  []lineCommit
}

// lineCommit is one commit of a line.
type lineCommit struct {
	id      git.ID
	at      int64 // committer time, in seconds since 1970
	isEntry bool
	code    git.ID // the code commit that a memory commit was made on
	note    []byte
}

// How many commits a line reads at once.
const (
	nearLine = 16
	someLine = 128
	mostLine = 16384
	growLine = 3 // times as many as were read before
)

// peek returns the next commit without consuming it; nil at the end.
func (l *line) peek(ctx context.Context) (*lineCommit, error) {
	if len(l.buf) == 0 && l.next != "" {
		if err := l.fill(ctx); err != nil {
			return nil, err
		}
	}
	if len(l.buf) == 0 {
		return nil, nil
	}
	return &l.buf[0], nil
}

// take consumes and returns the next commit; nil at the end.
func (l *line) take(ctx context.Context) (*lineCommit, error) {
	c, err := l.peek(ctx)
	if c != nil {
		l.buf = l.buf[1:]
	}
	return c, err
}

// end stops the line at this point.
func (l *line) end() { l.buf, l.next = nil, "" }

func (l *line) fill(ctx context.Context) error {
	if l.read < nearLine {
		return l.near(ctx)
	}
	return l.far(ctx, min(max(growLine*l.read, someLine), mostLine))
}

// near reads one commit.
func (l *line) near(ctx context.Context) error {
	c, err := l.s.Repo().Commit(ctx, l.next)
	if errors.Is(err, git.ErrNotFound) && l.read > 0 { // the boundary of a shallow clone
		l.next = ""
		return nil
	}
	if err != nil {
		return err
	}
	m := l.commit(c)
	m.at = c.Committer.When.Unix()
	if l.notes {
		if m.note, err = notes.Read(ctx, l.s.Repo(), c.ID); err != nil {
			return err
		}
	}
	l.read++
	l.buf = append(l.buf, m)
	l.next = ""
	if len(c.Parents) > 0 {
		l.next = c.Parents[0]
	}
	return nil
}

// commit returns what the message of a memory commit contains. The message of a code commit
// is not needed.
func (l *line) commit(c *git.Commit) lineCommit {
	m := lineCommit{id: c.ID}
	if !l.notes {
		m.isEntry, m.code = c.Trailer(store.TrailerID) != "", git.ID(c.Trailer(store.TrailerCode))
	}
	return m
}

// far reads n commits, with whole messages: to find a trailer takes git 20 µs a commit.
func (l *line) far(ctx context.Context, n int) error {
	shown, format := "--no-notes", "%B%x00"
	if l.notes {
		shown, format = "--notes=context", "%x00%N"
	}
	out, err := l.s.Repo().View(ctx, "log", "-z", "--first-parent", "--max-count="+strconv.Itoa(n+1), shown,
		"--format=%H%x00%ct%x00"+format, "--end-of-options", string(l.next))
	if err != nil {
		// the boundary of a shallow clone
		if _, missing := l.s.Repo().Peel(ctx, string(l.next)); errors.Is(missing, git.ErrNotFound) {
			l.next = ""
			return nil
		}
		return err
	}
	l.next = ""
	for f := bytes.Split(out, []byte{0}); len(f) >= 4; f = f[4:] {
		m := l.commit(&git.Commit{ID: git.ID(f[0]), Message: string(f[2])})
		m.note = f[3]
		if m.at, err = strconv.ParseInt(string(f[1]), 10, 64); err != nil {
			return fmt.Errorf("git log: no date for %s", m.id)
		}
		if n == 0 { // one more than n is listed, to learn where to continue
			l.next = m.id
			break
		}
		n--
		l.buf = append(l.buf, m)
	}
	l.read += len(l.buf)
	return nil
}
