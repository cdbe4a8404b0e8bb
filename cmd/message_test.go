package cmd

import "testing"

func TestSplitMessage(t *testing.T) {
	for _, test := range []struct {
		name                  string
		paragraphs            []string
		file                  string
		summary, contribution string
	}{
		{"nothing", nil, "", "", ""},
		{"blank", []string{" ", "\n"}, "\n\n", "", ""},
		{"summary", []string{"a, b"}, "", "a, b", ""},
		{"later -m", []string{"s", "one", "two\nlines"}, "", "s", "one\n\ntwo\nlines"},
		{"one -m of two paragraphs", []string{"s\n\nbody\n"}, "", "s", "body\n"},
		{"file alone", nil, "\ns\n\nbody\n\n  more\n", "s", "body\n\n  more"},
		{"file of one line", nil, "s\r\n", "s", ""},
		{"-m and file", []string{"s"}, "body\nmore\n", "s", "body\nmore"},
		{"-m, -m and file", []string{"s", "one"}, "two\n", "s", "one\n\ntwo"},
		{"blank -m between", []string{"s", "", "two"}, "", "s", "two"},
		{"spaces around the summary", []string{"  s\t"}, "", "s", ""},
		{"spaces in the contribution", []string{"s", "  indented  "}, "", "s", "  indented  "},
	} {
		summary, contribution := splitMessage(test.paragraphs, test.file)
		if summary != test.summary || contribution != test.contribution {
			t.Errorf("%s: %q %q, want %q %q", test.name, summary, contribution, test.summary, test.contribution)
		}
	}
}
