// Package code relates memory to the commits of the code: a commit or rollback of both, links
// between memory commits and code commits, and whether code has changed since memory of it was
// written.
//
// A link is a pair of lines in the note of a code commit, below git.NotesRef; links survive an
// amendment, a rebase and a cherry-pick through git's hooks. Code is moved only by git itself, with
// the user's settings and hooks. Before that, an Intent is written below the local state, and the
// next transaction of the branch finishes what a crash interrupted: code and memory have both
// moved, or neither has. The package also writes two caches, which may be deleted at any time.
//
// Every function is safe beside any other process: what writes does so in a transaction, and
// waits for the lock of the branch or of the notes. Errors are of the kinds of package fail:
// ErrNotFound for a name that does not exist, ErrInvalid for an ambiguous one, and ErrRefused if
// the code cannot be committed or moved without a loss.
package code
