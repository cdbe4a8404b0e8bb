// Package search finds the commits, steps and topics of memory: Search by the words of a query,
// Recall by their similarity to the text of a problem.
//
// It reads the documents of all branches, pending steps, notes and tags. It writes nothing but a
// cache below the local state: shards of an index (package index) and three lists, keyed by blobs,
// trees and tips. The cache can be incomplete but is never stale; it may be deleted at any time, and
// a damaged file in it is ignored and replaced. Shrink removes from it what no branch contains.
//
// Every function is safe beside any other process; only one at a time writes the cache, and the
// others continue without. Errors are of the kinds of package fail: ErrInvalid for options out of
// range, ErrNotFound for an unknown branch, and ErrNoMemory without memory.
package search
