package mcp

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/cmd"
	"github.com/git-context/git-context/internal/gittest"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// world is a client of a server, with a repository that has memory.
type world struct {
	*testing.T
	dir     string
	options Options
	session *sdk.ClientSession
}

func newWorld(t *testing.T, roots ...string) *world {
	t.Helper()
	top := t.TempDir()
	w := &world{T: t, dir: filepath.Join(top, "repo")}
	env := gittest.Env(t, filepath.Join(top, "home"), "[user]\n\tname = Ann\n\temail = ann@example.com\n")
	for _, name := range append([]string{"repo"}, roots...) {
		git := exec.Command("git", "init", "-q", filepath.Join(top, name))
		git.Env = env
		gittest.Must(t, git.Run())
	}
	w.options = Options{Dir: w.dir, Environ: append(env, "CLAUDE_CODE_SESSION_ID=s1"), Now: time.Now}
	a := cmd.Call(t.Context(), &cmd.Env{Dir: w.dir, Environ: env, Now: time.Now}, []string{"init", "--goal", "Greet"})
	if a.Err != nil {
		t.Fatal(a.Err)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "claude-code", Version: "1"}, nil)
	for _, name := range roots {
		//lint:ignore SA1019 see where.go
		client.AddRoots(&sdk.Root{URI: "file://" + filepath.Join(top, name)})
	}
	w.connect(client, "2025-11-25")
	return w
}

func (w *world) connect(client *sdk.Client, version string) {
	w.Helper()
	here, there := sdk.NewInMemoryTransports()
	gittest.OK(New(w.options).Connect(w.Context(), there, nil))(w.T)
	w.session = gittest.OK(client.Connect(w.Context(), here, &sdk.ClientSessionOptions{ProtocolVersion: version}))(w.T)
	w.Cleanup(func() { _ = w.session.Close() })
}

// use calls a tool and returns its text and its result.
func (w *world) use(name string, arguments map[string]any) (string, map[string]any, bool) {
	w.Helper()
	r := gittest.OK(w.session.CallTool(w.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments}))(w.T)
	text := r.Content[0].(*sdk.TextContent).Text
	value, _ := r.StructuredContent.(map[string]any)
	if n := max(len(text), size(value)); n > 8000 {
		w.Errorf("%s returns %d bytes", name, n)
	}
	return text, value, r.IsError
}

func (w *world) must(name string, arguments map[string]any, want string) map[string]any {
	w.Helper()
	text, value, failed := w.use(name, arguments)
	if failed || !strings.Contains(text, want) {
		w.Fatalf("%s %v returns %s", name, arguments, text)
	}
	return value
}

func TestToolsDoWhatCommandsDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must("record", map[string]any{"observation": "-x is unknown",
		"thought": "token ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"}, `"step":1`)
	w.must("context", map[string]any{"log": true}, "-x is unknown")
	log := w.must("context", map[string]any{"log": true}, "claude-code")["text"].(string)
	if strings.Contains(log, "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB") {
		t.Error("a secret is not redacted")
	}
	w.must("commit", map[string]any{"summary": "The pool is ready", "contribution": "- before the router",
		"todo": []string{"Close it"}}, `"count":1`)
	w.must("remember", map[string]any{"key": "db-pool", "text": "--pool must be up", "pin": true}, `"path"`)
	w.must("context", map[string]any{}, "--pool must be up")
	w.must("context", map[string]any{"topic": "db-pool"}, "--pool must be up")
	w.must("recall", map[string]any{"text": "the pool is ready"}, "The pool is ready")
	w.must("branch", map[string]any{"name": "try", "purpose": "A test"}, `"name":"try"`)
	w.must("remember", map[string]any{"key": "db-pool", "text": "there"}, "")
	w.must("branch", map[string]any{"name": "main", "switch": true}, `"name":"main"`)
	w.must("remember", map[string]any{"key": "db-pool", "text": "here"}, "")
	if text, value, failed := w.use("merge", map[string]any{"name": "try"}); !failed || value["code"] != "merge-conflict" || !strings.Contains(text, "there") {
		t.Errorf("a conflict is %s", text)
	}
	w.must("merge", map[string]any{"abort": true}, "")
	w.must("merge", map[string]any{"name": "try", "prefer": "ours"}, `"merged":"try"`)
	w.must("branch", map[string]any{}, `"status":"merged"`)
	for _, uri := range []string{briefURI, topicsURI, topicURI + "db-pool"} {
		if _, err := w.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
	if _, err := w.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: topicURI + "none"}); err == nil {
		t.Error("an unknown topic is no error")
	}
}

