package doc

import (
	"fmt"
	"time"

	"gopkg.in/yaml.v3"
)

// The states of a branch: in use, merged into another branch, or given up.
const (
	StatusActive    = "active"
	StatusMerged    = "merged"
	StatusAbandoned = "abandoned"
)

const branchKey = "branch"

// BranchFacts is the segment `branch` of metadata.yaml. A zero field is absent in the file.
type BranchFacts struct {
	Name        string
	Purpose     string
	CreatedFrom string // the branch that it was created from
	CreatedAt   time.Time
	Status      string // a Status constant
	MergedInto  string
	MergedAt    time.Time // when the branch was closed, also by abandoning it
}

// Branch returns the facts of the branch. Facts that are absent or malformed are zero.
func (m *Metadata) Branch() BranchFacts {
	b := m.find(branchKey)
	if b == nil {
		return BranchFacts{}
	}
	n, err := b.node()
	if err != nil {
		return BranchFacts{}
	}
	text := func(key string) string {
		if v := lookup(n, key); v != nil && v.Kind == yaml.ScalarNode && v.ShortTag() != "!!null" {
			return v.Value
		}
		return ""
	}
	moment := func(key string) time.Time {
		t, err := time.Parse(time.RFC3339Nano, text(key))
		if err != nil {
			return time.Time{}
		}
		return t.UTC()
	}
	return BranchFacts{
		Name: text("name"), Purpose: text("purpose"), CreatedFrom: text("created_from"), CreatedAt: moment("created_at"),
		Status: text("status"), MergedInto: text("merged_into"), MergedAt: moment("merged_at"),
	}
}

// SetBranch writes the facts of the branch and keeps the segment's other keys. It fails if
// Status is not empty or a Status constant.
func (m *Metadata) SetBranch(f BranchFacts) error {
	if err := checkStatus(f.Status); err != nil {
		return err
	}
	b := m.find(branchKey)
	if b == nil {
		b = m.add(branchKey)
	}
	n, err := b.node()
	if err != nil {
		return err
	}
	if n.Kind != yaml.MappingNode {
		replaceNode(n, newMap())
	}
	for _, fact := range []struct{ key, value string }{
		{"name", f.Name}, {"purpose", f.Purpose}, {"created_from", f.CreatedFrom}, {"created_at", formatTime(f.CreatedAt)},
		{"status", f.Status}, {"merged_into", f.MergedInto}, {"merged_at", formatTime(f.MergedAt)},
	} {
		if fact.value == "" {
			remove(n, fact.key)
			continue
		}
		if old := lookup(n, fact.key); old == nil || old.Value != fact.value {
			put(n, fact.key, factNode(fact.key, fact.value))
		}
	}
	return m.rewrite(b)
}

func checkStatus(status string) error {
	switch status {
	case "", StatusActive, StatusMerged, StatusAbandoned:
		return nil
	}
	return fmt.Errorf("'%s' is no status: %s, %s or %s", clip(status), StatusActive, StatusMerged, StatusAbandoned)
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return string(appendTime(nil, t))
}

// factNode makes a YAML timestamp of a time and a string of every other value, even if it
// looks like a number.
func factNode(key, value string) *yaml.Node {
	if key == "created_at" || key == "merged_at" {
		return newScalar("!!timestamp", value)
	}
	return newString(value)
}

func isBranchFact(parts []string) bool {
	if len(parts) != 2 || parts[0] != branchKey {
		return false
	}
	switch parts[1] {
	case "name", "purpose", "created_from", "created_at", "status", "merged_into", "merged_at":
		return true
	}
	return false
}

// setBranchFact is Set for a fact. Its value is plain text: a purpose such as "fix: the
// pool" is no map.
func (m *Metadata) setBranchFact(key, value string) error {
	if err := checkField("branch."+key, value); err != nil {
		return err
	}
	switch key {
	case "status":
		if err := checkStatus(value); err != nil {
			return err
		}
	case "created_at", "merged_at":
		t, err := time.Parse(time.RFC3339Nano, value)
		if err != nil {
			return fmt.Errorf("branch.%s: '%s' is no time like 2006-01-02T15:04:05Z", key, clip(value))
		}
		value = formatTime(t)
	}
	return m.set([]string{branchKey, key}, factNode(key, value))
}
