package cmd

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/cmd/complete"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type completeOptions struct {
	*globals
	breaks string
}

// completeTimeout is how long a shell waits for an answer; it gets what was found by then.
const completeTimeout = time.Second

// hidden is the command that the completions of shells run. No list of commands shows it.
func hidden() entry {
	return entry{name: "complete", short: "say what a word may become; shells run it", make: newComplete}
}

func newComplete(g *globals) *command {
	o := &completeOptions{globals: g}
	own := []cli.Flag{text(&o.breaks, "--breaks CHARS", "where bash cuts words: $COMP_WORDBREAKS")}
	return &command{
		name:  "complete",
		usage: []string{"complete (bash | zsh | fish) [--breaks CHARS] -- WORD..."},
		about: "Lists completions of the last WORD of a command line; WORDs are those after 'git context'. " +
			"'git context completion' prints the script with which a shell runs it. Each line is a candidate " +
			"and, except for bash, a tab and its description; for zsh another tab and its kind follow. For " +
			"bash WORDs are as they were typed, with their quotes, and so are the candidates, and only " +
			"candidates that begin like the WORD are listed. A line that begins with a tab is an instruction: " +
			"with 'files' or 'directories' the shell completes their names, and 'quoted' means that a quote is " +
			"open. Nothing is written, no remote is asked, and after a second it ends with what was found. " +
			"With --json: {\"candidates\": [{\"word\", \"about\", \"kind\"}], \"shell\"}.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"complete zsh -- switch ''",
			"complete bash --breaks \"$COMP_WORDBREAKS\" -- commit --outcome=su",
		},
		globals: g,
		flags:   join(own, g.common()),
		least:   2, most: unlimited, needs: "a shell and a command line",
		action: func(ctx context.Context, env *Env, args []string) error {
			if !slices.Contains(complete.Shells(), args[0]) {
				return unknownShell(args[0])
			}
			return runComplete(ctx, env, o, args[0], args[1:])
		},
	}
}

// runComplete prints what was found beside an error, too: flags need no memory.
func runComplete(ctx context.Context, env *Env, o *completeOptions, shell string, words []string) error {
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	words, last := complete.Words(shell, o.breaks, words)
	found := complete.Result{Candidates: []complete.Candidate{}}
	var failed error
	if t, ok := readTyped(words); ok {
		found, failed = complete.Find(ctx, t.Line, complete.Source{
			Commands: t.commands(),
			Open:     func(ctx context.Context) (*refs.Store, error) { return t.open(ctx, env) },
			Describe: shell != complete.Bash,
		})
	}
	if o.json {
		return errors.Join(failed, showJSON(env, found))
	}
	return errors.Join(failed, env.write(found.Write(shell, last)))
}

// typed is a command line up to the word that is completed.
type typed struct {
	complete.Line
	given  []cli.Flag
	dirs   []string // of -C
	branch string   // of -b
}

// standIn is added to the word to complete, so that the word is an argument or a value
// even where nothing is typed yet: a text, a name and a number alike.
const standIn = "0"

// readTyped reads the words of a command line without the program's name, of which the
// last one is to be completed. It returns false where nothing can be completed.
func readTyped(words []string) (t typed, ok bool) {
	last := len(words) - 1
	args := append(slices.Clone(words[:last]), words[last]+standIn)
	c := newContext(new(globals))
	before, name, after, err := findCommand(c.flags, args)
	if len(after) > 0 {
		name, after = inFull(name, after)
	}
	switch {
	case err != nil || len(after) == 0:
		c.usage = []string{"COMMAND"} // a name may follow all flags
	case name == "help":
		c = &command{usage: []string{"help [COMMAND]"}}
	default:
		e, err := find(name)
		if err != nil {
			return t, false
		}
		c = e.make(new(globals))
	}
	if len(after) > 0 {
		t.Args = []string{name}
		args = c.shield(slices.Concat(before, after))
	}
	t.Usage, t.Word = c.usage, words[last]
	for _, f := range c.flags {
		names, value, about := partsOf(f)
		_, repeated := f.(*cli.StringSliceFlag)
		value = strings.TrimSpace(value)
		t.Flags = append(t.Flags, complete.Flag{Names: names, Value: value, About: about, Repeated: repeated})
	}
	return t, t.read(c, args)
}

