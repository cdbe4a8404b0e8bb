package golden

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/agent"
)

// Speed decodes a megabyte of testdata/main.jsonl, which is to take 15 ms: it is what the hook at the
// end of a turn may find.
func (d Decode) Speed(b *testing.B, ids ...string) {
	b.Helper()
	text, err := os.ReadFile("testdata/main.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	d.SpeedOf(b, string(text), ids...)
}

// SpeedOf decodes a text that is repeated up to a megabyte. Each of ids is what stands before an
// id, which gets another number each time.
func (d Decode) SpeedOf(b *testing.B, text string, ids ...string) {
	b.Helper()
	var all strings.Builder
	for n := 0; all.Len() < 1<<20; n++ {
		var pairs []string
		for _, id := range ids {
			pairs = append(pairs, id, fmt.Sprintf("%s%04d", id, n))
		}
		all.WriteString(strings.NewReplacer(pairs...).Replace(text))
	}
	b.SetBytes(int64(all.Len()))
	for b.Loop() {
		d.Run(b, all.String(), agent.Start{})
	}
}
