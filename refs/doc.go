// Package refs is the memory of a git repository: a [Store] reads and writes its branches,
// steps, milestones, topics, roadmap, tags and notes, and is the only writer of them.
//
// # What there is
//
//   - A step is one Observation, Thought and Action of an agent. [Store.Record] appends it
//     to the journal of a branch, where it is pending.
//   - A milestone is what [Store.Commit], [Store.Merge] and [Store.Rollback] make: a commit
//     on the branch, with the pending steps in its tree and an entry in commit.md. Births of
//     branches, topics, metadata and closings are memory commits too, and no milestones.
//   - A branch is a ref below refs/context/heads/. [Store.Current] says which one is meant
//     where a method is told none.
//   - A topic is a keyed memory of a branch, see [Store.Remember]; the roadmap, goal and
//     to-do, is shared by all branches, see [Store.EditRoadmap]; what a milestone came to
//     stands in its note, see [Store.AddNote].
//
// The formats are those of package doc (the documents in the trees), package notes and
// package journal.
//
// # Reading
//
// A [Tip] is a branch at one commit, now ([Store.Tip]) or in the past ([Store.At]), and
// what reads take. It does not change when the branch moves on, so that what is read from
// one Tip belongs together; pending steps and notes are read as they stand.
//
// # Writing
//
// A method that returns without an error is done, and what it did stands exactly once:
// beside any number of other processes, and after kill -9 at any later moment. A step
// with a source that is on the branch already is answered, not repeated. A method that
// returns an error has left refs, journals and notes as they were, unless its comment
// tells of steps (Sync, Push, Expunge, Commit with Judging). Warnings in a result are of
// what was missed beside the work, and a later command makes up for.
//
// Refs move in one transaction, with their old values; who loses a race builds anew and
// tries again, sixty times. What a killed process left half done is finished, or forgotten,
// by the next method that changes the same branch; Options.Warn is told.
//
// # Errors
//
// What was refused or not found is an [*fail.Error] that wraps one of fail.ErrNoMemory, fail.ErrNotFound,
// fail.ErrExists, fail.ErrInvalid, fail.ErrRefused, fail.ErrConflict and fail.ErrStale; its Code is stable, its
// Message and Hints are for people. Whatever else comes from git or the file system, such
// as git.ErrNotRepository, *git.Error and *fs.PathError, can be found by errors.Is and
// errors.As. Absent and unreadable are different errors.
//
// # Concurrency
//
// A Store may be used by several goroutines at once, and any number of Stores and
// processes may work on one repository. Settings are read once, by the first method that
// needs them; InvalidateConfig of its Repo has them read again. Close ends the child that
// reads objects, and waits for no method: the next one that needs a child starts it anew.
package refs
