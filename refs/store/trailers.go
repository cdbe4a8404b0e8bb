package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// The trailers of a memory commit. They contain what a list or a recovery needs
// without opening a document. A commit with an entry has a Context-Id
// that its commit.md contains.
const (
	TrailerID       = "Context-Id"       // of the commit's entry in commit.md
	TrailerBranch   = "Context-Branch"   // the branch that it was made on
	TrailerSteps    = "Context-Steps"    // first-last, and (count) where numbers are missing between
	TrailerLast     = "Context-Last"     // the newest commit's summary, on a commit of git's without an entry
	TrailerCommits  = "Context-Commits"  // how many entries commit.md and its segments have now
	TrailerCreated  = "Context-Created"  // when, and from which branch
	TrailerStatus   = "Context-Status"   // active, merged, abandoned
	TrailerPurpose  = "Context-Purpose"  // the branch's purpose on one line
	TrailerCode     = "Code-Commit"      // the code HEAD that it was made on
	TrailerLink     = "Context-Link"     // the code commit that was made with it, whose note links it
	TrailerRoadmap  = "Context-Roadmap"  // the roadmap, and for how many commits it has been the same
	TrailerNewest   = "Context-Newest"   // the largest entry id in its documents
	TrailerJournal  = "Context-Journal"  // journal id, offset and last step id that were taken
	TrailerWork     = "Context-Work"     // the uncommitted code that was handed over with the newest COMMIT
	TrailerRemoves  = "Context-Removes"  // what the commit removed on purpose: topics/KEY.md, metadata.yaml#PATH, or main.md for items of the roadmap
	TrailerRestores = "Context-Restores" // a commit that has what this one brought back
	TrailerAgent    = "Agent"
	TrailerSession  = "Session"
	TrailerModel    = "Model"
	TrailerTokens   = "Tokens"
)

// BranchOf is the branch that a memory commit was made on. It is "" for what is no
// memory commit, and for one whose trailer is no name: it comes from elsewhere, and
// names are in commands that are pasted.
func BranchOf(c *git.Commit) string {
	name := c.Trailer(TrailerBranch)
	if git.CheckBranchName(name) != nil {
		return ""
	}
	return name
}

// PurposeLimit keeps the one-line purpose in lists short, in characters.
const PurposeLimit = 300

// trailerBlock collects trailers in order; empty values are left out.
type trailerBlock struct{ b strings.Builder }

func (t *trailerBlock) add(key, value string) {
	if value != "" {
		fmt.Fprintf(&t.b, "%s: %s\n", key, value)
	}
}

// message joins the parts of a commit message. The trailers are always the last
// paragraph, so that a text that looks like one, in the body, is none.
func message(subject, body, trailers string) string {
	if body = strings.TrimRight(body, "\n"); body != "" {
		body += "\n\n"
	}
	return subject + "\n\n" + body + trailers
}

// FormatSteps formats the value of Context-Steps; "" for no steps.
func FormatSteps(r StepRange) string {
	switch {
	case r.Count == 0:
		return ""
	case r.Last-r.First+1 == r.Count:
		return fmt.Sprintf("%d-%d", r.First, r.Last)
	}
	return fmt.Sprintf("%d-%d (%d)", r.First, r.Last, r.Count)
}

// FormatCreated formats the value of Context-Created; "" for the zero time.
func FormatCreated(at time.Time, from string) string {
	if at.IsZero() {
		return ""
	}
	return strings.TrimSpace(at.UTC().Format(time.RFC3339) + " " + from)
}

// ParseCreated parses Context-Created. Either part is nil where it is missing or damaged.
func ParseCreated(value string) (at *time.Time, from *string) {
	stamp, name, _ := strings.Cut(value, " ")
	if t, err := time.Parse(time.RFC3339, stamp); err == nil {
		at = &t
	}
	if name != "" {
		from = &name
	}
	return at, from
}

// ParseRoadmap parses Context-Roadmap: the roadmap's commit, and how many commits in a row
// refer to it.
func ParseRoadmap(value string) (id git.ID, age int) {
	hash, n, _ := strings.Cut(value, " ")
	age, err := strconv.Atoi(n)
	if err != nil {
		age = 0
	}
	return git.ID(hash), age
}

