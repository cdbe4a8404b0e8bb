//go:build unix

package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// secret has what JSON and Markdown escape.
const secret = `hunter2 "<&> \ é`

// spread puts the secret into everything that holds text, and returns the steps that
// are to stay and those that are to go.
func spread(w *world) (kept, gone []string) {
	record := func(list *[]string, args ...string) {
		*list = append(*list, id(w.t, w.ok(append([]string{"record", "--json"}, args...)...)))
	}
	w.ok("branch", "side", "--purpose", "Try it without "+secret, "--no-switch")
	for i := range 4 {
		record(&kept, "-a", fmt.Sprint("step ", i, strings.Repeat("x", 3000)))
		record(&gone, "-o", "one\n"+secret+"\nthree", "-a", fmt.Sprint("look ", i))
		w.ok("commit", "-m", fmt.Sprint("Milestone ", i))
	}
	w.ok("commit", "-m", "Log in with "+secret, "-m", "It is "+secret+".\n\nReally.", "--todo", "change "+secret)
	w.ok("commit", "-m", "The next", "--score", "0.5")
	w.ok("note", "main", "--review", "never write "+secret)
	w.git("notes", "--ref=context", "append", "-m", "by hand: "+secret, "HEAD")
	w.ok("remember", "pool", "ten\n"+secret+"\ntwenty")
	w.ok("metadata", "set", "env_config.token", "'"+secret+"'")
	w.ok("tag", "before", "main~2")
	record(&kept, "-a", "pending")
	record(&gone, "-t", "pending "+secret)
	w.ok("search", "step")
	return kept, gone
}

// forgotten holds that no file of the repository has the secret: loose objects and
// packs by their content, everything else as it stands.
func (w *world) forgotten(secret string) {
	w.t.Helper()
	quoted, err := json.Marshal(secret)
	if err != nil {
		w.t.Fatal(err)
	}
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(secret); err != nil {
		w.t.Fatal(err)
	}
	forms := [][]byte{[]byte(secret), bytes.Trim(quoted, `"`), bytes.Trim(bytes.TrimSpace(plain.Bytes()), `"`)}
	hold := func(where string, data []byte) {
		for _, f := range forms {
			if bytes.Contains(data, f) {
				w.t.Errorf("%s still holds the secret", where)
				return
			}
		}
	}
	for out := w.git("cat-file", "--batch-all-objects", "--batch", "--unordered"); out != ""; {
		head, rest, _ := strings.Cut(out, "\n")
		n, err := strconv.Atoi(head[strings.LastIndexByte(head, ' ')+1:])
		if err != nil {
			w.t.Fatal(err)
		}
		n = min(n, len(rest)) // white space at the end may be cut
		hold(head, []byte(rest[:n]))
		out = strings.TrimPrefix(rest[n:], "\n")
	}
	err = filepath.WalkDir(filepath.Join(w.dir, ".git"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		hold(path, data)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// The same again finishes it, although there is nothing left to be found.
func TestExpungeKilledAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok("record", "-a", "say "+secret)
	w.ok("commit", "-m", "Said")
	w.killedAt("expunge-purged", "expunge", "--match", secret, "--yes")
	w.removeStaleLocks()
	if out := w.fails("context", "expunge", "--match", secret, "--yes"); !strings.Contains(out, "interrupted expunge is finished now") {
		t.Error(out)
	}
	if _, err := os.Stat(filepath.Join(w.dir, ".git", "context", "expunge.json")); err == nil {
		t.Error("it is still to be finished")
	}
	w.sound()
}

// Of a pack that was being removed nothing stays, whichever of its files were gone: without its index git does not see it.
func TestExpungeKilledBetweenPackFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		point string
		again []string
	}{
		{"before-pack-dropped", []string{"fsck", "--fix"}},
		{"after-pack-file-dropped", []string{"fsck", "--fix"}},
		{"after-pack-file-dropped", []string{"gc"}},
		{"after-pack-file-dropped:1", []string{"fsck", "--fix"}},
	} {
		t.Run(c.point+" "+c.again[0], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.ok("record", "-a", "say "+secret)
			w.ok("commit", "-m", "Said")
			w.ok("commit", "-m", "The next")
			w.git("gc", "-q")
			w.killedAt(c.point, "expunge", "--match", secret, "--yes")
			w.removeStaleLocks()
			w.ok(c.again...)
			if c.again[0] == "gc" {
				w.ok("fsck", "--fix")
			}
			files, err := filepath.Glob(filepath.Join(w.dir, ".git", "objects", "pack", "pack-*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if _, err := os.Stat(strings.TrimSuffix(f, filepath.Ext(f)) + ".idx"); err != nil {
					t.Errorf("%s is left", filepath.Base(f))
				}
			}
			w.forgotten(secret)
			w.sound()
		})
	}
}
