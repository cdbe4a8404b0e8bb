// Package store reads and writes the memory of a repository: its branches, steps, commits,
// topics, roadmap, tags and notes. It is the only writer of them; the packages above it
// write through a [Transaction].
//
// # Reading
//
// [Store.Tip] returns a branch at one commit. A [Tip] reads the documents of its tree, and
// does not change when the branch moves. [Store.Pending] reads the steps that are in the
// journal only.
//
// # Writing
//
// [Store.Record] appends steps to the journal of a branch: no git process, no object, no ref.
// Every other change takes these steps:
//
//  1. [Store.Begin] finishes what a killed process left, locks the branches and starts the
//     git child that will move the refs;
//  2. [Transaction.Swap] builds the change: [Transaction.Follow] or [Transaction.NewBirth]
//     makes a [Draft], documents are put into its tree, and [Transaction.Write] stores its
//     objects and queues its ref;
//  3. the refs move together, if none has another value than the one read; otherwise Swap
//     builds the change anew, up to [MaxTries] times;
//  4. [Transaction.Mark] marks the journal and [Transaction.Fold] writes the notes. The
//     trailers of the commit say both, so a later command makes up for a crash before them.
//
// # Files
//
// Local state is in the folder context of the git directory, shared by all worktrees. Besides
// the journals it contains waiting merges (merge/), bisects (bisect/), intents (intent/), the
// cache (cache/) and the failures of hooks and of gc. Package git names the refs.
//
// The store calls packages above it through [Above], which package refs fills in.
package store
