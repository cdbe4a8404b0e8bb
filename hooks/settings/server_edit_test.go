package settings

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

// fatal is what tests and properties have in common.
type fatal interface{ Fatalf(string, ...any) }

func mustText(t fatal, what string, out []byte, err error) string {
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return string(out)
}

func serverClients() (all []Client) {
	for _, c := range Clients() {
		if c.HasServers() {
			all = append(all, c)
		}
	}
	return all
}

func named(c Client, text string) file {
	return file{path: c.server.project[0], exists: true, data: []byte(text)}
}

func (c Client) mustRegister(t fatal, text string) string {
	out, err := c.register(named(c, text))
	return mustText(t, "register in "+text, out, err)
}

func (c Client) mustUnregister(t fatal, text string) (string, bool) {
	out, err := c.unregister(named(c, text))
	return mustText(t, "unregister from "+text, out, err), out == nil
}

func (c Client) mustRead(t fatal, text string) registry {
	r, err := c.registryOf(named(c, text))
	mustText(t, "read "+text, nil, err)
	return r
}

// drawServers draws a file with servers of others.
func drawServers(t *rapid.T, c Client) string {
	if isTOML(c.server.project[0]) {
		return drawTOML(t)
	}
	w := writer{
		t: t, newline: rapid.SampledFrom([]string{"", "\n", "\r\n"}).Draw(t, "newline"),
		unit: rapid.SampledFrom([]string{"  ", "\t", ""}).Draw(t, "unit"), comments: rapid.Bool().Draw(t, "comments"),
	}
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{c.server.member, "hooks", "$schema", "z"}), 0, 4, rapid.ID).Draw(t, "members")
	root := w.object(keys, "", func(key, indent string) string {
		switch key {
		case c.server.member:
			names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"other", "a b", "git"}), 0, 3, rapid.ID).Draw(t, "servers")
			return w.object(names, indent, func(_, indent string) string {
				return w.object([]string{"command", "args"}, indent, func(key, _ string) string {
					return map[string]string{"command": `"theirs"`, "args": `["mcp", "git-context"]`}[key]
				})
			})
		case "hooks":
			return w.hooks(c, indent)
		}
		return w.any(2, indent)
	})
	return root + rapid.SampledFrom([]string{"", w.newline, w.newline + w.newline}).Draw(t, "end")
}

// drawTOML draws a file of Codex: keys, and tables in any order.
func drawTOML(t *rapid.T) string {
	newline := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "newline")
	parts := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"[projects.\"/a # b\"]\ntrust_level = \"trusted\" # yes", "[mcp_servers.other]\ncommand = 'theirs'\nargs = [\n  \"mcp\", # one\n\n]",
		"[mcp_servers.\"a.b\"]\nurl = \"http://localhost\"", "[[hooks.Stop]]\ncommand = \"git-context hook codex Stop\"",
		"[history]\nt = 1979-05-27 07:32:00Z\nlong = \"\"\"\n[mcp_servers.git-context]\n# no\n\"\"\"", "# a comment [x]", "", "   ",
		"[mcp_servers.git-context-x]\ncommand = \"cat\"",
	}), 0, 6, rapid.ID).Draw(t, "tables")
	head := rapid.SampledFrom([]string{"", "model = \"x\"\n\n", "mcp_servers.dotted.command = \"theirs\"\n", "x = 1"}).Draw(t, "keys")
	if len(parts) > 0 && head == "x = 1" {
		head += "\n"
	}
	text := head + strings.Join(parts, "\n") + rapid.SampledFrom([]string{"", "\n", "\n\n"}).Draw(t, "end")
	return strings.ReplaceAll(text, "\n", newline)
}

// values returns what is in a file.
func values(t fatal, c Client, text string) map[string]any {
	all := map[string]any{}
	var err error
	if isTOML(c.server.project[0]) {
		err = toml.Unmarshal([]byte(text), &all)
	} else {
		var plain []byte
		if plain, err = hujson.Standardize([]byte(text)); err == nil {
			err = json.Unmarshal(plain, &all)
		}
	}
	if err != nil {
		t.Fatalf("it is broken: %v\n%s", err, text)
	}
	return all
}

