package agent

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// own is a secret that only a rule of the repository finds, and token one that the built-in rules find.
const (
	own   = "ACME-s3cr3ts3crs3cr3ts3crs3cr3ts3crs3cr3ts3cr"
	token = "ghp_wJ4kq9ZbT2mXc7RvY5nPdL8sHfA3gE1uQ6oK"
)

// turnWith is all that a thread makes of a turn in which every text is the given one.
func turnWith(text string, start Start) string {
	var all []any
	th := newThread(start, func(s Step) error { all = append(all, s); return nil })
	input, _ := json.Marshal(map[string]string{"content": text, "old_string": text + "\n"})
	edit := Event{Kind: Call, ID: "3", Call: "c", Tool: "Write", Argument: "a.go"}
	edit.Wrote(input, []string{text[:min(len(text), 900)]})
	for _, e := range []Event{
		{Kind: Prompt, ID: "1", Text: text},
		{Kind: Text, ID: "2", Text: text},
		edit,
		{Kind: Result, Call: "c", Text: text},
		{Kind: Call, ID: "4", Call: "d", Tool: "Bash", Argument: "make; echo " + text, Class: Shell},
		{Kind: Result, Call: "d", Text: text},
		{Kind: Call, ID: "5", Call: "e", Tool: "Read", Argument: text, Class: Looks},
		{Kind: Result, Call: "e", Text: text},
		{Kind: Call, ID: "6", Call: "f", Tool: "Read", Argument: "b", Class: Looks},
		{Kind: Result, Call: "f", Text: text},
		{Kind: Text, ID: "7", Text: text, Final: true},
	} {
		th.Add(e)
	}
	th.open()
	for i := range th.report.Turns {
		th.report.Turns[i].Made = nil // which is compared, and not stored
	}
	return fmt.Sprintf("%+v %+v", all, th.report)
}

// Wherever a text is cut, no half of a secret is left, and the note of what is missing has a hash of the mark, not of the
// secret.
func TestNoCutLeavesHalfOfASecret(t *testing.T) {
	t.Parallel()
	rule := regexp.MustCompile("ACME-[a-z0-9]{40}")
	clean := func(text string) string { return rule.ReplaceAllString(text, "[redacted:context.redact]") }
	for _, size := range []int{100, 320, 1024, maxField, maxFinal, mostEdited} {
		for at := size - 60; at < size+20; at += 26 {
			for _, line := range []string{"\n", strings.Repeat("w ", 30) + "\n"} {
				begin := strings.Repeat("x"+line, at/(1+len(line))) + strings.Repeat("x", at%(1+len(line))) + " "
				end := " " + strings.Repeat("\ny", 2000)
				if got := turnWith(begin+token+end, Start{}); strings.Contains(got, token[:7]) {
					t.Fatalf("%d of %d: half of a token is left", at, size)
				}
				got := turnWith(begin+own+end, Start{Clean: clean})
				if strings.Contains(got, own[:7]) {
					t.Fatalf("%d of %d: half of a secret of the repository's own rules is left", at, size)
				}
				if got != turnWith(begin+"ACME-"+strings.Repeat("0", 40)+end, Start{Clean: clean}) {
					t.Fatalf("%d of %d: what is kept depends on the secret", at, size)
				}
			}
		}
	}
}

// A short form of an edit has no secret either, whatever lines it takes.
func TestChangeHasNoSecret(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n", 200)
	for _, text := range []string{key, strings.Repeat("x", 80) + " = " + token, "token: " + token} {
		for _, edit := range []Edit{{New: text}, {Old: text}, {Old: text, New: "a"}} {
			e := Event{Edits: []Edit{edit}}
			if e.Clean(Start{}.Cleaner()); strings.Contains(e.Change, "MIIEvQ") || strings.Contains(e.Change, token[:8]) {
				t.Errorf("%q", e.Change)
			}
		}
	}
}

// A text that comes twice, as a part and as a whole, is one, although the part ended within a secret.
func TestPartOfAnAnswerLeavesNoSecret(t *testing.T) {
	said := ""
	th := newThread(Start{}, func(s Step) error { said += s.Thought; return nil })
	th.Add(Event{Kind: Text, ID: "1", Answer: "a", Text: "It is " + token[:30]})
	th.Add(Event{Kind: Text, ID: "2", Answer: "a", Text: "It is " + token + ".", Final: true})
	if th.open(); said != "It is [redacted:github-token]." {
		t.Errorf("%q", said)
	}
}
