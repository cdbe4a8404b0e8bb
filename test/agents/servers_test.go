//go:build unix

package agents

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/test/agents/model"
)

// A client starts the server that is registered in its file, shows its tools to the model, and runs two that
// the model calls. What they did is in memory, under the client's name, and makes no step besides.
func (w *world) served() {
	w.run("git-context", "hooks", "install", w.client.name, "--mcp")
	if out := w.run("git-context", "hooks", "status", w.client.name); !strings.Contains(out, "mcp installed "+w.client.name) {
		w.Fatalf("hooks status: %s", out)
	}
	before := len(w.steps())
	const fact = "The server listens on port 7878."
	asked := w.ask(append(w.client.start, prompt("Keep where the server listens", "server")),
		model.Scene{Prompt: mark("server"), Turns: append(slices.Clone(w.client.searches),
			model.Do(model.Call("git-context", "remember", map[string]any{"key": "port", "text": fact})),
			model.Do(model.Call("git-context", "context", map[string]any{"topic": "port"})),
			model.Say("It is kept."),
		)})
	w.listed(asked[len(w.client.searches)], "branch", "commit", "context", "merge", "recall", "record", "remember")
	if last := asked[len(asked)-1]; strings.Count(last.Body, fact) < 2 { // in the call and in the answer
		w.Errorf("the model did not get the topic")
	}
	var topic struct{ Text string }
	gittest.Must(w.T, json.Unmarshal([]byte(w.run("git-context", "topics", "port", "--json")), &topic))
	by := strings.TrimSpace(w.run("git", "log", "-1",
		"refs/context/heads/main", "--format=%(trailers:key=Agent,valueonly)"))
	if topic.Text != fact || by != w.client.name {
		w.Errorf("the topic is %q, of %q", topic.Text, by)
	}
	for _, s := range w.steps()[before:] {
		if s.Action != "" {
			w.Errorf("a call of the server is a step: %+v", s)
		}
	}
}

// listed checks that a request declares exactly these tools of the server.
func (w *world) listed(r model.Request, want ...string) {
	w.Helper()
	var got []string
	for _, name := range r.Tools {
		if _, tool, ours := strings.Cut(strings.ReplaceAll(name, "-", "_"), "git_context"); ours {
			got = append(got, strings.Trim(tool, "_."))
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		w.Errorf("the request declares %q of the server: %q", got, r.Tools)
	}
}
