package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/cmd/transcript"
	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/hooks/sessions"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

// importSessions is `import --from AGENT FILE...` and `import --all`: it imports the sessions of agents.
func (o *importOptions) importSessions(ctx context.Context, env *Env, args []string) error {
	r, err := runImportSessions(ctx, env, o, args)
	env.warnAll(r.Warnings)
	if err != nil {
		return err
	}
	env.replaced(r.Lossy)
	return o.show(env, r, func(p *render.Printer) {
		if r.Commits == 0 && r.Sessions <= 1 && !o.all {
			line(p, o.did()+" %s, skipped %d that exist already%s", count(r.Steps, "step", "steps"), r.Skipped, expunged(r))
			return
		}
		for _, s := range r.Found {
			line(p, "%s  %s  %s  %s on %s: %s", s.Begin.Local().Format("2006-01-02 15:04"), s.Client, s.ID,
				count(s.Steps, "step", "steps"), s.Branch, s.Prompt)
		}
		line(p, o.did()+" %s: %s and %s on %s, %s to code, skipped %s that exist already%s",
			count(r.Sessions, "session", "sessions"),
			count(r.Commits, "commit", "commits"), count(r.Steps, "step", "steps"), count(r.Branches, "branch", "branches"),
			count(r.Links, "link", "links"), count(r.Skipped, "step", "steps"), expunged(r))
	})
}

// expunged says how many steps an import left out because they were expunged. A step of another author with the same source
// can be the reason, so that the number must be seen.
func expunged(r sessions.Result) string {
	if r.Expunged == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d that were expunged", r.Expunged)
}

func runImportSessions(ctx context.Context, env *Env, o *importOptions, args []string) (r sessions.Result, err error) {
	from, err := o.sources(args)
	if err != nil {
		return r, err
	}
	w := o.writer(env)
	w.Agent, w.Session, w.Model = o.agent, o.session, o.model // not of the user who imports
	opts := sessions.Options{Found: o.all, Traces: o.from == transcript.SWEAgent, Now: env.Now(), Writer: w,
		DryRun: o.dryRun}
	var ok bool
	if opts.Since, ok = transcript.ParseTime(o.since); !ok {
		return r, usagef("'%s' is not a time", o.since).hint("--since 2026-11-21T00:00:00Z")
	}
	for _, arg := range args {
		opts.Files = append(opts.Files, transcript.Given(o.from, env.path(arg), arg))
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	var missing []string
	if o.all {
		if opts.Files, missing, err = o.find(ctx, env, s, from); err != nil {
			return r, err
		}
	}
	r, err = sessions.Import(ctx, s, opts)
	r.Warnings = append(missing, r.Warnings...)
	var failed *sessions.FileError
	if errors.As(err, &failed) {
		err = readError(transcript.Unread(failed.File.Client, failed.File.Path,
			o.typed(env, args, failed.File.Path), failed.Err))
	}
	if r.Commits > 0 && !o.dryRun {
		s.IndexBehind()
	}
	return r, err
}

// find looks for the sessions of agents. One whose program is missing or fails is left out with a warning,
// unless the user named it.
func (o *importOptions) find(ctx context.Context, env *Env, s *store.Store, from []string) (
	files []sessions.File, warnings []string, err error,
) {
	p := transcript.Places{Getenv: env.getenv}
	if p.Trees, err = capture.Trees(s); err != nil {
		return nil, nil, err
	}
	for _, name := range from {
		found, err := transcript.All(ctx, name, p)
		var failed *transcript.ProgramError
		switch {
		case errors.As(err, &failed) && o.from == "":
			warnings = append(warnings, failed.Error()+"; they were left out")
		case errors.As(err, &failed) && failed.Missing():
			return nil, nil, fail.New(fail.ErrNotFound, fail.NotFound, failed.Error(), importTrace)
		case err != nil:
			return nil, nil, err
		}
		files = append(files, found...)
	}
	return files, warnings, nil
}

// sources returns the agents whose sessions are looked for.
func (o *importOptions) sources(args []string) ([]string, error) {
	known := transcript.Agents()
	switch {
	case o.from != "" && !slices.Contains(known, o.from):
		return nil, usagef("unknown kind of trace '%s'", o.from).hint("known: %s", strings.Join(known, ", "))
	case o.all && len(args) > 0:
		return nil, usagef("--all takes no files").hint(importTrace)
	case !o.all && len(args) == 0:
		return nil, usagef("'import' needs a file")
	case o.all && o.from != "" && !slices.Contains(transcript.Findable(), o.from):
		return nil, usagef("the sessions of %s cannot be looked for", o.from).hint(importTrace)
	case !o.all:
		return nil, nil
	case o.from != "":
		return []string{o.from}, nil
	}
	return transcript.Findable(), nil
}

// typed is a path as the user typed it.
func (o *importOptions) typed(env *Env, args []string, path string) string {
	for _, arg := range args {
		if env.path(arg) == path {
			return arg
		}
	}
	return path
}
