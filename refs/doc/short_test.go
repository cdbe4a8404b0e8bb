package doc

import (
	"bytes"
	"strings"
	"testing"
)

// A document with shortened texts has the same entries, each text with its beginning.
func TestShortTexts(t *testing.T) {
	t.Parallel()
	texts := []string{"short", strings.Repeat("é日\n\n", 500), strings.Repeat("日", 3000), strings.Repeat("\n", 900) + "x",
		strings.Repeat("a", 99) + "\n" + strings.Repeat("b", 99)}
	var ids []string
	for _, s := range plainSteps(t, 20) {
		ids = append(ids, s.ID)
	}
	var steps []Step
	for i := range 20 {
		steps = append(steps, Step{ID: ids[i], Number: i + 1, Time: testTime(), Agent: "a", Origin: "main",
			Observation: texts[i%5], Thought: texts[(i+1)%5], Action: texts[(i+3)%5]})
	}
	data := FormatLog(steps)
	for most := 8; most < 400; most++ {
		got, err := ParseLog(ShortTexts(bytes.Clone(data), most))
		if err != nil || len(got) != len(steps) {
			t.Fatalf("%d bytes: %d steps, %v", most, len(got), err)
		}
		for i, s := range got {
			for _, pair := range [][2]string{{s.Observation, steps[i].Observation}, {s.Thought, steps[i].Thought}, {s.Action, steps[i].Action}} {
				if !strings.HasPrefix(pair[1], pair[0]) || len(pair[0]) > most || 2*len(pair[1]) < most && len(pair[0]) < len(pair[1]) {
					t.Fatalf("%d bytes: %q of %q", most, pair[0], pair[1])
				}
			}
		}
	}
	if short := []byte("== Branch main ==\n"); len(ShortTexts(short, 1)) != len(short) {
		t.Error("what is no text was shortened")
	}
}
