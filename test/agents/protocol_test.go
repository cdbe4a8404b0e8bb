//go:build unix

package agents

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/cmd/mcp"
	"github.com/git-context/git-context/internal/gittest"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ownNode is installed beside tools that need a newer Node than most systems have.
const ownNode = "node@22.23.3"

func inspector() release {
	return release{"inspector", "2.12.0", "mcp-inspector", []string{"@modelcontextprotocol/inspector@2.12.0", ownNode}}
}

func conformance() release {
	return release{"conformance", "0.1.16", "conformance", []string{"@modelcontextprotocol/conformance@0.1.16", ownNode}}
}

// tool is a command with the Node of a tool.
func (w *world) tool(args ...string) *exec.Cmd {
	program := w.client.path(w.all)
	return w.command(filepath.Join(filepath.Dir(program), "node"), append([]string{program}, args...)...)
}

// TestProtocol lets the official tools of the Model Context Protocol judge the server.
func TestProtocol(t *testing.T) {
	all := os.Getenv(folderVariable)
	if all == "" {
		t.Skip("*** SKIPPED PROTOCOL: 'make agents' installs and runs its tools")
	}
	for _, part := range []struct {
		release
		play func(*world)
	}{{inspector(), (*world).inspected}, {conformance(), (*world).conforms}} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			if why := part.missing(all); why != "" {
				t.Skipf("*** SKIPPED %s %s: %s", part.name, part.version, why)
			}
			c := client{name: part.name, version: part.version, program: part.program, env: func(*world) []string { return nil }}
			part.play(newWorld(t, c, all))
		})
	}
}

// The inspector starts the server that an install registered, finds no fault in the schemas of its tools, and
// reads all that it calls for.
func (w *world) inspected() {
	w.run("git-context", "hooks", "install", "claude-code", "--mcp")
	var list struct{ Tools []struct{ Name string } }
	w.inspect(0, &list, "tools/list", "--strict")
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if want := []string{"branch", "commit", "context", "merge", "recall", "record", "remember"}; !slices.Equal(names, want) {
		w.Errorf("the tools are %q", names)
	}

	var read struct{ Contents []struct{ Text string } }
	w.inspect(0, &read, "resources/read", "--uri", "git-context://topics") // there are none
	const fact = "The server listens on port 7878."
	w.inspect(0, nil, "tools/call", "--tool-name", "remember", "--tool-arg", "key=port", "--tool-arg", "text="+fact)
	var topic struct{ Text string }
	gittest.Must(w.T, json.Unmarshal([]byte(w.run("git-context", "topics", "port", "--json")), &topic))
	if topic.Text != fact {
		w.Errorf("the topic is %q", topic.Text)
	}
	const toolFailed = 5
	w.inspect(toolFailed, nil, "tools/call", "--tool-name", "context", "--tool-arg", "topic=none")

	var all struct{ Resources []struct{ URI string } }
	w.inspect(0, &all, "resources/list")
	if len(all.Resources) != 2 {
		w.Errorf("the resources are %+v", all.Resources)
	}
	for uri, want := range map[string]string{"git-context://brief": goal, "git-context://topics": "port", "git-context://topics/port": fact} {
		w.inspect(0, &read, "resources/read", "--uri", uri)
		if len(read.Contents) != 1 || !strings.Contains(read.Contents[0].Text, want) {
			w.Errorf("%s is %+v", uri, read.Contents)
		}
	}
	w.inspect(0, nil, "resources/templates/list")
}

// inspect runs one method and reads its result. status is what the inspector ends with.
func (w *world) inspect(status int, to any, method string, args ...string) {
	w.Helper()
	line := append([]string{"--cli", "--config", w.path(".mcp.json"),
		"--server", "git-context", "--method", method}, args...)
	c := w.tool(line...)
	var says strings.Builder
	c.Stderr = &says
	out, err := c.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		w.Fatal(err)
	}
	if got := c.ProcessState.ExitCode(); got != status {
		w.Fatalf("%s %q ends with %d, want %d:\n%s%s", method, args, got, status, out, says.String())
	}
	if to == nil {
		return
	}
	if err := json.Unmarshal(out, to); err != nil {
		w.Fatalf("%s %q: %v\n%s", method, args, err, out)
	}
}

// judged are the scenarios of the suite that any server can pass. The others call tools, prompts and resources that
// a server has for the suite alone.
func judged() []string {
	return []string{"server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "logging-set-level",
		"server-sse-multiple-streams", "dns-rebinding-protection"}
}

func others() []string {
	return []string{"completion-complete", "tools-call-simple-text", "tools-call-image", "tools-call-audio",
		"tools-call-embedded-resource", "tools-call-mixed-content", "tools-call-with-logging", "tools-call-error",
		"tools-call-with-progress", "tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults",
		"elicitation-sep1330-enums", "resources-read-text", "resources-read-binary", "resources-templates-read",
		"resources-subscribe", "resources-unsubscribe", "prompts-get-simple", "prompts-get-with-args",
		"prompts-get-embedded-resource", "prompts-get-with-image"}
}

// The suite speaks HTTP alone, so that the server is behind a handler that no program of ours has. It ends with 0 if
// exactly the scenarios fail that are expected to.
func (w *world) conforms() {
	server := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server {
		return mcp.New(mcp.Options{Dir: w.dir, Environ: w.env, Now: time.Now})
	}, nil))
	defer server.Close()
	expected := filepath.Join(w.home, "expected.yaml")
	w.writeFile(expected, "server:\n  - "+strings.Join(others(), "\n  - ")+"\n")
	out, err := w.tool("server", "--url", server.URL, "--expected-failures", expected).CombinedOutput()
	if err != nil {
		w.Errorf("%v\n%s", err, tail(string(out), 50))
	}
	for _, name := range judged() {
		if !strings.Contains(string(out), "✓ "+name+": ") {
			w.Errorf("%s does not pass:\n%s", name, tail(string(out), 50))
		}
	}
}
