package test

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"testing"
)

// An import that dies at any point is run again, and then all is there, each entry once; an
// export that dies leaves no folder of the name.
func TestKilledImport(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs("../refs/peer/testdata/contexa")
	if err != nil {
		t.Fatal(err)
	}
	points := []string{"after-append"}
	for n := range 4 { // the roadmap, the branches and their notes
		points = append(points, "after-objects:"+strconv.Itoa(n))
	}
	for _, point := range append(points, "after-refs", "after-refs:1") {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			mine := []string{id(t, w.ok("record", "-a", "mine", "--json"))}
			w.killedAt(point, "import", dir)
			mine = append(mine, id(t, w.ok("record", "-a", "after", "--json")))
			w.ok("import", dir)
			var again struct{ Commits, Steps, Skipped int }
			if err := json.Unmarshal(w.ok("import", dir, "--json"), &again); err != nil {
				t.Fatal(err)
			}
			if again.Commits+again.Steps != 0 || again.Skipped != 11 {
				t.Errorf("a third time: %+v", again)
			}
			w.ok("commit", "-m", "Mine")
			w.once("main", mine)
			if main, jwt := len(w.steps("main")), len(w.steps("jwt")); main != 9 || jwt != 1 {
				t.Errorf("main holds %d steps, jwt %d", main, jwt)
			}
			w.sound()
		})
	}
}

func TestKilledExport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := t.TempDir()
	w.killedAt("before-folder-rename", "export", out)
	if left, err := filepath.Glob(filepath.Join(out, ".GCC")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	w.ok("export", out)
}
