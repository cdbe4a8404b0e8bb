package agent

import (
	"slices"
	"strings"
	"time"
)

// Bounds of what a Turn keeps of the commits of code that it made.
const (
	maxMade    = 100
	maxCommand = 8 << 10
)

// Made is a commit of code that a call made, as its command and its output describe it.
type Made struct {
	Hash    string    // as git printed it, abbreviated; empty: the command was quiet
	Subject string    // as git printed it
	Command string    // the command line, which contains the message in most cases, at most 8 KiB
	From    time.Time // of the call
	Until   time.Time // of its result
}

// madeCode notes the commits of code that a call made, by the lines that git printed, such as
// "[main 1a2b3c4] Fix the build". A call that failed may have made one before that; without such
// a line it made none.
func (t *Turn) madeCode(call *item, result Event) {
	if !strings.Contains(call.Argument, "git") || !commitsCode(call.Argument) {
		return
	}
	made := Made{From: call.Time, Until: result.Time, Command: call.Argument[:min(len(call.Argument), maxCommand)]}
	found := false
	for line := range strings.Lines(result.Text) {
		if made.Hash, made.Subject, found = printedCommit(strings.TrimSpace(line)); found && len(t.Made) < maxMade {
			t.Made = append(t.Made, made)
		}
	}
	if made.Hash, made.Subject = "", ""; !result.Failed && len(t.Made) < maxMade && !t.madeIn(made) {
		t.Made = append(t.Made, made)
	}
}

// madeIn reports whether git printed a commit of that call.
func (t *Turn) madeIn(made Made) bool {
	n := len(t.Made)
	return n > 0 && t.Made[n-1].Hash != "" && t.Made[n-1].Command == made.Command && t.Made[n-1].From.Equal(made.From)
}

// commitsCode reports whether a command line runs a command of git that makes a commit of code.
func commitsCode(line string) bool {
	commands, _ := parse(line)
	return slices.ContainsFunc(commands, func(c command) bool {
		return c.name() == "git" && slices.Contains([]string{"commit", "revert", "cherry-pick"}, c.git())
	})
}

// printedCommit reads the line that git prints of a commit: "[BRANCH HASH] SUBJECT", where BRANCH may
// be "detached HEAD", and "(root-commit)" may come before HASH.
func printedCommit(line string) (hash, subject string, ok bool) {
	rest, ok := strings.CutPrefix(line, "[")
	if !ok {
		return "", "", false
	}
	head, subject, ok := strings.Cut(rest, "] ")
	words := strings.Fields(head)
	if !ok || len(words) < 2 {
		return "", "", false
	}
	hash = words[len(words)-1]
	odd := func(c rune) bool { return !strings.ContainsRune("0123456789abcdef", c) }
	if len(hash) < 4 || len(hash) > 64 || strings.ContainsFunc(hash, odd) {
		return "", "", false
	}
	return hash, subject, true
}
