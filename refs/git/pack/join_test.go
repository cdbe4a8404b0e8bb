package pack

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/disk"
)

func TestToJoin(t *testing.T) {
	t.Parallel()
	many := []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}
	for _, c := range []struct {
		name    string
		sizes   []int
		fresh   int
		limit   int64
		indexed int // the first so many
		want    []int
	}{
		{"nothing at all", nil, 0, 0, 0, nil},
		{"the first", nil, 5, 0, 0, nil},
		{"an equal one", []int{5}, 5, 0, 0, []int{5}},
		{"one twice as large stays", []int{10}, 5, 0, 0, nil},
		{"all up to the gap", []int{5, 11, 100}, 6, 0, 0, []int{5, 11}},
		{"nothing new, and all in order", []int{5, 10, 40}, 0, 0, 0, nil},
		{"one alone", []int{5}, 0, 0, 0, nil},
		{"ten are enough", many, 0, 0, 0, nil},
		{"too many", append([]int{0}, many...), 0, 0, 0, []int{0, 1}},
		{"an index names them", []int{5, 7, 9}, 5, 0, 2, []int{9}},
		{"an index names too many", append([]int{0}, many...), 0, 0, 11, []int{0, 1}},
		{"as large as may be", []int{5, 6}, 5, 10, 0, []int{5}},
	} {
		var own []examined
		indexed := map[string]bool{}
		for i, n := range c.sizes {
			own = append(own, examined{packFile: packFile{base: fmt.Sprintf("/p/%02d", i)}, objects: n, size: int64(n)})
			if i < c.indexed {
				indexed[own[i].name()] = true
			}
		}
		var got []int
		for _, o := range toJoin(own, c.fresh, c.limit, indexed) {
			got = append(got, o.objects)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The lock of somebody who writes an index of several packs stays, and no pack goes
// meanwhile.
func TestPackBesideAnIndexWriter(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.grow(t, 1)
	m.pack(t)
	p := newPurger(m.repo)
	index := filepath.Join(p.packDir, midxName)
	must(t, os.WriteFile(index+".lock", nil, 0o666))
	m.grow(t, 1)
	if res := m.pack(t); res.Objects != 3 || res.Merged != 0 || res.Packs != 2 {
		t.Errorf("%+v", res)
	}
	must(t, os.Remove(index+".lock"))
	m.Git("r", "multi-pack-index", "write")
	must(t, os.WriteFile(index+".lock", nil, 0o666))
	must(t, p.index.dropMidx())
	if disk.Exists(index) || !disk.Exists(index+".lock") {
		t.Errorf("the index is there: %v; its lock is there: %v", disk.Exists(index), disk.Exists(index+".lock"))
	}
	must(t, os.Remove(index+".lock"))
	m.whole(t)
}

// What its state says is no reason to drop anything: an old copy of it may have come back.
func TestPackDropsNothingForItsState(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	dir := filepath.Join(m.repo.ObjectDir(), "pack")
	m.grow(t, 1)
	m.pack(t)
	first := ok(readState(m.repo))(t).Packs[0]
	keep := filepath.Join(dir, first+".keep")
	must(t, os.WriteFile(keep, nil, 0o444)) // so that it is not joined with the next
	m.grow(t, 1)
	m.pack(t)
	state := ok(readState(m.repo))(t)
	second := state.Packs[1-slices.Index(state.Packs, first)]
	claim := func(news, olds string) {
		t.Helper()
		state.Unfinished = &unfinished{New: []string{news}, Old: []string{olds}}
		must(t, state.write(m.repo))
		m.pack(t)
		if !disk.Exists(filepath.Join(dir, first+".pack")) || !disk.Exists(filepath.Join(dir, second+".pack")) {
			t.Fatalf("a pack went")
		}
	}
	st := ok(newStage(t.Context(), m.repo, dir, []byte(m.Git("r", "rev-list", "--objects", "--no-object-names", git.BranchRef("main"))+"\n")))(t)
	_ = ok(st.install(nil))(t)
	must(t, st.remove())
	claim(st.names[0], first) // all of which it holds, but people keep it
	must(t, os.Remove(keep))
	claim(second, first)  // which it does not hold
	claim(second, second) // nothing holds itself

	p := &packer{repo: m.repo, packDir: dir, since: time.Now().Add(time.Hour)}
	loose := ok(m.repo.WriteBlob(t.Context(), []byte("nowhere else")))(t)
	must(t, p.unlink([]git.ID{loose}, []string{"pack-" + strings.Repeat("0", 40)}))
	if !disk.Exists(m.repo.LoosePath(loose)) {
		t.Error("an object went for a pack that is not there")
	}
	m.whole(t)
}

// What an expunge has yet to delete is not packed once more.
func TestPackLeavesTheDoomed(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.grow(t, 1)
	must(t, m.repo.WriteStateFile(DoomedName, []byte(m.tip+"\n")))
	if res := m.pack(t); res.Objects != 2 || !disk.Exists(m.repo.LoosePath(m.tip)) {
		t.Errorf("%+v", res)
	}
}
