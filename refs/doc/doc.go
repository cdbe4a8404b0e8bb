// Package doc reads, writes and merges the documents of a memory branch. It does no input
// or output, has no clock and no state; all its functions may be called at once by several
// goroutines, but one Metadata or Roadmap belongs to one goroutine at a time.
//
// This comment is the specification of the formats, version 1.
//
// # The tree
//
//	commit.md               the newest milestones: the live file
//	log.md                  the newest steps: the live file
//	metadata.yaml           facts about the branch, structured segments
//	topics/<key>.md         keyed memory
//	commit/<radix>/<id>.md  older milestones: sealed segments
//	log/<radix>/<id>.md     older steps: sealed segments
//
// The roadmap is a file of its own tree, main.md. All are UTF-8 without NUL, with lines ended
// by a line feed. Whoever takes text from outside replaces what is neither, see Clean.
//
// # Ids, order, time
//
// An entry, which is a step or a milestone, is known by its id: a ULID of 26 upper-case
// Crockford digits, the first at most 7. Two entries of one id are one entry. Entries are
// ordered by id, bytewise; a new id is larger than every id its writer has seen, see NextID.
// The number of an entry and its time are shown, never compared.
//
// A time is RFC 3339 in UTC: 2026-11-21T01:37:05Z, with up to nine digits of a second's fraction,
// of which the last is not 0 (2026-11-21T01:37:05.25Z). A number is decimal, of at most 18
// digits, with no sign and no leading zero.
//
// # log.md, commit.md and their segments
//
// The four are alike. In this grammar, lines stand between quotation marks, without their
// line feed, and "" is an empty one; * means any number, + one or more, ? at most one:
//
//	file       = ( tag ( "" entry )* ""? )*
//	tag        = "== Branch NAME =="
//	entry      = step | milestone
//	step       = "### Step NUMBER · TIME · AGENT · ID"
//	             attribute*
//	             ( "" "**Observation**" "" quote )?
//	             ( "" "**Thought**" "" quote )?
//	             ( "" "**Action**" "" quote )?
//	milestone  = "## Commit NUMBER · TIME · AGENT · ID"
//	             attribute*
//	             ( "" summary )?
//	             ( "" "**Branch Purpose**" "" quote ( "" quote )? )?
//	             ( "" "**Previous Progress Summary**" "" quote )?
//	             ( "" "**This Commit's Contribution**" "" quote )?
//	attribute  = "- KEY: VALUE"
//	quote      = ( ">" | "> TEXT" )+
//
// The file ends in a line feed, and in no empty line; an empty file has no entries. A reader
// refuses everything else, and names the line. So one file joined to another is a file.
//
// The tag names the branch that recorded the entries after it, their origin: 1 to 200 of
// A-Z a-z 0-9 . _ / -, with a letter or digit first. It stands before the first entry and
// wherever the origin changes. A writer puts an empty line before every tag but the first.
// AGENT is 1 to 100 of A-Z a-z 0-9 . _ @ + / - and the space.
//
// A quote holds any text: each of its lines, cut at line feeds alone, stands behind "> ", and
// an empty line is ">". A carriage return, U+2028 and their like are characters as any other.
// A text with a final line feed ends in a line ">". An empty text is left out together with
// its label. In a milestone's "Branch Purpose", one quote is the purpose of the branch; of two
// quotes the first is the goal of the project, and the second, which may be a lone ">",
// the purpose.
//
// A summary and the value of an attribute are one line, in which a backslash is written \\,
// a line feed \n and a carriage return \r. A summary whose first character is one of
// # > * + - = _ ` ~ | < [ ! gets a backslash before it: so no line of an entry but its
// first begins with "## ", "### " or "== ", whatever its texts say, and a file may be cut into
// entries without reading them.
//
// Attributes stand in this order, those that are set: session, model, tokens (a number above 0),
// source and, of a milestone, kind and steps. A reader takes them in any
// order, each once. KEY is of a-z 0-9 _ -; a reader keeps attributes that it does not
// know, and a writer puts them last. kind is birth, merge or rollback, and absent for an ordinary
// COMMIT. steps is "FIRST-LAST (COUNT)", for instance 12-21 (10): the numbers of the first and
// last step the milestone covers, and how many it covers.
//
// # Live files and segments
//
// The entries of log.md are those of all files below log/ and of log.md itself, each in
// exactly one of them, sorted by id; commit.md and commit/ likewise. Within a file ids grow. A
// milestone that finds the live file above 8 KiB (LiveLimit) first moves it, byte
// for byte, to a segment, and starts a new one. A segment holds at most 1 MiB (SegmentLimit), or
// one entry that is larger. It is named by the id of its first entry, below directories of
// that id's first four, next two and next two digits:
//
//	log/01JD/5K/0Z/01JD5K0Z3V7Q3M9K2A4B5C6D7E.md
//
// Segments are not rewritten, but for one case: two sides of a merge both have an entry in
// segments that differ, see UnionLog. The ranges of ids of two segments may overlap.
//
// # metadata.yaml
//
// One YAML document that is a map, of at most 64 KiB (MetadataLimit), with no key twice in a
// map, no anchors or aliases, only scalars as keys, and top-level keys, the segments, of one
// printable line of at most 100 bytes. These mean something to the program:
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
//	  milestones: 3              # in commit.md and commit/
//	  origins:                   # the same by origin
//	    "main":
//	      steps: 12
//	      milestones: 3
//
// The program also writes what it finds out about the code, under file_structure.tree,
// env_config.detected, dependencies.detected and detected_from. All else is people's and agents',
// and every edit keeps it: comments, order and unknown keys survive, and a segment that is not
// edited stays byte for byte. A path such as env_config.port names a value; a part of
// it that holds a dot stands in double quotes, see Metadata.Set.
//
// # main.md
//
// Markdown. A line that begins with "## " begins a section, wherever it stands. The standard
// sections are Goal, Milestones, To-Do, Decisions, Open Questions and Branch Outcomes, in
// this order; case, spaces and hyphens in their names do not count. Goal is prose. Milestones
// and To-Do are check lists ("- [ ] text", "- [x] text"), the other three are lists ("- text").
// Sections that people add are prose.
//
// The text of prose is the section's lines without the blank ones at either end. An item begins
// at the left margin with a bullet (-, * or +) or a number and a full stop, and goes on over
// lines that are indented, empty lines between these included, or that follow it directly. Its further lines
// stand behind two spaces. Prose and items hold any text: a line that, behind up to three
// spaces and any number of backslashes, is
//
//   - a '#' and anything, or nothing but '=', or nothing but '-' (trailing white space apart), or
//   - nothing but white space, at the beginning or end of the text or with a backslash before it,
//
// is written with one more backslash there. A reader takes one away from such lines.
//
// # topics/<key>.md
//
// A key is 1 to 100 of a-z 0-9 . _ -, with a letter or digit first. The file is Markdown, exactly
// as given, behind an optional front matter: a line "---", YAML as in metadata.yaml, and a line
// "---". Its keys are paths (a list of files that the topic speaks of) and supersedes (the
// key of another topic); others are kept. A text that itself begins with "---" gets an
// empty front matter. A first line "---" with no such line after it is text.
//
// # expunged.txt
//
// The roadmap's tree may hold tombstones: what is to be forgotten, everywhere. One a line, sorted
// bytewise, none twice, at most 1 MiB (MaxExpunged):
//
//	commit HASH   a commit that was rewritten although none of its parents was
//	entry ID      the step or milestone of that id is removed; a birth never is
//	text SHA256   the hash, in hex, of a piece of text that reads "(expunged)" wherever it stands
//
// A piece is one line without white space at its ends, and without what Markdown puts before a
// text: any number of ">", bullets ("-", "*", "+") with or without a box, numbers of up to nine
// digits with "." or ")", and headings ("#" and more, also behind backslashes); all but ">" only
// with a space or the line's end behind them. Expunged.Redact says what is redacted in which document.
//
// # Merging
//
// Entries are joined as sets (UnionLog), everything else three ways: MergeMetadata, MergeRoadmap,
// MergeTopic. Each function's comment numbers its cases.
package doc