// A file has our server besides what it had; a second install changes nothing; uninstall gives the same bytes back.
func TestUnregisterUndoesRegister(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(serverClients()).Draw(t, "client")
		before := drawServers(t, c)
		installed := c.mustRegister(t, before)
		if r := c.mustRead(t, installed); len(r.ours) != 1 || r.ours[0] != ServerName || r.taken {
			t.Fatalf("%+v in\n%s", r, installed)
		}
		if again := c.mustRegister(t, installed); again != installed {
			t.Fatalf("a second install makes of\n%s\nthis:\n%s", installed, again)
		}
		want, got := values(t, c, before), values(t, c, installed)
		servers, _ := got[c.server.member].(map[string]any)
		delete(servers, ServerName)
		if _, had := want[c.server.member]; !had && len(servers) == 0 {
			delete(got, c.server.member)
		}
		for _, m := range c.server.behind {
			if _, had := want[m.key]; !had {
				delete(got, m.key)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("something else changed: %s\n%q\n%q", diff, before, installed)
		}
		if after, gone := c.mustUnregister(t, installed); gone || after != before {
			t.Fatalf("%q\ninstalled\n%q\nremoved (the whole file: %v)\n%q", before, installed, gone, after)
		}
		if after, _ := c.mustUnregister(t, before); after != before {
			t.Fatalf("uninstall from\n%q\nwithout an install gives\n%q", before, after)
		}
	})
}

// Hooks and server may share a file: what came last goes first.
func TestServerBesideHooks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom([]Client{gemini(), qwen()}).Draw(t, "client")
		before := drawServers(t, c)
		text := before
		steps := []func(){
			func() { text = c.mustAdd(t, text) }, func() { text = c.mustRegister(t, text) },
			func() { text, _ = c.mustRemove(t, text) }, func() { text, _ = c.mustUnregister(t, text) },
		}
		first := rapid.IntRange(0, 1).Draw(t, "first in")
		for _, i := range []int{first, 1 - first, 3 - first, 2 + first} {
			steps[i]()
		}
		if text != before {
			t.Fatalf("%q\nbecame\n%q", before, text)
		}
	})
	for _, c := range []Client{gemini(), qwen()} {
		out, err := c.add(nil, false, "FILE")
		made := mustText(t, "add", out, err)
		if text, gone := c.mustRemove(t, c.mustRegister(t, made)); gone {
			t.Errorf("%s: hooks took the server away", c.Name)
		} else if _, gone := c.mustUnregister(t, text); !gone {
			t.Errorf("%s: a file is left of\n%s", c.Name, text)
		}
	}
}

// What Codex writes between, and what a person adds to our table or below it, is told apart.
func TestTOMLEdits(t *testing.T) {
	t.Parallel()
	c := codex()
	const head = "model = \"x\"\n"
	ours := strings.TrimPrefix(c.mustRegister(t, head), head)
	for name, c := range map[string]struct{ text, want string }{
		"a table below":                {head + ours + "\n[features]\na = true\n", head + "\n[features]\na = true\n"},
		"a table below without a line": {head + ours + "[features]\na = true", head + "[features]\na = true"},
		"keys and tables of ours": {head + ours + "startup_timeout_sec = 20\n\n# mine\n[mcp_servers.git-context.env]\nA = \"b\"\n\n# theirs\n[x]\n",
			head + "\n# theirs\n[x]\n"},
		"a table of ours apart":   {head + ours + "\n[x]\n\n[mcp_servers.git-context.env]\nA = \"b\"\n", head + "\n[x]\n\n"},
		"without the line above":  {head + "\n[mcp_servers.git-context]\ncommand = \"git\"\nargs = [\"context\", \"mcp\"]\n\n[x]\n", head + "\n\n[x]\n"},
		"another name, and order": {"[mcp_servers.memory]\nargs = ['mcp']\ncommand = '/usr/bin/git-context'\n[x]\n", "[x]\n"},
		"an inline table":         {"[mcp_servers]\na.command = 'x'\ngit-context = { command = \"git-context-mcp\" } # ours\n", "[mcp_servers]\na.command = 'x'\n"},
		"dotted keys":             {"mcp_servers.m.command = 'git-context-mcp'\nmcp_servers.m.env = {}\na = 1\n", "a = 1\n"},
		"a file of ours alone":    {"[mcp_servers.m]\ncommand = 'git-context-mcp'\n", ""},
		"part of a value":         {"mcp_servers = { m = { command = 'git-context-mcp' } }\n", "mcp_servers = { m = { command = 'git-context-mcp' } }\n"},
	} {
		if after, _ := codex().mustUnregister(t, c.text); after != c.want {
			t.Errorf("%s: %q becomes %q, want %q", name, c.text, after, c.want)
		}
	}
}

