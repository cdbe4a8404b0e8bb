package peer

import (
	"fmt"
	"maps"
	"strings"

	"gopkg.in/yaml.v3"
)

// yaml reads a YAML map; an absent file is an empty map. A file that is not a map is later
// kept as text.
func (r *reader) yaml(name string) map[string]any {
	m := map[string]any{}
	text, ok := r.dir.take(name)
	if !ok {
		return m
	}
	if err := decodeYAML(text, &m); err != nil || m == nil {
		delete(r.dir.taken, name) // finish keeps all files that were not taken
		return map[string]any{}
	}
	return m
}

// maxPairs is the maximum number of pairs in a YAML map, because the reader's cost is
// quadratic in it.
const maxPairs = 4000

// decodeYAML decodes one document.
func decodeYAML(text string, to any) error {
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil || n.Kind == 0 {
		return err
	}
	if !withinPairLimit(&n) {
		return fmt.Errorf("a map of more than %d keys", maxPairs)
	}
	return n.Decode(to)
}

// withinPairLimit reports whether all maps are within the limit. It does not follow aliases.
func withinPairLimit(n *yaml.Node) bool {
	if n.Kind == yaml.MappingNode && len(n.Content) > 2*maxPairs {
		return false
	}
	for _, c := range n.Content {
		if !withinPairLimit(c) {
			return false
		}
	}
	return true
}

// branchFacts reads a branch's metadata.yaml. Known keys set the branch's fields, or are
// facts if their values do not fit. Counters of the tool are dropped; the rest are
// segments.
func (r *reader) branchFacts(b *Branch, name string) {
	m := r.yaml(name)
	if own := pop(m, "name"); own != "" && own != b.Name {
		m["name"] = own
	}
	set := func(to *string, keys ...string) {
		for _, key := range keys {
			if text := pop(m, key); text != "" && *to == "" {
				*to = text
			} else if text != "" && text != *to {
				m[key] = text
			}
		}
	}
	set(&b.Parent, "created_from", "parent")
	set(&b.Purpose, "purpose", "summary")
	set(&b.MergedInto, "merged_into")
	if t := popTime(m, "created_at"); !t.IsZero() {
		b.CreatedAt = t
	}
	if t := popTime(m, "merged_at"); !t.IsZero() {
		b.MergedAt = t
	}
	if s := status(m); s != "" {
		b.Status = s
	}
	for _, key := range keys(m) {
		switch key {
		case "name", "created_from", "parent", "purpose", "summary", "merged_into", "created_at", "merged_at", "status",
			"version":
			b.Facts = mergeMaps(b.Facts, map[string]any{key: m[key]})
			delete(m, key)
		case "updated_at", "commit_count", "last_commit_at", "last_event_at": // derived from the entries
			delete(m, key)
		}
	}
	b.Segments = mergeMaps(b.Segments, m)
}

// status removes the status of a branch from a map and returns it, if it is one of the
// known words.
func status(m map[string]any) string {
	text, _ := m["status"].(string)
	known := ""
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "active", "open":
		known = Active
	case "merged":
		known = Merged
	case "abandoned", "closed", "discarded", "failed":
		known = Abandoned
	}
	if known != "" || m["status"] == nil {
		delete(m, "status")
	}
	return known
}

// mergeMaps adds the entries of from to a map, which may be nil.
func mergeMaps(to, from map[string]any) map[string]any {
	if len(from) == 0 {
		return to
	}
	if to == nil {
		to = map[string]any{}
	}
	maps.Copy(to, from)
	return to
}

// extra is the content of this package's own file.
type extra struct {
	Version  int                    `yaml:"version"`
	Branches map[string]extraBranch `yaml:"branches"`
}

// extraBranch contains what a dialect cannot represent. Its key is the name of the branch's
// folder.
type extraBranch struct {
	Name     string         `yaml:"name,omitempty"`
	Segments map[string]any `yaml:"segments,omitempty"`
}

// extra reads this package's own file and restores the names of the branches.
func (r *reader) extra() {
	text, ok := r.dir.take(extraFile)
	if !ok {
		return
	}
	var e extra
	if err := decodeYAML(text, &e); err != nil {
		r.keep(r.branchOf(extraFile), extraFile, 1, text)
		return
	}
	names := map[string]string{}
	for i := range r.f.Branches {
		b := &r.f.Branches[i]
		b.Segments = mergeMaps(b.Segments, e.Branches[b.Name].Segments)
		if name := e.Branches[b.Name].Name; name != "" {
			names[b.Name] = name
		}
	}
	r.f.rename(names)
}

// rename renames branches everywhere in the folder.
func (f *Folder) rename(names map[string]string) {
	to := func(name *string) {
		if other, ok := names[*name]; ok {
			*name = other
		}
	}
	to(&f.Default)
	for i := range f.Branches {
		b := &f.Branches[i]
		for _, name := range []*string{&b.Name, &b.Parent, &b.MergedInto} {
			to(name)
		}
		for k := range b.Steps {
			to(&b.Steps[k].Origin)
		}
	}
}
