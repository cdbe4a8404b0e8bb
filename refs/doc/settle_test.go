package doc

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"
)

func TestUnionValues(t *testing.T) {
	for _, c := range []struct{ ours, theirs, want string }{
		{"8080\n", "8081\n", "- 8080\n- 8081\n"},
		{"8080\n", "\"8080\"\n", "- 8080\n- \"8080\"\n"}, // a number and a text
		{"a\n", "a\n", "- a\n"},
		{"[1, 2]\n", "- 3\n- 2\n", "- 1\n- 2\n- 3\n"},
		{"[1, 1]\n", "1\n", "- 1\n"},
		{"a\n", "[b, a]\n", "- a\n- b\n"},
		{"[a, b]\n", "[b, a]\n", "- a\n- b\n"}, // of the same values always one list
		{"[b, a]\n", "[a, b]\n", "- a\n- b\n"},
		{"b\n", "[a, b]\n", "- a\n- b\n"},
		{"{a: 1}\n", "{a: 2}\n", "- {a: 1}\n- {a: 2}\n"},
		{"{a: 1, b: 2}\n", "b: 2\na: 1\n", "- {a: 1, b: 2}\n"}, // the order of keys says nothing
		{"[[1], [2]]\n", "[[2], [3]]\n", "- [1]\n- [2]\n- [3]\n"},
		{"[]\n", "{}\n", "- {}\n"},
		{"", "null\n", "- null\n"},
		{"null\n", "\"\"\n", "- null\n- \"\"\n"},
		{"2026-11-21\n", "\"2026-11-21\"\n", "- 2026-11-21\n- \"2026-11-21\"\n"},
		{"8080 # ours\n", "8081 # theirs\n", "- 8080 # ours\n- 8081 # theirs\n"},
		{"|\n  a # no comment\n  b\n", "'x: y'\n", "- |\n  a # no comment\n  b\n- 'x: y'\n"},
		{"!foo bar\n", "0x1F\n", "- !foo bar\n- 0x1F\n"},
		{"{paths: [a], deep: {b: [1, {c: d}]}}\n", "x\n", "- {paths: [a], deep: {b: [1, {c: d}]}}\n- x\n"},
	} {
		got, err := UnionValues(c.ours, c.theirs)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%q and %q: %v %s", c.ours, c.theirs, err, diff)
		}
	}
	for _, bad := range []string{"a: b: c\n", "&x [*x]\n", "a\n---\nb\n", "[1\n", "{a: 1, a: 2}\n", strings.Repeat("[", 100) + strings.Repeat("]", 100)} {
		if got, err := UnionValues("1\n", bad); err == nil {
			t.Errorf("%q gave %q", bad, got)
		}
		if got, err := UnionValues(bad, "1\n"); err == nil {
			t.Errorf("%q gave %q", bad, got)
		}
	}
}

// Of a fact of the branch, which is a text, the lines are united, so that a union of unions has each once.
func TestUnionKey(t *testing.T) {
	for _, c := range []struct{ path, ours, theirs, want string }{
		{"metadata.yaml#branch.purpose", "fix\n", "mend\n", "- fix\n- mend\n"},
		{"metadata.yaml#branch.purpose", "|-\n  fix\n  mend\n", "|-\n  mend\n  fix\n", "- fix\n- mend\n"},
		{"metadata.yaml#branch.purpose", "|-\n  fix\n  mend\n", "mend\n", "- fix\n- mend\n"},
		{"metadata.yaml#note", "|-\n  fix\n  mend\n", "mend\n", "- |-\n  fix\n  mend\n- mend\n"},
	} {
		got, err := UnionKey(c.path, c.ours, c.theirs)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %q and %q: %v %s", c.path, c.ours, c.theirs, err, diff)
		}
	}
}

// genYAML is a value as YAML.
func genYAML(t *rapid.T, label string) string {
	var gen func(depth int) any
	gen = func(depth int) any {
		switch kind := rapid.IntRange(0, 5+depth).Draw(t, label); kind {
		case 0:
			return rapid.IntRange(-2, 2).Draw(t, "int")
		case 1:
			return rapid.SampledFrom([]string{"", "a", "null", "1", "x: y", "# c", "a # b", "- a", "two\nlines\n", "\n", " ", "…\u202e", "2026-11-21"}).Draw(t, "text")
		case 2:
			return rapid.Bool().Draw(t, "bool")
		case 3:
			return rapid.SampledFrom([]any{nil, 1.5, time.Unix(1_800_000_000, 0).UTC()}).Draw(t, "other")
		case 4:
			list := []any{}
			for range rapid.IntRange(0, 3).Draw(t, "items") {
				list = append(list, gen(depth-1))
			}
			return list
		default:
			m := map[string]any{}
			for _, key := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b.c", "\"", "x: y", "1"}), 0, 2).Draw(t, "keys") {
				m[key] = gen(depth - 1)
			}
			return m
		}
	}
	m := NewMetadata()
	if err := m.SetValue("k", gen(0)); err != nil {
		t.Fatal(err)
	}
	text, _, err := m.YAML("k")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// items are the values that a union is made of, as texts.
