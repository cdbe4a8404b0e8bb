package claudecode_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/claudecode"
	"github.com/git-context/git-context/hooks/internal/golden"
)

// A megabyte must be decoded in 15 ms: it is what the hook at the end of a turn may find.
// One benchmark is of many small records, one of results of 8 KiB, which are there twice.
func BenchmarkDecode(b *testing.B) {
	short, err := os.ReadFile("testdata/main.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	result, _ := json.Marshal(strings.Repeat("func TestName(t *testing.T) {\n\tt.Parallel()\n}\n", 170))
	long := `{"type":"assistant","uuid":"ed60ceb2","sessionId":"s","message":{"id":"msg_1","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"make"}}]}}
{"type":"user","uuid":"238bf552","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":` +
		string(result) + `}]},"toolUseResult":{"stdout":` + string(result) + `}}
`
	for name, text := range map[string]string{"small": string(short), "large": long} {
		megabyte := repeated(text)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(megabyte)))
			for b.Loop() {
				golden.Decode(claudecode.Decode).Run(b, megabyte, agent.Start{})
			}
		})
	}
}

// repeated is the text again and again, with other ids, up to a megabyte.
func repeated(text string) string {
	var all strings.Builder
	for n := 0; all.Len() < 1<<20; n++ {
		id := fmt.Sprintf("%04d", n)
		all.WriteString(strings.NewReplacer(`"uuid":"`, `"uuid":"`+id, `"toolu_`, `"toolu_`+id, `"msg_`, `"msg_`+id).Replace(text))
	}
	return all.String()[:strings.LastIndexByte(all.String()[:1<<20], '\n')+1]
}
