package git

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// Oldest git that is supported.
const (
	wantMajor = 2
	wantMinor = 39
)

// installation is the git that children run.
type installation struct {
	path         string
	systemConfig string // the file of system-wide configuration, empty if unknown
}

// installationFile, in local state, remembers that an installation was checked:
// the question would cost every command a process. One file per path, because
// `git context` finds another path to git than `git-context` does.
func installationFile(path string) string {
	h := fnv.New64a()
	io.WriteString(h, path)
	return "cache/git." + strconv.FormatUint(h.Sum64(), 36)
}

const installationMagic = "git-context installation 1"

// gitPath returns the path of a git that is new enough, or ErrOldGit.
func (r *Repo) gitPath(ctx context.Context) (string, error) {
	g, err := r.installed(ctx)
	if err != nil {
		return "", err
	}
	return g.path, nil
}

// installed checks git once.
func (r *Repo) installed(ctx context.Context) (*installation, error) {
	r.gitMu.Lock()
	defer r.gitMu.Unlock()
	if r.git != nil {
		return r.git, nil
	}
	path, err := findGit(r.env)
	if err != nil {
		return nil, err
	}
	stamp, err := disk.StampOf(path)
	if err != nil {
		return nil, fmt.Errorf("cannot run git: %w", err)
	}
	key := []string{installationMagic, path, stamp.String()}
	g, ok := r.rememberedGit(key)
	if !ok {
		if g, err = r.examineGit(ctx, path); err != nil {
			return nil, err
		}
		// Only to save the next command a process: failing is no error.
		_ = r.cacheState(installationFile(path), []byte(strings.Join(append(key, g.systemConfig), "\x00")))
	}
	r.git = g
	return g, nil
}

// rememberedGit reads what examineGit found earlier about the same file.
func (r *Repo) rememberedGit(key []string) (*installation, bool) {
	data, err := ReadCacheFile(r.statePath(installationFile(key[1])))
	if err != nil {
		return nil, false
	}
	fields := strings.Split(string(data), "\x00")
	if len(fields) != len(key)+1 {
		return nil, false
	}
	for i := range key {
		if fields[i] != key[i] {
			return nil, false
		}
	}
	return &installation{path: key[1], systemConfig: fields[len(key)]}, true
}

// examineGit asks git for its version, and where its system-wide configuration
// would be: compiled in, and listed nowhere while the file does not exist.
func (r *Repo) examineGit(ctx context.Context, path string) (*installation, error) {
	version, err := r.version(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := checkVersion(path, version); err != nil {
		return nil, err
	}
	g := &installation{path: path}
	env := append(without(r.childEnv, "GIT_CONFIG_SYSTEM"), "GIT_EDITOR=echo")
	out, err := r.spawn(ctx, command{path: path, dir: r.gitDir, env: env, args: []string{"config", "--system", "--edit"}})
	name := strings.TrimRight(string(out), "\r\n")
	if err == nil && filepath.IsAbs(name) && !strings.ContainsAny(name, "\n\x00") {
		g.systemConfig = name
	}
	return g, nil
}

// version returns what follows "git version".
func (r *Repo) version(ctx context.Context, path string) (string, error) {
	out, err := r.spawn(ctx, command{path: path, env: r.env, args: []string{"version"}})
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "git version "), nil
}

// checkVersion returns ErrOldGit for a version below the oldest supported.
func checkVersion(path, version string) error {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) >= 2 {
		major, err1 := strconv.Atoi(parts[0])
		minor, err2 := strconv.Atoi(parts[1])
		if err1 == nil && err2 == nil && (major > wantMajor || major == wantMajor && minor >= wantMinor) {
			return nil
		}
	}
	return fmt.Errorf("%w: '%s' is version '%s'", ErrOldGit, path, version)
}

// Version returns the version of the git that a repository opened with env would run, as
// "2.39.5". It needs no repository and costs one child.
func Version(ctx context.Context, env []string) (string, error) {
	path, err := findGit(env)
	if err != nil {
		return "", err
	}
	r := &Repo{env: env, trace: &tracer{}}
	return r.version(ctx, path)
}
