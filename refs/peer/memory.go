package peer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-context/git-context/refs/prose"
)

// memory reads the format of the Python command line. Its log is a stream of YAML
// documents:
//
//	---
//	kind: event
//	timestamp: '2026-11-21T01:37:05+00:00'
//	agent: claude
//	channel: cli
//	tags: [decision]
//	summary: one line
//	body: any text
//	branch: main
//	observation, thought, action: any text, and payload: a map, if given
//
// Each document is parsed on its own, so that one that a crash truncated does not affect
// the others. An event that a merge brought keeps its branch, has the tag merge,
// metadata.merged_from, and "[from SOURCE] " before its summary.
//
// Observation, thought and action are those of the step. Summary and body, if they contain
// more than these, are added to the text that the tags name (observation or thought),
// otherwise to the action. The other values of an event become attributes.
//
// Commits are
//
//	### Commit: title (TIME | BRANCH)
//
//	**Branch Purpose:** any text
//
//	**Previous Progress Summary:** any text
//
//	**This Commit's Contribution:**
//	any text
//
// or a heading and free text; older ones have the heading "### TIME | BRANCH | title". The
// commit "Branch created", with which the tool creates a branch, is left out if it only
// repeats the purpose. A branch whose merge into another is its newest entry has the status
// merged.
func (r *reader) memory() {
	r.memoryRoot()
	r.roadmap()
	if d := r.branch(r.f.Default); d.Segments["description"] == prose.Fold(r.f.Roadmap.Goal) {
		delete(d.Segments, "description") // the goal says the same
	}
	for _, name := range r.dir.branchNames() {
		at := branchDir + "/" + name + "/"
		b := r.branch(name)
		r.branchFacts(b, at+metaFile)
		r.events(b, at+logFile)
		r.memoryCommits(b, at+commitFile)
	}
	r.setMerged()
}

// memoryRoot reads the metadata of the whole folder.
func (r *reader) memoryRoot() {
	facts := r.yaml(metaFile)
	r.f.Default = pop(facts, "default_branch")
	if r.f.Default == "" {
		r.f.Default = "main"
	}
	if list, ok := facts["branches"].(map[string]any); ok {
		for _, name := range keys(list) {
			if m, ok := list[name].(map[string]any); ok {
				b := r.branch(name)
				b.Parent, b.Purpose = pop(m, "parent"), pop(m, "summary")
				b.CreatedAt = popTime(m, "created_at")
				if len(m) == 0 {
					delete(list, name)
				}
			}
		}
		if len(list) == 0 {
			delete(facts, "branches")
		}
	}
	if b := r.branch(r.f.Default); b.CreatedAt.IsZero() {
		b.CreatedAt = popTime(facts, "created_at")
	}
	if facts["active_branch"] == r.f.Default {
		delete(facts, "active_branch")
	}
	for _, own := range []string{"version", "created_at", "updated_at"} { // the tool's own bookkeeping
		delete(facts, own)
	}
	r.rootFacts(facts, "active_branch", "branches")
}

// rootFacts divides the folder's metadata into the folder's facts, whose keys are given,
// and segments of the default branch.
func (r *reader) rootFacts(all map[string]any, facts ...string) {
	for _, key := range facts {
		if v, ok := all[key]; ok && v != nil {
			r.f.Facts[key] = v
		}
		delete(all, key)
	}
	if len(all) > 0 {
		r.branch(r.f.Default).Segments = all
	}
}

// event is a document of the log. The fields in Rest become attributes.
type event struct {
	Kind, Timestamp, Agent, Channel, Summary, Body, Branch, Observation, Thought, Action string

	Tags     []string
	Payload  yaml.Node
	Metadata yaml.Node
	Rest     map[string]yaml.Node `yaml:",inline"`
}

