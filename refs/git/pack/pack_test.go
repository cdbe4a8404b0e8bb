package pack

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/disk"
)

// memory is a repository with code, some of it loose, and a memory branch.
type memory struct {
	*sandbox
	repo *git.Repo
	tip  git.ID
	n    int
}

func newMemory(t *testing.T, args ...string) *memory {
	t.Helper()
	s, r := newRepo(t, args...)
	s.Write("r/code.go", "package code\n")
	s.Git("r", "add", ".")
	s.Git("r", "commit", "-qm", "code")
	return &memory{sandbox: s, repo: r}
}

// grow makes n commits of memory, with three objects each, and moves the branch.
func (m *memory) grow(t *testing.T, n int) {
	t.Helper()
	old := m.tip
	for range n {
		var parents []git.ID
		if m.tip != "" {
			parents = []git.ID{m.tip}
		}
		m.n++
		m.tip = commit(t, m.repo, fmt.Sprintf("entry %d\n%s", m.n, strings.Repeat("text of it\n", m.n%7)), parents...)
	}
	set(t, m.repo, git.BranchRef("main"), m.tip, old)
}

// pack packs the branch.
func (m *memory) pack(t *testing.T) Result {
	t.Helper()
	return ok(Run(t.Context(), m.repo, Options{Tips: []git.ID{m.tip}}))(t)
}

// whole holds that nothing is lost or damaged, and nothing was left.
func (m *memory) whole(t *testing.T) {
	t.Helper()
	if out := m.Git("r", "fsck", "--strict", "--full", "--no-dangling"); out != "" {
		t.Errorf("fsck: %s", out)
	}
	if got := len(strings.Fields(m.Git("r", "rev-list", git.BranchRef("main")))); got != m.n {
		t.Errorf("%d commits, want %d", got, m.n)
	}
	left := ok(filepath.Glob(m.repo.ObjectDir() + "/pack/tmp_*"))(t)
	left = append(left, ok(filepath.Glob(m.repo.ObjectDir()+"/tmp_*"))(t)...)
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// counts are the loose objects and the packs of the repository.
func (m *memory) counts(t *testing.T) (loose, packs int) {
	t.Helper()
	loose = len(ok(filepath.Glob(m.repo.ObjectDir() + "/[0-9a-f][0-9a-f]/*"))(t))
	return loose, len(ok(filepath.Glob(m.repo.ObjectDir() + "/pack/*.pack"))(t))
}

func TestPack(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--object-format=sha256"}, {"--shared=group"}} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			t.Parallel()
			m := newMemory(t, args...)
			m.grow(t, 5)
			stray := commit(t, m.repo, "a writer's that has not moved its ref yet", m.tip)
			before, _ := m.counts(t)
			if n := ok(CountLoose(t.Context(), m.repo, []git.ID{m.tip}))(t); n != 15 {
				t.Errorf("%d are loose", n)
			}
			res := m.pack(t)
			if res.Objects != 15 || res.Packs != 1 || res.Busy {
				t.Errorf("%+v", res)
			}
			if loose, packs := m.counts(t); loose != before-15 || packs != 1 {
				t.Errorf("%d of %d objects are loose, %d packs", loose, before, packs)
			}
			if _, err := os.Stat(m.repo.LoosePath(stray)); err != nil {
				t.Error(err)
			}
			if n := ok(CountLoose(t.Context(), m.repo, []git.ID{m.tip}))(t); n != 0 {
				t.Errorf("%d are loose afterwards", n)
			}
			if again := m.pack(t); again != (Result{Packs: 1}) {
				t.Errorf("again: %+v", again)
			}
			for _, path := range ok(filepath.Glob(m.repo.ObjectDir() + "/pack/pack-*"))(t) {
				info := ok(os.Stat(path))(t)
				if want := m.repo.Sharing().Mode(0o444); info.Mode().Perm() != want {
					t.Errorf("%s: mode %v, want %v", filepath.Base(path), info.Mode().Perm(), want)
				}
			}
			_ = ok(m.repo.Commit(t.Context(), m.tip))(t)
			m.whole(t)
		})
	}
}

// Packs of ours are joined such that there are few, and each object is copied a few
// times.
func TestPacksAreFew(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	copied := 0
	for i := range 20 {
		m.grow(t, 2)
		res := m.pack(t)
		copied += res.Merged
		if _, packs := m.counts(t); packs > 5 || packs != res.Packs {
			t.Errorf("%d packs after %d: %+v", packs, i+1, res)
		}
	}
	if copied > 20 {
		t.Errorf("%d packs were joined in 20 times", copied)
	}
	m.whole(t)
}

