package doc

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What parses is written back so that it parses to the same, and from then on to the
// same bytes; merging it with itself gives itself.

func FuzzParseLog(f *testing.F) {
	for _, text := range hostileTexts()[:40] {
		f.Add(FormatLog([]Step{{ID: baseID, Number: 1, Time: testTime(), Agent: "a", Origin: "main", Session: text, Observation: text, Action: text}}))
	}
	f.Add(FormatLog(plainSteps(f, 3)))
	f.Add([]byte("== Branch a ==\n== Branch b ==\n\n### Step 0 · 0000-01-01T00:00:00Z ·   · 00000000000000000000000000\n- x: y\n- model: z\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		steps, err := ParseLog(data)
		if err != nil {
			return
		}
		formatted := FormatLog(steps)
		again, err := ParseLog(formatted)
		if diff := cmp.Diff(steps, again); err != nil || diff != "" {
			t.Fatalf("%v %s", err, diff)
		}
		for i := range steps {
			if err := steps[i].Check(); err != nil {
				t.Fatal(err)
			}
		}
		raw, err := splitEntries(data, logHeading)
		if err != nil || len(raw) != len(steps) {
			t.Fatalf("%d raw entries, %d steps, %v", len(raw), len(steps), err)
		}
		if u, err := UnionLog(Entries{Live: formatted}, Entries{Live: formatted}); err != nil || ascending(raw) && !bytes.Equal(u.Live, formatted) {
			t.Fatalf("union: %v\n%s", err, u.Live)
		}
	})
}

func FuzzParseCommits(f *testing.F) {
	for _, text := range hostileTexts()[:40] {
		f.Add(FormatCommits([]Commit{{ID: baseID, Time: testTime(), Agent: "a", Origin: "main", Summary: text, Goal: text, Purpose: text, Progress: text, Contribution: text}}))
	}
	f.Add([]byte(commitSample))
	f.Fuzz(func(t *testing.T, data []byte) {
		ms, err := ParseCommits(data)
		if err != nil {
			return
		}
		again, err := ParseCommits(FormatCommits(ms))
		if diff := cmp.Diff(ms, again); err != nil || diff != "" {
			t.Fatalf("%v %s", err, diff)
		}
		for i := range ms {
			if err := ms[i].Check(); err != nil {
				t.Fatal(err)
			}
		}
		if raw, err := splitEntries(data, commitHeading); err != nil || len(raw) != len(ms) {
			t.Fatalf("%d raw entries, %d milestones, %v", len(raw), len(ms), err)
		}
	})
}

func FuzzParseMetadata(f *testing.F) {
	f.Add([]byte(handWritten), []byte("a: 1\n"), "env_config.port", "8080")
	f.Add([]byte("{a: 1, b: {c: [2]}}\n"), []byte(handWritten), `interfaces."a.b"`, "a\nb")
	f.Add([]byte("---\n# c\na: |+\n  x\n\n...\n"), []byte("a: >-\n  y\n"), "a", "{b: 1} # c")
	f.Add([]byte("x:\n - \n"), []byte("...x: y\n"), "x", "- ")
	f.Add([]byte("a: 2026-01-01T00:00:00Z\nb: !!binary aGk=\n'c': \"\\x41\"\n"), []byte("? a\n: b\n"), "b.c", "2026-01-01")
	f.Fuzz(func(t *testing.T, data, other []byte, path, value string) {
		checkScan(t, string(data))
		m, err := ParseMetadata(data)
		if err != nil {
			return
		}
		if b, err := m.Bytes(); err != nil || !bytes.Equal(b, data) {
			t.Fatalf("unedited: %v %q", err, b)
		}
		before, _, err := m.Get("")
		if err != nil {
			t.Fatal(err)
		}
		checkSet(t, m, before.(map[string]any), path, value)
		if merged, conflicts, err := MergeMetadata(nil, data, data); err != nil || len(conflicts) > 0 || !bytes.Equal(merged, data) {
			t.Fatalf("with itself: %v %v\n%s", conflicts, err, merged)
		}
		merged, _, err := MergeMetadata(nil, data, other)
		if err != nil {
			return // the other is no metadata, or both are too much
		}
		if _, err := ParseMetadata(merged); err != nil {
			t.Fatalf("merged: %v\n%s", err, merged)
		}
	})
}

