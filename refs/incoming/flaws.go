package incoming

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// refuse is the error for what a ref brings. inspect are commands that show it.
func refuse(ref, what string, cause error, inspect ...string) *fail.Error {
	return &fail.Error{
		Code: fail.IncomingInvalid, Kind: fail.ErrRefused, Err: cause,
		Message: fmt.Sprintf("'%s' is refused: %s", Printable(ref), what),
		Hints:   append(inspect, "nothing was taken in; what was fetched is kept in '"+Printable(ref)+"' for inspection"),
	}
}

// spot is where an object was found, and what it is checked as.
type Spot struct {
	At   *Commit
	Path string // of a folder with a slash at its end; of no meaning for the commit itself
	ID   git.ID
}

// placed is what has a spot.
type placed interface{ Spot() Spot }

func (n *Commit) Spot() Spot { return Spot{At: n, ID: n.ID} }
func (f File) Spot() Spot    { return Spot{f.at, f.path, f.ID} }
func (f folder) Spot() Spot  { return Spot{f.at, f.path + "/", f.id} }

func (p Spot) String() string {
	if p.ID == p.At.ID {
		return fmt.Sprintf("commit %s", p.ID)
	}
	return fmt.Sprintf("'%s' (%s) in commit %s", Printable(p.Path), p.ID, p.At.ID)
}

// refuse refuses the ref that brings what stands in a spot.
func (p Spot) refuse(what string, cause error) error {
	inspect := []string{show(p.ID)}
	if p.ID != p.At.ID {
		inspect = []string{fmt.Sprintf("git ls-tree -r -t -l %s", p.At.ID), show(p.ID)}
	}
	return refuse(p.At.Ref, p.String()+": "+what, cause, inspect...)
}

// FlawKind is what is wrong, as a check of what is here names it.
type FlawKind string

const (
	FlawMissing  FlawKind = "object-missing"
	FlawDamaged  FlawKind = "object-damaged"
	FlawTree     FlawKind = "tree-invalid"
	flawDocument FlawKind = "document-invalid"
	flawSegment  FlawKind = "segment-misnamed"
	flawOrder    FlawKind = "entry-disordered"
	FlawAhead    FlawKind = "id-ahead"
	FlawTrailer  FlawKind = "trailer-wrong"
	FlawUnlisted FlawKind = "milestone-unlisted"
)

// flaw is something wrong that was found in a spot.
type Flaw struct {
	Spot
	Kind  FlawKind
	What  string
	Cause error
}

func (f Flaw) Error() string {
	text := f.String() + ": " + f.What
	if f.Cause != nil {
		text += ": " + f.Cause.Error()
	}
	return text
}

// wrong is called for all that is wrong. Of what comes in the first flaw is the end, of
// what is here all are wanted: the caller goes on where it returns nil, without what is
// wrong.
func (c *Inspection) wrong(kind FlawKind, p placed, what string, cause error) error {
	if c.OnFlaw == nil {
		return p.Spot().refuse(what, cause)
	}
	if f, ok := p.(File); ok && kind != flawSegment && kind != FlawUnlisted {
		c.Files[FileKey{f.kind, f.ID}] = Ends{Bad: true}
	}
	c.OnFlaw(Flaw{p.Spot(), kind, what, cause})
	return nil
}

// show is a command that cannot be told by what it prints to do anything.
func show(id git.ID) string { return fmt.Sprintf("git cat-file -p %s | cat -v", id) }

// read hands objects to each, with their place in ids. An object that is missing
// or broken is wrong as what as says it is; as is nil for a tree of our own, which what
// comes in is only compared with: that it cannot be read is no fault of theirs.
func (c *Inspection) read(ctx context.Context, ids []git.ID, each func(int, git.Object) error, as func(int) placed) error {
	for from := 0; from < len(ids); from++ {
		at := from
		err := c.repo.ReadAll(ctx, ids[from:], func(o git.Object) error {
			i := at
			at++
			return each(i, o)
		})
		var refused *fail.Error
		if err == nil || errors.As(err, &refused) || at == len(ids) || !Unreadable(err) {
			return err
		}
		p := as(at)
		switch {
		case p != nil:
			err = c.wrong(FlawDamaged, p, "it cannot be read", err)
		case c.OnFlaw != nil: // it is checked where it stands
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
func Unreadable(err error) bool {
	var died *git.Error
	return errors.Is(err, git.ErrNotFound) || errors.As(err, &died) && died.Code >= 0
}

// tooMany is the error for a limit that the user may raise.
func (c *Inspection) tooMany(ref, what string) *fail.Error {
	return refuse(ref, "it brings "+what+" that are not here", nil,
		fmt.Sprintf("git config %s %d", store.KeyMaxNewEntries, 10*c.limit))
}

// visible makes a name that others chose fit for a line of a message: as it
// stands, where it is printable ASCII.
func Printable(name string) string {
	const most = 300
	odd := func(r rune) bool { return r < ' ' || r > '~' || r == '\'' }
	if len(name) > most || strings.ContainsFunc(name, odd) {
		return git.Shown(name)
	}
	return name
}
