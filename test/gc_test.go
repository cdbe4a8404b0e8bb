//go:build unix

package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
)

// packs is what of a repository's packs concerns gc.
type packs struct {
	loose, packs int
	left         []string // what an unfinished gc leaves
}

func (w *world) packs() packs {
	w.t.Helper()
	objects := filepath.Join(w.dir, ".git", "objects")
	var p packs
	for _, c := range []struct {
		pattern string
		found   *int
	}{{"[0-9a-f][0-9a-f]/*", &p.loose}, {"pack/*.pack", &p.packs}} {
		files, err := filepath.Glob(filepath.Join(objects, c.pattern))
		if err != nil {
			w.t.Fatal(err)
		}
		*c.found = len(files)
	}
	for _, pattern := range []string{"pack/tmp_*", "tmp_*", "pack/*.keep"} {
		files, err := filepath.Glob(filepath.Join(objects, pattern))
		if err != nil {
			w.t.Fatal(err)
		}
		p.left = append(p.left, files...)
	}
	idx, err := filepath.Glob(filepath.Join(objects, "pack", "*.idx"))
	if err != nil || len(idx) != p.packs {
		p.left = append(p.left, fmt.Sprintf("%d of %d packs have an index (%v)", len(idx), p.packs, err))
	}
	return p
}

// A gc that is killed anywhere has lost nothing, and the next one finishes.
func TestGCKilled(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"gc-staged", "before-pack-rename", "before-pack-rename:1", "before-pack-rename:2", "gc-packed",
		"after-pack-file-dropped", "after-pack-file-dropped:1", "gc-merged", "gc-unlinked"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ids := []string{id(t, w.ok("record", "-a", "first", "--json"))}
			w.ok("commit", "-m", "one")
			w.ok("gc") // the pack that the next one is joined with
			ids = append(ids, id(t, w.ok("record", "-a", "second", "--json")))
			w.ok("commit", "-m", "two")
			w.killedAt(point, "gc")
			w.sound()
			w.once("main", ids)
			ids = append(ids, id(t, w.ok("record", "-a", "third", "--json")))
			w.ok("commit", "-m", "three")
			w.ok("gc")
			if p := w.packs(); len(p.left) > 0 || p.packs > 2 || p.loose != 2 { // the code's commit and tree
				t.Errorf("%+v", p)
			}
			if out := w.ok("gc"); string(out) != "nothing to pack or drop\n" {
				t.Errorf("again: %s", out)
			}
			w.once("main", ids)
			w.sound()
		})
	}
}

// Beside agents that commit and a user who collects garbage nothing is lost.
func TestGCBesideAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := 2 * time.Second
	if soaking() {
		long = time.Minute
	}
	end := time.Now().Add(long)
	var wg sync.WaitGroup
	const agents = 4
	acknowledged := make([][]string, agents)
	for a := range agents {
		branch := fmt.Sprint("agent-", a)
		w.ok("branch", branch, "--no-switch")
		wg.Go(func() {
			for i := 0; time.Now().Before(end); i++ {
				out, err := w.command(nil, w.bin, "record", "-b", branch, "-a", fmt.Sprintf("%s step %d", branch, i), "--json").Output()
				if err != nil {
					t.Errorf("record: %v", err)
					return
				}
				acknowledged[a] = append(acknowledged[a], id(t, out))
				if out, err := w.command(nil, w.bin, "commit", "-b", branch, "-m", fmt.Sprint("milestone ", i)).CombinedOutput(); err != nil {
					t.Errorf("commit: %v\n%s", err, out)
				}
			}
		})
	}
	var collected, theirs int
	wg.Go(func() {
		for ; time.Now().Before(end); collected++ {
			if out, err := w.command(nil, w.bin, "gc").CombinedOutput(); err != nil {
				t.Errorf("gc: %v\n%s", err, out)
			}
		}
	})
	wg.Go(func() {
		for time.Now().Before(end) {
			for _, args := range [][]string{{"repack", "-qad"}, {"gc", "-q"}, {"prune", "--expire=1.hour.ago"}, {"maintenance", "run", "--quiet"}} {
				if out, err := w.command(nil, "git", args...).CombinedOutput(); err != nil && !givesUp(out) {
					t.Errorf("git %v: %v\n%s", args, err, out)
				}
				theirs++
			}
		}
	})
	wg.Wait()
	steps := 0
	for a, ids := range acknowledged {
		w.ok("commit", "-b", fmt.Sprint("agent-", a), "-m", "the last")
		w.once(fmt.Sprint("agent-", a), ids)
		steps += len(ids)
	}
	w.sound()
	w.ok("gc")
	w.sound()
	if p := w.packs(); len(p.left) > 0 {
		t.Errorf("%+v", p)
	}
	if steps == 0 || collected == 0 || theirs == 0 {
		t.Errorf("%d steps, %d gc, %d of git's own", steps, collected, theirs)
	}
	if soaking() {
		t.Logf("figures: gc beside agents: %d steps acknowledged, %d gc, %d of git's own gc, repack, prune and maintenance, 0 lost", steps, collected, theirs)
	}
}

