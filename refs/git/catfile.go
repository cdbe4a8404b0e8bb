package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// catFile is the `git cat-file --batch-command` child: it resolves revisions
// and reads what is not loose. It answers one question at a time.
type catFile struct {
	repo *Repo
	turn chan struct{} // contains a token while no question is asked
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
	timer := time.AfterFunc(closeGrace, s.stop) // it may wait for a file that is a named pipe
	defer timer.Stop()
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
		return Object{}, fmt.Errorf("revision '%s': %w", Shown(rev), ErrNotFound)
	}
	ctx, cancel := withTimeout(ctx, childTimeout)
	defer cancel()
	select {
	case <-c.turn:
		defer func() { c.turn <- struct{}{} }()
	case <-ctx.Done():
		return Object{}, fmt.Errorf("cannot read '%s': %w", Shown(rev), ctx.Err())
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
	if errors.Is(err, ErrNotFound) && c.repo.IsID(rev) {
		return o, c.repo.missing(ctx, rev, err)
	}
	if err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, ErrAmbiguous) {
		return o, err
	}
	return Object{}, c.broken(ctx, rev, err)
}

// broken ends a child that failed at a question and returns the reason.
func (c *catFile) broken(ctx context.Context, rev string, err error) error {
	s := c.s
	c.s = nil
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		s.stop() // out of step; a child whose output ended has ended itself
	}
	if died := s.end(ctx); died != nil {
		err = died
	}
	return fmt.Errorf("cannot read '%s': %w", Shown(rev), err)
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
		if isHex(rev, hexLen) {
			return ObjectInfo{}, fmt.Errorf("revision '%s': %w", Shown(rev), ErrMissing)
		}
		return ObjectInfo{}, fmt.Errorf("revision '%s': %w", Shown(rev), ErrNotFound)
	case rev + " ambiguous":
		return ObjectInfo{}, fmt.Errorf("revision '%s': %w", Shown(rev), ErrAmbiguous)
	}
	fields := strings.Split(line, " ")
	if len(fields) != 3 || !isHex(fields[0], hexLen) || !isType(fields[1]) {
		return ObjectInfo{}, fmt.Errorf("git cat-file: cannot understand '%s'", Shown(line))
	}
	size, err := strconv.ParseInt(fields[2], 10, 63)
	if err != nil || size < 0 {
		return ObjectInfo{}, fmt.Errorf("git cat-file: bad size '%s'", Shown(fields[2]))
	}
	return ObjectInfo{ID: ID(fields[0]), Type: fields[1], Size: size}, nil
}

