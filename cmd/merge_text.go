package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/render"
)

// Of what a merge brings, at most 15 lines are printed: an agent reads all of them.
const (
	mostSummaries = 5
	mostContested = 2   // pairs that may disagree, of three lines
	wideText      = 100 // characters of a text
)

// printBrings says what a merge brings:
//
//  1. the purpose of the source, and how much comes
//  2. the summaries of its newest commits
//  3. the keys of its topics
//  4. texts of both sides that may contradict each other
func printBrings(p *render.Printer, r merge.Result) {
	head := "'" + r.Merged + "'"
	if r.Context.Purpose != "" {
		head += ": " + render.Shorten(r.Context.Purpose, wideText)
	}
	line(p, "%s", head)
	line(p, " %s, %s, %s", count(r.Commits, "commit", "commits"), count(r.Steps, "step", "steps"), count(len(r.Topics), "topic", "topics"))
	for i, s := range r.Summaries {
		if i == mostSummaries && len(r.Summaries) > mostSummaries+1 {
			line(p, "  and %d more: git context log %s", len(r.Summaries)-i, r.Merged)
			break
		}
		line(p, "  %s", render.Shorten(s, wideText))
	}
	if len(r.Topics) > 0 {
		line(p, " topics: %s", someOf(topicNames(r.Topics)))
	}
	for _, d := range r.Disagree[:min(len(r.Disagree), mostContested)] {
		line(p, "These two may disagree:")
		line(p, "  here: %s", statement(d.Ours))
		line(p, "  %s: %s", r.Merged, statement(d.Theirs))
	}
}

// topicNames returns the keys of topics, with a word about those that are removed.
func topicNames(topics []merge.TopicChange) []string {
	var names []string
	for t := range slices.Values(topics) {
		if t.Removed {
			t.Key += " (removed)"
		}
		names = append(names, t.Key)
	}
	return names
}

func statement(s merge.Statement) string {
	if s.Kind == merge.StatementTopic {
		return fmt.Sprintf("topic '%s': %s", s.Name, render.Shorten(s.Text, wideText))
	}
	summary, rest, _ := strings.Cut(s.Text, "\n\n")
	if rest != "" {
		summary += ": " + rest
	}
	return fmt.Sprintf("%s (git context show %s)", render.Shorten(summary, wideText), s.Name)
}