func (r *reader) events(b *Branch, name string) {
	text, ok := r.dir.take(name)
	if !ok {
		return
	}
	for _, d := range splitDocuments(text) {
		if strings.TrimSpace(d.text) == "" {
			continue
		}
		var e event
		if err := decodeYAML(d.text, &e); err != nil || e.empty() {
			r.keep(b, name, d.line, strings.TrimRight(d.text, " \t\n"))
			continue
		}
		b.Steps = append(b.Steps, e.step(b.Name))
	}
}

func (e *event) empty() bool {
	return e.Summary+e.Body+e.Observation+e.Thought+e.Action == ""
}

// document is one document of a YAML stream, and its first line.
type document struct {
	text string
	line int
}

// splitDocuments splits a stream at its lines "---", which in YAML end a document anywhere.
func splitDocuments(text string) []document {
	docs := []document{{line: 1}}
	line := 0
	start := 0
	for at := 0; at < len(text); line++ {
		end := at + strings.IndexByte(text[at:], '\n') + 1
		if end == at {
			end = len(text)
		}
		if l := strings.TrimRight(text[at:end], " \t\r\n"); l == "---" {
			docs[len(docs)-1].text = text[start:at]
			docs = append(docs, document{line: line + 2})
			start = end
		}
		at = end
	}
	docs[len(docs)-1].text = text[start:]
	return docs
}

func (e *event) step(branch string) Step {
	t, ok := parseTime(e.Timestamp)
	s := Step{Time: t, Agent: e.Agent, Observation: e.Observation, Thought: e.Thought, Action: e.Action}
	if !ok && e.Timestamp != "" {
		s.attr("timestamp", e.Timestamp)
	}
	if e.Branch != branch {
		s.Origin = e.Branch
		e.Summary = strings.TrimPrefix(e.Summary, "[from "+e.mergedFrom()+"] ")
	}
	e.addTexts(&s)
	if e.Channel != ownChannel {
		s.attr("channel", e.Channel)
		s.attr("tags", strings.Join(e.Tags, ", "))
		s.attrNode("metadata", &e.Metadata)
	}
	s.attrNode("payload", &e.Payload)
	for _, key := range slices.Sorted(maps.Keys(e.Rest)) {
		node := e.Rest[key]
		s.attrNode(key, &node)
	}
	if e.Kind != "event" {
		s.attr("kind", e.Kind)
	}
	return s
}

// addTexts adds the summary and the body to the text where they belong.
func (e *event) addTexts(s *Step) {
	more := ""
	all := s.Observation + "\n" + s.Thought + "\n" + s.Action
	summary := strings.TrimSuffix(strings.TrimSuffix(e.Summary, "..."), "…")
	if e.Summary != summaryOf(*s) && !strings.Contains(all, summary) {
		more = e.Summary
	}
	if !strings.Contains(all, e.Body) {
		more = joinTitle(more, e.Body)
	}
	to := &s.Action
	if s.Observation+s.Thought+s.Action == "" {
		for _, tag := range e.Tags {
			switch tag {
			case "observation":
				to = &s.Observation
			case "thought":
				to = &s.Thought
			}
		}
	}
	if more != "" && *to != "" {
		more = "\n\n" + more
	}
	*to += more
}

func (e *event) mergedFrom() string {
	var m struct {
		From string `yaml:"merged_from"`
	}
	if e.Metadata.Kind == 0 || e.Metadata.Decode(&m) != nil {
		return e.Branch
	}
	return m.From
}

// attr adds an attribute, unless its value is empty.
func (s *Step) attr(key, value string) {
	if value = prose.Fold(value); value != "" {
		s.Attrs = append(s.Attrs, Attr{attrKey(key), value})
	}
}

// attrNode adds a value as JSON.
func (s *Step) attrNode(key string, n *yaml.Node) {
	if n.Kind == 0 || n.ShortTag() == "!!null" {
		return
	}
	var v any
	if err := n.Decode(&v); err != nil {
		s.attr(key, n.Value)
		return
	}
	data, err := json.Marshal(v)
	if err != nil { // JSON allows only strings as keys
		data = fmt.Append(nil, v)
	}
	s.attr(key, string(data))
}

// attrKey turns any text into a valid key.
func attrKey(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, key)
}