// readExactly reads n bytes into room, which grows if it must. A large size is not believed before an
// eighth of the bytes is there; smaller steps would copy a giant many times.
func readExactly(in io.Reader, n int64, room []byte) ([]byte, error) {
	const step = 1 << 20
	data := room[:0]
	for int64(len(data)) < n {
		from := len(data)
		to := int(min(n, max(8*int64(from), step, int64(cap(data)))))
		data = slices.Grow(data, to-from)[:to]
		if _, err := io.ReadFull(in, data[from:]); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func isType(s string) bool {
	return s == "blob" || s == "tree" || s == "commit" || s == "tag"
}

// CommitsHere returns the set of those of some objects that are commits and are here. A partial clone fetches none.
func (r *Repo) CommitsHere(ctx context.Context, ids []ID) (map[ID]bool, error) {
	infos, err := r.InfosHere(ctx, ids)
	here := map[ID]bool{}
	for _, info := range infos {
		if info.Type == "commit" {
			here[info.ID] = true
		}
	}
	return here, err
}

// InfosHere is Infos without what a partial clone would fetch to answer: of objects that may just have been deleted,
// and that the remote has still.
func (r *Repo) InfosHere(ctx context.Context, ids []ID) ([]ObjectInfo, error) {
	if _, err := r.names(ids); err != nil || len(ids) == 0 {
		return nil, err
	}
	asked := ids
	if partial, err := r.Partial(); err != nil {
		return nil, err
	} else if partial {
		here, err := r.here(ctx, ids)
		if ExitCode(err) > 0 { // one of them is damaged
			here, err = nil, nil
		}
		if err != nil {
			return nil, err
		}
		if here != nil {
			asked = slices.DeleteFunc(slices.Clone(ids), func(id ID) bool { return !here[id] })
		}
	}
	out, err := r.RunEnv(ctx, []string{"GIT_NO_LAZY_FETCH=1"}, idLines(asked).Bytes(), "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	list, in := make([]ObjectInfo, 0, len(ids)), bufio.NewReader(bytes.NewReader(out))
	for _, id := range ids {
		if len(asked) == 0 || asked[0] != id {
			list = append(list, ObjectInfo{ID: id})
			continue
		}
		asked = asked[1:]
		info, err := readHead(in, string(id), r.hexLen())
		if errors.Is(err, ErrNotFound) {
			info, err = ObjectInfo{ID: id}, nil
		}
		if err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		list = append(list, info)
	}
	return list, nil
}

// Infos returns the types and sizes of objects, in the order of ids. One that does not
// exist has no type. No content is read.
func (r *Repo) Infos(ctx context.Context, ids []ID) ([]ObjectInfo, error) {
	names, err := r.names(ids)
	if err != nil {
		return nil, err
	}
	list := make([]ObjectInfo, 0, len(ids))
	err = r.cat.many(ctx, "info", names, func(s *session, id string) error {
		info, err := readHead(s.out, id, r.hexLen())
		if errors.Is(err, ErrNotFound) {
			info, err = ObjectInfo{ID: ID(id)}, nil
		}
		list = append(list, info)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, info := range list {
		if info.Type == "" {
			return list, r.missing(ctx, string(info.ID), nil)
		}
	}
	return list, nil
}

// ReadAll hands objects to each, in the order of ids, one in memory at a time: its Data is
// valid until each returns. [Repo.Infos] returns their sizes beforehand. It ends at the
// first error of each, or with an error that wraps ErrNotFound at an object that does not
// exist. Git reads ahead while each works. each must not ask the Repo for objects.
func (r *Repo) ReadAll(ctx context.Context, ids []ID, each func(Object) error) error {
	return r.cat.readAll(ctx, ids, each)
}

// ReadLists is ReadAll for several lists at once, with a child for each: each is called
// concurrently for objects of different lists, with the number of the list. Two children
// read a long history in half of the time.
func (r *Repo) ReadLists(ctx context.Context, lists [][]ID, each func(list int, o Object) error) error {
	errs := make([]error, len(lists))
	var wg sync.WaitGroup
	for i, ids := range lists {
		wg.Go(func() {
			cat := &r.cat
			if i > 0 {
				cat = &catFile{}
				cat.init(r)
				defer func() { errs[i] = errors.Join(errs[i], cat.close()) }()
			}
			errs[i] = cat.readAll(ctx, ids, func(o Object) error { return each(i, o) })
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (c *catFile) readAll(ctx context.Context, ids []ID, each func(Object) error) error {
	r := c.repo
	names, err := r.names(ids)
	if err != nil {
		return err
	}
	var room []byte
	return c.many(ctx, "contents", names, func(s *session, id string) error {
		head, err := readHead(s.out, id, r.hexLen())
		if errors.Is(err, ErrNotFound) {
			return r.missing(ctx, id, err)
		}
		if err != nil {
			return err
		}
		if room, err = readContent(s.out, head.Size, room); err != nil {
			return err
		}
		return each(Object{ID: head.ID, Type: head.Type, Data: room})
	})
}

// names are ids as git is asked for them.
func (r *Repo) names(ids []ID) ([]string, error) {
	names := make([]string, len(ids))
	for i, id := range ids {
		if !r.IsID(string(id)) {
			return nil, fmt.Errorf("'%s' is no object id", Shown(string(id)))
		}
		names[i] = string(id)
	}
	return names, nil
}

// many puts one question about each revision, which is one line, without waiting for the
// answers in between: a question and answer in turn cost 20 µs, most of it two processes
// waking each other. read takes the next answer. Where it fails the child is thrown away,
// with the answers that were not read. The child finds all that was written behind.
func (c *catFile) many(ctx context.Context, what string, revs []string, read func(s *session, rev string) error) error {
	if len(revs) == 0 {
		return nil
	}
	var questions bytes.Buffer
	for _, rev := range revs {
		questions.WriteString(what + " " + rev + "\n")
	}
	c.repo.behind.wait()
	ctx, cancel := withTimeout(ctx, childTimeout)
	defer cancel()
	select {
	case <-c.turn:
		defer func() { c.turn <- struct{}{} }()
	case <-ctx.Done():
		return fmt.Errorf("cannot read objects: %w", ctx.Err())
	}
	s := c.session()
	if err := s.wait(); err != nil {
		c.s = nil
		return err
	}
	unwatch := context.AfterFunc(ctx, s.stop)
	defer unwatch()
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		// A child that stopped listening is found out where its answer is read.
		_, _ = s.in.Write(questions.Bytes())
	}()
	for _, rev := range revs {
		if err := read(s, rev); err != nil {
			return c.abandon(ctx, asked, rev, err)
		}
	}
	<-asked
	return nil
}

// abandon ends a child some of whose answers will not be read. The child's own failure
// replaces an error for a truncated answer; a caller's own error is returned unchanged.
func (c *catFile) abandon(ctx context.Context, asked <-chan struct{}, rev string, err error) error {
	s := c.s
	c.s = nil
	cut := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if !cut {
		s.stop() // it may wait for us to read
	}
	died := s.end(ctx)
	<-asked
	if cut && died != nil {
		return fmt.Errorf("cannot read object '%s': %w", Shown(rev), died)
	}
	return err
}
