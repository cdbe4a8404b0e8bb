//go:build unix

package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// soon is how long what is live may take on a busy machine; on an idle one it takes less than a second.
const soon = 5 * time.Second

// listening waits until one page of the profile hears the server.
func (b *tab) listening() {
	b.t.Helper()
	b.wait(`document.readyState === "complete" && performance.getEntriesByType("resource").some(e => e.name.endsWith("/page.js"))`, patience)
	time.Sleep(500 * time.Millisecond) // the connection itself shows nowhere
}

func TestNewMemoryShowsItself(t *testing.T) {
	dir := repository(t, "Be seen")
	s := serve(t, dir)
	home := s.open()
	home.listening()
	trace := home.beside() // it does not listen itself, the first page tells it
	trace.visit("/trace")
	other := s.open() // another profile
	other.visit("/branches")
	other.listening()

	begin := time.Now()
	command(t, dir, "", "git", "context", "record", "-a", "go test ./live")
	wrote := time.Since(begin)
	inHome := home.wait(`document.querySelector("#working").textContent.includes("go test ./live")`, soon)
	trace.wait(`document.querySelector("#steps").textContent.includes("go test ./live")`, soon)
	other.wait(`document.querySelector("#here").textContent.includes("1 step")`, soon)
	t.Logf("git context record took %s, and was seen %s later", wrote, inHome)

	command(t, dir, "", "git", "context", "commit", "-m", "It is seen")
	inHome = home.wait(`document.querySelector("#history").textContent.includes("It is seen")`, soon)
	home.wait(`!document.querySelector("#working").textContent.includes("go test ./live")`, soon)
	trace.wait(`!document.querySelector("#steps").textContent.includes("not committed yet")`, soon)
	t.Logf("a commit was seen after %s", inHome)

	command(t, dir, "", "git", "context", "branch", "idea", "--purpose", "Is it quicker?", "--no-switch")
	home.wait(`document.querySelector("#tried").textContent.includes("Is it quicker?")`, soon)
	for where, b := range map[string]*tab{"home": home, "trace": trace, "other": other} {
		b.quiet(where)
	}
}

// A page that is read stays where it is when something new comes.
func TestNewMemoryLeavesFocus(t *testing.T) {
	dir := long(t, 20)
	b := serve(t, dir).open()
	b.listening()
	b.do(focus(".rows li:nth-child(2) a"))
	at := value[string](b, "document.activeElement.href")
	command(t, dir, "", "git", "context", "commit", "-m", "The rest")
	b.wait(`document.querySelector("#history").textContent.includes("The rest")`, soon)
	if now := value[string](b, "document.activeElement.href ?? document.activeElement.outerHTML"); now != at {
		t.Errorf("the focus was on %s, and is on %.200s", at, now)
	}
}

// A repository that goes away is an error on the page; the server goes on, and shows it when it is back.
func TestDeletedRepositoryIsAnError(t *testing.T) {
	dir := repository(t, "Stay")
	b := serve(t, dir).open()
	b.listening()
	away := filepath.Join(filepath.Dir(dir), "away")
	if err := os.Rename(filepath.Join(dir, ".git"), away); err != nil {
		t.Fatal(err)
	}
	b.wait(`document.querySelector("#live").textContent !== ""`, soon)
	t.Logf("the open page says: %s", value[string](b, `document.querySelector("#live").textContent`))
	b.visit("/")
	if text := value[string](b, "document.querySelector('main').textContent"); !strings.Contains(text, "git repository") {
		t.Errorf("the page does not say what is wrong:\n%s", text)
	}
	if err := os.Rename(away, filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	b.visit("/")
	if text := value[string](b, "document.querySelector('main').textContent"); !strings.Contains(text, "Stay") {
		t.Errorf("the repository is back, the page is not:\n%s", text)
	}
}

func TestLongTraceStaysShort(t *testing.T) {
	const steps = 3000
	b := serve(t, long(t, steps)).open()
	b.size(1280, 800)
	b.scheme("light") // and no smooth scrolling, which takes seconds to the end of a long page
	b.visit("/trace")
	seen, most := 0, 0
	for begin := time.Now(); time.Since(begin) < 3*patience; {
		most = max(most, value[int](b, `document.querySelectorAll(".step").length`))
		if value[bool](b, `[...document.querySelectorAll(".step h3")].some(h => h.textContent.trim() === "Step 1")`) {
			seen = 1
			break
		}
		value[int](b, "(scrollTo(0, document.documentElement.scrollHeight), 1)")
		b.wait(`[...document.querySelectorAll("#steps > section")].some(s => !s.dataset.empty && s.getBoundingClientRect().top < innerHeight && s.getBoundingClientRect().bottom >= 0)`, patience)
		time.Sleep(30 * time.Millisecond)
	}
	if seen == 0 {
		t.Errorf("the first step was not reached: %.500s", value[string](b, `document.querySelector("#steps > section:last-child").textContent`))
	}
	if most >= 600 {
		t.Errorf("%d steps were on the page at once", most)
	}
	t.Logf("at most %d steps at once", most)
	// Back at the top are the newest ones, and the page is as high as all of it.
	high := value[int](b, "document.documentElement.scrollHeight")
	value[int](b, "(scrollTo(0, 0), 1)")
	b.wait(`document.querySelector(".step h3").textContent.includes("Step 3000")`, patience)
	if now := value[int](b, "document.documentElement.scrollHeight"); now < high/2 {
		t.Errorf("the page was %d pixels high, and is %d", high, now)
	}
	b.quiet("/trace")
}
