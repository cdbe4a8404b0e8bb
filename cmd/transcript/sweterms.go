package transcript

import (
	"strings"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/refs/prose"
)

// mostTerms limits what is kept of the instructions, in bytes.
const mostTerms = 500

// goalOf is what the system's message of a trajectory says of the goal: from "Your goal is" to the end of
// the paragraph, such as the form that an answer must have. "" if it says nothing.
func goalOf(message string) string {
	_, rest, ok := strings.Cut(message, "Your goal is ")
	if !ok {
		return ""
	}
	rest, _, _ = strings.Cut(rest, "\n\n")
	return "Your goal is " + prose.Fold(rest)
}

// termsOf are the sentences of the first message of a trajectory, behind the task, that say when the work is done
// and what is to be done then. The rest of the instructions is about the tools of SWE-agent, whose
// successor has others.
func termsOf(message string) string {
	_, rest, ok := strings.Cut(message, "</pr_description>")
	if !ok {
		_, rest, _ = strings.Cut("\n"+message, "\nINSTRUCTIONS:\n")
	}
	var kept []string
	for _, sentence := range agent.Sentences(rest) {
		if sentence = strings.TrimLeft(sentence, "0123456789.-* "); ends(strings.ToLower(sentence)) {
			kept = append(kept, prose.Fold(sentence))
		}
	}
	return strings.Join(kept, " ")
}

// ends reports whether a sentence says when the work is done, or that it is to be tried again then.
func ends(sentence string) bool {
	if strings.Contains(sentence, "re-run ") || strings.HasPrefix(sentence, "rerun ") {
		return true
	}
	for _, begin := range []string{"when you ", "when you're ", "once you ", "after you "} {
		if !strings.HasPrefix(sentence, begin) {
			continue
		}
		for _, word := range []string{"submit", "satisfied", "finished", "done", "fixed", "solved"} {
			if strings.Contains(sentence, word) {
				return true
			}
		}
	}
	return false
}

// terms are the goal and the terms of a task, "" if the messages say none.
func (r *sweReader) terms() string {
	said := strings.TrimSpace(r.goal + " " + r.ends)
	if said == "" {
		return ""
	}
	return "From the instructions: " + prose.Clip(said, mostTerms)
}
