package redact

import (
	"fmt"
	"strings"
	"testing"
)

// trace returns what an agent does and reads, of about n bytes: words, code, output, ids.
func trace(n int) string {
	m := newMaker()
	words := strings.Fields("the a of to in is that it for on with as was this be by are from or an at not have test file error func return if err nil " +
		"token value string config user request response line number build commit branch context memory agent tool result output main package import " +
		"which when there would read write step open close first last under over between because so then each other only also more most some such")
	var b strings.Builder
	for b.Len() < n {
		switch m.r.IntN(12) {
		case 0:
			fmt.Fprintf(&b, `{"type":"tool_use","id":"toolu_%s","name":"Bash","input":{"command":"go test ./... -run Test%d"}}`+"\n", m.of(base62, 24), m.r.IntN(100))
		case 1:
			fmt.Fprintf(&b, "ok  \tgithub.com/git-context/git-context/refs/store\t%d.%03ds\n", m.r.IntN(9), m.r.IntN(1000))
		case 2:
			fmt.Fprintf(&b, "%s %s:%d: undefined: x%d\n", m.of(hex, 40), "refs/store/tokens.go", m.r.IntN(500), m.r.IntN(10))
		case 3:
			fmt.Fprintf(&b, "\tif token := next(%d); token == nil { return fmt.Errorf(\"key %%q\", key) }\n", m.r.IntN(100))
		default:
			for range 14 {
				b.WriteString(words[m.r.IntN(len(words))] + " ")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()[:n]
}

func BenchmarkText(b *testing.B) {
	for _, n := range []int{2 << 10, 1 << 20} {
		text := trace(n)
		if _, found := Text(text); found != nil {
			b.Fatal(found)
		}
		b.Run(fmt.Sprintf("%dKiB", n>>10), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				Text(text)
			}
		})
	}
}

// The tables are made once in a process.
func BenchmarkTables(b *testing.B) {
	for b.Loop() {
		makeTables()
	}
}
