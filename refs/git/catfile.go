package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// catFile is the `git cat-file --batch-command` child: it resolves revisions
// and reads what is not loose. It answers one question at a time.
type catFile struct {
	repo *Repo
	turn chan struct{} // holds a token while nobody asks
	s    *session      // guarded by turn; nil before the first question
}

func (c *catFile) init(r *Repo) {
	c.repo = r
	c.turn = make(chan struct{}, 1)
	c.turn <- struct{}{}
}

// Warm starts the child that reads objects, so that its start-up hides behind
// other work. It returns at once.
func (r *Repo) Warm() {
	select {
	case <-r.cat.turn:
		r.cat.session()
		r.cat.turn <- struct{}{}
	default: // in use, so started
	}
}

// session returns the running child, or a new one.
func (c *catFile) session() *session {
	if c.s == nil {
		c.s = c.repo.open(context.Background(), nil, nil, "cat-file", "--batch-command")
	}
	return c.s
}

func (c *catFile) close() error {
	<-c.turn
	defer func() { c.turn <- struct{}{} }()
	s := c.s
	c.s = nil
	if s == nil {
		return nil
	}
	return s.end(context.Background())
}

// contents reads the object that a revision names.
func (c *catFile) contents(ctx context.Context, rev string) (Object, error) {
	return c.ask(ctx, "contents", rev)
}

// info returns the id and type of the object that a revision names.
func (c *catFile) info(ctx context.Context, rev string) (Object, error) {
	return c.ask(ctx, "info", rev)
}

// ask puts one question. A child that dies, or answers what we do not
// understand, is thrown away: the next question gets a new one.
func (c *catFile) ask(ctx context.Context, what, rev string) (Object, error) {
	if rev == "" || strings.ContainsAny(rev, "\n\x00") {
		return Object{}, fmt.Errorf("revision '%s': %w", shown(rev), ErrNotFound)
	}
	ctx, cancel := withTimeout(ctx, childTimeout)
	defer cancel()
	select {
	case <-c.turn:
		defer func() { c.turn <- struct{}{} }()
	case <-ctx.Done():
		return Object{}, fmt.Errorf("cannot read '%s': %w", shown(rev), ctx.Err())
	}
	s := c.session()
	if err := s.wait(); err != nil {
		c.s = nil
		return Object{}, err
	}
	unwatch := context.AfterFunc(ctx, s.stop)
	defer unwatch()
	var o Object
	_, err := io.WriteString(s.in, what+" "+rev+"\n")
	if err == nil {
		o, err = readAnswer(s.out, rev, c.repo.hexLen(), what == "contents")
	}
	if errors.Is(err, ErrNotFound) && isHex(rev, c.repo.hexLen()) {
		return o, c.repo.missing(ctx, rev, err)
	}
	if err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, ErrAmbiguous) {
		return o, err
	}
	return Object{}, c.broken(ctx, rev, err)
}

// broken ends a child that failed at a question and says why.
func (c *catFile) broken(ctx context.Context, rev string, err error) error {
	s := c.s
	c.s = nil
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		s.stop() // out of step; a child whose output ended has ended itself
	}
	if died := s.end(ctx); died != nil {
		err = died
	}
	return fmt.Errorf("cannot read '%s': %w", shown(rev), err)
}

// readAnswer reads what cat-file says to one question:
//
//	<id> SP <type> SP <size> LF [<content> LF]
//	<revision> SP ("missing" | "ambiguous") LF
func readAnswer(in *bufio.Reader, rev string, hexLen int, content bool) (Object, error) {
	head, err := readHead(in, rev, hexLen)
	if err != nil {
		return Object{}, err
	}
	o := Object{ID: head.ID, Type: head.Type}
	if !content {
		return o, nil
	}
	if o.Data, err = readContent(in, head.Size, nil); err != nil {
		return Object{}, err
	}
	return o, nil
}

// readContent reads an object's content and the line's end behind it into room, which
// grows if it must.
func readContent(in *bufio.Reader, size int64, room []byte) ([]byte, error) {
	data, err := readExactly(in, size, room)
	if err != nil {
		return nil, fmt.Errorf("git cat-file: answer cut short: %w", err)
	}
	end, err := in.ReadByte()
	if err == nil && end != '\n' {
		err = fmt.Errorf("'%c' where its end should be", end)
	}
	if err != nil {
		return nil, fmt.Errorf("git cat-file: answer cut short: %w", err)
	}
	return data, nil
}

// readHead reads the first line of an answer.
func readHead(in *bufio.Reader, rev string, hexLen int) (ObjectInfo, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return ObjectInfo{}, fmt.Errorf("git cat-file: no answer: %w", err)
	}
	line = strings.TrimSuffix(line, "\n")
	switch line {
	case rev + " missing":
		return ObjectInfo{}, fmt.Errorf("revision '%s': %w", shown(rev), ErrNotFound)
	case rev + " ambiguous":
		return ObjectInfo{}, fmt.Errorf("revision '%s': %w", shown(rev), ErrAmbiguous)
	}
	fields := strings.Split(line, " ")
	if len(fields) != 3 || !isHex(fields[0], hexLen) || !isType(fields[1]) {
		return ObjectInfo{}, fmt.Errorf("git cat-file: cannot understand '%s'", shown(line))
	}
	size, err := strconv.ParseInt(fields[2], 10, 63)
	if err != nil || size < 0 {
		return ObjectInfo{}, fmt.Errorf("git cat-file: bad size '%s'", shown(fields[2]))
	}
	return ObjectInfo{ID: ID(fields[0]), Type: fields[1], Size: size}, nil
}

// readExactly reads n bytes into room, which grows if it must. Large sizes are not
// believed before the bytes are there.
func readExactly(in io.Reader, n int64, room []byte) ([]byte, error) {
	const step = 1 << 20
	data := room[:0]
	for int64(len(data)) < n {
		from := len(data)
		more := int(min(n-int64(from), step))
		data = slices.Grow(data, more)[:from+more]
		if _, err := io.ReadFull(in, data[from:]); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func isType(s string) bool {
	return s == "blob" || s == "tree" || s == "commit" || s == "tag"
}