// A pack that people keep, or that a multi-pack-index names, is left as it is.
func TestPackLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(*memory) string // which file must stay
	}{
		{"keep", func(m *memory) string {
			path := m.one("pack-*.pack")
			keep := strings.TrimSuffix(path, ".pack") + ".keep"
			must(m.T, os.WriteFile(keep, nil, 0o444))
			return path
		}},
		{"multi-pack-index", func(m *memory) string {
			m.Git("r", "multi-pack-index", "write")
			return m.one("pack-*.pack")
		}},
		{"their gc is at work", func(m *memory) string {
			must(m.T, os.WriteFile(filepath.Join(m.repo.CommonDir(), "gc.pid"), []byte("1 host"), 0o666))
			return m.one("pack-*.pack")
		}},
		{"the user's", func(m *memory) string {
			m.Git("r", "repack", "-q", "-a", "-d") // with the code
			return m.one("pack-*.pack")
		}},
		{"their repack has not given it its name", func(m *memory) string {
			for _, path := range ok(filepath.Glob(filepath.Join(m.repo.ObjectDir(), "pack", "pack-*")))(m.T) {
				must(m.T, os.Rename(path, filepath.Join(filepath.Dir(path), ".tmp-1-"+filepath.Base(path))))
			}
			must(m.T, os.Remove(filepath.Join(m.repo.StateDir(), StateName)))
			return m.one(".tmp-1-pack-*.pack")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newMemory(t)
			m.grow(t, 6)
			m.pack(t)
			path := c.do(m)
			m.grow(t, 6)
			if res := m.pack(t); res.Merged != 0 {
				t.Errorf("%+v", res)
			}
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
			m.whole(t)
		})
	}
}

// Packs that hold nothing but memory are joined, whoever made them: a fetch did, or the
// state was lost.
func TestPackTakesInPacksOfMemory(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.grow(t, 6)
	m.pack(t)
	must(t, os.Remove(filepath.Join(m.repo.StateDir(), StateName)))
	m.grow(t, 6)
	if res := m.pack(t); res.Merged != 1 || res.Packs != 1 {
		t.Errorf("a lost state: %+v", res)
	}
	m.Git("", "clone", "-q", "--mirror", "r", "there")
	for range 3 {
		m.grow(t, 1)
	}
	m.Git("there", "-c", "fetch.unpackLimit=1", "fetch", "-q")
	r := m.open("there")
	must(t, os.MkdirAll(r.StateDir(), 0o777))
	if res := ok(Run(t.Context(), r, Options{Tips: []git.ID{m.tip}}))(t); res.Packs != 2 || res.Objects != 0 {
		t.Errorf("a fetched pack, and the cloned one: %+v", res)
	}
	for range 3 {
		m.grow(t, 1)
	}
	m.Git("there", "-c", "fetch.unpackLimit=1", "fetch", "-q")
	if res := ok(Run(t.Context(), r, Options{Tips: []git.ID{m.tip}}))(t); res.Packs != 3 || res.Merged != 0 {
		t.Errorf("another one: %+v", res) // equal ones stay, until something is loose
	}
	if out := m.Git("there", "fsck", "--strict", "--no-dangling"); out != "" {
		t.Error(out)
	}
	m.whole(t)
}

// one is the one file of the packs that a pattern matches.
func (m *memory) one(pattern string) string {
	m.T.Helper()
	found := ok(filepath.Glob(filepath.Join(m.repo.ObjectDir(), "pack", pattern)))(m.T)
	if len(found) != 1 {
		m.T.Fatalf("%s: %v", pattern, found)
	}
	return found[0]
}

// An index of several packs goes, and is written anew, where too many packs of ours are
// named by it.
func TestPackWritesTheIndexAnew(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	for range maxPacks + 1 {
		m.grow(t, 1)
		m.pack(t)
		s := ok(readState(m.repo))(t)
		for _, name := range s.Packs { // so that none is joined for its size
			must(t, os.WriteFile(filepath.Join(m.repo.ObjectDir(), "pack", name+".keep"), nil, 0o444))
		}
	}
	for _, path := range ok(filepath.Glob(m.repo.ObjectDir() + "/pack/*.keep"))(t) {
		must(t, os.Remove(path))
	}
	m.Git("r", "multi-pack-index", "write")
	m.Git("r", "update-server-info")
	if res := m.pack(t); res.Packs != maxPacks || res.Merged != 2 {
		t.Errorf("%+v", res)
	}
	m.Git("r", "multi-pack-index", "verify")
	if list := m.Git("r", "show", ":code.go"); list != "package code" {
		t.Error(list)
	}
	listed := string(ok(os.ReadFile(m.repo.ObjectDir() + "/info/packs"))(t))
	for line := range strings.Lines(listed) {
		if f := strings.Fields(line); len(f) == 2 && !disk.Exists(filepath.Join(m.repo.ObjectDir(), "pack", f[1])) {
			t.Errorf("info/packs names %s", f[1])
		}
	}
	m.whole(t)
}

