package doc

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// wholeText is a TextMerge that gives up wherever both sides changed the text.
func wholeText(base, ours, theirs []byte) ([]byte, bool, error) {
	merged, ok := simpleMerge(base, ours, theirs, bytes.Equal)
	return merged, !ok, nil
}

// joinText is a TextMerge that never gives up.
func joinText(_, ours, theirs []byte) ([]byte, bool, error) {
	return append(slices.Clone(ours), theirs...), false, nil
}

func conflictPaths(conflicts []Conflict) []string {
	var paths []string
	for _, c := range conflicts {
		paths = append(paths, c.Kind+" "+c.Path)
	}
	return paths
}

func TestMergeTopic(t *testing.T) {
	a, b, c := []byte("a\n"), []byte("b\n"), []byte("c\n")
	left, right, back := []byte("- (expunged)\n\nb\n"), []byte("- a\n\n(expunged)\n"), []byte("- a\n\nb\n")
	for _, x := range []struct {
		name               string
		base, ours, theirs []byte
		merged             []byte
		kind               string
	}{
		{"same", a, b, b, b, ""}, {"ours changed", a, b, a, b, ""}, {"theirs changed", a, a, b, b, ""}, {"theirs added", nil, nil, b, b, ""}, {"ours added", nil, b, nil, b, ""},
		{"both added alike", nil, b, b, b, ""}, {"theirs removed", a, a, nil, nil, ""}, {"ours removed", a, nil, a, nil, ""}, {"both removed", a, nil, nil, nil, ""},
		{"both changed", a, b, c, b, ConflictContent}, {"both added", nil, b, c, b, ConflictAddAdd}, {"ours changed, theirs removed", a, b, nil, b, ConflictModifyDelete},
		{"ours removed, theirs changed", a, nil, c, nil, ConflictModifyDelete}, {"empty is not absent", nil, []byte{}, c, []byte{}, ConflictAddAdd},
		{"back on one side", nil, left, back, back, ""}, {"back on both", a, right, left, back, ""},
		{"another mark", nil, left, []byte("* a\n\nb\n"), left, ConflictAddAdd}, {"one more line", nil, left, append(back, 'c'), left, ConflictAddAdd},
		{"hidden and removed", a, left, nil, left, ConflictModifyDelete},
	} {
		got, c, err := MergeTopic("key", x.base, x.ours, x.theirs, wholeText)
		if err != nil || !sameFile(got, x.merged) || (c == nil) != (x.kind == "") {
			t.Errorf("%s: %q %v %v", x.name, got, c, err)
			continue
		}
		if c != nil && (c.Kind != x.kind || c.Path != "topics/key.md" || (c.Theirs == nil) != (x.theirs == nil) || (c.Base == nil) != (x.base == nil)) {
			t.Errorf("%s: %+v", x.name, c)
		}
	}
	if got, c, err := MergeTopic("key", a, b, c, joinText); string(got) != "b\nc\n" || c != nil || err != nil {
		t.Errorf("%q %v %v", got, c, err)
	}
	fails := errors.New("no merge-file")
	if _, _, err := MergeTopic("key", a, b, c, func(_, _, _ []byte) ([]byte, bool, error) { return nil, false, fails }); !errors.Is(err, fails) {
		t.Error(err)
	}
}

