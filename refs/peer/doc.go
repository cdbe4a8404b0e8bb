// Package peer reads and writes the memory folders of other implementations of the
// Git-Context-Controller. It has no side effects: it reads a folder from an fs.FS and
// returns a folder as a list of files. It does not use git or a memory. All functions may
// be called concurrently.
//
// # What it reads
//
// Four dialects, which it distinguishes by the content of the files. In all of them, a
// folder below branches/ that contains log.md, commit.md or metadata.yaml is a branch, and
// its path is the branch's name.
//
//   - gcc-paper: the paper's layout and labels, in any Markdown that an agent wrote them
//     in. Steps begin at a heading or at an Observation; a commit begins at a heading or at
//     a Branch Purpose. `== Branch A ==` names the branch that recorded the steps after it.
//   - contexa: the multi-language library. See contexa.go; the older form of its headings
//     ("### Step 1-TIME", records separated by "--------") is read too.
//   - gcc-memory: the Python command line, whose log is a stream of YAML documents. See
//     memory.go.
//   - gcc-skill: folders that agents maintain by an instruction, with the files of the main
//     branch at the root. See skill.go.
//
// Texts are read unchanged, with their line feeds, indentation and blank lines. Invalid
// UTF-8 and NUL become U+FFFD, which Notes reports.
//
// No content is dropped. Lines of a log or commit list that belong to no record, and files
// that the dialect does not define, become steps with Kept set whose action names their
// place. Facts of a metadata.yaml that have no other field are in Facts; the whole main.md
// is in Roadmap. Only text that the dialect generates is left out: titles, separators,
// placeholders such as "(none yet)", and the generated part of main.md.
//
// # Limits
//
// A file has at most 32 MiB, a metadata.yaml 1 MiB, a folder 256 MiB in 10,000 files. Links
// are followed only as far as the fs.FS follows them. Anything that is neither a file nor a
// folder is an error that names it.
//
// # What it writes
//
// contexa and gcc-memory, in a form that their own readers parse. What they cannot
// represent exactly is changed as little as possible, and counted:
//
//   - Both: a branch's folder contains the steps that a merge brought, but only the
//     branch's own commits, as these tools' own merges do. '/' in the name of a branch
//     becomes '--' in the name of its folder. The real name, and segments of metadata that
//     the dialect cannot represent, are in a file of their own, git-context.yaml, which
//     this package reads back. Sessions, models and costs of entries, and topics, are
//     dropped.
//   - contexa: its readers drop the blank lines of a text and the white space at its ends,
//     some of them that of each line. A marker of the format inside a text gets a
//     backslash, which its readers keep except for a line "---". A step that has only an
//     action gets "(none)" as observation, because one of its readers drops such a step.
//     Commits have no title: it becomes the first paragraph of the contribution. Agents
//     are dropped.
//   - gcc-memory: "### Commit:" inside a text gets a backslash, and so do the labels of the
//     three blocks; texts of commits lose the white space at their ends. Steps are exact.
//
// This package removes those backslashes again: it reads back exactly what it wrote, except
// what the dialect cannot represent.
package peer
