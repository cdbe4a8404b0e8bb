package aider

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/git-context/git-context/hooks/agent"
)

// A long history is decoded to its end, and each of its steps is in a turn. GIT_CONTEXT_SOAK=1 decodes 100 MiB,
// and the log of the test has the time and memory.
func TestLongHistory(t *testing.T) {
	text, err := os.ReadFile("testdata/main.md")
	if err != nil {
		t.Fatal(err)
	}
	size := 1 << 20
	if os.Getenv("GIT_CONTEXT_SOAK") != "" {
		size = 100 << 20
	}
	in, out := io.Pipe()
	go func() {
		began := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		for done, n := 0, 0; done < size; n++ {
			session := fmt.Sprintf("# aider chat started at %s\n\n", began.Add(time.Duration(n)*time.Minute).Format(time.DateTime))
			if _, err := io.WriteString(out, session+string(text)); err != nil {
				return // the reader has ended
			}
			done += len(session) + len(text)
		}
		_ = out.Close()
	}()
	start, steps := time.Now(), 0
	report, err := Decode(in, agent.Start{}, func(agent.Step) error { steps++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	steps += len(report.Open)
	counted := 0
	for _, turn := range report.Turns {
		counted += turn.Steps
	}
	if steps == 0 || counted != steps {
		t.Errorf("%d of %d steps are in turns", counted, steps)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d bytes, %d steps in %v, %d MiB from the system", size, steps, time.Since(start).Round(time.Millisecond), m.Sys>>20)
}
