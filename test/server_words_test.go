//go:build unix

package test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gitolite's answer to a push without the right to write, and GitLab's banner: lines of the server's standard
// error, before any git runs there.
const (
	gitoliteDenies = "FATAL: W any repo user DENIED by fallthru\n(or you mis-spelled the reponame)\n"
	gitlabBanner   = "remote: \nremote: ========================================================================\nremote: \n" +
		"remote: ERROR: The project you were looking for could not be found or you don't have permission to view it.\n" +
		"\nremote: \nremote: ========================================================================\nremote: \n"
)

// giteaProtects is a hook as Gitea's, of a protected branch, with a password and an escape that must not be shown.
const giteaProtects = `printf '\nGitea: Not allowed to push to protected branch main\n\nsee https://bot:hunter2@host/help \033[31mred\n' >&2
exit 1
`

const (
	giteaSays = "remote:\nremote: Gitea: Not allowed to push to protected branch main\nremote:\n" +
		"remote: see https://bot:xxxxx@host/help ^[[31mred\n"
)

// forced is an sshd whose only command is what hosts put before git: it refuses as the file "denies" says, for
// the commands of the file "denied", and else runs git-shell.
func forced(t testing.TB, s *server) error {
	shell, err := exec.LookPath("git-shell")
	if err != nil {
		return err
	}
	s.force = filepath.Join(filepath.Dir(s.dir), "force")
	script := `#!/bin/sh
cd "$(dirname "$0")" || exit 1
case $SSH_ORIGINAL_COMMAND in
"$(cat denied 2>/dev/null || echo nothing)"*) cat denies >&2; exit 1 ;;
esac
exec ` + shell + ` -c "$SSH_ORIGINAL_COMMAND"
`
	if err := os.WriteFile(s.force, []byte(script), 0o777); err != nil {
		return err
	}
	return sshd(t, s)
}

// deny lets a forced server refuse a command of git's.
func (s *server) deny(t testing.TB, command, says string) {
	t.Helper()
	for name, text := range map[string]string{"denied": command, "denies": says} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(s.dir), name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// saying runs a command that must fail and returns what it prints on standard error.
func (w *world) saying(args ...string) string {
	w.t.Helper()
	cmd := w.command(nil, w.bin, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err == nil {
		w.t.Errorf("git-context %s: nothing failed\n%s", strings.Join(args, " "), &errs)
	}
	return errs.String()
}

// saidOf is the key of a JSON error with the host's words.
func saidOf(t testing.TB, stderr string) string {
	t.Helper()
	var v struct{ Error struct{ Said string } }
	if err := json.Unmarshal([]byte(stderr), &v); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	return v.Error.Said
}

// What a host says before it hangs up is printed whole, in its order, once, before the error.
func TestWordsOfAHostOverSSH(t *testing.T) {
	t.Parallel()
	s := serverKind{name: "sshd with a forced command", takes: "refs/", start: forced}.serve(t)
	w := s.clone(t)
	w.ok("init", "--goal", "Be heard")
	w.ok("push", "--yes")
	w.ok("commit", "-m", "News")

	s.deny(t, "git-receive-pack", gitoliteDenies)
	unreachable := "git-context: error: cannot reach remote 'origin': git push: Could not read from remote repository.\nhint: git remote -v\n"
	want := "remote: FATAL: W any repo user DENIED by fallthru\nremote: (or you mis-spelled the reponame)\n" + unreachable
	if got := w.saying("push"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := saidOf(t, w.saying("push", "--json")); got != strings.TrimSpace(gitoliteDenies) {
		t.Errorf("JSON says %q", got)
	}

	s.deny(t, "git-upload-pack", gitlabBanner)
	rule := "remote: ========================================================================\n"
	want = "remote:\n" + rule + "remote:\nremote: ERROR: The project you were looking for could not be found or you don't have permission to view it.\n" +
		"remote:\nremote:\n" + rule + "remote:\n" + strings.Replace(unreachable, "push", "fetch", 1)
	for _, command := range []string{"fetch", "sync"} {
		if got := w.saying(command); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", command, got, want)
		}
	}

	s.deny(t, "git-receive-pack", "no key of yours can write here\n")
	if got := w.saying("push"); !strings.HasPrefix(got, "git-context: error: cannot reach remote 'origin': git push: no key of yours can write here\n") {
		t.Errorf("one line: %s", got)
	}
}

// A hook's words are printed whole beside the reason, on every way to the server.
func TestWordsOfAHook(t *testing.T) {
	t.Parallel()
	for _, k := range []serverKind{{"path", "refs/", byPath}, {"http-backend", "refs/", httpBackend}, {"sshd", "refs/", sshd}} {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			s := k.serve(t)
			w := s.clone(t)
			w.ok("init", "--goal", "Be heard")
			w.ok("push", "--yes")
			w.ok("commit", "-m", "News")
			dir := filepath.Join(s.dir, "hooks")
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "pre-receive"), []byte("#!/bin/sh\n"+giteaProtects), 0o777); err != nil {
				t.Fatal(err)
			}
			want := giteaSays + "git-context: error: 'origin' refuses 'main', 'refs/notes/context': pre-receive hook declined\nhint: git remote -v\n"
			if got := w.saying("sync"); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
			said := saidOf(t, w.saying("push", "--json"))
			if !strings.HasPrefix(said, "\nGitea: Not allowed to push to protected branch main\n\nsee https://bot:xxxxx@host/help ") {
				t.Errorf("JSON says %q", said)
			}

			// One branch is protected, by the hook that is asked for each ref.
			if err := os.Remove(filepath.Join(dir, "pre-receive")); err != nil {
				t.Fatal(err)
			}
			update := "#!/bin/sh\ncase $1 in */main) echo 'protected:' >&2; echo main >&2; exit 1 ;; esac\n"
			if err := os.WriteFile(filepath.Join(dir, "update"), []byte(update), 0o777); err != nil {
				t.Fatal(err)
			}
			want = "remote: protected:\nremote: main\nremote: error: hook declined to update refs/context/heads/main\n" +
				"git-context: error: 'origin' refuses 'main': hook declined\nhint: git remote -v\n"
			if got := w.saying("sync"); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		})
	}
}
