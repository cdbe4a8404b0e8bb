package zst_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/git-context/git-context/hooks/zst"
	"github.com/klauspost/compress/zstd"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "zst")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // an example leaves what the system clears
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "rollout.jsonl"+zst.Suffix)
	if err := os.WriteFile(path, encoder.EncodeAll([]byte(`{"type":"session_meta"}`), nil), 0o666); err != nil {
		log.Fatal(err)
	}
	r, err := zst.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text), r.Close())
	// Output: {"type":"session_meta"} <nil>
}
