package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// TestTopic is the key of the topic that says how the code is built and tested.
const TestTopic = "how-to-test"

// Missing lists what is missing for a successor or needs its attention, with the command for each, in at most
// ten lines. steps are the newest ones, oldest first. withChanges: uncommitted code was to be handed over, and
// work is what was.
func (v Snapshot) Missing(steps []store.Step, withChanges bool, work *code.Work, self string) []string {
	var list []string
	add := func(is bool, command, format string, args ...any) {
		if is {
			list = append(list, fmt.Sprintf(format, args...)+": "+self+" "+command)
		}
	}
	topic := func(is func(Topic) bool) bool { return slices.ContainsFunc(v.Topics, is) }
	switch {
	case withChanges && work == nil:
		list = append(list, "no uncommitted changes")
	case work == nil && v.Code != nil && len(v.Code.Uncommitted) > 0:
		list = append(list, prose.Count(len(v.Code.Uncommitted), "file")+" of the code not committed: git commit")
	}
	add(len(v.Questions) > 0, "roadmap answer QUESTION --with TEXT", "%s open", prose.Count(len(v.Questions), "question"))
	if run := lastTest(steps); run != nil && failed(run.Observation) {
		list = append(list, "the last test run failed: "+prose.OneLine(run.Action, lastStepLimit))
	}
	var stale []string
	for _, t := range v.Topics {
		if t.Stale != nil && *t.Stale {
			stale = append(stale, t.Key)
		}
	}
	add(len(stale) > 0, "remember --confirm KEY", "stale topics: %s", strings.Join(stale[:min(len(stale), namedRefs)], ", "))
	add(v.Roadmap.Goal == "", "roadmap goal TEXT", "no goal")
	add(!topic(func(t Topic) bool { return t.Pinned }), "remember --pin brief TEXT", "the user's own words are not kept")
	add(!topic(func(t Topic) bool { return t.Key == TestTopic }), "remember "+TestTopic+" TEXT", "how to build and test is not written down")
	add(len(v.Decisions) == 0, "roadmap decide TEXT", "no decision is written down")
	add(v.open() == 0, "roadmap todo add TEXT", "nothing is left to do, or it is not written down")
	for _, n := range v.Attention {
		if n.Kind != NoticeTell && len(list) < mostMissing {
			list = append(list, n.Text+": "+strings.Replace(n.Command, "git context", self, 1))
		}
	}
	return orEmpty(list)
}

// mostMissing bounds the list of what is missing.
const mostMissing = 10

// open counts the milestones and to-dos that are not done.
func (v Snapshot) open() int {
	n := 0
	for _, list := range [][]store.Item{v.Roadmap.Milestones, v.Roadmap.Todo} {
		for _, i := range list {
			if !i.Done {
				n++
			}
		}
	}
	return n
}

// lastTest returns the newest step that ran tests, by the words of its action; nil if none did.
func lastTest(steps []store.Step) *store.Step {
	for i, s := range slices.Backward(steps) {
		if slices.ContainsFunc(strings.Fields(strings.ToLower(called(s.Action))), isTest) {
			return &steps[i]
		}
	}
	return nil
}

// called is an action without the lines that tell what an edit changed, see hooks/agent: their words run nothing.
func called(action string) string {
	first, rest, _ := strings.Cut(action, "\n")
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "+ ") && !strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "… ") {
			return action
		}
	}
	return first
}

// isTest reports whether a word of a command line is what runs tests.
func isTest(word string) bool {
	switch strings.Trim(word, "'\"`,;()") {
	case "test", "tests", "pytest", "unittest", "jest", "vitest", "check", "ctest", "rspec", "tox":
		return true
	}
	return false
}

// failed reports whether an output of tests is that of a failure.
func failed(output string) bool {
	if strings.Contains(output, "FAIL") {
		return true
	}
	low := strings.ToLower(output)
	return strings.Contains(low, " failed") && !strings.Contains(low, "0 failed") || strings.Contains(low, "exit status 1")
}