// journalMark is what Context-Journal says: everything of that journal up to an offset
// is in the branch, and the step that ends there has that id.
type journalMark struct {
	Journal string
	upto    int64
	id      string
}

func (t journalMark) String() string {
	if t.Journal == "" {
		return ""
	}
	return fmt.Sprintf("%s %d %s", t.Journal, t.upto, t.id)
}

// ParseJournalMark parses Context-Journal; false for another shape.
func ParseJournalMark(value string) (journalMark, bool) {
	f := strings.Fields(value)
	if len(f) != 3 {
		return journalMark{}, false
	}
	upto, err := strconv.ParseInt(f[1], 10, 64)
	return journalMark{Journal: f[0], upto: upto, id: f[2]}, err == nil
}

// ParseTrailers parses the lines of a block of trailers. The last of several values of a key
// counts.
func ParseTrailers(block string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(block) {
		if key, value, ok := strings.Cut(strings.TrimRight(line, "\n"), ": "); ok {
			m[key] = value
		}
	}
	return m
}

// LinkWord begins the line in a code commit's message that names the memory commit.
const LinkWord = "Context: "

// WriterOf returns the agent of a memory commit, or its author where another tool made it.
func WriterOf(c *git.Commit) string {
	if agent := c.Trailer(TrailerAgent); agent != "" {
		return agent
	}
	return c.Author.Name
}

// LogIDs runs git log with args and hands out each commit's hash, its Context-Id,
// empty where there is no entry, and what more of git log's formats says. Fields are
// only good until each returns, which ends git by git.ErrEnough.
func (s *Store) LogIDs(ctx context.Context, args []string, each func(fields [][]byte) error, more ...string) error {
	read := &Records{Fields: 2 + len(more), Each: each}
	format := "--format=%H%x00" + TrailerValue(TrailerID)
	for _, field := range more {
		format += "%x00" + field
	}
	if err := s.repo.ViewTo(ctx, read, nil, append([]string{"log", "-z", format}, args...)...); err != nil {
		return err
	}
	if len(read.Rest) > 0 {
		return fmt.Errorf("git log ended within a commit: '%s'", prose.OneLine(string(read.Rest), 60))
	}
	return nil
}

// EntriesOf returns the arguments of a git log for the commits that add entries to commit.md, and all merges, each with the nearest listed ones as
// its parents: what changes nothing there costs git a seventh of what its message does. revs are after the options, without paths.
func EntriesOf(options []string, revs ...string) []string {
	return slices.Concat(options, []string{"--full-history", "--parents"}, revs, []string{"--", doc.CommitFile})
}

// EndOfOptions separates options from revisions on a git command line.
const EndOfOptions = "--end-of-options"

// TrailerValue returns git log's format for the value of a trailer.
func TrailerValue(trailer string) string {
	return "%(trailers:key=" + trailer + ",valueonly,separator=)"
}

// Records cuts what git writes into fields, each ended by NUL, and hands on as many
// as make a record. Fields are only good until each returns.
type Records struct {
	Fields int
	Each   func([][]byte) error
	Rest   []byte // of a record that has not ended
	ends   []int  // of the fields in rest
	looked int    // how far rest was searched: a note may be large and come in many pieces
}

// Write implements io.Writer. It returns the error of Each.
func (r *Records) Write(p []byte) (int, error) {
	r.Rest = append(r.Rest, p...)
	done := 0
	for {
		n := bytes.IndexByte(r.Rest[r.looked:], 0)
		if n < 0 {
			r.looked = len(r.Rest)
			break
		}
		r.ends = append(r.ends, r.looked+n)
		r.looked += n + 1
		if len(r.ends) < r.Fields {
			continue
		}
		record, from := make([][]byte, r.Fields), done
		for i, end := range r.ends {
			record[i], from = r.Rest[from:end], end+1
		}
		if err := r.Each(record); err != nil {
			r.Rest = nil
			return len(p), err
		}
		r.ends, done = r.ends[:0], r.looked
	}
	r.Rest = append(r.Rest[:0], r.Rest[done:]...)
	r.looked -= done
	for i := range r.ends {
		r.ends[i] -= done
	}
	return len(p), nil
}
