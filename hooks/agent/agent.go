// Package agent makes Observation-Thought-Action steps of what coding agents did. A package
// for each client, such as hooks/claudecode, decodes that client's transcript to Events; this
// package reads the lines, orders the events and forms the steps. It writes nothing.
//
// The rules of the steps:
//
//   - A prompt is a step whose observation is "User: " and the text, or "Task: " and the text
//     where another agent gave it. It begins a turn, unless it came while the agent worked.
//   - A tool call is a step: the thought is the visible text since the step before, the action
//     is the tool and its main argument ("Bash: go test ./..."), the observation is the result.
//   - The action of a call that writes files, and did not fail, also has the short form of what it
//     changed, in lines of their own: at most 320 bytes, see Change.
//   - Up to 8 calls in a row that only read become one step. Its action and observation are
//     numbered lists, its thought is that of all of them.
//   - A text that no call follows, such as the last of a turn, is a step with a thought alone.
//   - Steps without a text, steps that repeat one of the same turn, calls of git-context itself
//     and searches for tools are dropped.
//   - Secrets are replaced in each text as a whole, before anything is cut of it, see Start.Clean.
//   - A field has at most 2 KiB and a turn 32 KiB. What is cut ends in
//     "… 18,211 bytes more, sha256 1a2b3c4d5e6f": the length and the beginning of the hash of
//     the rest. Of a result the lines are kept that say what went wrong, those with words of the
//     prompt, the thought or the action that few lines have, and both ends, see Choose. A field has at most a fifteenth of what its turn has left, so that long turns
//     keep their calls and lose the length of their results; the last 2 KiB are for texts such
//     as the final message. Calls that find less than 128 bytes are left out and counted.
//   - A step has the time, the session and the id of its first record, and the tokens of the
//     answers that it is made of, each counted once.
//
// A step is emitted when no later record can change it: a transcript that has grown begins
// with the same steps, with the same ids. What is unfinished at the end of a transcript (a
// call without a result, reads that may go on, a text that a call may follow) is Report.Open.
//
// A transcript may also be read in parts, each from the beginning of a turn: the parts give
// the same steps as the whole, except for tokens that are counted after the end of a turn.
package agent

import (
	"encoding/json"
	"errors"
	"time"
)

// Kind is what an Event tells.
type Kind int

// The kinds of events.
const (
	Prompt Kind = iota // Text is what the user wrote, or the agent that gave the task
	Text               // Text is visible text of the agent
	Call               // a call of a tool
	Result             // Text is what the call of the id Call returned
	Usage              // Tokens are those of the answer so far
	Stop               // the turn has ended, or another begins: nothing belongs to a call or text before
)

// Event is a part of a record of a transcript.
type Event struct {
	Kind    Kind
	ID      string // of the record, unique in the session
	Session string
	Time    time.Time // zero: that of the event before
	Text    string

	Copied bool // the record is a copy of another session's, which is the Session

	Task   bool // of a Prompt: another agent gave it
	Beside bool // of a Prompt: it came while the agent worked, and belongs to that turn
	Cut    bool // of a Stop: the user interrupted the turn

	// Answer identifies the answer of the model. A client that has no such ids leaves it
	// empty and gives Stop events; otherwise, an answer closes the calls of former ones.
	Answer string
	Final  bool   // of a Text: the model's answer ends the turn
	Model  string // of a Text or Call

	Call     string // of a Call and its Result
	Tool     string
	Argument string
	Class    Class
	Files    []string // of a Call: what it writes, if it does not fail
	Edits    []Edit   // of a Call: what it changes in them; Clean makes the Change of it
	Change   string   // of a Call: the short form of that, see the function Change
	Failed   bool     // of a Result

	Tokens int64 // of Usage: new input and output, without what came from a cache
}

// Class is what a tool does, as far as the steps need it.
type Class int

// The classes of tools.
const (
	Other Class = iota
	Looks       // it only reads
	Shell       // its argument is a command line, which decides
)

// Step is a finished step. At least one of its three texts is not empty.
type Step struct {
	ID, Session string
	Time        time.Time // zero: unknown
	Observation string
	Thought     string
	Action      string
	Model       string
	Tokens      int64
	Copied      bool // a fork has copied it from the session that it names

	// Change is the short form of what a call changed that did not fail, see the function Change. The Action
	// ends with it, unless it has the whole text. File is what was changed.
	Change, File string

	Source string // its permanent name where ID is none, see the function Source; empty: ID is
}

// Report tells what a transcript contained besides its finished steps.
type Report struct {
	Open     []Step         // unfinished steps, as they are
	Turns    []Turn         // in their order; their Steps are those that were emitted and Open
	Final    string         // of the last turn
	End      int64          // bytes up to the end of the last whole line: where to go on reading
	Dir      string         // where the agent worked at first; empty: the transcript does not say
	Settings []string       // of the client, as far as the transcript tells them, such as "sandbox read-only"; the newest
	Last     time.Time      // of the newest record
	Unknown  map[string]int // records of types that the decoder does not know
	Broken   int            // lines that are no JSON
	TooLong  int            // records of more than MaxRecord bytes
	Subagent int            // records of subagents in the transcript of their parent
	Copied   int            // records of another session's history, copied here
	LeftOut  int            // steps for which their turn had no room
	Empty    []int          // the positions of steps without a text, in a list of steps
	Lossy    bool           // invalid UTF-8 became U+FFFD
}

// ErrForeign is the error for a text that is no transcript of the client.
var ErrForeign = errors.New("not a transcript of this client")

// MaxRecord is the size in bytes above which a record is skipped. It bounds the memory of
// Decode: tool results are cut by the clients at a hundredth of it, pictures are not.
const MaxRecord = 16 << 20

// Unmarshal reads JSON like encoding/json, but leaves out values of another type than v
// expects: clients change their records without notice.
func Unmarshal(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		return nil
	}
	return err
}

// ParseTime reads RFC 3339; the zero time is for anything else.
func ParseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
