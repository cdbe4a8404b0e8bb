// Package merge implements MERGE and the resolution of its conflicts, and merges the trees
// and roadmaps of two repositories for package share.
//
// A merge of two trees treats each document by its kind:
//
//  1. log.md and commit.md are sets of entries: the union by id, in the order of the ids;
//  2. metadata.yaml is merged by key path, its totals are added;
//  3. a topic is taken whole where one side alone changed it, else merged by lines;
//  4. main.md, the roadmap, is merged by section and item.
//
// What both sides changed differently is a [store.Conflict]. A merge with open conflicts moves
// no ref: it waits in local state for [Resolve] and [ContinueMerge], or [Abort]. Where two histories
// have several best common ancestors, these are merged into a virtual base first, as git does.
package merge
