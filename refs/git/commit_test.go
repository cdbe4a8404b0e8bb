package git

import (
	"testing"
)

// The parts of a message joined are the message, whatever it looks like.
func TestParts(t *testing.T) {
	for _, c := range []struct{ subject, body, trailers string }{
		{"One\n\n", "Two\n\nThree\n\n", "A: b\nC: d\n"},
		{"One\n\n", "", "A: b\n"},
		{"One\n\n", "Two\n", ""},
		{"One\n", "", ""},
		{"", "", ""},
		{"\n\nOne\n\n", "A: b\nno\n\n", "A: b"},
	} {
		m := Commit{Message: c.subject + c.body + c.trailers}
		if s, b, tr := m.Parts(); s != c.subject || b != c.body || tr != c.trailers {
			t.Errorf("%q: %q, %q, %q", m.Message, s, b, tr)
		}
	}
}

func TestUnsigned(t *testing.T) {
	c := Commit{Extra: []byte("encoding x\ngpgsig a\n b\n c\nmergetag y\n z\ngpgsig-sha256 d\n e\n")}
	if got := string(c.Unsigned()); got != "encoding x\nmergetag y\n z\n" {
		t.Errorf("%q", got)
	}
}
