package settings

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

// jsonClients are the clients whose files are JSON.
func jsonClients() []Client {
	var all []Client
	for _, c := range Clients() {
		if c.plugin == "" {
			all = append(all, c)
		}
	}
	return all
}

// writer draws a document in any form that JSON, with comments and trailing commas, can have.
type writer struct {
	t        *rapid.T
	newline  string // "": one line
	unit     string
	comments bool
}

func (w writer) draw(options ...string) string { return rapid.SampledFrom(options).Draw(w.t, "form") }

// gap is what may stand between two tokens.
func (w writer) gap(indent string) string {
	space := ""
	if w.newline != "" {
		space = w.newline + indent
	} else {
		space = w.draw("", "", " ")
	}
	if w.comments && rapid.IntRange(0, 4).Draw(w.t, "comment") == 0 {
		if w.newline != "" && rapid.Bool().Draw(w.t, "line") {
			return w.draw("", " ") + "// it's {a} \"comment\"," + w.newline + indent
		}
		return space + "/* [a, b] */" + space
	}
	return space
}

func (w writer) enclose(open string, parts []string, end, indent string) string {
	if len(parts) == 0 {
		return open + w.draw("", "", " ", "  ", w.gap(indent)) + end
	}
	var b strings.Builder
	b.WriteString(open + w.gap(indent+w.unit))
	for i, p := range parts {
		b.WriteString(p)
		switch {
		case i+1 < len(parts):
			b.WriteString("," + w.gap(indent+w.unit))
		case w.comments && rapid.IntRange(0, 3).Draw(w.t, "trailing comma") == 0:
			b.WriteString(w.draw("", " ") + ",")
		}
	}
	return b.String() + w.gap(indent) + end
}

func (w writer) object(keys []string, indent string, value func(key, indent string) string) string {
	var parts []string
	for _, k := range keys {
		parts = append(parts, quote(k)+w.draw(":", ": ", " : ")+value(k, indent+w.unit))
	}
	return w.enclose("{", parts, "}", indent)
}

func (w writer) any(depth int, indent string) string {
	if depth > 0 {
		switch rapid.IntRange(0, 4).Draw(w.t, "kind") {
		case 0:
			keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "hooks", "version", "é\"\\"}), 0, 3, rapid.ID).Draw(w.t, "keys")
			return w.object(keys, indent, func(_, indent string) string { return w.any(depth-1, indent) })
		case 1:
			return w.list(rapid.IntRange(0, 3).Draw(w.t, "length"), indent, func(indent string) string { return w.any(depth-1, indent) })
		}
	}
	return w.draw("1", "-0.5e3", "true", "null", `"text"`, `"git-context hook other Stop"`, `"\u00e9 // no comment"`)
}

func (w writer) list(n int, indent string, value func(indent string) string) string {
	var parts []string
	for range n {
		parts = append(parts, value(indent+w.unit))
	}
	return w.enclose("[", parts, "]", indent)
}

// hooks is what other programs may have there.
func (w writer) hooks(c Client, indent string) string {
	names := []string{"Other", "other"}
	for _, e := range c.Events {
		names = append(names, e.Name)
	}
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 4, rapid.ID).Draw(w.t, "events")
	return w.object(keys, indent, func(_, indent string) string {
		return w.list(rapid.IntRange(0, 2).Draw(w.t, "entries"), indent, func(indent string) string {
			if rapid.Bool().Draw(w.t, "group") {
				return w.object([]string{"matcher", "hooks"}, indent, func(key, indent string) string {
					if key == "matcher" {
						return `""`
					}
					return w.list(rapid.IntRange(0, 2).Draw(w.t, "hooks"), indent, func(indent string) string {
						return w.object([]string{"type", "command"}, indent, func(string, string) string { return `"theirs"` })
					})
				})
			}
			return w.any(2, indent)
		})
	})
}

