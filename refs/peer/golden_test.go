package peer

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Each folder below testdata is one as its tool or its agent writes it, with the traps of the
// format; the golden file is what is read from it.
func TestGoldenFolders(t *testing.T) {
	for _, name := range []string{"contexa", "contexa-old", "gcc-memory", "skill", "paper"} {
		t.Run(name, func(t *testing.T) {
			f, err := Read(os.DirFS(filepath.Join("testdata", name)))
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			e := json.NewEncoder(&got)
			e.SetEscapeHTML(false)
			e.SetIndent("", "\t")
			if err := e.Encode(f); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("read from %s:\n%s", name, got.String())
			}
		})
	}
}
