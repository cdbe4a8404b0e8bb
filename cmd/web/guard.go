package web

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"html"
	"net"
	"net/http"
	"slices"
	"strings"
)

// policy lets a page load what this server serves, and nothing else: no script, style or frame from within
// a page, and no other site.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard answers only who knows the token, once in an address and from then on in a cookie. Other sites, which
// a browser would let send requests here, know neither; their names for this machine are refused, too.
type guard struct {
	token, session string   // random; the session is the cookie's value
	cookie         string   // cookies are those of all ports of a host, so the name has the port
	hosts          []string // as Host and Origin may name this server
	next           http.Handler
}

func newGuard(port string, next http.Handler) *guard {
	g := &guard{token: rand.Text(), session: rand.Text(), cookie: "git-context-" + port, next: next}
	for _, host := range []string{"127.0.0.1", "localhost", "::1"} {
		g.hosts = append(g.hosts, net.JoinHostPort(host, port))
	}
	return g
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	origin, foreign := strings.CutPrefix(r.Header.Get("Origin"), "http://")
	switch {
	case !slices.Contains(g.hosts, r.Host):
		http.Error(w, "This server answers only as 127.0.0.1, localhost or [::1].", http.StatusMisdirectedRequest)
	case r.Header.Get("Origin") != "" && (!foreign || !slices.Contains(g.hosts, origin)),
		r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate":
		http.Error(w, "Requests of other sites are refused.", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "This server only shows.", http.StatusMethodNotAllowed)
	case same(r.URL.Query().Get("token"), g.token):
		g.admit(w, r)
	case !g.admitted(r):
		http.Error(w, "Open the address that git context web printed: it has a token.", http.StatusForbidden)
	default:
		g.next.ServeHTTP(w, r)
	}
}

// admit puts the session into a cookie and removes the token from the address, which a browser keeps and shows.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.session, Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode})
	to := *r.URL
	to.Scheme, to.Host = "", ""
	to.Path = "/" + strings.TrimLeft(to.Path, `/\`) // "//host" would be another host
	q := to.Query()
	q.Del("token")
	to.RawQuery = q.Encode()
	if site := r.Header.Get("Sec-Fetch-Site"); site != "cross-site" && site != "same-site" {
		http.Redirect(w, r, to.RequestURI(), http.StatusSeeOther)
		return
	}
	// A link of another page or file led here: a browser would follow a redirection without the cookie.
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!doctype html><title>Memory</title><meta http-equiv=\"refresh\" content=\"0;url=%s\">"+
		"<a href=\"%[1]s\">Memory</a>\n",
		html.EscapeString(to.RequestURI()))
}

func (g *guard) admitted(r *http.Request) bool {
	for _, c := range r.CookiesNamed(g.cookie) {
		if same(c.Value, g.session) {
			return true
		}
	}
	return false
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
