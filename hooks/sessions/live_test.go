package sessions_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/hooks/claudecode"
	"github.com/git-context/git-context/hooks/sessions"
	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// transcriptOf is a session that edits a file in each of its turns.
func transcriptOf(dir, id string, turns int) string {
	var b strings.Builder
	for n := range turns {
		at := time.Date(2026, 11, 20, 10, 10*n, 0, 0, time.UTC)
		line := func(seconds int, format string, args ...any) {
			fmt.Fprintf(&b, `{"uuid":"%s-%d-%d","sessionId":"%s","cwd":%q,"timestamp":"%s",`, id, n, seconds, id, dir,
				at.Add(time.Duration(seconds)*time.Second).Format(time.RFC3339))
			fmt.Fprintf(&b, format+"}\n", args...)
		}
		line(0, `"type":"user","message":{"role":"user","content":"Task %d of %s"}`, n, id)
		line(5, `"type":"assistant","message":{"id":"%s-m%d","content":[{"type":"tool_use","id":"%s-t%d","name":"Edit","input":{"file_path":"%s/main.go"}}]}`, id, n, id, n, dir)
		line(9, `"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"%s-t%d","content":"ok"}]}`, id, n)
		line(12, `"type":"assistant","message":{"id":"%s-n%d","stop_reason":"end_turn","content":[{"type":"text","text":"Task %d is done."}]}`, id, n, n)
	}
	return b.String()
}

// A session that hooks record while an import runs is in memory once, whenever they do it; another session
// is imported beside it.
func TestImportBesideHooks(t *testing.T) {
	for reading, when := range []string{"before the first reading", "before the second reading", "never"} {
		t.Run(when, func(t *testing.T) {
			box := gittest.NewSandbox(t)
			dir := box.Path("repo")
			box.Git("", "init", "-q", "repo")
			box.Git("repo", "commit", "-q", "--allow-empty", "-m", "first")
			s := gittest.OK(refs.Open(t.Context(), store.Options{Dir: dir, Env: box.Env}))(t)
			t.Cleanup(func() { _ = s.Close() })
			gittest.OK(share.Init(t.Context(), s, share.InitOptions{}))(t)

			live := capture.Turn{Client: claudecode.Name, Session: "live", Transcript: filepath.Join(t.TempDir(), "live.jsonl"), Dir: dir,
				New: true, Decode: claudecode.Decode, Writer: store.Writer{Agent: claudecode.Name, Session: "live"}}
			gittest.Must(t, capture.Begin(t.Context(), s, live))
			text := ""
			says := func(turns int) {
				text = transcriptOf(dir, "live", turns)
				gittest.Must(t, os.WriteFile(live.Transcript, []byte(text), 0o666))
			}
			says(1)
			gittest.OK(capture.Record(t.Context(), s, live))(t)
			says(3)
			live.Ends = true
			opened := 0
			files := []sessions.File{
				{Client: claudecode.Name, Name: "live.jsonl", Path: live.Transcript, Dir: dir, Decode: claudecode.Decode,
					Open: func(context.Context) (io.ReadCloser, error) {
						if opened++; opened == reading+1 {
							gittest.OK(capture.Record(t.Context(), s, live))(t)
						}
						return io.NopCloser(strings.NewReader(text)), nil
					}},
				{Client: claudecode.Name, Name: "old.jsonl", Dir: dir, Decode: claudecode.Decode,
					Open: func(context.Context) (io.ReadCloser, error) {
						return io.NopCloser(strings.NewReader(transcriptOf(dir, "old", 2))), nil
					}},
			}
			// The files are named, as in `git context import FILE...`: a session that has not ended counts, too.
			got := gittest.OK(sessions.Import(t.Context(), s, sessions.Options{Files: files, Now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}))(t)
			if opened != 2 {
				t.Errorf("the file was read %d times", opened)
			}
			sources := sourcesOf(t, s)
			slices.Sort(sources)
			if once := slices.Compact(slices.Clone(sources)); len(sources) != 15 || len(once) != 15 {
				t.Errorf("%d steps of 5 turns, %d of them once: %q", len(sources), len(once), sources)
			}
			went := strings.Contains(strings.Join(got.Warnings, "\n"), "1 session goes on")
			steps := 6
			if when == "never" {
				steps = 12
			}
			if got.Steps != steps || went != (when != "never") {
				t.Errorf("imported %d steps, warnings %q", got.Steps, got.Warnings)
			}
			if again := gittest.OK(sessions.Import(t.Context(), s, sessions.Options{Files: files, Now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}))(t); again.Steps != 0 {
				t.Errorf("a second import took %d steps", again.Steps)
			}
		})
	}
}

// sourcesOf are the sources of all steps of all branches.
func sourcesOf(t *testing.T, s *refs.Store) (sources []string) {
	t.Helper()
	for _, name := range gittest.OK(s.BranchNames(t.Context()))(t) {
		gittest.Must(t, s.EachSource(t.Context(), name, func(source string) { sources = append(sources, source) }))
	}
	return sources
}
