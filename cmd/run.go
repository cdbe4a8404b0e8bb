package cmd

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// Run runs one command line, without the program's name, and returns its exit code. It
// prints to the streams of env; ctx ends it early.
func Run(ctx context.Context, env *Env, args []string) int {
	trace, done, err := openTrace(env)
	if err == nil {
		defer done()
		traced := *env
		traced.trace = trace
		err = recoverPanic(ctx, &traced, args)
	}
	return env.report(err, wantsJSON(args))
}

// recoverPanic is dispatch that returns a panic as an error. Users see the stack only in a
// trace.
func recoverPanic(ctx context.Context, env *Env, args []string) (err error) {
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		if env.trace != nil {
			_, _ = env.trace.Write(debug.Stack()) // the error is printed either way
		}
		err = fmt.Errorf("internal error: %v", fault)
	}()
	return dispatch(ctx, env, args)
}

// wantsJSON reports whether errors are JSON, also for a command line that cannot be
// parsed.
func wantsJSON(args []string) bool {
	for _, a := range args {
		if a == "--" {
			return false
		}
		if a == "--json" {
			return true
		}
	}
	return false
}

// dispatch finds the command and runs it. It builds the flags of CONTEXT, which may be
// given before a command's name, and those of that command alone: every call of a hook
// pays for start-up.
func dispatch(ctx context.Context, env *Env, args []string) error {
	root := newContext(new(globals))
	before, name, after, err := findCommand(root.flags, args)
	switch {
	case err != nil:
		return adviseHelp(err, "")
	case name == "":
		return root.invoke(ctx, env, args)
	case name == "help":
		return help(env, after)
	case name == "hook" && forAgent(after):
		runAgentHook(ctx, env, after)
		return nil
	}
	name, after = inFull(name, after)
	e, err := find(name)
	if err != nil {
		return err
	}
	c := e.make(new(globals))
	return adviseHelp(c.invoke(ctx, env, append(before[:len(before):len(before)], after...)), name)
}

// find returns the command of that name.
func find(name string) (entry, error) {
	if name == hidden().name {
		return hidden(), nil
	}
	all := commands()
	names := make([]string, len(all))
	for i, e := range all {
		if e.name == name {
			return e, nil
		}
		names[i] = e.name
	}
	err := usagef("unknown command '%s'", name)
	if meant := guess(name); meant != nil {
		for _, m := range meant {
			err = err.hint("%s", m)
		}
		return entry{}, err
	}
	if near := nearest(name, names); near != "" {
		return entry{}, err.hint("did you mean 'git context %s'?", near)
	}
	return entry{}, err.hint("git context help -a")
}

// adviseHelp adds the command for help to the hints of a usage error.
func adviseHelp(err error, name string) error {
	if usage, ok := err.(*usageError); ok {
		return usage.hint("%s", strings.TrimSpace("git context help "+name))
	}
	return err
}

// invoke parses the command line of a command and runs it.
func (c *command) invoke(ctx context.Context, env *Env, args []string) error {
	args, err := c.cutGitArgs(c.shield(args))
	if err != nil {
		return err
	}
	ordered, err := permute(c.flags, args)
	switch {
	case err != nil:
		return err
	case hasFlag(ordered, "--h"): // cli would print a help of its own
		if c.name == "" {
			return printShort(env)
		}
		return printUsage(env, c)
	}
	app := &cli.App{
		Name:                      "git-context",
		Flags:                     single(c.flags),
		HideHelp:                  true, // help is ours, in git's style
		HideVersion:               true,
		DisableSliceFlagSeparator: true,            // a comma in a value is a comma
		Compiled:                  time.Unix(0, 0), // else cli asks the file system
		Reader:                    env.In,
		Writer:                    env.Err, // what cli prints is no result
		ErrWriter:                 env.Err,
		OnUsageError:              func(_ *cli.Context, err error, _ bool) error { return err },
		ExitErrHandler:            func(*cli.Context, error) {}, // kinds decides exit codes
		Action: func(parsed *cli.Context) error {
			return c.act(ctx, env, parsed.Args().Slice())
		},
	}
	return app.RunContext(ctx, append([]string{"git-context"}, ordered...))
}

// hasFlag reports whether a command line that permute returned has a flag.
func hasFlag(ordered []string, flag string) bool {
	return slices.Contains(ordered[:slices.Index(ordered, "--")], flag)
}

// act runs a command with its arguments, if it takes so many.
func (c *command) act(ctx context.Context, env *Env, args []string) error {
	switch {
	case len(args) > c.most:
		if c.gitArgs != nil {
			return usagef("unexpected argument '%s'", args[c.most]).hint("paths, and options of git's own, follow '--'")
		}
		err := usagef("unexpected argument '%s'", args[c.most])
		switch {
		case c.extra != "":
			return err.hint("%s", strings.ReplaceAll(c.extra, "%s", args[c.most]))
		case c.most > 0:
			return err.hint("quote a text that contains spaces")
		}
		return err
	case len(args) < c.least:
		return usagef("'%s' needs %s", c.name, c.needs)
	}
	env = env.in(c.globals.dirs.Value())
	if c.globals.quiet {
		if c.globals.json {
			return usagef("--quiet cannot be used with --json")
		}
		env.quiet = true
		if c.program == "" || c.program != c.name { // what a program prints is not ours
			env.Out, env.Term.Out = io.Discard, false
		}
	}
	return c.action(ctx, env, args)
}
