//go:build unix

package browser

import (
	"strings"
	"testing"
)

func TestKeys(t *testing.T) {
	b := serve(t, demo(t)).open()
	b.keys("/")
	if at := value[string](b, "document.activeElement.id"); at != "q" {
		t.Errorf("after / the focus is on %q, not in the search", at)
	}
	b.keys("jk+") // are letters there
	if typed := value[string](b, "document.activeElement.value"); typed != "jk+" {
		t.Errorf("the search contains %q", typed)
	}
	b.keys("\x1b")
	value[int](b, `(document.querySelector("#q").value = "", 1)`)
	const at = "document.activeElement.textContent.trim()"
	b.keys("j")
	first := value[string](b, at)
	b.keys("j")
	second := value[string](b, at)
	b.keys("k")
	if third := value[string](b, at); first == "" || first == second || third != first {
		t.Errorf("j, j and k lead to %q, %q and %q", first, second, third)
	}
	high := `document.querySelector(".rows li").offsetHeight`
	wide := `document.querySelector(".lanes svg").getBoundingClientRect().height / document.querySelectorAll(".rows li").length`
	before := value[int](b, high)
	b.keys("+")
	if now := value[int](b, high); now <= before {
		t.Errorf("after + a row is %d pixels high, before it was %d", now, before)
	}
	if lane, row := value[float64](b, wide), value[int](b, high); lane < float64(row)-1 || lane > float64(row)+1 {
		t.Errorf("a row is %d pixels high, and %.1f in the lanes", row, lane)
	}
	b.keys("-")
	if now := value[int](b, high); now != before {
		t.Errorf("after + and - a row is %d pixels high, before it was %d", now, before)
	}
	title := value[string](b, at)
	b.keys("\r")
	b.wait(`location.pathname.startsWith("/commit/") && document.readyState === "complete"`, patience)
	if h1 := value[string](b, "document.querySelector('h1').textContent"); !strings.Contains(title, strings.Fields(h1)[0]) {
		t.Errorf("Enter on %q opens %q", title, h1)
	}
	for key, path := range map[string]string{"t": "/trace", "b": "/brief", "o": "/topics", "m": "/"} {
		b.keys("g" + key)
		b.wait("location.pathname === '"+path+"' && document.readyState === 'complete'", patience)
	}
	b.quiet("keys")
}

func TestSearchAsYouType(t *testing.T) {
	b := serve(t, demo(t)).open()
	b.visit("/search")
	b.keys("slot")
	b.wait(`document.querySelector("#hits").textContent.includes("Release the slot")`, patience)
	if query := value[string](b, "location.search"); query != "?q=slot" {
		t.Errorf("the address has %q", query)
	}
	b.keys("s \"") // a query that is not whole
	b.wait(`location.search.length > 7`, patience)
	b.keys("\b\b\b")
	b.wait(`document.querySelector("#hits").textContent.includes("Release the slot")`, patience)
	b.quiet("/search")
	// What was found before is there after a way back.
	b.do(focus("#hits a"))
	b.keys("\r")
	b.wait("location.pathname !== '/search'", patience)
	value[int](b, "(history.back(), 1)")
	b.wait(`location.pathname === "/search" && document.querySelector("#hits").textContent.includes("Release the slot")`, patience)
}
