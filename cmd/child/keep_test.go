package child

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/agent"
)

func clean(text string) string { return strings.ReplaceAll(text, "secret", "[mark]") }

// Whatever the sizes of the writes, both ends are kept within a field, and the note is about
// exactly what is between them.
func TestKeepCutsTheMiddle(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 10, limit, limit + 1, window, window + 1, 2 * window, 3*window + 7, 10 * window} {
		for _, chunk := range []int{1000, window, 5 * window} {
			var all strings.Builder
			for i := 0; all.Len() < size; i++ {
				fmt.Fprintf(&all, "é%d ", i)
			}
			whole := all.String()
			k := &Keep{Clean: clean}
			for rest := whole; rest != ""; rest = rest[min(chunk, len(rest)):] {
				k.write([]byte(rest[:min(chunk, len(rest))]))
			}
			got := k.Text()
			if len(whole) <= limit {
				if got != whole {
					t.Fatalf("%d: %q", size, got)
				}
				continue
			}
			head, rest, _ := strings.Cut(got, "… ")
			_, tail, _ := strings.Cut(rest, "\n")
			if !strings.HasPrefix(whole, head) || !strings.HasSuffix(whole, tail) || len(got) > agent.MaxField || len(tail) < limit/3 {
				t.Fatalf("%d: kept %q", size, got)
			}
			missing := whole[len(head) : len(whole)-len(tail)]
			sum := sha256.Sum256([]byte(missing))
			if want := head + agent.Missing(len(missing), sum[:]) + "\n" + tail; got != want {
				t.Fatalf("%d by %d: kept\n%q\nwant\n%q", size, chunk, got, want)
			}
		}
	}
}

// A secret that a cut would divide is replaced first.
func TestKeepCleansBeforeItCuts(t *testing.T) {
	t.Parallel()
	for _, size := range []int{limit / 2, 2 * window} {
		k := &Keep{Clean: clean}
		k.write([]byte(strings.Repeat("a", limit/2-3) + "secret" + strings.Repeat("b", size)))
		k.write([]byte("secret" + strings.Repeat("c", limit/2-3)))
		if got := k.Text(); strings.Contains(got, "sec") && !strings.Contains(got, "sha256") || strings.Contains(got, "ret") {
			t.Errorf("kept %q", got)
		}
	}
}
