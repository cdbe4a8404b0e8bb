//go:build unix

package test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// The script of docs/ci reports the memory of a range of code in a clone as a build makes it:
// without a name of a committer, and with memory only at the remote.
func TestMemoryReport(t *testing.T) {
	t.Parallel()
	w, base := reported(t)
	w.ok("commit", "--code", "-a", "-m", "Bound the pool", "-m", "It grew until the host died.",
		"--decide", "Ten connections", "--outcome", "success")
	w.ok("roadmap", "ask", "Are ten enough?")
	w.ok("remember", "latency", "Three ms")
	w.ok("branch", "mutex", "--purpose", "A mutex instead")
	w.ok("commit", "-m", "A mutex is slower", "--outcome", "failed")
	w.ok("push", "--yes")
	out := w.report(nil, base+"..HEAD")
	for _, want := range []string{
		"<!-- git-context memory report -->\n## What memory says about this change\n\n1 code commits, 2 memory commits",
		"### Decided meanwhile\n\n```text\n  * Ten connections\n```\n",
		"### Open questions of the project\n\n```text\n  ? Are ten enough?\n```\n",
		"\n  * new: latency\n",
		"### Topics that describe files of this change and are older\n\n```text\n  * pool ",
		" mutex [failed] A mutex is slower\n",
		" main [success] Bound the pool\n    It grew until the host died.\n```\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(w.report(nil, "HEAD..HEAD"), "Ten") {
		t.Error("a range without commits has decisions")
	}
	for args, code := range map[string]int{"": 2, "HEAD": 2, "a...b": 2, "--all..x": 2, "HEAD..nowhere": 1} {
		cmd := w.script(nil, "ci/memory-report.sh", args)
		if _ = cmd.Run(); cmd.ProcessState.ExitCode() != code {
			t.Errorf("%q: exit %d, not %d", args, cmd.ProcessState.ExitCode(), code)
		}
	}
}

// What memory contains stays text: outside of blocks is nothing of it, no block ends early,
// nothing is invisible, and the size is bounded.
func TestMemoryReportOfHostileMemory(t *testing.T) {
	t.Parallel()
	w, base := reported(t)
	w.ok("commit", "--code", "-a", "-m", "Bound the pool")
	evil := "@root [x](http://evil.example) <img src=x> ![i](http://evil.example/i) #1 `c` </pre> \x1b[31m \u202egnp.exe\u200b\u2066 \xff ğ"
	fences := "```\n\n# Evil outside @root\n\n~~~\n```text\n  ```\n<!-- git-context memory report -->\n" + strings.Repeat("ğ", 4000)
	w.ok("roadmap", "ask", "Ask "+evil)
	w.ok("remember", "evil-topic", evil, "--path", "pool.go")
	w.git("commit", "-q", "--allow-empty", "-m", "More code "+evil)
	for n := range 12 {
		commit := w.command(nil, w.bin, "commit", "-F", "-", "--decide", fmt.Sprint(n, evil))
		commit.Stdin = strings.NewReader("Raw " + evil + "\n\n" + fences)
		if out, err := commit.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	w.ok("push", "--yes")
	for _, limit := range []int{60000, 4000} {
		out := w.report([]string{"REPORT_LIMIT=" + strconv.Itoa(limit)}, base+"..HEAD")
		if len(out) > limit || limit == 4000 && !strings.Contains(out, "lines did not fit.\n") {
			t.Errorf("limit %d: %d bytes", limit, len(out))
		}
		if limit == 60000 && !strings.Contains(out, "Raw @root [x](http://evil.example)") {
			t.Errorf("nothing hostile is reported:\n%s", out)
		}
		inert(t, out)
	}
	// As no command writes it. Of main, the check of memory refuses it.
	made := lastWord(w.git("commit-tree", "-p", w.tip("main"), "-m", "Forged "+evil, "-m",
		"Context-Id: 01M8AT10AFMPN004E2GD6AAA00\nContext-Branch: main\nCode-Commit: "+strings.TrimSpace(w.git("rev-parse", "HEAD")), w.tip("main")+"^{tree}"))
	w.git("push", "-q", "origin", made+":refs/context/heads/side")
	inert(t, w.report(nil, base+"..HEAD"))
	w.git("push", "-q", "origin", made+":refs/context/heads/main")
	cmd := w.reporter(nil, base+"..HEAD")
	if out, err := cmd.Output(); err == nil || len(out) > 0 {
		t.Errorf("of memory that is refused: %v\n%s", err, out)
	}
}

// lastWord is the hash that git prints, behind a warning that a text is no UTF-8.
func lastWord(out string) string {
	words := strings.Fields(out)
	return words[len(words)-1]
}

var outside = regexp.MustCompile(`^(|<!-- git-context memory report -->|##+ [A-Z][a-z, ]+|\d+ code commits, \d+ memory commits that belong to them\.|\d+ lines did not fit\.)$`)

// inert holds that a report has nothing of others outside of its blocks, and in them only
// visible text in lines that cannot end them.
func inert(t *testing.T, out string) {
	t.Helper()
	in := false
	for i, line := range strings.Split(out, "\n") {
		switch {
		case !in && line == "```text":
			in = true
		case in && line == "```":
			in = false
		case in && !strings.HasPrefix(line, "  * ") && !strings.HasPrefix(line, "  ? ") && !strings.HasPrefix(line, "    "):
			t.Errorf("line %d of a block: %q", i, line)
		case !in && !outside.MatchString(line), !in && i > 0 && strings.HasPrefix(line, "<"):
			t.Errorf("line %d outside of blocks: %q", i, line)
		}
		for _, r := range line {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("line %d has %U: %q", i, r, line)
				break
			}
		}
	}
	if in || !utf8.ValidString(out) {
		t.Errorf("a block is open: %v, valid UTF-8: %v", in, utf8.ValidString(out))
	}
}

// reported is a clone with a topic about its file, which has changed since a base.
func reported(t *testing.T) (w *world, base string) {
	t.Helper()
	w = newHome(t)
	hub := filepath.Join(t.TempDir(), "hub.git")
	w.git("init", "-q", "--bare", "-b", "trunk", hub)
	w.git("init", "-q", "-b", "trunk")
	w.git("remote", "add", "origin", "file://"+hub)
	w.ok("init", "--goal", "Bound everything")
	w.write("pool.go", "package pool\n")
	w.git("add", ".")
	w.git("commit", "-q", "-m", "Begin")
	w.ok("remember", "pool", "It grows", "--path", "pool.go")
	w.ok("commit", "-m", "Before")
	w.git("tag", "base")
	w.write("pool.go", "package pool\n\nconst most = 10\n")
	w.ok("push", "--yes")
	return w, "base"
}

// report returns what the script prints.
func (w *world) report(env []string, args string) string {
	w.t.Helper()
	cmd := w.reporter(env, args)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("memory-report.sh %s: %v\n%s", args, err, &errs)
	}
	return string(out)
}

// reporter pushes the code, and is the script in a fresh clone of one who has no name.
func (w *world) reporter(env []string, args string) *exec.Cmd {
	w.t.Helper()
	w.git("push", "-q", "-f", "--tags", "origin", "HEAD:refs/heads/trunk")
	url := strings.TrimSpace(w.git("remote", "get-url", "origin"))
	other := newHome(w.t)
	other.git("config", "--global", "--unset-all", "user.name")
	other.git("config", "--global", "--unset-all", "user.email")
	other.git("clone", "-q", url, ".")
	return other.script(env, "ci/memory-report.sh", args)
}