// A file of the repository can be attached, and none from elsewhere, also not by a link.
func TestRecordAttaches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gittest.Must(t, os.WriteFile(filepath.Join(w.dir, "out.txt"), []byte("what it printed\n"), 0o666))
	away := filepath.Join(t.TempDir(), "away.txt")
	gittest.Must(t, os.WriteFile(away, []byte("private\n"), 0o666))
	gittest.Must(t, os.Symlink(away, filepath.Join(w.dir, "link")))
	w.must("record", map[string]any{"observation": "It prints more", "attach": []string{"out.txt", filepath.Join(w.dir, "out.txt")}}, `"out.txt"`)
	for _, name := range []string{away, "link", "../away.txt"} {
		if text, _, failed := w.use("record", map[string]any{"observation": "x", "attach": []string{name}}); !failed || !strings.Contains(text, `"code":"path-outside"`) {
			t.Errorf("%s: %s", name, text)
		}
	}
	if text, _, failed := w.use("record", map[string]any{"observation": "x", "attach": []string{"none"}}); !failed || !strings.Contains(text, `"code":"attachment-unreadable"`) {
		t.Errorf("a missing file: %s", text)
	}
}

func TestErrorsAreAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.connect(sdk.NewClient(&sdk.Implementation{Name: "x", Version: "1"},
		&sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}), "2025-11-25") // it has no roots
	for _, c := range []struct {
		tool string
		in   map[string]any
		want string
	}{
		{"record", map[string]any{}, `"code":"usage"`},
		{"merge", map[string]any{"name": "none"}, `"code":"branch-not-found"`},
		{"context", map[string]any{"cursor": "9-0"}, `"code":"stale"`},
		{"context", map[string]any{"repository": t.TempDir()}, `"code":"not-a-repository"`},
		{"commit", map[string]any{"summary": 1}, "arguments"},
	} {
		if text, _, failed := w.use(c.tool, c.in); !failed || !strings.Contains(text, c.want) {
			t.Errorf("%s %v is %s", c.tool, c.in, text)
		}
	}
	s := &server{options: w.options, call: func(context.Context, *cmd.Env, []string) cmd.Answer { panic("fault") }}
	m := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
	s.addTools(m)
	m.AddReceivingMiddleware(survive)
	here, there := sdk.NewInMemoryTransports()
	gittest.OK(m.Connect(t.Context(), there, nil))(t)
	c := gittest.OK(sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, nil).Connect(t.Context(), here, nil))(t)
	for range 2 {
		if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "context"}); err == nil || !strings.Contains(err.Error(), "internal error") {
			t.Errorf("a panic is %v", err)
		}
	}
}

func TestCursorContinues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := strings.Repeat("\"quoted\" line of a topic\n", 1500) + "the end"
	w.must("remember", map[string]any{"key": "long", "text": text}, "")
	var all strings.Builder
	in := map[string]any{"topic": "long"}
	for range 20 {
		v := w.must("context", in, "")
		all.WriteString(v["text"].(string))
		next, more := v["cursor"].(string)
		if !more {
			break
		}
		in["cursor"] = next
	}
	if got := strings.Count(all.String(), "\"quoted\" line"); got != 1500 || !strings.Contains(all.String(), "the end") {
		t.Errorf("%d lines of 1500", got)
	}
}

// A resource is not larger than a result; its end says how the tool goes on.
func TestResourcesAreCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	read := func(uri string) string {
		t.Helper()
		r := gittest.OK(w.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}))(t)
		text := r.Contents[0].Text
		if n := size(text); text == "" || n > 8000 {
			t.Errorf("%s has %d bytes", uri, n)
		}
		return text
	}
	read(topicsURI)
	if _, err := w.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: topicURI}); err == nil {
		t.Error("a topic without a key is no error")
	}
	const line = "\"quoted\" line of a topic\n"
	w.must("remember", map[string]any{"key": "long", "text": strings.Repeat(line, 1500) + "the end"}, "")
	for i := range 200 {
		w.must("remember", map[string]any{"key": "k" + strconv.Itoa(i),
			"text": "One of many topics, with a text that is not quite so short"}, "")
	}
	for uri, calls := range map[string]int{topicURI + "long": 6, topicsURI: 2} {
		text := read(uri)
		all, end, cut := strings.Cut(text, "\n(")
		_, call, found := strings.Cut(strings.TrimSuffix(end, ")\n"), "bytes more: call the tool context with ")
		var in map[string]any
		if err := json.Unmarshal([]byte(call), &in); !cut || !found || err != nil {
			t.Fatalf("%s ends with %q: %v", uri, end, err)
		}
		n := 1
		for ; in["cursor"] != nil; n++ {
			v := w.must("context", in, "")
			all += v["text"].(string)
			in["cursor"] = v["cursor"]
		}
		if strings.Contains(uri, "long") && strings.Count(all, line) != 1500 || n < calls || strings.Contains(uri, "long") && !strings.HasSuffix(strings.TrimSpace(all), "the end") {
			t.Errorf("%s: %d calls, %d lines", uri, n, strings.Count(all, line))
		}
		if uri == topicsURI && strings.Count(all, "One of many topics") != 200 {
			t.Errorf("%d topics", strings.Count(all, "One of many topics"))
		}
	}
	read(briefURI)
}

