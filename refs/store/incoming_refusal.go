package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
)

// refuse is the error for what a ref brings. inspect are commands that show it.
func refuse(ref, what string, cause error, inspect ...string) *fail.Error {
	return &fail.Error{
		Code: fail.IncomingInvalid, Kind: fail.ErrRefused, Err: cause,
		Message: fmt.Sprintf("'%s' is refused: %s", visible(ref), what),
		Hints:   append(inspect, "nothing was taken in; what was fetched is kept in '"+visible(ref)+"' for inspection"),
	}
}

// spot is where an object was found, and what it is checked as.
type spot struct {
	at   *newCommit
	path string // of a folder with a slash at its end; of no meaning for the commit itself
	id   git.ID
}

// placed is what has a spot.
type placed interface{ spot() spot }

func (n *newCommit) spot() spot { return spot{at: n, id: n.id} }
func (f file) spot() spot       { return spot{f.at, f.path, f.id} }
func (f folder) spot() spot     { return spot{f.at, f.path + "/", f.id} }

func (p spot) String() string {
	if p.id == p.at.id {
		return fmt.Sprintf("commit %s", p.id)
	}
	return fmt.Sprintf("'%s' (%s) in commit %s", visible(p.path), p.id, p.at.id)
}

// refuse refuses the ref that brings what stands in a spot.
func (p spot) refuse(what string, cause error) error {
	inspect := []string{show(p.id)}
	if p.id != p.at.id {
		inspect = []string{fmt.Sprintf("git ls-tree -r -t -l %s", p.at.id), show(p.id)}
	}
	return refuse(p.at.ref, p.String()+": "+what, cause, inspect...)
}

// flawKind is what is wrong, as a check of what is here names it.
type flawKind string

const (
	flawMissing  flawKind = "object-missing"
	flawDamaged  flawKind = "object-damaged"
	flawTree     flawKind = "tree-invalid"
	flawDocument flawKind = "document-invalid"
	flawSegment  flawKind = "segment-misnamed"
	flawOrder    flawKind = "entry-disordered"
	flawAhead    flawKind = "id-ahead"
	flawTrailer  flawKind = "trailer-wrong"
	flawUnlisted flawKind = "milestone-unlisted"
)

// flaw is something wrong that was found in a spot.
type flaw struct {
	spot
	kind  flawKind
	what  string
	cause error
}

func (f flaw) Error() string {
	text := f.String() + ": " + f.what
	if f.cause != nil {
		text += ": " + f.cause.Error()
	}
	return text
}

// wrong is called for all that is wrong. Of what comes in the first flaw is the end, of
// what is here all are wanted: the caller goes on where it returns nil, without what is
// wrong.
func (c *inspection) wrong(kind flawKind, p placed, what string, cause error) error {
	if c.found == nil {
		return p.spot().refuse(what, cause)
	}
	if f, ok := p.(file); ok && kind != flawSegment && kind != flawUnlisted {
		c.files[seenFile{f.kind, f.id}] = ends{bad: true}
	}
	c.found(flaw{p.spot(), kind, what, cause})
	return nil
}

// show is a command that cannot be told by what it prints to do anything.
func show(id git.ID) string { return fmt.Sprintf("git cat-file -p %s | cat -v", id) }

// read hands objects to each, with their place in ids. An object that is missing
// or broken is wrong as what as says it is; as is nil for a tree of our own, which what
// comes in is only compared with: that it cannot be read is no fault of theirs.
func (c *inspection) read(ctx context.Context, ids []git.ID, each func(int, git.Object) error, as func(int) placed) error {
	for from := 0; from < len(ids); from++ {
		at := from
		err := c.repo.ReadAll(ctx, ids[from:], func(o git.Object) error {
			i := at
			at++
			return each(i, o)
		})
		var refused *fail.Error
		if err == nil || errors.As(err, &refused) || at == len(ids) || !unreadable(err) {
			return err
		}
		p := as(at)
		switch {
		case p != nil:
			err = c.wrong(flawDamaged, p, "it cannot be read", err)
		case c.found != nil: // it is checked where it stands
			err = nil
		}
		if err != nil {
			return err
		}
		from = at // the others can be
	}
	return nil
}

// unreadable reports whether an error is about an object that git could not read.
func unreadable(err error) bool {
	var died *git.Error
	return errors.Is(err, git.ErrNotFound) || errors.As(err, &died) && died.Code >= 0
}

// tooMany is the error for a limit that the user may raise.
func (c *inspection) tooMany(ref, what string) *fail.Error {
	return refuse(ref, "it brings "+what+" that are not here", nil,
		fmt.Sprintf("git config %s %d", keyMaxNewEntries, 10*c.limit))
}

// visible makes a name that others chose fit for a line of a message: as it
// stands, where it is printable ASCII.
func visible(name string) string {
	const most = 300
	odd := func(r rune) bool { return r < ' ' || r > '~' || r == '\'' }
	if len(name) > most || strings.ContainsFunc(name, odd) {
		return git.Shown(name)
	}
	return name
}
