// Package history reads the past of memory: the log of a branch, the difference of two commits,
// the authors of a topic's lines, signatures, statistics, a branch as it was at a revision of
// memory or of code, and a search for the first bad commit.
//
// It reads the refs, objects and notes of memory, and the code's commits where a revision names
// one. It writes nothing but the state of a bisect, one file for each worktree and branch below
// the local state, under a lock of its own. Results are those of one tip: a branch that moves
// meanwhile does not change them. Every function is safe beside any other process and may be
// called concurrently.
//
// Errors are of the kinds of package fail: ErrNoMemory without memory, ErrNotFound for a name that
// does not exist, ErrInvalid for a revision of the wrong kind, and ErrRefused where the
// documentation of a function says so.
package history
