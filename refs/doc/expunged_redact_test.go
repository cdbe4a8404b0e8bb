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

func mustRedact(t rapid.TB, e Expunged, path string, data []byte) Redacted {
	t.Helper()
	r, err := e.Redact(path, data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return r
}

func TestRedactEntries(t *testing.T) {
	ms := []Commit{
		{ID: idA, Time: testTime(), Agent: "a", Origin: "main", Kind: KindBirth, Summary: "Begin", Purpose: "use hunter2\nwell"},
		{ID: idB, Number: 1, Time: testTime(), Agent: "a", Origin: "main", Summary: "# use hunter2", Session: "use hunter2", Progress: "- use hunter2\n  it holds", Contribution: "x\nuse hunter2"},
		{ID: idC, Number: 2, Kind: KindMerge, Steps: Steps{1, 1, 1}, Tokens: 7, Time: testTime(), Agent: "a", Origin: "exp", Summary: "Other", Progress: "- main 1: use hunter2\n  x", Extra: "- later: use hunter2\n"},
	}
	data := FormatCommits(ms)
	r := mustRedact(t, forget(t, "use hunter2", "x", KindMerge, "7", "1-1 (1)", idA), CommitFile, data)
	want := slices.Clone(ms)
	want[0].Purpose = "(expunged)\nwell"
	want[1].Summary, want[1].Session, want[1].Progress, want[1].Contribution = "# (expunged)", "(expunged)", "- (expunged)\n  it holds", "(expunged)\n(expunged)"
	want[2].Progress, want[2].Extra = "- main 1: use hunter2\n  (expunged)", "- later: (expunged)\n"
	if diff := cmp.Diff(string(FormatCommits(want)), string(r.Data)); diff != "" || r.First != idA || len(r.Commits) > 0 {
		t.Errorf("%s %v", diff, r)
	}
	r = mustRedact(t, forget(t, idA, idB), SegmentPath(CommitDir, idA), data)
	if diff := cmp.Diff(string(FormatCommits([]Commit{ms[0], ms[2]})), string(r.Data)); diff != "" || r.Commits["main"] != 1 || r.Steps != nil {
		t.Errorf("%s %v", diff, r)
	}
	r = mustRedact(t, forget(t, idB, idC), CommitFile, FormatCommits(ms[1:]))
	if len(r.Data) > 0 || r.First != "" || !maps.Equal(r.Commits, map[string]int{"main": 1, "exp": 1}) {
		t.Errorf("%v", r)
	}
	steps := FormatLog([]Step{{ID: idA, Time: testTime(), Agent: "a", Origin: "main", Observation: "o", Extra: "- kind: birth\n"}})
	if r = mustRedact(t, forget(t, idA), LogFile, steps); len(r.Data) > 0 || r.Steps["main"] != 1 || r.Commits != nil {
		t.Errorf("a step that says it is a birth: %v", r)
	}
}

func TestRedactMetadata(t *testing.T) {
	data := `# use hunter2
version: 1 # 1

branch:
  name: main   # the first
  purpose: |
    build: the thing
    use hunter2
  status: active
  owner: me

# ports and such
env_config:
    port: 1      # use hunter2
    hosts: [a, me]
    # a comment inside
    nested:
        "use hunter2": {c: 1}
        me: {c: me}

totals:
  steps: 1
  milestones: 1
use hunter2: {}
interfaces: {}
# the end
`
	e := forget(t, "use hunter2", "1", "me", "main", "active", "branch", "port")
	got := string(mustRedact(t, e, MetadataFile, []byte(data)).Data)
	want := strings.NewReplacer("HUNTER", e.redactKey("use hunter2"), "PORT", e.redactKey("port"), "ME:", e.redactKey("me")+":").Replace(`# (expunged)
version: 1 # (expunged)

branch:
  name: main # the first
  purpose: |
    build: the thing
    (expunged)
  status: active
  owner: (expunged)

# ports and such
env_config:
  PORT: (expunged) # (expunged)
  hosts: [a, (expunged)]
  # a comment inside
  nested:
    HUNTER: {c: (expunged)}
    ME: {c: (expunged)}

totals:
  steps: 1
  milestones: 1
HUNTER: {}
interfaces: {}
# the end
`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	pieces, err := PiecesIn(MetadataFile, []byte(data), finder("hunter2"))
	if diff := cmp.Diff([]string{"use hunter2"}, pieces); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if _, err := (Expunged{}).Redact(MetadataFile, []byte("a: *b\n")); err == nil {
		t.Error("what cannot be read was redacted")
	}
}

func TestRedactTopicAndRoadmap(t *testing.T) {
	e := forget(t, "use hunter2", "Goal", "Project Roadmap", "paths", "a/hunter2.go", "pool")
	for _, c := range []struct{ path, data, want string }{
		{"topics/x.md", "---\npaths:\n  - a/hunter2.go\n  - b.go\nsupersedes: pool\n---\n- use hunter2\nrest", "---\npaths:\n  - (expunged)\n  - b.go\nsupersedes: (expunged)\n---\n- (expunged)\nrest"},
		{"topics/x.md", "---\r\npaths: [b.go]\r\n---\r\nuse hunter2\r\n", "---\r\npaths: [b.go]\r\n---\r\n(expunged)\r\n"},
		{"topics/x.md", "---\n---\n---\nuse hunter2\n---\n", "---\n---\n---\n(expunged)\n---\n"},
		{"topics/x.md", "---\npool: 1\n---\n", "---\n" + e.redactKey("pool") + ": 1\n---\n"},
		{RoadmapFile, "# Project Roadmap\n\n## Goal\n\nuse hunter2\n\n## use hunter2\n\nGoal\n", "# Project Roadmap\n\n## Goal\n\n(expunged)\n\n## (expunged)\n\n(expunged)\n"},
		{RoadmapFile, "## To-Do\r\n\r\n- [x] use hunter2\r\n  Goal\r\n", "## To-Do\r\n\r\n- [x] (expunged)\r\n  (expunged)\r\n"},
	} {
		if got := string(mustRedact(t, e, c.path, []byte(c.data)).Data); got != c.want {
			t.Errorf("%q became %q", c.data, got)
		}
	}
	pieces, err := PiecesIn("topics/x.md", []byte("---\npaths: [a/hunter2.go]\n---\n- use hunter2\nx"), finder("hunter2"))
	if diff := cmp.Diff([]string{"a/hunter2.go", "use hunter2"}, pieces); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	for _, path := range []string{ExpungedFile, "topics/X.md", "", "log/x.md"} {
		if _, err := e.Redact(path, nil); err == nil {
			t.Errorf("'%s' was redacted", path)
		}
	}
}

// What the program itself writes is no text of anybody: not the keys and marks of topics, not the tree of the detected facts, not
// what a step keeps.
func TestRedactKeepsWhatTheProgramWrites(t *testing.T) {
	hash := strings.Repeat("a1", 20)
	a := NewAttachment("x.txt", []byte("data"))
	attached := fmt.Sprintf("%s %d %s", a.Hash, a.Size, a.Name)
	e := forget(t, "paths", "supersedes", "pinned", "confirmed", "edited", "true", "detected_from", hash, attached)
	topic := Topic{Paths: []string{"a.go"}, Supersedes: "old", Pinned: true, Confirmed: hash, Edited: []string{"a.go"}, Text: "x"}
	steps := FormatLog([]Step{{ID: idA, Time: testTime(), Agent: "a", Origin: "main", Observation: "o", Attachments: []Attachment{a}}})
	for _, c := range []struct{ path, data, want string }{
		{"topics/x.md", string(topic.Bytes()), string(topic.Bytes())},
		{"topics/x.md", "---\nedited: {pinned: 1}\nconfirmed: paths\n---\n", "---\nedited: {" + e.redactKey("pinned") + ": 1}\nconfirmed: (expunged)\n---\n"},
		{MetadataFile, "version: 1\ndetected_from: " + hash + "\n", "version: 1\ndetected_from: " + hash + "\n"},
		{LogFile, string(steps), string(steps)},
		{CommitFile, string(FormatCommits([]Commit{{ID: idB, Time: testTime(), Agent: "a", Origin: "main", Summary: "s", Extra: "- attachment: pinned\n"}})),
			string(FormatCommits([]Commit{{ID: idB, Time: testTime(), Agent: "a", Origin: "main", Summary: "s", Extra: "- attachment: (expunged)\n"}}))},
	} {
		if got := string(mustRedact(t, e, c.path, []byte(c.data)).Data); got != c.want {
			t.Errorf("%q became %q", c.data, got)
		}
	}
	pieces, err := PiecesIn("topics/x.md", topic.Bytes(), finder("e"))
	if len(pieces) > 0 || err != nil {
		t.Errorf("%q %v", pieces, err)
	}
}

// pieceWords are lines of the documents that the laws are tried on, and pieces of the sets.
func pieceWords() []string {
	return []string{"a", "b", "use hunter2", "it: holds", "---", "1", "true", "k", "# c", "- d", "> e", "", " ", "main", "(expunged)", "\\ x", "\"q\"", "é", "x\ty"}
}

func drawText(t *rapid.T) string {
	marks := rapid.SampledFrom([]string{"", "", "", "- ", "> ", "  ", "# ", "- [ ] ", "1. "})
	var lines []string
	for range rapid.IntRange(0, 3).Draw(t, "lines") {
		lines = append(lines, marks.Draw(t, "marks")+rapid.SampledFrom(pieceWords()).Draw(t, "word"))
	}
	return strings.Join(lines, "\n")
}

func drawEntries(t *rapid.T) (path string, data []byte) {
	ids := []string{idA, idB, idC}[:rapid.IntRange(0, 3).Draw(t, "entries")]
	origins := rapid.SampledFrom([]string{"main", "exp"})
	kinds := rapid.SampledFrom([]string{"", "", KindMerge, KindBirth})
	var steps []Step
	var ms []Commit
	for _, id := range ids {
		steps = append(steps, Step{ID: id, Time: testTime(), Agent: "a", Origin: origins.Draw(t, "origin"), Session: drawText(t), Observation: drawText(t), Action: drawText(t)})
		ms = append(ms, Commit{ID: id, Time: testTime(), Agent: "a", Origin: origins.Draw(t, "origin"), Kind: kinds.Draw(t, "kind"),
			Summary: drawText(t), Goal: drawText(t), Purpose: drawText(t), Progress: drawText(t), Contribution: drawText(t), Source: drawText(t)})
	}
	if rapid.Bool().Draw(t, "log") {
		return LogFile, FormatLog(steps)
	}
	return CommitFile, FormatCommits(ms)
}

// drawYAML writes a map by hand, with comments and in the styles that people use.
func drawYAML(t *rapid.T, indent string, depth int) string {
	var b strings.Builder
	word := rapid.SampledFrom(pieceWords())
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "k", "branch", "name", "purpose", "version", "totals", "paths", "env_config"}), 1, 4, rapid.ID[string]).Draw(t, "keys")
	for _, key := range keys {
		b.WriteString(drawComments(t, indent))
		fmt.Fprintf(&b, "%s%s:", indent, key)
		switch style := rapid.IntRange(0, 6).Draw(t, "style"); {
		case style == 0 && depth < 2:
			b.WriteString("\n" + drawYAML(t, indent+"  ", depth+1))
		case style == 1:
			fmt.Fprintf(&b, "\n%s%s  - a # k\n%s%s  - %q\n", drawComments(t, indent+"  "), indent, drawComments(t, indent), indent, drawText(t))
		case style == 2:
			fmt.Fprintf(&b, " [a, %q, {b: 1}]\n", word.Draw(t, "item"))
		case style == 3:
			fmt.Fprintf(&b, " |\n%s    a\n\n%s    it: holds\n", indent, indent)
		case style == 4:
			fmt.Fprintf(&b, " >-\n%s    use\n%s    hunter2\n", indent, indent)
		default:
			fmt.Fprintf(&b, " %q # %s\n", word.Draw(t, "value"), word.Draw(t, "line comment"))
		}
		b.WriteString(drawComments(t, indent))
	}
	return b.String()
}

