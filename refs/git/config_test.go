package git

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// count counts the children whose arguments contain text.
func count(trace *strings.Builder, text string) int {
	n := strings.Count(trace.String(), text)
	trace.Reset()
	return n
}

// age makes files old enough for their stamps to be trusted.
func (s *sandbox) age(names ...string) {
	s.T.Helper()
	s.ageBy(time.Hour, names...)
}

func (s *sandbox) ageBy(age time.Duration, names ...string) {
	s.T.Helper()
	old := time.Now().Add(-age)
	for _, name := range names {
		must(s.T, os.Chtimes(s.Path(name), old, old.Add(time.Duration(len(name)))))
	}
}

func TestConfigValues(t *testing.T) {
	s, r := newRepo(t)
	s.Write("home/.gitconfig", `[a]
	bare
	empty =
	t = yes
	f = off
	n = 3k
	neg = -2
	bad = x
	multi = 1
	multi = 2
	lines = "a\nb"
	huge = 99999999999g
[Remote "Origin.X"]
	URL = u
[remote "second"]
	url = v
[remote]
	pushDefault = second
`)
	c := ok(r.Config(t.Context()))(t)
	for key, want := range map[string]bool{"a.bare": true, "a.empty": false, "a.t": true, "A.F": false, "a.n": true, "a.none": true} {
		if got, err := c.Bool(key, true); err != nil || got != want {
			t.Errorf("Bool(%s) = %v, %v", key, got, err)
		}
	}
	for key, want := range map[string]int{"a.n": 3072, "a.neg": -2, "a.none": 7} {
		if got, err := c.Int(key, 7); err != nil || got != want {
			t.Errorf("Int(%s) = %v, %v", key, got, err)
		}
	}
	for _, key := range []string{"a.bad", "a.huge", "a.empty"} {
		if _, err := c.Int(key, 0); err == nil || !strings.Contains(err.Error(), "'"+key+"'") {
			t.Errorf("Int(%s): %v", key, err)
		}
	}
	if _, err := c.Bool("a.bad", true); err == nil {
		t.Error("Bool(a.bad): no error")
	}
	if v, found := c.String("REMOTE.Origin.X.url"); v != "u" || !found {
		t.Errorf("String = %q, %v", v, found)
	}
	if _, found := c.String("remote.origin.x.url"); found {
		t.Error("subsections have their case")
	}
	if v, _ := c.String("a.lines"); v != "a\nb" {
		t.Errorf("a value of two lines: %q", v)
	}
	if diff := cmp.Diff([]string{"1", "2"}, c.All("a.multi")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Origin.X", "second"}, c.Subsections("remote")); diff != "" {
		t.Error(diff)
	}
}

func TestConfigCache(t *testing.T) {
	s, r := newRepo(t)
	var trace strings.Builder
	read := func(env ...string) *Config {
		t.Helper()
		r := ok(Open(t.Context(), Options{Dir: s.Path("r"), Env: append(slices.Clone(s.Env), env...), Trace: &trace}))(t)
		return ok(r.Config(t.Context()))(t)
	}
	want := func(what, key, value string, children int) {
		t.Helper()
		got, _ := read().String(key)
		if n := count(&trace, "--list"); got != value || n != children {
			t.Errorf("%s: %s = %q with %d children; want %q with %d", what, key, got, n, value, children)
		}
	}
	s.Git("r", "config", "x.y", "1")
	s.ageBy(-time.Minute, "r/.git/config") // young, however long the next two take
	want("too young to be trusted", "x.y", "1", 1)
	want("still too young", "x.y", "1", 1)
	s.age("r/.git/config", "home/.gitconfig")
	want("first", "x.y", "1", 1)
	want("second", "x.y", "1", 0)
	if c, found := r.CachedConfig(); !found {
		t.Error("CachedConfig finds nothing")
	} else if v, _ := c.String("x.y"); v != "1" {
		t.Errorf("CachedConfig: x.y = %q", v)
	}
	s.Git("r", "config", "x.y", "2")
	want("the repository's file changed", "x.y", "2", 1)
	s.age("r/.git/config")
	want("and is cached again", "x.y", "2", 1)
	want("and is cached again", "x.y", "2", 0)
	s.Write("home/.config/git/config", "[z]\nz = 1\n")
	want("a file that was absent", "z.z", "1", 1)
	s.age("home/.config/git/config")
	want("a file that was absent", "z.z", "1", 1)
	want("a file that was absent", "z.z", "1", 0)

	for _, env := range [][]string{
		{"HOME=" + s.Path("other")},
		{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=z.z", "GIT_CONFIG_VALUE_0=env"},
		{"GIT_CONFIG_PARAMETERS='z.z'='env'"},
		{"GIT_CONFIG_GLOBAL=" + s.Path("r/.git/config")},
		{"XDG_CONFIG_HOME=" + s.Path("other")},
	} {
		v, _ := read(env...).String("z.z")
		if n := count(&trace, "--list"); n != 1 || v == "1" {
			t.Errorf("%v: z.z = %q with %d children", env, v, n)
		}
	}
	// GIT_CONFIG is obeyed by `git config` alone: we follow the other commands.
	if v, _ := read("GIT_CONFIG=" + s.Path("home/.gitconfig")).String("x.y"); v != "2" {
		t.Errorf("GIT_CONFIG: x.y = %q", v)
	}
	trace.Reset()

	s.Write("inc", "[i]\nx = 1\n")
	s.Git("r", "config", "include.path", s.Path("inc"))
	s.age("r/.git/config", "inc")
	want("an include", "i.x", "1", 1)
	want("an include", "i.x", "1", 1)
	s.Write("inc", "[i]\nx = 2\n")
	want("an include", "i.x", "2", 1)
}

func TestConfigCacheIsPrivateAndOptional(t *testing.T) {
	s, r := newRepo(t)
	s.Git("r", "config", "core.sharedRepository", "all")
	s.age("r/.git/config", "home/.gitconfig")
	_ = ok(r.Config(t.Context()))(t)
	info := ok(os.Stat(r.statePath(r.configCacheName())))(t)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v: configuration may hold credentials", info.Mode())
	}
	r.InvalidateConfig()
	if _, found := r.CachedConfig(); found {
		t.Error("still there after InvalidateConfig")
	}
	for _, rubbish := range []string{"", configMagic, configMagic + "\x00-1\x00", configMagic + "\x001000000000\x00", configMagic + "\x002\x00a\x00-\x00"} {
		must(t, os.WriteFile(r.statePath(r.configCacheName()), []byte(rubbish), 0o600))
		if c, found := r.CachedConfig(); found {
			t.Errorf("%q: %v", rubbish, c)
		}
		r.config.Store(nil)
		_ = ok(r.Config(t.Context()))(t)
	}
	// Without memory nothing is left in the repository.
	s.Git("", "init", "-q", "fresh")
	s.age("fresh/.git/config")
	fresh := s.open("fresh")
	_ = ok(fresh.Config(t.Context()))(t)
	if _, err := os.Stat(fresh.StateDir()); !os.IsNotExist(err) {
		t.Error("a cache made the state directory")
	}
}

