package settings

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlMark is the line above our table. There is none below it: Codex writes tables of its own between the last one
// and a comment that ends the file, so that such a line would soon enclose what is not ours.
const tomlMark = "# 'git context hooks uninstall codex' removes this table."

// tomlTable is our table, with the line above it.
func (c Client) tomlTable(newline string) string {
	lines := []string{tomlMark, "[" + c.server.member + "." + ServerName + "]"}
	for _, m := range c.server.entry {
		value := style{colon: ": "}.encode(m.value, "") // texts and lists of texts are the same in JSON
		lines = append(lines, m.key+" = "+value)
	}
	return strings.Join(lines, newline)
}

// tomlServers returns the servers of a file by their name.
func (c Client) tomlServers(data []byte, path string) (map[string]any, error) {
	var all map[string]any
	if err := toml.Unmarshal(data, &all); err != nil {
		return nil, refuse(plainError(strings.TrimPrefix(err.Error(), "toml: ")), "correct it, or move it away", "'%s' is no TOML", path)
	}
	servers, isTable := all[c.server.member].(map[string]any)
	if all[c.server.member] != nil && !isTable {
		return nil, refuse(nil, "correct it; "+c.Title+" cannot read it either", "'%s' in '%s' is no table", c.server.member, path)
	}
	return servers, nil
}

func (c Client) registryOfTOML(f file) (r registry, err error) {
	servers, err := c.tomlServers(f.data, f.path)
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		entry, _ := servers[name].(map[string]any)
		line, _ := entry["command"].(string)
		args, _ := entry["args"].([]any)
		for _, a := range args {
			word, _ := a.(string)
			line += " " + word
		}
		switch {
		case serves(line):
			r.ours = append(r.ours, name)
			r.off = r.off || entry["enabled"] == false
		case name == ServerName:
			r.taken = true
		}
	}
	return r, err
}

func (c Client) registerTOML(f file) ([]byte, error) {
	newline := newlineOf(string(f.data))
	r, err := c.registryOfTOML(f)
	switch {
	case err != nil:
		return nil, err
	case len(r.ours) > 1:
		return c.withoutTables(f, r.ours[1:])
	case len(r.ours) == 1 || r.taken:
		return f.data, nil
	}
	text := appendBlock(f, c.tomlTable(newline), newline)
	if _, err := c.tomlServers([]byte(text), f.path); err != nil {
		return nil, refuse(nil, "write its servers as tables, ["+c.server.member+".NAME]",
			"'%s' in '%s' is one value, to which no table can be added", c.server.member, f.path)
	}
	return []byte(text), nil
}

func (c Client) unregisterTOML(f file) ([]byte, error) {
	if !f.exists {
		return nil, nil
	}
	r, err := c.registryOfTOML(f)
	if err != nil {
		return nil, err
	}
	return c.withoutTables(f, r.ours)
}

// withoutTables returns a file without the servers of some names; nil if it was made for ours. One that is part of
// a larger value stays.
func (c Client) withoutTables(f file, names []string) ([]byte, error) {
	text := string(f.data)
	for _, name := range names {
		spans, err := c.tomlSpans(text, name)
		if err != nil {
			return nil, err
		}
		for _, s := range slices.Backward(spans) {
			left, nothing := cutTable(text, s)
			if nothing && !f.linked {
				return nil, nil
			}
			text = left
		}
	}
	return []byte(text), nil
}

// cutTable returns a text without a table. Of one that Install appended the line above it goes, too, and what was
// added around both. nothing: nothing else is in the text.
func cutTable(text string, s span) (left string, nothing bool) {
	before := strings.TrimSuffix(text[:s.start], "\n")
	above := lineAt(before, len(before))
	if strings.TrimSpace(above) == tomlMark {
		s.start = len(before) - len(above)
		return s.cutFrom(text)
	}
	rest, _ := cutNewline(text[s.end:])
	return text[:s.start] + rest, s.start == 0 && rest == ""
}

// lineAt returns the part of the line that ends at an offset.
func lineAt(text string, end int) string {
	return text[strings.LastIndexByte(text[:end], '\n')+1 : end]
}

// tomlSpans returns where the tables and keys of a server are, in whole lines; what is between two of them
// without another's between is part of them.
func (c Client) tomlSpans(text, name string) (all []span, err error) {
	var p unstable.Parser
	p.Reset([]byte(text))
	var table []string
	before := false // the statement before was part of it too
	for p.NextExpression() {
		e := p.Expression()
		var path []string
		from, end := -1, 0
		for keys := e.Key(); keys.Next(); {
			k := keys.Node()
			path = append(path, string(k.Data))
			if from < 0 {
				from = int(k.Raw.Offset)
			}
			end = int(k.Raw.Offset + k.Raw.Length)
		}
		if e.Kind == unstable.KeyValue {
			path = append(slices.Clone(table), path...)
			end = int(e.Raw.Offset + e.Raw.Length)
		} else {
			table = path
		}
		mine := len(path) >= 2 && path[0] == c.server.member && path[1] == name
		s := span{start: from - len(lineAt(text, from)), end: lineEnd(text, end)}
		switch {
		case mine && before:
			all[len(all)-1].end = s.end
		case mine:
			all = append(all, s)
		}
		before = mine
	}
	return all, p.Error()
}

// lineEnd returns the end of the line that contains an offset, without its new line.
func lineEnd(text string, at int) int {
	i := strings.IndexByte(text[at:], '\n')
	if i < 0 {
		return len(text)
	}
	return at + len(bytes.TrimRight([]byte(text[at:at+i]), "\r"))
}
