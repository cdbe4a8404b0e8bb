package history

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/git"
)

// Records come out whole however they are cut on their way; of a large field both ends are kept.
func TestRecordsInPieces(t *testing.T) {
	t.Parallel()
	large := "Subject\n\n" + strings.Repeat(strings.Repeat("x", 70)+"\n", 100_000) + "\nContext-Id: one\nAgent: ann"
	var in strings.Builder
	for i, message := range []string{"Small\n\nContext-Id: two", large, "", large} {
		fmt.Fprintf(&in, "%d\x00tree\x00time\x00name\x00mail\x00%s\x00", i, message)
	}
	for _, size := range []int{1 << 10, 32<<10 + 1, 1 << 20, in.Len()} {
		var got []*git.Commit
		most := 0
		r := &records{each: func(f [][]byte) error {
			most = max(most, len(f[5]))
			got = append(got, &git.Commit{ID: git.ID(f[0]), Message: string(f[5])})
			return nil
		}}
		for rest := in.String(); rest != ""; rest = rest[min(size, len(rest)):] {
			if n, err := r.Write([]byte(rest[:min(size, len(rest))])); n != min(size, len(rest)) || err != nil {
				t.Fatal(n, err)
			}
		}
		if len(got) != 4 || got[0].Trailer("Context-Id") != "two" || got[2].Message != "" || most > keptHead+2*keptTail {
			t.Fatalf("%d at once: %d records, the largest has %d bytes", size, len(got), most)
		}
		for _, c := range []*git.Commit{got[1], got[3]} {
			if c.Subject() != "Subject" || c.Trailer("Context-Id") != "one" || c.Trailer("Agent") != "ann" {
				t.Errorf("%d at once: %q, %q, %q", size, c.Subject(), c.Trailer("Context-Id"), c.Trailer("Agent"))
			}
		}
	}
	failed := errors.New("failed")
	r := &records{each: func([][]byte) error { return failed }}
	if _, err := r.Write([]byte(in.String())); !errors.Is(err, failed) {
		t.Errorf("error: %v", err)
	}
}
