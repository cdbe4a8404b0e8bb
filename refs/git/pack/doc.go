// Package pack packs the loose objects of the memory, joins the packs that this leaves,
// and deletes objects that must not exist any more.
//
// # What it touches
//
// [Run] touches the objects that given refs reach, and nothing of the user's. Its packs
// are listed in a file of local state (packs.json), which can do no harm by being wrong.
// [Purge] deletes exactly the objects it is asked for and those that only they reach. To
// do so it must write every pack anew that contains one, also the user's.
//
// Git itself does the packing (git-pack-objects(1)), the walks (git-rev-list(1)) and the
// indexes (git-multi-pack-index(1), git-commit-graph(1)). `git repack --geometric` is not
// used to join packs: even with --keep-pack for each pack of the user's it moves all
// loose objects of the repository into the new pack, reachable or not.
//
// # Order of writes
//
// A new pack is written into a folder of its own beside the packs (tmp_objdir-purge-*,
// which `git prune` removes as well), under a random name, and moved to its place with
// its .idx last. Meanwhile a .keep file of ours protects it from `git repack`. Only then
// what it replaces is deleted, an .idx first. What is unfinished is in local state before
// that, so that a process killed at any moment has lost nothing, and the next Run or
// Purge finishes.
//
// # Locks and settings
//
// Run and Purge exclude each other by the lock "purge" of local state. Both are safe
// beside any reader and writer of the repository, and beside `git gc`, `git repack` and
// `git prune`. They honour core.sharedRepository, pack.packSizeLimit and the settings
// that git pack-objects reads; Purge refuses to run under extensions.preciousObjects, and
// a caller of Run must ask for that itself.
package pack
