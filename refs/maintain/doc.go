// Package maintain is gc: it packs the objects of memory, and removes branches that were deleted
// long ago and local state that nothing needs any more.
//
// It reads all refs of memory and the files of the local state. It deletes refs only below
// git.DeletedPrefix, and a journal only if memory contains every step in it. It writes missing
// notes, packs, and the record of a failure in the background. It changes no branch, no roadmap
// and nothing of the code.
//
// Run is safe beside any other process: it takes the lock of what it removes, and skips what is in
// use. Its error is of the kind fail.ErrNoMemory without memory, and else joins the failures of its
// parts.
package maintain
