package cmd

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/cmd/transcript"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/folder"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type importOptions struct {
	*globals
	author
	from   string
	since  string
	all    bool
	dryRun bool
}

func newImport(g *globals) *command {
	o := &importOptions{globals: g}
	own := []cli.Flag{
		named(&o.from, "--from AGENT", "whose trace or transcript it is: "+strings.Join(transcript.Agents(), ", ")),
		toggle(&o.all, "--all", "all sessions of this repository, where the clients keep them"),
		named(&o.since, "--since T", "only turns that ended since then, such as 2026-11-21T00:00:00Z"),
		toggle(&o.dryRun, "--dry-run", "say what would be imported; change nothing"),
	}
	return &command{
		name: "import",
		usage: []string{"import DIR [--dry-run]", "import --from AGENT FILE... [--since T] [--dry-run]",
			"import [--from AGENT] --all [--since T] [--dry-run]"},
		about: "Imports the memory that another implementation keeps in a folder: DIR contains .GCC or " +
			".gcc, or is that folder. Each branch becomes, or adds to, the memory branch of its name; each " +
			"commit becomes a memory commit with its own time and the steps before it. With --from it imports " +
			"another agent's trace or transcript, with its times: a turn that changed files, made a commit of code " +
			"or took five calls becomes a memory commit, other steps are pending until the next commit. Sessions " +
			"that overlapped get branches of their own. Importing again adds only what is new.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"import ../other-project",
			"import --from swe-agent marshmallow-1867.traj",
			"-b try-1 import --from swe-agent runs/*.traj",
			"import --from claude-code session.jsonl",
			"import --all --dry-run",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		most:    unlimited,
		action: func(ctx context.Context, env *Env, args []string) error {
			switch {
			case o.all || o.from != "" && o.from != transcript.SWEAgent:
				return o.importSessions(ctx, env, args)
			case o.from == "" && len(args) > 0:
				return o.importFolder(ctx, env, args)
			}
			r, err := runImport(ctx, env, o, args)
			if err != nil {
				return err
			}
			return o.show(env, r, func(p *render.Printer) {
				line(p, o.did()+" %s, skipped %d that exist already", count(r.Steps, "step", "steps"), r.Skipped)
			})
		},
	}
}

// importTrace is the form of the command line for a file.
const importTrace = self + " import --from AGENT FILE..."

func runImport(ctx context.Context, env *Env, o *importOptions, files []string) (r folder.Counts, err error) {
	switch {
	case o.from == "":
		return r, usagef("'import' needs a folder").hint("git context import DIR").hint(importTrace)
	case len(files) == 0:
		return r, usagef("'import' needs a file")
	}
	w := o.writer(env)
	w.Agent = cmp.Or(o.agent, o.from) // not of the user who imports
	steps, err := o.readTraces(ctx, env, files, w)
	if err != nil {
		return r, err
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	if o.dryRun {
		return folder.RehearseSteps(ctx, s, w, steps)
	}
	return folder.ImportSteps(ctx, s, w, steps)
}

func (o *importOptions) did() string {
	if o.dryRun {
		return "Would import"
	}
	return "Imported"
}

// readTraces reads the steps of all files.
func (o *importOptions) readTraces(
	ctx context.Context, env *Env, files []string, w store.Writer,
) (steps []store.NewStep, err error) {
	meter := git.NewMeter(env.progress(o.json), env.Now, "Reading steps", 0)
	defer meter.End()
	for _, f := range files {
		more, err := o.readTrace(ctx, env, f, w, meter)
		if err != nil {
			return nil, readError(err)
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

// readError is the error for a trace or transcript that cannot be read.
func readError(err error) error {
	var foreign *transcript.ForeignError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &fail.Error{Code: fail.NotFound, Kind: fail.ErrNotFound, Message: err.Error(), Hints: []string{importTrace}}
	case errors.As(err, &foreign):
		return fail.New(fail.ErrInvalid, fail.TranscriptForeign, err.Error(), foreign.Hint())
	}
	return err
}

// readTrace reads the steps of one file and sets their agent, session and model.
func (o *importOptions) readTrace(
	ctx context.Context, env *Env, file string, w store.Writer, meter *git.Meter,
) ([]store.NewStep, error) {
	name := filepath.Base(file)
	trace, err := transcript.ReadSWEAgent(ctx, env.path(file), file, meter)
	if err != nil {
		return nil, err
	}
	for _, n := range trace.Empty {
		env.warn("'%s': step %d has neither observation, thought nor action", name, n)
	}
	env.replaced(trace.Lossy)
	for i := range trace.Steps {
		step := &trace.Steps[i]
		step.Agent, step.Model = w.Agent, cmp.Or(o.model, step.Model, w.Model)
		step.Session = cmp.Or(o.session, step.Session, strings.TrimSuffix(name, filepath.Ext(name)))
	}
	return trace.Steps, nil
}

// importFolder is `import DIR`: it imports the folder of another implementation.
func (o *importOptions) importFolder(ctx context.Context, env *Env, args []string) error {
	if len(args) != 1 {
		return usagef("'import' takes one folder").hint("git context import DIR").hint(importTrace)
	}
	if info, err := os.Stat(env.path(args[0])); err == nil && !info.IsDir() {
		return usagef("'%s' is a file, not a folder", args[0]).hint(importTrace)
	}
	r, err := runImportFolder(ctx, env, o, args[0])
	env.warnAll(r.Warnings)
	if err != nil {
		return err
	}
	return o.show(env, r, func(p *render.Printer) {
		line(p, o.did()+" %s and %s on %s from '%s' (%s), skipped %d that exist already",
			count(r.Commits, "commit", "commits"), count(r.Steps, "step", "steps"),
			count(r.Branches, "branch", "branches"), r.Folder, r.Dialect, r.Skipped)
	})
}

func runImportFolder(ctx context.Context, env *Env, o *importOptions, dir string) (r folder.Result, err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	r, err = folder.Import(ctx, s, folder.ImportOptions{Writer: o.writer(env), Dir: env.path(dir), Agent: o.agent, DryRun: o.dryRun})
	if r.Commits > 0 && !o.dryRun {
		s.IndexBehind()
	}
	return r, err
}
