package git

import (
	"context"
	"fmt"
	"strings"
)

// worktreeFilters returns options and an environment for a command that reads files of the worktree. With them
// it runs no filter (gitattributes) that the configuration of the repository itself names: who downloads a
// repository does not choose these programs. Filters of the user's own configuration run as ever.
func (r *Repo) worktreeFilters(ctx context.Context) (options, env []string, err error) {
	cfg, err := r.Config(ctx)
	if err != nil || len(cfg.Subsections("filter")) == 0 {
		return nil, nil, err
	}
	out, err := r.Run(ctx, "config", "--list", "--show-scope", "-z")
	if err != nil {
		return nil, nil, err
	}
	own, ours, err := parseFilters(string(out))
	if err != nil {
		return nil, nil, err
	}
	for _, name := range own {
		for _, key := range filterKeys {
			value := ours[name+"."+key]
			if key == filterRequired && value == "" {
				value = "false" // else a filter without a command is an error
			}
			variable := fmt.Sprintf("GIT_CONTEXT_FILTER_%d", len(env))
			options = append(options, "--config-env="+name+"."+key+"="+variable)
			env = append(env, variable+"="+value)
		}
	}
	return options, env, nil
}

const filterRequired = "required"

// filterKeys say what git runs to read a file of the worktree.
var filterKeys = []string{"clean", "process", filterRequired}

// parseFilters reads `git config --list --show-scope -z`: the filters that the repository's own configuration
// has a part of, as "filter.NAME", and the values that the user gives, by their keys.
func parseFilters(list string) (own []string, ours map[string]string, err error) {
	fields := strings.Split(strings.TrimSuffix(list, "\x00"), "\x00")
	if len(fields)%2 != 0 {
		return nil, nil, fmt.Errorf("git config: cannot understand its list")
	}
	seen := map[string]bool{}
	ours = map[string]string{}
	for i := 0; i < len(fields); i += 2 {
		key, value, _ := strings.Cut(fields[i+1], "\n")
		name := key[:max(strings.LastIndexByte(key, '.'), 0)]
		if !strings.HasPrefix(name, "filter.") {
			continue
		}
		switch fields[i] {
		case "system", "global", "command":
			ours[key] = value
		default: // local, worktree
			if !seen[name] {
				seen[name] = true
				own = append(own, name)
			}
		}
	}
	return own, ours, nil
}

// readWorktree runs a command that reads the index and files of the worktree.
func (r *Repo) readWorktree(ctx context.Context, args ...string) ([]byte, error) {
	options, env, err := r.worktreeFilters(ctx)
	if err != nil {
		return nil, err
	}
	if file := r.Getenv("GIT_INDEX_FILE"); file != "" {
		env = append(env, "GIT_INDEX_FILE="+file)
	}
	return r.RunEnv(ctx, env, nil, append(options, args...)...)
}
