// Package render shows memory: CONTEXT at every resolution, as text for people
// and prompts and as JSON for programs. It reads through a refs.Store and never
// writes to a repository.
//
// # Text
//
// The text is Markdown in one voice: a heading, attribute lines "- key: value",
// and free text behind "> ", as it stands in the documents themselves. Whatever
// comes from memory stands behind one of these prefixes, or in the middle of a
// line, so that no text can forge a heading or a command of the view. Sections
// that would be empty are left out. Given the same memory, clock and Printer the
// bytes are the same.
//
// Memory may come from strangers. Control characters, terminal escapes and what
// reorders or hides text are made visible (see Safe); texts are exact in JSON.
//
// A view that shows less than there is ends with the commands for the rest:
//
//	older: git context --branch main --limit 10 --skip 10
//	newer: git context --branch main --limit 10
//
// # The past
//
// Every view may be one of the past, see [Where]. It then says as of when, and
// through what commit that was found; the commands that it prints stay there.
//
// # What git prints
//
// Log and diff are git's own output, line by line as it comes (WriteGitLog,
// WriteGitDiff): to the byte, but for notes, which are put into words, the short
// names of memory refs, and what is made visible. Colours are those that git writes,
// by the user's settings; none of a text's get through.
//
// # JSON
//
// The keys are those of the types here and in package refs. What is not known is
// null, an empty text is "", an empty list is [].
//
// # Concurrency
//
// The views are plain values. Their constructors may be called side by side on
// one Store; a Printer serves one view at a time.
package render
