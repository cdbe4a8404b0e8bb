package zst_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/zst"
)

func TestOpen(t *testing.T) {
	if _, err := exec.LookPath("zstd"); err != nil {
		t.Skip("*** SKIPPED: zstd is not installed ***")
	}
	want := strings.Repeat("A line of a transcript.\n", 100_000)
	plain := filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.WriteFile(plain, []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
	packed := plain + zst.Suffix
	if out, err := exec.Command("zstd", "-q", plain, "-o", packed).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, path := range []string{plain, packed} {
		if got, err := text(path); err != nil || got != want {
			t.Errorf("%s: %d bytes, %v", path, len(got), err)
		}
	}
	data, err := os.ReadFile(packed)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"torn": data[:len(data)/2], "damaged": append(data[:20:20], "nonsense"...)} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := text(path); err == nil || !strings.Contains(err.Error(), "cannot decompress: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func text(path string) (string, error) {
	r, err := zst.Open(path)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(r)
	return string(data), errors.Join(err, r.Close())
}