// drawDocument draws the file of a client.
func drawDocument(t *rapid.T, c Client) string {
	w := writer{
		t: t, newline: rapid.SampledFrom([]string{"", "\n", "\r\n"}).Draw(t, "newline"),
		unit: rapid.SampledFrom([]string{"  ", "\t", "    ", ""}).Draw(t, "unit"), comments: rapid.Bool().Draw(t, "comments"),
	}
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"hooks", "version", "$schema", "env", "z"}), 0, 4, rapid.ID).Draw(t, "members")
	root := w.object(keys, "", func(key, indent string) string {
		if key == "hooks" {
			return w.hooks(c, indent)
		}
		return w.any(2, indent)
	})
	head := rapid.SampledFrom([]string{"", "", byteOrderMark, "\n"}).Draw(t, "head")
	return head + root + rapid.SampledFrom([]string{"", w.newline, w.newline + w.newline}).Draw(t, "end")
}

func (c Client) mustAdd(t interface{ Fatalf(string, ...any) }, text string) string {
	out, err := c.add([]byte(text), true, "FILE")
	if err != nil {
		t.Fatalf("install into %q: %v", text, err)
	}
	return string(out)
}

func (c Client) mustRemove(t interface{ Fatalf(string, ...any) }, text string) (string, bool) {
	out, gone, err := c.remove([]byte(text), "FILE")
	if err != nil {
		t.Fatalf("uninstall from %q: %v", text, err)
	}
	return string(out), gone
}

// Every event has one entry, whatever the file contains; a second install changes nothing; uninstall
// gives the same bytes back.
func TestUninstallUndoesInstall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(jsonClients()).Draw(t, "client")
		before := drawDocument(t, c)
		installed := c.mustAdd(t, before)
		checkEntries(t, c, installed)
		if again := c.mustAdd(t, installed); again != installed {
			t.Fatalf("a second install makes of\n%s\nthis:\n%s", installed, again)
		}
		if after, gone := c.mustRemove(t, installed); gone || after != before {
			t.Fatalf("%q\ninstalled\n%q\nremoved (the whole file: %v)\n%q", before, installed, gone, after)
		}
		if after, _ := c.mustRemove(t, before); after != before {
			t.Fatalf("uninstall from\n%q\nwithout an install gives\n%q", before, after)
		}
	})
}

func checkEntries(t *rapid.T, c Client, text string) {
	d, hooks, err := c.read([]byte(text), "FILE")
	if err != nil {
		t.Fatalf("the file is broken: %v\n%s", err, text)
	}
	counts := c.counts(d, hooks)
	for _, e := range c.Events {
		if counts[e.Name] != 1 {
			t.Fatalf("%d entries for %s in\n%s", counts[e.Name], e.Name, text)
		}
	}
	plain, err := hujson.Standardize([]byte(strings.TrimPrefix(text, byteOrderMark)))
	var v struct{ Hooks map[string][]any }
	if err == nil {
		err = json.Unmarshal(plain, &v)
	}
	if err != nil || len(v.Hooks[c.Events[0].Name]) == 0 {
		t.Fatalf("encoding/json does not read it: %v\n%s", err, text)
	}
}

// What a person edits beside our entries stays.
func TestEditsBetweenStay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(jsonClients()).Draw(t, "client")
		before := drawDocument(t, c)
		if d, err := parse([]byte(before)); err != nil || len(d.children(&d.root)) == 0 {
			t.Skip("nothing is in it")
		}
		edit := func(text string) string {
			text = strings.Replace(text, "{", `{ "mine": [1], `, 1)
			return strings.ReplaceAll(text, `"theirs"`, `"still theirs"`)
		}
		after, gone := c.mustRemove(t, edit(c.mustAdd(t, before)))
		if gone || after != edit(before) {
			t.Fatalf("%q\nwas edited and became\n%q", before, after)
		}
	})
}

// A file that did not exist goes as a whole, unless a person put something into it.
func TestNewFile(t *testing.T) {
	t.Parallel()
	for _, c := range jsonClients() {
		out, err := c.add(nil, false, "FILE")
		if err != nil {
			t.Fatal(err)
		}
		if again := c.mustAdd(t, string(out)); again != string(out) {
			t.Errorf("%s: a second install gives\n%s", c.Name, again)
		}
		if _, gone := c.mustRemove(t, string(out)); !gone {
			t.Errorf("%s: uninstall leaves a file of\n%s", c.Name, out)
		}
		mine := strings.Replace(string(out), "{", "{\n  \"mine\": 1,", 1)
		if text, gone := c.mustRemove(t, mine); gone || text != "{\n  \"mine\": 1\n}\n" {
			t.Errorf("%s: what a person added became %q, gone %v", c.Name, text, gone)
		}
	}
}

