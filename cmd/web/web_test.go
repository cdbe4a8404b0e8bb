package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/cmd"
	"github.com/git-context/git-context/internal/gittest"
)

// client is a browser of a server over a repository with memory. It keeps cookies.
type client struct {
	*testing.T
	dir     string
	env     []string
	options Options
	address string // with the token
	base    string
	http    *http.Client
}

func newClient(t *testing.T) *client {
	t.Helper()
	top := t.TempDir()
	b := &client{T: t, dir: filepath.Join(top, "pool")}
	b.env = gittest.Env(t, filepath.Join(top, "home"),
		"[user]\n\tname = Ann\n\temail = ann@example.com\n[init]\n\tdefaultBranch = main\n")
	gittest.Must(t, os.Mkdir(b.dir, 0o777))
	b.git("init", "-q")
	b.git("commit", "-q", "--allow-empty", "-m", "Begin")
	b.run("init", "--goal", "Survive a restart", "--todo", "Release the slot")
	b.options = Options{Dir: b.dir, Environ: b.env, Now: time.Now}
	return b
}

func (b *client) git(args ...string) string {
	b.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = b.dir, b.env
	out, err := c.CombinedOutput()
	if err != nil {
		b.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *client) run(args ...string) {
	b.Helper()
	a := cmd.Call(b.Context(), &cmd.Env{Dir: b.dir, Environ: b.env, Now: time.Now}, args)
	if a.Err != nil {
		b.Fatalf("git context %v: %s", args, a.Err.Message)
	}
}

// serve starts the server and returns once it has printed its address.
func (b *client) serve() {
	b.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	b.options.Out, b.options.Err = in, os.Stderr
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, b.options); in.Close() }()
	b.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	gittest.Must(b.T, err)
	b.address = strings.TrimSpace(line)
	b.base, _, _ = strings.Cut(b.address, "/?")
	b.http = &http.Client{Jar: gittest.OK(cookiejar.New(nil))(b.T)}
}

func (b *client) open() {
	b.Helper()
	b.serve()
	if status, _ := b.get(strings.TrimPrefix(b.address, b.base)); status != http.StatusOK {
		b.Fatalf("the address answers %d", status)
	}
}

func (b *client) get(path string) (int, string) {
	b.Helper()
	r, err := b.http.Get(b.base + path)
	gittest.Must(b.T, err)
	defer r.Body.Close()
	return r.StatusCode, string(gittest.OK(io.ReadAll(r.Body))(b.T))
}

// shows checks that a page has all of some texts.
func (b *client) shows(path string, want ...string) string {
	b.Helper()
	status, text := b.get(path)
	if status != http.StatusOK {
		b.Errorf("%s: status %d\n%s", path, status, text)
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			b.Errorf("%s lacks %q:\n%s", path, w, text)
		}
	}
	return text
}

// Who does not have the token, and what another site makes a browser send, gets nothing.
func TestGuard(t *testing.T) {
	t.Parallel()
	b := newClient(t)
	b.serve()
	b.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if status, text := b.get("/"); status != http.StatusForbidden || strings.Contains(text, "Survive") {
		t.Errorf("without a token: %d %s", status, text)
	}
	if status, _ := b.get("/?token=" + strings.Repeat("A", 26)); status != http.StatusForbidden {
		t.Errorf("a wrong token: %d", status)
	}
	r := gittest.OK(b.http.Get(b.address + "&from=3"))(t)
	r.Body.Close()
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/?from=3" {
		t.Errorf("the address leads to %d %s", r.StatusCode, r.Header.Get("Location"))
	}
	if c := r.Cookies(); len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || strings.Contains(b.address, c[0].Value) {
		t.Errorf("cookies %v", c)
	}
	req := gittest.OK(http.NewRequest(http.MethodGet, b.address, nil))(t)
	req.Header.Set("Sec-Fetch-Site", "cross-site") // a link on another page
	req.Header.Set("Sec-Fetch-Mode", "navigate")
	r = gittest.OK(b.http.Do(req))(t)
	if text := string(gittest.OK(io.ReadAll(r.Body))(t)); r.StatusCode != http.StatusOK || !strings.Contains(text, `content="0;url=/"`) || strings.Contains(text, "token") {
		t.Errorf("from another page: %d %s", r.StatusCode, text)
	}
	r.Body.Close()
	r = gittest.OK(b.http.Get(b.base + "//evil.example/" + strings.TrimPrefix(b.address, b.base+"/")))(t)
	r.Body.Close()
	if to := r.Header.Get("Location"); strings.HasPrefix(to, "//") || strings.Contains(to, "token") {
		t.Errorf("redirected to %s", to)
	}
	for _, c := range []struct {
		change func(*http.Request)
		status int
	}{
		{func(*http.Request) {}, http.StatusOK},
		{func(r *http.Request) { r.Host = "evil.example" }, http.StatusMisdirectedRequest},
		{func(r *http.Request) { r.Host = strings.Replace(r.Host, "127.0.0.1", "localhost", 1) }, http.StatusOK},
		{func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, http.StatusForbidden},
		{func(r *http.Request) { r.Header.Set("Origin", "null") }, http.StatusForbidden},
		{func(r *http.Request) { r.Header.Set("Origin", b.base) }, http.StatusOK},
		{func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "no-cors")
		}, http.StatusForbidden},
		{func(r *http.Request) { r.Method = http.MethodPost }, http.StatusMethodNotAllowed},
		{func(r *http.Request) { r.Header.Del("Cookie") }, http.StatusForbidden},
	} {
		req := gittest.OK(http.NewRequest(http.MethodGet, b.base+"/", nil))(t)
		for _, cookie := range b.http.Jar.Cookies(req.URL) {
			req.AddCookie(cookie)
		}
		c.change(req)
		r := gittest.OK((&http.Client{}).Do(req))(t)
		r.Body.Close()
		if r.StatusCode != c.status {
			t.Errorf("%s %s %v: status %d, want %d", req.Method, req.Host, req.Header, r.StatusCode, c.status)
		}
		if got := r.Header.Get("Content-Security-Policy"); got != policy {
			t.Errorf("policy %q", got)
		}
	}
}

