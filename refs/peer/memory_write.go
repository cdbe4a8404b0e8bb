package peer

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/git-context/git-context/refs/prose"
)

// ownChannel is the channel of the events that this package writes.
const ownChannel = "git-context"

// memory writes the layout of the Python command line, see reader.memory.
func (w *writer) memory() error {
	main := w.memoryMain()
	w.add(mainFile, main)
	root, err := w.memoryRoot()
	if err != nil {
		return err
	}
	w.add(metaFile, root)
	for i := range w.f.Branches {
		b := &w.f.Branches[i]
		at := branchDir + "/" + w.dir(b.Name) + "/"
		w.add(at+logFile, w.events(b))
		w.add(at+commitFile, w.memoryCommits(b))
		meta, err := w.memoryMeta(b)
		if err != nil {
			return err
		}
		w.add(at+metaFile, meta)
	}
	return nil
}

func (w *writer) memoryMain() []byte {
	var b bytes.Buffer
	b.WriteString("# Project Context\n\n")
	writeRoadmap(&b, w.f.Roadmap, "Purpose", "Active Decisions", "Pending Questions")
	names := make([]string, len(w.f.Branches))
	for i, br := range w.f.Branches {
		names[i] = w.dir(br.Name)
	}
	fmt.Fprintf(&b, "%s - Do not edit below this line -->\n", generated)
	fmt.Fprintf(&b, "## Status\n- Active branch: %s\n- Branches: %s\n\n## Recent Highlights\n%s",
		w.dir(w.f.Default), strings.Join(names, ", "), w.highlights())
	return b.Bytes()
}

// highlights lists the newest steps of the default branch, as the tool shows them.
func (w *writer) highlights() string {
	const most = 5
	for _, b := range w.f.Branches {
		if b.Name != w.f.Default || len(b.Steps) == 0 {
			continue
		}
		var out strings.Builder
		for i := len(b.Steps) - 1; i >= max(0, len(b.Steps)-most); i-- {
			s := b.Steps[i]
			fmt.Fprintf(&out, "- [%s] %s: %s\n", formatTime(s.Time), s.Agent, summaryOf(s))
		}
		return out.String()
	}
	return "(no events yet)\n"
}

// summaryOf returns the line under which a step is listed.
func summaryOf(s Step) string {
	for _, text := range []string{s.Action, s.Thought, s.Observation} {
		if line := prose.Fold(text); line != "" {
			const most = 120
			if r := []rune(line); len(r) > most {
				return string(r[:most-1]) + "…"
			}
			return line
		}
	}
	return ""
}

func (w *writer) memoryRoot() ([]byte, error) {
	at := created(w.f)
	branches := yaml.Node{Kind: yaml.MappingNode}
	for _, b := range w.f.Branches {
		var v yaml.Node
		facts := ordered("created_at", quoted(b.CreatedAt), "parent", w.parent(b), "summary", b.Purpose)
		if err := v.Encode(facts); err != nil {
			return nil, err
		}
		name := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: w.dir(b.Name)}
		branches.Content = append(branches.Content, name, &v)
	}
	return yaml.Marshal(ordered("version", "0.1.0", "created_at", quoted(at), "updated_at", quoted(newest(w.f)),
		"default_branch", w.dir(w.f.Default), "active_branch", w.dir(w.f.Default), "branches", &branches,
		"description", prose.Fold(w.f.Roadmap.Goal)))
}

func (w *writer) parent(b Branch) any {
	if b.Parent == "" {
		return nil
	}
	return w.dir(b.Parent)
}

func (w *writer) memoryMeta(b *Branch) ([]byte, error) {
	fields := []any{"name", w.dir(b.Name), "parent", w.parent(*b), "created_at", quoted(b.CreatedAt),
		"summary", b.Purpose, "commit_count", len(b.Commits), "last_commit_at", nil}
	if n := len(b.Commits); n > 0 {
		fields[len(fields)-1] = quoted(b.Commits[n-1].Time)
	}
	if n := len(b.Steps); n > 0 {
		fields = append(fields, "last_event_at", quoted(b.Steps[n-1].Time))
	}
	if b.Status != "" && b.Status != Active { // unknown to this tool, which preserves unknown keys
		fields = append(fields, "status", b.Status, "merged_into", w.dir(b.MergedInto), "merged_at", quoted(b.MergedAt))
	}
	for _, key := range keys(b.Segments) {
		fields = append(fields, key, b.Segments[key])
	}
	return yaml.Marshal(ordered(fields...))
}