// Borrowed objects are not packed, wherever the folder is that they are borrowed from.
func TestPackInABorrower(t *testing.T) {
	gittest.NeedRefFiles(t)
	gittest.NeedSHA1(t) // the other hash needs a newer repository format
	t.Parallel()
	m := newMemory(t)
	m.grow(t, 4)
	m.Git("", "clone", "-q", "--shared", "--mirror", "r", `odd:"name`)
	m.Git(`odd:"name`, "config", "core.repositoryFormatVersion", "0")
	r := m.open(`odd:"name`)
	must(t, os.MkdirAll(r.StateDir(), 0o777))
	own := commit(t, r, "its own", m.tip)
	set(t, r, git.BranchRef("main"), own, m.tip)
	if res := ok(Run(t.Context(), r, Options{Tips: []git.ID{own}}))(t); res.Objects != 3 || res.Packs != 1 {
		t.Errorf("%+v", res)
	}
	if out := m.Git(`odd:"name`, "fsck", "--strict", "--no-dangling"); out != "" {
		t.Error(out)
	}
}

// In a partial clone nothing is fetched, and what the remote promises is left alone.
func TestPackInAPartialClone(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.grow(t, 4)
	m.Git("r", "config", "uploadpack.allowFilter", "true")
	m.Git("", "clone", "-q", "--mirror", "--filter=blob:none", "file://"+m.Path("r"), "part")
	must(t, os.Rename(m.Path("r"), m.Path("gone")))
	r := m.open("part")
	must(t, os.MkdirAll(r.StateDir(), 0o777))
	own := commit(t, r, "its own", m.tip)
	set(t, r, git.BranchRef("main"), own, m.tip)
	if res := ok(Run(t.Context(), r, Options{Tips: []git.ID{own}}))(t); res.Objects != 3 || res.Packs != 1 {
		t.Errorf("%+v", res)
	}
	if out := m.Git("part", "fsck", "--strict", "--no-dangling"); out != "" {
		t.Error(out)
	}
}

// What is freshened while it is packed stays loose: its writer counts on its age. The
// next Pack removes it, if nobody did so again.
func TestPackLeavesWhatIsFresh(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.grow(t, 2)
	later := time.Now().Add(time.Hour)
	must(t, os.Chtimes(m.repo.LoosePath(m.tip), later, later))
	if res := m.pack(t); res.Objects != 5 {
		t.Errorf("%+v", res)
	}
	if _, err := os.Stat(m.repo.LoosePath(m.tip)); err != nil {
		t.Error(err)
	}
	m.whole(t)
}

// An object that cannot be removed is told, and keeps neither the others nor the next Pack
// from anything.
func TestPackPassesWhatStays(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.grow(t, 3)
	ids := strings.Fields(m.Git("r", "rev-list", "--objects", "--no-object-names", git.BranchRef("main")))
	m.pack(t)
	p := &packer{repo: m.repo, packDir: filepath.Join(m.repo.ObjectDir(), "pack"), since: time.Now().Add(time.Hour)}
	p.state = ok(readState(m.repo))(t)
	p.state.Unfinished = &unfinished{New: p.state.Packs}
	stays, goes := git.ID(ids[0]), git.ID(ids[1])
	must(t, os.MkdirAll(filepath.Join(m.repo.LoosePath(stays), "in its way"), 0o777))
	must(t, os.MkdirAll(filepath.Dir(m.repo.LoosePath(goes)), 0o777))
	must(t, os.WriteFile(m.repo.LoosePath(goes), nil, 0o444))
	err := p.replaceOld(t.Context(), []git.ID{stays, goes})
	if err == nil || !strings.Contains(err.Error(), string(stays[2:])) {
		t.Errorf("what stays is not told: %v", err)
	}
	if disk.Exists(m.repo.LoosePath(goes)) {
		t.Error("what can be removed was not")
	}
	if left := ok(readState(m.repo))(t).Unfinished; left != nil {
		t.Errorf("left to do again: %+v", left)
	}
	must(t, os.RemoveAll(m.repo.LoosePath(stays)))
	m.whole(t)
}

