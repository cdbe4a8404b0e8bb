//go:build unix

package browser

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

func TestOnlyTheTokenOpens(t *testing.T) {
	s := serve(t, repository(t, "Secret goal"))
	stranger := s.tab(chromium, chromedp.WithNewBrowserContext())
	for _, path := range []string{"/", "/trace", "/page.css", "/events", "/?token=", "/?token=wrong"} {
		stranger.visit(path)
		if text := value[string](stranger, "document.documentElement.textContent"); !strings.Contains(text, "it has a token") {
			t.Errorf("%s without the token: %.300s", path, text)
		}
		if got, err := http.Get(s.origin + path); err != nil || got.StatusCode != http.StatusForbidden {
			t.Errorf("%s without the token: %v, %v", path, got, err)
		}
	}
	b := s.open()
	if to := value[string](b, "location.href"); to != s.origin+"/" {
		t.Errorf("the token is still in the address: %s", to)
	}
	if text := value[string](b, "document.cookie"); text != "" {
		t.Errorf("a script can read the cookie: %s", text)
	}
	cookies := call(b, network.GetCookies, network.GetCookiesParams{}).Cookies
	if len(cookies) != 1 {
		t.Fatalf("%d cookies", len(cookies))
	}
	if c := cookies[0]; !c.HTTPOnly || c.SameSite != network.CookieSameSiteStrict || !c.Session {
		t.Errorf("the cookie is %+v", c)
	}
	b.quiet("/")
}

// Another site in the same browser, which is in, learns nothing.
func TestOtherSitesLearnNothing(t *testing.T) {
	s := serve(t, repository(t, "Secret goal"))
	b := s.open()
	// localhost is another site than 127.0.0.1, so the cookie does not go along.
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
	}))
	defer evil.Close()
	for _, from := range []string{evil.URL, strings.Replace(evil.URL, "127.0.0.1", "localhost", 1)} {
		if _, err := get(b, chromedp.Navigate(from)); err != nil {
			t.Fatal(err)
		}
		for what, script := range map[string]string{
			"fetch":   `fetch("%/", {credentials: "include"}).then(r => r.text(), e => "")`,
			"no-cors": `fetch("%/", {credentials: "include", mode: "no-cors"}).then(r => r.text(), e => "")`,
			"script":  `new Promise(done => { const e = document.createElement("script"); e.src = "%/page.js"; e.onload = () => done("loaded"); e.onerror = () => done(""); document.head.append(e) })`,
			"style":   `new Promise(done => { const e = document.createElement("link"); e.rel = "stylesheet"; e.href = "%/page.css"; e.onload = () => done("loaded"); e.onerror = () => done(""); document.head.append(e) })`,
			"events":  `new Promise(done => { const e = new EventSource("%/events", {withCredentials: true}); e.onopen = () => done("open"); e.onerror = () => done("") })`,
			"frame":   `new Promise(done => { const e = document.createElement("iframe"); e.src = "%/"; e.onload = () => { try { done(e.contentDocument?.body?.textContent ?? "") } catch { done("") } }; document.body.append(e) })`,
		} {
			got, err := get(b, chromedp.Evaluate[string](strings.ReplaceAll(script, "%", s.origin), chromedp.EvalAwaitPromise))
			if err != nil || got != "" {
				t.Errorf("%s from %s gets %.200q, %v", what, from, got, err)
			}
		}
	}
}

// A name that is made to lead here (DNS rebinding) is refused, as is the origin of another site.
func TestForeignNamesAreRefused(t *testing.T) {
	s := serve(t, repository(t, "Secret goal"))
	b := s.open()
	c := call(b, network.GetCookies, network.GetCookiesParams{}).Cookies[0]
	for _, refused := range []func(*http.Request){
		func(r *http.Request) { r.Host = "evil.example" },
		func(r *http.Request) { r.Host = "evil.example:" + r.URL.Port() },
		func(r *http.Request) { r.Host = "127.0.0.1" },
		func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		func(r *http.Request) { r.Header.Set("Origin", "null") },
		func(r *http.Request) { r.Header.Set("Origin", "https://"+r.Host) },
		func(r *http.Request) { r.Method = http.MethodPost },
	} {
		r, err := http.NewRequest(http.MethodGet, s.origin+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
		refused(r)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := got.Body.Close(); err != nil {
			t.Error(err)
		}
		if got.StatusCode < 400 || got.StatusCode >= 500 {
			t.Errorf("%s %s with the origin %q: %s", r.Method, r.Host, r.Header.Get("Origin"), got.Status)
		}
	}
}
