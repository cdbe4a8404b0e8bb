package cmd

import (
	"cmp"
	"context"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
)

// open opens the memory of the repository that env stands in. The caller
// closes it.
func (g *globals) open(ctx context.Context, env *Env) (*refs.Store, error) {
	return refs.Open(ctx, store.Options{
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
func (e *Env) code() *store.CodeOptions {
	return &store.CodeOptions{Output: e.Err, Terminal: e.Term.In}
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
func (a *author) writer(env *Env) store.Writer {
	return store.Writer{
		Agent:   cmp.Or(a.agent, env.getenv("GIT_CONTEXT_AGENT")),
		Session: cmp.Or(a.session, env.getenv("GIT_CONTEXT_SESSION")),
		Model:   cmp.Or(a.model, env.getenv("GIT_CONTEXT_MODEL")),
		Tokens:  a.tokens,
	}
}