// Two at once: one of them says so and leaves.
func TestGCTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok("commit", "-m", "one")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var said bytes.Buffer
			cmd := w.command(nil, w.bin, "gc", "--json")
			cmd.Stderr = &said
			out, err := cmd.Output()
			var res struct{ Packed int }
			if err != nil || json.Unmarshal(out, &res) != nil {
				t.Errorf("gc: %v\n%s%s", err, out, &said)
			}
			if s := said.String(); s != "" && s != "warning: another gc is running; nothing was done\n" {
				t.Errorf("gc says %q", s)
			}
		})
	}
	wg.Wait()
	w.sound()
}

// gcRows are the ways in which maintenance fails.
func gcRows() []broken {
	return []broken{{name: "a gc in the background failed", kind: "gc-failed", fixable: true, breaks: func(w *world) {
		if err := os.WriteFile(w.gitPath("context", "gc.log"), []byte("no space left on device\n"), 0o666); err != nil {
			w.t.Fatal(err)
		}
	}}}
}

// collecting is a world with gc in the background, all of whose processes are known by a
// mark. The test waits for them.
func collecting(t *testing.T, gcAuto int) (w *world, mark string) {
	w = newWorld(t)
	mark = "TEST_MARK=" + w.dir
	w.env = append(w.env, mark)
	w.inBackground(gcAuto)
	t.Cleanup(func() { nothingRuns(t, mark) })
	return w, mark
}

// inBackground allows maintenance in the background, git's own and a gc of ours from so
// many loose objects on.
func (w *world) inBackground(gcAuto int) {
	w.t.Helper()
	w.git("config", "gc.auto", "6700")
	w.git("config", "maintenance.auto", "true")
	w.git("config", "context.gcAuto", fmt.Sprint(gcAuto))
}

// COMMIT starts it, and leaves it to itself.
func TestGCInTheBackground(t *testing.T) {
	t.Parallel()
	w, mark := collecting(t, 100)
	for i := 0; w.packs().packs == 0; i++ {
		if i == 600 {
			t.Fatal("no gc was started by 600 commits")
		}
		w.ok("commit", "-m", fmt.Sprint("milestone ", i))
		if i%32 == 31 {
			nothingRuns(t, mark)
		}
	}
	nothingRuns(t, mark)
	if p := w.packs(); len(p.left) > 0 {
		t.Errorf("%+v", p)
	}
	if out, err := os.ReadFile(filepath.Join(w.dir, ".git", "context", "gc.log")); err == nil {
		t.Errorf("it failed: %s", out)
	}
	w.sound()
}

