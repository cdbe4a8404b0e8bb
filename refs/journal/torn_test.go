package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestTornEndTakesNoMemory reads a journal that ends in half a step and two gigabytes of zeros, and mends it.
func TestTornEndTakesNoMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "main.jsonl")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Begin(t.Context(), path, Head{Journal: "01J"}, Options{}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole[:len(whole):len(whole)], `{"half":`...), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 2<<30); err != nil {
		t.Skip(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, err := Read(path)
	if err != nil || c.Head.Journal != "01J" || len(c.Lines) != 0 {
		t.Fatal(c, err)
	}
	j, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 {
		t.Errorf("%d bytes were allocated", got)
	}
	if mended, err := os.ReadFile(path); err != nil || !bytes.Equal(mended, whole) {
		t.Errorf("the journal has %d bytes: %v", len(mended), err)
	}
	if torn, err := os.ReadFile(path + ".torn"); err != nil || string(torn) != "{\"half\":\n" {
		t.Errorf("kept: %d bytes, %v", len(torn), err)
	}
}
