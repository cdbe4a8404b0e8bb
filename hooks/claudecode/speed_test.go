package claudecode_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/claudecode"
	"github.com/git-context/git-context/hooks/internal/golden"
)

// One benchmark is of many small records, one of results of 8 KiB, which are there twice, and one of edits of
// as much.
func BenchmarkDecode(b *testing.B) {
	result, _ := json.Marshal(strings.Repeat("func TestName(t *testing.T) {\n\tt.Parallel()\n}\n", 170))
	long := `{"type":"assistant","uuid":"ed60ceb2","sessionId":"s","message":{"id":"msg_1","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"make"}}]}}
{"type":"user","uuid":"238bf552","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":` +
		string(result) + `}]},"toolUseResult":{"stdout":` + string(result) + `}}
`
	edits := `{"type":"assistant","uuid":"ed60ceb2","sessionId":"s","message":{"id":"msg_1","content":[{"type":"tool_use","id":"toolu_1","name":"Edit","input":{"file_path":"a","old_string":` +
		string(result) + `,"new_string":` + strings.ReplaceAll(string(result), "TestName", "TestOther") + `}}]}}
{"type":"user","uuid":"238bf552","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}}
`
	ids := []string{`"uuid":"`, `"toolu_`, `"msg_`}
	b.Run("small", func(b *testing.B) { golden.Decode(claudecode.Decode).Speed(b, ids...) })
	b.Run("large", func(b *testing.B) { golden.Decode(claudecode.Decode).SpeedOf(b, long, ids...) })
	b.Run("edits", func(b *testing.B) { golden.Decode(claudecode.Decode).SpeedOf(b, edits, ids...) })
}
