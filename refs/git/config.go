package git

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
)

// Config is the configuration that git sees in this repository, from all files
// and from the environment. It does not change; it is safe for concurrent use.
// Keys are spelled as git does, "section.key" or "section.subsection.key":
// sections and keys in any case, subsections exactly.
type Config struct {
	entries []configEntry
}

// configEntry is one variable, its key in git's canonical case.
type configEntry struct {
	key, value string
	bare       bool // a key without "=": true as a boolean, no value otherwise
}

// parseConfigList reads the output of `git config --list -z --show-origin`, and
// returns with it where the variables came from.
func parseConfigList(out string) (*Config, []string, error) {
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if out == "" {
		fields = nil
	}
	if len(fields)%2 != 0 {
		return nil, nil, errors.New("git config: cannot understand its list")
	}
	c := &Config{entries: make([]configEntry, 0, len(fields)/2)}
	var origins []string
	for i := 0; i < len(fields); i += 2 {
		if n := len(origins); n == 0 || origins[n-1] != fields[i] {
			origins = append(origins, fields[i])
		}
		key, value, ok := strings.Cut(fields[i+1], "\n")
		c.entries = append(c.entries, configEntry{key: key, value: value, bare: !ok})
	}
	return c, origins, nil
}

// canonical spells a key as git lists it.
func canonical(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

func (c *Config) last(key string) (configEntry, bool) {
	key = canonical(key)
	for i := len(c.entries) - 1; i >= 0; i-- {
		if c.entries[i].key == key {
			return c.entries[i], true
		}
	}
	return configEntry{}, false
}

// String returns the last value of a variable.
func (c *Config) String(key string) (string, bool) {
	e, ok := c.last(key)
	return e.value, ok
}

// All returns every value of a variable, weakest first.
func (c *Config) All(key string) []string {
	key = canonical(key)
	var values []string
	for _, e := range c.entries {
		if e.key == key {
			values = append(values, e.value)
		}
	}
	return values
}

// Subsections returns the subsections of a section in the order in which they
// first appear: Subsections("remote") gives the names of the remotes.
func (c *Config) Subsections(section string) []string {
	prefix := strings.ToLower(section) + "."
	var names []string
	seen := map[string]bool{}
	for _, e := range c.entries {
		rest, ok := strings.CutPrefix(e.key, prefix)
		if !ok {
			continue
		}
		if end := strings.LastIndexByte(rest, '.'); end >= 0 && !seen[rest[:end]] {
			seen[rest[:end]] = true
			names = append(names, rest[:end])
		}
	}
	return names
}

// Bool returns a variable as git reads booleans: true, yes, on, false, no, off,
// a number, an empty value (false), or a key without a value (true).
func (c *Config) Bool(key string, def bool) (bool, error) {
	e, ok := c.last(key)
	if !ok {
		return def, nil
	}
	if e.bare {
		return true, nil
	}
	b, err := parseBool(e.value)
	if err != nil {
		return def, fmt.Errorf("bad boolean value '%s' for '%s'", Shown(e.value), key)
	}
	return b, nil
}

// Int returns a variable as git reads numbers: with an optional k, m or g for
// 1024, 1024² or 1024³.
func (c *Config) Int(key string, def int) (int, error) {
	e, ok := c.last(key)
	if !ok {
		return def, nil
	}
	n, err := parseInt(e.value)
	if err != nil {
		return def, fmt.Errorf("bad numeric value '%s' for '%s'", Shown(e.value), key)
	}
	return n, nil
}

func parseBool(value string) (bool, error) {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true, nil
	case "false", "no", "off", "":
		return false, nil
	}
	n, err := parseInt(value)
	return n != 0, err
}

func parseInt(value string) (int, error) {
	unit := 1
	digits := strings.TrimLeft(value, " \t\n\r\v\f")
	if n := len(digits); n > 0 {
		switch digits[n-1] {
		case 'k', 'K':
			unit = 1 << 10
		case 'm', 'M':
			unit = 1 << 20
		case 'g', 'G':
			unit = 1 << 30
		}
		if unit > 1 {
			digits = digits[:n-1]
		}
	}
	n, err := strconv.ParseInt(digits, 0, 64)
	if err != nil {
		return 0, err
	}
	if n > int64(math.MaxInt/unit) || n < int64(math.MinInt/unit) {
		return 0, strconv.ErrRange
	}
	return int(n) * unit, nil
}

