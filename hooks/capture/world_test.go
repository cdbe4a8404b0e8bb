package capture_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/hooks/claudecode"
	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// world is a repository with memory, and a transcript that grows.
type world struct {
	*testing.T
	s    *refs.Store
	dir  string
	turn capture.Turn
}

func newWorld(t *testing.T) *world {
	t.Helper()
	box := gittest.NewSandbox(t)
	dir := box.Path("repo")
	box.Git("", "init", "-q", "repo")
	box.Git("repo", "commit", "-q", "--allow-empty", "-m", "first")
	s := gittest.OK(refs.Open(t.Context(), store.Options{Dir: dir, Env: box.Env}))(t)
	t.Cleanup(func() { _ = s.Close() })
	gittest.OK(share.Init(t.Context(), s, share.InitOptions{}))(t)
	return &world{T: t, s: s, dir: dir, turn: capture.Turn{
		Client: claudecode.Name, Session: "S", Transcript: filepath.Join(t.TempDir(), "t.jsonl"), Dir: dir,
		Decode: claudecode.Decode, Writer: store.Writer{Agent: claudecode.Name, Session: "S"},
	}}
}

// ends writes the transcript and records the turn that ends with it.
func (w *world) ends(transcript string) capture.Result {
	w.Helper()
	transcript = strings.ReplaceAll(transcript, "/home/dev/project", w.dir)
	gittest.Must(w.T, os.WriteFile(w.turn.Transcript, []byte(transcript), 0o666))
	return gittest.OK(capture.Record(w.Context(), w.s, w.turn))(w.T)
}

// sources are those of all steps of the branch, pending ones included.
func (w *world) sources() (sources []string) {
	w.Helper()
	tip := gittest.OK(w.s.Tip(w.Context(), ""))(w.T)
	steps, _, err := history.Steps(w.Context(), w.s, tip, 0, 1_000_000)
	gittest.Must(w.T, err)
	for _, step := range steps {
		sources = append(sources, step.Source)
	}
	return sources
}