// drawComments writes comments and empty lines: what the YAML emitter moves about.
func drawComments(t *rapid.T, indent string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"\n", indent + "# use hunter2\n", indent + "# x\n"}), 0, 3).Draw(t, "comments"), "")
}

func drawDocument(t *rapid.T) (path string, data []byte) {
	switch rapid.IntRange(0, 4).Draw(t, "document") {
	case 0, 1:
		return drawEntries(t)
	case 2:
		return MetadataFile, []byte(drawYAML(t, "", 0))
	case 3:
		front := rapid.SampledFrom([]string{"", "---\n---\n", "---\n" + drawYAML(t, "", 1) + "---\n"}).Draw(t, "front")
		return TopicPath("x"), []byte(front + drawText(t))
	}
	sections := rapid.SampledFrom([]string{"# Project Roadmap\n\n", "## Goal\n", "## a\n", "## Todo\n", "\n"})
	text := sections.Draw(t, "head") + drawText(t) + "\n" + sections.Draw(t, "section") + drawText(t)
	return RoadmapFile, []byte(text)
}

func drawExpunged(t *rapid.T, name string) Expunged {
	var e Expunged
	for _, w := range rapid.SliceOfN(rapid.SampledFrom(pieceWords()), 0, 4).Draw(t, name) {
		e.AddText(w)
	}
	for _, id := range rapid.SliceOfN(rapid.SampledFrom([]string{idA, idB, idC}), 0, 2).Draw(t, name+" ids") {
		if err := e.AddEntry(id); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// TestRedactLaws holds what lets clones that hear of tombstones in any order agree.
func TestRedactLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		path, data := drawDocument(t)
		if checkRedacted(path, data) != nil {
			t.Skip("not a document")
		}
		one, two := drawExpunged(t, "one"), drawExpunged(t, "two")
		holdLaws(t, path, data, one, two)
	})
}