// checkSet edits, and holds that only what was set is other than before.
func checkSet(t *testing.T, m *Metadata, before map[string]any, path, value string) {
	if err := m.Set(path, value); err != nil {
		return
	}
	want, _, err := m.Get(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Bytes()
	if err != nil {
		return // over the limit
	}
	m, err = ParseMetadata(b)
	if err != nil {
		t.Fatalf("%v\n%q", err, b)
	}
	got, ok, err := m.Get(path)
	if diff := cmp.Diff(want, got); !ok || err != nil || diff != "" {
		t.Fatalf("%v %v %s\n%q", ok, err, diff, b)
	}
	all, _, _ := m.Get("")
	parts, err := parsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	after := all.(map[string]any)
	delete(before, parts[0])
	delete(after, parts[0])
	if diff := cmp.Diff(before, after); diff != "" {
		t.Fatalf("%s\n%q", diff, b)
	}
}

func FuzzParseRoadmap(f *testing.F) {
	f.Add([]byte(handRoadmap), []byte("# R\r\n## Goal\r\nx\r\n"), "text")
	for _, text := range hostileTexts()[:40] {
		f.Add([]byte("## Goal\n"+text+"\n## Milestones\n- "+text), roadmapOf(text, text), text)
	}
	f.Fuzz(func(t *testing.T, data, other []byte, text string) {
		r := ParseRoadmap(data)
		if got := r.Bytes(); !bytes.Equal(got, data) {
			t.Fatalf("%q became %q", data, got)
		}
		sections := len(r.Sections())
		r.SetGoal(text)
		r.AddTodo(text)
		r.AddDecision(text)
		r = ParseRoadmap(r.Bytes())
		if r.Goal() != text || len(r.Sections()) != sections {
			t.Fatalf("goal %q is %q, with %d own sections, was %d", text, r.Goal(), len(r.Sections()), sections)
		}
		if it, ds := r.Todo(), r.Decisions(); it[len(it)-1].Text != text && !hasItem(it, text) || ds[len(ds)-1] != text && !hasItem(itemsOf(r.find(SectionDecisions), false), text) {
			t.Fatalf("%q in %v %q", text, it, ds)
		}
		merged, _, err := MergeRoadmap(nil, data, other, wholeText)
		if err != nil {
			t.Fatal(err)
		}
		if got := ParseRoadmap(merged).Bytes(); !bytes.Equal(got, merged) {
			t.Fatal("the merged file changes when read")
		}
	})
}

func hasItem(items []Item, text string) bool {
	_, ok := itemsByText(items)[text]
	return ok
}

func FuzzParseTopic(f *testing.F) {
	for _, text := range []string{"", "x", "---\n", "---\n---\n", "---\npaths: [a]\nsupersedes: b\nx: {y: z}\n---\ntext", "---\r\npaths:\r\n- a\r\n---\r\n",
		"---\npinned: true\nconfirmed: 0123456789012345678901234567890123456789\nedited: [a]\n---\nx",
		"---\npaths:\n  - \"a b\"\n  - c/d\nsupersedes: \"e\"\nedited:\n  - c/d\n---\nx",
		"---\n\"p\\x69nned\": true\n---\nx", "---\nx: &a pinned\n*a : true\n---\nx"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		topic, err := ParseTopic(data)
		if err != nil {
			return
		}
		again, err := ParseTopic(topic.Bytes())
		if diff := cmp.Diff(topic, again); err != nil || diff != "" {
			t.Fatalf("%v %s\n%q", err, diff, topic.Bytes())
		}
		if marks, plain := PlainMarks(data); plain && (marks.Pinned != topic.Pinned || marks.Supersedes != topic.Supersedes) {
			t.Fatalf("marks %v %q of %q", marks.Pinned, marks.Supersedes, data)
		}
		if plain, ok := PlainTopic(data); ok {
			front, text, _ := cutFront(string(data))
			if diff := cmp.Diff(topic, plain); diff != "" {
				t.Fatalf("plain %s\n%q", diff, data)
			}
			// A comment is no plain front matter: YAML reads the same.
			if read, err := ParseTopic([]byte("---\n#\n" + front + "---\n" + text)); front != "" && (err != nil || read.Extra != "" || cmp.Diff(topic, read) != "") {
				t.Fatalf("%v: YAML reads %s\n%q", err, cmp.Diff(topic, read), data)
			}
			if root, err := decodeMap(front); front != "" && (err != nil || countNodes(root) != plain.frontValues(data)) {
				t.Fatalf("%v: YAML counts %d values, not %d\n%q", err, countNodes(root), plain.frontValues(data), data)
			}
		}
	})
}
