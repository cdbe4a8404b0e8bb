package prose

import (
	"strings"
	"testing"
)

func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 5, "short"},
		{"longer", 5, "longe…"},
		{"aäb", 2, "a…"}, // not within a character
		{"äb", 1, "…"},
		{"a\xffb", 10, "a\uFFFDb"},
		{strings.Repeat("\x80", 5), 3, "…"},
		{"", 0, ""},
	} {
		if got := Clip(c.text, c.limit); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	if got := OneLine(" a\n\tb  c ", 10); got != "a b c" {
		t.Errorf("%q", got)
	}
	if got := OneLine("one two three", 8); got != "one two…" {
		t.Errorf("%q", got)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 steps", 1: "1 step", 2: "2 steps"} {
		if got := Count(n, "step"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	if got := Count(2, "branch"); got != "2 branches" {
		t.Errorf("%q", got)
	}
}

func TestHidePasswords(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"see https://h/r and http://h?":   "see https://h/r and http://h?",
		"'https://user:PW@h/r' not found": "'https://user:xxxxx@h/r' not found",
		"https://user:p@ss@h:8080/r":      "https://user:xxxxx@h:8080/r",
		"https://ghp_token@h/r":           "https://xxxxx@h/r",
		"ssh://git@h/r, ssh://git:pw@h":   "ssh://git@h/r, ssh://git:xxxxx@h",
		"http://a:b@h http://c:d@i":       "http://a:xxxxx@h http://c:xxxxx@i",
		"http://h/a@b git@h:r":            "http://h/a@b git@h:r",
		"://:@":                           "://:xxxxx@",
		"https://user:a/b@h/r":            "https://user:xxxxx@h/r",
		"https://user:a?b/c@h":            "https://user:xxxxx@h",
		"'https://user:a b@h/r' is bad":   "'https://user:xxxxx@h/r' is bad",
		"'https://h/r' and 'a@b'":         "'https://h/r' and 'a@b'",
		"https://h/a@b http://[::1]/@":    "https://h/a@b http://[::1]/@",
		"https://user:12/PW@h":            "https://user:xxxxx@h",
		"HTTPS://PW@h/r":                  "HTTPS://xxxxx@h/r",
		"https:///user:PW@h/r":            "https:///user:xxxxx@h/r",
		"http://h/r?code=PW;token=PW":     "http://h/r?code=xxxxx;token=xxxxx",
		"http://h/r?access_token=PW&x=1":  "http://h/r?access_token=xxxxx&x=1",
		"http://h/r?service=git-x#tok=PW": "http://h/r?service=git-x#tok=xxxxx",
		"http://u:p@h?private_token=PW":   "http://u:xxxxx@h?private_token=xxxxx",
		"it's http://u:p@h":               "it's http://u:xxxxx@h",
		"'/tmp/https:/u:PW@h/r': lstat":   "'/tmp/https:/u:xxxxx@h/r': lstat",
		"https:/PW@h":                     "https:/xxxxx@h",
		"C:/Users/a:b@c and x:/u:p@h":     "C:/Users/a:b@c and x:/u:p@h",
	} {
		if got := HidePasswords(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
