// Package peer reads and writes the memory folders of other implementations of
// the Git-Context-Controller. It is pure: a folder comes in as an fs.FS and
// goes out as a list of files; nothing here knows of git or of a memory.
//
// # What is read
//
// Four dialects, told apart by what stands in the files. In all of them a
// folder below branches/ that holds log.md, commit.md or metadata.yaml is a
// branch, and its path is the branch's name.
//
//   - gcc-paper: the paper's layout and labels, in any Markdown an agent wrote
//     them with. Steps begin at a heading or at an Observation; a milestone
//     begins at a heading, or at a Branch Purpose. `== Branch A ==` says
//     which branch recorded the steps after it.
//   - contexa: the multi-language library. See contexa.go; the older form of its
//     headings ("### Step 1-TIME", records parted by "--------") is read too.
//   - gcc-memory: the Python command line, whose log is a stream of YAML
//     documents. See memory.go.
//   - gcc-skill: folders that agents keep after an instruction, with the files of
//     the main branch at the root. See skill.go.
//
// A text is taken as it stands: its line feeds, its indentation and its blank
// lines stay. Invalid UTF-8 and NUL become U+FFFD, which Notes tells.
//
// Nothing is dropped. Lines of a log or of a list of commits that are no part of a
// record, and files that are none of the dialect's, become steps whose Kept is
// set and whose action says where they stood; facts of a metadata.yaml
// that mean nothing here stay in Facts; all of main.md is in Roadmap. Left out are
// what a dialect writes by itself: titles, separators, placeholders such as
// "(none yet)", and the part of main.md that it generates.
//
// # Limits
//
// A file holds at most 32 MiB, a metadata.yaml 1 MiB, a folder 256 MiB in
// 10,000 files. A link is followed only as far as the fs.FS follows it; what is
// neither file nor folder is an error that names it.
//
// # What is written
//
// contexa and gcc-memory, so that their own readers read it back. What they
// cannot hold exactly is changed as little as possible, and counted:
//
//   - Both: a branch's folder holds the steps that a merge brought, but of milestones only its
//     own, as their own merges leave it. '/' in a branch's name becomes '--' in its folder's. The real name, and
//     segments of metadata that the dialect has no place for, stand in a file of
//     their own, git-context.yaml, which this package reads back. Sessions, models
//     and costs of entries, and topics, have no place.
//   - contexa: its readers drop the blank lines of a text and the white space at
//     its ends, some of them each line's. A marker of the format inside a text
//     gets a backslash, which its readers keep except for a line "---". A step
//     with nothing but an action gets "(none)" as observation, because one of its
//     readers drops such a step. Milestones have no title: it is
//     the first paragraph of the contribution. Agents have no place.
//   - gcc-memory: "### Commit:" inside a text gets a backslash, and so do the
//     labels of the three blocks; texts of milestones lose the white space at
//     their ends. Steps are exact.
//
// This package takes those backslashes away again: what it wrote it reads back
// exactly, but for what the dialect has no place for.
package peer
