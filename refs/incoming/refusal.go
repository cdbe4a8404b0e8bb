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
		Message: fmt.Sprintf("'%s' is refused: %s", Visible(ref), what),
		Hints:   append(inspect, "nothing was taken in; what was fetched is kept in '"+Visible(ref)+"' for inspection"),
	}
}

// spot is where an object was found, and what it is checked as.
type Spot struct {
	At   *NewCommit
	Path string // of a folder with a slash at its end; of no meaning for the commit itself
	Id   git.ID
}

// placed is what has a spot.
type placed interface{ Spot() Spot }

func (n *NewCommit) Spot() Spot { return Spot{At: n, Id: n.Id} }
func (f File) Spot() Spot       { return Spot{f.at, f.path, f.Id} }
func (f folder) Spot() Spot     { return Spot{f.at, f.path + "/", f.id} }

func (p Spot) String() string {
	if p.Id == p.At.Id {
		return fmt.Sprintf("commit %s", p.Id)
	}
	return fmt.Sprintf("'%s' (%s) in commit %s", Visible(p.Path), p.Id, p.At.Id)
}

// refuse refuses the ref that brings what stands in a spot.
func (p Spot) refuse(what string, cause error) error {
	inspect := []string{show(p.Id)}
	if p.Id != p.At.Id {
		inspect = []string{fmt.Sprintf("git ls-tree -r -t -l %s", p.At.Id), show(p.Id)}
	}
	return refuse(p.At.Ref, p.String()+": "+what, cause, inspect...)
}

// flawKind is what is wrong, as a check of what is here names it.
type flawKind string

const (
	FlawMissing  flawKind = "object-missing"
	FlawDamaged  flawKind = "object-damaged"
	FlawTree     flawKind = "tree-invalid"
	flawDocument flawKind = "document-invalid"
	flawSegment  flawKind = "segment-misnamed"
	flawOrder    flawKind = "entry-disordered"
	FlawAhead    flawKind = "id-ahead"
	FlawTrailer  flawKind = "trailer-wrong"
	FlawUnlisted flawKind = "milestone-unlisted"
)

// flaw is something wrong that was found in a spot.
type Flaw struct {
	Spot
	Kind  flawKind
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
func (c *Inspection) wrong(kind flawKind, p placed, what string, cause error) error {
	if c.Found == nil {
		return p.Spot().refuse(what, cause)
	}
	if f, ok := p.(File); ok && kind != flawSegment && kind != FlawUnlisted {
		c.Files[SeenFile{f.kind, f.Id}] = ends{Bad: true}
	}
	c.Found(Flaw{p.Spot(), kind, what, cause})
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
		case c.Found != nil: // it is checked where it stands
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
func Visible(name string) string {
	const most = 300
	odd := func(r rune) bool { return r < ' ' || r > '~' || r == '\'' }
	if len(name) > most || strings.ContainsFunc(name, odd) {
		return git.Shown(name)
	}
	return name
}
