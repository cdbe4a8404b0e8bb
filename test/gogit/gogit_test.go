//go:build unix

package gogit

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A memory with every kind of ref, document and note, of texts that look like formats, is read by
// go-git as it was written, loose and packed in every way.
func TestMemory(t *testing.T) {
	w := writeMemory(t)
	for _, p := range packs() {
		w.run("", p.do[0], p.do[1:]...)
		if !t.Run(p.name, func(t *testing.T) {
			in := *w.world
			in.t = t
			r := readMemory(t, w.dir)
			r.stored(p)
			r.contains(w)
			r.sameAsGit(&in)
			r.sameAsJSON(&in)
			r.sameAsPackages(&in)
		}) {
			return
		}
	}
}

// Real traces stand beside the repository on the project's machines.
const traces = "../../../shared/data/swe-agent/*.traj"

// The trace of a real agent is read by go-git with every step exact.
func TestTraces(t *testing.T) {
	files, err := filepath.Glob(traces)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Logf("*** SKIPPED: no real traces at %s: the bundled one alone is tested ***", traces)
	}
	for _, file := range append(files, "../testdata/pool.traj") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			readsTrace(t, file)
		})
	}
}

func readsTrace(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want struct{ Trajectory []texts }
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if file, err = filepath.Abs(file); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.memory("import", "--from", "swe-agent", file)
	w.memory("commit", "-m", "The whole trace")
	for _, packed := range []bool{false, true} {
		if packed {
			w.memory("gc")
		}
		r := readMemory(t, w.dir)
		var got []texts
		for _, s := range r.branches["main"].steps {
			got = append(got, stepTexts(s))
		}
		if diff := cmp.Diff(want.Trajectory, got); diff != "" {
			t.Errorf("trace (-) and memory (+):\n%s", diff)
		}
		r.sameAsJSON(w)
	}
}

func stepTexts(s entry) texts {
	return texts{s.text("Observation"), s.text("Thought"), s.text("Action")}
}

// stored checks that objects and refs are where the case wants them, so that what is read later
// was read from there.
func (r *reader) stored(p pack) {
	r.t.Helper()
	storage := r.repo.Storer.(*filesystem.Storage)
	found, loose := 0, 0
	if err := storage.ForEachObjectHash(func(hash plumbing.Hash) error {
		if _, ours := r.objects[hash]; ours {
			loose++
		}
		return nil
	}); err != nil {
		r.t.Fatal(err)
	}
	packs, err := storage.ObjectPacks()
	if err != nil {
		r.t.Fatal(err)
	}
	for ref := range r.refs {
		if _, err := storage.Filesystem().Stat(ref); err == nil {
			found++
		}
	}
	if p.loose != (loose == len(r.objects)) || p.loose != (len(packs) == 0) || p.loose != (loose > 0) {
		r.t.Errorf("%d of %d objects are loose, in %d packs are others", loose, len(r.objects), len(packs))
	}
	if p.refs != (found == len(r.refs)) || p.refs != (found > 0) {
		r.t.Errorf("%d of %d refs are files", found, len(r.refs))
	}
}

// contains checks that everything is in memory that the commands acknowledged, byte for byte.
func (r *reader) contains(w *written) {
	r.t.Helper()
	main := r.branches["main"]
	if main == nil {
		r.t.Fatalf("no branch 'main' in %v", slices.Collect(maps.Keys(r.refs)))
	}
	steps, commits := map[string]texts{}, map[string][2]string{}
	for _, b := range slices.Concat(slices.Collect(maps.Values(r.branches)), slices.Collect(maps.Values(r.deleted))) {
		for _, s := range b.steps {
			steps[s.ID] = stepTexts(s)
		}
		for _, c := range b.commits {
			if _, ours := w.commits[c.ID]; ours {
				commits[c.ID] = [2]string{c.Summary, c.text("This Commit's Contribution")}
			}
		}
	}
	if diff := cmp.Diff(w.steps, steps); diff != "" {
		r.t.Errorf("recorded (-) and read (+):\n%s", diff)
	}
	if diff := cmp.Diff(w.commits, commits); diff != "" {
		r.t.Errorf("committed (-) and read (+):\n%s", diff)
	}
	topics := map[string]map[string]string{}
	for name, b := range r.branches {
		topics[name] = map[string]string{}
		for path := range b.files {
			if key, ok := strings.CutPrefix(path, "topics/"); ok {
				topics[name][strings.TrimSuffix(key, ".md")] = r.topic(b, path).Text
			}
		}
	}
	if diff := cmp.Diff(w.topics, topics, cmpopts.EquateEmpty()); diff != "" {
		r.t.Errorf("remembered (-) and read (+):\n%s", diff)
	}
	for _, ref := range w.refs {
		if _, ok := r.refs[ref]; !ok {
			r.t.Errorf("no ref %s", ref)
		}
	}
	for _, document := range []string{"log/", "commit/"} {
		below := func(path string) bool { return strings.HasPrefix(path, document) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(main.files)), below) {
			r.t.Errorf("no segment below %s: the test's memory is too small", document)
		}
	}
}