// Comments that the YAML emitter moves each time, up to a point.
func TestRedactSettles(t *testing.T) {
	data := "a:\n  b:\n    c:\n    # o\n      - x\n      # i\n      - y\n    # f\n\n\n  d: v\n"
	holdLaws(t, MetadataFile, []byte(data), forget(t, "i"), forget(t, "v"))
}

func holdLaws(t rapid.TB, path string, data []byte, one, two Expunged) {
	t.Helper()
	if r := mustRedact(t, Expunged{}, path, data); len(data) > 0 && &r.Data[0] != &data[0] {
		t.Fatal("no tombstone made other bytes")
	}
	first := mustRedact(t, one, path, data)
	if err := checkRedacted(path, first.Data); err != nil {
		t.Fatalf("%v\n%s\n%s", err, data, first.Data)
	}
	if bytes.Equal(first.Data, data) && len(data) > 0 && &first.Data[0] != &data[0] {
		t.Fatal("a copy of what did not change")
	}
	if again := mustRedact(t, one, path, first.Data); !bytes.Equal(again.Data, first.Data) || again.Steps != nil || again.Commits != nil {
		t.Fatalf("twice:\n%s\n%s", first.Data, again.Data)
	}
	both, after := mustRedact(t, one.Union(two), path, data), mustRedact(t, two, path, first.Data)
	if diff := cmp.Diff(string(both.Data), string(after.Data)); diff != "" {
		t.Fatalf("%q\nat once and one after the other: %s", data, diff)
	}
	if both.First != after.First || !maps.Equal(both.Steps, sum(first.Steps, after.Steps)) || !maps.Equal(both.Commits, sum(first.Commits, after.Commits)) {
		t.Fatalf("%v %v %v", both, first, after)
	}
}

