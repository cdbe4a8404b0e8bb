package git

import (
	"strings"

	"github.com/git-context/git-context/refs/git/process"
)

// lookupEnv returns the last value of key: that is the one a process sees.
func lookupEnv(env []string, key string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		e := env[i]
		if len(e) > len(key) && e[len(key)] == '=' && e[:len(key)] == key {
			return e[len(key)+1:], true
		}
	}
	return "", false
}

// dropped reports whether a variable must not reach our children: what a hook's
// environment says about the user's own operation, what would point git
// elsewhere, and what would change the meaning or the form of its answers.
// GIT_CONFIG is obeyed by `git config` alone, so two children would disagree.
func dropped(key string) bool {
	switch key {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX",
		"GIT_OBJECT_DIRECTORY", "GIT_IMPLICIT_WORK_TREE", "GIT_CONFIG",
		"GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER_IN_USE", "GIT_ATTR_SOURCE",
		"GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_NO_REPLACE_OBJECTS",
		"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
		"GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT", "LC_ALL", "LANGUAGE":
		return true
	}
	return strings.HasPrefix(key, "GIT_AUTHOR_") || strings.HasPrefix(key, "GIT_INTERNAL_")
}

// fixed is what every child gets.
var fixed = [...]string{
	"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_EDITOR=:",
}

// environment returns the environment of children: they see the repository that
// was found, wherever they run.
func (r *Repo) environment(start string) []string {
	env := make([]string, 0, len(r.env)+12)
	for _, e := range r.env {
		if key, _, _ := strings.Cut(e, "="); !dropped(key) {
			env = append(env, e)
		}
	}
	env = append(env, fixed[:]...)
	env = append(env, "GIT_DIR="+r.gitDir)
	if r.Getenv("GIT_COMMON_DIR") != "" {
		env = append(env, "GIT_COMMON_DIR="+r.commonDir)
	}
	if r.Getenv("GIT_OBJECT_DIRECTORY") != "" {
		env = append(env, "GIT_OBJECT_DIRECTORY="+r.objectDir)
	}
	if r.workTree == "" {
		// Without this, GIT_DIR alone makes the current directory a worktree.
		return append(env, "GIT_IMPLICIT_WORK_TREE=0")
	}
	return append(env, "GIT_WORK_TREE="+r.workTree)
}

// without returns env without the variables of that name.
func without(env []string, key string) []string {
	kept := make([]string, 0, len(env)+1)
	for _, e := range env {
		if k, _, _ := strings.Cut(e, "="); k != key {
			kept = append(kept, e)
		}
	}
	return kept
}

// findGit looks git up in the PATH of env.
func findGit(env []string) (string, error) {
	path, _ := lookupEnv(env, "PATH")
	return process.Find("git", path)
}
