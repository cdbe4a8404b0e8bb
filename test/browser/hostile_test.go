//go:build unix

package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// evil is what each text of a hostile memory contains: if any of it is more than text, window.ran is set, or
// an element of it is on the page.
const evil = `<script>window.ran=1</script>"><img src=x onerror="window.ran=1">'><svg onload=window.ran=1>` +
	`</title></style></textarea></select></script><script>window.ran=1</script>javascript:window.ran=1//` +
	"{{.}}{{`<script>`}}${window.ran=1}<iframe srcdoc='<script>parent.ran=1</script>'></iframe><base href=//example.com/>" +
	"<meta http-equiv=refresh content='0;url=data:,gone'>\u202Edesrever\u2066 <a href='javascript:window.ran=1' id=hits>"

// hostile makes a memory in which every text is evil.
func hostile(t testing.TB) string {
	t.Helper()
	dir := repository(t, "goal "+evil)
	run := func(args ...string) {
		t.Helper()
		command(t, dir, "", append([]string{"git", "context"}, args...)...)
	}
	name := strings.ReplaceAll(evil, "/", "|")[:200]
	if err := os.WriteFile(filepath.Join(dir, name), []byte(evil+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, dir, "", "git", "add", ".")
	as := []string{"--session", `"><img src=x onerror=window.ran=1>`, "--model", "{{.}}"}
	record(t, dir, as, evil, evil+"\x00\x1b[2J", strings.Repeat(evil, 1<<20/len(evil)+1))
	run(append([]string{"commit", "--code", "-m", "summary " + evil, "-m", "contribution " + evil, "--todo", "todo " + evil,
		"--decide", "decision " + evil, "--outcome", "success", "--score", "0.5", "--tag", "key=" + evil}, as...)...)
	run("note", "CONTEXT_HEAD", "--review", "review "+evil)
	run("roadmap", "ask", "question "+evil)
	run("roadmap", "milestone", "add", "milestone "+evil)
	run("remember", "topic", "text "+evil, "--path", name)
	run("branch", "try", "--purpose", "purpose "+evil)
	run("remember", "topic", "mine "+evil)
	run("commit", "-m", "other "+evil)
	run("switch", "main")
	run("remember", "topic", "theirs "+evil)
	if out, err := program(dir, "", "git", "context", "merge", "try").CombinedOutput(); err == nil {
		t.Fatalf("there is no conflict:\n%s", out)
	}
	run("branch", "dead", "--purpose", "purpose "+evil, "--no-switch")
	run("merge", "dead", "--abandon", "-m", "why "+evil)
	record(t, dir, as, evil, evil, evil)
	// Names that our commands refuse may come from a remote all the same.
	for _, kind := range []string{"heads", "tags", "remotes/origin"} {
		command(t, dir, "", "git", "update-ref",
			"refs/context/"+kind+`/name"><script>window.ran=1<|script>`, "refs/context/heads/dead")
	}
	return dir
}

// record records one step.
func record(t testing.TB, dir string, as []string, observation, thought, action string) {
	t.Helper()
	line, err := json.Marshal(map[string]string{"observation": observation, "thought": thought, "action": action})
	if err != nil {
		t.Fatal(err)
	}
	command(t, dir, string(line)+"\n", append([]string{"git", "context", "record", "--stdin"}, as...)...)
}

// markup counts what a text of memory must not become: elements and attributes that our templates do not have,
// and links that lead elsewhere.
const markup = `(() => {
	const bad = [...document.querySelectorAll("script:not([src='/page.js']), iframe, img, base, object, embed, meta[http-equiv], main style, svg[onload]")];
	for (const e of document.querySelectorAll("*")) {
		if ([...e.attributes].some(a => a.name.startsWith("on"))) bad.push(e);
		const to = e.getAttribute("href") ?? e.getAttribute("action");
		if (to && e.localName !== "link" && new URL(to, location.href).origin !== location.origin) bad.push(e);
	}
	return bad.map(e => e.outerHTML.slice(0, 200));
})()`

func TestHostileMemoryIsText(t *testing.T) {
	s := serve(t, hostile(t))
	b := s.open()
	pages := b.pages()
	for _, script := range []bool{true, false} {
		call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !script})
		for _, path := range pages {
			b.visit(path)
			if ran := value[bool](b, "'ran' in window"); ran {
				t.Errorf("%s: a script of memory ran", path)
			}
			for _, e := range value[[]string](b, markup) {
				t.Errorf("%s: text is markup: %s", path, e)
			}
			if text := value[string](b, "document.body.textContent"); strings.ContainsAny(text, "\x00\x1b\u202e\u2066") {
				t.Errorf("%s: contains a character that hides or reorders text", path)
			}
			b.fits(path)
			b.quiet(path)
		}
	}
	for path, want := range map[string]string{
		"/": "goal <script>window.ran=1</script>", "/topics": "topic", "/conflicts": "theirs <script>window.ran=1</script>",
		"/branches": "purpose <script>window.ran=1</script>", "/trace": "<script>window.ran=1</script>", "/brief": "decision <script>",
	} {
		b.visit(path)
		if text := value[string](b, "document.querySelector('main').textContent"); !strings.Contains(text, want) {
			t.Errorf("%s shows no %q:\n%.2000s", path, want, text)
		}
	}
}

// What the script of a page puts into it comes as elements that the server wrote, or as text.
func TestHostileMemoryIsTextWhenLive(t *testing.T) {
	dir := hostile(t)
	s := serve(t, dir)
	b := s.open()
	b.listening()
	record(t, dir, nil, evil, evil, "live "+evil)
	b.wait(`document.querySelector("#working").textContent.includes("live <script>")`, patience)
	b.visit("/search?q=summary")
	b.do(focus("#words"))
	b.keys(" window")
	b.wait(`location.search.includes("window") && document.querySelectorAll("#hits li").length > 0`, patience)
	if value[bool](b, "'ran' in window") || len(value[[]string](b, markup)) > 0 {
		t.Errorf("text is markup: %s", value[[]string](b, markup))
	}
	b.quiet("live")
}
