package git

import (
	"context"
	"errors"
	"os"
)

// Quarantine opens the repository anew, such that objects are written into a folder
// that remove deletes: nobody else sees them. Refs must not be moved there.
func (r *Repo) Quarantine(ctx context.Context) (q *Repo, remove func() error, err error) {
	dir, err := os.MkdirTemp("", "git-context-objects-")
	if err != nil {
		return nil, nil, err
	}
	others := r.objectDir
	if more := r.Getenv("GIT_ALTERNATE_OBJECT_DIRECTORIES"); more != "" {
		others += string(os.PathListSeparator) + more
	}
	env := append(r.env[:len(r.env):len(r.env)], "GIT_DIR="+r.gitDir, "GIT_OBJECT_DIRECTORY="+dir,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+others)
	if r.workTree != "" {
		env = append(env, "GIT_WORK_TREE="+r.workTree)
	}
	if q, err = Open(ctx, Options{Dir: r.gitDir, Env: env, Now: r.now, Trace: r.trace.w}); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return q, func() error { return errors.Join(q.Close(), os.RemoveAll(dir)) }, nil
}
