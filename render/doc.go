// Package render shows memory: CONTEXT at every resolution, as text for people and prompts
// and as JSON for programs. It reads through a refs.Store and never writes to a repository.
//
// # Text
//
// The text is uniform Markdown: a heading, attribute lines "- key: value", and free text
// after "> ", as in the documents themselves. All text from memory follows one of these
// prefixes or is in the middle of a line, so that it cannot imitate a heading or a command
// of the view. Empty sections are left out. The same memory, clock and Printer give the
// same bytes.
//
// Memory may come from strangers. Control characters, terminal escapes and characters that
// reorder or hide text are made visible (see Safe); JSON contains the exact texts.
//
// A view that does not show everything ends with the commands for the rest:
//
//	older: git context --branch main --limit 10 --skip 10
//	newer: git context --branch main --limit 10
//
// # The past
//
// Every view may be one of the past, see [Where]. It then names the moment and the commit
// through which that was found, and the commands that it prints refer to the same moment.
//
// # git's output
//
// Log and diff are git's own output, line by line as it arrives (WriteGitLog,
// WriteGitDiff): to the byte, except for notes, which are put into words, the short names
// of memory refs, and characters that are made visible. The colours are git's, by the
// user's settings; escape sequences in texts are not passed on.
//
// # JSON
//
// The keys are those of the types here and in package refs. Unknown values are null, an
// empty text is "", an empty list is [].
//
// # Concurrency
//
// The views are plain values. Their constructors may be called concurrently on one Store; a
// Printer must be used by one goroutine at a time.
package render
