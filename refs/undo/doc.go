// Package undo replaces and takes back the newest change of a branch, if that was never shared.
//
// A commit was shared if a remote's tracking ref leads to it, or if a remote once had the
// branch and has it no more. A commit is needed if another memory branch contains it, a
// memory tag leads to it, or a code commit is linked with it. Both are refused, because what
// was replaced would come back with the next sync, or be missed. What a bundle contains is
// not known here: a commit that comes back from one is merged like any other.
//
// Every function is one transaction of refs, safe beside any other process. What is replaced
// or taken back stays in the reflog of the branch, with its note.
package undo
