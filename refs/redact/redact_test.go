package redact

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestFindsSecrets(t *testing.T) {
	all := secrets()
	if len(all) < 150 {
		t.Errorf("%d secrets are too few", len(all))
	}
	for _, c := range all {
		out, found := Text(c.text)
		want := strings.Replace(c.text, c.secret, markStart+c.kind+"]", 1)
		if !strings.Contains(c.text, c.secret) || len(found) == 0 || out != want {
			t.Errorf("%q\ngave %q\nwant %q", c.text, out, want)
		}
		checkLaws(t, c.text)
	}
}

func TestLeavesCleanTexts(t *testing.T) {
	all := clean()
	if len(all) < 150 {
		t.Errorf("%d clean texts are too few", len(all))
	}
	for _, text := range append(all, strings.Join(all, "\n"), strings.Join(all, `\n`)) {
		if out, found := Text(text); found != nil || out != text {
			f := found[0]
			t.Errorf("%.200q: took %q as %v", text, text[f.Start:f.End], f)
		}
	}
}

func TestNothingIsAllocatedForCleanTexts(t *testing.T) {
	text := strings.Join(clean(), "\n")
	if n := testing.AllocsPerRun(10, func() { Text(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestLaws(t *testing.T) {
	var pieces []string
	for _, c := range secrets() {
		pieces = append(pieces, c.text, c.secret)
	}
	pieces = append(pieces, clean()...)
	for i := range anchorTables().anchors {
		pieces = append(pieces, anchorTables().anchors[i].text)
	}
	pieces = append(pieces, `"`, `'`, `\`, `\n`, `\"`, `":"`, `",`, "\n", " ", "=", ":", "{", "}", "[", "]", "@", "é", "\xff", "1", "aZ9", ".")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(t, "pieces"), "")
		checkLaws(t, text)
		checkLaws(t, quoted(text))
		checkLaws(t, `{"a":`+quoted(text)+`,"n":12345678901234567890,"b":`+quoted(text)+`}`)
	})
}

// No text costs more than its length: neither do anchors that lead nowhere. A text of this
// size takes a few milliseconds, and seconds if the time grows with the square of the length;
// only the fastest of some tries counts, because other processes run beside the test.
func TestTimeIsLinear(t *testing.T) {
	const size, most = 64 << 10, 250 * time.Millisecond
	try := func(piece string) {
		text := strings.Repeat(piece, size/len(piece))
		took := most
		for n := 0; took >= most && n < 5; n++ {
			began := time.Now()
			Text(text)
			took = min(took, time.Since(began))
		}
		if took >= most {
			t.Errorf("%q took more than %v", piece, most)
		}
	}
	for i := range anchorTables().anchors {
		a := anchorTables().anchors[i].text
		for _, after := range []string{"", " ", "=", "a", ":\"", "-1.", "\\", "A1b2"} {
			try(a + after)
		}
	}
	for _, piece := range []string{begunKey, begunKey + "x ", "://a:", "a@", "token=\"", "curl -u ", "kind: Secret\n", "data:\n kind: Secret", "\\", "key ", "api key"} {
		try(piece)
	}
}

const begunKey = "-----BEGIN PRIVATE" + " KEY-----"

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}
