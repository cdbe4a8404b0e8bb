package settings

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// readObject parses the file of a client and refuses what is no JSON object.
func (c Client) readObject(data []byte, path string) (*document, error) {
	d, err := parse(data)
	if err != nil {
		hint := "correct it, or move it away"
		if len(bytes.TrimSpace(data)) == 0 {
			return nil, refuse(nil, "remove it, or write {} into it", "'%s' is empty, which is no JSON", path)
		}
		return nil, refuse(syntax(err), hint, "'%s' is no JSON", path)
	}
	if !isObject(&d.root) {
		return nil, refuse(nil, "move it away", "'%s' contains no JSON object", path)
	}
	return d, nil
}

// read parses the file of a client and refuses what has no place for hooks.
func (c Client) read(data []byte, path string) (*document, *hujson.Value, error) {
	d, err := c.readObject(data, path)
	if err != nil {
		return nil, nil, err
	}
	at := d.find(&d.root, "hooks")
	if at == nil {
		return d, nil, nil
	}
	if !isObject(at) {
		return nil, nil, refuse(nil, "correct it; "+c.Title+" cannot read it either", "\"hooks\" in '%s' is no object", path)
	}
	for _, e := range c.Events {
		if v := d.find(at, e.Name); v != nil && !isList(v) {
			return nil, nil, refuse(nil, "correct it; "+c.Title+" cannot read it either",
				"the hooks of \"%s\" in '%s' are no list", e.Name, path)
		}
	}
	return d, at, nil
}

// syntax removes the name of the parser from its error.
func syntax(err error) error {
	return plainError(strings.TrimPrefix(err.Error(), "hujson: "))
}

type plainError string

func (e plainError) Error() string { return string(e) }

// add returns the text with an entry for every event of the client. Of several entries for one
// event the first stays. exists is false for a file that does not exist.
func (c Client) add(data []byte, exists bool, path string) ([]byte, error) {
	if !exists {
		s := style{newline: "\n", unit: "  ", colon: ": "}
		return []byte(s.encode(append(object{{"hooks", c.lists(c.Events)}}, c.versionMember()...), "") + "\n"), nil
	}
	d, at, err := c.read(data, path)
	if err != nil {
		return nil, err
	}
	if at == nil {
		add := object{{"hooks", c.lists(c.Events)}}
		if d.find(&d.root, "version") == nil {
			add = append(add, c.versionMember()...)
		}
		d.appendMembers(&d.root, add)
		return d.apply(), nil
	}
	var missing []Event
	for _, e := range c.Events {
		v := d.find(at, e.Name)
		if v == nil {
			missing = append(missing, e)
			continue
		}
		if c.count(d, v) == 0 {
			d.append(v, 1, func(_ int, s style, indent string) string { return s.encode(c.entry(c, e), indent) })
			continue
		}
		first := true
		c.cutCalls(d, v, func() bool { keep := first; first = false; return keep })
	}
	if len(missing) > 0 {
		d.appendMembers(at, c.lists(missing))
	}
	return d.apply(), nil
}

func (d *document) appendMembers(v *hujson.Value, add object) {
	d.append(v, len(add), func(i int, s style, indent string) string { return s.member(add[i], indent) })
}

func (c Client) versionMember() object {
	if c.version {
		return object{{"version", 1}}
	}
	return nil
}

// lists returns the object that has a list with our entry for each event.
func (c Client) lists(events []Event) object {
	var all object
	for _, e := range events {
		all = append(all, member{e.Name, list{c.entry(c, e)}})
	}
	return all
}

// remove returns the text without our entries. gone: nothing but what an install made is left, so
// that the file is to go.
func (c Client) remove(data []byte, path string) (text []byte, gone bool, err error) {
	d, _, err := c.read(data, path)
	if err != nil {
		return nil, false, err
	}
	kids := d.children(&d.root)
	var whole []int
	for i, k := range kids {
		if k.key != "hooks" || !isObject(k.value) || c.removeFrom(d, k.value) {
			continue
		}
		whole = append(whole, i)
		if c.version && i+1 < len(kids) && kids[i+1].key == "version" {
			whole = append(whole, i+1)
		}
	}
	if len(whole) > 0 && !d.cut(&d.root, whole) {
		return []byte(d.mark + "{}\n"), true, nil
	}
	return d.apply(), false, nil
}