// story makes memory with a branch that worked, one that did not, a topic, steps and a code commit.
func (b *client) story() {
	b.Helper()
	b.run("record", "--agent", "claude-code", "--session", "s1",
		"-t", "Look at the pool", "-a", "Bash: go test", "-o", "FAIL")
	b.run("commit", "--agent", "claude-code",
		"-m", "Find the leak", "-m", "Put keeps the slot.", "--decide", "A channel guards it")
	b.run("branch", "retry", "--purpose", "Does a retry hide it?")
	b.run("merge", "retry", "--into", "main", "--abandon", "-m", "It doubles the load")
	b.run("switch", "main")
	b.run("remember", "lock", "A channel guards the pool.", "--path", "pool.go")
	gittest.Must(b.T, os.WriteFile(filepath.Join(b.dir, "pool.go"), []byte("package pool\n"), 0o666))
	b.git("add", ".")
	b.run("commit", "--code", "-m", "Release the slot", "-m", "No request fails now.", "--done", "Release the slot")
	b.run("record", "--agent", "codex", "-t", "Now the load test", "-a", "Read: load.go")
}

func TestPages(t *testing.T) {
	t.Parallel()
	b := newClient(t)
	b.story()
	b.open()
	home := b.shows("/", "Survive a restart", "Release the slot", "retry", "abandoned", "It doubles the load", "A channel guards it",
		"1 step not committed yet", "Read: load.go", "<svg ", "Begin")
	commits := regexp.MustCompile(`href="(/commit/[0-9a-f]+)">Release the slot<`).FindStringSubmatch(home)
	if commits == nil {
		t.Fatalf("no link to the commit:\n%s", home)
	}
	b.shows(commits[1], "No request fails now.", "Changed topics", `class="add">&#43;A channel guards the pool.`, "Changed roadmap",
		"Changed code", `class="add">&#43;package pool`, "<dt>Code</dt>")
	first := regexp.MustCompile(`href="(/commit/[0-9a-f]+)">Find the leak<`).FindStringSubmatch(home)
	b.shows(first[1], "Put keeps the slot.", "Look at the pool", "Step 1")
	begins := regexp.MustCompile(`href="(/commit/[0-9a-f]+)">retry begins`).FindStringSubmatch(home)
	b.shows(begins[1], "retry begins", "Does a retry hide it?")
	b.shows("/commit/"+b.git("rev-parse", "refs/context/heads/main"), "Release the slot")
	b.shows("/brief", "# Context of main", "A channel guards it")
	if text := b.shows("/brief?budget=50", "Left out"); strings.Contains(text, "A channel guards it") {
		t.Error("a budget of 50 tokens is not held")
	}
	b.shows("/trace", "Look at the pool", "Now the load test", "not committed yet",
		`<option value="codex">`, `<option value="Bash">`, "2 steps")
	if text := b.shows("/trace?tool=Read", "Now the load test"); strings.Contains(text, "Look at the pool") {
		t.Error("the filter shows another tool")
	}
	if text := b.shows("/trace?agent=claude-code", "Look at the pool"); strings.Contains(text, "Now the load test") {
		t.Error("the filter shows another agent")
	}
	b.shows("/topics", "lock", "pool.go", "/topic?key=lock")
	b.shows("/topic?key=lock", "A channel guards the pool.")
	b.shows("/branches", "retry", "main", b.dir)
	b.shows("/search?q=slot", "Release the slot", "hit")
	b.shows("/search?q=%22", "0 hits")
	b.shows("/conflicts", "No merge waits")
	for path, want := range map[string]int{"/nosuch": 404, "/commit/main~99": 404, "/topic?key=nosuch": 404, "/trace?branch=nosuch": 404,
		"/trace?branch=..%2Fx": 400, "/trace?step=nosuch": 404} {
		if status, text := b.get(path); status != want || !strings.Contains(text, `role="alert"`) {
			t.Errorf("%s: status %d, want %d\n%s", path, status, want, text)
		}
	}
}

// A long trace has pages; a link to a step leads to the page that has it.
func TestLongTrace(t *testing.T) {
	t.Parallel()
	b := newClient(t)
	for i := range 250 {
		b.run("record", "-t", fmt.Sprintf("thought <%d>", i))
	}
	b.open()
	text := b.shows("/trace", "250 steps",
		"thought &lt;249&gt;", "thought &lt;150&gt;", `data-next="/trace?branch=main&amp;skip=100"`)
	if strings.Contains(text, "&lt;149&gt;") {
		t.Error("the first page has more than 100 steps")
	}
	oldest := b.shows("/trace?skip=200", "thought &lt;49&gt;", "thought &lt;0&gt;")
	if strings.Contains(oldest, "data-next") {
		t.Error("the last page has another one")
	}
	ids := regexp.MustCompile(`id="s-(\w+)"`).FindAllStringSubmatch(oldest, -1)
	b.shows("/trace?step="+ids[len(ids)-1][1], "thought &lt;0&gt;")
}

func TestConflictsAreShown(t *testing.T) {
	t.Parallel()
	b := newClient(t)
	b.run("remember", "lock", "one")
	b.run("branch", "other", "--purpose", "x")
	b.run("remember", "lock", "a channel")
	b.run("switch", "main")
	b.run("remember", "lock", "a <b>mutex</b>")
	_ = cmd.Call(t.Context(), &cmd.Env{Dir: b.dir, Environ: b.env, Now: time.Now},
		[]string{"merge", "other", "--into", "main"})
	b.open()
	b.shows("/conflicts", "topics/lock.md", "a &lt;b&gt;mutex&lt;/b&gt;", "a channel", "Ours", "Theirs")
	b.shows("/", `class="badge">1<`)
}

// An open page hears of a step and of a commit, and of nothing while nothing happens.
func TestEvents(t *testing.T) {
	t.Parallel()
	b := newClient(t)
	b.open()
	r := gittest.OK(b.http.Get(b.base + "/events"))(t)
	defer r.Body.Close()
	heard := make(chan string, 100)
	go func() {
		for in := bufio.NewScanner(r.Body); in.Scan(); {
			if strings.HasPrefix(in.Text(), "event:") {
				heard <- in.Text()
			}
		}
	}()
	wait := func(what string) {
		t.Helper()
		select {
		case <-heard:
		case <-time.After(gittest.Patience):
			t.Fatalf("nothing is heard of %s", what)
		}
		time.Sleep(3 * watchWait) // a change may be seen in two parts
		for len(heard) > 0 {
			<-heard
		}
	}
	time.Sleep(3 * watchWait)
	if len(heard) > 0 {
		t.Error("an event without a change")
	}
	b.run("record", "-t", "a thought")
	wait("a step")
	b.run("commit", "-m", "Done")
	wait("a commit")
	b.git("pack-refs", "--all")
	wait("packed refs")
	b.run("remember", "lock", "x")
	wait("a topic, by a ref that was packed")
}

// No page writes to the repository; a search keeps its cache.
func TestNothingIsWritten(t *testing.T) {
	t.Parallel()
	b := newClient(t)
	b.story()
	list := func() string {
		var all strings.Builder
		err := filepath.WalkDir(b.dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() && filepath.Base(path) == "cache" {
				return fs.SkipDir
			}
			info := gittest.OK(e.Info())(t)
			if !e.IsDir() {
				fmt.Fprintln(&all, path, info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
		gittest.Must(t, err)
		return all.String()
	}
	before := list()
	b.open()
	for _, path := range []string{"/", "/brief", "/trace", "/topics", "/topic?key=lock", "/branches", "/search?q=slot", "/conflicts", "/commit/CONTEXT_HEAD"} {
		b.shows(path)
	}
	if after := list(); after != before {
		t.Errorf("files before:\n%s\nafter:\n%s", before, after)
	}
}

// A repository that goes away is an error on the page, and one that comes back is shown.
func TestRepositoryGoes(t *testing.T) {
	t.Parallel()
	b := newClient(t)
	b.open()
	b.shows("/", "Survive a restart")
	gittest.Must(t, os.Rename(b.dir, b.dir+".away"))
	for _, path := range []string{"/", "/brief", "/events"} {
		if status, text := b.get(path); path != "/events" && (status != http.StatusServiceUnavailable || !strings.Contains(text, `role="alert"`)) {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	gittest.Must(t, os.Rename(b.dir+".away", b.dir))
	b.shows("/", "Survive a restart")
	b.git("update-ref", "-d", "refs/context/heads/main")
	if status, text := b.get("/"); status == http.StatusOK || !strings.Contains(text, `role="alert"`) {
		t.Errorf("a branch that is gone: %d %s", status, text)
	}
}

// Memory that is packed, and code that is rewritten and pruned, change nothing that was recorded.
func TestRewrittenCode(t *testing.T) {
	t.Parallel()
	b := newClient(t)
	b.story()
	b.open()
	to := regexp.MustCompile(`href="(/commit/[0-9a-f]+)">Release the slot<`).FindStringSubmatch(b.shows("/"))[1]
	b.shows(to, "Changed code")
	b.git("reset", "-q", "--hard", "HEAD~1")
	b.git("reflog", "expire", "--expire=now", "--all")
	b.git("gc", "-q", "--prune=now")
	b.shows("/", "Release the slot", "Survive a restart")
	b.shows(to, "No request fails now.", "is not in this repository")
	b.shows("/trace", "Look at the pool")
	b.shows("/search?q=slot", "Release the slot")
}

// A file has all that the pages have, needs nothing, and says what it leaves out.
func TestExport(t *testing.T) {
	t.Parallel()
	b := newClient(t)
	b.story()
	file := filepath.Join(t.TempDir(), "memory.html")
	gittest.Must(t, ExportTo(t.Context(), b.options, file))
	text := string(gittest.OK(os.ReadFile(file))(t))
	for _, want := range []string{"Survive a restart", "It doubles the load", "No request fails now.", "Look at the pool", "A channel guards the pool.",
		"# Context of main", `href="#c-`, "style-src 'sha256-", "Diffs are left out"} {
		if !strings.Contains(text, want) {
			t.Errorf("the file lacks %q", want)
		}
	}
	for _, bad := range []string{"<script", "http://127", `href="/`, `src=`, "older commits are left out"} {
		if strings.Contains(text, bad) {
			t.Errorf("the file has %q", bad)
		}
	}
	for _, to := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(text, -1) {
		if !strings.Contains(text, `id="`+to[1]+`"`) {
			t.Errorf("a link to %s leads nowhere", to[1])
		}
	}
}

// No page runs a program that the configuration of a repository names.
func TestNoProgramRuns(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	b := newClient(t)
	b.story()
	planted, marker := filepath.Join(t.TempDir(), "planted"), filepath.Join(t.TempDir(), "marker")
	gittest.Must(t, os.WriteFile(planted, []byte("#!/bin/sh\necho \"$*\" >>'"+marker+"'\nexit 1\n"), 0o777))
	gittest.Must(t, os.WriteFile(filepath.Join(b.dir, ".git", "info", "attributes"),
		[]byte("* diff=planted filter=planted\n"), 0o666))
	for _, key := range []string{"core.fsmonitor", "core.sshCommand", "core.pager", "diff.external", "diff.planted.command",
		"diff.planted.textconv", "filter.planted.clean", "filter.planted.smudge", "gpg.program", "gpg.ssh.program", "pager.log", "pager.diff", "pager.show", "alias.show"} {
		b.git("config", key, planted)
	}
	b.git("config", "log.showSignature", "true")
	b.open()
	home := b.shows("/")
	for _, to := range regexp.MustCompile(`href="(/commit/[0-9a-f]+)"`).FindAllStringSubmatch(home, -1) {
		b.shows(to[1])
	}
	for _, path := range []string{"/brief", "/trace", "/topics", "/topic?key=lock", "/branches", "/search?q=slot", "/conflicts"} {
		b.shows(path)
	}
	gittest.Must(t, ExportTo(t.Context(), b.options, filepath.Join(t.TempDir(), "memory.html")))
	if text, err := os.ReadFile(marker); err == nil {
		t.Errorf("a program ran: %s", text)
	}
	c := exec.Command("git", "status") // the marker is one: git itself runs it
	c.Dir, c.Env = b.dir, b.env
	_ = c.Run()
	if _, err := os.Stat(marker); err != nil {
		t.Error(err)
	}
}
