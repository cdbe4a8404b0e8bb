//go:build unix

package test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
)

// shellWorld is a repository with something of each kind to complete, and a home where
// the scripts stand as make install puts them below a PREFIX.
func shellWorld(t *testing.T) (w *world, home string) {
	t.Helper()
	w = newWorld(t)
	w.git("tag", "v1.0")
	w.git("config", "--global", "alias.ctx", "context")
	w.git("remote", "add", "upstream", "../hub.git")
	w.ok("roadmap", "milestone", "add", "Read the RFC")
	w.ok("roadmap", "milestone", "add", "Read: it")
	w.ok("roadmap", "todo", "add", `It's $HOME "x" `+"`y`")
	w.ok("roadmap", "todo", "add", "Fix *")
	w.ok("roadmap", "todo", "add", `Use C:\temp`)
	w.ok("commit", "-m", "Lexer")
	w.ok("branch", "try-mutex", "--purpose", "A plain mutex", "--no-switch")
	w.ok("tag", "success/best")
	w.ok("remember", "db-pool", "The pool must be up")
	for _, name := range []string{"notes of mine.md", "Fix nothing"} {
		if err := os.WriteFile(filepath.Join(w.dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(w.dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	home = strings.TrimPrefix(w.env[slices.IndexFunc(w.env, func(e string) bool { return strings.HasPrefix(e, "HOME=") })], "HOME=")
	for shell, path := range map[string]string{
		"bash": "bash-completion/completions/git-context",
		"zsh":  "zsh/site-functions/_git-context",
		"fish": "fish/vendor_conf.d/git-context.fish",
	} {
		path = filepath.Join(home, ".local/share", path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, w.ok("completion", shell), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return w, home
}

// shell runs a shell on a script, and gives all that it said.
func (w *world) shellSays(input string, name string, args ...string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), gittest.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = w.dir, append(slices.Clip(w.env), "TERM=dumb", "INPUTRC=/dev/null")
	cmd.Stdin = strings.NewReader(input)
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("%s: %v\n%s", name, err, &said)
	}
	return said.String()
}

// find gives the first file that is there, or skips the test, loudly.
func find(t *testing.T, what string, paths ...string) string {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skipf("*** SKIPPED %s: no %s is installed", t.Name(), what)
	return ""
}

func findShell(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("*** SKIPPED %s: no %s is installed", t.Name(), name)
	}
}

// typedLine is a command line at whose end TAB is pressed, and what stands there then.
type typedLine struct{ typed, want string }

// linesOfGit are those that git's completion is asked, and linesAlone those that are ours
// alone. What bash and zsh put on the line is the same.
func linesOfGit(dir string) []typedLine {
	return []typedLine{
		{`git context sw`, `git context switch `},
		{`git context switch tr`, `git context switch try-mutex `},
		{`git context switch nosuch`, `git context switch nosuch`},
		{`git context commit --outcome=su`, `git context commit --outcome=success `},
		{`git context commit --outcome su`, `git context commit --outcome success `},
		{`git context --branch=tr`, `git context --branch=try-mutex `},
		{`git context -b try-mutex topic d`, `git context -b try-mutex topic d`},
		{`git context -b main topic d`, `git context -b main topic db-pool `},
		{`git context roadmap todo done It`, "git context roadmap todo done It\\'s\\ \\$HOME\\ \\\"x\\\"\\ \\`y\\` "},
		{`git context roadmap todo done U`, `git context roadmap todo done Use\ C:\\temp `},
		{`git context roadmap todo done "Use C`, `git context roadmap todo done "Use C:\\temp" `},
		{`git context roadmap todo done 'Fi`, `git context roadmap todo done 'Fix *' `},
		{`git context roadmap milestone done "Read: `, `git context roadmap milestone done "Read: it" `},
		{`git context roadmap milestone done Read:`, `git context roadmap milestone done Read:\ it `},
		{`git context roadmap milestone done Read\ t`, `git context roadmap milestone done Read\ the\ RFC `},
		{`git context commit -m 'two words' --outcome=f`, `git context commit -m 'two words' --outcome=failed `},
		{`git context log main..tr`, `git context log main..try-mutex `},
		{`git context commit -F no`, `git context commit -F notes\ of\ mine.md `},
		{`git context commit --file=no`, `git context commit --file=notes\ of\ mine.md `},
		{`git context export fo`, `git context export folder/`},
		{`git ctx sw`, `git ctx switch `},
		{`cd /; git -C ` + dir + ` context tag -d s`, `cd /; git -C ` + dir + ` context tag -d success/best `},
		{`git --git-dir=` + dir + `/.git context switch t`, `git --git-dir=` + dir + `/.git context switch try-mutex `},
		{`git -C / context switch t`, `git -C / context switch t`},
		{`git -C / context swi`, `git -C / context switch `},
	}
}

func linesAlone() []typedLine {
	return []typedLine{
		{`git-context sw`, `git-context switch `},
		{`git-context topic d`, `git-context topic db-pool `},
		{`git-context commit --outcome=f`, `git-context commit --outcome=failed `},
		{`git-context roadmap milestone done Read:`, `git-context roadmap milestone done Read:\ it `},
		{`git-context -C / switch t`, `git-context -C / switch t`},
		{`git-context sync up`, `git-context sync upstream `},
	}
}

// check holds that the shell, which logged each line between < and >, completed all.
func check(t *testing.T, log string, lines []typedLine, said string) {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatalf("%v; the shell said:\n%s", err, said)
	}
	got := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(got) != len(lines) {
		t.Fatalf("%d lines of %d were typed:\n%s", len(got), len(lines), data)
	}
	for i, l := range lines {
		if want := "<" + l.want + ">"; got[i] != want {
			t.Errorf("%s TAB: %s, want %s", l.typed, got[i], want)
		}
	}
	for _, word := range []string{"git-context: ", "error", "fatal"} {
		if strings.Contains(said, word) {
			t.Errorf("the terminal shows '%s':\n%s", word, said)
		}
	}
}

// Bash reads keys from a pipe as from a terminal: these are real TABs. \C-t logs the
// line as it then stands, \C-u clears it.
func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	findShell(t, "bash")
	w, home := shellWorld(t)
	ours := ". " + filepath.Join(home, ".local/share/bash-completion/completions/git-context")
	for name, setting := range map[string]func(*testing.T) (string, []typedLine){
		"git's": func(t *testing.T) (string, []typedLine) {
			gits := find(t, "git-completion.bash", "/usr/share/bash-completion/completions/git",
				"/usr/share/git/completion/git-completion.bash", "/usr/share/doc/git/contrib/completion/git-completion.bash",
				"/usr/local/etc/bash_completion.d/git-completion.bash", "/opt/homebrew/etc/bash_completion.d/git-completion.bash")
			return ". " + gits + "; " + ours, append(linesOfGit(w.dir), linesAlone()...)
		},
		"bash-completion": func(t *testing.T) (string, []typedLine) {
			// It finds git's and ours by itself.
			find(t, "git-completion.bash", "/usr/share/bash-completion/completions/git")
			return ". " + find(t, "bash-completion", "/usr/share/bash-completion/bash_completion"), append(linesOfGit(w.dir), linesAlone()...)
		},
		"alone": func(t *testing.T) (string, []typedLine) { return ours, linesAlone() },
	} {
		t.Run(name, func(t *testing.T) {
			start, lines := setting(t)
			log := filepath.Join(t.TempDir(), "log")
			input := start + "\nbind -x '\"\\C-t\": printf \"<%s>\\n\" \"$READLINE_LINE\" >>" + log + "'\n"
			for _, l := range lines {
				input += l.typed + "\t\x14\x15"
			}
			check(t, log, lines, w.shellSays(input, "bash", "--norc", "--noprofile", "-i"))
		})
	}
}

// What bash lists: readline's insert-completions puts all of it on the line. Hashes say
// nothing without what they are, until one is begun.
func TestCompletionListsInBash(t *testing.T) {
	t.Parallel()
	findShell(t, "bash")
	w, home := shellWorld(t)
	hash := strings.TrimSpace(w.git("rev-parse", "refs/context/tags/success/best"))[:10]
	log := filepath.Join(t.TempDir(), "log")
	input := ". " + filepath.Join(home, ".local/share/bash-completion/completions/git-context") +
		"\nbind -x '\"\\C-t\": echo $READLINE_LINE >>" + log + "'\n"
	lines := []typedLine{
		{"git-context switch ", "git-context switch main try-mutex"},
		{"git-context note ", "git-context note main success/best try-mutex"},
		{"git-context note " + hash[:4], "git-context note " + hash},
		{"git-context merge -X ", "git-context merge -X ours theirs union"},
		{"git-context commit --s", "git-context commit --score --session"},
	}
	for _, l := range lines {
		input += l.typed + "\x1b*\x14\x15"
	}
	said := w.shellSays(input, "bash", "--norc", "--noprofile", "-i")
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	got := strings.Split(strings.TrimSpace(string(data)), "\n")
	for i, l := range lines {
		if i >= len(got) || strings.TrimSpace(got[i]) != l.want {
			t.Errorf("%s: all is %q, want %q", l.typed, got[min(i, len(got)-1)], l.want)
		}
	}
}

// zsh wants a terminal, which zsh itself can make. Outer types into inner, and waits
// until inner has logged a line: what is typed earlier would be the terminal's to edit.
const (
	zshInner = `
fpath=(~/.local/share/zsh/site-functions $fpath)
autoload -U compinit; compinit -u -d ~/zcompdump
setopt no_beep; LISTMAX=0
logged() { print -r -- "<$BUFFER>" >>$LOG; BUFFER=; zle -M "LOG""GED" }
zle -N logged; bindkey '^T' logged; bindkey '^I' complete-word
PS1="REA""DY> "
`
	zshOuter = `
zmodload zsh/zpty || exit 3
zpty z "zsh -f -i"
zpty -w z ". $INNER"
zpty -r -m z said '*READY>*'
while IFS= read -r line; do
  zpty -w -n z "$line"$'\t\x14'
  zpty -r -m z said '*LOGGED*'
  print -r -- "$said"
done
zpty -d z
`
)

func TestCompletionInZsh(t *testing.T) {
	t.Parallel()
	findShell(t, "zsh")
	w, _ := shellWorld(t)
	dir := t.TempDir()
	log, inner, outer := filepath.Join(dir, "log"), filepath.Join(dir, "inner"), filepath.Join(dir, "outer")
	for path, text := range map[string]string{inner: zshInner, outer: zshOuter} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w.env = append(w.env, "LOG="+log, "INNER="+inner)
	lines := append(linesOfGit(w.dir), linesAlone()...)
	lines = append(lines, typedLine{"git context branch -d ", "git context branch -d "})
	var input strings.Builder
	for _, l := range lines {
		input.WriteString(l.typed + "\n")
	}
	said := w.shellSays(input.String(), "zsh", "-f", outer)
	check(t, log, lines, said)
	if !strings.Contains(said, "try-mutex  -- A plain mutex") {
		t.Errorf("nothing says what a branch is for:\n%s", said)
	}
}
