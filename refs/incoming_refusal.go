package refs

import (
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

// refuse names the commit, the path and the object of a file that is not sound.
func (f file) refuse(what string, cause error, inspect ...string) *Error {
	if len(inspect) == 0 {
		inspect = []string{fmt.Sprintf("git cat-file -p %s | cat -v", f.id)}
	}
	return refuseAt(f.at, f.path, f.id, what, cause, inspect)
}

func (f folder) refuse(what string, cause error) *Error {
	return refuseAt(f.at, f.path+"/", f.id, what, cause, nil)
}

func refuseAt(at *newCommit, path string, id git.ID, what string, cause error, inspect []string) *Error {
	where := fmt.Sprintf("'%s' (%s) in commit %s: %s", visible(path), id, at.id, what)
	return refuse(at.ref, where, cause, append([]string{fmt.Sprintf("git ls-tree -r -t -l %s", at.id)}, inspect...)...)
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