func sum(a, b map[string]int) map[string]int {
	s := maps.Clone(a)
	for k, n := range b {
		if s == nil {
			s = map[string]int{}
		}
		s[k] += n
	}
	return s
}

// checkRedacted reads a document of any kind.
func checkRedacted(path string, data []byte) (err error) {
	switch KindOf(path) {
	case FileLog:
		_, err = ParseLog(data)
	case FileCommits:
		_, err = ParseCommits(data)
	case FileMetadata:
		_, err = ParseMetadata(data)
	case FileTopic:
		_, err = ParseTopic(data)
	}
	return err
}

func FuzzRedact(f *testing.F) {
	paths := []string{LogFile, CommitFile, MetadataFile, TopicPath("x"), RoadmapFile}
	f.Add(uint(1), []byte(commitSample), "x", "y")
	f.Add(uint(2), []byte(handWritten), "main", "[a, b]")
	f.Add(uint(3), []byte("---\npaths: [a]\n---\nb\n"), "a", "b")
	f.Add(uint(4), []byte(handRoadmap), "Goal", "---")
	f.Fuzz(func(t *testing.T, kind uint, data []byte, one, two string) {
		path := paths[kind%uint(len(paths))]
		if checkRedacted(path, data) != nil || len(data) > MetadataLimit/20 {
			return
		}
		var a, b Expunged
		a.AddText(one)
		b.AddText(two)
		r, err := a.Union(b).Redact(path, data)
		if err != nil {
			t.Fatalf("%v\n%q", err, data)
		}
		if err := checkRedacted(path, r.Data); err != nil {
			t.Fatalf("%v\n%q\n%q", err, data, r.Data)
		}
		if KindOf(path) != FileMetadata && KindOf(path) != FileTopic { // YAML that nobody writes may settle otherwise
			holdLaws(t, path, data, a, b)
		}
	})
}