func TestMergeMetadata(t *testing.T) {
	for _, c := range []struct {
		name, base, ours, theirs, merged string
		conflicts                        []string
	}{
		{"disjoint keys", "a: 1\n", "a: 1\nb: 2 # mine\n", "a: 1\nc: 3 # theirs\n", "a: 1\nb: 2 # mine\nc: 3 # theirs\n", nil},
		{"both changed alike", "a: 1\n", "a: 2\n", "a: 2 # comment\n", "a: 2\n", nil},
		{"one key two values", "a: 1\n", "a: 2\n", "a: 3\n", "a: 2\n", []string{"key metadata.yaml#a"}},
		{"back on one side", "", "a: (expunged)\nb: x\n", "a: text # theirs\nb: (expunged)\n", "a: text # theirs\nb: x\n", nil},
		{"no base", "", "a: 2\n", "a: 3\n", "a: 2\n", []string{"key metadata.yaml#a"}},
		{"deep", "e:\n  a: 1\n  b: 1\n", "e:\n  # mine\n  a: 2\n  b: 1\n", "e:\n  b: 3\n  a: 1\n  c: {x: 1}\n", "e:\n  # mine\n  a: 2\n  b: 3\n  c: {x: 1}\n", nil},
		{"deep conflict", "e: {a.b: 1, c: 1}\n", "e: {a.b: 2, c: 1}\n", "e: {a.b: 3, c: 2}\n", "e: {a.b: 2, c: 2}\n", []string{`key metadata.yaml#e."a.b"`}},
		{"theirs removed", "a: 1\nb: 1\n", "a: 1\nb: 1\n", "a: 1\n", "a: 1\n", nil},
		{"ours removed", "a: 1\nb: 1\n", "a: 1\n", "a: 1\nb: 1\n", "a: 1\n", nil},
		{"removed and changed", "a: 1\nb: 1\n", "a: 1\n", "a: 1\nb: 2\n", "a: 1\n", []string{"key metadata.yaml#b"}},
		{"changed and removed", "a: 1\nb: 1\n", "a: 1\nb: 2\n", "a: 1\n", "a: 1\nb: 2\n", []string{"key metadata.yaml#b"}},
		{"a key in a map without keys", "a: {}\n", "a: {x: 1}\n", "b: 1\n", "a: {x: 1}\nb: 1\n", nil},
		{"theirs' key in a map without keys", "a: {}\n", "b: 1\n", "a: {x: 1}\n", "b: 1\na: {x: 1}\n", nil},
		{"the last key and the map", "a: {x: 1}\nb: 1\n", "a: {}\nb: 1\n", "b: 1\n", "b: 1\n", nil},
		{"the map and the last key", "a: {x: 1}\nb: 1\n", "b: 1\n", "a: {}\nb: 1\n", "b: 1\n", nil},
		{"nothing written behind a key is null", "", "a: {x: 1}\n", "a:\n", "a: {x: 1}\n", nil},
		{"null and theirs", "b: 1\n", "a: ~ # note\nb: 1\n", "a: 2\nb: 1\n", "a: 2\nb: 1\n", nil},
		{"null and what was changed", "a: 1\n", "a:\n", "a: 2\n", "a:\n", []string{"key metadata.yaml#a"}},
		{"two ways to write null", "a: 1\n", "a:\n", "a: null\n", "a:\n", nil},
		{"lists are values", "a: [1]\n", "a: [1, 2]\n", "a: [1, 3]\n", "a: [1, 2]\n", []string{"key metadata.yaml#a"}},
		{"map and scalar", "a: 1\n", "a: {b: 1}\n", "a: 2\n", "a: {b: 1}\n", []string{"key metadata.yaml#a"}},
		{"number and text", "a: 1\n", "a: 8080\n", "a: \"8080\"\n", "a: 8080\n", []string{"key metadata.yaml#a"}},
		{"detected keys are ours", "totals:\n  steps: 1\n", "totals:\n  steps: 2\ndetected_from: x\nenv_config:\n  detected: {go: 1}\n  port: 1\n",
			"totals:\n  steps: 3\ndetected_from: y\nenv_config:\n  detected: {go: 2}\n  host: h\n",
			"totals:\n  steps: 2\ndetected_from: x\nenv_config:\n  detected: {go: 1}\n  port: 1\n  host: h\n", nil},
		{"theirs' detected keys do not come", "", "a: 1\n", "file_structure:\n  tree: [x]\n  responsibilities: {x: y}\ntotals: {steps: 3}\ndependencies:\n  detected: [z]\n",
			"a: 1\nfile_structure:\n  responsibilities: {x: y}\n", nil},
		{"ours' detected keys stay", "env_config:\n  detected: [a]\n  x: 1\n", "env_config:\n  detected: [b]\n  x: 1\n", "a: 1\n", "env_config:\n  detected: [b]\na: 1\n", nil},
		{"the branch is ours", "branch: {name: main}\n", "branch: {name: main, purpose: a}\n", "branch: {name: exp, purpose: b, x: y}\n", "branch: {name: main, purpose: a}\n", nil},
		{"comments of both", "# head\na: 1\n\n# b\nb: 1\n", "# head\na: 1\n\n# b, mine\nb: 1\n", "# head\na: 2 # new\n\n# b\nb: 1\n\n# c\nc: 1\n", "# head\na: 2 # new\n\n# b, mine\nb: 1\n\n# c\nc: 1\n", nil},
	} {
		got, conflicts, err := MergeMetadata([]byte(c.base), []byte(c.ours), []byte(c.theirs))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.merged, string(got)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if diff := cmp.Diff(c.conflicts, conflictPaths(conflicts)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	_, conflicts, _ := MergeMetadata(nil, []byte("a: [1]\n"), []byte("a: {b: x}\n"))
	if c := conflicts[0]; c.Base != nil || *c.Ours != "[1]\n" || *c.Theirs != "{b: x}\n" {
		t.Errorf("%+v", c)
	}
	if _, _, err := MergeMetadata(nil, []byte("a: 1\n"), []byte("- a\n")); err == nil || !strings.Contains(err.Error(), "theirs") {
		t.Error(err)
	}
}

// Nothing that one side alone changed is lost, and merging again changes nothing.
func TestMergeMetadataProperty(t *testing.T) {
	gen := func(t *rapid.T, label string) (string, map[string]any) {
		m, want := NewMetadata(), map[string]any{}
		for _, key := range []string{"a", "b.c", "b.d", "e.f.g"} {
			if v := rapid.IntRange(0, 2).Draw(t, label+key); v > 0 {
				want[key] = v
				if err := m.SetValue(key, v); err != nil {
					t.Fatal(err)
				}
			}
		}
		b, err := m.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return string(b), want
	}
	rapid.Check(t, func(t *rapid.T) {
		base, wb := gen(t, "base")
		ours, wo := gen(t, "ours")
		theirs, wt := gen(t, "theirs")
		merged, conflicts, err := MergeMetadata([]byte(base), []byte(ours), []byte(theirs))
		if err != nil {
			t.Fatal(err)
		}
		m, err := ParseMetadata(merged)
		if err != nil {
			t.Fatal(err)
		}
		contested := strings.Join(conflictPaths(conflicts), "\n")
		for _, key := range []string{"a", "b.c", "b.d", "e.f.g"} {
			want, ok := simpleMerge(wb[key], wo[key], wt[key], func(a, b any) bool { return a == b })
			if got, _, _ := m.Get(key); ok && got != want && !strings.Contains(contested, "#"+key[:1]) {
				t.Fatalf("%s is %v, want %v\n%s", key, got, want, merged)
			}
			if !ok && !strings.Contains(contested, "#"+key[:1]) {
				t.Fatalf("%s does not conflict", key)
			}
		}
		if again, _, err := MergeMetadata([]byte(theirs), merged, []byte(theirs)); err != nil || !bytes.Equal(again, merged) {
			t.Fatalf("again: %v\n%s", err, again)
		}
	})
}

func TestMergeMetadataReplica(t *testing.T) {
	day := func(n int) time.Time { return testTime().AddDate(0, 0, n) }
	file := func(f BranchFacts) []byte {
		m := NewMetadata()
		if err := m.SetBranch(f); err != nil {
			t.Fatal(err)
		}
		b, err := m.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	active := BranchFacts{Name: "x", Purpose: "p", Status: StatusActive, CreatedAt: day(0), CreatedFrom: "main"}
	with := func(change func(f *BranchFacts)) BranchFacts { f := active; change(&f); return f }
	closed := func(status, into string, at int) BranchFacts {
		return with(func(f *BranchFacts) { f.Status, f.MergedInto, f.MergedAt = status, into, day(at) })
	}
	bornAnew := with(func(f *BranchFacts) { f.CreatedAt, f.CreatedFrom = day(3), "fix" })
	for _, c := range []struct {
		name         string
		base         *BranchFacts
		ours, theirs BranchFacts
		want         BranchFacts
		conflicts    int
	}{
		{"earliest merge", &active, closed(StatusMerged, "a", 3), closed(StatusMerged, "b", 2), closed(StatusMerged, "b", 2), 0},
		{"one closed", &active, active, closed(StatusMerged, "b", 2), closed(StatusMerged, "b", 2), 0},
		{"merged and abandoned", &active, closed(StatusAbandoned, "", 2), closed(StatusMerged, "b", 3), closed(StatusAbandoned, "", 2), 0},
		{"taken up again", ptr(closed(StatusMerged, "b", 2)), active, closed(StatusMerged, "b", 2), active, 0},
		{"both made it", nil, with(func(f *BranchFacts) { f.CreatedAt = day(1); f.CreatedFrom = "z" }), active, active, 0},
		{"made anew", &active, bornAnew, closed(StatusMerged, "b", 2),
			with(func(f *BranchFacts) {
				*f = closed(StatusMerged, "b", 2)
				f.CreatedAt, f.CreatedFrom = bornAnew.CreatedAt, bornAnew.CreatedFrom
			}), 0},
		{"made anew, and nothing else", &active, bornAnew, active, bornAnew, 0},
		{"both made it anew", &active, bornAnew, with(func(f *BranchFacts) { f.CreatedAt = day(4) }), bornAnew, 0},
		{"closed with no base", nil, active, closed(StatusMerged, "a", 1), closed(StatusMerged, "a", 1), 0},
		{"purposes", &active, with(func(f *BranchFacts) { f.Purpose = "q" }), with(func(f *BranchFacts) { f.Purpose = "r" }), with(func(f *BranchFacts) { f.Purpose = "q" }), 1},
		{"one purpose", &active, active, with(func(f *BranchFacts) { f.Purpose = "r" }), with(func(f *BranchFacts) { f.Purpose = "r" }), 0},
	} {
		var base []byte
		if c.base != nil {
			base = file(*c.base)
		}
		for i, sides := range [][2]BranchFacts{{c.ours, c.theirs}, {c.theirs, c.ours}} {
			got, conflicts, err := MergeMetadataReplica(base, file(sides[0]), file(sides[1]))
			if err != nil || len(conflicts) != c.conflicts {
				t.Errorf("%s: %v %v", c.name, conflicts, err)
				continue
			}
			if diff := cmp.Diff(c.want, mustParse(t, string(got)).Branch()); diff != "" && (i == 0 || c.conflicts == 0) {
				t.Errorf("%s: %s", c.name, diff)
			}
		}
	}
}

func ptr[T any](v T) *T { return &v }

func roadmapOf(goal string, milestones ...string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Project Roadmap\n\n## Goal\n\n%s\n\n## Milestones\n\n", goal)
	for _, m := range milestones {
		b.WriteString("- " + m + "\n")
	}
	return []byte(b.String())
}

func TestMergeRoadmapItems(t *testing.T) {
	for _, c := range []struct {
		name                       string
		base, ours, theirs, merged []string
	}{
		{"both add", []string{"[ ] a"}, []string{"[ ] a", "[ ] b"}, []string{"[ ] a", "[ ] c"}, []string{"[ ] a", "[ ] b", "[ ] c"}},
		{"both tick", []string{"[ ] a", "[ ] b"}, []string{"[x] a", "[ ] b"}, []string{"[ ] a", "[x] b"}, []string{"[x] a", "[x] b"}},
		{"untick", []string{"[x] a"}, []string{"[x] a", "[ ] b"}, []string{"[ ] a"}, []string{"[ ] a", "[ ] b"}},
		{"tick wins with no base", nil, []string{"[ ] a"}, []string{"[x] a"}, []string{"[x] a"}},
		{"tick wins with no base, ours", nil, []string{"[x] a"}, []string{"[ ] a", "[ ] b"}, []string{"[x] a", "[ ] b"}},
		{"remove", []string{"[ ] a", "[ ] b", "[ ] c"}, []string{"[ ] b", "[ ] c"}, []string{"[ ] a", "[ ] b"}, []string{"[ ] b"}},
		{"remove and tick", []string{"[ ] a", "[ ] b"}, []string{"[ ] b"}, []string{"[x] a", "[ ] b"}, []string{"[ ] b", "[x] a"}},
		{"tick and remove", []string{"[ ] a", "[ ] b"}, []string{"[x] a", "[ ] b"}, []string{"[ ] b"}, []string{"[x] a", "[ ] b"}},
	} {
		got, conflicts, err := MergeRoadmap(roadmapOf("g", c.base...), roadmapOf("g", c.ours...), roadmapOf("g", c.theirs...), wholeText)
		if err != nil || len(conflicts) > 0 {
			t.Errorf("%s: %v %v", c.name, conflicts, err)
		}
		if diff := cmp.Diff(string(roadmapOf("g", c.merged...)), string(got)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestMergeRoadmapProse(t *testing.T) {
	base := "# R\n\n## Goal\n\ng\n\n## Milestones\n\nintro\n\n- [ ] a\n\n## Own\n\no\n"
	for _, c := range []struct {
		name, ours, theirs, merged string // each by replacing "old=new" in base
		conflicts                  []string
	}{
		{"ours", "g=h", "", "g=h", nil},
		{"both sections", "\ng\n=\nh\n", "\no\n=\np\n", "\ng\n=\nh\n|\no\n=\np\n", nil},
		{"goal and list", "\ng\n=\nh\n", "[ ] a=[x] a", "\ng\n=\nh\n|[ ] a=[x] a", nil},
		{"one goal two texts", "\ng\n=\nh\n", "\ng\n=\ni\n|[ ] a=[x] a", "\ng\n=\nh\n|[ ] a=[x] a", []string{"prose main.md#Goal"}},
		{"intro", "[ ] a=[x] a", "intro=words", "[ ] a=[x] a|intro=words", nil},
		{"two intros", "intro=one", "intro=two", "intro=one", []string{"prose main.md#Milestones"}},
		{"title", "# R=# S", "# R=# T", "# R=# S", []string{"prose main.md#"}},
		{"removed and changed", "\n## Own\n\no\n=", "\no\n=\np\n", "\n## Own\n\no\n=", []string{"prose main.md#Own"}},
		{"removed", "\ng\n=\nh\n", "\n## Own\n\no\n=", "\ng\n=\nh\n|\n## Own\n\no\n=", nil},
		{"new sections", "\no\n=\no\n\n## Mine\n\nm\n", "\no\n=\no\n\n## Theirs\n\nt\n", "\no\n=\no\n\n## Mine\n\nm\n\n## Theirs\n\nt\n", nil},
		{"new list", "\ng\n=\nh\n", "\n## Own=\n## Decisions\n\n- d\n\n## Own", "\ng\n=\nh\n|\n## Own=\n## Decisions\n\n- d\n\n## Own", nil},
	} {
		got, conflicts, err := MergeRoadmap([]byte(base), edit(base, c.ours), edit(base, c.theirs), wholeText)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(string(edit(base, c.merged)), string(got)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if diff := cmp.Diff(c.conflicts, conflictPaths(conflicts)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	got, conflicts, err := MergeRoadmap(nil, roadmapOf("a"), roadmapOf("b"), joinText)
	if err != nil || len(conflicts) > 0 || ParseRoadmap(got).Goal() != "a\nb" {
		t.Errorf("%q %v %v", got, conflicts, err)
	}
	got, conflicts, _ = MergeRoadmap(nil, NewRoadmap().Bytes(), roadmapOf("b", "[x] m"), wholeText)
	if r := ParseRoadmap(got); r.Goal() != "b" || len(r.Milestones()) != 1 || len(conflicts) > 0 {
		t.Errorf("%q %v", got, conflicts)
	}
}

func edit(text, edits string) []byte {
	if edits != "" {
		for e := range strings.SplitSeq(edits, "|") {
			old, now, _ := strings.Cut(e, "=")
			text = strings.Replace(text, old, now, 1)
		}
	}
	return []byte(text)
}

// A resolution goes in by SetSection, and then the same merge is clean.
func TestMergeRoadmapResolves(t *testing.T) {
	ours, theirs := roadmapOf("one\n# two"), roadmapOf("three")
	merged, conflicts, err := MergeRoadmap(nil, ours, theirs, wholeText)
	if err != nil || len(conflicts) != 1 || *conflicts[0].Ours != "one\n# two" || *conflicts[0].Theirs != "three" {
		t.Fatalf("%+v %v", conflicts, err)
	}
	r := ParseRoadmap(merged)
	_, name, _ := strings.Cut(conflicts[0].Path, "#")
	r.SetSection(name, *conflicts[0].Theirs)
	if r.Goal() != "three" {
		t.Error(r.Goal())
	}
}

// Marks of the front matter are merged beside the lines, and a pin on either side stays.
func TestMergeTopicMarks(t *testing.T) {
	one, two := strings.Repeat("1", 40), strings.Repeat("2", 40)
	old := Topic{Text: "a\n"}
	pinned, changed := Topic{Text: "a\n", Pinned: true}, Topic{Text: "b\n", Paths: []string{"a.go"}}
	for _, c := range []struct {
		name               string
		base, ours, theirs Topic
		want               Topic
	}{
		{"a pin and a text", old, pinned, changed, Topic{Text: "b\n", Paths: []string{"a.go"}, Pinned: true}},
		{"a text and an unpin", pinned, Topic{Text: "b\n", Pinned: true}, old, Topic{Text: "b\n", Pinned: true}},
		{"two confirm", old, Topic{Text: "a\n", Confirmed: one}, Topic{Text: "a\n", Confirmed: two}, Topic{Text: "a\n", Confirmed: two}},
		{"one confirms, one pins", old, Topic{Text: "a\n", Confirmed: one}, pinned, Topic{Text: "a\n", Confirmed: one, Pinned: true}},
		{"one confirms, one writes", old, Topic{Text: "a\n", Confirmed: one, Edited: []string{"a"}}, changed, changed},
		{"the other's edit", old, pinned, Topic{Text: "b\n", Paths: []string{"a"}, Edited: []string{"a"}},
			Topic{Text: "b\n", Pinned: true, Paths: []string{"a"}, Edited: []string{"a"}}},
	} {
		for range 2 {
			got, conflict, err := MergeTopic("key", c.base.Bytes(), c.ours.Bytes(), c.theirs.Bytes(), wholeText)
			if err != nil || conflict != nil || string(got) != string(c.want.Bytes()) {
				t.Errorf("%s: %v %v %q, want %q", c.name, err, conflict, got, c.want.Bytes())
			}
			c.ours, c.theirs = c.theirs, c.ours
		}
	}
	ours := Topic{Text: "c\n", Pinned: true}.Bytes()
	got, conflict, err := MergeTopic("key", old.Bytes(), ours, changed.Bytes(), wholeText)
	if err != nil || conflict == nil || string(got) != string(ours) || *conflict.Theirs != string(changed.Bytes()) {
		t.Errorf("a conflict shows the whole files: %v %+v %q", err, conflict, got)
	}
}

// Outcomes are merged beside the items that they belong to, which stay the same items.
func TestMergeRoadmapOutcomes(t *testing.T) {
	for _, c := range []struct{ name, base, ours, theirs, merged string }{
		{"one side", "[ ] a|[ ] b", "[x] a/one|[ ] b", "[ ] a|[x] b", "[x] a/one|[x] b"},
		{"the other side", "[ ] a|[ ] b", "[ ] a|[ ] b|[ ] c", "[x] a/one|[ ] b", "[x] a/one|[ ] b|[ ] c"},
		{"the same", "[ ] a", "[x] a/one|[ ] b", "[x] a/one", "[x] a/one|[ ] b"},
		{"both", "[ ] a", "[x] a/one", "[x] a/two/one", "[x] a/one/two"},
		{"revised", "[x] a/one", "[x] a/two", "[x] a/one|[ ] b", "[x] a/two|[ ] b"},
		{"opened again", "[x] a/one", "[ ] a", "[x] a/one|[ ] b", "[ ] a|[ ] b"},
		{"removed and finished", "[x] a", "", "[x] a/one|[ ] b", "[x] a/one|[ ] b"},
		{"new", "[ ] a", "[ ] a|[ ] b", "[ ] a|[x] c/one/two", "[ ] a|[ ] b|[x] c/one/two"},
	} {
		file := func(items string) []byte {
			if items == "" {
				return roadmapOf("g")
			}
			return roadmapOf("g", strings.Split(strings.ReplaceAll(items, "/", "\n  Outcome: "), "|")...)
		}
		got, conflicts, err := MergeRoadmap(file(c.base), file(c.ours), file(c.theirs), wholeText)
		if err != nil || len(conflicts) > 0 {
			t.Errorf("%s: %v %v", c.name, conflicts, err)
		}
		if diff := cmp.Diff(ParseRoadmap(file(c.merged)).Milestones(), ParseRoadmap(got).Milestones()); diff != "" {
			t.Errorf("%s: %s\n%s", c.name, diff, got)
		}
	}
}

func TestHides(t *testing.T) {
	for _, c := range []struct {
		hidden, whole string
		want          bool
	}{
		{"(expunged)", "secret", true},
		{"a\n- (expunged)\nb\n", "a\n- secret\nb\n", true},
		{"secret", "secret", false},
		{"secret", "(expunged)", false},
		{"a\n(expunged)\n", "b\nsecret\n", false},
		{"- (expunged)", "secret", false},
		{"(expunged)\n(expunged)\n", "secret\n", false},
	} {
		if got := Hides(c.hidden, c.whole); got != c.want {
			t.Errorf("Hides(%q, %q) = %v", c.hidden, c.whole, got)
		}
	}
}
