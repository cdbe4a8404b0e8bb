package cmd

import (
	"context"
	"os"

	"github.com/git-context/git-context/refs/folder"
	"github.com/git-context/git-context/render"
)

// importFolder is `import DIR`: the memory that another implementation keeps in
// a folder.
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
		line(p, "Imported %s and %s on %s from '%s' (%s), skipped %d that stand already",
			count(r.Commits, "milestone"), count(r.Steps, "step"), branches(r.Branches), r.Folder, r.Dialect, r.Skipped)
	})
}

func runImportFolder(ctx context.Context, env *Env, o *importOptions, dir string) (r folder.FolderResult, err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	return folder.Import(ctx, s, folder.FolderOptions{Writer: o.writer(env), Dir: env.path(dir), Agent: o.agent})
}

// branches says "1 branch", "2 branches".
func branches(n int) string {
	if n == 1 {
		return "1 branch"
	}
	return count(n, "branche")
}