func FuzzParseExpunged(f *testing.F) {
	f.Add([]byte("commit " + strings.Repeat("0", 40) + "\nentry " + idA + "\ntext " + strings.Repeat("a", 64) + "\n"))
	f.Add([]byte(""))
	f.Add([]byte("entry x\n"))
	f.Add([]byte("word 12-0ab-" + strings.Repeat("a", 64) + "\nword 8-fff-" + strings.Repeat("0", 64) + " 2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := ParseExpunged(data)
		if err == nil && !bytes.Equal(e.Bytes(), data) {
			t.Fatalf("%q became %q", data, e.Bytes())
		}
	})
}

// Keys that differ in marks alone have different replacements, also at the top, and what cannot be written says so.
func TestRedactKeysOfOnePiece(t *testing.T) {
	var e Expunged
	e.AddText("zzqq")
	for _, text := range []string{
		"version: 1\nx: {zzqq: 1, \"- zzqq\": 2, \"zzqq \": 3}\n",
		"version: 1\nzzqq: 1\n\"- zzqq\": 2\n\"> zzqq\": 3\n",
		"version: 1\nx:\n  - zzqq: 1\n  - zzqq: 2\n",
	} {
		r, err := e.Redact(MetadataFile, []byte(text))
		if err != nil || strings.Contains(string(r.Data), "zzqq") {
			t.Errorf("%q: %v\n%s", text, err, r.Data)
			continue
		}
		if _, err := ParseMetadata(r.Data); err != nil {
			t.Errorf("%q: %v\n%s", text, err, r.Data)
		}
		if again, err := e.Redact(MetadataFile, r.Data); err != nil || !bytes.Equal(again.Data, r.Data) {
			t.Errorf("%q: once more: %v\n%s", text, err, again.Data)
		}
	}
}

