package doc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const handWritten = `# Our metadata.
version: 1

branch:
  name: main   # the first
  purpose: |
    build: the thing

    well
  status: active
  owner: me

# ports and such
env_config:
    port: 8080      # not 80
    hosts: [a, b]
    # a comment inside
    nested:
        "a.b": {c: 1}

totals:
  steps: 3
  milestones: 1
interfaces: {}
# the end
`

func mustParse(t testing.TB, data string) *Metadata {
	t.Helper()
	m, err := ParseMetadata([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustBytes(t testing.TB, m *Metadata) string {
	t.Helper()
	b, err := m.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParseMetadata(b); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return string(b)
}

func TestMetadataUnedited(t *testing.T) {
	for _, text := range []string{"", "{}\n", "---\na: 1\n", "a: 1", "a: 1\n...\n", "{a: 1, b: [2]}", "# only\n", "a:\r\n  b: 1\r\n", "? a\n: b\n", handWritten, "'a': 1\n\"b\": 2\n", "a: |+\n  x\n\n\n# c\n\nb: 1\n"} {
		m := mustParse(t, text)
		if got := mustBytes(t, m); got != text {
			t.Errorf("%q became %q", text, got)
		}
		all, _, err := m.Get("")
		if err != nil {
			t.Fatal(err)
		}
		// An edit keeps every value.
		if err := m.Set("zzz.new", "1"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		all.(map[string]any)["zzz"] = map[string]any{"new": 1}
		edited, _, err := mustParse(t, mustBytes(t, m)).Get("")
		if diff := cmp.Diff(all, edited); err != nil || diff != "" {
			t.Errorf("%q: %v %s", text, err, diff)
		}
	}
}

func TestMetadataEditKeepsTheRest(t *testing.T) {
	m := mustParse(t, handWritten)
	for _, step := range []struct {
		do       func() error
		old, new string
	}{
		{func() error { return m.Set("totals.steps", "4") }, "steps: 3", "steps: 4"},
		{func() error { return m.SetTotals(Totals{Steps: 5, Commits: 1}) }, "steps: 4", "steps: 5"},
		{func() error { return m.Set("interfaces", "none") }, "interfaces: {}", "interfaces: none"},
		{func() error { return m.Set("version", "2") }, "version: 1", "version: 2"},
		{func() error { _, err := m.Unset("interfaces"); return err }, "interfaces: none\n", ""},
	} {
		before := mustBytes(t, m)
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if got, want := mustBytes(t, m), strings.Replace(before, step.old, step.new, 1); got != want {
			t.Errorf("%s: %s", step.new, cmp.Diff(want, got))
		}
	}
	if err := m.Set(`env_config.nested."a.b".d`, "x"); err != nil {
		t.Fatal(err)
	}
	got := mustBytes(t, m)
	for _, kept := range []string{"# Our metadata.\nversion: 2\n\nbranch:", "name: main   # the first", "# ports and such\nenv_config:",
		"port: 8080 # not 80", "hosts: [a, b]", "# a comment inside", `"a.b": {c: 1, d: x}`, "\n\ntotals:", "# the end\n"} {
		if !strings.Contains(got, kept) {
			t.Errorf("%q is lost in\n%s", kept, got)
		}
	}
}

func TestMetadataGetAndSet(t *testing.T) {
	m := NewMetadata()
	for _, c := range []struct {
		path, value string
		want        any
	}{
		{"env_config.port", "8080", 8080}, {"env_config.debug", "true", true}, {"env_config.ratio", "0.5", 0.5},
		{"env_config.text", "a plain text", "a plain text"}, {"env_config.quoted", `"8080"`, "8080"}, {"env_config.none", "null", nil},
		{"env_config.list", "[a, 1]", []any{"a", 1}}, {"env_config.map", "{a: {b: 1}}", map[string]any{"a": map[string]any{"b": 1}}},
		{"env_config.hash", "fix #12 now", "fix #12 now"}, {"env_config.lines", "one\ntwo\n\nthree", "one\ntwo\n\nthree"}, {"env_config.comment", "# all", "# all"},
		{"env_config.empty", "", ""}, {"env_config.spaces", "  ", "  "}, {"env_config.block", "a: 1\nb: 2", map[string]any{"a": 1, "b": 2}},
		{`interfaces."a.b"."c\"d"`, "x", "x"}, {"env_config.date", "2026-01-01", "2026-01-01"}, {"env_config.inf", ".inf", ".inf"},
		{"branch.purpose", "fix: the pool #1\nand *more*", "fix: the pool #1\nand *more*"}, {"branch.name", "1.0", "1.0"}, {"branch.status", "active", "active"},
		{"branch.created_at", "2026-11-21T02:37:05+01:00", "2026-11-21T01:37:05Z"},
	} {
		if err := m.Set(c.path, c.value); err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		got, ok, err := mustParse(t, mustBytes(t, m)).Get(c.path)
		if diff := cmp.Diff(c.want, got); !ok || err != nil || diff != "" {
			t.Errorf("%s: %v %v %s", c.path, ok, err, diff)
		}
	}
	all, _, _ := m.Get("")
	if _, err := json.Marshal(all); err != nil {
		t.Error(err)
	}
	if f := m.Branch(); f.Name != "1.0" || !f.CreatedAt.Equal(testTime()) {
		t.Errorf("%+v", f)
	}
	if text, ok, err := m.YAML("env_config.list"); string(text) != "[a, 1]\n" || !ok || err != nil {
		t.Errorf("%q %v %v", text, ok, err)
	}
	for _, path := range []string{"nothing", "env_config.port.deeper", "env_config.list.0"} {
		if v, ok, err := m.Get(path); ok || err != nil {
			t.Errorf("%s: %v %v", path, v, err)
		}
	}
	if diff := cmp.Diff([]string{"version", "env_config", "interfaces", "branch"}, m.Keys()); diff != "" {
		t.Error(diff)
	}
}

func TestMetadataSetRefuses(t *testing.T) {
	m := mustParse(t, handWritten)
	for _, c := range []struct{ path, value, message string }{
		{"env_config.port.x", "1", "'env_config.port' is a value"}, {"env_config.hosts.x", "1", "'env_config.hosts' is a list"}, {"version.x.y", "1", "'version' is a value"},
		{"", "1", "empty part"}, {"a..b", "1", "empty part"}, {`"a`, "1", "double quote"}, {`"a"b`, "1", "'.' is missing"},
		{"x", "{a: 1", "not YAML"}, {"x", "*a", "not YAML"}, {"x", "&a b", "anchors"}, {"x", "{a: 1, a: 2}", "twice"}, {"x", "\xff", "UTF-8"},
		{"x", strings.Repeat("y", MetadataLimit+1), "over the limit"}, {"x", "a: 1\n---\nb: 1", "second"}, {"branch.status", "done", "no status"}, {"branch.merged_at", "now", "no time"},
	} {
		if err := m.Set(c.path, c.value); err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s = %s: %v", c.path, clip(c.value), err)
		}
	}
	if err := m.SetValue("x", make(chan int)); err == nil {
		t.Error("a channel was set")
	}
	if got := mustBytes(t, m); got != handWritten {
		t.Errorf("a refused edit changed something:\n%s", cmp.Diff(handWritten, got))
	}
	if err := m.Set("x", strings.Repeat("y", MetadataLimit-10)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.BytesOrLess(); !errors.Is(err, ErrOverLimit) {
		t.Errorf("written over the limit: %v", err)
	}
	if err := m.Set("z", strings.Repeat("y", MetadataMost-MetadataLimit)); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Bytes(); !errors.Is(err, ErrOverLimit) {
		t.Errorf("written over the limit: %v", err)
	}
}

func TestParseMetadataRefuses(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b]\n"
	for text, message := range map[string]string{
		bomb: "line 1: anchors", "a: 1\nb: 2\na: 3\n": "line 3: the key 'a' occurs twice", "x:\n  a: 1\n  a: 1\n": "line 3: the key 'a'",
		"- a\n": "line 1: not a map", "text\n": "line 1: not a map", "a: 1\n---\nb: 1\n": "second", "a: b: c\n": "line 1", "a: [1\n": "line",
		"a: 1\n\tb: 2\n": "line 2", "? [a]\n: b\n": "line 1: a key", "a: \xff\n": "line 1: not UTF-8", "a: 1\nb: \x00\n": "line 2: a NUL",
		strings.Repeat("a", MetadataMost+1):                           "over the limit",
		"a: " + strings.Repeat("[", 1000) + strings.Repeat("]", 1000): "nested deeper",
	} {
		if _, err := ParseMetadata([]byte(text)); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v, want %s", clip(text), err, message)
		}
	}
}

func TestMetadataBranchAndTotals(t *testing.T) {
	facts := BranchFacts{Name: "exp/1", Purpose: "try: it\n\nreally\n", CreatedFrom: "main", CreatedAt: testTime().Add(123 * time.Millisecond), Status: StatusMerged, MergedInto: "no", MergedAt: testTime()}
	totals := Totals{Steps: 5, Commits: 2, Origins: map[string]OriginTotals{"1.0": {2, 1}, "main": {3, 1}}}
	for _, text := range []string{"", "version: 1\n", handWritten, "branch: {owner: me}\ntotals: {steps: 1, other: x}\n", "branch: text\ntotals: 3\n", "branch:\ntotals:\n\n\nz: 1\n"} {
		m := mustParse(t, text)
		if err := m.SetBranch(facts); err != nil {
			t.Fatal(err)
		}
		if err := m.SetTotals(totals); err != nil {
			t.Fatal(err)
		}
		again := mustParse(t, mustBytes(t, m))
		if diff := cmp.Diff(facts, again.Branch()); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		if diff := cmp.Diff(totals, again.Totals()); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		for _, kept := range []string{"owner: me", "other: x", "z: 1"} {
			if strings.Contains(text, kept) && !strings.Contains(mustBytes(t, m), kept) {
				t.Errorf("%q: %s is lost", text, kept)
			}
		}
		if err := m.SetBranch(BranchFacts{Name: "x"}); err != nil || m.Branch() != (BranchFacts{Name: "x"}) {
			t.Errorf("%v %+v", err, m.Branch())
		}
	}
	m := NewMetadata()
	if m.SetBranch(BranchFacts{Status: "gone"}) == nil || m.SetTotals(Totals{Steps: -1}) == nil || m.SetTotals(Totals{Origins: map[string]OriginTotals{"a\"b": {}}}) == nil {
		t.Error("nonsense was accepted")
	}
	if m.Branch() != (BranchFacts{}) || m.Totals().Steps != 0 {
		t.Error("facts out of nowhere")
	}
}

func genValue(t *rapid.T, depth int) any {
	switch k := rapid.IntRange(0, 7).Draw(t, "kind"); {
	case k < 4 || depth == 0:
		return genText(t, "text")
	case k == 4:
		return rapid.IntRange(-5, 1e6).Draw(t, "int")
	case k == 5:
		return rapid.Bool().Draw(t, "bool")
	case k == 6:
		list := make([]any, rapid.IntRange(0, 3).Draw(t, "n"))
		for i := range list {
			list[i] = genValue(t, depth-1)
		}
		return list
	}
	m := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "n") {
		m[genText(t, "key")] = genValue(t, depth-1)
	}
	return m
}

func TestMetadataValuesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := NewMetadata()
		want := map[string]any{"version": 1}
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			key, v := genText(t, "key"), genValue(t, 3)
			if err := m.SetValue(JoinPath(key), v); err != nil {
				if checkSegment(key) == nil {
					t.Fatal(err)
				}
				continue
			}
			want[key] = v
		}
		data, err := m.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseMetadata(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		for key, v := range want {
			got, ok, err := again.Get(JoinPath(key))
			if diff := cmp.Diff(v, got); !ok || err != nil || diff != "" {
				t.Fatalf("%q: %v %v %s\n%s", key, ok, err, diff, data)
			}
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(slices.Values(again.Keys()))); diff != "" {
			t.Fatal(diff)
		}
	})
}

