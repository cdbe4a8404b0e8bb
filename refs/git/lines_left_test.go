package git

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
)

// What killed merges left goes, and what a running one reads stays.
func TestDropMerges(t *testing.T) {
	t.Parallel()
	_, r := newRepo(t)
	must(t, r.DropMerges()) // without local state
	must(t, r.WriteStateFile("tmp/other/text", []byte("other")))
	for _, name := range []string{"left", "running"} {
		must(t, r.WriteStateFile("tmp/merge-"+name+"/ours", []byte("ours")))
	}
	tmp := filepath.Join(r.StateDir(), "tmp")
	for _, name := range []string{"merge-left", "other"} {
		old := time.Now().Add(-mergeLeft - time.Minute)
		must(t, os.Chtimes(filepath.Join(tmp, name), old, old))
	}
	must(t, r.DropMerges())
	for name, stays := range map[string]bool{"merge-left": false, "merge-running": true, "other": true} {
		if disk.Exists(filepath.Join(tmp, name)) != stays {
			t.Errorf("%s: stays should be %v", name, stays)
		}
	}
}
