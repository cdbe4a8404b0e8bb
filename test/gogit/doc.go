// Package gogit contains tests alone: go-git, a second implementation of git's object and
// ref formats, reads what git-context wrote and finds nothing wrong with it.
//
// The reader of these tests uses go-git for objects and refs, and a parser of its own for
// log.md and commit.md, written from the specification in package doc (refs/doc). What it
// reads is compared with the texts that the tests recorded, with what git-context prints
// with --json, with what the Go packages return, and with git itself.
//
// go-git only reads here. It must never write a ref of a repository that others use:
// see "Reading memory with go-git alone" in docs/library.md.
package gogit