// A damaged state is no state, and one that names other packs does no harm.
func TestPackStateMayBeWrong(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.grow(t, 3)
	m.Git("r", "repack", "-q", "-a", "-d")
	theirs := strings.TrimSuffix(filepath.Base(m.one("pack-*.pack")), ".pack")
	for _, text := range []string{"{", `{"version":7}`, `{"version":1,"packs":["../../config"]}`,
		fmt.Sprintf(`{"version":1,"packs":["%s","pack-%040d"],"tips":["%040d"],"unfinished":{"new":["pack-%040d"],"old":["%s"]}}`, theirs, 1, 2, 3, theirs)} {
		must(t, os.WriteFile(filepath.Join(m.repo.StateDir(), StateName), []byte(text), 0o666))
		m.grow(t, 3)
		if res := m.pack(t); res.Objects != 9 || res.Packs < 1 {
			t.Errorf("%s: %+v", text, res)
		}
		m.whole(t)
	}
}

// A pack has a name of its own, though there is one of the same objects: that may be
// about to go, and a .keep file would have `git repack` believe that it stays.
func TestPackIsNamedAnew(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.grow(t, 3)
	dir := filepath.Join(m.repo.ObjectDir(), "pack")
	objects := m.Git("r", "rev-list", "--objects", "--no-object-names", git.BranchRef("main")) + "\n"
	stage := func() string {
		st := ok(newStage(t.Context(), m.repo, dir, []byte(objects)))(t)
		_ = ok(st.install(nil))(t)
		must(t, st.remove())
		return st.names[0]
	}
	first := stage()
	must(t, removeKeepFiles(dir))
	second := stage()
	if first == second || disk.Exists(filepath.Join(dir, first+".keep")) || !disk.Exists(filepath.Join(dir, second+".keep")) {
		t.Errorf("%s, then %s: which is held?", first, second)
	}
	m.Git("r", "repack", "-q", "-a", "-d")
	m.whole(t)
	must(t, removeKeepFiles(dir))
	m.Git("r", "repack", "-q", "-a", "-d")
	if _, packs := m.counts(t); packs != 1 {
		t.Errorf("%d packs", packs)
	}
	m.whole(t)
}

// A pack's name is the checksum of its bytes, as with git: go-git refuses any other. Of a lone
// object only one such pack can exist, and another is named at random.
func TestPackIsNamedAfterItsBytes(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.grow(t, 3)
	dir := filepath.Join(m.repo.ObjectDir(), "pack")
	stage := func(objects string) string {
		st := ok(newStage(t.Context(), m.repo, dir, []byte(objects)))(t)
		_ = ok(st.install(nil))(t)
		must(t, st.remove())
		return st.names[0]
	}
	checksum := func(pack string) string {
		data := ok(os.ReadFile(filepath.Join(dir, pack+".pack")))(t)
		return fmt.Sprintf("pack-%x", data[len(data)-len(m.repo.ZeroID())/2:])
	}
	all := m.Git("r", "rev-list", "--objects", "--no-object-names", git.BranchRef("main")) + "\n"
	names := map[string]bool{}
	for range 5 {
		name := stage(all)
		if names[name] || name != checksum(name) {
			t.Errorf("%s has the checksum %s; before it %v", name, checksum(name), names)
		}
		names[name] = true
	}
	first, second := stage(string(m.tip)+"\n"), stage(string(m.tip)+"\n")
	if first != checksum(first) || second == first {
		t.Errorf("%s with checksum %s, then %s", first, checksum(first), second)
	}
	must(t, removeKeepFiles(dir))
	m.whole(t)
}

// Beside the user's own gc nothing is lost. (`git repack --geometric` is not among its
// forms here: that of 2.39 loses what others write, also without us.)
func TestPackBesideGC(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.grow(t, 1)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for range 4 {
			for _, args := range [][]string{{"repack", "-q", "-a", "-d"}, {"gc", "-q"}, {"prune", "--expire=1.hour.ago"}, {"repack", "-q", "-d"}} {
				// It gives up where a pack goes that it has just listed.
				if out, err := m.Try("r", args...); err != nil && !strings.Contains(out, "unable to add recent objects") {
					t.Errorf("git %v: %v: %s", args, err, out)
				}
			}
		}
	})
	defer wg.Wait() // where the test fails too: t must not be used after it
	for packing := true; packing; {
		select {
		case <-done:
			packing = false
		default:
		}
		m.grow(t, 2)
		m.pack(t)
	}
	m.whole(t)
}