func items(t *rapid.T, text string) []string {
	n, err := decodeNode(text)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := toAny(n).([]any); ok {
		out := make([]string, len(v))
		for i := range v {
			out[i] = fmt.Sprintf("%T %v", v[i], v[i])
		}
		return out
	}
	return []string{fmt.Sprintf("%T %v", toAny(n), toAny(n))}
}

// A union holds what either side holds, and nothing else, in whatever order.
func TestUnionValuesLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genYAML(t, "a"), genYAML(t, "b")
		union := func(x, y string) string {
			u, err := UnionValues(x, y)
			if err != nil {
				t.Fatalf("%q and %q: %v", x, y, err)
			}
			return u
		}
		ab := union(a, b)
		set := func(text string) []string { return slices.Compact(slices.Sorted(slices.Values(items(t, text)))) }
		want := slices.Compact(slices.Sorted(slices.Values(append(items(t, a), items(t, b)...))))
		if got := set(ab); !slices.Equal(got, want) || !slices.Equal(set(union(b, a)), want) {
			t.Fatalf("%q and %q gave %q", a, b, ab)
		}
		if again := union(ab, b); again != ab {
			t.Fatalf("%q, and with %q again %q", ab, b, again)
		}
	})
}

// What a conflict is settled with stands there, and nothing else changes.
func TestSettleProperty(t *testing.T) {
	paths := []string{"k", "a.b", `a."b.c"`, `"x: y"."\"q\""`, `env_config."".z`}
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(t, "path")
		side := func(label string) []byte {
			m, err := ParseMetadata([]byte("# head\nother: 1 # stays\n"))
			if err != nil {
				t.Fatal(err)
			}
			n, err := decodeNode(genYAML(t, label))
			if err == nil {
				err = m.SetValue(path, toAny(n))
			}
			if err != nil {
				t.Fatal(err)
			}
			b, err := m.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		ours, theirs := side("ours"), side("theirs")
		merged, conflicts, err := MergeMetadata(nil, ours, theirs)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ParseMetadata(merged)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range conflicts {
			if err := m.Resolve(c, c.Theirs); err != nil {
				t.Fatal(err)
			}
		}
		data, err := m.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseMetadata(data)
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		want, err := ParseMetadata(theirs)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(data), "# head\nother: 1 # stays\n") {
			t.Errorf("%q", data)
		}
		for _, c := range conflicts {
			at := strings.TrimPrefix(c.Path, "metadata.yaml#")
			x, _, errX := got.Get(at)
			y, _, errY := want.Get(at)
			if err := errors.Join(errX, errY); err != nil || !cmp.Equal(x, y) {
				t.Fatalf("%s: %v, want %v; %v\n%s", at, x, y, err, data)
			}
		}
	})
}

