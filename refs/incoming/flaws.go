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

// refuse returns the error for what a ref brings. inspect are commands that show it.
func refuse(ref, what string, cause error, inspect ...string) *fail.Error {
	stay := "it was not merged; the fetched commits stay in '" + Printable(ref) + "' for inspection"
	if git.BundleTracking().Has(ref) {
		stay = "it was not merged; its commits can be shown until git gc prunes them"
	}
	return &fail.Error{
		Code: fail.IncomingInvalid, Kind: fail.ErrRefused, Err: cause,
		Message: fmt.Sprintf("'%s' is refused: %s", Printable(ref), what),
		Hints:   append(inspect, stay),
	}
}

// Spot is where an object was found.
type Spot struct {
	At   *Commit
	Path string // of a folder with a slash at its end; of no meaning for the commit itself
	ID   git.ID
}

// placed is implemented by everything that has a Spot.
type placed interface{ Spot() Spot }

// Spot returns the commit itself.
func (n *Commit) Spot() Spot { return Spot{At: n, ID: n.ID} }

// Spot returns the file's path in its commit.
func (f File) Spot() Spot { return Spot{f.at, f.path, f.ID} }

// Spot returns the folder's path in its commit.
func (f folder) Spot() Spot { return Spot{f.at, f.path + "/", f.id} }

// String names the object, its path and its commit.
func (p Spot) String() string {
	if p.ID == p.At.ID {
		return fmt.Sprintf("commit %s", p.ID)
	}
	return fmt.Sprintf("'%s' (%s) in commit %s", Printable(p.Path), p.ID, p.At.ID)
}

// refuse refuses the ref that brings the object.
func (p Spot) refuse(what string, cause error) error {
	inspect := []string{show(p.ID)}
	if p.ID != p.At.ID {
		inspect = []string{fmt.Sprintf("git ls-tree -r -t -l %s", p.At.ID), show(p.ID)}
	}
	return refuse(p.At.Ref, p.String()+": "+what, cause, inspect...)
}

// FlawKind is the stable name of a kind of flaw; fsck reports it as the kind of a problem.
type FlawKind string

const (
	// FlawMissing is an object that does not exist.
	FlawMissing FlawKind = "object-missing"
	// FlawDamaged is an object that cannot be read.
	FlawDamaged FlawKind = "object-damaged"
	// FlawTree is an invalid tree or entry of a tree.
	FlawTree     FlawKind = "tree-invalid"
	flawDocument FlawKind = "document-invalid"
	flawSegment  FlawKind = "segment-misnamed"
	flawOrder    FlawKind = "entry-disordered"
	// FlawAhead is an id ahead of the clock.
	FlawAhead FlawKind = "id-ahead"
	// FlawTrailer is an invalid trailer.
	FlawTrailer FlawKind = "trailer-wrong"
	// FlawUnlisted is a commit that commit.md does not end with.
	FlawUnlisted FlawKind = "milestone-unlisted"
)

// Flaw is something invalid that was found at a Spot.
type Flaw struct {
	Spot
	Kind  FlawKind
	What  string
	Cause error
}

// Error returns where the flaw is, what it is and its cause.
func (f Flaw) Error() string {
	text := f.String() + ": " + f.What
	if f.Cause != nil {
		text += ": " + f.Cause.Error()
	}
	return text
}

// wrong reports a flaw. Without OnFlaw it returns the refusal. With OnFlaw it returns nil, and
// the caller goes on without the object.
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

// show returns a command that prints an object without passing control characters to the
// terminal.
func show(id git.ID) string { return fmt.Sprintf("git cat-file -p %s | cat -v", id) }

// read passes objects to each, with their index in ids. An object that is missing or broken is
// a flaw of as(index); as returns nil for a tree of our own that is only compared with, whose
// damage is not the remote's fault.
func (c *Inspection) read(ctx context.Context, ids []git.ID, each func(int, git.Object) error,
	as func(int) placed) error {
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
		case c.OnFlaw != nil: // reported where it is checked
			err = nil
		}
		if err != nil {
			return err
		}
		from = at // continue with the next object
	}
	return nil
}

// Unreadable reports whether an error is about an object that git could not read.
func Unreadable(err error) bool {
	var died *git.Error
	return errors.Is(err, git.ErrNotFound) || errors.As(err, &died) && died.Code >= 0
}

// tooMany returns the error for a limit that the user may raise.
func (c *Inspection) tooMany(ref, what string) *fail.Error {
	return refuse(ref, "it brings "+what+" that are not here", nil,
		fmt.Sprintf("git config %s %d", store.KeyMaxNewEntries, 10*c.limit))
}

// Printable makes a name that others chose fit for one line of a message. It returns a short
// printable ASCII name as it is, and quotes and cuts any other.
func Printable(name string) string {
	const most = 300
	odd := func(r rune) bool { return r < ' ' || r > '~' || r == '\'' }
	if len(name) > most || strings.ContainsFunc(name, odd) {
		return git.Shown(name)
	}
	return name
}
