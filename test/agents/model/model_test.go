package model

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// dialect is how a test asks in one of the APIs.
type dialect struct {
	api, path, stream string
	body              string // of a request in which the user says SAID
	said, call        string // texts that an answer has if it says or calls something
}

func dialects() []dialect {
	return []dialect{
		{
			"anthropic", "/v1/messages?beta=true", "message_stop",
			`{"model":"m","stream":STREAM,"messages":[{"role":"user","content":[{"type":"text","text":"SAID"}]},{"role":"assistant","content":"x"},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"Play two"}]}],` +
				`"tools":[{"name":"Bash","input_schema":{"properties":{"command":{"type":"string"},"description":{"type":"string"}},"required":["command","description"]}}]}`,
			`"text":"Hello."`, `{\"command\":\"ls\",\"description\":\"scripted\"}`,
		},
		{
			"responses", "/v1/responses", "response.completed",
			`{"model":"m","stream":STREAM,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"SAID"}]},` +
				`{"type":"function_call_output","call_id":"c","output":"Play two"}],"tools":[{"type":"custom","name":"apply_patch"},` +
				`{"type":"function","name":"exec_command","parameters":{"properties":{"cmd":{"type":"string"}}}}]}`,
			`"text":"Hello."`, `"arguments":"{\"cmd\":\"ls\"}"`,
		},
		{
			"gemini", "/v1beta/models/m:METHOD", `"finishReason":"STOP"`,
			`{"contents":[{"role":"user","parts":[{"text":"SAID"}]},{"role":"user","parts":[{"functionResponse":{"response":{"output":"Play two"}}}]}],` +
				`"tools":[{"functionDeclarations":[{"name":"run_shell_command","parametersJsonSchema":{"properties":{"command":{"type":"string"}}}}]}]}`,
			`"text":"Hello."`, `"args":{"command":"ls"}`,
		},
		{
			"chat", "/v1/chat/completions", "[DONE]",
			`{"model":"m","stream":STREAM,"messages":[{"role":"user","content":"SAID"},{"role":"assistant","content":null},{"role":"tool","content":"Play two"}],` +
				`"tools":[{"type":"function","function":{"name":"bash","parameters":{"properties":{"command":{"type":"string"}}}}}]}`,
			`"content":"Hello."`, `"arguments":"{\"command\":\"ls\"}"`,
		},
	}
}

