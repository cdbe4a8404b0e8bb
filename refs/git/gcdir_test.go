package git

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// git gc removes object directories that are empty, at any moment.
func TestObjectDirectoriesVanish(t *testing.T) {
	_, r := newRepo(t)
	ctx := t.Context()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 2000 {
			dirs, _ := filepath.Glob(filepath.Join(r.CommonDir(), "objects", "??"))
			for _, dir := range dirs {
				_ = os.Remove(dir) // only what is empty goes
			}
		}
	}()
	for i := range 2000 {
		if _, err := r.WriteBlob(ctx, fmt.Appendf(nil, "%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	<-done
}
