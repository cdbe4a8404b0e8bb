package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/settings"
)

func (w *world) register(c settings.Client, level settings.Level) settings.Change {
	w.t.Helper()
	change, err := settings.InstallServer(c, w.place, level)
	if err != nil {
		w.t.Fatal(err)
	}
	return change
}

func (w *world) unregister(c settings.Client, level settings.Level) []settings.Change {
	w.t.Helper()
	changes, err := settings.UninstallServer(c, w.place, level)
	if err != nil {
		w.t.Fatal(err)
	}
	return changes
}

func (w *world) server(c settings.Client) settings.State {
	return settings.ServerStatus(c, w.place, settings.Levels()...)[0]
}

// What did not exist is gone again. Only pi has no servers.
func TestNothingOfServersIsLeft(t *testing.T) {
	t.Parallel()
	for _, c := range settings.Clients() {
		if !c.HasServers() {
			if c.Name != "pi" {
				t.Errorf("%s has no servers", c.Name)
			}
			continue
		}
		for _, level := range settings.Levels() {
			w := newWorld(t)
			before := tree(t, w.root) + tree(t, w.home)
			if s := w.server(c); s.State != settings.Absent || s.Ours {
				t.Errorf("%s is %+v before", c.Name, s)
			}
			if did := w.register(c, level).Effect; did != settings.Installed {
				t.Errorf("%s: %s", c.Name, did)
			}
			installed := tree(t, w.root) + tree(t, w.home)
			if did := w.register(c, level).Effect; did != settings.Unchanged || tree(t, w.root)+tree(t, w.home) != installed {
				t.Errorf("a second install of %s: %s", c.Name, did)
			}
			if s := w.server(c); s.State != settings.StateInstalled || s.Level != level || s.Owner != c.Name || s.Reason != "" {
				t.Errorf("%s: %+v", c.Name, s)
			}
			if changes := w.unregister(c, level); len(changes) != 1 || changes[0].Effect != settings.Removed {
				t.Errorf("%s: %+v", c.Name, changes)
			}
			if after := tree(t, w.root) + tree(t, w.home); after != before {
				t.Errorf("%s left\n%s", c.Name, after)
			}
			if changes := w.unregister(c, level); len(changes) > 0 {
				t.Errorf("a second uninstall of %s: %+v", c.Name, changes)
			}
		}
	}
}

// The files are those that the clients themselves write and read.
func TestFilesOfServers(t *testing.T) {
	t.Parallel()
	for name, at := range map[string][3]string{ // of a project, of a user, and where a variable moves that
		"claude-code": {".mcp.json", ".claude.json", "CLAUDE_CONFIG_DIR=.claude.json"},
		"codex":       {".codex/config.toml", ".codex/config.toml", "CODEX_HOME=config.toml"},
		"copilot":     {".github/mcp.json", ".copilot/mcp-config.json", "COPILOT_HOME=mcp-config.json"},
		"cursor":      {".cursor/mcp.json", ".cursor/mcp.json", ""},
		"gemini":      {".gemini/settings.json", ".gemini/settings.json", "GEMINI_CLI_HOME=.gemini/settings.json"},
		"opencode":    {"opencode.json", ".config/opencode/opencode.json", "XDG_CONFIG_HOME=opencode/opencode.json"},
		"qwen":        {".qwen/settings.json", ".qwen/settings.json", "QWEN_HOME=settings.json"},
	} {
		w := newWorld(t)
		c := client(t, name)
		for level, want := range map[settings.Level]string{
			settings.Project: filepath.Join(w.root, filepath.FromSlash(at[0])), settings.User: filepath.Join(w.home, filepath.FromSlash(at[1])),
		} {
			if got := w.register(c, level).Path; got != want {
				t.Errorf("%s %s: %s", name, level, got)
			}
		}
		if variable, file, moves := strings.Cut(at[2], "="); moves {
			w.env[variable] = filepath.Join(w.home, "moved")
			if got, want := w.register(c, settings.User).Path, filepath.Join(w.home, "moved", filepath.FromSlash(file)); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
			if list := w.unregister(c, settings.User); len(list) != 1 {
				t.Errorf("%s: %+v", name, list)
			}
			if _, err := os.Stat(filepath.Join(w.home, "moved")); err != nil {
				t.Errorf("%s: the directory that the variable names: %v", name, err)
			}
		}
	}
}

// Of two files that a client reads the one that exists is edited.
func TestFileThatExists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := client(t, "opencode")
	commented := filepath.Join(w.root, "opencode.jsonc")
	w.write(commented, "{ // mine\n}\n", 0o644)
	if change := w.register(c, settings.Project); change.Path != commented {
		t.Errorf("%+v", change)
	}
	w.write(filepath.Join(w.root, "opencode.json"), "{}", 0o644)
	if change := w.register(c, settings.Project); change.Path != commented || change.Effect != settings.Unchanged {
		t.Errorf("again: %+v", change)
	}
	w.unregister(c, settings.Project)
	if text := w.read(commented); text != "{ // mine\n}\n" {
		t.Errorf("%q is left", text)
	}
}

// Another server of our name stays, and so does a file that cannot be edited.
func TestServersOfOthers(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"cursor": `{"mcpServers": {"git-context": {"url": "http://localhost:1"}}}`,
		"codex":  "[mcp_servers.git-context]\ncommand = \"other\"\n",
	} {
		w := newWorld(t)
		c := client(t, name)
		path := w.server(c).Path
		w.write(path, text, 0o600)
		if s := w.server(c); s.State != settings.Absent || s.Ours || !strings.Contains(s.Reason, "another server") {
			t.Errorf("%s: %+v", name, s)
		}
		if change := w.register(c, settings.Project); change.Effect != settings.Left || !strings.Contains(change.Note, "another server") {
			t.Errorf("%s: %+v", name, change)
		}
		if changes := w.unregister(c, settings.Project); len(changes) > 0 || w.read(path) != text {
			t.Errorf("%s: %+v, %s", name, changes, w.read(path))
		}
		w.write(path, "\x00"+text, 0o600)
		var refused *settings.Error
		if err := settings.CheckServer(c, w.place, settings.Project); !errors.As(err, &refused) || len(refused.Hints) != 1 {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := settings.InstallServer(c, w.place, settings.Project); err == nil || w.read(path) != "\x00"+text {
			t.Errorf("%s was installed into %q", name, w.read(path))
		}
		if s := w.server(c); s.State != settings.Unreadable {
			t.Errorf("%s: %+v", name, s)
		}
	}
	w := newWorld(t)
	if err := settings.CheckServer(client(t, "pi"), w.place, settings.Project); err == nil || len(settings.ServerStatus(client(t, "pi"), w.place)) > 0 {
		t.Errorf("pi: %v", err)
	}
	inline := filepath.Join(w.root, ".codex", "config.toml")
	w.write(inline, "mcp_servers = { m = { command = 'git-context-mcp' } }\n", 0o644)
	if list := w.unregister(client(t, "codex"), settings.Project); len(list) != 1 || list[0].Effect != settings.Left || list[0].Note == "" {
		t.Errorf("part of a value: %+v", list)
	}
}
