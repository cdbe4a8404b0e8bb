package cmd

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/history"
	"github.com/urfave/cli/v2"
)

type completeOptions struct {
	*globals
	breaks string
}

// completion is what a shell is told.
type completion struct {
	Candidates []candidate `json:"candidates"`
	Shell      string      `json:"shell"` // files, directories, or ""
}

// completeTimeout is how long a TAB may be waited for: then the shell has what was found.
const completeTimeout = time.Second

// hidden is the command that the completions of shells run. No list of commands shows
// it; find knows it.
func hidden() entry {
	return entry{name: "complete", short: "say what a word may become; shells run it", make: newComplete}
}

func newComplete(g *globals) *command {
	o := &completeOptions{globals: g}
	own := []cli.Flag{text(&o.breaks, "--breaks CHARS", "where bash cuts words: $COMP_WORDBREAKS")}
	return &command{
		name:  "complete",
		usage: []string{"complete (bash | zsh | fish) [--breaks CHARS] -- WORD..."},
		about: "Says what the last WORD of a command line may become; WORDs are those behind 'git context'. 'git context completion' prints what makes a shell ask. Each line is a candidate and, but for bash, behind a tab what it is; for zsh behind another one of which kind. For bash WORDs are as they were typed, with their quotes, and so are the candidates, of which there are those alone that begin like the WORD. A line that begins with a tab says something else: 'files' or 'directories', that the shell shall complete their names; 'quoted', that a quote is open. Nothing is written, no remote is asked, and after a second it ends with what was found. With --json: {\"candidates\": [{\"word\", \"about\", \"kind\"}], \"shell\"}.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"complete zsh -- switch ''",
			"complete bash --breaks \"$COMP_WORDBREAKS\" -- commit --outcome=su",
		},
		globals: g,
		flags:   join(own, g.flags()),
		least:   2, most: unlimited, needs: "a shell and a command line",
		action: func(ctx context.Context, env *Env, args []string) error {
			if !slices.Contains(shells(), args[0]) {
				return unknownShell(args[0])
			}
			return runComplete(ctx, env, o, args[0], args[1:])
		},
	}
}

// runComplete prints what was found even where something went wrong: the flags of a
// command can be completed where there is no memory.
func runComplete(ctx context.Context, env *Env, o *completeOptions, shell string, words []string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	var last bashWord
	if shell == shellBash {
		words = joinBroken(words, o.breaks)
		for i, raw := range words {
			last = readBashWord(raw, o.breaks)
			words[i] = last.text
		}
	}
	found := offers{env: env, typed: readTyped(words), bare: shell == shellBash, list: []candidate{}, seen: map[string]bool{}, known: map[string][]history.Named{}}
	failed := found.gather(ctx)
	failed = errors.Join(failed, found.close())
	if o.json {
		return errors.Join(failed, showJSON(env, completion{found.list, found.shell}))
	}
	var b strings.Builder
	if found.shell != "" {
		b.WriteString("\t" + found.shell + "\n")
	}
	if shell == shellBash {
		writeForBash(&b, last, found.list)
	} else {
		writeDescribed(&b, found.list, shell == shellZsh)
	}
	return errors.Join(failed, env.write(b.String()))
}

func writeForBash(b *strings.Builder, word bashWord, list []candidate) {
	if word.quote != 0 {
		b.WriteString("\tquoted\n")
	}
	for _, c := range list {
		if text, ok := word.complete(c.Word); ok {
			b.WriteString(text + "\n")
		}
	}
}

// writeDescribed leaves nothing out: zsh and fish choose by rules of their users. zsh
// lists each kind by itself.
func writeDescribed(b *strings.Builder, list []candidate, kinds bool) {
	for _, c := range list {
		b.WriteString(c.Word)
		if c.About != "" || kinds {
			b.WriteString("\t" + c.About)
		}
		if kinds {
			b.WriteString("\t" + c.Kind)
		}
		b.WriteByte('\n')
	}
}