func TestSettle(t *testing.T) {
	text := func(s string) *string { return &s }
	const had = "branch: {name: main, purpose: old}\nk: 1 # mine\nseg:\n  \"a.b\": 1\n  c: 2\n"
	for _, c := range []struct {
		path         string
		ours, theirs *string
		value        *string
		want         string // "" for an error
	}{
		{"k", nil, nil, text("8080\n"), "branch: {name: main, purpose: old}\nk: 8080 # mine\nseg:\n  \"a.b\": 1\n  c: 2\n"},
		{"k", nil, nil, nil, "branch: {name: main, purpose: old}\nseg:\n  \"a.b\": 1\n  c: 2\n"},
		{`seg."a.b"`, nil, nil, text("[x, y]\n"), "branch: {name: main, purpose: old}\nk: 1 # mine\nseg:\n  \"a.b\": [x, y]\n  c: 2\n"},
		{`seg."a.b"`, nil, nil, nil, "branch: {name: main, purpose: old}\nk: 1 # mine\nseg:\n  c: 2\n"},
		{"seg.gone", nil, nil, nil, had},
		// A side's comment is no part of its value; a text of one's own is taken as `metadata set` takes it.
		{"k", text("1 # mine\n"), text("2 # theirs\n"), text("2 # theirs\n"), "branch: {name: main, purpose: old}\nk: 2 # mine\nseg:\n  \"a.b\": 1\n  c: 2\n"},
		{"k", text("1 # mine\n"), text("2 # theirs\n"), text("see #5, not # 6"), "branch: {name: main, purpose: old}\nk: 'see #5, not # 6' # mine\nseg:\n  \"a.b\": 1\n  c: 2\n"},
		{"k", nil, nil, text("a: b: c"), ""},
		{"k.below", nil, nil, text("1"), ""},
		{"branch.purpose", text("a\n"), text("\"fix: it\" # c\n"), text("\"fix: it\" # c\n"), "branch: {name: main, purpose: \"fix: it\"}\nk: 1 # mine\nseg:\n  \"a.b\": 1\n  c: 2\n"},
		{"branch.purpose", text("a\n"), text("b\n"), text("- a\n- b\n"), "branch:\n  name: main\n  purpose: |-\n    a\n    b\nk: 1 # mine\nseg:\n  \"a.b\": 1\n  c: 2\n"},
		{"branch.purpose", nil, nil, text("fix: the: pool\n"), "branch: {name: main, purpose: \"fix: the: pool\"}\nk: 1 # mine\nseg:\n  \"a.b\": 1\n  c: 2\n"},
		{"branch.purpose", nil, nil, nil, "branch: {name: main}\nk: 1 # mine\nseg:\n  \"a.b\": 1\n  c: 2\n"},
		{"branch.status", nil, nil, text("merged\n"), "branch: {name: main, purpose: old, status: merged}\nk: 1 # mine\nseg:\n  \"a.b\": 1\n  c: 2\n"},
		{"branch.status", nil, nil, text("over\n"), ""},
		{"branch.extra", nil, nil, text("[1]\n"), "branch: {name: main, purpose: old, extra: [1]}\nk: 1 # mine\nseg:\n  \"a.b\": 1\n  c: 2\n"},
	} {
		m, err := ParseMetadata([]byte(had))
		if err != nil {
			t.Fatal(err)
		}
		err = m.Resolve(Conflict{Path: "metadata.yaml#" + c.path, Kind: ConflictKey, Ours: c.ours, Theirs: c.theirs}, c.value)
		if (err != nil) != (c.want == "") {
			t.Errorf("%s: %v", c.path, err)
		}
		if err != nil {
			continue
		}
		got, err := m.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		sameMeaning(t, c.path, c.want, string(got))
	}
}

// sameMeaning compares metadata by its values and comments, whatever quotes YAML's
// writer chose.
func sameMeaning(t *testing.T, what, want, got string) {
	t.Helper()
	a, errA := decodeNode(want)
	b, errB := decodeNode(got)
	if err := errors.Join(errA, errB); err != nil || !equalNodes(a, b) || strings.Count(want, "#") != strings.Count(got, "#") {
		t.Errorf("%s: %v\nwant %q\ngot  %q", what, err, want, got)
	}
}

// Whatever text is put in quotes comes back.
func TestQuoteValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := genText(t, "text")
		text, err := QuoteValue(want)
		if err != nil {
			t.Fatal(err)
		}
		n, err := decodeNode(text)
		if err != nil || n.ShortTag() != "!!str" || n.Value != want {
			t.Fatalf("%q as %q: %v", want, text, err)
		}
	})
}