func start(t *testing.T) (*Server, string) {
	t.Helper()
	log := t.TempDir()
	s, err := Start(log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, log
}

// ask returns the status and the text of an answer.
func (s *Server) ask(t *testing.T, path, body string) (int, string) {
	t.Helper()
	r, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// In each API a scene is played turn by turn, streamed or not, and each request is logged.
func TestScenes(t *testing.T) {
	t.Parallel()
	for _, d := range dialects() {
		for _, stream := range []string{"true", "false"} {
			s, log := start(t)
			s.Play(Scene{"Play one", []Turn{{Deeds: []Deed{Shell("ls")}}, {Say: "Hello.", Wait: time.Millisecond}}}, Scene{"Play two", []Turn{Say("Wrong.")}})
			method := map[string]string{"true": "streamGenerateContent", "false": "generateContent"}[stream]
			path := strings.Replace(d.path, "METHOD", method, 1)
			body := strings.NewReplacer("SAID", "First.\\nPlay one", "STREAM", stream).Replace(d.body)
			for i, want := range []string{d.call, d.said, d.said} {
				status, text := s.ask(t, path, body)
				if plain := strings.ReplaceAll(text, `\"`, `"`); status != 200 || !strings.Contains(plain, strings.ReplaceAll(want, `\"`, `"`)) {
					t.Errorf("%s: answer %d lacks %s: %d %s", d.api, i, want, status, text)
				}
				if ends := strings.Contains(text, d.stream); ends != (stream == "true" || d.api == "gemini") {
					t.Errorf("%s: stream %s: %s", d.api, stream, text)
				}
				if stream == "false" && !json.Valid([]byte(text)) {
					t.Errorf("%s: no JSON: %s", d.api, text)
				}
			}
			asked := s.Requests()
			if len(asked) != 3 || asked[2].Turn != 2 || asked[2].Scene != "Play one" || asked[2].API != d.api || asked[2].Body != body {
				t.Errorf("%s: asked %+v", d.api, asked)
			}
			if files, err := os.ReadDir(log); err != nil || len(files) != 3 {
				t.Errorf("%d files are logged: %v", len(files), err)
			}
		}
	}
}

// The scene of the newest prompt is played, or goes on. Without tools, and without a scene, the answer is a
// fixed text.
func TestWhichScene(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	s.Play(Scene{"Play one", []Turn{Say("One.")}}, Scene{"Play two", []Turn{Say("Two.")}})
	const tools = `,"tools":[{"type":"function","function":{"name":"bash"}}]`
	for _, c := range []struct{ said, tools, want string }{
		{"Play", tools, "Scripted."}, {"Play one. Play two", tools, "Two."}, {"Play two. Play one", tools, "One."},
		{"Go on.", tools, "One."}, {"Play one", "", "Scripted."},
	} {
		if _, text := s.ask(t, "/v1/chat/completions", `{"messages":[{"role":"user","content":"`+c.said+`"}]`+c.tools+`}`); !strings.Contains(text, c.want) {
			t.Errorf("%s: %s", c.said, text)
		}
	}
	for path, want := range map[string]int{"/@some%2fpackage": 404, "/v1/messages/count_tokens": 200, "/v1beta/models/m:countTokens": 200} {
		if status, text := s.ask(t, path, "{}"); status != want {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if status, _ := s.ask(t, "/v1/responses", "{"); status != http.StatusBadRequest {
		t.Errorf("a torn request: %d", status)
	}
}

// A deed becomes the call that a client declares, with its names of parameters.
func TestDeeds(t *testing.T) {
	t.Parallel()
	declared := func(text string) (tools []tool) {
		q, err := parseAnthropic([]byte(`{"tools":[` + text + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		return q.tools
	}
	for _, c := range []struct {
		tools []tool
		deed  Deed
		name  string
		want  any
	}{
		{declared(`{"name":"read","input_schema":{"properties":{"filePath":{}}}}`), Read("f"), "read", object{"filePath": "f"}},
		{declared(`{"name":"bash"}`), Read("f"), "bash", object{"command": "cat 'f'"}},
		{declared(`{"name":"create","input_schema":{"properties":{"path":{},"file_text":{}}}}`), Write("f", "x"), "create", object{"path": "f", "file_text": "x"}},
		{declared(`{"name":"bash"}`), Write("f", "x"), "bash", object{"command": "printf '%s' 'x' >'f'"}},
		{[]tool{{name: "apply_patch", text: true}}, Write("f", "x\ny"), "apply_patch", "*** Begin Patch\n*** Add File: f\n+x\n+y\n*** End Patch\n"},
		{declared(`{"name":"apply_patch"}`), Write("f", "x"), "apply_patch", object{"patchText": "*** Begin Patch\n*** Add File: f\n+x\n*** End Patch\n"}},
		{
			declared(`{"name":"Agent","input_schema":{"properties":{"prompt":{},"n":{"type":"integer"},"on":{"type":"boolean"},"kind":{"enum":["a","b"]}},` +
				`"required":["prompt","subagent_type","n","on","kind"]}}`), Spawn("Go"), "Agent",
			object{"prompt": "Go", "subagent_type": "general-purpose", "n": 1, "on": false, "kind": "a"},
		},
		{declared(`{"name":"exec_command"}`), Spawn("Go"), "spawn_agent", object{"message": "Go", "agent_type": "default"}},
		{declared(`{"name":"shell","input_schema":{"properties":{"command":{"type":"array"}}}}`), Shell("ls"), "shell", object{"command": []string{"sh", "-c", "ls"}}},
	} {
		got := (&question{tools: c.tools}).call(c.deed)
		if diff := cmp.Diff(c.want, got.input); diff != "" || got.tool.name != c.name {
			t.Errorf("%s: %s", got.tool.name, diff)
		}
	}
}

// An interrupted client gets no answer, and the server goes on.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	s.Play(Scene{"Play one", []Turn{{Say: "Late.", Wait: time.Hour}, Say("In time.")}})
	const body = `{"messages":[{"role":"user","content":"Play one"}],"tools":[{"type":"function","function":{"name":"bash"}}]}`
	client := &http.Client{Timeout: 50 * time.Millisecond}
	if r, err := client.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(body)); err == nil {
		_ = r.Body.Close()
		t.Error("it was answered")
	}
	if _, text := s.ask(t, "/v1/chat/completions", body); !strings.Contains(text, "In time.") {
		t.Error(text)
	}
	if turns := s.Requests(); len(turns) != 2 || !slices.IsSortedFunc(turns, func(a, b Request) int { return a.Turn - b.Turn }) {
		t.Errorf("%+v", turns)
	}
}
