package doc

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// tree is one side of a memory branch as a model: a live file and segments by path.
type tree struct {
	live     []byte
	segments map[string][]byte
}

func (t tree) clone() tree { return tree{t.live, maps.Clone(t.segments)} }

func (t *tree) grow(tb rapid.TB, steps []Step) {
	g, err := GrowLog(t.live, steps)
	if err != nil {
		tb.Fatal(err)
	}
	t.live = g.Live
	for _, f := range g.Sealed {
		if t.segments[f.Path] != nil {
			tb.Fatalf("segment %s sealed twice", f.Path)
		}
		t.segments[f.Path] = f.Data
	}
}

// entries gives what of t stands differently in o.
func (t tree) entries(o tree) Entries {
	e := Entries{Live: t.live}
	for _, path := range slices.Sorted(maps.Keys(t.segments)) {
		if other, ok := o.segments[path]; !ok || !bytes.Equal(other, t.segments[path]) {
			e.Segments = append(e.Segments, File{path, t.segments[path]})
		}
	}
	return e
}

// merge is what a Store does with a union.
func (t tree) merge(tb rapid.TB, o tree) (tree, Union) {
	u, err := UnionLog(t.entries(o), o.entries(t))
	if err != nil {
		tb.Fatal(err)
	}
	merged := t.clone()
	merged.live = u.Live
	for _, path := range u.Removed {
		delete(merged.segments, path)
	}
	for _, f := range u.Segments {
		merged.segments[f.Path] = f.Data
	}
	return merged, u
}

// steps reads everything, and fails on an id that stands twice or a file out of order.
func (t tree) steps(tb rapid.TB) map[string]Step {
	all := make(map[string]Step)
	read := func(name string, data []byte) {
		steps, err := ParseLog(data)
		if err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		for i, s := range steps {
			if _, ok := all[s.ID]; ok {
				tb.Fatalf("%s stands twice", s.ID)
			}
			if i > 0 && steps[i-1].ID >= s.ID {
				tb.Fatalf("%s: %s after %s", name, s.ID, steps[i-1].ID)
			}
			all[s.ID] = s
		}
		if !bytes.Equal(FormatLog(steps), data) {
			tb.Fatalf("%s is not in canonical form", name)
		}
	}
	read("live", t.live)
	for path, data := range t.segments {
		read(path, data)
		if steps, _ := ParseLog(data); SegmentPath("log", steps[0].ID) != path {
			tb.Fatalf("%s is not the path of its first entry", path)
		}
	}
	return all
}

func equalTrees(a, b tree) bool {
	return bytes.Equal(a.live, b.live) && maps.EqualFunc(a.segments, b.segments, bytes.Equal)
}

// history draws three branches that record, seal and take from each other, with clocks
// apart, and what each must hold.
func history(t *rapid.T) (trees [3]tree, want [3]map[string]Step) {
	for i := range trees {
		trees[i] = tree{segments: map[string][]byte{}}
		want[i] = map[string]Step{}
	}
	newest := ""
	for range rapid.IntRange(1, 25).Draw(t, "ops") {
		i := rapid.IntRange(0, 2).Draw(t, "branch")
		if rapid.IntRange(0, 3).Draw(t, "op") == 0 {
			j := rapid.IntRange(0, 2).Draw(t, "from")
			trees[i], _ = trees[i].merge(t, trees[j])
			maps.Copy(want[i], want[j])
			continue
		}
		var steps []Step
		size := rapid.SampledFrom([]int{10, 500, 3000, 9000}).Draw(t, "size")
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			id, err := NextID(testTime().AddDate(0, 0, rapid.IntRange(0, 3).Draw(t, "clock")), newest)
			if rapid.Bool().Draw(t, "behind") { // a branch that has not seen the newest id
				id, err = NextID(testTime().AddDate(0, 0, -rapid.IntRange(1, 30).Draw(t, "days")), "")
			} else {
				newest = id
			}
			if err != nil {
				t.Fatal(err)
			}
			steps = append(steps, Step{ID: id, Agent: "a", Time: testTime(), Origin: fmt.Sprint("b", i), Action: strings.Repeat("x\n", size/2)})
		}
		for _, s := range steps {
			want[i][s.ID] = s
		}
		trees[i].grow(t, steps)
	}
	return trees, want
}

func TestUnionLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trees, want := history(t)
		a, b, c := trees[0], trees[1], trees[2]
		for i := range trees {
			if diff := cmp.Diff(want[i], trees[i].steps(t)); diff != "" {
				t.Fatalf("branch %d: %s", i, diff)
			}
		}
		ab, u := a.merge(t, b)
		ba, _ := b.merge(t, a)
		if !equalTrees(ab, ba) {
			t.Fatal("the union is not commutative")
		}
		all := maps.Clone(want[0])
		maps.Copy(all, want[1])
		if diff := cmp.Diff(all, ab.steps(t)); diff != "" {
			t.Fatalf("the union lost or made something: %s", diff)
		}
		checkAdded(t, u, want[0], want[1])
		if aa, _ := a.merge(t, a); !equalTrees(a, aa) {
			t.Fatal("the union is not idempotent")
		}
		if again, _ := ab.merge(t, b); !equalTrees(ab, again) {
			t.Fatal("merging again changes bytes")
		}
		if none, _ := a.merge(t, tree{}); !equalTrees(a, none) {
			t.Fatal("the union with nothing changes bytes")
		}
		bc, _ := b.merge(t, c)
		left, _ := ab.merge(t, c)
		right, _ := a.merge(t, bc)
		if diff := cmp.Diff(left.steps(t), right.steps(t)); diff != "" {
			t.Fatalf("the union is not associative: %s", diff)
		}
	})
}

func checkAdded(t rapid.TB, u Union, ours, theirs map[string]Step) {
	var added []string
	origins := map[string]int{}
	for id, s := range theirs {
		if _, ok := ours[id]; !ok {
			added = append(added, id)
			origins[s.Origin]++
		}
	}
	slices.Sort(added)
	if diff := cmp.Diff(added, u.Added); diff != "" {
		t.Fatalf("added: %s", diff)
	}
	if diff := cmp.Diff(origins, u.Origins); diff != "" {
		t.Fatalf("origins: %s", diff)
	}
	if len(u.TwoContents) > 0 {
		t.Fatalf("two contents: %v", u.TwoContents)
	}
}

// entriesOf makes n steps of about size bytes each, after an id.
func entriesOf(t testing.TB, after string, n, size int) []Step {
	t.Helper()
	steps := make([]Step, n)
	for i := range steps {
		after = testID(t, after)
		steps[i] = Step{ID: after, Number: i, Agent: "a", Time: testTime(), Origin: "main", Action: strings.Repeat("x", size)}
	}
	return steps
}

// Both sides sealed a live file that began with the same entries.
func TestUnionOfSegmentsOfOneName(t *testing.T) {
	shared := entriesOf(t, baseID, 4, 1000)
	x := entriesOf(t, shared[3].ID, 8, 1000)
	a, b := tree{segments: map[string][]byte{}}, tree{segments: map[string][]byte{}}
	a.grow(t, append(slices.Clone(shared), x[0], x[2], x[4], x[5], x[6]))
	b.grow(t, append(slices.Clone(shared), x[1], x[3], x[5], x[6], x[7])) // as after a merge
	last := entriesOf(t, x[7].ID, 2, 10)
	a.grow(t, last[:1])
	b.grow(t, last[1:])
	if len(a.segments) != 1 || len(b.segments) != 1 {
		t.Fatal("not sealed")
	}
	ab, u := a.merge(t, b)
	if got := len(ab.steps(t)); got != 14 || len(ab.segments) != 1 || len(u.Removed) != 0 {
		t.Errorf("%d steps in %d segments, removed %v", got, len(ab.segments), u.Removed)
	}
}

// What is live on one side and sealed on the other is sealed, and its file stays.
func TestUnionOfLiveAndSealed(t *testing.T) {
	shared := entriesOf(t, baseID, 9, 1000)
	a, b := tree{segments: map[string][]byte{}}, tree{segments: map[string][]byte{}}
	a.grow(t, shared)
	b.grow(t, shared)
	news := entriesOf(t, shared[8].ID, 2, 10)
	a.grow(t, news[:1])
	ab, u := a.merge(t, b)
	if !equalTrees(a, ab) || len(u.Added) != 0 {
		t.Error("nothing was new")
	}
	b.grow(t, news[1:]) // seals the same bytes
	ab, u = a.merge(t, b)
	if len(u.Segments) != 0 || len(ab.steps(t)) != 11 {
		t.Errorf("%d segments written", len(u.Segments))
	}
}

func TestUnionTwoContents(t *testing.T) {
	steps := entriesOf(t, baseID, 9, 1000)
	a, b := tree{segments: map[string][]byte{}}, tree{segments: map[string][]byte{}}
	a.grow(t, steps)
	changed := slices.Clone(steps)
	changed[4].Action, changed[4].Origin = "aaa", "evil" // smaller
	changed[5].Action = "zzz"
	changed[6].Action = Redaction // smaller, and came back since
	b.grow(t, changed)
	a.grow(t, entriesOf(t, steps[8].ID, 1, 10)) // sealed on one side
	ab, u := a.merge(t, b)
	ba, _ := b.merge(t, a)
	if !equalTrees(ab, ba) {
		t.Error("not commutative")
	}
	if diff := cmp.Diff([]string{steps[4].ID, steps[5].ID, steps[6].ID}, u.TwoContents); diff != "" {
		t.Error(diff)
	}
	got := ab.steps(t)
	if got[steps[4].ID].Action != "aaa" || got[steps[5].ID].Action != steps[5].Action || len(got) != 10 {
		t.Error("the bytewise smaller does not stand")
	}
	if got[steps[6].ID].Action != steps[6].Action {
		t.Error("what is back does not stand")
	}
	if diff := cmp.Diff(map[string]int{"main": -1, "evil": 1}, u.Origins); diff != "" {
		t.Error(diff)
	}
}