// PreciousObjects reports whether no object may be deleted, as other repositories may
// borrow it (extensions.preciousObjects).
func (c *Config) PreciousObjects() (bool, error) {
	return c.Bool("extensions.preciousobjects", false)
}

// Promisor reports whether git may fetch an object that is missing, because a remote promises objects: that of a partial
// clone, even while nothing from it is here. A setting that is off counts too.
func (c *Config) Promisor() bool {
	return slices.ContainsFunc(c.entries, func(e configEntry) bool {
		return e.key == "extensions.partialclone" || strings.HasPrefix(e.key, "remote.") &&
			(strings.HasSuffix(e.key, ".promisor") || strings.HasSuffix(e.key, ".partialclonefilter"))
	})
}

// The cache of the configuration is a file in local state, per user and
// worktree: fields that end in NUL, namely
//
//	magic
//	number of files
//	path, stamp           of each file that configuration may come from
//	the output of `git config --list -z --show-origin`
//
// It is valid while every file, absent ones included, still has its stamp. Files
// that another one includes are not listed, so a configuration with includes is
// never cached, nor one that the environment takes part in.
const configMagic = "git-context config 1"

// watched is a file the configuration may come from.
type watched struct {
	path  string
	stamp disk.Stamp
}

// Config returns the configuration. The first call may run `git config`; later
// ones return the same until InvalidateConfig.
func (r *Repo) Config(ctx context.Context) (*Config, error) {
	r.configMu.Lock()
	defer r.configMu.Unlock()
	if c := r.config.Load(); c != nil {
		return c, nil
	}
	g, err := r.installed(ctx)
	if err != nil {
		return nil, err
	}
	files, cacheable := r.configFiles(g)
	if cacheable {
		if c, ok := r.validConfig(files); ok {
			r.config.Store(c)
			return c, nil
		}
	}
	asked := time.Now() // the clock that files are stamped with, not the caller's
	out, err := r.Run(ctx, "config", "--list", "-z", "--show-origin")
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
	c, origins, err := parseConfigList(string(out))
	if err != nil {
		return nil, err
	}
	if cacheable && !c.includes() {
		r.keepConfig(files, origins, asked, out)
	}
	r.config.Store(c)
	return c, nil
}

// CachedConfig returns the configuration as it was cached last, without checking that the
// cache is valid: it starts no process and looks at no other file.
func (r *Repo) CachedConfig() (*Config, bool) {
	c, _, ok := r.readConfigCache()
	return c, ok
}

// InvalidateConfig forgets the configuration, after `git config` was run.
func (r *Repo) InvalidateConfig() {
	r.configMu.Lock()
	defer r.configMu.Unlock()
	r.config.Store(nil)
	// What was just written may have the stamp of what it replaced.
	_ = os.Remove(r.statePath(r.configCacheName()))
}

// configCacheName names the cache of this user and worktree.
func (r *Repo) configCacheName() string {
	name := "cache/config"
	if uid := os.Getuid(); uid >= 0 {
		name += "." + strconv.Itoa(uid)
	}
	if r.Linked() {
		name += "." + filepath.Base(r.gitDir)
	}
	return name
}

// configFiles lists every file that configuration may come from; false where they are not
// known.
func (r *Repo) configFiles(g *installation) ([]watched, bool) {
	for _, key := range []string{"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"} {
		if _, set := lookupEnv(r.env, key); set {
			return nil, false
		}
	}
	var files []watched
	add := func(path string) bool {
		s, err := disk.StampOf(path)
		files = append(files, watched{path, s})
		return err == nil && filepath.IsAbs(path)
	}
	system, set := lookupEnv(r.env, "GIT_CONFIG_SYSTEM")
	if !set {
		system = g.systemConfig
	}
	if skip, err := parseBool(r.Getenv("GIT_CONFIG_NOSYSTEM")); err != nil || !skip && !add(system) {
		return nil, false
	}
	for _, path := range r.userConfig() {
		if !add(path) {
			return nil, false
		}
	}
	return files, add(filepath.Join(r.commonDir, "config")) && add(filepath.Join(r.gitDir, "config.worktree"))
}

