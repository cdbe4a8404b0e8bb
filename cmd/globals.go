package cmd

import (
	"cmp"
	"context"
	"slices"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
	"github.com/urfave/cli/v2"
)

// globals are the flags that every command knows.
type globals struct {
	json   bool
	quiet  bool
	branch string
	dirs   cli.StringSlice

	offline bool // the command asks no remote for objects that a partial clone lacks: it only shows something, or looks for what is lost
}

func (g *globals) flags() []cli.Flag {
	return append([]cli.Flag{
		named(&g.branch, "-b, --branch NAME", "act on that memory branch instead of the current one"),
	}, g.common()...)
}

// common returns the flags that also CONTEXT has, where --branch is a view.
func (g *globals) common() []cli.Flag {
	return []cli.Flag{
		toggle(&g.json, "--json", "print one JSON document"),
		toggle(&g.quiet, "-q, --quiet", "print nothing but errors"),
		texts(&g.dirs, "-C DIR", "run as if started in DIR"),
		toggle(nil, "-h, --help", "print this help"), // invoke handles it
	}
}

// author are the flags that say who writes.
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

// meter is the flag --tokens.
func (a *author) meter() cli.Flag {
	name, more, value := parseForm("--tokens N")
	usage := placeholder(value, "what the work cost, in tokens")
	return &cli.Int64Flag{Name: name, Aliases: more, Usage: usage, Destination: &a.tokens}
}

// open opens the memory of the repository at env.Dir. The caller closes it.
func (g *globals) open(ctx context.Context, env *Env) (*refs.Store, error) {
	environ := env.Environ
	if g.offline {
		environ = Offline(environ)
	}
	return refs.Open(ctx, store.Options{
		Dir:    env.Dir,
		Env:    environ,
		Now:    env.Now,
		Branch: cmp.Or(g.branch, env.getenv("GIT_CONTEXT_BRANCH")),
		Trace:  env.trace,

		Progress: env.progress(g.json),

		Program:       env.Program,
		Interruptible: env.Interruptible,
		Warn:          func(message string) { env.warn("%s", message) },
	})
}

// Offline is an environment in which git fetches nothing. git before 2.45 does not know the first variable.
func Offline(environ []string) []string {
	return append(slices.Clip(environ), "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
}

// code returns the options for commands that change the code: git prints on standard error.
func (e *Env) code() *store.CodeOptions {
	return &store.CodeOptions{Output: e.Err, Terminal: e.Term.In}
}

// closing closes a store at the end of a command. It reports a failure to close only where
// the command itself succeeded.
func closing(s *refs.Store, err *error) {
	if e := s.Close(); *err == nil {
		*err = e
	}
}

// writer returns who writes: flags before environment variables; the store uses the
// committer's name where there is no agent.
func (a *author) writer(env *Env) store.Writer {
	return store.Writer{
		Agent:   cmp.Or(a.agent, env.getenv("GIT_CONTEXT_AGENT")),
		Session: cmp.Or(a.session, env.getenv("GIT_CONTEXT_SESSION")),
		Model:   cmp.Or(a.model, env.getenv("GIT_CONTEXT_MODEL")),
		Tokens:  a.tokens,
	}
}

// atFlag is the flag --at.
func atFlag(to *string) cli.Flag {
	return named(to, "--at C", "as it was at C: a memory commit, or a commit or tag of the code")
}
