package zst_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/zst"
	"github.com/klauspost/compress/zstd"
)

func TestOpen(t *testing.T) {
	want := strings.Repeat("A line of a transcript.\n", 100_000)
	plain := filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.WriteFile(plain, []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
	packed := plain + zst.Suffix
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(packed, encoder.EncodeAll([]byte(want), nil), 0o666); err != nil {
		t.Fatal(err)
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