// What scanBlocks takes for plain is YAML, with the same keys in the same places.
func checkScan(t rapid.TB, text string) {
	t.Helper()
	keys, ok := scanBlocks(text)
	if !ok || checkText(text) != nil {
		return
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n" // cut ends the last block so
	}
	root, err := decodeMap(text)
	if err != nil {
		t.Fatalf("plain, but %v:\n%s", err, text)
	}
	if len(root.Content) == 0 && len(keys) == 0 {
		return // nothing but comments
	}
	want, ok := keyLines(text, root)
	if !ok || !slices.Equal(keys, want) {
		t.Fatalf("keys %v, want %v:\n%s", keys, want, text)
	}
}

func TestScanKnowsWhatWeWrite(t *testing.T) {
	data := string(treeMetadata(t))
	if _, ok := scanBlocks(data); !ok {
		t.Error("our own file is not plain")
	}
	checkScan(t, data)
	checkScan(t, "...x: y\n") // the end of a document, to yaml.v3
	checkScan(t, "x:\n - \n")
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 8).Draw(t, "lines") {
			fmt.Fprintf(&b, "%s%s%s\n", strings.Repeat(" ", rapid.IntRange(0, 4).Draw(t, "indent")),
				rapid.SampledFrom([]string{"", "- ", "- - ", "- a: ", "a: ", "b:", "b: ", `"c": `, "'d': ", "-: ", "1: ", "~: ", "...", "--- "}).Draw(t, "key"),
				rapid.SampledFrom([]string{"", "x", "x y", `"q"`, `"q\n"`, `"q`, "[]", "{}", "x: y", "x #y", "x:", "'", "-", "- z", "é", "\u0085", "...", "#c", "!t x", "|", "x\t", "%a", "<<"}).Draw(t, "value"))
		}
		checkScan(t, b.String())
	})
}

