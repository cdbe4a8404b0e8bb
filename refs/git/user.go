package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// User is the configuration of the user, which git reads in every repository and outside of any: the
// files of the system and of the user, and the environment. The file of a repository is not read: somebody
// else may have written it.
type User struct {
	path string // of git
	r    *Repo  // of no repository: only its environment is used
}

// OpenUser finds git. Of the options it uses the environment and the trace.
func OpenUser(o Options) (*User, error) {
	env := o.Env
	if env == nil {
		env = os.Environ()
	}
	path, err := findGit(env)
	if err != nil {
		return nil, err
	}
	// git finds no repository, and so reads no configuration of one.
	env = append(Elsewhere(env), "GIT_DIR="+os.DevNull, "LC_ALL=C")
	return &User{path: path, r: &Repo{env: env, trace: &tracer{w: o.Trace}}}, nil
}

// UserPath is one value of a setting that contains paths.
type UserPath struct {
	Value string // as it was written
	Path  string // as git reads it: "~/" is the user's home
}

// Paths returns the values of a setting that contains paths, in git's order.
func (u *User) Paths(ctx context.Context, key string) ([]UserPath, error) {
	read, err := u.values(ctx, "--type=path", "--get-all", key)
	if err != nil || len(read) == 0 {
		return nil, err
	}
	written, err := u.values(ctx, "--get-all", key)
	if err != nil {
		return nil, err
	}
	if len(written) != len(read) { // git left out what it reads as optional
		written = read
	}
	paths := make([]UserPath, len(read))
	for i := range read {
		paths[i] = UserPath{written[i], read[i]}
	}
	return paths, nil
}

func (u *User) values(ctx context.Context, args ...string) ([]string, error) {
	out, err := u.config(ctx, append([]string{"-z"}, args...)...)
	if ExitCode(err) == 1 && len(out) == 0 { // git-config(1): it is not set
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// Section returns the settings whose keys begin with a prefix, in lower case, each with the value that counts.
func (u *User) Section(ctx context.Context, prefix string) (map[string]string, error) {
	lines, err := u.values(ctx, "--get-regexp", "^"+regexp.QuoteMeta(prefix))
	settings := make(map[string]string, len(lines))
	for _, line := range lines {
		key, value, _ := strings.Cut(line, "\n")
		settings[key] = value
	}
	return settings, err
}

// Add adds a value to the user's own file.
func (u *User) Add(ctx context.Context, key, value string) error {
	_, err := u.config(ctx, "--global", "--add", key, value)
	return err
}

// Remove removes a value from the user's own file, wherever it occurs. It reports false where it does not.
func (u *User) Remove(ctx context.Context, key, value string) (bool, error) {
	_, err := u.config(ctx, "--global", "--fixed-value", "--unset-all", key, value)
	if ExitCode(err) == 5 { // git-config(1): it does not exist
		return false, nil
	}
	return err == nil, err
}

func (u *User) config(ctx context.Context, args ...string) ([]byte, error) {
	out, err := u.r.spawn(ctx, command{path: u.path, env: u.r.env, args: append([]string{"config"}, args...)})
	var failed *Error
	if errors.As(err, &failed) && failed.Code < 0 {
		return nil, fmt.Errorf("cannot read the user's configuration: %w", err)
	}
	return out, err
}

// Elsewhere is an environment for another repository than the one that its variables name: without those
// that `git rev-parse --local-env-vars` lists, but for settings of the command line.
func Elsewhere(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		switch key, _, _ := strings.Cut(e, "="); key {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY",
			"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_IMPLICIT_WORK_TREE", "GIT_CONFIG", "GIT_GRAFT_FILE",
			"GIT_SHALLOW_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_INTERNAL_SUPER_PREFIX":
			return true
		}
		return false
	})
}
