//go:build unix

package gogit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

// tags are those of the released binary.
const tags = "urfave_cli_no_docs,urfave_cli_no_suggest"

// gitConfig belongs to a user of whom nothing runs in the background.
const gitConfig = `[user]
	name = Zoë d'Été
	email = zoe@example.com
[init]
	defaultBranch = main
[context]
	gcAuto = 0
[gc]
	auto = 0
[maintenance]
	auto = false
`

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "gogit")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := 1
	if err := isolate(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// isolate builds git-context into dir, puts it on the PATH, and gives this process and its
// children a home and an environment away from the user's.
func isolate(dir string) error {
	bin, home := filepath.Join(dir, "bin"), filepath.Join(dir, "home")
	build := exec.Command("go", "build", "-trimpath", "-tags", tags, "-o", filepath.Join(bin, "git-context"),
		"../../cmd/git-context")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	if err := os.Mkdir(home, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(gitConfig), 0o666); err != nil {
		return err
	}
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "XDG_") {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "PATH": bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "TZ": "UTC",
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// world is a repository with memory, beside real git and the real command.
type world struct {
	t   testing.TB
	dir string
	env []string // besides the process's
}

// newWorld makes a repository with one code commit and an initialised memory.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), env: []string{"PATH=" + gittest.Path()}}
	w.git("init", "-q")
	w.git("commit", "-q", "--allow-empty", "-m", "code")
	w.memory("init", "--goal", "Serve a hundred users\n\n## Goal\nnot a heading", "--milestone", "The pool is fast",
		"--todo", "Read the profile")
	return w
}

// run runs a program, which must succeed, and returns its standard output.
func (w *world) run(stdin, name string, args ...string) []byte {
	w.t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(w.t.Context(), name, args...)
	cmd.Dir, cmd.Env = w.dir, append(os.Environ(), w.env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("%s %q: %v\n%s", name, args, err, &errs)
	}
	return out.Bytes()
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	return string(w.run("", "git", args...))
}

// memory runs git-context.
func (w *world) memory(args ...string) []byte {
	w.t.Helper()
	return w.run("", "git-context", args...)
}

// json runs git-context with --json and decodes what it prints.
func (w *world) json(v any, args ...string) {
	w.t.Helper()
	out := w.memory(append(args, "--json")...)
	if err := json.Unmarshal(out, v); err != nil {
		w.t.Fatalf("git-context %q: %v in\n%s", args, err, out)
	}
}

// repositoryOfExample makes a repository whose memory has two branches and one commit.
func repositoryOfExample() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "gogit-example")
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range [][]string{
		{"git", "init", "-q"},
		{"git-context", "init", "--goal", "Make /users answer"},
		{"git-context", "branch", "lazy-pool", "--purpose", "Open it on first use"},
		{"git-context", "record", "-o", "200 on /users", "-a", "go test ./store"},
		{"git-context", "commit", "-m", "It opens on first use"},
	} {
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONTEXT_AGENT=claude-code",
			"GIT_AUTHOR_DATE=2026-11-21T01:37:05Z", "GIT_COMMITTER_DATE=2026-11-21T01:37:05Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			log.Fatalf("%v: %v\n%s", line, err, out)
		}
	}
	return dir, func() {
		if err := os.RemoveAll(dir); err != nil {
			log.Fatal(err)
		}
	}
}