// read takes apart the flags and arguments up to the word. It passes over flags that are
// wrong: they may be corrected later. It returns false where nothing can be completed:
// behind `--`, which is for git.
func (t *typed) read(c *command, args []string) bool {
	s := scanner{flags: c.flags, args: args}
	for {
		tok, _, err := s.scan()
		last := s.next == len(args)
		lead := strings.TrimSuffix(t.Word+standIn, tok.value)
		switch {
		case err != nil && last, last && tok.bare: // a flag that is being typed
			return true
		case err != nil:
			s.cluster = ""
		case last && tok.flag == nil:
			t.Literal = s.literal
			return !s.literal || c.gitArgs == nil
		case last && lead != "" && lead == t.Word && !strings.HasSuffix(lead, "="): // -b alone
			return true
		case last:
			t.Lead, t.Word, t.Value = lead, t.Word[len(lead):], &t.Flags[slices.Index(c.flags, tok.flag)]
			return true
		case tok.flag == nil:
			t.Args = append(t.Args, tok.value)
		default:
			t.give(tok)
		}
	}
}

// give stores a flag before the word.
func (t *typed) give(tok token) {
	first := tok.flag.Names()[0]
	t.given, t.Given = append(t.given, tok.flag), append(t.Given, dashed(first))
	switch {
	case first == "C":
		t.dirs = append(t.dirs, tok.value)
	case slices.Contains(tok.flag.Names(), "b"):
		t.branch = tok.value
	}
}

// commands lists the commands that know the flags before the word. Building all of them
// is left out where there is no flag.
func (t *typed) commands() []complete.Candidate {
	var list []complete.Candidate
	for _, e := range commands() {
		unknown := func(f cli.Flag) bool { return lookup(e.make(new(globals)).flags, f.Names()[0]) == nil }
		if !slices.ContainsFunc(t.given, unknown) {
			list = append(list, complete.Candidate{Word: e.name, About: e.short})
		}
	}
	if len(t.given) == 0 && len(t.Args) == 0 {
		list = append(list, complete.Candidate{Word: "help", About: "describe a command"})
	}
	return list
}

// open opens the memory that the command line is about, for reading alone.
func (t *typed) open(ctx context.Context, env *Env) (*refs.Store, error) {
	return refs.Open(ctx, store.Options{
		Dir: env.in(t.dirs).Dir,
		// A clone that lacks objects would ask its remote for them, at each TAB.
		Env:      Offline(env.Environ),
		Now:      env.Now,
		Branch:   cmp.Or(t.branch, env.getenv("GIT_CONTEXT_BRANCH")),
		Trace:    env.trace,
		ReadOnly: true,
	})
}

func newCompletion(g *globals) *command {
	return &command{
		name:  "completion",
		usage: []string{"completion (bash | zsh | fish)"},
		about: "Prints the script with which a shell completes 'git context' and 'git-context': commands, " +
			"options, branches, commits, topics, remotes and items of the roadmap. 'make install' installs it " +
			"for all three shells. By hand, for bash: ~/.local/share/bash-completion/completions/git-context; " +
			"for zsh: the file _git-context in a directory of $fpath, before compinit is run; for fish: " +
			"~/.config/fish/conf.d/git-context.fish. In bash and zsh 'git context' is completed through git's " +
			"own completion. With --json: {\"shell\", \"script\"}.",
		exits: []int{exitDone, exitFailed, exitUsage},
		examples: []string{
			"completion bash > ~/.local/share/bash-completion/completions/git-context",
			"completion zsh > ~/.zfunc/_git-context",
			"completion fish > ~/.config/fish/conf.d/git-context.fish",
		},
		globals: g,
		flags:   g.common(),
		least:   1, most: 1, needs: "a shell: bash, zsh or fish",
		action: func(_ context.Context, env *Env, args []string) error {
			script, err := complete.Script(args[0])
			if err != nil {
				return unknownShell(args[0])
			}
			value := struct {
				Shell  string `json:"shell"`
				Script string `json:"script"`
			}{args[0], string(script)}
			return g.show(env, value, func(p *render.Printer) { _, _ = p.W.Write(script) })
		},
	}
}

func unknownShell(name string) error {
	return usagef("no completion for shell '%s'", name).hint("there is one for bash, zsh and fish")
}