// The index of searches grows with memory in the background, unless that is turned off.
func TestIndexGrowsInTheBackground(t *testing.T) {
	t.Parallel()
	for _, background := range []bool{true, false} {
		t.Run(fmt.Sprint(background), func(t *testing.T) {
			t.Parallel()
			w, mark := collecting(t, 1_000_000)
			w.git("config", "context.search.background", fmt.Sprint(background))
			shards := func() int {
				found, err := filepath.Glob(filepath.Join(w.dir, ".git", "context", "cache", "search", "*.shard"))
				if err != nil {
					t.Fatal(err)
				}
				return len(found)
			}
			for i := 0; shards() == 0 && i < 300 && (background || i < 100); i++ {
				w.ok("commit", "-m", fmt.Sprint("milestone ", i), "-m", strings.Repeat("pool ", 4000))
				if i%16 == 15 {
					nothingRuns(t, mark)
				}
			}
			nothingRuns(t, mark)
			if background != (shards() > 0) {
				t.Errorf("%d files of the index", shards())
			}
			w.sound()
		})
	}
}

// Ten thousand commits of agents start no gc of the user's. Without ours they do.
func TestUsersGCIsNotStarted(t *testing.T) {
	t.Parallel()
	if !soaking() {
		t.Skip("*** SKIPPED: ten thousand commits take minutes; GIT_CONTEXT_SOAK=1 ***")
	}
	for _, c := range []struct {
		name    string
		gcAuto  int
		commits int
		started bool
	}{{"with gc", 1000, 10_000, false}, {"without", 0, 1000, true}} {
		t.Run(c.name, func(t *testing.T) {
			w, mark := collecting(t, c.gcAuto)
			w.git("config", "gc.autoDetach", "false")
			trace := filepath.Join(t.TempDir(), "trace")
			s, err := refs.Open(t.Context(), store.Options{Dir: w.dir, Env: w.env, Now: time.Now, Program: w.bin})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() }) // before nothingRuns
			most, mostPacks := 0, 0
			begin := time.Now()
			for i := range c.commits {
				if _, err := s.Record(t.Context(), []store.NewStep{{Action: fmt.Sprint("step ", i)}}); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Commit(t.Context(), store.CommitOptions{Summary: fmt.Sprint("milestone ", i)}); err != nil {
					t.Fatalf("commit %d: %v", i, err)
				}
				if i%20 == 0 { // as often as somebody commits code
					if out, err := w.command([]string{"GIT_TRACE2_EVENT=" + trace}, "git", "gc", "--auto", "--quiet").CombinedOutput(); err != nil {
						t.Fatalf("git gc --auto: %v\n%s", err, out)
					}
				}
				if i%100 == 0 {
					p := w.packs()
					most, mostPacks = max(most, p.loose), max(mostPacks, p.packs)
				}
			}
			took := time.Since(begin)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			nothingRuns(t, mark)
			data, err := os.ReadFile(trace)
			if err != nil {
				t.Fatal(err)
			}
			if started := bytes.Count(data, []byte(`"argv":["git","repack"`)); started > 0 != c.started {
				t.Errorf("%d of the user's gc ran", started)
			}
			t.Logf("figures: %s: %d commits in %v, %d of the user's gc --auto asked, %d ran; at most %d objects loose, %d packs", c.name, c.commits,
				took.Round(time.Second), bytes.Count(data, []byte(`"event":"cmd_name","sid"`)), bytes.Count(data, []byte(`"argv":["git","repack"`)), most, mostPacks)
			w.sound()
			w.ok("gc")
			w.sound()
		})
	}
}

// givesUp reports whether git ended because of what others did meanwhile: they moved a ref, a pack or an object went that it
// had just listed (with cruft packs, without, and by a geometric repack), or a table of a reftable was written.
func givesUp(said []byte) bool {
	causes := []string{"cannot lock ref", "unable to add recent objects", "unable to add cruft objects", "could not find pack", "cannot open index for"}
	if gittest.Reftable() {
		causes = append(causes, "task 'pack-refs' failed", "unable to compact stack")
	}
	return slices.ContainsFunc(causes, func(c string) bool { return bytes.Contains(said, []byte(c)) })
}