// userConfig lists the user's files.
func (r *Repo) userConfig() []string {
	if path, set := lookupEnv(r.env, "GIT_CONFIG_GLOBAL"); set {
		if path == "" {
			return nil
		}
		return []string{path}
	}
	home, xdg := r.Getenv("HOME"), r.Getenv("XDG_CONFIG_HOME")
	if home == "" && runtime.GOOS == "windows" {
		return []string{""} // git makes one up: not known, so not cached
	}
	var paths []string
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	if xdg != "" {
		paths = append(paths, filepath.Join(xdg, "git", "config"))
	}
	if home != "" {
		paths = append(paths, filepath.Join(home, ".gitconfig"))
	}
	return paths
}

// validConfig returns the cached configuration if every file is as it was.
func (r *Repo) validConfig(files []watched) (*Config, bool) {
	c, cached, ok := r.readConfigCache()
	if !ok || len(cached) < 2*len(files) {
		return nil, false
	}
	for i, f := range files {
		if cached[2*i] != f.path || cached[2*i+1] != f.stamp.String() {
			return nil, false
		}
	}
	for rest := cached[2*len(files):]; len(rest) > 0; rest = rest[2:] {
		if s, err := disk.StampOf(rest[0]); err != nil || s.String() != rest[1] {
			return nil, false
		}
	}
	return c, true
}

// readConfigCache returns the cached configuration with the paths and stamps it
// was made under.
func (r *Repo) readConfigCache() (*Config, []string, bool) {
	data, err := ReadCacheFile(r.statePath(r.configCacheName()))
	if err != nil {
		return nil, nil, false
	}
	rest, ok := strings.CutPrefix(string(data), configMagic+"\x00")
	if !ok {
		return nil, nil, false
	}
	number, rest, _ := strings.Cut(rest, "\x00")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > 100 {
		return nil, nil, false
	}
	files := make([]string, 2*n)
	for i := range files {
		if files[i], rest, ok = strings.Cut(rest, "\x00"); !ok {
			return nil, nil, false
		}
	}
	c, _, err := parseConfigList(rest)
	return c, files, err == nil
}

// keepConfig writes the cache, unless a file changed while git read it, or so
// lately that a later change might not show.
func (r *Repo) keepConfig(files []watched, origins []string, asked time.Time, out []byte) {
	for _, origin := range origins {
		path, ok := strings.CutPrefix(origin, "file:")
		if !ok || !filepath.IsAbs(path) {
			return // from the environment, or from a place that moves with us
		}
		known := slices.ContainsFunc(files, func(f watched) bool { return filepath.Clean(path) == filepath.Clean(f.path) })
		if known {
			continue
		}
		// A build of git may read more files than the manual lists.
		s, err := disk.StampOf(path)
		if err != nil {
			return
		}
		files = append(files, watched{path, s})
	}
	record := []string{configMagic, strconv.Itoa(len(files))}
	for _, f := range files {
		s, err := disk.StampOf(f.path)
		if err != nil || s != f.stamp || !s.Settled(asked) {
			return
		}
		record = append(record, f.path, s.String())
	}
	// Only to save the next command a process: failing is no error.
	_ = r.cacheState(r.configCacheName(), append([]byte(strings.Join(record, "\x00")+"\x00"), out...))
}

// includes reports whether files are included that the cache does not watch.
func (c *Config) includes() bool {
	return slices.ContainsFunc(c.entries, func(e configEntry) bool {
		return strings.HasPrefix(e.key, "include.") || strings.HasPrefix(e.key, "includeif.")
	})
}

// Setting is one line of a configuration file.
type Setting struct{ Key, Value string }

// LocalSettings returns the settings of the repository's own file, in its order.
func (r *Repo) LocalSettings(ctx context.Context) ([]Setting, error) {
	lines, err := zList(r.Run(ctx, "config", "--local", "--list", "-z"))
	if err != nil {
		return nil, err
	}
	list := make([]Setting, len(lines))
	for i, l := range lines {
		list[i].Key, list[i].Value, _ = strings.Cut(l, "\n")
	}
	return list, nil
}

// UnsetLocal removes a setting from the repository's own file; none of that value is no error.
func (r *Repo) UnsetLocal(ctx context.Context, s Setting) error {
	_, err := r.Run(ctx, "config", "--local", "--fixed-value", "--unset-all", s.Key, s.Value)
	var failed *Error
	if errors.As(err, &failed) && failed.Code == 5 { // git-config(1): it does not exist
		return nil
	}
	return err
}