// removeFrom removes our entries from an object of events. It reports false if the object is to go.
func (c Client) removeFrom(d *document, hooks *hujson.Value) bool {
	var whole []int
	for i, event := range d.children(hooks) {
		if isList(event.value) && !c.cutCalls(d, event.value, func() bool { return false }) {
			whole = append(whole, i)
		}
	}
	return len(whole) == 0 || d.cut(hooks, whole)
}

// cutCalls removes our entries from the list of an event, but those that keep wants. It reports
// false if the list is to go.
func (c Client) cutCalls(d *document, v *hujson.Value, keep func() bool) bool {
	var whole []int
	for i, e := range d.children(v) {
		if c.isCall(d, e.value) {
			if !keep() {
				whole = append(whole, i)
			}
			continue
		}
		inner := groupList(d, e.value)
		if inner == nil {
			continue
		}
		var calls []int
		for j, h := range d.children(inner) {
			if c.isCall(d, h.value) && !keep() {
				calls = append(calls, j)
			}
		}
		switch {
		case len(calls) == 0:
		case len(calls) == len(d.children(inner)):
			whole = append(whole, i)
		default:
			d.cut(inner, calls)
		}
	}
	return len(whole) == 0 || d.cut(v, whole)
}

// groupList returns the list of hooks in a group; nil if a value is no group.
func groupList(d *document, v *hujson.Value) *hujson.Value {
	if !isObject(v) {
		return nil
	}
	if inner := d.find(v, "hooks"); inner != nil && isList(inner) {
		return inner
	}
	return nil
}

// isCall reports whether a value is an entry that runs our hook.
func (c Client) isCall(d *document, v *hujson.Value) bool {
	if !isObject(v) {
		return false
	}
	for _, key := range []string{"command", "bash", "powershell", "commandWindows", "exec", "windows", "linux", "osx"} {
		line := d.stringOf(v, key)
		if line == "" {
			continue
		}
		if args := d.find(v, "args"); args != nil {
			line += " " + string(d.text[args.StartOffset:args.EndOffset])
		}
		if c.calls(line) {
			return true
		}
	}
	return false
}

// count returns how many of our entries are in the list of an event.
func (c Client) count(d *document, v *hujson.Value) int {
	n := 0
	c.eachCall(d, v, func() { n++ })
	return n
}

func (c Client) eachCall(d *document, v *hujson.Value, call func()) {
	for _, e := range d.children(v) {
		if c.isCall(d, e.value) {
			call()
			continue
		}
		if inner := groupList(d, e.value); inner != nil {
			for _, h := range d.children(inner) {
				if c.isCall(d, h.value) {
					call()
				}
			}
		}
	}
}

// counts returns how many of our entries each event has, also events for which none is installed.
func (c Client) counts(d *document, hooks *hujson.Value) map[string]int {
	all := map[string]int{}
	if hooks == nil {
		return all
	}
	for _, event := range d.children(hooks) {
		if n := c.count(d, event.value); n > 0 {
			all[event.key] += n
		}
	}
	return all
}

// turnedOff returns the setting in a file that turns all hooks off; "" if there is none.
func (d *document) turnedOff() string {
	if d.isTrue(&d.root, "disableAllHooks") {
		return "disableAllHooks"
	}
	for _, at := range [][2]string{{"hooksConfig", "enabled"}, {"tools", "enableHooks"}} {
		in := d.find(&d.root, at[0])
		if in == nil {
			continue
		}
		if d.isFalse(in, at[1]) {
			return at[0] + "." + at[1]
		}
	}
	return ""
}

// isMissing reports whether any event of the client has no entry.
func (c Client) isMissing(counts map[string]int) bool {
	return slices.ContainsFunc(c.Events, func(e Event) bool { return counts[e.Name] == 0 })
}