// Entries that a person changed or moved are ours too, and no more are added.
func TestRecognises(t *testing.T) {
	t.Parallel()
	c, _ := Find("claude-code")
	for _, line := range []string{
		c.Line("Stop"), "git-context hook claude-code Stop", "git context hook claude-code Stop", "/usr/bin/git-context hook claude-code Stop",
		`"C:\\bin\\git-context.exe" hook claude-code Stop`, "sh -c 'git-context hook claude-code Stop'", "/opt/bin/git context hook claude-code X;true",
	} {
		text := `{"hooks": {"Stop": [{"hooks": [{"command": ` + quote(line) + `}, {"command": "theirs"}]}]}}`
		installed := c.mustAdd(t, text)
		if n := strings.Count(installed, "claude-code Stop ||"); n > 1 || n == 1 && line != c.Line("Stop") {
			t.Errorf("%s: another entry was added:\n%s", line, installed)
		}
		if after, _ := c.mustRemove(t, installed); after != `{"hooks": {"Stop": [{"hooks": [{"command": "theirs"}]}]}}` {
			t.Errorf("%s: %s", line, after)
		}
	}
	exec := `{"hooks": {"Stop": [{"hooks": [{"command": "git-context", "args": ["hook", "claude-code", "Stop"]}]}]}}`
	if n := strings.Count(c.mustAdd(t, exec), `claude-code Stop ||`); n != 0 {
		t.Errorf("an entry with arguments is not recognised")
	}
	for _, line := range []string{"git-context hook codex Stop", "git-context hook claude-code-x Stop", "other-git-context hook claude-code", "context hook claude-code"} {
		if c.calls(line) {
			t.Errorf("'%s' is taken for ours", line)
		}
	}
}

// Of two entries for one event one stays; an event without one gets it.
func TestMends(t *testing.T) {
	t.Parallel()
	for _, c := range jsonClients() {
		out, err := c.add(nil, false, "FILE")
		if err != nil {
			t.Fatal(err)
		}
		entry := style{newline: "", colon: ": "}.encode(c.entry(c, c.Events[0]), "")
		twice := strings.Replace(string(out), "[", "["+entry+", "+entry+",", 1)
		mended := c.mustAdd(t, twice)
		d, hooks, err := c.read([]byte(mended), "FILE")
		if err != nil {
			t.Fatal(err)
		}
		if n := c.counts(d, hooks)[c.Events[0].Name]; n != 1 {
			t.Errorf("%s: %d entries are left of three:\n%s", c.Name, n, mended)
		}
		if _, gone := c.mustRemove(t, twice); !gone {
			t.Errorf("%s: uninstall leaves one of three", c.Name)
		}
	}
}

func TestRefusesWhatHasNoPlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "is empty", " \n": "is empty", "[]": "contains no JSON object", "{": "is no JSON", "{\"a\": 1 \"b\": 2}": "is no JSON",
		"{} x": "is no JSON", `{"hooks": []}`: `"hooks" in 'FILE' is no object`, `{"hooks": null}`: "is no object",
		`{"hooks": {"Stop": {}}}`: `the hooks of "Stop" in 'FILE' are no list`, "\xff\xfe{\x00}\x00": "is no JSON",
	} {
		c, _ := Find("codex")
		_, err := c.add([]byte(text), true, "FILE")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
		if _, _, err := c.remove([]byte(text), "FILE"); err == nil {
			t.Errorf("%q: uninstalled", text)
		}
	}
}

// The lines never change: Codex runs only what a person trusted.
func TestLineIsForever(t *testing.T) {
	t.Parallel()
	for _, c := range jsonClients() {
		for _, e := range c.Events {
			want := fmt.Sprintf("command -v git-context >/dev/null 2>&1 && git-context hook %s %s || true", c.Name, e.Name)
			if c.Line(e.Name) != want || !c.calls(want) {
				t.Errorf("the line of %s is %q", e.Name, c.Line(e.Name))
			}
		}
	}
}
