package doc

import "testing"

// Many keys go at once, with the maps that are empty then, and nothing else.
func TestUnsetAll(t *testing.T) {
	m, err := ParseMetadata([]byte("version: 1\na:\n  b: 1\n  c:\n    d: 2\n    e: 3\nf: {g: {h: 4}}\ni: 5\nj: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.UnsetAll([]string{"a.c.d", "a.c.e", "f.g.h", "i", "a.none", "none.x"}); err != nil {
		t.Fatal(err)
	}
	if b, err := m.Bytes(); err != nil || string(b) != "version: 1\na:\n  b: 1\nj: {}\n" {
		t.Errorf("%q, %v", b, err)
	}
}
