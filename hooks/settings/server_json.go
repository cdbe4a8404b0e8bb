package settings

import (
	"slices"

	"github.com/tailscale/hujson"
)

// servers parses a file and returns the object that has the servers; nil if there is none.
func (c Client) servers(f file) (*document, *hujson.Value, error) {
	d, err := c.readObject(f.data, f.path)
	if err != nil {
		return nil, nil, err
	}
	at := d.find(&d.root, c.server.member)
	if at != nil && !isObject(at) {
		return nil, nil, refuse(nil, "correct it; "+c.Title+" cannot read it either", "\"%s\" in '%s' is no object", c.server.member, f.path)
	}
	return d, at, nil
}

// isServer reports whether a value is an entry that starts our server.
func (d *document) isServer(v *hujson.Value) bool {
	if !isObject(v) {
		return false
	}
	line := ""
	for _, key := range []string{"command", "args"} { // OpenCode has a list in the first
		if part := d.find(v, key); part != nil {
			line += " " + string(d.text[part.StartOffset:part.EndOffset])
		}
	}
	return serves(line)
}

// indexOfServers returns which members of an object are ours.
func (d *document) indexOfServers(v *hujson.Value) (ours []int) {
	for i, k := range d.children(v) {
		if d.isServer(k.value) {
			ours = append(ours, i)
		}
	}
	return ours
}

func (c Client) registryOfJSON(f file) (r registry, err error) {
	d, at, err := c.servers(f)
	if err != nil || at == nil {
		return r, err
	}
	kids := d.children(at)
	ours := d.indexOfServers(at)
	for i, k := range kids {
		if slices.Contains(ours, i) {
			r.ours = append(r.ours, k.key)
			r.off = r.off || d.isTrue(k.value, "disabled") || d.isFalse(k.value, "enabled")
		} else if k.key == ServerName {
			r.taken = true
		}
	}
	return r, nil
}

func (c Client) registerJSON(f file) ([]byte, error) {
	entry := object{{ServerName, c.server.entry}}
	all := append(object{{c.server.member, entry}}, c.server.behind...)
	if !f.exists {
		s := style{newline: "\n", unit: "  ", colon: ": "}
		return []byte(s.encode(all, "") + "\n"), nil
	}
	d, at, err := c.servers(f)
	if err != nil {
		return nil, err
	}
	if at == nil {
		d.appendMembers(&d.root, slices.DeleteFunc(all, func(m member) bool { return d.find(&d.root, m.key) != nil }))
		return d.apply(), nil
	}
	ours := d.indexOfServers(at)
	switch {
	case len(ours) > 1:
		d.cut(at, ours[1:])
	case len(ours) == 0 && d.find(at, ServerName) == nil:
		d.appendMembers(at, entry)
	}
	return d.apply(), nil
}

func (c Client) unregisterJSON(f file) ([]byte, error) {
	if !f.exists {
		return nil, nil
	}
	d, _, err := c.servers(f)
	if err != nil {
		return nil, err
	}
	var whole []int
	kids := d.children(&d.root)
	for i, k := range kids {
		if k.key != c.server.member || !isObject(k.value) {
			continue
		}
		ours := d.indexOfServers(k.value)
		if len(ours) == 0 || d.cut(k.value, ours) {
			continue
		}
		whole = append(whole, i)
		if len(c.server.behind) > 0 && i+1 < len(kids) && kids[i+1].key == c.server.behind[0].key {
			whole = append(whole, i+1)
		}
	}
	if len(whole) > 0 && !d.cut(&d.root, whole) {
		if f.linked {
			return []byte(d.mark + "{}\n"), nil
		}
		return nil, nil
	}
	return d.apply(), nil
}