// newest returns the time of the newest entry of a folder.
func newest(f *Folder) time.Time {
	at := created(f)
	for _, b := range f.Branches {
		for _, s := range b.Steps {
			if s.Time.After(at) {
				at = s.Time
			}
		}
		for _, m := range b.Commits {
			if m.Time.After(at) {
				at = m.Time
			}
		}
	}
	return at
}

// events formats a log. Every text is quoted on one line, so that readers of YAML 1.1 and
// 1.2 read the same, whatever characters it contains.
func (w *writer) events(b *Branch) []byte {
	var out bytes.Buffer
	for _, s := range b.Steps {
		branch, summary, tags := w.dir(b.Name), summaryOf(s), "[ota]"
		if s.Origin != "" {
			branch, tags = w.dir(s.Origin), "[ota, merge]"
			summary = "[from " + branch + "] " + summary
		}
		fmt.Fprintf(&out, "---\nkind: event\ntimestamp: %s\nagent: %s\nchannel: %s\n"+
			"tags: %s\nsummary: %s\nbody: \"\"\nbranch: %s\n",
			quoteTime(s.Time), scalar(s.Agent), ownChannel, tags, scalar(summary), scalar(branch))
		for i, text := range []string{s.Observation, s.Thought, s.Action} {
			if text != "" {
				fmt.Fprintf(&out, "%s: %s\n", strings.ToLower(stepLabels()[i]), scalar(text))
			}
		}
		if s.Origin != "" {
			fmt.Fprintf(&out, "metadata:\n  merged_from: %s\n", scalar(branch))
		}
	}
	return out.Bytes()
}

func (w *writer) memoryCommits(b *Branch) []byte {
	var out bytes.Buffer
	purpose := b.Purpose
	if purpose == "" {
		purpose = noPurpose
	}
	w.commit(&out, b, Commit{Title: birthTitle, Time: b.CreatedAt, Purpose: purpose, Progress: birthBefore,
		Contribution: birthTitle + " to " + strings.TrimRight(strings.ToLower(purpose), ".") + "."})
	for _, m := range b.Commits {
		w.commit(&out, b, m)
	}
	return out.Bytes()
}

func (w *writer) commit(out *bytes.Buffer, b *Branch, m Commit) {
	title := m.Title
	if strings.ContainsAny(title, lineBreaks) { // the tool's reader would end the heading there
		title = prose.Fold(title)
		w.inexact++
	}
	fmt.Fprintf(out, "%s %s (%s | %s)\n", memoryHead, memoryEscape(title), formatTime(m.Time), w.dir(b.Name))
	for i, text := range []string{m.Purpose, m.Progress, m.Contribution} {
		written := memoryEscape(text)
		w.countInexact(text, written, false)
		gap := " "
		if i == 2 {
			gap = "\n"
		}
		fmt.Fprintf(out, "\n**%s:**%s%s\n", blockLabels()[i], gap, written)
	}
	out.WriteString("\n")
}

// ordered returns a map that keeps the order of its keys.
func ordered(pairs ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i < len(pairs); i += 2 {
		var v yaml.Node
		switch value := pairs[i+1].(type) {
		case *yaml.Node:
			v = *value
		default:
			// Everything encoded here was decoded from YAML or is a plain value.
			if err := v.Encode(value); err != nil {
				v = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: fmt.Sprint(value)}
			}
		}
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: pairs[i].(string)}, &v)
	}
	return n
}

// quoted returns a time as a string, so that YAML does not read a timestamp; nil for an
// unknown time.
func quoted(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return formatTime(t)
}

func boxes(items []Item) string {
	var b strings.Builder
	for _, it := range items {
		mark := " "
		if it.Done {
			mark = "x"
		}
		b.WriteString("- [" + mark + "] " + indent(it.Text) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func bullets(texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString("- " + indent(text) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// indent indents the further lines of an item by two spaces.
func indent(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }
