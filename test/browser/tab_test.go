//go:build unix

package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// server is a 'git context web' of one repository.
type server struct {
	t       testing.TB
	address string // with the token
	origin  string // http://127.0.0.1:PORT
}

// serve starts the server of a repository; the end of the test ends it.
func serve(t testing.TB, dir string) *server {
	t.Helper()
	c := exec.Command("git", "context", "web", "--no-open")
	c.Dir, c.Env = dir, environment()
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // ^C reaches all of a group
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t}
	t.Cleanup(func() {
		if err := syscall.Kill(-c.Process.Pid, syscall.SIGINT); err != nil {
			t.Error(err)
		}
		var ended *exec.ExitError
		if err := c.Wait(); err != nil && !errors.As(err, &ended) { // git's own end, by the signal
			t.Error(err)
		}
		if said.Len() > 0 {
			t.Errorf("git context web said: %s", said.String())
		}
		if conn, err := net.Dial("tcp", strings.TrimPrefix(s.origin, "http://")); err == nil {
			t.Errorf("the server answers after ^C: %v", conn.Close())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("git context web prints no address: %v", err)
	}
	s.address = strings.TrimSpace(line)
	u, err := url.Parse(s.address)
	if err != nil {
		t.Fatal(err)
	}
	s.origin = u.Scheme + "://" + u.Host
	return s
}

// tab is a page of the browser.
type tab struct {
	t   testing.TB
	s   *server
	ctx context.Context

	mu       sync.Mutex
	troubles []string // what a page must not do: errors, dialogs, violations of its policy
}

// open opens a tab in a browser profile of its own, and brings it in with the token.
func (s *server) open() *tab {
	s.t.Helper()
	b := s.tab(chromium, chromedp.WithNewBrowserContext())
	b.do(chromedp.Navigate(s.address))
	return b
}

// beside opens another tab of the same profile.
func (b *tab) beside() *tab {
	b.t.Helper()
	return b.s.tab(b.ctx)
}

func (s *server) tab(parent context.Context, options ...chromedp.ContextOption) *tab {
	s.t.Helper()
	b := &tab{t: s.t, s: s}
	ctx, cancel := chromedp.NewContext(parent, append(options, chromedp.WithListener(b.notice))...)
	s.t.Cleanup(cancel)
	b.ctx = ctx
	if err := chromedp.Do(ctx); err != nil { // opens it: a deadline would be that of the tab
		s.t.Fatal(err)
	}
	call(b, audits.Enable, cdp.Empty{})
	call(b, log.Enable, cdp.Empty{})
	return b
}

func (b *tab) notice(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text, _ := json.Marshal(e.ExceptionDetails)
		b.trouble("exception: %s", text)
	case *runtime.EventConsoleAPICalled:
		text, _ := json.Marshal(e.Args)
		b.trouble("console.%s: %s", e.Type, text)
	case *log.EventEntryAdded:
		b.trouble("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
	case *page.EventJavascriptDialogOpening:
		b.trouble("dialog: %s", e.Message)
		go func() { // else the tab waits; the test has failed in any case
			_, _ = chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
		}()
	case *audits.EventIssueAdded:
		if e.Issue.Code == audits.InspectorIssueCodeContentSecurityPolicyIssue {
			text, _ := json.Marshal(e.Issue.Details.ContentSecurityPolicyIssueDetails)
			b.trouble("policy: %s", text)
		}
	}
}

func (b *tab) trouble(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.troubles = append(b.troubles, fmt.Sprintf(format, args...))
}

// quiet fails the test if a page did what it must not do since the last call.
func (b *tab) quiet(where string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.troubles {
		b.t.Errorf("%s: %s", where, text)
	}
	b.troubles = nil
}

// do runs actions in the tab.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// get runs an action that has a value.
func get[T any](b *tab, a chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, a)
}

// call runs a command of the protocol in the tab.
func call[P, R any](b *tab, c cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	r, err := chromedp.Call(ctx, c, params)
	if err != nil {
		b.t.Fatalf("%s: %v", c.Method, err)
	}
	return r
}

// visit goes to a path of the server.
func (b *tab) visit(path string) {
	b.t.Helper()
	if _, err := get(b, chromedp.Navigate(b.s.origin+path)); err != nil {
		b.t.Fatalf("%s: %v", path, err)
	}
}

// value is what an expression of JavaScript is on the page.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := get(b, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// wait waits until an expression is true, and returns how long that took.
func (b *tab) wait(expression string, most time.Duration) time.Duration {
	b.t.Helper()
	begin := time.Now()
	for time.Since(begin) < most {
		// While a page loads there is nothing to ask.
		if is, err := get(b, chromedp.Evaluate[bool]("Boolean("+expression+")")); err == nil && is {
			return time.Since(begin)
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.t.Fatalf("not true within %s: %s\n%.3000s", most, expression, value[string](b, "document.body.innerText"))
	return most
}

// keys types keys as a keyboard does: what a page prevents types nothing.
func (b *tab) keys(keys string) {
	b.t.Helper()
	named := map[rune]input.DispatchKeyEventParams{
		'\r':   {Key: "Enter", Text: "\r", WindowsVirtualKeyCode: 13},
		'\b':   {Key: "Backspace", WindowsVirtualKeyCode: 8},
		'\x1b': {Key: "Escape", WindowsVirtualKeyCode: 27},
	}
	for _, r := range keys {
		k, ok := named[r]
		if !ok {
			k = input.DispatchKeyEventParams{Key: string(r), Text: string(r)}
		}
		if k.Type = input.DispatchKeyEventTypeKeyDown; k.Text == "" {
			k.Type = input.DispatchKeyEventTypeRawKeyDown
		}
		call(b, input.DispatchKeyEvent, k)
		k.Type, k.Text = input.DispatchKeyEventTypeKeyUp, ""
		call(b, input.DispatchKeyEvent, k)
	}
}

// size sets the size of the window, in pixels of CSS.
func (b *tab) size(width, height int64) {
	b.t.Helper()
	call(b, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
}

// scheme makes the page light or dark.
func (b *tab) scheme(name string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name},
			{Name: "prefers-reduced-motion", Value: "reduce"}}})
}
