package cmd

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// Run runs one command line (without the program's name) and gives its exit
// code. Everything it prints goes to the streams of env; ctx ends it early.
func Run(ctx context.Context, env *Env, args []string) int {
	trace, done, err := openTrace(env)
	if err == nil {
		defer done()
		traced := *env
		traced.trace = trace
		err = guarded(ctx, &traced, args)
	}
	return env.report(err, wantsJSON(args))
}

// guarded is dispatch for a world where this program has faults: nobody who
// uses it is shown a stack, unless they trace it.
func guarded(ctx context.Context, env *Env, args []string) (err error) {
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		if env.trace != nil {
			_, _ = env.trace.Write(debug.Stack()) // the fault is told either way
		}
		err = fmt.Errorf("internal error: %v", fault)
	}()
	return dispatch(ctx, env, args)
}

// wantsJSON says how to report an error: the command line that asks for JSON
// may be the very one that could not be parsed.
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

// dispatch finds the command and runs it. Only the flags of CONTEXT, which may
// stand before a command's name, and those of that one command are ever built:
// the start-up of forty commands is paid by every call of a hook.
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
	}
	e, err := find(name)
	if err != nil {
		return err
	}
	c := e.make(new(globals))
	return adviseHelp(c.invoke(ctx, env, append(before[:len(before):len(before)], after...)), name)
}

// find looks a command up by its name.
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
	if near := nearest(name, names); near != "" {
		return entry{}, err.hint("did you mean 'git context %s'?", near)
	}
	return entry{}, err.hint("git context help")
}

// adviseHelp ends the hints of a usage error with where to read on.
func adviseHelp(err error, name string) error {
	if usage, ok := err.(*usageError); ok {
		return usage.hint("%s", strings.TrimSpace("git context help "+name))
	}
	return err
}

// invoke parses a command's own command line and runs it.
func (c *command) invoke(ctx context.Context, env *Env, args []string) error {
	args, err := c.cutBehind(c.shield(args))
	if err != nil {
		return err
	}
	ordered, err := permute(c.flags, args)
	switch {
	case err != nil:
		return err
	case given(ordered, "--h"): // before cli sees it, and prints a help of its own
		return printHelp(env, c)
	}
	app := &cli.App{
		Name:                      "git-context",
		Flags:                     single(c.flags),
		HideHelp:                  true, // help is ours, in git's style
		HideVersion:               true,
		DisableSliceFlagSeparator: true,            // a comma in a value is a comma
		Compiled:                  time.Unix(0, 0), // else cli asks the file system
		Reader:                    env.In,
		Writer:                    env.Err, // nothing of cli's own belongs among the results
		ErrWriter:                 env.Err,
		OnUsageError:              func(_ *cli.Context, err error, _ bool) error { return err },
		ExitErrHandler:            func(*cli.Context, error) {}, // exit codes are decided in one table
		Action: func(parsed *cli.Context) error {
			return c.act(ctx, env, parsed.Args().Slice())
		},
	}
	return app.RunContext(ctx, append([]string{"git-context"}, ordered...))
}

// given says whether a flag, as permute writes it, stands on a command line.
func given(ordered []string, flag string) bool {
	return slices.Contains(ordered[:slices.Index(ordered, "--")], flag)
}

// act runs a command whose command line is parsed, if it has as many arguments
// as the command takes.
func (c *command) act(ctx context.Context, env *Env, args []string) error {
	switch {
	case len(args) > c.most:
		if c.behind != nil {
			return usagef("unexpected argument '%s'", args[c.most]).hint("paths, and options of git's own, stand behind '--'")
		}
		return usagef("unexpected argument '%s'", args[c.most]).
			hint("a text that holds spaces goes in quotes")
	case len(args) < c.least:
		return usagef("'%s' needs %s", c.name, c.needs)
	}
	return c.action(ctx, env.in(c.globals.dirs.Value()), args)
}