func TestRootsLimitRepositories(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "repo", "zoo")
	w.must("context", map[string]any{}, "Greet")
	if text, _, _ := w.use("context", map[string]any{"repository": filepath.Join(w.dir, "..", "zoo")}); !strings.Contains(text, `"no-memory"`) {
		t.Errorf("another root is %s", text)
	}
	if text, _, _ := w.use("context", map[string]any{"repository": os.TempDir()}); !strings.Contains(text, `"path-outside"`) {
		t.Errorf("a folder outside is %s", text)
	}
}

// A client that could have roots and names none is limited to where the server began.
func TestNoRootsLimitRepositories(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must("context", map[string]any{"repository": w.dir}, "Greet")
	if text, _, _ := w.use("context", map[string]any{"repository": os.TempDir()}); !strings.Contains(text, `"path-outside"`) {
		t.Errorf("a folder outside is %s", text)
	}
}

func TestProtocols(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		w.connect(sdk.NewClient(&sdk.Implementation{Name: "copilot-cli", Version: "1"}, nil), version)
		w.must("context", map[string]any{}, "Greet")
	}
}

func TestToolsAreDescribed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if len(instructions) > 1000 {
		t.Errorf("the instructions have %d characters", len(instructions))
	}
	list := gittest.OK(w.session.ListTools(t.Context(), nil))(t)
	if len(list.Tools) != 7 {
		t.Errorf("%d tools", len(list.Tools))
	}
	for _, tool := range list.Tools {
		if !strings.Contains(instructions, tool.Name+" (") || len(tool.Description) > 2000 {
			t.Errorf("%s: not in the instructions, or too long", tool.Name)
		}
		if a := tool.Annotations; a.DestructiveHint == nil || a.OpenWorldHint == nil {
			t.Errorf("%s lacks hints", tool.Name)
		}
		in := gittest.OK(json.Marshal(tool.InputSchema))(t)
		if strings.Contains(string(in), `"null"`) {
			t.Errorf("%s takes null: %s", tool.Name, in)
		}
	}
}

func TestGarbageAndEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := `garbage
{}
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"context","arguments":{}}}`
	var out strings.Builder
	if err := Serve(t.Context(), w.options, strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); strings.Count(s, "-32700") != 2 || !strings.Contains(s, `"protocolVersion":"2025-06-18"`) || !strings.Contains(s, "Greet") {
		t.Errorf("the answers are %s", s)
	}
}

// No message ends the session, whatever its answer is, and what this server and its SDK read of it is the same.
func TestOddMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen"}
{"jsonrpc":"2.0","id":3,"ID":null,"method":"tools/list"}
{"jsonrpc":"2.0","id":4,"method":"tools/list","Method":""}
{"jsonrpc":"2.0","id":5,"method":"ping","id":null}
{"jsonrpc":"2.0","id":1.5,"method":"ping"}
{"jsonrpc":"2.0","id":6}
{"jsonrpc":"2.0","id":7,"error":5}
{"jsonrpc":"2.0","id":{},"method":"ping"}
{"jsonrpc":"2.0","id":true,"method":"ping"}
{"jsonrpc":"2.0","id":8,"method":5}
{"jsonrpc":"2.0","id":8,"method":"ping"} x
[{"jsonrpc":"2.0","id":8,"method":"ping"}]
{"jsonrpc":"2.0","id":8,"params":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `,"method":"ping"}
{"jsonrpc":"2.0","id":"9","method":"tools/call","params":{"name":"context","arguments":{}}}`
	var out strings.Builder
	start := time.Now()
	if err := Serve(t.Context(), w.options, strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took >= endWait {
		t.Errorf("the end waited %s for answers that had come", took)
	}
	s := out.String()
	if n := strings.Count(s, "-32700"); n != 7 {
		t.Errorf("%d lines are no messages, not 7: %s", n, s)
	}
	for _, id := range []string{"0", "2", "3", "4", `"9"`} {
		if !strings.Contains(s, `"id":`+id+`,`) {
			t.Errorf("%s has no answer: %s", id, s)
		}
	}
}
