// Package refs opens the memory of a git repository. [Open] returns a [Store]; the packages
// below refs read and change what it contains.
//
// # Packages
//
//   - store: branches, steps, commits, topics, roadmap, tags and notes, and every write of them
//   - history: log, commits, steps, topics, diff, blame, bisect, statistics, moments of the past
//   - code: memory beside code commits: commit --code, rollback, links, staleness
//   - merge: MERGE and its conflicts
//   - search: ranked search and recall
//   - share: init, fetch, push, sync, bundle; remote: what is known of a remote;
//     incoming: checks what another repository sent
//   - expunge: removes entries from all of history
//   - folder: reads and writes .GCC folders
//   - maintain: gc; fsck: checks and repairs
//   - fail: the errors; doc, journal, git, cache, index, peer, detect, prose: what the others use
//
// # What there is
//
//   - A step is one Observation, Thought and Action of an agent. [Store.Record] appends it
//     to the journal of a branch, where it is pending.
//   - A commit is what [Store.Commit], merge.Merge and code.Rollback make: a git commit on the
//     branch, with the pending steps in its tree and an entry in commit.md. New branches,
//     topics, metadata and closed branches make memory commits without such an entry.
//   - A branch is a ref below refs/context/heads/. [Store.Current] returns the one that is
//     meant where a method gets none.
//   - A topic is a keyed memory of a branch, see [Store.Remember]. The roadmap, with goal,
//     milestones and to-do, is shared by all branches, see [Store.EditRoadmap]. The outcome of
//     a commit is in its note, see [Store.AddNote].
//
// The formats are those of package doc (the documents in the trees), package notes and
// package journal.
//
// # Reading
//
// A store.Tip is a branch at one commit, now ([Store.Tip]) or in the past (history.At). It does
// not change when the branch moves, so that all reads of one Tip belong together; pending
// steps and notes are read as they are at the time of the call.
//
// # Writing
//
// A function that returns without an error has made its change exactly once, beside any
// number of other processes, and the change survives kill -9 at any later moment. A step
// with a source that is on the branch already is answered and not repeated. A function that
// returns an error has left refs, journals and notes as they were, unless its comment lists
// its steps (share.Sync, share.Push, expunge.Run, Commit with Judging). Warnings in a result
// report side work that failed; a later command makes up for it.
//
// Refs move in one transaction, with their old values. A writer that loses a race builds its
// change anew and tries again, up to store.MaxTries times. The next change of the same branch
// finishes or drops what a killed process left, and calls Options.Warn.
//
// # Errors
//
// What was refused or not found is an [*fail.Error] that wraps one of fail.ErrNoMemory, fail.ErrNotFound,
// fail.ErrExists, fail.ErrInvalid, fail.ErrRefused, fail.ErrConflict and fail.ErrStale; its Code is stable, its
// Message and Hints are for people. Other errors come from git or the file system, such
// as git.ErrNotRepository, *git.Error and *fs.PathError, and are found by errors.Is and
// errors.As. Absent and unreadable are different errors.
//
// # Concurrency
//
// A Store may be used by several goroutines at once, and any number of Stores and
// processes may work on one repository. Settings are read once, by the first method that
// needs them; InvalidateConfig of its Repo has them read again. Close ends the child that
// reads objects, and waits for no method: the next one that needs a child starts it anew.
package refs