func TestUnionKeepsUnknownAttributes(t *testing.T) {
	s := entriesOf(t, baseID, 2, 10)
	s[0].Extra = "- cost: 3\n"
	u, err := UnionLog(Entries{Live: FormatLog(s[:1])}, Entries{Live: FormatLog(s[1:])})
	if err != nil || !bytes.Equal(u.Live, FormatLog(s)) {
		t.Errorf("%v\n%s", err, u.Live)
	}
}

func TestUnionRefusesDamage(t *testing.T) {
	s := FormatLog(entriesOf(t, baseID, 1, 10))
	for name, e := range map[string]Entries{
		"junk":          {Live: []byte("x\n")},
		"other heading": {Live: bytes.Replace(s, []byte("### Step"), []byte("## Commit"), 1)},
		"path":          {Segments: []File{{"log/x.md", s}}},
		"empty segment": {Segments: []File{{SegmentPath("log", baseID), nil}}},
		"no id":         {Live: []byte("== Branch main ==\n\n### Step 1 · 2026-11-21T01:40:12Z · a · x\n")},
		"torn":          {Live: s[:len(s)-1]},
	} {
		if _, err := UnionLog(Entries{}, e); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A row of merges with no milestone between does not pile up in the live file.
func TestUnionSealsALongLiveFile(t *testing.T) {
	a := tree{segments: map[string][]byte{}}
	for range 20 {
		b := tree{live: FormatLog(entriesOf(t, "", 5, 1000)), segments: map[string][]byte{}}
		a, _ = a.merge(t, b)
		if len(a.live) > unionLiveLimit {
			t.Fatalf("live file of %d bytes", len(a.live))
		}
	}
	if n := len(a.steps(t)); n != 100 {
		t.Errorf("%d steps", n)
	}
}

func TestGrow(t *testing.T) {
	steps := entriesOf(t, baseID, 30, 400)
	tr := tree{segments: map[string][]byte{}}
	for i := range steps {
		before := tr.live
		tr.grow(t, steps[i:i+1])
		if len(before) > LiveLimit {
			first, _ := ParseLog(before)
			if !bytes.Equal(tr.segments[SegmentPath("log", first[0].ID)], before) {
				t.Error("not sealed whole")
			}
		} else if !bytes.HasPrefix(tr.live, before) {
			t.Error("not appended")
		}
	}
	if len(tr.segments) == 0 || len(tr.steps(t)) != 30 {
		t.Errorf("%d segments, %d steps", len(tr.segments), len(tr.steps(t)))
	}
	before := tr.live
	if tr.grow(t, nil); !bytes.Equal(before, tr.live) {
		t.Error("nothing added, and the live file changed")
	}
	if g, err := GrowLog(EmptyLog("main"), steps[:1]); err != nil || !bytes.Equal(g.Live, FormatLog(steps[:1])) {
		t.Errorf("a live file of a tag alone: %v\n%s", err, g.Live)
	}
}

func TestGrowCutsALargeBatch(t *testing.T) {
	steps := entriesOf(t, baseID, 300, 10000)
	steps[7].Action = strings.Repeat("y", 2<<20)
	tr := tree{segments: map[string][]byte{}}
	tr.grow(t, steps)
	for path, data := range tr.segments {
		if s, _ := ParseLog(data); len(data) > SegmentLimit && len(s) > 1 {
			t.Errorf("%s: %d bytes", path, len(data))
		}
	}
	if len(tr.segments) != 4 || len(tr.live) > SegmentLimit || len(tr.steps(t)) != 300 {
		t.Errorf("%d segments, live %d", len(tr.segments), len(tr.live))
	}
}

func TestSegmentPath(t *testing.T) {
	if got, want := SegmentPath("log", baseID), "log/01JD/5K/0Z/01JD5K0Z3V7Q3M9K2A4B5C6D7E.md"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestUnionCommits(t *testing.T) {
	ours := FormatCommits([]Commit{{ID: baseID, Agent: "a", Time: testTime(), Origin: "main", Summary: "# one"}})
	theirs := FormatCommits([]Commit{{ID: testID(t, baseID), Agent: "a", Time: testTime(), Origin: "exp", Summary: "two", Contribution: "## Commit 1"}})
	u, err := UnionCommits(Entries{Live: ours}, Entries{Live: theirs})
	if err != nil {
		t.Fatal(err)
	}
	if ms, err := ParseCommits(u.Live); err != nil || len(ms) != 2 || u.Origins["exp"] != 1 {
		t.Errorf("%v %v", ms, err)
	}
}
