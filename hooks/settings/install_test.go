package settings_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/git-context/git-context/hooks/settings"
)

// world is a worktree and a home.
type world struct {
	t     *testing.T
	root  string
	home  string
	env   map[string]string
	place settings.Place
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, root: t.TempDir(), home: t.TempDir(), env: map[string]string{}}
	w.env["HOME"], w.env["USERPROFILE"] = w.home, w.home
	w.place = settings.Place{Root: w.root, Getenv: func(key string) string { return w.env[key] }}
	return w
}

func (w *world) write(path, text string, mode fs.FileMode) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(path string) string {
	w.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

func (w *world) install(c settings.Client, level settings.Level) settings.Change {
	w.t.Helper()
	change, err := settings.Install(c, w.place, level)
	if err != nil {
		w.t.Fatal(err)
	}
	return change
}

func (w *world) uninstall(c settings.Client, level settings.Level) []settings.Change {
	w.t.Helper()
	changes, err := settings.Uninstall(c, w.place, level)
	if err != nil {
		w.t.Fatal(err)
	}
	return changes
}

func (w *world) state(c settings.Client) settings.State {
	return settings.Status(c, w.place, settings.Levels()...)[0]
}

func client(t *testing.T, name string) settings.Client {
	t.Helper()
	c, ok := settings.Find(name)
	if !ok {
		t.Fatalf("no client '%s'", name)
	}
	return c
}

// tree lists all files and directories with what is in them.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		b.WriteString(path + " " + e.Type().String())
		if e.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.WriteString(" " + string(data))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What did not exist is gone again, with the directories that were made for it.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	for _, c := range settings.Clients() {
		for _, level := range settings.Levels() {
			w := newWorld(t)
			before := tree(t, w.root) + tree(t, w.home)
			if s := w.state(c); s.State != settings.Absent {
				t.Errorf("%s is %s before", c.Name, s.State)
			}
			if did := w.install(c, level).Effect; did != settings.Installed {
				t.Errorf("%s: %s", c.Name, did)
			}
			installed := tree(t, w.root) + tree(t, w.home)
			if did := w.install(c, level).Effect; did != settings.Unchanged || tree(t, w.root)+tree(t, w.home) != installed {
				t.Errorf("a second install of %s: %s", c.Name, did)
			}
			if s := w.state(c); s.State != settings.StateInstalled || s.Level != level || (s.Reason != "") != (c.Trust != "") {
				t.Errorf("%s: %+v", c.Name, s)
			}
			if changes := w.uninstall(c, level); len(changes) != 1 || changes[0].Effect != settings.Removed {
				t.Errorf("%s: %+v", c.Name, changes)
			}
			if after := tree(t, w.root) + tree(t, w.home); after != before {
				t.Errorf("%s left\n%s", c.Name, after)
			}
			if changes := w.uninstall(c, level); len(changes) > 0 {
				t.Errorf("a second uninstall of %s: %+v", c.Name, changes)
			}
		}
	}
}

// The environment moves the user's files; the directory that it names is never removed.
func TestEnvironmentMovesFiles(t *testing.T) {
	t.Parallel()
	for name, at := range map[string][2]string{
		"claude-code": {"CLAUDE_CONFIG_DIR", "settings.json"}, "codex": {"CODEX_HOME", "hooks.json"},
		"gemini": {"GEMINI_CLI_HOME", ".gemini/settings.json"}, "copilot": {"COPILOT_HOME", "hooks/git-context.json"},
		"opencode": {"XDG_CONFIG_HOME", "opencode/plugins/git-context.js"}, "pi": {"PI_CODING_AGENT_DIR", "extensions/git-context.ts"},
		"qwen": {"QWEN_HOME", "settings.json"},
	} {
		w := newWorld(t)
		w.env[at[0]] = filepath.Join(w.home, "moved")
		if err := os.Mkdir(w.env[at[0]], 0o777); err != nil {
			t.Fatal(err)
		}
		before := tree(t, w.home)
		c := client(t, name)
		if got, want := w.install(c, settings.User).Path, filepath.Join(w.env[at[0]], filepath.FromSlash(at[1])); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		w.uninstall(c, settings.User)
		if after := tree(t, w.home); after != before {
			t.Errorf("%s left\n%s", name, after)
		}
	}
}

// A mode stays, and so does a symbolic link.
func TestModeAndLinkStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := client(t, "claude-code")
	real, link := filepath.Join(w.home, "dotfiles", "claude.json"), filepath.Join(w.root, ".claude", "settings.json")
	w.write(real, "{}\n", 0o640)
	if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("*** SKIPPED: no symbolic links: ", err, " ***")
	}
	w.install(c, settings.Project)
	info, err := os.Stat(real)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o640 || !strings.Contains(w.read(real), "git-context hook claude-code Stop") {
		t.Errorf("%v: %s", info.Mode(), w.read(real))
	}
	if to, err := os.Readlink(link); err != nil || to != real {
		t.Errorf("the link leads to '%s', %v", to, err)
	}
	w.uninstall(c, settings.Project)
	if text := w.read(real); text != "{}\n" {
		t.Errorf("uninstall left %q", text)
	}
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	if _, err := settings.Install(c, w.place, settings.Project); err == nil || !strings.Contains(err.Error(), "cannot be followed") {
		t.Errorf("a link to nothing: %v", err)
	}
}

// A client reads both levels, so that one of them is enough.
func TestOneLevel(t *testing.T) {
	t.Parallel()
	for _, c := range settings.Clients() {
		w := newWorld(t)
		w.install(c, settings.User)
		_, err := settings.Install(c, w.place, settings.Project)
		var refused *settings.Error
		if !errors.As(err, &refused) || len(refused.Hints) != 1 || refused.Hints[0] != "git context hooks uninstall "+c.Name+" --user" {
			t.Errorf("%s: %v", c.Name, err)
		}
		if list, err := os.ReadDir(w.root); err != nil || len(list) > 0 {
			t.Errorf("%s: something was written: %v, %v", c.Name, list, err)
		}
	}
}

func TestLocalAndOtherFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := client(t, "claude-code")
	local := filepath.Join(w.root, ".claude", "settings.local.json")
	w.write(local, `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "git-context hook claude-code Stop"}]}]}}`, 0o644)
	if s := w.state(c); s.State != settings.Partial || s.Path != local {
		t.Errorf("%+v", s)
	}
	if _, err := settings.Install(c, w.place, settings.User); err == nil {
		t.Error("installed beside it")
	}
	w.uninstall(c, settings.Project)
	if _, err := os.Stat(local); err == nil {
		t.Errorf("it is still there: %s", w.read(local))
	}

	codex := client(t, "codex")
	toml := filepath.Join(w.home, ".codex", "config.toml")
	w.write(toml, "[[hooks.Stop]]\ncommand = \"git-context hook codex Stop\"\n", 0o644)
	var refused *settings.Error
	if _, err := settings.Install(codex, w.place, settings.Project); !errors.As(err, &refused) || !strings.Contains(refused.Hints[0], "remove the lines") {
		t.Errorf("installed beside TOML: %v", err)
	}
	if changes := w.uninstall(codex, settings.User); len(changes) != 1 || changes[0].Effect != settings.Left {
		t.Errorf("%+v", changes)
	}
}

// Where the home directory is the worktree both levels have the same file.
func TestHomeIsWorktree(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude-code", "codex", "cursor", "gemini"} {
		w := newWorld(t)
		w.place.Root = w.home
		c := client(t, name)
		w.install(c, settings.User)
		if change := w.install(c, settings.Project); change.Effect != settings.Unchanged {
			t.Errorf("%+v", change)
		}
		if list := settings.Status(c, w.place, settings.Levels()...); len(list) != 1 || list[0].State != settings.StateInstalled {
			t.Errorf("%+v", list)
		}
	}
}

// Another program's file that cannot be read does not stop an install.
func TestBrokenFileElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(filepath.Join(w.home, ".claude", "settings.json"), "{", 0o644)
	w.install(client(t, "claude-code"), settings.Project)
}

func TestStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := client(t, "claude-code")
	project, user := filepath.Join(w.root, ".claude", "settings.json"), filepath.Join(w.home, ".claude", "settings.json")
	w.install(c, settings.User)
	w.write(project, w.read(user), 0o644)
	list := settings.Status(c, w.place, settings.Levels()...)
	if len(list) != 2 || list[0].State != settings.Duplicate || !strings.Contains(list[1].Reason, project) {
		t.Errorf("two levels: %+v", list)
	}
	w.write(project, `{"disableAllHooks": true}`, 0o644)
	if s := w.state(c); s.State != settings.StateInstalled || !strings.Contains(s.Reason, "disableAllHooks in '"+project) {
		t.Errorf("turned off: %+v", s)
	}
	w.write(user, `{"hooks": {"Stop": [`, 0o644)
	w.write(project, `{}`, 0o644)
	if s := w.state(c); s.State != settings.Absent {
		t.Errorf("somebody else's broken file: %+v", s)
	}
	w.write(user, `{"hooks": {"Stop": [{"command": "git-context hook claude-code Stop"`, 0o644)
	if s := w.state(c); s.State != settings.Unreadable || s.Path != user {
		t.Errorf("our broken file: %+v", s)
	}
}

// A plugin that a person edited, and one of another person, stay.
func TestPlugins(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"opencode", "pi"} {
		w := newWorld(t)
		c := client(t, name)
		path := w.install(c, settings.Project).Path
		text := w.read(path)
		w.write(path, strings.ReplaceAll(text, "\n", "\r\n"), 0o644)
		if s := w.state(c); s.State != settings.StateInstalled || s.Reason == "it was edited" {
			t.Errorf("%s with other line ends: %+v", name, s)
		}
		w.write(path, text+"// mine\n", 0o644)
		if s := w.state(c); s.State != settings.StateInstalled || s.Reason != "it was edited" {
			t.Errorf("an edited %s: %+v", name, s)
		}
		if change := w.install(c, settings.Project); change.Effect != settings.Left {
			t.Errorf("%s over an edited one: %+v", name, change)
		}
		if changes := w.uninstall(c, settings.Project); len(changes) != 1 || changes[0].Effect != settings.Left || w.read(path) != text+"// mine\n" {
			t.Errorf("an edited %s: %+v", name, changes)
		}
		w.write(path, "export const Mine = 1\n", 0o644)
		if _, err := settings.Install(c, w.place, settings.Project); err == nil {
			t.Errorf("%s over another's", name)
		}
		if changes := w.uninstall(c, settings.Project); len(changes) > 0 {
			t.Errorf("another's %s: %+v", name, changes)
		}
	}
}

// Any number of installs and uninstalls at once leave whole files, and nothing else.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := client(t, "claude-code")
	path := filepath.Join(w.root, ".claude", "settings.json")
	run := func(each func(i int) error) {
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				if err := each(i); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	install := func(int) error { _, err := settings.Install(c, w.place, settings.Project); return err }
	uninstall := func(int) error { _, err := settings.Uninstall(c, w.place, settings.Project); return err }
	run(install)
	if s := w.state(c); s.State != settings.StateInstalled {
		t.Errorf("%+v", s)
	}
	run(func(i int) error { return []func(int) error{install, uninstall}[i%2](i) })
	run(uninstall)
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something is left: %s", tree(t, w.root))
	}
}