// What cannot be written within its limit goes, whatever its form; all else stays.
func TestRedactWhereNothingMayGrow(t *testing.T) {
	branch := "version: 1\nbranch:\n  name: main\n  purpose: zq\nkept:\n  one: whole\n"
	maps := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"values of one byte":    branch + "x:\n" + strings.Repeat("- a\n", 6500),
		"values of two bytes":   branch + "x:\n" + strings.Repeat("- zq\n", 11000),
		"short keys":            branch + "x:\n" + maps(3000, "  k%04d:\n    zq7: 1\n"),
		"short keys of one map": branch + "x: {" + maps(5000, "k%04d: 1, ") + "zq7: 1, a: 1, zq: 1}\n",
		"flow style":            branch + "x: {" + maps(6400, "k%04d: 1,") + "y: zq}\n",
		"narrow":                branch + "x:\n" + maps(3000, " k%04d:\n  y:\n   z:\n") + " last:\n  zq7\n",
		"all in flow style":     "{version: 1, branch: {name: main, purpose: zq}, kept: {one: whole}, x: {" + maps(6400, "k%04d: 1,") + "y: zq}}\n",
		"comments":              branch + "x: 1\n" + strings.Repeat("# a\n", 15000),
		"names of segments":     branch + maps(5000, "s%04d: zq\n") + "a: 1\nzq: 1\nzq7: 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			var e Expunged
			for _, text := range []string{"a", "zq", "zq7"} {
				e.AddText(text)
			}
			data := []byte(text)
			if _, err := ParseMetadata(data); err != nil {
				t.Fatalf("%d bytes: %v", len(data), err)
			}
			r := mustRedact(t, e, MetadataFile, data)
			m, err := ParseMetadata(r.Data)
			if err != nil {
				t.Fatal(err)
			}
			if b := m.Branch(); b.Name != "main" || b.Purpose != "␡" && b.Purpose != "_" && b.Purpose != Redaction {
				t.Errorf("the facts of the branch: %+v", b)
			}
			if n, err := m.value([]string{"kept", "one"}); err != nil || n == nil || n.Value != "whole" {
				t.Errorf("the segment beside it: %v %v", n, err)
			}
			if again := mustRedact(t, e, MetadataFile, r.Data); !bytes.Equal(again.Data, r.Data) {
				t.Errorf("once more it is otherwise:\n%.200s", again.Data)
			}
			for line := range strings.Lines(string(r.Data)) {
				for piece := range strings.FieldsFuncSeq(line, func(c rune) bool { return strings.ContainsRune(" \n:-{},#", c) }) {
					if e.HasText(piece) {
						t.Fatalf("what goes is still there: %q", line)
					}
				}
			}
		})
	}
	var e Expunged
	e.AddText("a")
	topic := "---\nx: [" + strings.Repeat("a,", 1500) + strings.Repeat("y", 60000) + "]\n---\ntext\na\n"
	if r := mustRedact(t, e, TopicPath("t"), []byte(topic)); !bytes.HasSuffix(r.Data, []byte("text\n_\n")) && !bytes.HasSuffix(r.Data, []byte("text\n"+Redaction+"\n")) {
		t.Errorf("a topic: %.100q", r.Data)
	}
	topic = "---\nx:\n" + strings.Repeat("- a\n", 1900) + "- " + strings.Repeat("y", 57000) + "\n" + "---\ntext\na\n"
	if r := mustRedact(t, e, TopicPath("t"), []byte(topic)); string(r.Data) != "text\n_\n" {
		t.Errorf("a topic: %.100q", r.Data)
	}
	const lines = 100_000
	full := strings.Repeat("x", FileLimit-2*lines-1) + "\n"
	if r := mustRedact(t, e, TopicPath("t"), []byte(full+strings.Repeat("a\n", lines))); string(r.Data) != full+strings.Repeat("_\n", lines) {
		t.Errorf("a full topic: %d bytes, %.100q", len(r.Data), r.Data[len(full)-1:])
	}
}
