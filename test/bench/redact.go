package main

import (
	"fmt"
	"io"
	"time"

	"github.com/git-context/git-context/refs/redact"
)

// printRedaction measures the search for secrets in texts that contain none, within one process. The first
// call of a process also builds the tables.
func (b *bench) printRedaction(w io.Writer) error {
	text := newProse().text(200_000)[:1<<20]
	start := time.Now()
	redact.Text(text[:2<<10])
	first := time.Since(start)
	fmt.Fprintf(w, "\nThe search for secrets before a text is stored (microseconds):\n\n"+
		"| text | |\n|---|---|\n| 2 KiB, the first | %.0f |\n", micros(first))
	for _, size := range []struct {
		name  string
		bytes int
	}{{"2 KiB", 2 << 10}, {"1 MiB", 1 << 20}} {
		var took []time.Duration
		for range b.runs {
			const calls = 10
			start := time.Now()
			for range calls {
				redact.Text(text[:size.bytes])
			}
			took = append(took, time.Since(start)/calls)
		}
		if _, err := fmt.Fprintf(w, "| %s | %.1f |\n", size.name, micros(median(took))); err != nil {
			return err
		}
	}
	return nil
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