func TestUnionTopics(t *testing.T) {
	both := func(base, ours, theirs string) (string, error) {
		return base + "|" + ours + "|" + theirs, nil
	}
	for _, c := range []struct{ name, base, ours, theirs, want string }{
		{"text alone", "b", "o", "t", "b|o|t"},
		{"paths are a set", "b", "---\npaths: [a, b]\n---\no", "---\npaths: [c, b]\n---\nt", "---\npaths:\n  - \"a\"\n  - \"b\"\n  - \"c\"\n---\nb|o|t"},
		{"only theirs has paths", "", "o", "---\npaths: [c]\n---\nt", "---\npaths:\n  - \"c\"\n---\n|o|t"},
		{"supersedes of ours", "", "---\nsupersedes: x\n---\no", "---\nsupersedes: y\n---\nt", "---\nsupersedes: \"x\"\n---\n|o|t"},
		{"supersedes of theirs", "", "o", "---\nsupersedes: y\n---\nt", "---\nsupersedes: \"y\"\n---\n|o|t"},
		{"other keys of ours", "", "---\nowner: me\n---\no", "---\nowner: you\nx: 1\n---\nt", "---\nowner: me\n---\n|o|t"},
		{"other keys of theirs", "", "---\npaths: [a]\n---\no", "---\nowner: you # c\n---\nt", "---\npaths:\n  - \"a\"\nowner: you # c\n---\n|o|t"},
		{"front matter in the base only", "---\npaths: [gone]\n---\nb", "o", "t", "b|o|t"},
	} {
		got, err := UnionTopics(c.base, c.ours, c.theirs, both)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		a, errA := ParseTopic([]byte(c.want))
		b, errB := ParseTopic([]byte(got))
		if diff := cmp.Diff(a, b); diff != "" || errA != nil || errB != nil {
			t.Errorf("%s: %v %v %s", c.name, errA, errB, diff)
		}
	}
	for i := range 3 {
		texts := [3]string{"x", "x", "x"}
		texts[i] = "---\npaths: {a: 1}\n---\nx"
		if got, err := UnionTopics(texts[0], texts[1], texts[2], both); err == nil {
			t.Errorf("a damaged side %d gave %q", i, got)
		}
	}
	fails := errors.New("no merge-file")
	if _, err := UnionTopics("b", "o", "t", func(_, _, _ string) (string, error) { return "", fails }); !errors.Is(err, fails) {
		t.Error(err)
	}
}

// A union of topics that joins nothing but itself is what it was.
func TestUnionTopicsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topic := Topic{Text: genText(t, "text"), Supersedes: rapid.SampledFrom([]string{"", "db"}).Draw(t, "supersedes"),
			Paths: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"cmd/main.go", "a b", "x: y", "---"}), 0, 3, rapid.ID[string]).Draw(t, "paths")}
		text := string(topic.Bytes())
		got, err := UnionTopics(text, text, text, func(_, ours, _ string) (string, error) { return ours, nil })
		if err != nil || got != text {
			t.Fatalf("%q became %q: %v", text, got, err)
		}
	})
}

// Two values have one key if they are equal, and only then.
func TestNodeKey(t *testing.T) {
	t.Parallel()
	var nodes []*yaml.Node
	for _, text := range []string{"1", "1.0", "\"1\"", "'1'", "null", "~", "", "[]", "{}", "[1, 2]", "[2, 1]", "[[1], 2]", "[1, [2]]", "{a: 1, b: 2}", "{b: 2, a: 1}",
		"{a: 1}", "{a: \"1\"}", "{\"1\": a}", "{1: a}", "true", "yes", "[\"a\\\" \\\"b\"]", "[a, b]", "2026-11-21", "\"2026-11-21\"", "{a: {b: ~}}", "{a: {b: null}}"} {
		n, err := decodeNode(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if n != nil {
			nodes = append(nodes, n)
		}
	}
	for _, a := range nodes {
		for _, b := range nodes {
			if equalNodes(a, b) != (nodeKey(a) == nodeKey(b)) {
				t.Errorf("%q and %q: equal: %v", nodeKey(a), nodeKey(b), equalNodes(a, b))
			}
		}
	}
}

// Resolutions that are written together give what they give one by one.
func TestResolveAll(t *testing.T) {
	t.Parallel()
	document := func(value string) []byte {
		var b strings.Builder
		b.WriteString("# head\n")
		for _, segment := range []string{"a", "b", "c"} {
			b.WriteString(segment + ":\n")
			for i := range 20 {
				fmt.Fprintf(&b, "  k%d: %s # note\n", i, value)
			}
			b.WriteString("\n")
		}
		return []byte(b.String() + "d: " + value + "\nbranch:\n  purpose: " + value + "\n")
	}
	merged, conflicts, err := MergeMetadataReplica(document("1"), document("2"), document("[3]"))
	if err != nil || len(conflicts) < 60 {
		t.Fatalf("%d conflicts, %v", len(conflicts), err)
	}
	together, apart := parsed(t, merged), parsed(t, merged)
	var answers []Answer
	for i, c := range conflicts {
		a := Answer{c, [...]*string{c.Ours, c.Theirs, nil}[i%3]}
		answers = append(answers, a)
		if err := apart.Resolve(c, a.Text); err != nil {
			t.Fatal(err)
		}
	}
	if err := together.ResolveAll(answers); err != nil {
		t.Fatal(err)
	}
	got, err := together.Bytes()
	want, wantErr := apart.Bytes()
	if err := errors.Join(err, wantErr); err != nil || string(got) != string(want) {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

func parsed(t *testing.T, data []byte) *Metadata {
	t.Helper()
	m, err := ParseMetadata(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
