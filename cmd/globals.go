package cmd

import (
	"cmp"
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-context/git-context/refs"
)

// globals are the flags that every command knows.
type globals struct {
	json   bool
	branch string
	dirs   cli.StringSlice
}

func (g *globals) flags() []cli.Flag {
	return append([]cli.Flag{
		named(&g.branch, "-b, --branch NAME", "act on that memory branch instead of the current one"),
	}, g.everywhere()...)
}

// everywhere are the flags that mean the same on CONTEXT too, where --branch
// is a view.
func (g *globals) everywhere() []cli.Flag {
	return []cli.Flag{
		toggle(&g.json, "--json", "print one JSON document"),
		texts(&g.dirs, "-C DIR", "run as if started in DIR"),
		toggle(nil, "-h, --help", "print this help"), // invoke looks for it
	}
}

// author are the flags of the commands that write.
type author struct {
	agent, session, model string
	tokens                int64
}

func (a *author) flags() []cli.Flag {
	return []cli.Flag{
		text(&a.agent, "--agent NAME", "who writes (GIT_CONTEXT_AGENT, else the committer)"),
		text(&a.session, "--session ID", "the agent's session (GIT_CONTEXT_SESSION)"),
		text(&a.model, "--model NAME", "the agent's model (GIT_CONTEXT_MODEL)"),
	}
}

// meter is --tokens, for the commands that close a piece of work.
func (a *author) meter() cli.Flag {
	name, more, value := parseForm("--tokens N")
	return &cli.Int64Flag{Name: name, Aliases: more, Usage: "`" + value + "` what the work cost, in tokens", Destination: &a.tokens}
}

// open opens the memory of the repository that env stands in. The caller
// closes it.
func (g *globals) open(ctx context.Context, env *Env) (*refs.Store, error) {
	return refs.Open(ctx, refs.Options{
		Dir:    env.Dir,
		Env:    env.Environ,
		Now:    env.Now,
		Branch: cmp.Or(g.branch, env.getenv("GIT_CONTEXT_BRANCH")),
		Trace:  env.trace,

		Progress: env.progress(g.json),

		Program:       env.Program,
		Interruptible: env.Interruptible,
		Warn:          func(message string) { env.warn("%s", message) },
	})
}

// code says how git changes the code for the commands that do: it speaks on standard
// error.
func (e *Env) code() *refs.CodeOptions {
	return &refs.CodeOptions{Output: e.Err, Terminal: e.Term.In}
}

// closing closes a store when its command is done. What the command set out to
// do is decided by then, so a failure to close is only worth telling when
// nothing else went wrong.
func closing(s *refs.Store, err *error) {
	if e := s.Close(); *err == nil {
		*err = e
	}
}

// writer says who writes: flags before environment; the store puts the
// committer's name where there is no agent.
func (a *author) writer(env *Env) refs.Writer {
	return refs.Writer{
		Agent:   cmp.Or(a.agent, env.getenv("GIT_CONTEXT_AGENT")),
		Session: cmp.Or(a.session, env.getenv("GIT_CONTEXT_SESSION")),
		Model:   cmp.Or(a.model, env.getenv("GIT_CONTEXT_MODEL")),
		Tokens:  a.tokens,
	}
}

// atFlag is --at, for everything that shows memory.
func atFlag(to *string) cli.Flag {
	return named(to, "--at C", "as it stood at C: a memory commit, or a commit or tag of the code")
}
