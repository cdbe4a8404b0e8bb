package agent

import (
	"fmt"
	"strings"
	"testing"
)

// filler is lines that say nothing in particular.
func filler(from, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "ok  package number %d of many\n", from+i)
	}
	return b.String()
}

// What went wrong and what the task is about stays of a long result, wherever it is; and its ends.
func TestChoose(t *testing.T) {
	text := "go test ./...\n" + filler(0, 100) + "--- FAIL: TestParse (0.01s)\n    parse_test.go:12: got 1, want 2\n" + filler(100, 100) +
		"the leapSeconds table is old\n" + filler(200, 100) + "exit status 1\n"
	got := Choose(text, 1024, WantedBy("Fix the leap seconds"))
	for _, want := range []string{"go test ./...\n", "number 0 of", "--- FAIL: TestParse (0.01s)\n    parse_test.go:12: got 1, want 2\n", "the leapSeconds table is old\n",
		"exit status 1\n… "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if len(got) > 1024 || len(got) < 900 || missing(got) < len(text)/2 {
		t.Errorf("%d bytes, %d missing", len(got), missing(got))
	}
	if again := Cut(got, 512); missing(again) != missing(got) {
		t.Errorf("cut again it misses %d bytes, not %d", missing(again), missing(got))
	}
	if got := Choose("short", 10, nil); got != "short" {
		t.Errorf("%q", got)
	}
	if long := strings.Repeat("x", 3000); Choose(long, 1024, nil) != Cut(long, 1024) {
		t.Errorf("a text of one line: %q", Choose(long, 1024, nil))
	}
}

// Where half of the lines have a word, it chooses none: they would be the head of the output again.
func TestChooseByRareWords(t *testing.T) {
	text := filler(0, 300) + "error in line 7\n" + filler(300, 10)
	if got := Choose(text, 600, WantedBy("package 305")); !strings.Contains(got, "error in line 7") || !strings.Contains(got, "number 305") {
		t.Errorf("%q", got)
	}
	all := strings.Repeat("raise SomeError(x)\n", 200) + "    def seconds(self):\n" + strings.Repeat("raise SomeError(y)\n", 200)
	if got := Choose(all, 600, WantedBy("seconds")); !strings.Contains(got, "def seconds") {
		t.Errorf("%q", got)
	}
}

// A digest has no note, and what another result tells comes last.
func TestDigest(t *testing.T) {
	known := func(line string) bool { return strings.HasPrefix(line, "ok ") }
	text := filler(0, 50) + "7 of 8 pass\n" + filler(50, 50)
	if got := Digest(text, 200, nil, known); got != "…\n7 of 8 pass" {
		t.Errorf("%q", got)
	}
	if got := Digest("a\nb\n", 200, nil, func(line string) bool { return line == "a" }); got != "…\nb" {
		t.Errorf("%q", got)
	}
	if got := Digest(filler(0, 9), 2000, nil, known); got != "" {
		t.Errorf("%q", got)
	}
	if got := Digest(Choose(text, 400, nil), 300, nil, nil); strings.Contains(got, "sha256") || len(got) > 300 || !strings.Contains(got, "number 99") {
		t.Errorf("%q", got)
	}
}

// A step of a call keeps the failure at the end of a long result; a file that was read, what the task is about.
func TestStepsKeepWhatMatters(t *testing.T) {
	var steps []Step
	th := newThread(Start{}, func(s Step) error { steps = append(steps, s); return nil })
	th.Add(Event{Kind: Prompt, ID: "p", Text: "Mend roundedSeconds"})
	th.Add(Event{Kind: Call, ID: "c", Call: "c", Tool: "Bash", Class: Shell, Argument: "make"})
	th.Add(Event{Kind: Result, ID: "r", Call: "c", Text: filler(0, 500) + "FAIL one\n" + filler(0, 500)})
	th.Add(Event{Kind: Call, ID: "d", Call: "d", Tool: "Read", Class: Looks, Argument: "a.go"})
	th.Add(Event{Kind: Result, ID: "s", Call: "d", Text: filler(0, 500) + "func roundedSeconds() {\n" + filler(0, 500)})
	th.Add(Event{Kind: Stop, ID: "e"})
	for n, want := range []string{"User: ", "\nFAIL one\n", "\nfunc roundedSeconds() {\n"} {
		if got := steps[n].Observation; !strings.Contains(got, want) || len(got) > MaxField {
			t.Errorf("%d bytes: %q lacks %q", len(got), got, want)
		}
	}
}

func TestFindings(t *testing.T) {
	for text, want := range map[string]string{
		"The seed is 7. Now let's run it.":                   "The seed is 7.",
		"It fails.We will now edit fmt.Println there. Done.": "It fails. Done.",
		"Let me look at it:\nThe cause is in a.go":           "The cause is in a.go",
		"Perfect! Now I need to update it. Good, it passes":  "Perfect! Good, it passes",
		"Let's go.":   "Let's go.",
		"":            "",
		"a.B is 1.5.": "a.B is 1.5.",
	} {
		if got, stated := Findings(text); got != want || stated != (text != "" && text != "Let's go.") {
			t.Errorf("%q: got %q, %t", text, got, stated)
		}
	}
}
