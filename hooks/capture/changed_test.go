package capture_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/internal/gittest"
)

// shellTurn is a turn in which the agent ran one command, some time ago.
func shellTurn(w *world, n int, ago time.Duration) string {
	at := func(plus time.Duration) string {
		return time.Now().Add(plus - ago).UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprintf(`{"type":"user","uuid":"u%[1]d","sessionId":"S","timestamp":%[2]q,"cwd":%[4]q,"message":{"role":"user","content":"Generate %[1]d"}}
{"type":"assistant","uuid":"a%[1]d","sessionId":"S","timestamp":%[2]q,"cwd":%[4]q,"message":{"id":"m%[1]d","role":"assistant","stop_reason":"tool_use","content":[{"type":"tool_use","id":"toolu_%[1]d","name":"Bash","input":{"command":"make generate"}}]}}
{"type":"user","uuid":"r%[1]d","sessionId":"S","timestamp":%[3]q,"cwd":%[4]q,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%[1]d","content":"ok"}]}}
{"type":"assistant","uuid":"f%[1]d","sessionId":"S","timestamp":%[3]q,"cwd":%[4]q,"message":{"id":"n%[1]d","role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"Generated %[1]d."}]}}
`, n, at(0), at(time.Second), w.dir)
}

// What a shell command wrote is known by git, and makes a commit of a turn with few calls. A file
// that was written before the turn, and one that a pattern names, are not the turn's.
func TestFilesOfShellCommands(t *testing.T) {
	w := newWorld(t)
	gittest.OK(w.s.Repo().Run(t.Context(), "config", "context.codeWait", "60000"))(t) // on any machine
	old := time.Now().Add(-2*time.Second - 100*time.Millisecond)                      // in the same second, more often than not
	for _, name := range []string{"made.go", "deep/made.go", "deep/before.go", "secret.pem"} {
		path := filepath.Join(w.dir, name)
		gittest.Must(t, os.MkdirAll(filepath.Dir(path), 0o777))
		gittest.Must(t, os.WriteFile(path, []byte("package made\n"), 0o666))
	}
	info := filepath.Join(w.dir, ".git", "info")
	gittest.Must(t, os.MkdirAll(info, 0o777))
	gittest.Must(t, os.WriteFile(filepath.Join(info, "context-ignore"), []byte("*.pem\n"), 0o666))
	gittest.Must(t, os.Chtimes(filepath.Join(w.dir, "deep/before.go"), old, old.Truncate(time.Millisecond).Add(time.Microsecond)))
	gittest.OK(w.s.Repo().Run(t.Context(), "add", "-N", "deep"))(t) // git lists an untracked folder as one
	first := shellTurn(w, 1, 2*time.Second)
	if r := w.ends(first); r.Steps == 0 || r.Commit == "" {
		t.Fatalf("%+v", r)
	}
	tip := gittest.OK(w.s.Tip(t.Context(), ""))(t)
	if text := tip.Commit().Message; !strings.Contains(text, "Files: deep/made.go, made.go\n") {
		t.Errorf("%s", text)
	}
	// The same files are not those of a turn that comes an hour later.
	if r := w.ends(first + shellTurn(w, 2, -time.Hour)); r.Steps == 0 || r.Commit != "" {
		t.Errorf("%+v", r)
	}
}

// A broken index keeps no turn from being recorded, and is reported.
func TestBrokenIndex(t *testing.T) {
	w := newWorld(t)
	gittest.Must(t, os.WriteFile(filepath.Join(w.dir, ".git", "index"), []byte("broken"), 0o666))
	gittest.Must(t, os.WriteFile(w.turn.Transcript, []byte(shellTurn(w, 1, 2*time.Second)), 0o666))
	r, err := capture.Record(t.Context(), w.s, w.turn)
	if r.Steps != 3 || err == nil || !strings.Contains(err.Error(), "the files that the turn changed are not known") {
		t.Errorf("%+v, %v", r, err)
	}
	if r, _ := capture.Record(t.Context(), w.s, w.turn); r.Steps != 0 {
		t.Errorf("%+v", r)
	}
}
