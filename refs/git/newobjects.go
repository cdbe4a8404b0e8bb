package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ObjectInfo is what an object is, without its content.
type ObjectInfo struct {
	ID   ID
	Type string // "blob", "tree", "commit" or "tag"; "" for one that does not exist
	Size int64  // bytes of its content
}

// NewCommit is a commit that this repository's own memory does not reach.
type NewCommit struct {
	ID      ID
	Parents []ID // without those beyond the edge of a shallow clone
}

// Shown makes a name fit for a message, whatever it holds: ASCII, what is no
// letter, digit or sign of it written as an escape, cut after 60 bytes.
func Shown(name string) string { return shown(name) }

// NewCommits lists the commits that tips reach and the repository's own memory
// (branches, roadmap, tags, deleted branches, notes) does not, children before
// their parents, most of them at most. What remotes have does not count as own.
// It is one child, in the size of what is new. A commit that is missing or cannot
// be parsed is an *Error in git's words, which name it. Tips that are no commits
// are passed over.
func (r *Repo) NewCommits(ctx context.Context, tips []ID, most int) ([]NewCommit, error) {
	var in bytes.Buffer
	for _, id := range tips {
		if !isHex(string(id), r.hexLen()) {
			return nil, fmt.Errorf("'%s' is no object id", shown(string(id)))
		}
		fmt.Fprintln(&in, id)
	}
	// Tips are read before --not, which has no effect on them. A glob without a
	// wildcard would be taken for a folder.
	out, err := r.RunInput(ctx, in.Bytes(), "rev-list", "--topo-order", "--parents", fmt.Sprintf("--max-count=%d", most),
		"--stdin", "--not", "--glob="+BranchPrefix+"*", "--glob="+RoadmapRef+"*", "--glob="+TagPrefix+"*",
		"--glob="+DeletedPrefix+"*", "--glob="+NotesRef+"*")
	if err != nil {
		return nil, err
	}
	return r.parentLines(out)
}

// parentLines reads what `git rev-list --parents` prints.
func (r *Repo) parentLines(out []byte) ([]NewCommit, error) {
	list := make([]NewCommit, 0, bytes.Count(out, []byte("\n")))
	for line := range strings.Lines(string(out)) {
		var c NewCommit
		for i, id := range strings.Fields(line) {
			if !isHex(id, r.hexLen()) {
				return nil, fmt.Errorf("git rev-list: cannot understand '%s'", shown(line))
			}
			if i == 0 {
				c.ID = ID(id)
			} else {
				c.Parents = append(c.Parents, ID(id))
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// Infos says what objects are, in the order of ids. One that does not exist has
// no type. No content is read.
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

// ReadAll hands objects to each, in the order of ids, one in memory at a time: its
// Data is only lent. Infos tells beforehand how large they are. It ends at the first
// error of each, or with an error that wraps ErrNotFound at an object that does not
// exist. Git reads ahead while each works. each may not ask the Repo for objects.
func (r *Repo) ReadAll(ctx context.Context, ids []ID, each func(Object) error) error {
	names, err := r.names(ids)
	if err != nil {
		return err
	}
	var room []byte
	return r.cat.many(ctx, "contents", names, func(s *session, id string) error {
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
		if !isHex(string(id), r.hexLen()) {
			return nil, fmt.Errorf("'%s' is no object id", shown(string(id)))
		}
		names[i] = string(id)
	}
	return names, nil
}

// many puts one question about each revision, which is one line, without waiting for
// the answers in between: a question and answer in turn cost 20 µs, most of it two
// processes waking each other. read takes the next answer. Where it fails the child is
// thrown away, with the answers that nobody reads.
func (c *catFile) many(ctx context.Context, what string, revs []string, read func(s *session, rev string) error) error {
	if len(revs) == 0 {
		return nil
	}
	var questions bytes.Buffer
	for _, rev := range revs {
		questions.WriteString(what + " " + rev + "\n")
	}
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

// abandon ends a child some of whose answers will not be read. What git died of
// says more than that its answer was cut short; a caller's own error stands.
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
		return fmt.Errorf("cannot read object '%s': %w", shown(rev), died)
	}
	return err
}

// CompareEntries orders two entries as git does, in which a folder sorts as if its
// name ended in a slash. It is 0 for two of one name that both are folders, or both
// not.
func CompareEntries(a, b TreeEntry) int {
	n := min(len(a.Name), len(b.Name))
	if c := strings.Compare(a.Name[:n], b.Name[:n]); c != 0 {
		return c
	}
	if c := cmp.Compare(a.sortByte(n), b.sortByte(n)); c != 0 {
		return c
	}
	return cmp.Compare(len(a.Name), len(b.Name))
}

// sortByte is a byte of the name that an entry sorts by; 0 behind its end.
func (e TreeEntry) sortByte(i int) byte {
	switch {
	case i < len(e.Name):
		return e.Name[i]
	case e.IsTree():
		return '/'
	}
	return 0
}