func TestVersionIsAskedOnce(t *testing.T) {
	s, _ := newRepo(t)
	for i, want := range []int{1, 0} {
		var trace strings.Builder
		r := ok(Open(t.Context(), Options{Dir: s.Path("r"), Env: s.Env, Trace: &trace}))(t)
		_ = ok(r.Run(t.Context(), "version", "--build-options"))(t)
		if n := count(&trace, "git version\n"); n != want {
			t.Errorf("process %d asked %d times", i, n)
		}
	}
}

func TestCommitter(t *testing.T) {
	s, _ := newRepo(t)
	s.Env = s.Env[:3] // without GIT_COMMITTER_*
	who := func(env ...string) (Identity, error) { return s.open("r", env...).Committer(t.Context()) }
	if _, err := who("EMAIL="); err == nil && os.Geteuid() != 0 {
		t.Log("git made an identity up")
	}
	s.Git("r", "config", "user.useConfigOnly", "true")
	_, err := who()
	if err == nil || !strings.Contains(err.Error(), "committer is unknown") {
		t.Errorf("without identity: %v", err)
	}
	for _, step := range []struct{ key, value, env string }{
		{"user.name", "  User, ", ""}, {"", "", "EMAIL=e@example.com"}, {"user.email", "u@example.com", ""},
		{"committer.name", "Commit <ter>", ""}, {"committer.email", "c@example.com", ""},
		{"", "", "GIT_COMMITTER_NAME=Env \"Name\""}, {"", "", "GIT_COMMITTER_EMAIL=env@example.com"},
	} {
		if step.key != "" {
			s.Git("r", "config", step.key, step.value)
		}
		if step.env != "" {
			s.Env = append(s.Env, step.env)
		}
		want, gitErr := s.Try("r", "var", "GIT_COMMITTER_IDENT")
		got, err := who()
		if (err != nil) != (gitErr != nil) {
			t.Errorf("%v: %v, git: %v", step, err, gitErr)
		} else if err == nil && !strings.HasPrefix(want, got.Name+" <"+got.Email+"> ") {
			t.Errorf("%v: %+v, git: %s", step, got, want)
		}
	}
}

func TestCommitterDate(t *testing.T) {
	s, _ := newRepo(t)
	if _, set, err := s.open("r").CommitterDate(); set || err != nil {
		t.Errorf("unset: %v, %v", set, err)
	}
	for _, value := range []string{
		"@1700000000 +0530", "1700000000 -0800", "@0 +0000", "@1 +0100", "2026-11-21T01:37:05Z", "2026-11-21T01:37:05+02:00",
		"2026-11-21T01:37:05.75Z", "Sat, 21 Nov 2026 01:37:05 +0100", "2026-11-21 01:37:05 -0100", "2026-11-21 01:37:05",
		"Sat Nov 21 01:37:05 2026 +0100", "21.11.2026 01:37:05 +0000", "20261121T013705Z", "rubbish", "@x", "1969-01-01T00:00:00Z",
	} {
		s.Env = append(s.Env, "GIT_COMMITTER_DATE="+value)
		want, gitErr := s.Try("r", "var", "GIT_COMMITTER_IDENT")
		got, set, err := s.open("r").CommitterDate()
		if (err != nil) != (gitErr != nil) || !set {
			t.Errorf("%s: %v, %v; git: %v", value, set, err, gitErr)
		} else if when := fmt.Sprintf("> %d %s", got.Unix(), got.Format("-0700")); err == nil && !strings.HasSuffix(want, when) {
			t.Errorf("%s: %v; git: %s", value, got, want)
		}
	}
}