// A block scalar that keeps its line breaks ends where the next key begins, or the file.
func TestMetadataKeepsLineBreaks(t *testing.T) {
	for _, c := range []struct {
		text, path string
		edit       func(m *Metadata) error
		want       string
	}{
		{"b:\n  k: |+\n    x\n\n  j: 1\n\n\nc: 1\n", "b.k", func(m *Metadata) error { _, err := m.Unset("b.j"); return err }, "x\n\n"},
		{"b: |+\n  x\n\n# c\n\nc: 1\n", "b", func(m *Metadata) error { return m.Set("c", "2") }, "x\n\n"},
		{"b: |+\n  x\n ", "b", func(m *Metadata) error { return m.Set("c", "2") }, "x\n"},
		{"b: |-\n  x", "b", func(m *Metadata) error { return m.Set("c", "2") }, "x"},
	} {
		m := mustParse(t, c.text)
		before, _, _ := m.Get(c.path)
		if err := c.edit(m); err != nil {
			t.Fatal(err)
		}
		if got, _, err := mustParse(t, mustBytes(t, m)).Get(c.path); got != c.want || before != c.want || err != nil {
			t.Errorf("%q: %q, then %q, want %q", c.text, before, got, c.want)
		}
	}
}

func TestMetadataKeepsData(t *testing.T) {
	data := []byte(handWritten)
	m, err := ParseMetadata(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.SetTotals(Totals{Steps: 9}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Bytes(); err != nil || !bytes.Equal(data, []byte(handWritten)) {
		t.Error("the caller's bytes were changed")
	}
}
