package refs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// refuse is the error for what a ref brings. inspect are commands that show it.
func refuse(ref, what string, cause error, inspect ...string) *Error {
	return &Error{
		Code: "incoming-invalid", Kind: ErrRefused, Err: cause,
		Message: fmt.Sprintf("'%s' is refused: %s", visible(ref), what),
		Hints:   append(inspect, "nothing was taken in; what was fetched is kept in '"+visible(ref)+"' for inspection"),
	}
}

// refuser is what an object is checked as.
type refuser interface {
	refuse(what string, cause error) error
}

func (n *newCommit) refuse(what string, cause error) error {
	return refuse(n.ref, fmt.Sprintf("commit %s: %s", n.id, what), cause, show(n.id))
}

func (f file) refuse(what string, cause error) error {
	return f.at.refuseAt(f.path, f.id, what, cause)
}

func (f folder) refuse(what string, cause error) error {
	return f.at.refuseAt(f.path+"/", f.id, what, cause)
}

// refuseAt names the path and the object too.
func (n *newCommit) refuseAt(path string, id git.ID, what string, cause error) error {
	where := fmt.Sprintf("'%s' (%s) in commit %s: %s", visible(path), id, n.id, what)
	return refuse(n.ref, where, cause, fmt.Sprintf("git ls-tree -r -t -l %s", n.id), show(id))
}

// show is a command that cannot be told by what it prints to do anything.
func show(id git.ID) string { return fmt.Sprintf("git cat-file -p %s | cat -v", id) }

// ownTree is a tree of our own memory: that it cannot be read is no fault of theirs.
type ownTree git.ID

func (t ownTree) refuse(_ string, cause error) error { return cause }

// read hands objects to each, with their place in ids. An object that is missing
// or broken is refused as what as says it is.
func (c *inspection) read(ctx context.Context, ids []git.ID, each func(int, git.Object) error, as func(int) refuser) error {
	at := 0
	err := c.repo.ReadAll(ctx, ids, func(o git.Object) error {
		i := at
		at++
		return each(i, o)
	})
	var refused *Error
	var died *git.Error
	switch {
	case err == nil || errors.As(err, &refused) || at == len(ids):
		return err
	case errors.Is(err, git.ErrNotFound), errors.As(err, &died) && died.Code >= 0:
		return as(at).refuse("it cannot be read", err)
	}
	return err
}

// tooMany is the error for a limit that the user may raise.
func (c *inspection) tooMany(ref, what string) *Error {
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
