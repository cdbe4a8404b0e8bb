package redact

import (
	"strings"
	"testing"
)

func TestRulesOfTheUser(t *testing.T) {
	rules, err := Compile([]string{`INT-[0-9]{6}`, `door code (\d{4})`})
	if err != nil {
		t.Fatal(err)
	}
	token := "ghp" + "_" + newMaker().of(base62, 36)
	for _, c := range []struct{ text, want string }{
		{"id INT-123456 and door code 9876.", "id [redacted:context.redact] and door code [redacted:context.redact]."},
		{"INT-123456" + " " + token, "[redacted:context.redact] [redacted:github-token]"},
		{"token=INT-123456", "token=[redacted:context.redact]"},
		{"https://ada:xINT-123456y4@h/", "https://ada:[redacted:url-password]@h/"},
		{"INT-12345", "INT-12345"},
	} {
		got, _ := rules.Text(c.text)
		if got != c.want {
			t.Errorf("%q gave %q, want %q", c.text, got, c.want)
		}
		if again, _ := rules.Text(got); again != got {
			t.Errorf("%q became %q", got, again)
		}
	}
}

// A rule that matches what marks contain does not change marks.
func TestRulesLeaveMarks(t *testing.T) {
	rules, err := Compile([]string{`redacted`, `token`, `:[a-z-]+`})
	if err != nil {
		t.Fatal(err)
	}
	once, _ := rules.Text("a token:x " + "ghp" + "_" + newMaker().of(base62, 36))
	if want := "a [redacted:context.redact][redacted:context.redact] [redacted:github-token]"; once != want {
		t.Errorf("%q, want %q", once, want)
	}
	if again, _ := rules.Text(once); again != once {
		t.Errorf("%q became %q", once, again)
	}
}

func TestNoRules(t *testing.T) {
	rules, err := Compile(nil)
	if rules != nil || err != nil {
		t.Errorf("%v, %v", rules, err)
	}
	text := "password=x7!k2Lm9 INT-123456"
	got, _ := rules.Text(text)
	if want, _ := Text(text); got != want || got == text {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRefusedRules(t *testing.T) {
	for pattern, want := range map[string]string{"(": "is no regular expression", "x*": "matches the empty text"} {
		if _, err := Compile([]string{pattern}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}
