package capture

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// The values of context.capture.
const (
	captureOff     = "off"
	captureActions = "actions" // what the agent did, without results, prompts and its words
	captureFull    = "full"
)

// The values of context.autoCommit.
const (
	commitOff     = "off"
	commitTurn    = "turn"
	commitSession = "session"
)

// Bounds of an automatic commit.
const (
	leastCalls      = 5    // of tools, that make a turn worth a commit that changed no file
	mostFiles       = 200  // that are kept for a commit
	listedFiles     = 20   // that its contribution names
	mostSummary     = 100  // characters of its summary
	mostContributed = 2000 // bytes of the agent's message in its contribution
	mostAsked       = 800  // bytes of the user's prompt there, if the summary has only a part of it
	mostEdits       = 1200 // of what the edits of the turn changed
	leastEdit       = 120  // of what those of one file did
)

// policy is what the settings say.
type policy struct {
	mode, commit string
	codeWait     time.Duration // how long git may take to list what is not committed
}

// readPolicy reads context.capture and context.autoCommit. Where code is pushed with memory, the
// default is to keep less.
func readPolicy(ctx context.Context, s *store.Store) (p policy, err error) {
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return p, err
	}
	shared, err := cfg.Bool(store.KeyPush, false)
	if err != nil {
		return p, err
	}
	otherwise := captureFull
	if shared {
		otherwise = captureActions
	}
	if p.mode, err = choice(cfg, store.KeyCapture, otherwise, captureOff, captureActions, captureFull); err != nil {
		return p, err
	}
	if p.commit, err = choice(cfg, store.KeyAutoCommit, commitTurn, commitOff, commitTurn, commitSession); err != nil {
		return p, err
	}
	p.codeWait, err = code.StateWait(cfg, codeWait)
	return p, err
}

func choice(cfg *git.Config, key, otherwise string, values ...string) (string, error) {
	value, set := cfg.String(key)
	if !set {
		return otherwise, nil
	}
	if slices.Contains(values, value) {
		return value, nil
	}
	return "", fail.New(fail.ErrInvalid, fail.ConfigInvalid,
		fmt.Sprintf("%s is '%s'; it must be %s", key, prose.OneLine(value, 60), strings.Join(values, ", ")), "git config "+key+" "+otherwise)
}

// commits reports whether a commit is to be made now: something was done that is worth one,
// and the agent did not commit it itself.
func (p policy) commits(d *due, t Turn) bool {
	if d == nil || t.Goes || p.commit == commitOff || p.commit == commitSession && !t.Ends || t.Subagent != "" || d.Committed {
		return false
	}
	return d.Code || len(d.Files) > 0 || d.Calls >= leastCalls
}

// summary is the first line of what the user asked for, else of what the agent said: in an interrupted turn,
// the first of what its account has.
func (d *due) summary(client string) string {
	said := strings.TrimPrefix(strings.TrimPrefix(d.Final, account), "\n- ")
	if isAccount(said) {
		said = ""
	}
	for _, text := range []string{d.Prompt, said} {
		if line := prose.OneLine(firstLine(text), mostSummary); line != "" {
			return line
		}
	}
	return "A turn of " + client
}

// contribution is what the user asked for, if the summary does not say all of it, the agent's last
// message and the files that it changed. A long request begins with what it is about and ends with what is
// wanted.
func (d *due) contribution() string {
	var parts []string
	if asked := strings.TrimSpace(d.Prompt); prose.Fold(asked) != prose.OneLine(firstLine(asked), mostSummary) {
		parts = append(parts, "Asked: "+agent.ClipMiddle(asked, mostAsked))
	}
	if final := strings.TrimSpace(d.Final); final != "" {
		limit := mostContributed
		if isAccount(final) {
			limit = mostAccount
		}
		parts = append(parts, agent.ClipMiddle(final, limit))
	}
	if edits := d.edits(); edits != "" && !isAccount(d.Final) { // which has them
		parts = append(parts, edits)
	}
	if len(d.Files) > 0 {
		names := strings.Join(d.Files[:min(len(d.Files), listedFiles)], ", ")
		if more := len(d.Files) - listedFiles; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, "Files: "+names)
	}
	return strings.Join(parts, "\n\n")
}

// joined adds a last paragraph to a text.
func joined(text, last string) string {
	return strings.TrimSpace(text + "\n\n" + last)
}

// edits lists what was changed, a line for each file.
func (d *due) edits() string {
	var lines []string
	left := mostEdits
	for i, e := range d.Edits {
		most := max(left/(len(d.Edits)-i), leastEdit)
		line := prose.OneLine(e.File, leastCall) + ": " + prose.Fold(agent.Shorten(e.Change, most))
		if left -= len(line) + len("\n- "); left < 0 {
			break
		}
		lines = append(lines, line)
	}
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return "Edits: " + lines[0]
	}
	return "Edits:\n\n- " + strings.Join(lines, "\n- ")
}

// firstLine returns the first line of a text that is not blank.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

func appendNew(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}
