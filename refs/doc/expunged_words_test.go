package doc

import (
	"fmt"
	"testing"
)

// A file of words that begin alike, as large as one may be, is refused once it has too many: to compare each with those before it takes
// long.
func TestParseManyWords(t *testing.T) { // not parallel: it counts allocations
	var data []byte
	for i := 0; len(data) < MaxExpunged-100; i++ {
		data = fmt.Appendf(data, "word 10-abc-%064x\n", i)
	}
	if allocs := testing.AllocsPerRun(1, func() {
		if _, err := ParseExpunged(data); err == nil {
			t.Error("so many words are accepted")
		}
	}); allocs > 20*MaxWords {
		t.Errorf("%.0f allocations", allocs)
	}
}
