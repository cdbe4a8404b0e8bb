package cmd

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// What a user of git, jj or gh types leads to the right command.
func TestGuesses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"checkout main":     "git context switch NAME",
		"checkout -b x":     "git context branch NAME, for a new one",
		"list":              "git context branch, git context topics or git context log",
		"ls":                "git context branch, git context topics or git context log",
		"pull":              "git context sync",
		"amend":             "git context commit --amend",
		"config":            "git config context.KEY VALUE",
		"explore x":         "git context branch NAME --purpose TEXT",
		"new x":             "git context branch NAME --purpose TEXT",
		"add x":             "git context record -o TEXT -t TEXT -a TEXT",
		"save -m x":         "git context commit -m SUMMARY",
		"reset --hard":      "git context undo, git context rollback C or git context merge NAME --abandon",
		"rm x":              "git context forget KEY or git context branch -d NAME",
		"grep x":            "git context search QUERY",
		"mv a b":            "git context branch -m OLD NEW",
		"bookmark create x": "git context branch",
		"op undo":           "git context undo",
		"log --no-color":    "git -c color.ui=never context",
		"rebase main":       "git context merge NAME",
		"commit foo":        "did you mean -m 'foo'?",
		"handover foo":      "did you mean -m 'foo'?",
		"sync origin main":  "sync takes all branches; for one: git context push REMOTE main",
		"recrod":            "did you mean 'git context record'?",
		"xyzzy":             "git context help -a",
		"commit --mesage x": "did you mean '--message'?",
	} {
		var out, errs bytes.Buffer
		env := &Env{Out: &out, Err: &errs, Dir: t.TempDir(), Now: time.Now}
		if exit := Run(t.Context(), env, strings.Fields(line)); exit != exitUsage {
			t.Errorf("%q: exit %d", line, exit)
		}
		if !strings.Contains(errs.String(), "hint: "+want+"\n") {
			t.Errorf("%q is answered with:\n%s", line, errs.String())
		}
	}
}

// Every command that a hint names exists.
func TestGuessesNameCommands(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"checkout", "list", "pull", "clone", "remote", "amend", "reset", "rebase", "new", "add", "save", "config",
		"rm", "set", "get", "context", "grep", "history", "stash", "plan", "decision", "question", "doctor", "start", "whoami"} {
		if guess(word) == nil {
			t.Errorf("there is no hint for '%s'", word)
		}
		if _, err := find(word); err == nil {
			t.Errorf("'%s' is a command", word)
		}
		for _, hint := range guess(word) {
			for _, form := range strings.Split(hint, "git context ")[1:] {
				name, _ := inFull(strings.TrimRight(strings.Fields(form)[0], ","), nil)
				if _, err := find(name); err != nil && name != "help" {
					t.Errorf("the hint for '%s' names '%s'", word, name)
				}
			}
		}
	}
}
