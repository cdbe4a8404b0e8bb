//go:build unix

package browser

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// pages lists the addresses of the pages of a memory: one of each kind, and some commits and topics.
func (b *tab) pages() []string {
	b.t.Helper()
	const links = `[...new Set([...document.querySelectorAll(%)].map(a => a.getAttribute("href")))].slice(0, 8)`
	list := []string{"/", "/brief", "/brief?budget=500", "/trace", "/branches", "/conflicts", "/search", "/search?q=a"}
	b.visit("/")
	list = append(list, value[[]string](b, strings.Replace(links, "%", `".rows a"`, 1))...)
	b.visit("/topics")
	return append(list, append(value[[]string](b, strings.Replace(links, "%", `"#topics a"`, 1)), "/topics")...)
}

// fits fails the test if the page scrolls sideways.
func (b *tab) fits(where string) {
	b.t.Helper()
	if wide := value[string](b, `(() => {
		const e = document.documentElement;
		if (e.scrollWidth <= e.clientWidth) return "";
		const far = [...document.querySelectorAll("body *")].filter(x => x.getBoundingClientRect().right > e.clientWidth);
		return e.scrollWidth + " > " + e.clientWidth + ": " + far.slice(0, 3).map(x => x.outerHTML.slice(0, 150)).join("; ");
	})()`); wide != "" {
		b.t.Errorf("%s scrolls sideways: %s", where, wide)
	}
}

func focus(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Focus(chromedp.CSS(selector))
}

// memories are those that a reader looks at.
func memories() map[string]func(testing.TB) string {
	return map[string]func(testing.TB) string{"demo": demo, "traces": traces, "hostile": hostile}
}

func TestPagesFitAnyWindow(t *testing.T) {
	for name, dir := range memories() {
		t.Run(name, func(t *testing.T) {
			b := serve(t, dir(t)).open()
			for _, path := range b.pages() {
				b.visit(path)
				for _, width := range []int64{360, 768, 1280} {
					b.size(width, 800)
					b.fits(path)
				}
				b.quiet(path)
			}
		})
	}
}

// Without its script a page shows the same.
func TestPagesNeedNoScript(t *testing.T) {
	for name, dir := range memories() {
		t.Run(name, func(t *testing.T) {
			b := serve(t, dir(t)).open()
			for _, path := range b.pages() {
				b.visit(path)
				with := value[string](b, "document.querySelector('main').textContent")
				call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
				b.visit(path)
				without := value[string](b, "document.querySelector('main').textContent")
				call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: false})
				if took(with) != took(without) || len(without) < 10 {
					t.Errorf("%s: with the script:\n%.1000s\nwithout:\n%.1000s", path, with, without)
				}
			}
		})
	}
}

// took removes how long a search took.
func took(text string) string {
	return regexp.MustCompile(`hits? in [0-9.]+m?s`).ReplaceAllString(text, "")
}

// A newcomer sees on the first page what holds, what was tried, and why what failed did.
func TestFirstPageOfDemo(t *testing.T) {
	b := serve(t, demo(t)).open()
	for selector, want := range map[string][]string{
		"#now":     {"Survive a database restart", "Merge branch 'fix'", "No request of 500 fails now, where 39 did."},
		"#tried":   {"Does a retry hide the errors?", "It doubles the load", "abandoned", "Release the slot in Put", "merged"},
		"#history": {"Find the leak", "The leak is understood", "retry begins: Does a retry hide the errors?", "Add the pool"},
		"#working": {"No branch has steps that are not committed."},
	} {
		text := value[string](b, "document.querySelector('"+selector+"').textContent")
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s shows no %q:\n%s", selector, part, text)
			}
		}
	}
	b.quiet("/")
}
