package git

import (
	"crypto/sha256"
	"encoding/base64"
	"testing"
)

// blob is an SSH key of a type, with a content.
func blob(kind, content string) string {
	return base64.StdEncoding.EncodeToString([]byte("\x00\x00\x00" + string(rune(len(kind))) + kind + content))
}

func fingerprint(kind, content string) string {
	raw, _ := base64.StdEncoding.DecodeString(blob(kind, content))
	sum := sha256.Sum256(raw)
	return sshFingerprint + base64.RawStdEncoding.EncodeToString(sum[:])
}

// An address is another's only if a line names it beside another key, and none beside this one.
func TestSSHOwner(t *testing.T) {
	const kind = "ssh-ed25519"
	text := "# comment\n\n" +
		"ann@example.com,Ann@Work.example " + kind + " " + blob(kind, "a") + " laptop of Ann\n" +
		"\"bob@example.com\" namespaces=\"git,file of bob\",valid-after=\"20200101\" " + kind + " " + blob(kind, "b") + "\n" +
		"* " + kind + " " + blob(kind, "any") + "\n" +
		"*@example.com " + kind + " " + blob(kind, "robot") + "\n" +
		"cat@example.com cert-authority " + kind + " " + blob(kind, "authority") + "\n" +
		"dan@example.com " + kind + " " + blob("ssh-rsa", "not of that type") + "\n" +
		"eve@example.com " + kind + "\n" +
		"eve@example.com " + kind + " AAAA\n"
	list := parseSigners(text)
	if len(list) != 4 {
		t.Fatalf("%d signers: %+v", len(list), list)
	}
	for _, test := range []struct {
		email, key     string
		owned, another bool
	}{
		{"ann@example.com", "a", true, false},
		{"ANN@work.EXAMPLE", "a", true, false},
		{"ann@example.com", "b", false, true},
		{"bob@example.com", "a", false, true},
		{"bob@example.com", "robot", true, true},
		{"bob@example.com", "any", false, true},  // no part of an address is in its pattern
		{"robot@example.com", "a", false, false}, // a pattern makes an address nobody's
		{"agent@nowhere.example", "a", false, false},
		{"cat@example.com", "a", false, false},
		{"dan@example.com", "a", false, false},
	} {
		owned, another := sshOwner(list, test.email, fingerprint(kind, test.key))
		if owned != test.owned || another != test.another {
			t.Errorf("%s by the key %s: owned %v, another's %v", test.email, test.key, owned, another)
		}
	}
}

func TestLike(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"a@b", "a@b", true}, {"a@b", "a@bc", false}, {"*@b", "x@b", true}, {"*@b", "x@bc", false}, {"?@b", "x@b", true},
		{"?@b", "xy@b", false}, {"*", "", true}, {"?", "", false}, {"*x*", "axb", true}, {"*x*", "ab", false}, {"", "a", false},
	} {
		if got := like(test.pattern, test.text); got != test.want {
			t.Errorf("%q is like %q: %v", test.text, test.pattern, got)
		}
	}
}

func TestPGPOwner(t *testing.T) {
	const text = "tru::1:1:0:3:1:5\n" +
		"pub:u:255:22:AAAAAAAAAAAAAAAA:1:::u:::scESC::::::23::0:\n" +
		"uid:u::::1::H::Ann <ann@example.com>::::::::::0:\n" +
		"sub:u:255:22:BBBBBBBBBBBBBBBB:1::::::s::::::23:\n" +
		"pub:-:255:22:CCCCCCCCCCCCCCCC:1:::-:::scESC::::::23::0:\n" +
		"uid:-::::1::H::Not Ann <ann@example.com>::::::::::0:\n" // of a stranger: nobody has said that it is Ann's
	list := parsePGPKeys(text, "Ann@example.com")
	for key, want := range map[string][2]bool{"AAAAAAAAAAAAAAAA": {true, false}, "bbbbbbbbbbbbbbbb": {true, false},
		"0123456789ABCDEF0123BBBBBBBBBBBBBBBB": {true, false}, "DDDDDDDDDDDDDDDD": {false, true}, "": {false, true}} {
		if owned, another := pgpOwner(list, key); owned != want[0] || another != want[1] {
			t.Errorf("the key %s: owned %v, another's %v", key, owned, another)
		}
	}
	if list := parsePGPKeys(text, "bob@example.com"); len(list) != 0 {
		t.Errorf("the keys of bob are %v", list)
	}
}
