//go:build unix

package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// server is a repository that others push to, and the way to it.
type server struct {
	dir string   // the bare repository on disk
	url string   // what a client calls it
	env []string // what a client's environment must have besides

	force string // of sshd: the only command; "" for any

	// cut ends every connection at once and refuses new ones until mend. Both are
	// nil where git itself opens the files.
	cut, mend func()
}

// serverKind is one way to serve. start returns an error where this machine
// cannot: the test is then skipped, and the summary says so.
type serverKind struct {
	name  string
	takes string // what a push may write: refs that begin with it
	start func(t testing.TB, s *server) error
}

var serverKinds = []serverKind{
	{"path", "refs/", byPath},
	{"git daemon", "refs/", gitDaemon},
	{"http-backend", "refs/", httpBackend},
	{"sshd", "refs/", sshd},
	{"heads only", "refs/heads/", headsOnly},
	{"read only", "none", readOnly},
}

// takesMemory says whether memory may be pushed under its own names.
func (k serverKind) takesMemory() bool { return k.takes == "refs/" }

// serve makes a bare repository with one code commit on main, and serves it
// until the test is over.
func (k serverKind) serve(t testing.TB) *server {
	t.Helper()
	s, err := k.try(t)
	if err != nil {
		t.Skipf("*** SKIPPED SERVER: %s (%v) ***", k.name, err)
	}
	return s
}

func (k serverKind) try(t testing.TB) (*server, error) {
	t.Helper()
	w := newHome(t)
	s := &server{dir: filepath.Join(t.TempDir(), "repo.git")}
	w.git("init", "-q", "--bare", s.dir)
	s.commit(w, strings.TrimSpace(w.git("-C", s.dir, "mktree")))
	t.Cleanup(func() { nothingRuns(t, s.mark()) })
	return s, k.start(t, s)
}

// mark is what nothingRuns finds the server's processes by.
func (s *server) mark() string { return filepath.Dir(s.dir) }

// news puts a code commit on the server's main, which no hook hears of.
func (s *server) news(w *world) string {
	w.t.Helper()
	return s.commit(w, "-p", "refs/heads/main", "refs/heads/main^{tree}")
}

func (s *server) commit(w *world, args ...string) string {
	w.t.Helper()
	id := strings.TrimSpace(w.git(append([]string{"-C", s.dir, "commit-tree", "-m", "news of the code"}, args...)...))
	w.git("-C", s.dir, "update-ref", "refs/heads/main", id)
	return id
}

// refs lists the server's refs under prefixes, each with its object.
func (s *server) refs(w *world, prefixes ...string) string {
	w.t.Helper()
	return w.git(append([]string{"-C", s.dir, "for-each-ref", "--format=%(refname) %(objectname)"}, prefixes...)...)
}

// userMark, with the user's directory, is in the environment of all that a user
// starts, so that nothingRuns finds it.
const userMark = "TEST_OF="

// user is someone with a home of their own who can reach the server, in an
// empty directory.
func (s *server) user(t testing.TB) *world {
	t.Helper()
	w := newHome(t)
	mark := userMark + w.dir
	t.Cleanup(func() { nothingRuns(t, mark) })
	w.env = append(w.env, mark, "GIT_TERMINAL_PROMPT=0")
	w.env = append(w.env, s.env...)
	return w
}

// clone is such a user in a clone.
func (s *server) clone(t testing.TB) *world {
	t.Helper()
	w := s.user(t)
	w.git("clone", "-q", s.url, ".")
	return w
}

// fails runs git, which must fail, and returns what it says.
func (w *world) fails(args ...string) string {
	w.t.Helper()
	out, err := w.command(nil, "git", args...).CombinedOutput()
	if err == nil {
		w.t.Errorf("git %s: nothing failed\n%s", strings.Join(args, " "), out)
	}
	return string(out)
}

// serverEnv is what a server's own git runs with: nobody's settings.
func serverEnv(s *server) []string {
	return []string{
		"HOME=" + filepath.Dir(s.dir), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC", "PATH=" + os.Getenv("PATH"),
	}
}

// gitProgram finds one of the programs that some systems package apart from git.
func gitProgram(name string) (string, error) {
	dir, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return "", fmt.Errorf("git --exec-path: %w", err)
	}
	path := filepath.Join(strings.TrimSpace(string(dir)), name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("no %s beside git", name)
	}
	return path, nil
}

func byPath(_ testing.TB, s *server) error {
	s.url = s.dir
	return nil
}

// headsOnly refuses a push that writes any other ref, as some hosts do.
func headsOnly(t testing.TB, s *server) error {
	return hooked(t, s, `while read -r old new ref; do
	case $ref in
	refs/heads/*|refs/tags/*) ;;
	*) echo "refused: $ref" >&2; exit 1 ;;
	esac
done
`)
}

func readOnly(t testing.TB, s *server) error {
	return hooked(t, s, "echo 'refused: nobody may push' >&2\nexit 1\n")
}

func hooked(t testing.TB, s *server, script string) error {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(s.dir, "hooks"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "hooks", "pre-receive"), []byte("#!/bin/sh\n"+script), 0o777); err != nil {
		t.Fatal(err)
	}
	return byPath(t, s)
}

// Every server takes and gives memory refs as plain git pushes and fetches them,
// and refuses what it is there to refuse.
func TestServers(t *testing.T) {
	t.Parallel()
	skipped := make([]string, len(serverKinds))
	t.Cleanup(func() {
		if missing := strings.Join(slices.DeleteFunc(skipped, func(s string) bool { return s == "" }), ", "); missing != "" {
			t.Logf("*** SKIPPED SERVERS: %s ***", missing)
		}
	})
	for i, k := range serverKinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			s, err := k.try(t)
			if err != nil {
				skipped[i] = fmt.Sprintf("%s (%v)", k.name, err)
				t.Skip(skipped[i])
			}
			smoke(t, k, s)
		})
	}
}

func smoke(t *testing.T, k serverKind, s *server) {
	a, b := s.clone(t), s.clone(t)
	a.git("commit", "-q", "--allow-empty", "-m", "code")
	a.git("update-ref", "refs/context/heads/x", "HEAD")
	a.git("notes", "--ref=context", "add", "-m", `{"v":1}`)
	before := s.refs(a)
	memory := []string{"refs/context/heads/x", "refs/notes/context"}
	push := append([]string{"push", "-q", "origin"}, memory...)
	if !k.takesMemory() {
		if out := a.fails(push...); !strings.Contains(out, "refused: ") {
			t.Errorf("the refusal says %q", out)
		}
		if after := s.refs(a); after != before {
			t.Errorf("refs of the server:\n%s\nbefore:\n%s", after, before)
		}
	} else {
		a.git(push...)
		b.git("fetch", "-q", "origin", memory[0]+":"+memory[0], memory[1]+":"+memory[1])
		for _, ref := range memory {
			if got, want := b.git("rev-parse", ref), a.git("rev-parse", ref); got != want {
				t.Errorf("%s is %s, not %s", ref, got, want)
			}
		}
	}
	if k.takes == "none" {
		a.fails("push", "-q")
	} else {
		a.git("push", "-q")
	}
	if trace, err := a.command([]string{"GIT_TRACE_PACKET=1"}, "git", "-c", "protocol.version=2", "ls-remote", "-q").CombinedOutput(); err != nil || !strings.Contains(string(trace), "version 2") {
		t.Errorf("no protocol version 2: %v\n%s", err, trace)
	}
}
