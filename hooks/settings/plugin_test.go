package settings

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// runPlugins runs testdata/plugins.mjs with a program in place of git-context; "" for none. It returns what
// it prints, what the program was given, and how long it took.
// limit replaces the plugins' limit of milliseconds.
func runPlugins(t *testing.T, program, limit string) (out, given string, took time.Duration) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("*** SKIPPED: needs node and a POSIX shell ***")
	}
	dir := t.TempDir()
	script, err := os.ReadFile("testdata/plugins.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"opencode.mjs": openCodePlugin, "pi.mjs": piPlugin, "run.mjs": string(script)} {
		text = strings.Replace(text, "const limit = 2000 ", "const limit = "+limit+" ", 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	if program != "" {
		if err := os.WriteFile(filepath.Join(bin, "git-context"), []byte("#!/bin/sh\n"+program), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(node, "run.mjs")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+":/usr/bin:/bin", "GIVEN="+filepath.Join(dir, "given"))
	begun := time.Now()
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	took = time.Since(begun)
	log, _ := os.ReadFile(filepath.Join(dir, "given")) // absent where the program writes none
	return string(text), strings.ReplaceAll(string(log), dir, "DIR"), took
}

func TestPluginsRunHooks(t *testing.T) {
	t.Parallel()
	out, given, _ := runPlugins(t, `printf '%s %s\n' "$*" "$(cat)" >>"$GIVEN"
case $3 in start) echo '{"context": "START"}' ;; prompt) echo '{"context": "PROMPT"}' ;; *) echo '{"context": "NEVER"}' ;; esac
`, "60000")
	if want := `parts ["do it","PROMPT"]
title ["You are a title generator. You output ONLY a thread title."]
system ["You are an agent.","START"]
system ["You are an agent.","START"]
pi {"systemPrompt":"You are pi.\n\nSTART","message":{"customType":"git-context","content":"PROMPT","display":false}}
pi {"systemPrompt":"You are pi.\n\nSTART","message":{"customType":"git-context","content":"PROMPT","display":false}}
`; out != want {
		t.Errorf("it prints\n%s\nwant\n%s", out, want)
	}
	s1, s2 := `{"session_id":"s1","parent_id":null,"cwd":"DIR"`, `{"session_id":"s2","parent_id":"s1","cwd":"DIR"`
	s4 := `{"session_id":"s4","parent_id":null,"cwd":"DIR","began":"/elsewhere"`
	s5 := `{"session_id":"s5","parent_id":"s4","cwd":"DIR","began":"/elsewhere"`
	const part = `{"messageID":"msg_2","sessionID":"s1",`
	const said = `,"messages":[{"info":{"id":"msg_2","sessionID":"s1","role":"assistant"},"parts":[` + part
	s3 := `{"session_id":"s3","parent_id":null,"cwd":"DIR","transcript_path":"s3.jsonl"`
	if want := "hook opencode start " + s1 + "}\n" +
		"hook opencode prompt " + s1 + `,"prompt":"do it","message_id":"msg_1"}` + "\n" +
		"hook opencode activity " + s1 + said + `"id":"p1","type":"text","text":"done","time":{"start":1,"end":2}}]}]}` + "\n" +
		"hook opencode activity " + s1 + said + `"id":"p2","type":"tool","tool":"edit","callID":"c1","state":{"status":"completed","metadata":{"exit":1}}}]}]}` + "\n" +
		"hook opencode turn-end " + s1 + said + `"id":"p3","type":"step-finish","reason":"stop"},` + part + `"id":"p4","type":"text","text":"interrupted"}]}]}` + "\n" +
		"hook opencode start " + s2 + "}\n" +
		"hook opencode prompt " + s2 + `,"prompt":"","message_id":"msg_3"}` + "\n" +
		"hook opencode start " + s4 + "}\n" +
		"hook opencode prompt " + s4 + `,"prompt":"","message_id":"msg_4"}` + "\n" +
		"hook opencode start " + s5 + "}\n" +
		"hook opencode prompt " + s5 + `,"prompt":"","message_id":"msg_5"}` + "\n" +
		"hook opencode end " + s1 + "}\n" +
		"hook opencode end " + s4 + "}\n" +
		"hook pi start " + s3 + "}\n" +
		"hook pi prompt " + s3 + `,"prompt":"one"}` + "\n" +
		"hook pi prompt " + s3 + `,"prompt":"two"}` + "\n" +
		"hook pi turn-end " + s3 + `,"prompt":"two","messages":[{"role":"user","content":"two"}]}` + "\n" +
		"hook pi end " + s3 + "}\n"; given != want {
		t.Errorf("hooks were given\n%s\nwant\n%s", given, want)
	}
}

// Whatever is the matter with the hook, the client goes on.
func TestPluginsNeverFail(t *testing.T) {
	t.Parallel()
	want := `parts ["do it"]
title ["You are a title generator. You output ONLY a thread title."]
system ["You are an agent."]
system ["You are an agent."]
pi {}
pi {}
`
	for name, program := range map[string]string{
		"missing": "", "fails": "echo '{\"context\": \"NO\"}'; exit 1\n", "no JSON": "echo hello\n", "reads nothing": "exit 0\n",
		"other JSON": "echo '{\"context\": 1}'\n", "null": "echo null\n",
	} {
		if out, _, _ := runPlugins(t, program, "60000"); out != want {
			t.Errorf("%s: it prints\n%s", name, out)
		}
	}
}

func TestPluginsDoNotWait(t *testing.T) {
	t.Parallel()
	if _, _, took := runPlugins(t, "exec sleep 60\n", "100"); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}
