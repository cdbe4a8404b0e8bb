package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/git-context/git-context/cmd/transcript"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/folder"
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
			case o.all || o.from != "":
				return o.importSessions(ctx, env, args)
			case len(args) == 0:
				return usagef("'import' needs a folder").hint("git context import DIR").hint(importTrace)
			}
			return o.importFolder(ctx, env, args)
		},
	}
}

// importTrace is the form of the command line for a file.
const importTrace = self + " import --from AGENT FILE..."

func (o *importOptions) did() string {
	if o.dryRun {
		return "Would import"
	}
	return "Imported"
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
