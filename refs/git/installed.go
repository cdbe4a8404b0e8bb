package git

import "context"

// Version is the version of the git that a repository opened with env would
// run, as "2.39.5", without a repository at hand. It costs one child.
func Version(ctx context.Context, env []string) (string, error) {
	path, err := findGit(env)
	if err != nil {
		return "", err
	}
	r := &Repo{env: env, trace: &tracer{}}
	return r.version(ctx, path)
}
