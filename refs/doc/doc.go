// Package doc parses, formats and merges the documents of a memory branch. It does no input or
// output and has no clock and no state. All its functions may be called concurrently, but a
// Metadata or Roadmap must be used by one goroutine at a time.
//
// This comment specifies the formats, version 1.
//
// # The tree
//
//	commit.md               the newest commits: the live file
//	log.md                  the newest steps: the live file
//	metadata.yaml           facts about the branch, structured segments
//	topics/<key>.md         keyed memory
//	commit/<radix>/<id>.md  older commits: sealed segments
//	log/<radix>/<id>.md     older steps: sealed segments
//	artifacts/<radix>/<hash>-<name>  files that steps keep
//
// Commits are memory commits: what COMMIT makes. The roadmap, main.md, is in a tree of its own.
// All documents but artifacts are UTF-8 without NUL, with lines that end in a line feed. Text from outside must
// be made so first, see Clean.
//
// # Ids, order, time
//
// An entry is a step or a commit. Its id identifies it: a ULID of 26 upper-case Crockford digits,
// the first at most 7. Two entries with the same id are the same entry. Entries are ordered by id,
// bytewise. A new id is greater than every id that its writer has seen, see NextID. The number and
// the time of an entry are displayed, never compared.
//
// A time is RFC 3339 in UTC: 2026-11-21T01:37:05Z. A fraction of a second has up to nine digits, the
// last of which is not 0: 2026-11-21T01:37:05.25Z. A number is decimal, with at most 18 digits, no
// sign and no leading zero.
//
// # log.md, commit.md and their segments
//
// These four have the same structure. In this grammar, quotation marks enclose a line without its
// line feed, and "" is an empty line; * means any number, + one or more, ? at most one:
//
//	file       = ( tag ( "" entry )* ""? )*
//	tag        = "== Branch NAME =="
//	entry      = step | commit
//	step       = "### Step NUMBER · TIME · AGENT · ID"
//	             attribute*
//	             ( "" "**Observation**" "" quote )?
//	             ( "" "**Thought**" "" quote )?
//	             ( "" "**Action**" "" quote )?
//	commit     = "## Commit NUMBER · TIME · AGENT · ID"
//	             attribute*
//	             ( "" summary )?
//	             ( "" "**Branch Purpose**" "" quote ( "" quote )? )?
//	             ( "" "**Previous Progress Summary**" "" quote )?
//	             ( "" "**This Commit's Contribution**" "" quote )?
//	attribute  = "- KEY: VALUE"
//	quote      = ( ">" | "> TEXT" )+
//
// The file ends in a line feed, and not in an empty line. An empty file has no entries. A reader
// must refuse everything else, and name the line. The concatenation of two files is a file.
//
// The tag names the origin of the entries that follow: the branch that recorded them. NAME is 1 to
// 200 of A-Z a-z 0-9 . _ / -, with a letter or digit first. A tag precedes the first entry, and
// every entry whose origin differs from the one before. A writer puts an empty line before every
// tag but the first. AGENT is 1 to 100 of A-Z a-z 0-9 . _ @ + / - and the space.
//
// A quote contains any text. The text is split at line feeds only. Each line follows "> ", and an
// empty line is written ">". A carriage return, U+2028 and similar characters have no special
// meaning. A text with a final line feed ends in a line ">". An empty text is omitted together with
// its label. In "Branch Purpose", a single quote is the purpose of the branch. Of two quotes, the
// first is the goal of the project, and the second the purpose, which may be a lone ">".
//
// A summary and the value of an attribute are one line, in which a backslash is written \\, a line
// feed \n and a carriage return \r. A backslash also precedes the first character of a summary if it
// is one of # > * + - = _ ` ~ | < [ !. Therefore only the first line of an entry begins with "## ",
// "### " or "== ", whatever its texts contain, and a reader can split a file into entries without
// parsing them.
//
// A writer writes the attributes that are set in this order: session, model, tokens (a number above
// 0), source and, of a step, attachment or, of a commit, kind and steps. A reader accepts them in any
// order, each at most once, except attachment. KEY consists of a-z 0-9 _ -. A reader keeps
// attributes that it does not know, and a writer puts them last. kind is birth, merge or rollback,
// and absent for an ordinary COMMIT. steps is "FIRST-LAST (COUNT)", for instance 12-21 (10): the
// numbers of the first and last step that the commit covers, and the number of steps that it
// covers.
//
// # Live files and segments
//
// The steps of a branch are the entries of log.md and of all files below log/, sorted by id; each
// entry is in exactly one of these files. The same applies to commit.md and commit/. Ids ascend
// within a file. A commit that finds the live file larger than 8 KiB (LiveLimit) first moves it,
// byte for byte, to a segment, and begins a new live file. A segment contains at most 1 MiB
// (SegmentLimit), or a single larger entry. Its name is the id of its first entry, below
// directories of the first four, next two and next two digits of that id:
//
//	log/01JD/5K/0Z/01JD5K0Z3V7Q3M9K2A4B5C6D7E.md
//
// Segments are not rewritten, with one exception: a merge whose sides have the same entry in
// different segments, see UnionLog. The ranges of ids of two segments may overlap.
//
// # artifacts/<radix>/<hash>-<name>
//
// A step keeps up to 16 files (MaxAttachments), each of at most 1 MiB (MaxAttachment). Its attribute
// "attachment" is HASH, SIZE and NAME, with a space between them: the SHA-256 of the content, in hex, the
// number of bytes, and a name of 1 to 100 of A-Z a-z 0-9 . _ -, see AttachmentName. The file is below a
// directory of the first two digits of HASH:
//
//	artifacts/3f/3f0a…-trace.txt
//
// It contains any bytes. It is never changed, and only an expunge removes it: the branch that a step
// was recorded on has the file, and so has every branch that begins there or takes that in.
//
// # metadata.yaml
//
// One YAML document that is a map, of at most 64 KiB (MetadataLimit), and 4 KiB more with the totals. No map has a key twice; keys
// are scalars; anchors and aliases are not allowed. The top-level keys, called segments, are one
// printable line of at most 100 bytes. The program interprets these:
//
//	version: 1
//	branch:
//	  name: exp/pool
//	  purpose: why the branch exists
//	  created_from: main
//	  created_at: 2026-11-21T01:37:05Z
//	  status: active             # or merged, or abandoned
//	  merged_into: main
//	  merged_at: 2026-11-22T10:00:00Z
//	totals:
//	  steps: 12                  # entries in log.md and log/
//	  milestones: 3              # entries in commit.md and commit/
//	  origins:                   # the same by origin
//	    "main":
//	      steps: 12
//	      milestones: 3
//
// The program also writes what it detects about the code: file_structure.tree, env_config.detected,
// dependencies.detected and detected_from. Everything else belongs to people and agents, and every
// edit preserves it: comments, order and unknown keys stay, and a segment that is not edited stays
// byte for byte. A path such as env_config.port denotes a value; a part of a path that contains a
// dot is in double quotes, see Metadata.Set.
//
// # main.md
//
// Markdown. Every line that begins with "## " begins a section. The standard sections are Goal,
// Milestones, To-Do, Decisions, Open Questions and Branch Outcomes, in this order; case, spaces and
// hyphens in their names do not count. Goal is prose. Milestones and To-Do are check lists
// ("- [ ] text", "- [x] text"), the other three are lists ("- text"). Sections that people add are
// prose.
//
// The text of prose is the section's lines without the blank ones at either end. An item begins at
// the left margin with a bullet (-, * or +) or a number and a full stop. It continues over lines
// that are indented, including empty lines between these, or that follow it directly. A writer
// indents its further lines by two spaces. Of a milestone or a to-do, further lines that begin with
// "Outcome: " say what became of it: they do not belong to the item's text, by which it is recognised.
// Such a line of the text itself has one additional backslash before it. Prose
// and items contain any text. A line that consists of up to three spaces, any number of
// backslashes, and then
//
//   - a '#' and anything, or only '=', or only '-' (apart from trailing white space), or
//   - only white space, at the beginning or end of the text or with a backslash before it,
//
// is written with one additional backslash before the others. A reader removes one backslash from
// such lines.
//
// # topics/<key>.md
//
// A key is 1 to 100 of a-z 0-9 . _ -, with a letter or digit first. The file is Markdown, exactly
// as given, after an optional front matter: a line "---", YAML as in metadata.yaml, and a line
// "---". Its keys are paths (a list of the files that the topic is about), supersedes (the key of
// another topic), and these marks: pinned (true), confirmed (the hash of the code commit of which the
// text was last said to be true) and edited (those of the paths that had edits without a commit when
// the text was written or confirmed). Other keys are preserved, and so is a mark with another kind of
// value. A text that itself begins with "---" gets an empty front matter. A first line "---" without a
// second such line is text.
//
// # expunged.txt
//
// The roadmap's tree may contain tombstones: what must be forgotten in every repository. Each is one
// line; the lines are sorted bytewise, without duplicates; the file is at most 1 MiB (MaxExpunged):
//
//	commit HASH   a git commit that was rewritten although none of its parents was
//	entry ID      the step or commit with that id is removed; a birth never is
//	file SHA256   the attachment whose content has this hash, in hex, is removed
//	text SHA256   the hash, in hex, of a piece of text that reads "(expunged)" wherever it occurs
//	word LENGTH-BEGIN-SHA256   each piece of text that contains a word of this length in bytes and this hash does, see AddWord
//
// A piece is one line without white space at its ends, and without Markdown's prefixes: any number
// of ">", bullets ("-", "*", "+") with or without a box, numbers of up to nine digits with "." or
// ")", and headings ("#" and more, also after backslashes); all except ">" only if a space or the
// end of the line follows. Expunged.Redact defines what is redacted in which document.
//
// # Merging
//
// Entries are merged as sets (UnionLog), everything else three ways: MergeMetadata, MergeRoadmap,
// MergeTopic. The comment of each function numbers its cases.
package doc