func TestServerIsRecognised(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"git context mcp": true, "git-context mcp": true, "git-context-mcp": true, `"C:\\bin\\git-context.exe", "mcp"`: true,
		"/usr/bin/git context mcp": true, "sh -c 'exec git-context-mcp'": true, `["git", "context", "mcp"]`: true, `C:\git-context-mcp.exe`: true,
		"git-context": false, "git-context hook codex Stop": false, "my-git-context-mcp-server": false, "mcp git-context": false, "context mcp": false,
	} {
		if serves(line) != want {
			t.Errorf("%s: %v", line, !want)
		}
	}
	entry := `{"mcpServers": {"memory": {"command": "git-context-mcp", "disabled": true}, "x": {"args": ["mcp"], "command": "git-context"}}}`
	c := cursor()
	if r := c.mustRead(t, entry); len(r.ours) != 2 || !r.off {
		t.Errorf("%+v", r)
	}
	if mended := c.mustRegister(t, entry); mended != `{"mcpServers": {"memory": {"command": "git-context-mcp", "disabled": true}}}` {
		t.Errorf("of two %s is left", mended)
	}
	two := "[mcp_servers.a]\ncommand = 'git-context-mcp'\nenabled = false\n[mcp_servers.b]\ncommand = 'git-context-mcp'\n"
	if r := codex().mustRead(t, two); len(r.ours) != 2 || !r.off {
		t.Errorf("%+v", r)
	}
	if mended := codex().mustRegister(t, two); mended != "[mcp_servers.a]\ncommand = 'git-context-mcp'\nenabled = false\n" {
		t.Errorf("of two %s is left", mended)
	}
}

func TestRefusesWhatHasNoPlaceForServers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "is empty", "[]": "contains no JSON object", "{": "is no JSON", `{"mcpServers": []}`: `"mcpServers" in '.cursor/mcp.json' is no object`,
	} {
		c := cursor()
		if _, err := c.register(named(c, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"a = \n": "is no TOML", "mcp_servers = 1\n": "is no table", "mcp_servers = {}\n": "is one value",
		"mcp_servers = { a = {} }\n": "is one value", "[[mcp_servers]]\n": "is no table", "[a]\n[a]\n": "is no TOML",
	} {
		c := codex()
		if out, err := c.register(named(c, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %s", text, err, out)
		}
	}
}

// Whatever a file of Codex contains, what an install makes of it is that and our server, and an uninstall restores
// the bytes.
func FuzzServerTOML(f *testing.F) {
	for _, text := range []string{
		"", "a = 1", "a = 1\n", "a = 1\r\n", "[mcp_servers]\n", "[mcp_servers.a]\ncommand = 'x'\n", "mcp_servers = {}\n", "x = '''\n" + tomlMark + "\n'''\n",
		"[mcp_servers.git-context]\ncommand = \"git\"\nargs = [\"context\", \"mcp\"]\n", "[mcp_servers.\"git-context\".env]\n", tomlMark + "\n", "\n\n",
		"[a]\nb = \"\"\"\n[mcp_servers.git-context]\n\"\"\" # c\n#d",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, before string) {
		c := codex()
		out, err := c.register(named(c, before))
		if err != nil {
			return
		}
		installed := string(out)
		if again := c.mustRegister(t, installed); again != installed {
			t.Fatalf("a second install of %q makes %q", before, again)
		}
		if r := c.mustRead(t, before); r.taken || len(r.ours) > 0 {
			after, _ := c.mustUnregister(t, installed)
			values(t, c, after)
			return
		}
		values(t, c, installed)
		if after, gone := c.mustUnregister(t, installed); gone || after != before {
			t.Fatalf("%q\ninstalled\n%q\nremoved (the whole file: %v)\n%q", before, installed, gone, after)
		}
	})
}
