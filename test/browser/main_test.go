//go:build unix

// Package browser drives Chromium over the pages of 'git context web': `make browser`. It builds the
// programs, makes memories (the demo's, one of real traces, a hostile one, a long one), serves them and
// checks what a browser sees. Without Chromium the tests are skipped; CHROMIUM names one that is not in
// PATH. What needs axe-core is skipped where npm cannot install it into GIT_CONTEXT_BROWSER.
package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is how long a test waits for one thing: a busy machine takes long.
const patience = 60 * time.Second

var (
	programs string          // the folder of the built programs
	chromium context.Context // the browser that all tests share; nil: there is none
	scratch  string
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	binary := found()
	if binary == "" {
		fmt.Println("*** SKIPPED BROWSER: no Chromium in PATH; CHROMIUM=/path/to/it names one")
		return 0
	}
	var err error
	if scratch, err = os.MkdirTemp("", "git-context-browser-"); err != nil {
		return failed(err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	if programs, err = build(); err != nil {
		return failed(err)
	}
	end, err := start(binary)
	if err != nil {
		return failed(err)
	}
	defer end()
	return m.Run()
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "browser:", err)
	return 1
}

// found returns the path of Chromium, "" if there is none.
func found() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func build() (string, error) {
	bin := filepath.Join(scratch, "bin")
	c := exec.Command("go", "build",
		"-tags", "urfave_cli_no_docs,urfave_cli_no_suggest", "-o", bin+"/", "./cmd/git-context", "./cmd/git-context-web")
	c.Dir = "../.."
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return bin, nil
}

// start starts Chromium with a home of its own. Its sandbox does not run as root.
func start(binary string) (end func(), err error) {
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(binary),
		chromedp.UserDataDir(filepath.Join(scratch, "profile")), chromedp.WSURLReadTimeout(patience),
		chromedp.Env("HOME="+scratch, "LANG=C.UTF-8"))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	browser, cancelBrowser := chromedp.NewContext(allocator)
	if err := chromedp.Do(browser); err != nil {
		cancel()
		return nil, fmt.Errorf("chromium: %w", err)
	}
	chromium = browser
	return func() {
		_ = chromedp.Cancel(browser) // closes the browser and waits for it; what it says of that is of no use
		cancelBrowser()
		cancel()
	}, nil
}

// command runs a program in a folder as a user without settings does, and returns its output.
func command(t testing.TB, dir string, input string, args ...string) string {
	t.Helper()
	out, err := program(dir, input, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%.300q: %v\n%.2000s", args, err, out)
	}
	return string(out)
}

func program(dir, input string, args ...string) *exec.Cmd {
	c := exec.Command(args[0], args[1:]...)
	c.Dir, c.Env, c.Stdin = dir, environment(), strings.NewReader(input)
	return c
}

func environment(more ...string) []string {
	var env []string
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "GIT_") && !strings.HasPrefix(pair, "PATH=") && !strings.HasPrefix(pair, "HOME=") {
			env = append(env, pair)
		}
	}
	env = append(env, "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+scratch, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONTEXT_AGENT=ann", "GIT_AUTHOR_NAME=Demo", "GIT_AUTHOR_EMAIL=demo@example.com",
		"GIT_COMMITTER_NAME=Demo", "GIT_COMMITTER_EMAIL=demo@example.com")
	return append(env, more...)
}
