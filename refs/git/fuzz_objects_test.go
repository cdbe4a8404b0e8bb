package git

import (
	"bufio"
	"bytes"
	"math"
	"strings"
	"testing"
)

func FuzzParseCommit(f *testing.F) {
	f.Add([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor a <b> 1 +0000\ncommitter a <b> 1 +0000\n\nmessage"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseCommit("x", data)
		if err != nil {
			return
		}
		again, err := ParseCommit("x", c.Encode())
		if err != nil {
			t.Fatalf("%q does not parse again: %v", c.Encode(), err)
		}
		if again.Message != c.Message || !bytes.Equal(again.Extra, c.Extra) || len(again.Parents) != len(c.Parents) {
			t.Errorf("%+v became %+v", c, again)
		}
		_, _, _ = c.Subject(), c.Body(), c.Trailers("x")
	})
}

func FuzzParseTree(f *testing.F) {
	f.Add(append([]byte("100644 a\x00"), make([]byte, 20)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := ParseTree(data, 20)
		if err != nil {
			return
		}
		if out, err := encodeTree(entries, 40); err == nil && len(out) > len(data) {
			t.Errorf("%q grew to %q", data, out)
		}
	})
}

func FuzzReadAnswer(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add([]byte(id+" blob 2\nhi\n"), "HEAD")
	f.Add([]byte("HEAD missing\n"), "HEAD")
	f.Add([]byte("HEAD ambiguous\n"), "HEAD")
	f.Add([]byte(id+" blob 99999999999999\nhi\n"), "HEAD")
	f.Fuzz(func(t *testing.T, answer []byte, rev string) {
		o, err := readAnswer(bufio.NewReader(bytes.NewReader(answer)), rev, 40, true)
		if err == nil && (!isHex(string(o.ID), 40) || len(o.Data) > len(answer)) {
			t.Errorf("%q gave %+v", answer, o)
		}
	})
}

func FuzzInflate(f *testing.F) {
	f.Add([]byte("x\x01"))
	f.Fuzz(func(t *testing.T, raw []byte) { _, _ = inflate(raw, math.MaxInt) })
}
